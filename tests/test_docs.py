"""What the documents say is there, is there."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

from indexer.formats.registry import FORMATS
from scoring.measures import MEASURES
from spoken_terms.start import ALIASES
from tools.site.blocks import blocks

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("docs/*/*.md"),
        *ROOT.glob("examples/*/*.md"),
    ]
)
SCRIPTS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
    missing = [
        link for link in links if "://" not in link and not (page.parent / link).resolve().exists()
    ]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_into_a_page_lead_to_a_heading(page):
    links = re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", page.read_text())
    missing = [
        (target, anchor)
        for target, anchor in links
        if anchor not in anchors(page.parent / target if target else page)
    ]
    assert not missing


def anchors(page):
    """The names that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_modules_and_files_named_in_the_documents_exist(page):
    text = page.read_text()
    named = re.findall(
        r"`((?:std|recogniser|indexer|searcher|scoring|service)(?:\.[a-z_0-9]+)+)", text
    )
    assert not [name for name in named if not resolves(name)]
    paths = re.findall(r"`((?:docs|configs|examples|benchmarks|tests|tools)/[\w./-]+)`", text)
    assert not [path for path in paths if not (ROOT / path).exists()]


def resolves(name):
    """A module, or something in one (a trailing part may be an attribute of an attribute)."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        path = ROOT.joinpath(*parts[:n])
        if path.is_dir() or path.with_suffix(".py").exists():
            if n == len(parts):
                return True
            found = importlib.import_module(".".join(parts[:n]))
            return hasattr(found, parts[n])
    return False


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_command_is_documented_and_shows_an_example(script, capsys):
    module, main = SCRIPTS[script].split(":")
    with pytest.raises(SystemExit) as end:
        getattr(importlib.import_module(module), main)(["--help"])
    assert end.value.code == 0
    script = ALIASES.get(script, [script])[0]
    assert f"  {script} " in capsys.readouterr().out.split("\nexample")[1]
    assert any(script in page.read_text() for page in PAGES)


def test_formats_are_counted_and_listed():
    rows = re.findall(r"^\| \[[^|]+\| `([a-z-]+)` \|", (ROOT / "docs/formats.md").read_text(), re.M)
    assert sorted(rows) == sorted(FORMATS)
    assert f"**Reads {len(FORMATS)} formats**" in (ROOT / "README.md").read_text()


def test_every_measure_has_its_row():
    page = (ROOT / "docs" / "scoring.md").read_text()
    table = page.partition("\n## Measures\n")[2].partition("\n## ")[0]
    described = {name for row in table.splitlines() for name in re.findall("`(.+?)`", row[:60])}
    assert MEASURES.keys() <= described


def test_the_twenty_examples_of_python_run(tmp_path, monkeypatch, capsys):
    text = (ROOT / "docs/reference/python.md").read_text()
    (code,) = (b.code for b in blocks(text) if b.language == "python")
    assert [*map(int, re.findall(r"^# (\d+)\. ", code, re.M))] == [*range(1, 21)]
    monkeypatch.chdir(ROOT)
    names = {}
    exec(code.replace('"python-', f'"{tmp_path}/python-'), names)
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "15 recordings, 290 utterances"
    assert out[1].startswith("KERSTIN_00 5.09 ")
    assert out[2:4] == ["Federn", "1.0"]
    assert out[5] == "the index is closed: open it again with open_index"
    assert names["listed"].frame_columns()["decision"].count("YES") > 300
    assert names["scores"].groups[0].measures["ATWV"] > 0.8


def test_the_python_of_the_readme_runs(tmp_path, monkeypatch, capsys):
    (block,) = (b for b in blocks((ROOT / "README.md").read_text()) if b.language == "python")
    monkeypatch.chdir(ROOT)
    exec(block.code.replace("demo/index", str(tmp_path / "index")), {})
    assert capsys.readouterr().out.startswith("KERSTIN_00 22.025")
