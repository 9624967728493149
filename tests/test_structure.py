"""The diagram of docs/architecture.md is that of the code, and no two folders need each other."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("structure", ROOT / "tools" / "structure.py")
structure = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(structure)


def test_the_diagram_is_that_of_the_code():
    page = structure.PAGE.read_text()
    drawn = structure.diagram()
    assert structure.with_diagram(page, drawn) == page, "run python tools/structure.py --write"


def test_every_folder_is_in_the_diagram():
    drawn = {line.strip() for line in structure.diagram().splitlines()}
    folders = {structure.folder_of(path) for path in structure.modules().values()}
    assert folders <= drawn
    assert len(folders) > 10


def test_a_value_that_a_folder_does_not_know_is_an_error(monkeypatch):
    monkeypatch.setattr(structure, "FLOW", (("scoring", "ConfusionNetwork", "std"),))
    with pytest.raises(ValueError, match="ConfusionNetwork is not known to scoring"):
        structure.diagram()


def test_no_two_neighbours_need_each_other():
    assert not structure.circles()


def test_a_circle_is_found(monkeypatch, tmp_path):
    for name, text in {
        "std/__init__.py": "",
        "std/a.py": "from std.b import c",
        "std/b/__init__.py": "",
        "std/b/c.py": "from std import d",
        "std/d.py": "from std import a",
        "std/e.py": "from std import a",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(structure, "ROOT", tmp_path)
    pairs = [("std.a", "std.b"), ("std.a", "std.d"), ("std.b", "std.d")]
    assert structure.circles() == pairs
