"""Estimated times from a caption to a hit: how far off they may be is kept all the way."""

import json
from dataclasses import replace

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
from indexer import index_files
from indexer.networks.utterances import concatenated, stacked
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.separate import separated
from searcher import open_index
from std.errors import StoreError
from std.store.columns import SLOT_ERROR
from std.store.protocol import verified_columns
from std.store.resident import ResidentSegment
from std.text import Normalisation

SRT = """1
00:00:10,000 --> 00:00:12,000
das alte Haus

2
00:00:12,100 --> 00:00:13,100
am See
"""
CTM = "words 1 0.0 0.2 das\nwords 1 0.2 0.3 alte\nwords 1 0.5 0.4 haus\n"


@pytest.fixture
def store(tmp_path):
    (tmp_path / "talk.srt").write_text(SRT)
    (tmp_path / "words.ctm").write_text(CTM)
    url = str(tmp_path / "index")
    report = index_files([tmp_path / "talk.srt", tmp_path / "words.ctm"], url, language="German")
    assert [recording.file for recording in report.estimated] == ["talk"]
    return url


def hits(store, *terms):
    with open_index(store) as index:
        return {(hit.file, hit.term): hit for hit in index.search(*terms)}


def test_hits_say_how_far_off_they_may_be(store):
    found = hits(store, "das", "haus", "haus am", "alte")
    # by hand: 11 letters share 2 s; "das" 10.000..10.545 may end at 12 or begin there: 2 s;
    # "alte" 10.545..11.273 may begin at 12, 1.455 later; "haus" 11.273..12 may begin at 10
    assert {key: hit.within_s for key, hit in found.items()} == {
        ("talk", "das"): 2.0, ("talk", "alte"): 1.455, ("talk", "haus"): 2.0,
        ("talk", "haus am"): 2.0,
        ("words", "das"): None, ("words", "alte"): None, ("words", "haus"): None,
    }  # fmt: skip
    assert found["talk", "alte"].start_s == 10.545
    assert found["talk", "alte"].estimate == "within 1.5 s"
    assert found["words", "das"].estimate == ""
    assert found["talk", "alte"].because.endswith("; times are estimated, within 1.455 s")


def test_the_table_and_json_say_so(store, capsys):
    searcher.commands.search.main(["--store", store, "alte", "--fmt", "table"])
    printed = capsys.readouterr().out
    assert "0:10.5 within 1.5 s" in printed
    assert "0:00.2 within" not in printed
    searcher.commands.search.main(["--store", store, "--json", "alte"])
    by_file = {hit["file"]: hit["within_s"] for hit in json.loads(capsys.readouterr().out)}
    assert by_file == {"talk": 1.455, "words": None}


def test_the_summary_says_so(store, tmp_path, capsys):
    other = str(tmp_path / "other")
    indexer.cli.main([str(tmp_path / "talk.srt"), "--store", other, "--language", "German"])
    assert "times of words are estimated in 1 of 1 recording" in capsys.readouterr().err
    indexer.cli.main([str(tmp_path / "talk.srt"), "--store", other, "--language", "de", "--json"])
    assert json.loads(capsys.readouterr().out)["times_estimated"] == 1


def test_merging_and_deleting_keep_it(store):
    before = {key: hit.within_s for key, hit in hits(store, "haus", "see").items()}
    index_files((), store, merge=True)
    assert {key: hit.within_s for key, hit in hits(store, "haus", "see").items()} == before
    index_files((), store, delete=["talk"], merge=True)
    with open_index(store) as index:
        assert all(segment.extra(SLOT_ERROR) is None for segment in index.segments)


def test_segments_without_estimates_have_no_such_column(network):
    columns = invert([network([("das", 0.9)], [("haus", 0.8)])])
    assert columns.extra == {}
    assert merged([ResidentSegment(None, columns)]).extra == {}


def estimated(network, *errors_ms, **others):
    one = network(*[[("wort", 1.0)]] * len(errors_ms), **others)
    return replace(one, slot_errors_ms=np.array(errors_ms, np.int32), times_estimated=True)


def test_segments_with_and_without_it_become_one(network):
    parts = [
        invert([estimated(network, 300, 400, file="b")]),
        invert([network([("das", 0.9)], file="a")]),
        invert([estimated(network, 7, file="c")]),
    ]
    segments = [ResidentSegment(None, part) for part in parts]
    whole = merged(segments)
    assert whole.extra[SLOT_ERROR].tolist() == [0, 300, 400, 7]
    assert whole.extra[SLOT_ERROR].dtype == np.dtype("<u4")
    without_b = merged([ResidentSegment(None, parts[0], frozenset([0])), *segments[1:]])
    assert without_b.extra[SLOT_ERROR].tolist() == [0, 7]
    rebuilt = merged(segments, lambda columns: {"n": np.array([1])})
    assert [*rebuilt.extra] == [SLOT_ERROR, "n"]


def test_utterances_keep_it_however_they_are_put_together(network):
    networks = [network([("das", 0.9)]), estimated(network, 5, 6, start_ms=1000)]
    columns = stacked(networks)
    assert columns.slot_errors_ms.tolist() == [0, 5, 6]
    assert columns.take([1]).slot_errors_ms.tolist() == [5, 6]
    assert concatenated([columns, columns]).slot_errors_ms.tolist() == [0, 5, 6] * 2
    assert [one.slot_errors_ms.tolist() for one in columns] == [[0], [5, 6]]


def test_of_a_network_that_only_says_that_it_is_estimated_all_of_it_bounds_the_error(network):
    one = replace(network([("das", 0.9)], [("haus", 0.8)]), times_estimated=True)  # 0..100..200
    assert stacked([one]).slot_errors_ms.tolist() == [200, 200]


def test_words_that_are_taken_apart_keep_it(network):
    one = replace(network([("a—b", 1.0)], [("c", 1.0)]), slot_errors_ms=np.array([9, 4], np.int32))
    assert separated(stacked([one]), Normalisation()).slot_errors_ms.tolist() == [9, 9, 4]


def test_damage_is_found(network):
    columns = invert([estimated(network, 300, 400)])
    for wrong in (np.array([1], np.uint32), np.array([1, 2], np.int64)):
        with pytest.raises(ValueError, match="slot_error_ms does not have 2 rows"):
            replace(columns, extra={SLOT_ERROR: wrong})
    other = replace(columns, extra={SLOT_ERROR: np.array([1, 2], np.uint32)})
    with pytest.raises(StoreError, match="another digest"):
        verified_columns(ResidentSegment(columns.digest()[:32], other))
