"""The table of docs/architecture.md is that of the code, no two folders need each other,
functions are short, and commands call public interfaces only.
"""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

import spoken_terms.start

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("structure", ROOT / "tools" / "structure.py")
structure = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(structure)


def test_the_table_of_folders_is_that_of_the_code():
    page = structure.PAGE.read_text()
    assert structure.with_table(page, structure.table()) == page, (
        "python tools/structure.py --write"
    )
    assert page.count(structure.HEAD) == 1


def test_every_folder_says_what_it_is_for():
    folders = {structure.folder_of(path) for path in structure.modules().values()}
    rows = dict(row.strip("| ").split(" | ") for row in structure.table().splitlines()[2:])
    assert {f"`{folder}`" for folder in folders} == rows.keys()
    assert all(len(sentence) > 20 for sentence in rows.values())


def maps():
    """Folders whose docstring lists their modules: what is there, and what is listed."""
    paths = structure.modules().values()
    for folder in sorted({path.parent for path in paths}):
        text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text())) or ""
        listed = {*re.findall(r"^    ([a-z_0-9]+)/? +[^ ]", text, re.M)}
        there = {path.stem for path in paths if path.parent == folder} - {"__init__"}
        there |= {path.parent.name for path in paths if path.parent.parent == folder}
        if there and len(listed & there) > len(there) / 2:
            yield pytest.param(folder, there, listed, id=structure.folder_of(folder / "x.py"))


@pytest.mark.parametrize(("folder", "there", "listed"), [*maps()])
def test_the_map_of_a_folder_has_its_modules_and_no_others(folder, there, listed):
    assert listed >= there
    assert all((folder / name).is_dir() for name in listed - there)


def test_values_that_the_architecture_names_are_there():
    named = {*re.findall(r"`([A-Z][a-z][A-Za-z]+)`", structure.PAGE.read_text())}
    texts = [path.read_text() for path in structure.modules().values()]
    there = {one for text in texts for one in re.findall(r"^(?:class )?([A-Z]\w+)\b", text, re.M)}
    assert len(named) > 40
    assert named <= there


def test_tests_that_docstrings_name_are_there():
    texts = [path.read_text() for path in structure.modules().values()]
    own = r"tests/(?:std|recogniser|indexer|searcher|scoring|service)/[\w/]+(?:\.py)?"
    named = {one for text in texts for one in re.findall(own, text)}
    assert len(named) > 2
    assert not [one for one in named if not (ROOT / one).exists()]


def test_there_are_maps():
    assert len([*maps()]) > 9


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


COMMANDS = sorted(spoken_terms.start.COMMANDS.values())
# Arguments and output of a command: they belong to it, so it may import them.
OWN_PARTS = (
    *("indexer.cli_actions", "indexer.store_actions"),
    *("indexer.output", "indexer.reading_arguments", "indexer.store_arguments"),
    *(
        "searcher.commands.arguments",
        "searcher.commands.batch",
        "searcher.commands.command_line",
        "searcher.commands.examples",
        "searcher.commands.search",
        "searcher.commands.hits",
        "searcher.commands.output_arguments",
        "searcher.output",
    ),
    *("scoring.options", "scoring.run"),
    "recogniser.arguments",
)
NOT_READ = (
    "indexer.output",
    "searcher.output",
    "scoring.options",
)
PARTS_OF_COMMANDS = [one for one in OWN_PARTS if one not in NOT_READ]
# What the public interfaces of the packages wrap.
BELOW_INTERFACES = ("std.store", "std.phonetics", "std.matching")


def names_of(source):
    """Full names of everything that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def below_interface(package, source):
    """Imports of a command's module that go around the public interface of its package, or of all.

    Args:
        package: the command's; spoken_terms stands above all.
    """
    interfaces = (
        [package] if package in PUBLIC else ["recogniser", "indexer", "searcher", "scoring"]
    )
    public = {
        f"{one}.{name}" for one in interfaces for name in importlib.import_module(one).__all__
    }
    for name in names_of(source):
        if within(name, ("recogniser", "indexer", "searcher", "scoring")):
            if name not in public and not within(name, OWN_PARTS):
                yield name
        elif within(name, BELOW_INTERFACES):
            yield name


def within(name, parents):
    return any(f"{name}.".startswith(f"{parent}.") for parent in parents)


@pytest.mark.parametrize("module", [*COMMANDS, *PARTS_OF_COMMANDS])
def test_commands_call_public_interfaces_only(module):
    source = (ROOT / f"{module.replace('.', '/')}.py").read_text()
    package = max((one for one in PUBLIC if within(module, [one])), key=len, default="service")
    assert not [*below_interface(package, source)]


@pytest.mark.parametrize(("line", "imported"), [
    ("from searcher.terms.query import query", "searcher.terms.query.query"),
    ("def f():\n    from searcher.tuning import learning", "searcher.tuning.learning"),
    ("from searcher.terms import vocabulary", "searcher.terms.vocabulary"),
    ("import searcher.search", "searcher.search"),
    ("from std.store import open_store", "std.store.open_store"),
    ("from searcher import tune, open_index\nfrom std.files import read", None),
    ("from searcher.output.table import print_table", None),
])  # fmt: skip
def test_an_import_below_the_interface_is_found(line, imported):
    assert [*below_interface("searcher", line)] == ([imported] if imported else [])


PUBLIC = ["std", "recogniser", "indexer", "searcher", "scoring", "scoring.discovery"]


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_can_be_imported(package):
    module = importlib.import_module(package)
    assert len(module.__all__) == len(set(module.__all__)) > 5
    assert all(getattr(module, name) is not None for name in module.__all__)
    assert set(module.__all__) <= set(dir(module))
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'nothing'"):
        _ = module.nothing


def test_functions_are_at_most_60_lines_long_and_compiled_kernels_120():
    too_long = []
    for path in structure.modules().values():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                names = {getattr(name, "id", "") for name in node.decorator_list}
                limit = 120 if names & {"compiled", "compiled_within"} else 60
                if node.end_lineno - node.lineno + 1 > limit:
                    too_long.append(f"{path}:{node.lineno} {node.name}")
    assert not too_long
