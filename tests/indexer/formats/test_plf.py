import io
import math
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import plf
from indexer.formats.shared.reader import ReaderOptions
from indexer.lattices.lattice import Lattice
from indexer.lattices.to_network import link_posteriors, to_utterances
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

NEWS = Recording("news", 1)
CONTEXT = ReaderOptions(
    segments={"u1": UtteranceSpan(NEWS, 10.0, 12.0), "u2": UtteranceSpan(NEWS, 20.0, 21.0)}
)

# The example of asr-formats 1.12.
NETWORK = "((('das',0.9,1),('dass',0.1,1),),(('polizei',1.0,1),),)\n"
# "polizeigewalt" beside "polizei" and "gewalt"
LATTICE = "((('polizei', -0.5, 1), ('polizeigewalt', -1.5, 2)), (('gewalt', -0.2, 1),),)\n"


def parse(text, options=CONTEXT):
    return list(networks_in(plf.parse(io.BytesIO(text.encode()), "x.plf", options)))


def test_a_network_shares_its_segment_by_letters():
    (network,) = parse(NETWORK)
    assert (network.recording, network.utterance) == (NEWS, "u1")
    assert network.times_estimated
    # "das" and "polizei": 3 and 7 of 10 letters of 2 s
    assert network.slot_spans_ms.tolist() == [[10_000, 10_600], [10_600, 12_000]]
    assert network.words == ("das", "dass", "polizei")
    np.testing.assert_allclose(network.posteriors, [0.9, 0.1, 1.0], rtol=1e-6)


def test_logarithms_and_silence():
    score = math.log(0.25)
    (network,) = parse(f"((('das',{score},1),('*DELETE*',{math.log(0.75)},1),),)")
    np.testing.assert_allclose(network.posteriors, [0.25], rtol=1e-6)
    np.testing.assert_allclose(network.epsilons, [0.75], rtol=1e-6)


def test_a_lattice():
    (lattice,) = parse(LATTICE)
    assert isinstance(lattice, Lattice)
    assert lattice.node_s.tolist() == [10, 11, 12]
    odds = math.exp(-0.7) / (math.exp(-0.7) + math.exp(-1.5))
    found = dict(zip(lattice.word.tolist(), link_posteriors(lattice).tolist(), strict=True))
    assert found[lattice.vocabulary.index("gewalt")] == pytest.approx(odds)
    assert to_utterances(lattice).times_estimated


def test_lines_follow_the_segments():
    first, second = parse(NETWORK + LATTICE + "\n")
    assert (first.utterance, second.utterance) == ("u1", "u2")
    assert second.node_s[0] == 20


@pytest.mark.parametrize("nothing", ["\n", "()\n"])
def test_a_line_without_words_has_its_segment_too(nothing):
    *_, last = parse(nothing + NETWORK)
    assert (last.utterance, last.words) == ("u2", ("das", "dass", "polizei"))


def test_logarithms_of_certain_words_are_zero():
    """As the Fisher and Callhome lattices have them: a line may hold nothing else."""
    (network,) = parse("((('ja', 0, 1),),(('gut', 0, 1),),)\n")
    assert (network.words, network.posteriors.tolist()) == (("ja", "gut"), [1, 1])


def test_words_of_probability_zero():
    (network,) = parse("((('ja', 1, 1), ('nein', 0, 1),),)\n")
    assert network.words == ("ja",)


def test_links_of_probability_zero_lead_nowhere():
    with pytest.raises(InputError, match="no path leads"):
        parse("((('ja', 0.0, 2),),(('gut', 0.5, 1),),)\n")


@pytest.mark.parametrize("before", ["", " ", "()\n", "\ufeff"])
def test_plf_is_recognised(before, tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(before + NETWORK.replace("(((", "( ( ("))
    assert list(networks_in(parse_file(path, options=CONTEXT)))[-1].words == (
        "das",
        "dass",
        "polizei",
    )


ERRORS = [
    ("cut short", NETWORK[:-5], "a tuple of nodes"),
    ("no literal", "open('x')", "a tuple of nodes"),
    ("a number", "7", "a tuple of nodes"),
    ("links that are none", "((7,),)", "a link: word, score, distance"),
    ("node that is none", "(7,)", "a tuple of links"),
    ("link of two", "((('das',0.9),),)", "a link: word, score, distance"),
    ("score of many digits", f"((('das',0x{'f' * 6000},1),),)", "a word and its score"),
    ("distance of many digits", f"((('das',1,0x{'f' * 6000}),),)", "a distance to a node"),
    ("score a word", "((('das','x',1),),)", "a link: word, score, distance"),
    ("score true", "((('das',True,1),),)", "a word and its score"),
    ("score huge", "((('das',1e999,1),),)", "a word and its score"),
    ("word with a blank", "((('a b',0.9,1),),)", "a word and its score"),
    ("word of half a letter", "((('\\ud800',0.9,1),),)", "a word and its score"),
    ("word empty", "((('',0.9,1),),)", "a word and its score"),
    ("backwards", "((('das',0.9,0),),)", "a distance to a node up to 1"),
    ("beyond the end", "((('das',0.9,2),),)", "a distance to a node up to 1"),
    ("sum over one", "((('das',0.9,1),('dass',0.9,1)),)", "posteriors summing to 1"),
    ("more lines than segments", NETWORK * 3, "2 lines, as there are segments"),
    ("no path", "((('a',0.9,2),),(('b',0.9,1),),(),)", "paths from start to end"),
    ("deep", "(" * 2000, "a tuple of nodes"),
    ("not UTF-8", "((('\udcff',0.9,1),),)", "UTF-8 text"),
]


@pytest.mark.parametrize("row", ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_name_the_line(row):
    _, text, expected = row
    content = text.encode(errors="surrogateescape")
    with pytest.raises(InputError) as caught:
        list(networks_in(plf.parse(io.BytesIO(content), "x.plf", CONTEXT)))
    assert expected in caught.value.expected
    assert caught.value.line == text.count("\n") or caught.value.line == 1


def test_without_segments_there_are_no_times():
    with pytest.raises(InputError, match="segments, as the format has no times"):
        parse(NETWORK, ReaderOptions())


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from([NETWORK, LATTICE]),
    st.integers(0, 80),
    st.integers(0, 6),
    st.sampled_from(["(", ")", ",", "'", "nan", "-1", "0", "1e999", "\n", "None", "\\x00"]),
)
def test_any_text_gives_networks_or_an_input_error(text, at, length, piece):
    with suppress(InputError):
        parse(text[:at] + piece + text[at + length :])
