"""An archive several times under other names gives, for each name, exactly what it gives once."""

import json
import shutil
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import searcher.phonetic.search
from indexer import delete_recordings, index_files, merge_segments
from indexer.segments.invert import invert
from searcher import open_fused, open_index
from searcher.calibration.model import default_model
from searcher.commands.search import main as std_search
from searcher.found_terms import prepare
from searcher.index.copies import LEAST_TIMES
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from std.config import Config
from std.execution.processes import executor
from std.nist import term_file
from std.nist.ecf import inside_one, speech_s
from std.spoken_queries import SpokenQueries, SpokenQuery, WeightedWords
from std.store.resident import ResidentSegment
from std.values import ECF, Excerpt, Recording, Term
from tests.conftest import build_network

pytestmark = pytest.mark.slow

FILES = ("KERSTIN_00", "KERSTIN_05", "KERSTIN_12")
COPIES = 4
SINGLE = ["landkreis", "dem spreewald", "hahnenfedern", "burganlage", "im bran*", "zeitgeist"]
MINUTES = tuple(Excerpt(Recording(file, 1), 0.0, 110.0) for file in FILES)


def name_of(file, copy):
    return f"{file}~{copy}" if copy else file


@pytest.fixture(scope="module")
def meshes(german, tmp_path_factory):
    """The files of each copy, in a folder of their own."""
    folder = tmp_path_factory.mktemp("meshes")
    for copy in range(COPIES):
        (folder / str(copy)).mkdir()
        for file in FILES:
            mesh = german / "mesh" / f"{file}.mesh"
            shutil.copy(mesh, folder / str(copy) / f"{name_of(file, copy)}.mesh")
    return folder


@pytest.fixture(scope="module")
def terms(german):
    path = german / "terms.xml"
    with path.open("rb") as stream:
        every = term_file.parse(stream, path)
    return replace(every, terms=every.terms[::4])


def indexed(folder, meshes, copies, **how):
    for copy in copies:
        index_files([meshes / str(copy)], folder, language="German", **how)
    return folder


@pytest.fixture(scope="module")
def once(meshes, tmp_path_factory):
    return indexed(tmp_path_factory.mktemp("once") / "index", meshes, [0])


@pytest.fixture(scope="module")
def together(meshes, tmp_path_factory):
    """All copies, merged into one segment."""
    folder = indexed(tmp_path_factory.mktemp("together") / "index", meshes, range(COPIES))
    merge_segments(folder)
    return folder


@pytest.fixture(scope="module")
def apart(meshes, tmp_path_factory):
    """Each copy in another segment, the last ones first."""
    return indexed(tmp_path_factory.mktemp("apart") / "index", meshes, range(COPIES)[::-1])


def rows(result, copy=0):
    """The detections in one copy, under the names of the first one, all numbers as they are."""
    found = result.candidates
    names = {name_of(file, copy): file for file in FILES}
    return [
        (term, names[result.recordings[recording].file], start, end, score, probability)
        for term, recording, start, end, score, probability in zip(
            found.term.tolist(),
            found.recording.tolist(),
            found.start_ms.tolist(),
            found.end_ms.tolist(),
            result.decision_score.tolist(),
            result.probability.tolist(),
            strict=True,
        )
        if result.recordings[recording].file in names
    ]


def require_same(several, single, copies=range(COPIES)):
    assert rows(single)
    for copy in copies:
        assert rows(several, copy) == rows(single)
    assert len(several.candidates.term) == len(copies) * len(single.candidates.term)
    assert several.n_true == pytest.approx(len(copies) * single.n_true)
    assert several.occurs.tolist() == single.occurs.tolist()
    assert several.searched_copies == (len(copies) - 1) * len(FILES)


def ecf_of(excerpts, copies=range(COPIES)):
    return ECF(
        tuple(
            replace(one, recording=Recording(name_of(one.recording.file, copy), 1))
            for copy in copies
            for one in excerpts
        )
    )


@pytest.mark.parametrize("index", ["together", "apart"])
@pytest.mark.parametrize("with_ecf", [False, True])
def test_a_list_has_for_each_copy_the_answers_of_one(request, once, terms, index, with_ecf):
    ecfs = (ecf_of(MINUTES), ecf_of(MINUTES, [0])) if with_ecf else (None, None)
    with open_index(request.getfixturevalue(index)) as several, open_index(once) as single:
        require_same(several.search_terms(terms, ecfs[0]), single.search_terms(terms, ecfs[1]))


def test_single_terms_have_for_each_copy_the_answers_of_one(once, together):
    with open_index(together) as several, open_index(once) as single:
        require_same(several.find(*SINGLE), single.find(*SINGLE))
        one, other = several.find("im bran*"), single.find("im bran*")
        require_same(one, other)
        assert one.wildcards == other.wildcards


