"""Services' JSON as tables of paths: what each part of a table says."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.formats.shared.json_paths import Shape, Words, declared, has_keys
from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.json_fields import Part
from std.repairs import Repairs
from tests.networks import networks_in

DAS = {"word": "das", "start": 0.0, "end": 0.21, "confidence": 0.97}
HAUS = {"word": "haus", "start": 0.21, "end": 0.65}


def words_of(table, *rows, repairs=None):
    repairs = repairs or Repairs(strict=True)
    return [word[:4] for word in table.of(Part("x", 1, {"words": [*rows]}, repairs=repairs))]


def test_keys_of_words_by_default():
    assert words_of(Words(), DAS, HAUS) == [("das", 0.97, 0.0, 0.21), ("haus", 1.0, 0.21, 0.65)]


@pytest.mark.parametrize(
    ("table", "row", "read"),
    [
        (Words(text="t"), DAS | {"t": "Das"}, ("Das", 0.97, 0.0, 0.21)),
        (Words(duration="d"), DAS | {"start": 1.0, "d": 0.5}, ("das", 0.97, 1.0, 1.5)),
        (Words(per_second=1000.0), DAS | {"start": 0, "end": 210}, ("das", 0.97, 0.0, 0.21)),
        (Words(confidence=""), DAS, ("das", 1.0, 0.0, 0.21)),
        (Words(log=True), DAS | {"confidence": 0.5}, ("das", 1.0, 0.0, 0.21)),
        (Words(unnamed=("type", ("unknown",))), DAS | {"type": "unknown"},
         ("<unk>", 0.97, 0.0, 0.21)),
    ],
)  # fmt: skip
def test_what_a_table_says_of_a_word(table, row, read):
    assert words_of(table, row) == [read]


def test_rows_that_are_no_words():
    blank = {"word": " ", "type": "spacing"}
    said = DAS | {"type": "word"}
    assert len(words_of(Words(only=("type", ("word",))), said, blank)) == 1
    assert len(words_of(Words(skip=("type", ("spacing",))), said, blank, DAS)) == 2


def test_times_may_be_missing_where_the_table_says_so():
    row = {"word": "das", "start": 0.0}
    (word,) = words_of(Words(may_lack_times=True), row)
    assert word[2] != word[2]
    with pytest.raises(InputError, match=r"expected a number at words\[0\].end, got 'null'"):
        words_of(Words(), row)


def test_whole_units():
    assert words_of(Words(whole="whole ms"), DAS | {"start": 0, "end": 2.0})
    with pytest.raises(InputError, match=r"expected whole ms at words\[0\].end, got '0.21'"):
        words_of(Words(whole="whole ms"), DAS)


def test_lists_that_may_be_missing_or_are_empty_by_the_text():
    assert Words(optional=True).of(Part("x", 1, {})) == []
    assert Words(empty="text").of(Part("x", 1, {"text": ""})) == []
    with pytest.raises(InputError, match="expected a list at words, got 'null'"):
        Words().of(Part("x", 1, {}))


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3),
    st.sampled_from(["1.5", "2s", "\ud800", "das", 0.5, 0, 1, -0.02, 10**400]),
    st.just([]), st.just({}),
)  # fmt: skip
TABLES = st.builds(
    Words, per_second=st.sampled_from([1.0, 1000.0]), may_lack_times=st.booleans(),
    whole=st.sampled_from(["", "whole units"]), log=st.booleans(), speakers=st.booleans(),
    duration=st.sampled_from(["", "end"]), unnamed=st.sampled_from([None, ("type", ("x",))]),
)  # fmt: skip
ROWS = st.dictionaries(
    st.sampled_from(["word", "start", "end", "confidence", "type", "speaker"]), VALUES
)


@given(TABLES, ROWS)
def test_a_plain_word_is_what_the_careful_way_reads(table, row):
    plain = table._plain(row)
    if plain is not None:
        repairs = Repairs()
        assert table._mended(Part("x", 1, row, repairs=repairs)) == plain
        assert not repairs.found


@pytest.mark.parametrize("mass", [10**400, -(10**400), float("nan"), -1e12, 2, "1"])
def test_numbers_that_are_no_logarithms_are_read_with_care(mass):
    assert Words(log=True)._plain(DAS | {"confidence": mass}) is None


def parsed(value, *shapes):
    content = io.BytesIO(json.dumps(value).encode())
    return list(networks_in(declared(*shapes)(content, "talk", ReaderOptions())))


def test_shapes_of_documents():
    shapes = (
        Shape(when=lambda one: one.has("n_best"), words=Words(), alternatives="n_best", score="s"),
        Shape(when=lambda one: one.has("partial"), words=None),
        Shape(words=Words(), at="parts", channel="channel", speakers=True, languages=True),
    )
    part = {"words": [DAS, HAUS], "channel": 1, "speaker": "Anna", "language": "de"}
    (network,) = parsed([{"partial": "d"}, {"parts": [part]}], *shapes)
    assert network.words == ("das", "haus")
    assert (network.recording.channel, network.speaker, network.language) == (2, "Anna", "de")
    one, other = {"words": [DAS], "s": 0.0}, {"words": [DAS | {"word": "dass"}], "s": 0.0}
    (network,) = parsed({"n_best": [one, other]}, *shapes)
    assert network.words == ("das", "dass")
    assert network.posteriors.tolist() == [0.5, 0.5]


def test_long_utterances_are_cut_and_written_ones_made_bare():
    rows = [DAS | {"word": "Das,"}, {"word": "[Musik]", "start": 0.3, "end": 0.4}]
    later = [{"word": "Haus.", "start": 5.0, "end": 5.4}]
    shape = Shape(words=Words(), pauses=True, written=True)
    assert [one.words for one in parsed({"words": rows + later}, shape)] == [("Das",), ("Haus",)]


def test_times_of_utterances_and_answers_without_words():
    shape = Shape(words=Words(), is_timed=True, expected="the service's words")
    (network,) = parsed({"start": 0.0, "end": 2.0, "words": [DAS]}, shape)
    assert (network.start_ms, network.end_ms) == (0, 2000)
    with pytest.raises(InputError, match="expected the service's words, got an error of the ser"):
        parsed({"status": "error", "error": "too short"}, shape)


def test_sets_of_keys():
    looks_like = has_keys("a b", "c")
    assert looks_like(b'{"b": 1, "a": 2}')
    assert looks_like(b'{"c": 1}')
    assert not looks_like(b'{"a": "bc", "ab": 1}')
