"""Who said a word by the turns of a diarisation: at once as word by word."""

import io
import random

import pytest

from indexer.formats.readers import ctm
from indexer.networks.turns import spoken_by, turns_of
from indexer.networks.utterances import concatenated
from std.nist.rttm import parse_turns


def turns_in(rows):
    """Of (recording, channel, start in ms, end in ms, name)."""
    lines = [f"SPEAKER {file} {channel} {start / 1000:.3f} {(end - start) / 1000:.3f} <NA> <NA> "
             f"{name} <NA> <NA>\n" for file, channel, start, end, name in rows]  # fmt: skip
    return turns_of(parse_turns(io.BytesIO("".join(lines).encode()), "who.rttm"))


def words_in(rows):
    """Of (recording, channel, start in ms), each of 200 ms."""
    lines = [f"{file} {channel} {at / 1000:.3f} 0.2 w{at} 1\n" for file, channel, at in rows]
    return concatenated(list(ctm.parse(io.BytesIO("".join(lines).encode()), "x.ctm")))


def said(utterances):
    return [(one.recording, slot.start_ms, one.speaker) for one in utterances for slot in one]


def word_by_word(utterances, rows):
    """The same, slowly: of turns around a word's middle the one that began first."""
    found = []
    for one in utterances:
        own = [row for row in rows if row[:2] == tuple(one.recording)]
        names = []
        for slot in one:
            middle = (slot.start_ms + slot.end_ms) // 2
            around = [row for row in own if row[2] <= middle < row[3]]
            names.append(min(around, key=lambda row: row[2])[4] if around else "")
        for at in range(1, len(names)):
            names[at] = names[at] or names[at - 1]
        for at in reversed(range(len(names) - 1)):
            names[at] = names[at] or names[at + 1]
        found += [(one.recording, slot.start_ms, name or one.speaker)
                  for slot, name in zip(one, names, strict=True)]  # fmt: skip
    return found


@pytest.mark.parametrize("seed", range(30))
def test_at_once_as_word_by_word(seed):
    chance = random.Random(seed)
    recordings = [("a", 1), ("a", 2), ("b", 1), ("without", 1)]
    words = words_in(
        [(*one, at * 300 + chance.choice([0, 0, 700])) for one in recordings for at in range(40)]
    )
    rows = []
    for file, channel in recordings[:3]:
        starts = chance.sample(range(0, 13_000), 8)  # they overlap, and leave gaps
        rows += [(file, channel, at, at + chance.randrange(1, 3000), chance.choice("ABC"))
                 for at in starts]  # fmt: skip
    found = spoken_by(words, turns_in(rows))
    assert said(found) == word_by_word(words, rows)
    assert len(set(zip(found.recordings, found.names, strict=True))) == len(found)
    assert (found.spans_ms[:, 0] <= found.spans_ms[:, 1]).all()


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([("a", 1, 0, 9000, "A"), ("a", 1, 500, 9000, "B")], "AAAA"),  # overlap: who began first
        ([("a", 1, 0, 600, "A"), ("a", 1, 650, 9000, "B")], "AABB"),
        ([("a", 1, 0, 290, "A")], "AAAA"),  # a gap goes with the words before it
        ([("a", 1, 900, 9000, "B")], "BBBB"),  # else with those after it
        ([("a", 2, 0, 9000, "A")], ["", "", "", ""]),  # another channel
        ([("b", 1, 0, 9000, "A")], ["", "", "", ""]),
        ([("a", 1, 5000, 9000, "A")], ["", "", "", ""]),  # nobody speaks then
    ],
)
def test_turns(rows, names):
    words = words_in([("a", 1, at) for at in (0, 300, 600, 900)])
    found = spoken_by(words, turns_in(rows))
    assert [name for _, _, name in said(found)] == list(names)
    assert found.names[0] == words.names[0]
    assert len(found) == len(dict.fromkeys(names))
