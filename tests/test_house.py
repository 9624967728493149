"""The house as a whole: names, docstrings, and how many modules and floors a reader must hold."""

import ast
import importlib.util
import inspect
import re
import tomllib
from collections import defaultdict
from functools import cache
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("structure", ROOT / "tools" / "structure.py")
structure = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(structure)

PACKAGES = ("std", "recogniser", "indexer", "searcher", "scoring", "service", "spoken_terms")
PUBLIC = ("std", "recogniser", "indexer", "searcher", "scoring", "scoring.discovery", "service")
READERS = "indexer.formats.readers."  # modules of one shape: each has the tables of its format
# Modules beside the readers of formats, and floors: may only fall, but for a new feature (the query
# language: five in std, nine in searcher; sync with a folder, corrections and their floor, given
# names, transcripts: thirteen in indexer; edit lists, names written otherwise: one each; term
# discovery: one in std, 14 in searcher; phones heard as evidence: seven in searcher and a floor;
# related forms, hits inside other words: one each in searcher; corrections that searches count as
# certain: one from indexer to std; listening again: one in recogniser; a cluster: one there and a
# floor, one in searcher, where it compares examples; spellings of what was discovered: one in
# searcher; recordings that people add: four in service and a floor; corrections, alerts, counts,
# examples, roles, metrics: one each).
MODULES = {
    "std": 109,
    "recogniser": 21,
    "indexer": 92,
    "searcher": 120,
    "scoring": 61,
    "service": 42,
}
FLOORS = {"std": 10, "recogniser": 7, "indexer": 10, "searcher": 10, "scoring": 7, "service": 11}
LONGEST = 350  # lines of a module
ARRAY = re.compile(r"(Float|Int|UInt)\d+s|Bools|Counts|ndarray")


@cache
def trees(package):
    """The modules of a package by name, each as a syntax tree."""
    return [
        (name, ast.parse(path.read_text()))
        for name, path in structure.modules().items()
        if name.partition(".")[0] == package
    ]


def assigned(node):
    """The names and values of an assignment: ``A = 1``, ``A, B = 1, 2``, ``A, B = range(2)``."""
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        yield node.target.id, ast.unparse(node.value)
    for target in node.targets if isinstance(node, ast.Assign) else ():
        if isinstance(target, ast.Name):
            yield target.id, ast.unparse(node.value)
        elif isinstance(target, ast.Tuple):
            for i, name in enumerate(target.elts):
                values = getattr(node.value, "elts", None)
                value = ast.unparse(values[i] if values else node.value)
                yield name.id, value if values else f"{value}[{i}]"


def test_no_two_public_classes_share_a_name():
    places = defaultdict(list)
    for package in PACKAGES:
        for name, tree in trees(package):
            for node in tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(name)
    assert len(places) > 300
    shared = {name: modules for name, modules in places.items() if len(modules) > 1}
    assert not shared


@pytest.mark.parametrize("package", MODULES)
def test_no_two_constants_of_a_package_share_a_name_with_different_values(package):
    values = defaultdict(set)
    for module, tree in trees(package):
        if not module.startswith(READERS):
            for name, value in chain.from_iterable(map(assigned, tree.body)):
                if name.isupper() and not name.startswith("_"):
                    values[name].add(value)
    assert len(values) > 3
    assert not {name: found for name, found in values.items() if len(found) > 1}


def test_types_of_arrays_are_named_in_one_module():
    named = re.compile(r"(Float|Int|UInt)\d+s|Bools|Indices|Integers")
    modules = {
        module
        for package in PACKAGES
        for module, tree in trees(package)
        for name, _ in chain.from_iterable(map(assigned, tree.body))
        if named.fullmatch(name)
    }
    assert modules == {"std.values"}


def public_functions():
    for package in PUBLIC:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield pytest.param(value, id=f"{package}.{name}")


def described(function):
    """The text of each parameter under ``Args:``; several may share a line."""
    _, _, text = (inspect.getdoc(function) or "").partition("Args:\n")
    found, names = {}, []
    for line in text.splitlines():
        if line and not line.startswith(" "):
            break  # Returns:, Raises:, an example
        if head := re.match(r"    ([a-z_0-9]+(?:, [a-z_0-9]+)*): ", line):
            names = head[1].split(", ")
        for name in names:
            found[name] = f"{found.get(name, '')} {line.strip()}"
    return found


@pytest.mark.parametrize("function", [*public_functions()])
def test_every_public_function_describes_each_parameter(function):
    texts = described(function)
    for name, parameter in inspect.signature(function).parameters.items():
        assert name in texts, f"{name} is not described"
        if ARRAY.search(str(parameter.annotation)):
            assert "(" in texts[name], f"{name}: expected the shape of the array, as (n,)"


