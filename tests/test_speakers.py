"""Who spoke: from what readers give to the index, and through all that is done with one."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.formats.jsonl import dump, parse
from indexer.networks.utterances import concatenated, stacked
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.prune import prune
from indexer.segments.separate import separated
from std.config import IndexConfig
from std.errors import StoreError
from std.store.resident import ResidentSegment
from std.store.speakers import COLUMNS, Speakers, speaker_columns
from std.store.verify import verified_columns
from std.text import Normalisation


def said(network, speaker, *words, **others):
    return replace(network(*[[(word, 1.0)] for word in words], **others), speaker=speaker)


def names_of(columns):
    """The slow twin of `Speakers.at`: who spoke in each slot, one by one."""
    speakers = Speakers.read(columns.extra)
    return [speakers.names[i] for i in speakers.in_all(len(columns.slot_key)).tolist()]


def test_an_index_without_speakers_has_no_such_column(network):
    assert invert([said(network, "", "a", "b")]).extra == {}


def test_slots_have_the_speaker_of_their_utterance(network):
    columns = invert(
        [
            said(network, "Bo", "c", "d", start_ms=2000, utterance="u2"),
            said(network, "Ada", "a", "b", utterance="u1"),
            said(network, "Bo", "e", start_ms=4000, utterance="u3"),
            said(network, "", "f", start_ms=6000, utterance="u4"),
        ]
    )
    assert names_of(columns) == ["Ada", "Ada", "Bo", "Bo", "Bo", ""]
    assert columns.extra["speakers"].tobytes() == b"\nAda\nBo\n"
    assert columns.extra["speaker_begin"].tolist() == [0, 2, 5]
    assert columns.extra["speaker_row"].tolist() == [1, 2, 0]


def test_utterances_keep_it_however_they_are_put_together(network):
    columns = stacked([said(network, "Ada", "a—b", "c"), said(network, "", "d", start_ms=5000)])
    assert columns.take([1, 0]).speakers == ["", "Ada"]
    assert concatenated([columns, columns]).speakers == ["Ada", "", "Ada", ""]
    assert [one.speaker for one in columns] == ["Ada", ""]
    apart = prune(separated(columns, Normalisation()), IndexConfig())
    assert names_of(invert(apart)) == ["Ada", "Ada", "Ada", ""]


def test_segments_with_and_without_it_become_one(network):
    parts = [
        invert([said(network, "Bo", "a", "b", file="b")]),
        invert([said(network, "", "c", file="a")]),
        invert([said(network, "Ada", "d", file="c"), said(network, "Bo", "e", file="d")]),
    ]
    segments = [ResidentSegment(None, part) for part in parts]
    whole = merged(segments)
    assert names_of(whole) == ["", "Bo", "Bo", "Ada", "Bo"]
    without_b = merged([ResidentSegment(None, parts[0], frozenset([0])), *segments[1:]])
    assert names_of(without_b) == ["", "Ada", "Bo"]
    without_any = merged([segments[1], ResidentSegment(None, parts[2], frozenset([0, 1]))])
    assert without_any.extra == {}
    assert set(merged(segments, lambda columns: {"n": np.array([1])}).extra) == {*COLUMNS, "n"}


@given(st.lists(st.sampled_from(["", "Ada", "Bo", "Cy"]), max_size=30))
def test_turns_say_of_each_slot_who_spoke(names):
    table = ["Cy", "Bo", "", "Ada", "Bo"]  # in any order, one twice
    extra = speaker_columns(table, np.array([table.index(name) for name in names], np.int64))
    speakers = Speakers.read(extra)
    rows = speakers.at(np.arange(len(names)))
    assert [speakers.names[i] for i in rows.tolist()] == names
    assert speakers.in_all(len(names)).tolist() == rows.tolist() if names else True
    for first in range(len(names)):
        assert speakers.within(first, len(names)) == set(names[first:]) - {""}
    assert speakers.within(0, 0) == set()


def test_damage_is_found(network):
    columns = invert([said(network, "Ada", "a"), said(network, "Bo", "b", start_ms=2000)])
    for name, wrong in [
        ("speaker_row", np.array([0, 2], "<i4")),
        ("speaker_row", np.array([0], "<i4")),
        ("speaker_row", np.array([0, 1], "<i8")),
        ("speaker_begin", np.array([1, 2], "<i4")),
        ("speaker_begin", np.array([0, 2], "<i4")),
        ("speakers", np.array([255, 10, 10], np.uint8)),
    ]:
        with pytest.raises(ValueError, match=r"speaker|turns|utf-8"):
            replace(columns, extra={**columns.extra, name: wrong})
    with pytest.raises(ValueError, match="no column speakers"):
        replace(columns, extra={"speaker_row": columns.extra["speaker_row"]})
    other = replace(columns, extra={**columns.extra, "speaker_row": np.array([1, 0], "<i4")})
    with pytest.raises(StoreError, match="another digest"):
        verified_columns(ResidentSegment(columns.digest()[:32], other))


def test_network_lines_keep_it(network, tmp_path):
    path = tmp_path / "a.jsonl"
    with path.open("wb") as stream:
        dump(
            [said(network, "Ada", "a"), said(network, "", "b", start_ms=2000, utterance="u2")],
            stream,
        )
    assert b'"speaker": "Ada"' in path.read_bytes()
    with path.open("rb") as stream:
        assert [name for block in parse(stream, path) for name in block.speakers] == ["Ada", ""]
    path.write_text('{"utt": "u", "start": 0, "end": 1, "speaker": " A\\n b", "slots": []}\n')
    with path.open("rb") as stream:
        assert next(parse(stream, path)).speakers == ["A b"]