def test_a_model_gives_each_copy_the_answers_of_one(once, apart, terms):
    model = replace(default_model(), pronouncer="espeak-ng:de")
    with open_index(apart, model=model) as several, open_index(once, model=model) as single:
        assert several.has_model
        require_same(several.search_terms(terms), single.search_terms(terms))


def test_spoken_queries_have_for_each_copy_the_answers_of_one(once, apart):
    """How frequent words are, which weighs what a query may be, is counted without copies."""
    heard = (WeightedWords("landkreis", 0.5), WeightedWords("land greis", 0.3))
    spoken = SpokenQueries((SpokenQuery("q", ("q.1",), heard),))
    with open_index(apart) as several, open_index(once) as single:
        require_same(several.search_queries(spoken), single.search_queries(spoken))


def test_a_large_archive_is_searched_around_seeds_once(once, apart, terms, monkeypatch):
    monkeypatch.setattr(searcher.phonetic.search, "FULL_SCAN_ARCS", 0)
    with open_index(apart) as several, open_index(once) as single:
        require_same(several.search_terms(terms), single.search_terms(terms))


def test_processes_leave_copies_out(once, apart, terms):
    some = terms.terms[::6]
    with executor(2) as workers, open_index(apart) as several, open_index(once) as single:
        require_same(several.search_terms(some, workers=workers), single.search_terms(some))


def test_the_next_copy_is_searched_where_the_first_is_deleted(meshes, terms, tmp_path):
    index = indexed(tmp_path / "index", meshes, range(COPIES))
    delete_recordings(FILES, index)
    alone = indexed(tmp_path / "alone", meshes, [1])
    with open_index(index) as several, open_index(alone) as single:
        found, expected = several.search_terms(terms), single.search_terms(terms)
    assert rows(expected, 1)
    assert rows(found, 0) == []
    for copy in range(1, COPIES):
        assert rows(found, copy) == rows(expected, 1)


def test_fused_copies_have_the_answers_of_one(once, apart, meshes, terms, tmp_path):
    thin = {"config": tmp_path / "thin.toml"}
    thin["config"].write_text("[index]\nmax_alternatives = 2\n")
    second = indexed(tmp_path / "second", meshes, range(COPIES), **thin)
    second_once = indexed(tmp_path / "second once", meshes, [0], **thin)
    some = terms.terms[::3]
    with open_fused(apart, second) as several, open_fused(once, second_once) as single:
        require_same(several.search_terms(some), single.search_terms(some))
        found = several.search_terms(some, ecf_of(MINUTES))
        require_same(found, single.search_terms(some, ecf_of(MINUTES, [0])))
        hits = several.hits(several.find("landkreis"))
        assert {hit.file for hit in hits} >= {name_of("KERSTIN_00", 1), "KERSTIN_00"}
        assert {hit.context for hit in hits} == {
            hit.context for hit in single.hits(single.find("landkreis"))
        }


def test_a_copy_has_the_hits_of_its_own_excerpts(once, together, terms):
    """What is searched is the union of the excerpts of all copies."""
    halves = [
        [replace(one, start_s=begin_s, duration_s=60.0) for one in MINUTES]
        for begin_s in (0.0, 40.0)
    ]
    partial = ECF((*ecf_of(halves[0], [1]).excerpts, *ecf_of(halves[1], [3]).excerpts))
    union = ECF((*halves[0], *halves[1]))
    with open_index(together) as several, open_index(once) as single:
        found, expected = several.search_terms(terms, partial), single.search_terms(terms, union)
    everything = rows(expected)
    for copy in range(COPIES):
        own = {1: halves[0], 3: halves[1]}.get(copy, [])
        inside = inside_one(
            own,
            expected.recordings,
            expected.candidates.recording,
            expected.candidates.start_ms / 1000,
            expected.candidates.end_ms / 1000,
        )
        assert rows(found, copy) == [
            row for row, keep in zip(everything, inside.tolist(), strict=True) if keep
        ]
    assert found.outside_ecf == expected.outside_ecf
    assert found.searched_copies == len(FILES)


def test_recordings_asked_for_are_searched_by_their_own_names(once, together):
    with open_index(together) as several, open_index(once) as single:
        found = several.find(*SINGLE, recordings=["KERSTIN_00~2"])
        expected = single.find(*SINGLE, recordings=["KERSTIN_00"])
    assert rows(found, 2) == rows(expected)
    assert len(found.candidates.term) == len(rows(found, 2))
    assert found.searched_copies == 0


