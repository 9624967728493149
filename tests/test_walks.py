"""The walks of docs/walks.md are the calls that are made, in that order, each below its caller."""

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

import searcher.phonetic.search
from indexer import index_files
from scoring import score_files, write_report
from searcher import open_index
from searcher.commands.search import main as std_search
from tests.heard_sound import learned

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "walks.md"
WALK = re.compile(r"^```text (\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
MOST_CALLS, MOST_FOLDERS = 25, 10  # of a term by sound


class Call(NamedTuple):
    """A function, and what called it."""

    module: str
    function: str
    callers: tuple[str, ...]  # outermost first, as ``module.function``

    @property
    def name(self) -> str:
        """As in the page."""
        return f"{self.module}.{self.function}"


def walk(name: str) -> list[Call]:
    """The calls of one walk, each with those above it that are indented less."""
    walks = dict(WALK.findall(PAGE.read_text()))
    calls: list[Call] = []
    open_calls: list[tuple[int, str]] = []
    for line in walks[name].splitlines():
        function, module = line.split()
        indent = len(line) - len(line.lstrip())
        open_calls = [one for one in open_calls if one[0] < indent]
        calls.append(Call(module, function, tuple(caller for _, caller in open_calls)))
        open_calls.append((indent, calls[-1].name))
    return calls


@contextmanager
def recorded() -> Iterator[list[Call]]:
    """What the packages' functions call within."""
    calls: list[Call] = []
    stack: list[tuple[object, str]] = []

    def profile(frame, event, argument):
        module = frame.f_globals.get("__name__", "")
        if event == "call" and module.partition(".")[0] in (
            "std",
            "indexer",
            "searcher",
            "scoring",
        ):
            function = frame.f_code.co_qualname
            calls.append(Call(module, function, tuple(name for _, name in stack)))
            stack.append((frame, f"{module}.{function}"))
        elif event == "return" and stack and stack[-1][0] is frame:
            stack.pop()

    sys.setprofile(profile)
    try:
        yield calls
    finally:
        sys.setprofile(None)


def require_walk(name: str, calls: list[Call]) -> None:
    """Every call of the walk was made, first after the one before it, below its callers."""
    remaining = iter(calls)
    for expected in walk(name):
        for call in remaining:
            if call.name == expected.name and is_within(expected.callers, call.callers):
                break
        else:
            pytest.fail(f"{expected.name} is not called where the page says")


def is_within(some: tuple[str, ...], callers: tuple[str, ...]) -> bool:
    """Whether some callers are among all of them, in their order."""
    remaining = iter(callers)
    return all(caller in remaining for caller in some)


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    """All of the example, and how it was indexed."""
    folder = tmp_path_factory.mktemp("walks") / "index"
    with recorded() as calls:
        index_files(sorted((german / "mesh").glob("*.mesh")), folder)
    return folder, calls


def test_a_posting_is_walked_as_the_page_says(store):
    require_walk("posting", store[1])


def test_a_term_by_sound_is_walked_as_the_page_says(store, monkeypatch):
    monkeypatch.setattr(searcher.phonetic.search, "cores", lambda: 1)  # all in this thread
    monkeypatch.setattr(searcher.phonetic.search, "FULL_SCAN_ARCS", 0)  # as in a large archive
    with open_index(store[0]) as index:
        index.search("burganlage")  # prepares the index
        with recorded() as calls:
            hits = index.search("hahnenfedern")
    assert hits
    require_walk("term", calls)


def test_a_term_by_sound_is_a_short_walk():
    calls = walk("term")
    folders = {call.module.rpartition(".")[0] or call.module for call in calls}
    assert len(calls) <= MOST_CALLS
    assert len(folders) <= MOST_FOLDERS


@pytest.mark.slow
def test_a_term_in_the_sound_is_walked_as_the_page_says(made_once, monkeypatch):
    monkeypatch.setattr(searcher.phonetic.search, "cores", lambda: 1)
    with open_index(made_once("learned", learned) / "5") as index:
        index.search("historisches")  # prepares the index
        with recorded() as calls:
            assert index.search("historisches")
    require_walk("sound", calls)


@pytest.mark.slow
def test_a_hit_is_walked_as_the_page_says(store, german, tmp_path):
    given = {kind: german / file for kind, file in (("ecf", "ecf.xml"), ("terms", "terms.xml"))}
    argv = ["--store", store[0], "--output", tmp_path / "hits.xml", "--quiet"]
    for kind, path in given.items():
        argv += [f"--{kind}", path]
    assert std_search(list(map(str, argv))) == 0
    with recorded() as calls:
        evaluation = score_files(
            tmp_path / "hits.xml",
            ecf_path=given["ecf"],
            rttm_path=german / "ref.rttm",
            terms_path=given["terms"],
        )
        write_report({"hits": evaluation}, tmp_path / "report")
    require_walk("hit", calls)


def test_a_walk_that_is_not_made_is_noticed():
    made = [Call("m", "a", ()), Call("m", "b", ("m.a",)), Call("m", "c", ("m.a", "m.b"))]
    assert is_within(("m.a",), made[2].callers)
    assert not is_within(("m.b", "m.a"), made[2].callers)
    with pytest.raises(pytest.fail.Exception, match=r"index_files is not called"):
        require_walk("posting", made)
