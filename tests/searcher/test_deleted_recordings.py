"""Recordings that are deleted and not merged away: as if they had never been indexed."""

import shutil

import pytest

import searcher.commands.search
from indexer import index_files
from searcher import open_fused, open_index, query_terms
from searcher.tuning.confusion import missed
from searcher.tuning.reference import make_transcript
from std.files import read
from std.nist import rttm
from std.spoken_queries import SpokenQueries, SpokenQuery, WeightedWords
from std.values import Term

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
