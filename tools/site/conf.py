"""Sphinx's settings. Nothing here loads anything from another host."""

import os
import sys
from functools import cache
from pathlib import Path

from sphinx import addnodes

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from std import __version__

project = "std"
author = "the authors of std"
copyright = author  # noqa: A001  # Sphinx's name for it
version = release = __version__
language = "en"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4
smartquotes = False  # "--option" stays as it is
default_role = "code"  # docstrings put names into single backticks
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_default_options = {"undoc-members": True}
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 72
napoleon_numpy_docstring = False
napoleon_use_ivar = True
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"
copybutton_only_copy_prompt_lines = True
highlight_language = "none"  # of blocks without one
exclude_patterns = ["_files"]
show_warning_types = True

html_theme = "furo"
html_title = f"std {release}"
html_static_path = [str(Path(__file__).parent / "static")]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_use_index = True
html_domain_indices = False
html_last_updated_fmt = None
os.environ.setdefault("SOURCE_DATE_EPOCH", "0")  # the same pages give the same bytes


def setup(app):  # type: ignore[no-untyped-def]  # Sphinx calls it
    """Leave out a package's docstring, which stands above its names, and what nobody wrote."""

    def emptied(app, what, name, obj, options, lines):  # type: ignore[no-untyped-def]
        if what == "module" or (lines[:1] and lines[0].startswith("Alias for field number")):
            lines.clear()

    app.connect("autodoc-process-docstring", emptied)
    app.connect("html-page-context", with_quick_sidebar, priority=400)  # before the theme's


@cache
def without_headings(env):  # type: ignore[no-untyped-def]  # Sphinx's
    """Of each page its title and the pages below it."""
    titles = {page: toc.deepcopy() for page, toc in env.tocs.items()}
    for title in [title for toc in titles.values() for title in toc.children if len(title) > 1]:
        if below := [*title.findall(addnodes.toctree)]:
            title[1][:] = below
        else:
            title.pop(1)
    return titles


def with_quick_sidebar(app, page, template, context, doctree):  # type: ignore[no-untyped-def]
    """Let Sphinx copy titles for a sidebar of titles.

    It would copy all headings of all pages for each page, and drop them: two fifths of its time.
    """
    slow = context["toctree"]

    def toctree(**options):  # type: ignore[no-untyped-def]
        tocs = app.env.tocs
        if options.get("titles_only"):
            app.env.tocs = without_headings(app.env)
        try:
            return slow(**options)
        finally:
            app.env.tocs = tocs

    context["toctree"] = toctree
