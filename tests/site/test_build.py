"""The site is built as `make docs` builds it, and nothing is wrong with it; its maker's parts."""

import argparse
import importlib
import inspect
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tools.parsers import parsers
from tools.site import checks, navigation, reference, rest, staging
from tools.site.markdown import prose, with_links

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent.parent
MISSING = [
    name for name in ("sphinx", "myst_parser", "furo", "codespell_lib") if not find_spec(name)
]


@pytest.fixture(scope="module")
def site(made_once):
    if MISSING:
        pytest.skip(f"{', '.join(MISSING)} missing: pip install '.[docs]'")
    return made_once("site", build) / "site"


def build(folder):
    argv = ["--output", str(folder / "site"), "--source", str(folder / "source" / "site")]
    built = subprocess.run(
        [sys.executable, "-m", "tools.site", *argv],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    assert built.returncode == 0, built.stdout + built.stderr


def test_the_site_has_every_page_and_nothing_wrong(site):
    for section in navigation.read(ROOT):
        for _, address in section.pages:
            assert (site / f"{address}.html").is_file()
    findings = checks.links(site)
    assert not findings.dead
    assert not findings.foreign
    assert any("github.com" in link for link in findings.external)


def methods(name, package):
    """Public methods of a class of a package, inherited ones of our packages included."""
    value = getattr(package, name)
    for base in value.__mro__ if inspect.isclass(value) else ():
        if base.__module__.partition(".")[0] == package.__name__.partition(".")[0]:
            public = [one for one in vars(base) if not one.startswith("_")]
            yield from (f"{name}.{one}" for one in public if inspect.isroutine(vars(base)[one]))


def test_the_site_has_every_command_key_and_name(site):
    for name, parser in parsers().items():
        page = (site / f"reference/command-line/{name}.html").read_text()
        shown = [action for action in parser._actions if action.help != argparse.SUPPRESS]
        options = [option for action in shown for option in action.option_strings]
        assert not [option for option in options if option not in page]
    for name in reference.PACKAGES:
        page = (site / f"reference/python/{name}.html").read_text()
        package = importlib.import_module(name)
        homes = {one: reference.home_of(package, one) for one in package.__all__}
        own = [one for one, home in homes.items() if home == name]
        names = [each for one in own for each in (one, *methods(one, package))]
        assert not [one for one in names if f'id="{name}.{one}"' not in page]
        for home in homes.values():
            assert home == name or f'href="{home}.html"' in page
    page = (site / "reference/rest.html").read_text()
    assert not [path for path in rest.openapi(ROOT)["paths"] if path not in page]


@pytest.mark.browser
def test_a_browser_asks_no_other_host(site, browser):
    asked, wide = [], []
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.on("request", lambda request: asked.append(request.url))
    for number, path in enumerate(sorted(site.rglob("*.html"))):
        page.emulate_media(color_scheme=("light", "dark")[number % 2])
        page.goto(path.as_uri())
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(path.name)
    page.close()
    assert asked
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]
    assert not wide, "wider than a telephone"


def test_every_key_of_the_configuration_has_values_and_a_meaning():
    rows = [row for row in reference.configuration_page(ROOT).splitlines() if row.startswith("| `")]
    assert len(rows) > 30
    assert (
        "| `join_exponent` | `0.5` | 0 to 1 | posterior of a phrase = product^(1-r) \\* minimum^r; "
        "0 = independent words |" in rows
    )
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    assert not [row for row in cells if len(row) != 4 or not row[2]]


def test_dead_links_and_foreign_hosts_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="here">A</h1><a href="#here">1</a><a href="#there">2</a><a href="b.html">3</a>'
        '<a href="c.html">4</a><a href="https://example.org">5</a><img src="//cdn.example/x.png">'
    )
    (tmp_path / "b.html").write_text('<a href="a.html#here">1</a><a href="a.html#no">2</a>')
    (tmp_path / "s.css").write_text("@import 'https://fonts.example/f.css'; a {color: red}")
    found = checks.links(tmp_path)
    assert found.dead == [
        "a.html: #there (no such heading)",
        "a.html: c.html (no such file)",
        "b.html: a.html#no (no such heading)",
    ]
    assert found.foreign == ["a.html: //cdn.example/x.png", "s.css: https://fonts.example/f.css"]
    assert found.external == {"https://example.org": "a.html"}


def test_links_lead_to_addresses_files_and_words(tmp_path):
    root, target = tmp_path / "root", tmp_path / "site"
    (root / "docs" / "how-to").mkdir(parents=True)
    (root / "examples").mkdir()
    (root / "examples" / "a.xml").write_text("<a/>")
    places = {"docs/search.md": "reference/search", "docs/how-to/a.md": "how-to/a"}
    text = (
        "[s](../search.md#top) [me](a.md) [file](../../examples/a.xml) [folder](../../examples)\n"
        "[out](https://example.org)\n\n    [code](../search.md)\n\n"
        "```text\n[code](../search.md)\n```\n"
    )
    assert staging.rewritten(root, target, "docs/how-to/a.md", "how-to/a", text, places) == (
        "[s](../reference/search.md#top) [me](a.md) [file](../_files/examples/a.xml) folder\n"
        "[out](https://example.org)\n\n    [code](../search.md)\n\n"
        "```text\n[code](../search.md)\n```\n"
    )
    assert (target / "_files/examples/a.xml").read_text() == "<a/>"


def test_links_in_a_list_after_code_are_links():
    text = "* [a](x.md)\n  [b](x.md)\n"
    assert with_links(text, lambda link: "y.md") == "* [a](y.md)\n  [b](y.md)\n"


def test_text_of_docstrings_is_markdown():
    text = "Stars * and <tags>, `code *`::\n\n    from a import b\n\n    b()\n\nMore.\n"
    assert prose(text) == (
        "Stars \\* and \\<tags>, `code *`:\n\n```python\nfrom a import b\n\nb()\n```\n\nMore."
    )


def test_pages_that_stand_nowhere_come_last_and_missing_ones_are_named(tmp_path):
    (tmp_path / "docs").mkdir()
    for name in ("index", "a", "b"):
        (tmp_path / "docs" / f"{name}.md").touch()
    (tmp_path / "docs" / "site.toml").write_text(
        '[[section]]\ntitle = "One"\nfolder = "one"\npages = ["docs/a.md"]\n'
        '[[section]]\ntitle = "Rest"\nfolder = "rest"\npages = ["docs/*.md"]\n'
    )
    sections = navigation.read(tmp_path)
    assert [section.pages for section in sections] == [
        (("docs/a.md", "one/a"),),
        (("docs/b.md", "rest/b"),),
    ]
    (tmp_path / "docs" / "a.md").unlink()
    with pytest.raises(ValueError, match=r"docs/a\.md"):
        navigation.read(tmp_path)
