"""`import spoken_terms as st`: mistakes in calls are Python's own exceptions, in one line."""

import subprocess
import sys
from pathlib import Path

import pytest

import spoken_terms as st
from scoring import ScoringOptions
from searcher import ExampleTerm, open_index
from searcher.results.hits import Hits
from std.recordings import Recordings
from std.values import Term, TermList

LIST = TermList((Term("one", "a"),))

ROOT = Path(__file__).parents[2]
LIBRARIES = ("pandas", "polars")


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    store = tmp_path_factory.mktemp("index") / "index"
    st.index([german / "mesh" / f"KERSTIN_0{i}.mesh" for i in range(2)], store, language="de")
    return store


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (
            lambda i: i.search(["haus", "baum"]),
            TypeError,
            "expected terms as texts, index.",
        ),
        (lambda i: i.search("haus", 3), TypeError, "expected terms as texts"),
        (
            lambda i: i.search_terms(["haus"]),
            TypeError,
            "expected terms as std.Term",
        ),
        (
            lambda i: i.search("haus", recordings="K*"),
            TypeError,
            "recordings: expected a list",
        ),
        (lambda i: i.recordings(recordings="K*"), TypeError, "recordings: expected a list"),
        (lambda i: i.decide(5), TypeError, "parts: expected a list of what index.find_terms"),
        (lambda i: i.decide([5]), TypeError, "parts: expected a list of what index.find_terms"),
        (lambda i: open_index(b"x"), TypeError, "store: expected a folder, or couchdb://"),
        (lambda i: i.search("haus", where="x=1"), st.StdError, ""),
        (
            lambda i: st.search("haus", i, model="m.json"),
            TypeError,
            "expected model where the",
        ),
        (lambda i: st.search("haus", i, ecf="e.xml"), TypeError, "ecf and output are of a list"),
        (
            lambda i: st.search(Path("none.xml"), i),
            FileNotFoundError,
            "terms: expected a list",
        ),
    ],
)
def test_mistakes_in_a_call(store, call, kind, message):
    with open_index(store) as index, pytest.raises(kind) as caught:
        call(index)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_closed_index(store):
    with st.open(store) as index:
        assert not index.is_closed
    for call in (lambda: index.search("haus"), index.recordings, lambda: index.words("KERSTIN_00")):
        with pytest.raises(ValueError, match="the index is closed"):
            call()
    assert repr(index) == f"<Index {store}, closed>"
    with st.open(store) as again:
        assert repr(again).startswith(f"<Index {store}: 2 recordings, ")


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda store: st.open(store, model="none.json"), "model: expected a model of std-tune"),
        (lambda store: st.open(store, config="none.toml"), "config: expected a configuration"),
        (lambda store: st.open("none"), "store: expected a folder"),
        (lambda store: st.score("none", terms="t", reference="r"), "hits: expected a file"),
        (
            lambda store: st.score_discovery("none", phones="p", words="w"),
            "classes: expected a file",
        ),
        (lambda store: st.recognise("a", "b", model="/none"), "model: expected a name or a folder"),
    ],
)
def test_what_is_not_there(store, call, what):
    with pytest.raises(FileNotFoundError) as caught:
        call(store)
    assert str(caught.value).startswith(what)
    assert "got nothing at '" in str(caught.value)


def test_columns_of_results(store, german, monkeypatch):
    hits = st.search(["spreewald", "haus"], store)
    columns = hits.frame_columns()
    assert columns["term"][0] in ("spreewald", "haus")
    assert {len(column) for column in columns.values()} == {len(hits)}
    assert isinstance(hits, Hits)
    assert repr(hits).startswith(f"<{len(hits)} hit")
    with st.open(store) as index:
        recordings = index.recordings()
    assert repr(recordings) == "<2 recordings: KERSTIN_00, KERSTIN_01>"
    assert recordings.frame_columns()["recording"] == ["KERSTIN_00", "KERSTIN_01"]
    for library in LIBRARIES:
        monkeypatch.setitem(sys.modules, library, None)
        with pytest.raises(ModuleNotFoundError, match=f"expected the package {library}"):
            getattr(hits, f"to_{library}")()


@pytest.mark.parametrize("library", LIBRARIES)
def test_results_become_data_frames(store, library):
    pytest.importorskip(library, reason=f"needs {library}, which no extra brings")
    with st.open(store) as index:
        found = index.search("spreewald", "haus"), index.recordings()
    for rows in found:
        frame = getattr(rows, f"to_{library}")()
        columns = rows.frame_columns()
        assert list(frame.columns) == list(columns)
        for name in ("channel", *list(columns)[:2]):
            assert list(frame[name]) == list(columns[name])


def test_a_list_is_searched_and_scored(store, german, tmp_path):
    terms, ecf = german / "terms.xml", german / "ecf.xml"
    hits = st.search(terms, store, ecf=ecf, output=tmp_path / "hits.xml")
    assert {hit.decision for hit in hits} == {"YES", "NO"}
    scores = st.score(tmp_path / "hits.xml", terms=terms, ecf=ecf, reference=german / "ref.rttm")
    assert repr(scores).startswith("<Evaluation of std: 265 terms, ATWV ")
    assert scores.frame_columns()["group"] == ["all"]


