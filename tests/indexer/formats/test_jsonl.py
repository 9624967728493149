import io
import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import jsonl
from indexer.networks.columns import utterances_of
from std.errors import InputError
from std.fields import numbered
from std.values import Recording
from tests.indexer.formats.both_ways import plain, require_agreement
from tests.networks import networks_in

GERMAN = Path(__file__).parents[2] / "data" / "asr" / "german"

ONE = {
    "utt": "u1",
    "file": "news",
    "channel": 2,
    "start": 0.0,
    "end": 1.2,
    "slots": [
        {"s": 0.1, "e": 0.31, "eps": 0.0, "w": [["das", 0.9, 0.1, 0.31], ["dass", 0.1, 0.1, 0.32]]},
        {"s": 0.31, "e": 1.0, "eps": 0.2, "w": [["polizei", 0.8, 0.31, 1.0005]]},
    ],
}


def line(**changes):
    return json.dumps({**ONE, **changes}, ensure_ascii=False).encode() + b"\n"


def slot(**changes):
    return line(slots=[{**ONE["slots"][0], **changes}])


def word(*row):
    return slot(w=[list(row)])


def parse(content, path="ours.jsonl"):
    return list(networks_in(jsonl.parse(io.BytesIO(content), path)))


def carefully(content, path="ours.jsonl"):
    lines = list(enumerate(io.BytesIO(content), start=1))
    return list(utterances_of(jsonl.parse_strictly(lines, path, Recording("ours", 1)), path))


def test_a_posterior_that_is_0_in_the_index_is_no_word():
    """The index has single precision, and phrases take logarithms."""
    (network,) = parse(slot(w=[["das", 0.9, 0.1, 0.3], ["dass", 1e-46, 0.1, 0.3]]))
    assert network.words == ("das",)


def test_example():
    (network,) = parse(line())
    assert network.recording == Recording("news", 2)
    assert (network.utterance, network.start_ms, network.end_ms) == ("u1", 0, 1200)
    assert network.words == ("das", "dass", "polizei")
    assert network.slot_spans_ms.tolist() == [[100, 310], [310, 1000]]
    assert network.spans_ms.tolist() == [[100, 310], [100, 320], [310, 1000]]
    np.testing.assert_allclose(network.posteriors, [0.9, 0.1, 0.8], rtol=1e-6)
    np.testing.assert_allclose(network.epsilons, [0, 0.2], rtol=1e-6)


def test_times_may_be_estimates():
    slots = [{**ONE["slots"][0], "err": 0.45}, ONE["slots"][1]]
    content = line(slots=slots) + line(utt="u2")
    for read in (parse, carefully):
        first, second = networks_in(read(content)) if read is carefully else read(content)
        assert first.slot_errors_ms.tolist() == [450, 0]
        assert second.slot_errors_ms is None or not second.slot_errors_ms.any()
        assert (first.times_estimated, second.times_estimated) == (True, False)
    sink = io.BytesIO()
    jsonl.dump(parse(content), sink)
    assert sink.getvalue().count(b'"err": 0.45') == 1
    for wrong in (-0.1, 1e300, "x", None):
        with pytest.raises(InputError, match=r"ours.jsonl:1: expected an? (error of times|number)"):
            parse(slot(err=wrong))


def test_what_may_be_left_out():
    content = (
        b'{"utt": "u", "slots": [{"w": [["an", 1]]}, {"w": [["zu", 1]]}], "start": 1, "end": 2}'
    )
    (network,) = parse(content, "folder/ours.jsonl.gz")
    assert network.recording == Recording("ours", 1)
    assert network.slot_spans_ms.tolist() == [[1000, 1500], [1500, 2000]]
    assert network.times_estimated


def test_the_fast_way_is_taken_and_equals_the_careful_one():
    content = (GERMAN / "networks.jsonl").read_bytes()
    lines = list(enumerate(io.BytesIO(content), start=1))
    assert jsonl._parse_in_bulk(lines, Recording("news", 1))
    assert [plain(one) for one in parse(content)] == [plain(one) for one in carefully(content)]
    assert len(parse(content)) == 10


