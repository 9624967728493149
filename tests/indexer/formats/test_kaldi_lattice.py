import io
import re
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import kaldi_lattice
from indexer.formats.shared.reader import ReaderOptions
from indexer.lattices.to_network import pruned, to_utterances, words_only
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

ASR = Path(__file__).parents[2] / "data" / "asr"

# The example of asr-formats 1.5, with a second path and words written out.
COMPACT = """\
utt1
0 1 das 4.7,812.3,3_3_4_4_4
0 1 dass 5.7,810.3,3_3_4_4_4
1 2 haus 2.1,540.9,88_87_87
2 0.5,0,
"""

# The same sentence before determinisation: one transition id per arc.
FULL = """\
utt1
0 1 3 das 4.7,100
1 2 3 <eps> 0,200
2 3 4 <eps> 0,300
3 4 88 haus 2.1,400
4 5 87 <eps>
5 0.5,0
"""


def to_network(lattice):
    """The network of the lattice's one utterance."""
    return next(iter(to_utterances(lattice)))


def parse(text, path="/nowhere/lats.txt", **options):
    return list(
        networks_in(kaldi_lattice.parse(io.BytesIO(text.encode()), path, ReaderOptions(**options)))
    )


def links(lattice):
    return {
        (lattice.vocabulary[w] if w >= 0 else None, *np.round(lattice.node_s[[s, t]], 6))
        for w, s, t in zip(lattice.word, lattice.source, lattice.target, strict=True)
    }


def score_of(lattice, word):
    return float(lattice.log_score[lattice.word == lattice.vocabulary.index(word)][0])


def test_compact():
    (lattice,) = parse(COMPACT)
    assert (lattice.utterance, lattice.recording) == ("utt1", Recording("lats", 1))
    assert links(lattice) == {
        ("das", 0, 0.05), ("dass", 0, 0.05), ("haus", 0.05, 0.08), (None, 0.08, 0.08),
    }  # fmt: skip
    assert score_of(lattice, "das") == pytest.approx(-(4.7 + 81.23))
    assert lattice.log_score[-1] == -0.5


def test_full():
    (lattice,) = parse(FULL)
    assert links(lattice) == {("das", 0, 0.03), ("haus", 0.03, 0.05), (None, 0.05, 0.05)}
    assert score_of(lattice, "das") == pytest.approx(-(4.7 + 60))


def test_scales_frames_and_segments():
    segments = {"utt1": UtteranceSpan(Recording("news", 2), 10.0, 12.0)}
    (lattice,) = parse(COMPACT, acoustic_scale=1.0, lm_scale=2.0, frame_s=0.03, segments=segments)
    assert score_of(lattice, "das") == pytest.approx(-(2 * 4.7 + 812.3))
    assert lattice.recording == Recording("news", 2)
    assert ("haus", 10.15, 10.24) in links(lattice)


def test_words_by_id():
    by_id = COMPACT.replace("dass", "13").replace("das", "12").replace("haus", "0")
    (lattice,) = parse(by_id, symbols={"12": "das", "13": "dass"})
    assert {word for word, _, _ in links(lattice)} == {"das", "dass", None}


def test_many_lattices_and_several_final_states():
    text = COMPACT + "\n" + COMPACT.replace("utt1", "utt2 ") + "1 0.1,0,7_7\n"
    first, second = parse(text)
    assert (first.utterance, second.utterance) == ("utt1", "utt2")
    assert (None, 0.05, 0.08) in links(second)  # to the one end that all final states lead to


def test_final_states_may_cost_nothing():
    (lattice,) = parse("u\n0 1 a 1,1,3\n1\n")
    assert lattice.log_score.tolist() == [-1.1, 0]


def test_the_first_state_is_the_start():
    (lattice,) = parse("u\n2 0 a 1,1,3\n0 1 b 1,1,3\n1\n")
    assert links(lattice) == {("a", 0, 0.01), ("b", 0.01, 0.02), (None, 0.02, 0.02)}


def test_what_costs_infinity_cannot_be():
    more = "0 2 nie Infinity,1,3_3_4_4_4_88_87_87\n1 Infinity,Infinity,\n2 0.5,0,"
    (lattice,) = parse(COMPACT.replace("2 0.5,0,", more))
    assert lattice.vocabulary == ("das", "dass", "haus")
    assert len(lattice) == 4


def test_a_lattice_without_paths_says_nothing():
    (lattice,) = parse("utt0 \n\n" + COMPACT + "\n")
    assert lattice.utterance == "utt1"
    assert parse("utt0\n\n") == []


def test_without_transition_ids_states_share_the_segment():
    """As lattice-rmali leaves them."""
    text = re.sub(r"(,[\d.]+),[\d_]+", r"\1,", COMPACT)
    (lattice,) = parse(text, segments={"utt1": UtteranceSpan(Recording("news", 1), 10.0, 13.0)})
    assert links(lattice) == {
        ("das", 10, 11), ("dass", 10, 11), ("haus", 11, 12), (None, 12, 13),
    }  # fmt: skip
    assert to_network(lattice).times_estimated
    with pytest.raises(InputError, match="transition ids, which times are counted by, or segments"):
        parse(text)


