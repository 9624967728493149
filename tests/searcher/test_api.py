"""The Python interface against the commands, and what it refuses."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
from indexer import index_files
from searcher import Hit, open_fused, open_index, query_terms
from searcher.index.stores import _words, _words_in_memory
from searcher.tuning.confusion import missed
from searcher.tuning.labels import make_transcript
from std.errors import InputError, StdError
from std.files import read
from std.nist import ecf, rttm, std_list, term_list
from std.numbers import written
from std.spoken_queries import SpokenQueries, SpokenQuery, WeightedWords
from std.values import Recording, Term

FILES = ["KERSTIN_00", "KERSTIN_04"]


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "index"
    meshes = [str(german / "mesh" / f"{name}.mesh") for name in FILES]
    assert indexer.cli.main([*meshes, "--store", str(path), "--quiet"]) == 0
    return str(path)


@pytest.fixture(scope="module")
def index(store):
    with open_index(store) as opened:
        yield opened


@pytest.mark.parametrize("decide", [False, True])
@pytest.mark.parametrize("terms", [["landkreis", "im bran*"], ["hahnenfedern"], ["nie gesagt"]])
def test_search_gives_what_the_command_prints(index, store, capsys, terms, decide):
    hits = index.search(*terms, decide=decide)
    status = searcher.commands.search.main(
        ["--store", store, "--json", *["--decide"] * decide, *terms]
    )
    printed = json.loads(capsys.readouterr().out)
    assert status == (0 if hits else 1)
    documents = json.loads(json.dumps(written([hit.document() for hit in hits])))
    assert documents == printed


def test_a_batch_gives_the_commands_hit_list(index, store, german, tmp_path):
    terms, excerpts = (german / name for name in ("terms.xml", "ecf.xml"))
    output = tmp_path / "hits.xml"
    batch = ["--store", store, f"--terms={terms}", f"--ecf={excerpts}", f"--output={output}"]
    assert searcher.commands.search.main([*batch, "--quiet"]) == 0
    with terms.open("rb") as stream, excerpts.open("rb") as speech, output.open("rb") as written:
        result = index.search_terms(term_list.parse(stream, terms), ecf.parse(speech, excerpts))
        expected = std_list.parse(written, output).detections
    detections = result.detections()
    assert sorted(
        (detections.terms[term], detections.recordings[recording], round(start, 3), bool(yes))
        for term, recording, start, yes in zip(
            detections.term, detections.recording, detections.start_s, detections.yes, strict=True
        )
    ) == sorted(
        (expected.terms[term], expected.recordings[recording], round(start, 3), bool(yes))
        for term, recording, start, yes in zip(
            expected.term, expected.recording, expected.start_s, expected.yes, strict=True
        )
    )
    hits = index.hits(result)
    assert len(hits) == len(detections)
    assert {hit.decision for hit in hits} == {"YES", "NO"}
    assert isinstance(hits[0], Hit)


@pytest.mark.parametrize("term", ["Burganlagen", "robo*", "die polizei"])
def test_query_gives_what_the_command_prints(index, store, capsys, term):
    described = json.loads(json.dumps(written(index.query(term))))
    assert searcher.commands.search.main(["--explain-query", "--store", store, "--json", term]) == 0
    (printed,) = json.loads(capsys.readouterr().out)
    for document in (described, printed):
        for cost in ("seconds", "cpu_seconds", "compile_seconds", "split_seconds"):
            del document[cost]
    assert described == printed


def test_recordings_are_in_order(index):
    assert [indexed.recording.file for indexed in index.recordings()] == FILES


def test_words_are_the_one_best_in_time_order(index):
    words = index.words("KERSTIN_04", alternatives=True)
    starts = [word.start_s for word in words]
    assert len(words) > 100
    assert starts == sorted(starts)
    for word in words:
        assert 0 < word.posterior <= 1
        likeliest = [one.posterior for one in word.alternatives]
        assert likeliest == sorted(likeliest, reverse=True)
        assert all(posterior <= word.posterior for posterior in likeliest)
        total = word.posterior + sum(likeliest)
        assert total <= 1.001
    plain = index.words(Recording("KERSTIN_04", 1))
    listed = next(one for one in index.recordings() if one.recording.file == "KERSTIN_04")
    assert index.words(listed) == plain
    assert [word.word for word in plain] == [word.word for word in words]
    assert not any(word.alternatives for word in plain)
    some = index.words("KERSTIN_04", 10.0, 20.0)
    assert 0 < len(some) < len(words)
    first = [word.word for word in words].index(some[0].word)
    assert first >= 0
    assert all(9 < word.start_s < 21 for word in some)


def test_what_is_not_there_is_refused(index, tmp_path):
    with pytest.raises(InputError, match="expected a recording of the index, got 'nowhere"):
        index.words("nowhere")
    with pytest.raises(InputError, match="expected a word or a phrase"):
        index.search("...")
    with pytest.raises(ValueError, match="at least one store"):
        open_index()


def test_the_package_loads_no_numpy():
    code = "import sys, searcher, searcher.commands.search; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        searcher.nothing  # noqa: B018  # asked for, to be refused


def test_words_in_memory_are_those_of_the_slow_way(index):
    for segment in index.segments:
        for row in range(len(segment.recordings)):
            for from_s, to_s in ((0.0, float("inf")), (10.0, 20.0), (5.0, 5.0), (1e6, 2e6)):
                for alternatives in (False, True):
                    span = segment, row, from_s, to_s
                    slow = _words(*span, alternatives=alternatives)
                    assert _words_in_memory(*span, alternatives=alternatives) == slow


INVENTED = [f"{first}{last}" for first in ("ku", "mel", "pum") for last in ("fen", "lik", "tor")]


@pytest.mark.parametrize("term", ["spreewald", "hahnenfedern"])
def test_what_a_person_asks_for_does_not_depend_on_the_rest(index, term):
    alone, together = index.search(term), index.search("landkreis", term, *INVENTED)
    same = [replace(hit, term_id="TERM-1") for hit in together if hit.term == term]
    assert [hit.document() for hit in same] == [hit.document() for hit in alone]


@pytest.mark.parametrize("at_once", [1, 4, 100])
def test_a_list_in_parts_is_decided_on_as_one(index, at_once):
    texts = [*INVENTED, "spreewald", "hahnenfedern", "", "landkreis"]
    terms = [Term(f"T{i}", text) for i, text in enumerate(texts)]
    parts = [index.find_terms(terms[i : i + at_once]) for i in range(0, len(terms), at_once)]
    expected, found = index.search_terms(terms), index.decide(parts)
    hits = [hit for part in found for hit in index.hits(part)]
    assert [hit.document() for hit in hits] == [hit.document() for hit in index.hits(expected)]
    assert np.concatenate([part.occurs for part in found]).tolist() == expected.occurs.tolist()
    assert index.decide([]) == []


def test_candidates_are_found_by_their_old_name(index):
    terms, speech = [Term("T1", "landkreis")], index.searched_speech(None, None, ())
    with pytest.warns(DeprecationWarning, match=r"find_candidates is now Index\.candidates"):
        found = index.find_candidates(terms, speech)
    assert found.probability.tolist() == index.candidates(terms, speech).probability.tolist()
    assert len(found.probability)


def test_shares_of_a_search_add_up(index, store, tmp_path):
    terms, shares, of_both = [Term(text, text) for text in INVENTED], [], []
    index.search_terms(terms, advance=shares.append)
    assert len(shares) == len(INVENTED)
    assert sum(shares) == pytest.approx(1)
    shutil.copytree(store, copy := tmp_path / "copy")
    with open_fused(store, copy) as fused:
        fused.search_terms(terms, advance=of_both.append)
    assert sum(of_both) == pytest.approx(1)


def test_rows_of_a_search_are_its_hits(index):
    result = index.find("und", "hahnenfedern")
    every = index.hits(result)
    chosen = [len(every) - 1, 0, 3]
    assert index.hits(result.rows(np.array(chosen))) == [every[i] for i in chosen]
    assert index.hits(result.rows(np.zeros(len(every), dtype=bool))) == []


def as_json(documents):
    return json.loads(json.dumps(documents))


@pytest.mark.parametrize("decided", [True, False])
def test_columns_of_hits_are_the_hits(index, decided):
    result = index.find("und", "hahnenfedern", "im bran*")
    columns, hits = index.hit_columns(result, decided=decided), index.hits(result, decided=decided)
    assert [*columns] == hits
    assert len(columns) == len(hits) > 10
    assert as_json(columns.documents()) == as_json(written([hit.document() for hit in hits]))
    assert columns.found_as() == [hit.found_as for hit in hits]
    numbers = [*range(len(hits))]
    expected = [written(hit.document()) | {"term": "x", "n": i} for i, hit in enumerate(hits)]
    more = {"term": ["x"] * len(hits), "n": numbers}
    assert as_json(columns.documents(more)) == as_json(expected)


def test_remarks_are_what_the_command_tells(index, store, capsys):
    searcher.commands.search.main(["--store", store, "hahnenfedern", "im bran*"])
    told = capsys.readouterr().err
    remarks = index.remarks(index.find("hahnenfedern", "im bran*"))
    assert remarks[0] == "hahnenfedern: the recogniser does not know hahnenfedern"
    assert len(remarks) == 2
    assert all(remark in told for remark in remarks)


def test_an_index_is_renewed_by_a_commit_only(german, tmp_path):
    store, mesh = str(tmp_path / "index"), german / "mesh"
    index_files([str(mesh / "KERSTIN_00.mesh")], store=store)
    with open_index(store) as first:
        assert first.renewed() is first
        index_files([str(mesh / "KERSTIN_04.mesh")], store=store)
        second = first.renewed()
        assert second is not first
        assert second.renewed() is second
        assert [len(one.recordings()) for one in (first, second)] == [1, 2]
        assert second.segments[0] is first.segments[0]
        assert len(second.search("und")) > len(first.search("und"))
        table = tmp_path / "recordings.csv"
        table.write_text("file,title\nKERSTIN_00,Lesson\n")
        assert indexer.cli.main(["--store", store, "--metadata", str(table), "--quiet"]) == 0
        third = second.renewed()
        assert third.recordings()[0].metadata == {"title": "Lesson"}
        assert third.segments == second.segments
        (tmp_path / "index" / "manifest.json").write_text("{")
        with pytest.raises(StdError, match="manifest"):
            third.renewed()
        assert third.search("und")


def test_a_store_may_be_a_path(index, tmp_path):
    index_files("examples/german/mesh/KERSTIN_00.mesh", tmp_path / "index")
    with open_index(tmp_path / "index") as opened:
        assert [entry.recording.file for entry in opened.recordings()] == ["KERSTIN_00"]


def test_one_floor_decides_what_is_shown_counted_and_found(store, index, capsys):
    """A word that nobody says resembles others: unlikely places are none to a person."""
    term = "quantencomputer"
    everything = index.find(term, min_probability=0)
    assert len(everything.probability) > 0
    assert everything.probability.max() < 0.05
    found = index.find(term)
    assert not len(found.probability)
    assert found.less_likely == len(everything.probability)
    assert index.search(term) == [] != index.search(term, min_probability=0)
    for form in ([], ["--json"], ["--csv"]):
        assert searcher.commands.search.main(["--store", store, *form, term]) == 1
        capsys.readouterr()
        assert (
            searcher.commands.search.main(["--store", store, *form, "--min-probability", "0", term])
            == 0
        )
        capsys.readouterr()
    assert searcher.commands.search.main(["--store", store, term]) == 1
    said = capsys.readouterr().err
    assert f"{found.less_likely} less likely place" in said
    assert "no hits" in said
    assert "right" not in said


LIST = [Term(text, text) for text in ("hahnenfedern", "aufgrund", "landschaft", "im spreewald")]
SPOKEN = SpokenQueries(
    (SpokenQuery("q1", ("q1",), (WeightedWords("und der", 0.6), WeightedWords("spreewald", 0.4))),)
)


def answers(index):
    found = {}
    for kind, result in (
        ("list", index.search_terms(LIST)),
        ("spoken", index.search_queries(SPOKEN)),
    ):
        candidates = result.candidates
        for term, recording, start_ms, p in zip(
            candidates.term.tolist(), candidates.recording.tolist(),
            candidates.start_ms.tolist(), result.probability.tolist(), strict=True,
        ):  # fmt: skip
            found[kind, term, result.recordings[recording].file, start_ms] = p
    return found


@pytest.fixture(scope="module")
def meshes(german):
    return sorted((german / "mesh").glob("*.mesh"))


def test_answers_are_those_of_an_index_without_them(meshes, tmp_path):
    index_files(meshes, tmp_path / "deleted")
    index_files([], tmp_path / "deleted", delete=[mesh.stem for mesh in meshes[5:]])
    index_files(meshes[:5], tmp_path / "never")
    with open_index(tmp_path / "deleted") as deleted, open_index(tmp_path / "never") as never:
        assert len(answers(never)) > 50
        assert answers(deleted) == answers(never)
        found = [
            {(hit.file, hit.start_s, hit.searched) for hit in index.search("*e*")}
            for index in (deleted, never)
        ]
        assert found[0] == found[1] != set()
        assert deleted.vocabulary.words == never.vocabulary.words
    terms = ["landschaften", "hahnenfeder", "die"]
    became = [query_terms(terms, store=tmp_path / name) for name in ("deleted", "never")]
    assert [one["variants"] for one in became[0]] == [one["variants"] for one in became[1]]
    assert [one["words"] for one in became[0]] == [one["words"] for one in became[1]]


def test_a_recording_that_moved_to_another_shard(meshes, german, tmp_path):
    """Its old shard still has other speech under its name, deleted."""
    other = tmp_path / "other" / meshes[0].name
    other.parent.mkdir()
    shutil.copy(meshes[9], other)
    index_files([other, *meshes[1:4]], tmp_path / "B")
    index_files([], tmp_path / "B", delete=[meshes[0].stem])
    index_files(meshes[:1], tmp_path / "A")
    index_files(meshes[:4], tmp_path / "one")
    lexemes = read(rttm.parse, german / "ref.rttm")
    found, tokens = [], []
    for stores in (("A", "B"), ("B", "A"), ("one",)):
        with open_index(*(tmp_path / store for store in stores)) as index:
            found.append(answers(index))
            (language,) = index._prepared.languages
            phonetic, _ = language.phonetic
            transcript = make_transcript(lexemes, language.table.recordings, index.config.text)
            tokens.append(missed(transcript, phonetic))
    assert found[0] == found[1] == found[2]
    assert tokens[0] == tokens[1] == tokens[2]


def test_an_index_of_deleted_recordings_has_no_hits(meshes, tmp_path, capsys):
    store = str(tmp_path / "empty")
    index_files(meshes[:1], store)
    index_files([], store, delete=[meshes[0].stem])
    with open_index(store) as index:
        assert index.search("und", "hahnenfedern") == []
        assert not len(index.search_terms(LIST).probability)
    assert searcher.commands.search.main(["--store", store, "und"]) == 1
    assert "no hits" in capsys.readouterr().err
    other = str(tmp_path / "other")
    index_files(meshes[:1], other)
    with open_fused(store, other) as fused, open_index(other) as alone:
        assert len(fused.search("und")) == len(alone.search("und")) > 0


def test_what_is_known_of_deleted_recordings_is_of_no_row(meshes, tmp_path):
    index_files(meshes[:3], tmp_path / "index")
    index_files([], tmp_path / "index", delete=[meshes[1].stem])
    with open_index(tmp_path / "index") as index:
        phonetic, _ = index._prepared.languages[0].phonetic
        rows = {index._prepared.table.recordings[row].file for row in phonetic.segment_of}
    assert rows == {meshes[0].stem, meshes[2].stem}