def test_the_fast_way_is_taken_for_escapes_and_every_spelling_of_a_number():
    one = {**ONE, "utt": "\u00e4\U0001f600", "file": "a\u00df"}
    content = json.dumps(one).encode().replace(b"0.31", b"31E-2").replace(b"1.2}", b"1.20}")
    assert b"\\u00e4\\ud83d\\ude00" in content
    columns = jsonl._parse_in_bulk([(1, content)], Recording("ours", 1))
    assert columns is not None
    assert columns.utterances == ["\u00e4\U0001f600"]
    assert [plain(one) for one in parse(content)] == [plain(one) for one in carefully(content)]


@given(st.floats(0, 1), st.floats(0, 1e6), st.floats(0, 60))
def test_numbers_are_read_to_the_last_bit(posterior, start, duration):
    content = word("an", posterior, start, start + duration)
    fast = jsonl._parse_in_bulk([(1, content)], Recording("ours", 1))
    assert fast is not None
    assert fast.posteriors.tolist() == [posterior]
    assert fast.spans_s.tolist() == [[start, start + duration]]


def test_what_is_written_is_read():
    stream = io.BytesIO()
    written = list(networks_in(parse_file(GERMAN / "networks.jsonl")))
    jsonl.dump(written, stream)
    assert [plain(one) for one in parse(stream.getvalue())] == [plain(one) for one in written]


def test_blank_lines_order_mark_and_escapes():
    content = b"\xef\xbb\xbf" + b"\n" + line(utt="wei\u00df") + b"\n" + line(utt="\\u00e4")
    assert [one.utterance for one in parse(content)] == ["weiß", "\\u00e4"]
    escaped = json.dumps({**ONE, "utt": "weiß"}).encode()
    assert [one.utterance for one in parse(escaped)] == ["weiß"]


def test_many_lines_and_their_numbers(monkeypatch):
    monkeypatch.setattr(jsonl, "BYTES_AT_ONCE", 2 * len(line()))
    assert [one.utterance for one in parse(b"".join(line(utt=f"u{i}") for i in range(5)))] == [
        f"u{i}" for i in range(5)
    ]
    with pytest.raises(InputError) as caught:
        parse(line() * 4 + word("an", 2, 0, 1))
    assert caught.value.line == 5


def test_absurdly_long_lines_are_refused(monkeypatch):
    monkeypatch.setattr(jsonl, "numbered", partial(numbered, longest=1000))
    with pytest.raises(InputError) as caught:
        parse(line() + b'{"utt": "' + 1000 * b"x")
    assert (caught.value.line, caught.value.expected) == (2, "lines of at most 1000 bytes")


ERRORS = [
    ("empty", b"", 0, "utterances, one JSON object per line"),
    ("only blank lines", b"\n\n", 0, "utterances, one JSON object per line"),
    ("cut short", line()[:50], 1, "JSON ("),
    ("second line", line() + b"oops\n", 2, "JSON ("),
    ("not UTF-8", line().replace(b"dass", b"da\xdf"), 1, "UTF-8 text"),
    ("a list", b"[]", 1, "one JSON object per line"),
    ("of several lines", b'{\n"utt": 1}', 1, "one JSON object per line"),
    ("lists in lists", b'{"utt":' + b"[" * 10**6, 1, "JSON ("),
    ("lists in lists, closed", b'{"utt":' + b"[" * 10**6 + b"]" * 10**6 + b"}", 1, "JSON ("),
    ("objects in objects", b'{"a":' * 10**6, 1, "JSON ("),
    ("no utt", line().replace(b'"utt"', b'"id"'), 1, 'the key "utt"'),
    ("utt a number", line(utt=1), 1, "text as utt"),
    ("file empty", line(file=""), 1, "text as file"),
    ("channel text", line(channel="1"), 1, "a channel number"),
    ("channel negative", line(channel=-1), 1, "a channel number"),
    ("channel huge", line(channel=10**30), 1, "a channel number"),
    ("channel true", line(channel=True), 1, "a channel number"),
    ("no slots", line(slots=None), 1, 'a list "slots"'),
    ("slot a list", line(slots=[[]]), 1, "a JSON object"),
    ("no words", slot(w=None), 1, 'a list "w"'),
    ("word a string", slot(w=["an"]), 1, "[word, posterior, start, end]"),
    ("word of three", word("an", 1, 0), 1, "[word, posterior, start, end]"),
    ("word a number", word(7, 1, 0, 1), 1, "text as a word"),
    ("word with a blank", word("an ab", 1, 0, 1), 1, "a word without blanks"),
    ("word with a line break", word("an\nab", 1, 0, 1), 1, "a word without blanks"),
    ("word empty", word("", 1, 0, 1), 1, "text as a word"),
    ("half a surrogate", line().replace(b"dass", b"\\ud800"),
     1, "text as a word"),
    ("posterior text", word("an", "1", 0, 1), 1, "a number as a posterior"),
    ("posterior null", word("an", None, 0, 1), 1, "a number as a posterior"),
    ("posterior NaN", word("an", float("nan"), 0, 1), 1, "JSON (a finite number, got NaN)"),
    ("posterior huge", word("an", 10**400, 0, 1), 1, "a posterior in [0, 1]"),
    ("posterior 1e999", word("an", 1, 0, 1).replace(b", 1, 0, 1", b", 1e999, 0, 1"), 1,
     "a posterior in [0, 1]"),
    ("posterior over 1", word("an", 1.5, 0, 1), 1, "a posterior in [0, 1]"),
    ("sum over 1", slot(eps=0.5), 1, "posteriors summing to 1"),
    ("time text", word("an", 1, "0", 1), 1, "a number as a word's time"),
    ("time negative", word("an", 1, -1, 1), 1, "0 <= start <= end"),
    ("end before start", word("an", 1, 1, 0), 1, "0 <= start <= end"),
    ("word too long", word("an", 1, 0, 66), 1, "a word of at most 65.535 s"),
    ("half a span", line(slots=[{"s": 1, "w": []}]), 1, "a number as e"),
    ("utterance runs backwards", line(start=2, end=1), 1, "0 <= start <= end"),
    ("slots out of order", line(slots=ONE["slots"][::-1]), 1, "slots in time order"),
    ("no times", b'{"utt": "u", "slots": [{"w": [["an", 1]]}]}', 1, "times of its words"),
]  # fmt: skip