def test_words_stand_for_themselves_beside_words_txt():
    (lattice,) = parse(COMPACT.replace("dass", "13"), symbols={"13": "dies"})
    assert lattice.vocabulary == ("das", "dies", "haus")


def test_a_byte_order_mark_is_no_part_of_the_name(tmp_path):
    path = tmp_path / "lats.txt"
    path.write_text("\ufeff" + COMPACT)
    assert [one.utterance for one in networks_in(parse_file(path))] == ["utt1"]


def test_dead_ends_do_not_matter():
    (lattice,) = parse(COMPACT.replace("2 0.5,0,", "1 3 oh 1,1,4\n7 2 nie 1,1,4\n2 0.5,0,"))
    assert {word for word, _, _ in links(lattice)} == {"das", "dass", "haus", None}


def rows(network):
    """Words with posterior and times, in order of slot and word."""
    return [one for slot in network for one in sorted((a.word, *a[1:]) for a in slot.alternatives)]


@pytest.mark.parametrize("name", ["de_rhasspy-1151", "de_rhasspy-0803"])
def test_a_real_lattice_written_kaldis_way_gives_the_same_network(name):
    """Same nodes, words and scores as HTK's lattice, with times as counts of transition ids."""
    (expected,) = networks_in(parse_file(ASR / "slf" / f"{name}.slf.gz"))
    expected = pruned(words_only(expected))
    frames = np.rint(100 * expected.node_s).astype(int)
    lines = [name]
    for source, target, word, score in zip(
        expected.source, expected.target, expected.word, expected.log_score, strict=True
    ):
        said = expected.vocabulary[word] if word >= 0 else "<eps>"
        ids = "_".join(["1"] * (frames[target] - frames[source]))
        lines.append(f"{source} {target} {said} {-score},0,{ids}")
    lines.append(f"{len(expected.node_s) - 1}")
    (lattice,) = parse("\n".join(lines), file=name)
    ours, theirs = rows(to_network(lattice)), rows(to_network(expected))
    assert [row[0] for row in ours] == [row[0] for row in theirs]
    apart = np.abs(np.array([row[1:] for row in ours]) - [row[1:] for row in theirs])
    assert (apart <= [1e-5, 1, 1]).all()  # posterior, start_ms, end_ms


ERRORS = [
    ("empty", "", 0, "lattices, a name and then arcs"),
    ("no name", COMPACT.replace("utt1\n", ""), 1, "the name of an utterance"),
    ("no final state", COMPACT.replace("2 0.5,0,\n", ""), 4, "a final state"),
    ("state no number", COMPACT.replace("0 1 das", "0 x das"), 2, "a state's number"),
    ("state huge", COMPACT.replace("0 1 das", "0 1e12 das"), 2, "a state's number up to"),
    ("cost no number", COMPACT.replace("4.7", "x"), 2, "a graph cost"),
    ("cost NaN", COMPACT.replace("812.3", "nan"), 2, "an acoustic cost"),
    ("costs cut short", COMPACT.replace("0.5,0,", "0.5"), 5, "costs: graph,acoustic,ids"),
    ("too many fields", FULL.replace("4.7,100", "4.7,100 8"), 2, "an arc of 3 to 5 fields"),
    ("two times", COMPACT.replace("5.7,810.3,3_", "5.7,810.3,"), 3, "state 1 at frame 5"),
    ("a circle", COMPACT.replace("2 0.5,0,", "2 1 <eps> 0,0,\n2 0.5,0,"), 5, "state 1 at frame 5"),
    ("a circle without time", "u\n0 1 a 1,1,3\n1 2 b 1,1,\n2 1 c 1,1,\n2\n", 1, "paths from start"),
    ("no path", "u\n0 1 a 1,1,3\n5\n", 1, "paths from start"),
    ("cut after a name", "utt0\n", 1, "a final state"),
    ("id without words", COMPACT.replace("haus", "12"), 4, "words, or words.txt"),
]


@pytest.mark.parametrize("row", ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_name_the_line(row):
    _, text, line, expected = row
    with pytest.raises(InputError) as caught:
        parse(text)
    assert expected in caught.value.expected
    assert caught.value.line == line


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([COMPACT, FULL]),
    st.integers(0, 110),
    st.integers(0, 9),
    st.sampled_from(["nan", "-1", "\n", " ", ",", "_", "0", "1", "x", "1e999"]),
)
def test_any_text_gives_lattices_or_an_input_error(text, at, length, piece):
    with suppress(InputError):
        assert [to_network(one) for one in parse(text[:at] + piece + text[at + length :])]


def test_more_arcs_than_we_take(monkeypatch):
    monkeypatch.setattr(kaldi_lattice, "MAX_LINKS", 4)
    with pytest.raises(InputError) as caught:
        parse(COMPACT)
    assert (caught.value.line, caught.value.expected) == (5, "at most 4 arcs in one lattice")