def test_hits_of_a_copy_show_its_own_recording(once, apart):
    with open_index(apart) as several, open_index(once) as single:
        hits = several.search("landkreis", "hahnenfedern")
        expected = {
            (hit.term, hit.file, hit.start_s): hit
            for hit in single.search("landkreis", "hahnenfedern")
        }
        assert len(hits) == COPIES * len(expected)
        for hit in hits:
            once_hit = expected[hit.term, hit.file.partition("~")[0], hit.start_s]
            assert (hit.context, hit.likeliest, hit.slots) == (
                once_hit.context, once_hit.likeliest, once_hit.slots,
            )  # fmt: skip
            words = several.words(hit.file, hit.start_s, hit.start_s + hit.duration_s)
            assert {word.word for word in words} <= set(f"{hit.likeliest} {hit.context}".split())


def test_std_search_says_what_it_searched_once(together, tmp_path, capsys):
    notice = "9 recordings hold the same speech as others: searched once, reported under each name"
    assert std_search(["--store", str(together), "landkreis", "--limit", "3"]) == 0
    shown = capsys.readouterr()
    assert notice in shown.err.splitlines()
    assert len(shown.out.splitlines()) == 3
    (tmp_path / "terms.txt").write_text("landkreis\n")
    batch = ["--terms", str(tmp_path / "terms.txt"), "--output", str(tmp_path / "hits.xml")]
    assert std_search(["--store", str(together), *batch, "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["copies"] == 9
    assert notice in printed.err.splitlines()


WORDS = st.sampled_from(["wald", "burg", "anlage", "burganlage", "see"])
SLOTS = st.lists(st.tuples(WORDS, st.integers(1, 100)), min_size=LEAST_TIMES, max_size=8)
QUERIES = [Term(text, text) for text in ("wald", "burg anlage", "burganlagen", "see wald", "fluss")]
PLACES = st.lists(st.tuples(st.integers(0, 8), st.integers(1, 8)), max_size=2)


def segments_of(speech, place_of):
    """Segments of recordings: what is said in each, and in which segment it is."""
    return [
        ResidentSegment(None, invert([networks[file] for file in sorted(networks)]))
        for place in sorted({*place_of.values()})
        for networks in [
            {
                file: build_network(*([(word, p / 100)] for word, p in slots), file=file)
                for file, slots in speech.items()
                if place_of[file] == place
            }
        ]
    ]


def places(result):
    """Each detection: term, file, times and numbers."""
    found = result.candidates
    columns = (found.term, found.start_ms, found.end_ms, result.decision_score, result.probability)
    files = [result.recordings[row].file for row in found.recording.tolist()]
    return [*zip(files, *(column.tolist() for column in columns), strict=True)]


def searched(segments, excerpts):
    index = prepare(segments, Config())
    seconds = 60.0 if excerpts is None else speech_s(index.copies.searched(excerpts))
    return places(search(QUERIES, index, SearchedSpeech(excerpts, seconds)))


@given(st.lists(SLOTS, min_size=1, max_size=3, unique_by=tuple), st.data())
def test_any_copies_have_the_answers_of_their_original(speeches, data):
    """The twin searches the originals alone, in the union of what is asked of their copies."""
    said = data.draw(st.lists(st.sampled_from(speeches), min_size=1, max_size=6))
    speech = {f"f{i}": slots for i, slots in enumerate(said)}
    original = {file: min(f for f in speech if speech[f] == speech[file]) for file in speech}
    place_of = {file: data.draw(st.integers(0, 2)) for file in speech}
    excerpts = data.draw(
        st.none()
        | st.fixed_dictionaries(dict.fromkeys(speech, PLACES)).map(
            lambda of_file: [
                Excerpt(Recording(file, 1), begin / 10, length / 10)
                for file, spans in of_file.items()
                for begin, length in spans
            ]
        )
    )
    union = excerpts and [
        replace(one, recording=Recording(original[one.recording.file], 1)) for one in excerpts
    ]
    originals = {file: speech[file] for file in {*original.values()}}
    alone = searched(segments_of(originals, dict.fromkeys(originals, 0)), union)
    expected = [
        (file, *numbers)
        for name, *numbers in alone
        for file in speech
        if original[file] == name
        and (excerpts is None or is_inside(file, numbers[1], numbers[2], excerpts))
    ]
    found = searched(segments_of(speech, place_of), excerpts)
    assert sorted(found) == sorted(expected)
    assert found == sorted(found, key=lambda row: (row[1], row[0], row[2]))


def is_inside(file, start_ms, end_ms, excerpts):
    return any(
        one.recording.file == file
        and one.start_s * 1000 <= start_ms
        and end_ms <= one.end_s * 1000 + 1e-6
        for one in excerpts
    )