@pytest.mark.parametrize("row", ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_name_the_line(row):
    _, content, number, expected = row
    with pytest.raises(InputError) as caught:
        parse(content)
    assert (caught.value.line, str(caught.value.path)) == (number, "ours.jsonl")
    assert expected in caught.value.expected


CONTENT = line() + line(utt="u2")
PIECES = [
    b"NaN",
    b"-1",
    b"1e999",
    b"\xff",
    b"\n",
    b'"',
    b"]",
    b"}",
    b"null",
    b"true",
    b'"a"',
    b"[" * 9,
    b"-0",
    b"1E-3",
    b"0.1234567890123456789",
    b"99999999999999999999",
    b"\\u00e4",
    b"\\ud800",
    b"\\n",
    b", ",
    b"\t",
    b"\f",
]


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(CONTENT)), st.integers(0, 12), st.sampled_from(PIECES)),
        min_size=1,
        max_size=2,
    )
)
def test_any_bytes_give_networks_or_an_input_error(edits):
    """And what the fast way accepts, the careful way reads the same."""
    require_agreement(CONTENT, edits, parse, carefully)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2) | st.floats() | st.sampled_from(["", "a"]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["utt", "slots", "s", "e", "w", "eps", "file"]), inner)
    ),
    max_leaves=12,
)


@settings(max_examples=100)
@given(values, st.sampled_from([*ONE, "s", "e", "w", "eps"]))
def test_any_json_gives_networks_or_an_input_error(value, key):
    content = line(**{key: value}) if key in ONE else slot(**{key: value})
    try:
        expected = [plain(one) for one in carefully(content)]
    except InputError:
        with pytest.raises(InputError):
            parse(content)
    else:
        assert [plain(one) for one in parse(content)] == expected


@pytest.mark.parametrize("key", ["utt", "slots", "w"])
@pytest.mark.parametrize("as_list", [False, True])
def test_a_missing_key_is_named_and_no_other_reader_takes_posteriors_for_times(
    tmp_path, key, as_list
):
    own = json.loads(line())
    del (own["slots"][0] if key == "w" else own)[key]
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps([own] if as_list else own))
    with pytest.raises(InputError) as caught:
        list(parse_file(path))
    expected = "one JSON object per line" if as_list and key != "slots" else f'the key "{key}"'
    assert as_list or expected in caught.value.expected


def test_epsilon_may_be_missing(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(
        json.dumps({"utt": "u", "slots": [{"s": 0, "e": 0.5, "w": [["die", 0.9, 0, 0.5]]}]})
    )
    (network,) = networks_in(parse_file(path))
    assert network.spans_ms.tolist() == [[0, 500]]