def test_nothing_is_loaded_before_it_is_asked_for():
    code = (
        "import sys, spoken_terms as st; assert 'numpy' not in sys.modules; st.open; "
        "assert 'numba' not in sys.modules; print(sorted(st.__all__)[-1])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "search\n"


def test_a_folder_of_our_name_is_told_in_one_line(tmp_path):
    (tmp_path / "std").mkdir()
    (tmp_path / "std" / "__init__.py").write_text("")
    (tmp_path / "script.py").write_text("import spoken_terms as st\nst.open('x')\n")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "script.py")],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )
    last = done.stderr.splitlines()[-1]
    assert last.startswith("ImportError: expected the package 'std' in")
    assert str(tmp_path / "std") in last


def test_frames_have_their_columns_without_rows_too(store):
    with st.open(store) as index:
        for some, none in (
            (index.search("die"), index.search("zzz")),
            (index.recordings(), Recordings()),
        ):
            columns = some.frame_columns()
            assert all(columns.values())
            assert none.frame_columns() == {name: [] for name in columns}


def test_an_unknown_name():
    with pytest.raises(AttributeError, match="'spoken_terms' has no attribute 'find'"):
        st.find  # noqa: B018  # that it raises is the point
    assert {"open", "search"} <= {*dir(st)}


def test_a_large_answer_hit_by_hit_is_the_same(store, monkeypatch):
    monkeypatch.setattr("searcher.open_snapshot.HITS_AT_ONCE", 3)
    with st.open(store) as index:
        found = index.find("d*", min_probability=0)
        hits = index.hits(found)
        assert len(hits) > 6
        assert [*index.each_hit(found)] == [*hits]


@pytest.mark.parametrize(
    ("call", "error", "told"),
    [
        (lambda i: i.search("a", min_probability="high"), TypeError, "expected a number, got 'hi"),
        (lambda i: i.search("a", min_probability=2), ValueError, "expected 0 to 1, got 2"),
        (lambda i: i.find_forms("a", min_probability=2), ValueError, "expected 0 to 1, got 2"),
        (lambda i: i.find_units("a", min_probability=2), ValueError, "expected 0 to 1, got 2"),
        (lambda i: i.find_units("a", "turns"), ValueError, "expected recording or turn, got 't"),
        (lambda i: st.search(LIST, i, min_probability=2), ValueError, "expected 0 to 1, got 2"),
        (lambda i: i.search_terms([*LIST.terms] * 2), ValueError, "every term id once, got 'one'"),
        (lambda i: i.hits("a"), TypeError, "expected the result of a search, .* got 'a'"),
        (lambda i: [*i.each_hit(["a"])], TypeError, "expected the result of a search, .* got"),
        (lambda i: i.search("a", min_probability=None), TypeError, "expected a number, got"),
        (lambda i: st.index(3, "memory:"), TypeError, "a folder or a list of them, got 3"),
        (lambda i: st.index("", "memory:"), ValueError, "a folder or a list of them, got ''"),
        (lambda i: st.index([], "memory:", jobs=0), ValueError, "jobs: expected a whole number"),
        (lambda i: st.index([], "memory:", name_by="x"), ValueError, "name_by: expected content"),
        (lambda i: st.index([], "memory:", language=5), TypeError, "language: expected the name"),
        (lambda i: st.recognise("", "out"), ValueError, "a folder or a list of them, got ''"),
        (lambda i: st.recognise([], "out"), ValueError, "at least one file or folder, got none"),
        (lambda i: st.search(5, i), TypeError, "terms: expected a term, a list of terms, .* got 5"),
        (lambda i: i.query(None), TypeError, "term: expected a term as a text, got None"),
        (lambda i: i.words(5), TypeError, "recording: expected a recording, or the name"),
        (lambda i: i.words("KERSTIN_00", "a"), TypeError, "from_s: expected seconds, got 'a'"),
        (lambda i: i.recordings(recordings=5), TypeError, "a list of patterns, got 5"),
        (lambda i: i.recordings(recordings=[5]), TypeError, "patterns as texts, got 5"),
        (lambda i: i.search("a", where=5), TypeError, "where: expected conditions as a text"),
        (lambda i: i.find_units("a", where=["b"]), TypeError, "where: expected conditions as"),
        (lambda i: i.search_terms(None), TypeError, "terms: expected a list of terms, .* got None"),
        (lambda i: i.search_terms(LIST, "ecf.xml"), TypeError, "ecf: expected an ECF .* got 'ecf"),
        (lambda i: i.search_queries("q"), TypeError, "spoken: expected spoken queries"),
        (lambda i: i.remarks("a"), TypeError, "expected the result of a search, .* got 'a'"),
        (lambda i: i.discover(by="ear"), ValueError, "by: expected sound or phones, got 'ear'"),
        (lambda i: i.discover(least_s=float("nan")), ValueError, "least_s: expected a number from"),
        (lambda i: i.find_examples("a@1-2"), TypeError, r"expected ExampleTerm.* got 'a'"),
        (lambda i: i.find_examples([ExampleTerm(LIST.terms[0], ())]), TypeError, "ExampleTerm"),
        (lambda i: st.score(5, terms="t", reference="r"), TypeError, "hits: expected the path"),
        (lambda i: ScoringOptions(tolerance_s=-1), ValueError, "tolerance_s: expected a number fr"),
        (lambda i: ScoringOptions(scores="odds"), ValueError, "scores: expected probability or l"),
    ],
)
def test_what_is_no_number_and_no_file_is_named(store, call, error, told):
    with st.open(store) as index, pytest.raises(error, match=told):
        call(index)


def test_the_old_name_of_a_function_warns(tmp_path):
    assert "discover" not in st.__all__
    with (
        pytest.warns(DeprecationWarning, match=r"st\.discover is now st\.score_discovery"),
        pytest.raises(FileNotFoundError, match="classes: expected a file"),
    ):
        st.discover("none", phones="p", words="w")
