"""The scripts of examples/ run as they are, in an empty folder, and find what is there to find."""

import ast
import importlib
import json
import re
import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
SCRIPTS = {path.stem: path for path in sorted((ROOT / "examples").glob("*.py"))}
NOTEBOOKS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))
NEEDS = {"listen_to_hits": ("av", "audio"), "rest_client": ("fastapi", "serve")}  # module, extra
MAX_LINES = 40
PACKAGES = ("std", "recogniser", "indexer", "searcher", "scoring", "service")
EXPECTED = {  # what each script must print, among the rest: regular expressions
    "batch_to_csv": [
        r"\d+ hits of 5 terms -> demo/hits\.csv",
        r"spreewald,KERSTIN_00,5\.09,5\.79,0\.9\d\d,YES,oberspreewald lausitz nahe dem spreewald",
    ],
    "evaluate_and_compare": [
        r"default  ATWV 0\.(8[5-9]|9)\d*, 95 % 0\.8",
        r"plain    ATWV 0\.568",  # docs/benchmarks.md
        r"difference 0\.3\d\d, p = 0\.0010",  # the least of 1,000 permutations: 1/1001
    ],
    "fuse_two_recognisers": [
        r"hahnenfedern in KERSTIN_00 at 10\.4 s: 0\.[5-9]",
        r"demo/large_vocabulary: 0\.9\d\d, hahne\|nfedern as hahn federn",
        r"demo/small_vocabulary: 0\.\d+, ",
    ],
    "index_whisper_json": [  # times: ref.rttm
        r"kathleen\.json: 231 words, 348 postings in 348 slots",
        r"Whittemore +7\.2 s  0\.[4-9]\d  .+ heard in 'with more'",
        r"kathleen\.jsonl: 297 words, 440 postings in 361 slots",
        r"Philip Steels +2\.4 s  0\.[5-9]\d  exact, an alternative to 'phillips deals'",
    ],
    "listen_to_hits": [
        r"hahnenfedern KERSTIN_00 10\.4\.wav: 1\.9\d s",
        r"spreewald KERSTIN_00 5\.1\.wav: 1\.70 s",
    ],
    "rest_client": [
        r"spreewald in KERSTIN_00 at 5\.09 s: 0\.9",
        r"a clip of 64044 bytes of audio/wav",  # 2 s of 16,000 samples of 2 bytes, and 44
    ],
    "search_from_python": [
        r"15 recordings, 1479 s, 4579 words",
        r"hahnenfedern: 1 hit from probability 0\.5 up",
        r"KERSTIN_00 at 10\.4 s: hahne\|nfedern as hahn federn",
        r"hand 0\.68  handeln 0\.17",
    ],
    "spoken_query": [r"1\.000  dem spreewald", r"0\.9\d\d  KERSTIN_00 at 4\.9 s"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where all scripts run: they share their index, as in a folder of a user's."""
    return tmp_path_factory.mktemp("examples")


def test_each_script_has_its_expectation():
    assert set(SCRIPTS) == set(EXPECTED)


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_is_short(name):
    assert len(SCRIPTS[name].read_text().splitlines()) < MAX_LINES
    assert f"python examples/{name}.py" in SCRIPTS[name].read_text()


@pytest.mark.parametrize("name", SCRIPTS)
def test_it_runs_and_prints(name, folder, monkeypatch, capfd):
    if name in NEEDS:
        module, extra = NEEDS[name]
        pytest.importorskip(module, reason=f"needs the extra {extra!r} ({module})")
    monkeypatch.chdir(folder)
    runpy.run_path(str(SCRIPTS[name]), run_name="__main__")
    printed = capfd.readouterr().out
    assert [what for what in EXPECTED[name] if not re.search(what, printed)] == [], printed


@pytest.mark.parametrize("path", [*SCRIPTS.values(), *NOTEBOOKS], ids=lambda path: path.name)
def test_it_uses_the_public_interfaces_only(path):
    used = [name for name in names_of(code_of(path)) if name.partition(".")[0] in PACKAGES]
    assert used
    assert [name for name in used if not is_public(name)] == []


@pytest.mark.parametrize(
    ("line", "public"),
    [
        ("from scoring import compare_systems", True),
        ("from scoring.statistics.significance import compare_systems", False),
        ("from searcher import vocabulary", False),
        ("import searcher.search", False),
    ],
)
def test_a_private_name_is_found(line, public):
    assert all(is_public(name) for name in names_of(line)) == public


def code_of(path):
    """A script, or the code of a notebook."""
    if path.suffix == ".py":
        return path.read_text()
    cells = json.loads(path.read_text())["cells"]
    return "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")


def names_of(source):
    """Full names of everything that a source imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_public(name):
    package, _, attribute = name.partition(".")
    return attribute in importlib.import_module(package).__all__
