import gzip
import io
import math
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import pocketsphinx, slf
from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

SLF = Path(__file__).parents[2] / "data" / "asr" / "slf"

# asr-formats 1.6
EXAMPLE = """\
# getcwd: /x
# -logbase 1.000100e+00
#
Frames 110
#
Nodes 4 (NODEID WORD STARTFRAME FIRST-ENDFRAME LAST-ENDFRAME)
0 </s> 108 109 109 ; 0
1 gewalt 45 100 107 ; 0
2 polizei 3 40 44 ; 0
3 <s> 0 2 2 ; 0
#
Initial 3
Final 0
#
BestSegAscr 0 (NODEID ENDFRAME ASCORE)
#
Edges (FROM-NODEID TO-NODEID ASCORE)
1 0 -253952
2 1 -357376
2 0 -700000
3 2 -1000
End
"""


def parse(text, path="u7.lat", **options):
    return next(
        networks_in(pocketsphinx.parse(io.BytesIO(text.encode()), path, ReaderOptions(**options)))
    )


def links(lattice):
    return {
        (lattice.vocabulary[w], *np.round([lattice.node_s[s], lattice.node_s[t]], 6))
        for w, s, t in zip(lattice.word, lattice.source, lattice.target, strict=True)
    }


def test_example():
    lattice = parse(EXAMPLE)
    assert (lattice.utterance, lattice.recording) == ("u7", Recording("u7", 1))
    assert links(lattice) == {
        ("<s>", 0, 0.03), ("polizei", 0.03, 0.45), ("polizei", 0.03, 1.08), ("gewalt", 0.45, 1.08),
    }  # fmt: skip
    score = lattice.log_score[lattice.word == lattice.vocabulary.index("gewalt")]
    assert score.tolist() == pytest.approx([-253952 * math.log(1.0001) / 20])


def test_context():
    segments = {"u7": UtteranceSpan(Recording("news", 2), 10.0, 12.0)}
    lattice = parse(EXAMPLE, segments=segments, frame_s=0.02, acoustic_scale=1.0)
    assert lattice.recording == Recording("news", 2)
    assert ("gewalt", 10.9, 12.16) in links(lattice)
    assert lattice.log_score.min() == pytest.approx(-700000 * math.log(1.0001))


def test_equals_the_htk_lattice_of_the_same_utterance():
    """PocketSphinx wrote both: same links, times and acoustic scores; its HTK one hides fillers."""
    (ours,) = networks_in(
        parse_file(SLF / "LJ_LJ001-0002.lat.gz", options=ReaderOptions(acoustic_scale=1.0))
    )
    htk = re.sub(rb"\tp=\S+", b"", gzip.decompress((SLF / "LJ_LJ001-0002.slf.gz").read_bytes()))
    (theirs,) = networks_in(
        slf.parse(io.BytesIO(htk), "LJ_LJ001-0002.slf", ReaderOptions(acoustic_scale=1.0))
    )
    assert len(ours) == len(theirs)

    def rows(lattice):
        return sorted(
            (round(lattice.node_s[s], 4), round(lattice.node_s[t], 4), round(score, 3))
            for s, t, score in zip(lattice.source, lattice.target, lattice.log_score, strict=True)
        )

    np.testing.assert_allclose(rows(ours), rows(theirs), atol=2e-3)
    assert {one.partition("(")[0] for one in ours.vocabulary if one.isalpha()} <= {
        one.partition("(")[0] for one in theirs.vocabulary
    }


def edit(old, new):
    assert old in EXAMPLE
    return EXAMPLE.replace(old, new, 1)


ERRORS = [
    ("empty", "", 0, "a whole lattice"),
    ("cut short", edit("End\n", ""), 21, "a whole lattice"),
    ("no Final", edit("Final 0\n", ""), 21, "a whole lattice"),
    ("node twice", edit("1 gewalt", "0 gewalt"), 8, "each node once"),
    ("frame no number", edit("gewalt 45", "gewalt x"), 8, "a start frame"),
    ("frame far", edit("gewalt 45", "gewalt 1e15"), 8, "times up to"),
    ("edge to no node", edit("2 1 -357376", "2 9 -357376"), 19, "a node listed above"),
    ("score NaN", edit("-357376", "nan"), 19, "a score"),
    ("edge cut short", edit("2 1 -357376", "2 1"), 19, "a line of a PocketSphinx lattice"),
    ("node cut short", edit("1 gewalt 45 100 107 ; 0", "1 gewalt 45"), 8, "a line of a"),
    ("base of logarithms", edit("1.000100e+00", "1"), 0, "a base of logarithms above 1"),
    ("no path", edit("3 2 -1000\n", ""), 0, "paths from start to end"),
]


@pytest.mark.parametrize("row", ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_name_the_line(row):
    _, text, line, expected = row
    with pytest.raises(InputError) as caught:
        parse(text)
    assert expected in caught.value.expected
    assert caught.value.line == line


@pytest.mark.parametrize("path", sorted(SLF.glob("*.lat.gz")), ids=lambda path: path.name)
@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 3000), st.integers(0, 40), st.sampled_from(["nan", "-1", "\n", " ", "End", "9"])
)
def test_any_text_gives_a_lattice_or_an_input_error(path, at, length, piece):
    text = gzip.decompress(path.read_bytes()).decode()
    with suppress(InputError):
        assert len(parse(text[:at] + piece + text[at + length :]))


def test_more_edges_than_we_take(monkeypatch):
    monkeypatch.setattr(pocketsphinx, "MAX_LINKS", 3)
    with pytest.raises(InputError) as caught:
        parse(EXAMPLE)
    assert (caught.value.line, caught.value.expected) == (21, "at most 3 edges")
