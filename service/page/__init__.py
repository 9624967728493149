"""The page: templates rendered here, completed by a few JavaScript modules of ours.

    routes     addresses of the page and its parts
    view       a search and a recording as the templates show them
    templates/ search.html, results.html, recording.html, docs.html around base.html
    static/    style.css and JavaScript modules; search.js and recording.js are the first of a page

There is no build step and no request to another host. Everything that data say is escaped by the
templates; scripts and styles are files (the content security policy allows no others).
"""