def test_every_public_class_and_its_methods_have_a_docstring():
    without = []
    for package in PUBLIC:
        module = importlib.import_module(package)
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                own = vars(value).items()
                functions = [one for one, of in own if inspect.isfunction(of) and one[0] != "_"]
                if not value.__doc__ or value.__doc__.startswith(f"{name}("):
                    without.append(f"{package}.{name}")
                without += [
                    f"{package}.{name}.{one}"
                    for one in functions
                    if not inspect.getdoc(getattr(value, one))
                ]
    assert not without


def rooms(package):
    """What each room of a package, a module or a folder, imports of the other rooms."""
    known = structure.modules()
    needs = defaultdict(set)
    for name, path in known.items():
        if not name.startswith(f"{package}."):
            continue
        room = name.split(".")[1]
        needs[room] |= set()
        for imported, _ in structure.imports(path, known):
            if imported.startswith(f"{package}.") and imported.split(".")[1] != room:
                needs[room].add(imported.split(".")[1])
    return needs


def floors(needs):
    """How many rooms stand on each other."""
    height = {}

    def of(room):
        if room not in height:
            height[room] = 1  # the only way of a circle, which another test refuses
            height[room] = 1 + max(map(of, needs[room]), default=0)
        return height[room]

    return max(map(of, needs))


def test_floors_are_counted():
    assert floors({"a": {"b"}, "b": {"c"}, "c": set(), "d": {"c"}}) == 3


@pytest.mark.parametrize("package", MODULES)
def test_a_package_gets_no_more_modules_and_floors(package):
    names = [name for name in structure.modules() if name.partition(".")[0] == package]
    assert len([name for name in names if not name.startswith(READERS)]) <= MODULES[package]
    assert floors(rooms(package)) <= FLOORS[package]


def test_few_kinds_of_value_are_tables_of_places():
    """A place passes from one to the next: each further kind is one more to know."""
    tables = {
        f"{name}.{node.name}"
        for name, tree in trees("searcher")
        for node in tree.body
        if isinstance(node, ast.ClassDef)
        and {"recording", "start_ms", "end_ms"}
        <= {ast.unparse(one.target) for one in node.body if isinstance(one, ast.AnnAssign)}
        and "recording: Int64s" in ast.unparse(node)
    }
    assert tables == {
        "searcher.lexical.join.PhraseSpans",
        "searcher.phonetic.layout.PhoneticHits",
        "searcher.queries.units.Units",
        "searcher.results.candidates.Candidates",
        "searcher.results.candidates.Spans",
        "searcher.tuning.labels.Places",
        "searcher.tuning.labels.TuningTranscript",
    }


@pytest.mark.parametrize("package", MODULES)
def test_modules_are_short(package):
    """But for kernels: numba compiles a function with what it calls in one module."""
    lengths = {
        name: len(path.read_text().splitlines())
        for name, path in structure.modules().items()
        if name.partition(".")[0] == package and not name.endswith("_kernels")
    }
    assert not {name: lines for name, lines in lengths.items() if lines > LONGEST}


def test_a_module_runs_as_a_program_once_all_of_it_is_there():
    for package in PACKAGES:
        for name, tree in trees(package):
            conditions = {
                i: node.test for i, node in enumerate(tree.body) if isinstance(node, ast.If)
            }
            runs = [i for i, test in conditions.items() if "__main__" in ast.unparse(test)]
            assert runs in ([], [len(tree.body) - 1]), name


def test_no_group_is_repeated_possessively():
    """Python before 3.11.5 continues in the wrong place (python/cpython issue 106052)."""
    wrong = re.compile(r"[^\\(]\)[*+?]\+")
    assert wrong.search("(?:ab)*+")
    paths = structure.modules().values()
    assert not [path for path in paths if wrong.search(path.read_text())]


def test_lines_are_not_counted_where_kernels_are():
    """What counts lines changes the code of functions, and numba cannot compile that."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["slipcover"]
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            if "from std.execution.compiled import" in path.read_text():
                assert any(path.match(pattern) for pattern in settings["omit"]), path


def test_term_detection_and_term_discovery_use_nothing_of_each_other():
    known = structure.modules()
    for name, path in known.items():
        if name.startswith("scoring."):
            for imported, _ in structure.imports(path, known):
                if imported.startswith("scoring."):
                    ends = [one.startswith("scoring.discovery") for one in (name, imported)]
                    assert ends[0] == ends[1], f"{name} imports {imported}"
