"""The page: templates rendered on the server, and a few JavaScript modules.

    routes     addresses of the page and its parts
    view       a search and a recording in the form of the templates
    templates/ search.html, results.html, recording.html, docs.html around base.html
    static/    style.css and JavaScript modules; a page loads search.js or recording.js

There is no build step and no request to another host. The templates escape all data; scripts and
styles are files (the content security policy allows nothing else).
"""
