import io
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import ctm
from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.nonwords import Nonwords
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

GERMAN = Path(__file__).parents[2] / "data" / "asr" / "german"

EXAMPLE = """\
;; a comment
news.sph 1 0.00 0.21 das 0.97
news.sph 1 0.21 0.44 Polizei 0.5

news.sph 1 3.00 0.36 gewalt
news.sph B 0.10 0.20 ja 1.0 lex spk1
"""

# NIST SCTK's ctm description: alternatives of equal status, @ for "nothing said".
ALTERNATION = """\
f1 1 11.50 0.40 well
f1 1 * * <ALT_BEGIN>
f1 1 12.00 0.34 um
f1 1 * * <ALT>
f1 1 12.00 0.34 uh
f1 1 * * <ALT>
f1 1 * * @
f1 1 * * <ALT_END>
f1 1 12.40 0.30 yes
"""


def parse(text, path="news.ctm"):
    content = text if isinstance(text, bytes) else text.encode()
    return list(networks_in(ctm.parse(io.BytesIO(content), path)))


def rows(network):
    return [
        (s.start_ms, s.end_ms, round(s.epsilon, 6), [(a.word, round(a.posterior, 6)) for a in s[3]])
        for s in network
    ]


def test_a_byte_order_mark_and_empty_lines_before(tmp_path):
    path = tmp_path / "x.txt"
    for before in ("\ufeff", "\n\n", "\ufeff\n"):
        path.write_text(before + EXAMPLE)
        assert [one.recording.file for one in networks_in(parse_file(path))] == ["news"] * 3


def test_eight_columns_without_a_confidence():
    """NeMo's and NIST's: FILE CHANNEL START DURATION WORD NA TYPE SPEAKER."""
    (network,) = parse("u1 1 0.00 0.21 das NA lex NA\nu1 1 0.21 0.44 haus NA lex NA\n")
    assert rows(network) == [(0, 210, 0, [("das", 1)]), (210, 650, 0, [("haus", 1)])]


def test_many_recordings_are_read_in_parts(monkeypatch):
    text = "".join(f"f{i} 1 0 1 das\nf{i} 1 1 1 haus{i}\n" for i in range(5))
    at_once = [(one.recording, one.utterance, rows(one)) for one in parse(text)]
    monkeypatch.setattr(ctm, "SLOTS_AT_ONCE", 3)
    assert [(one.recording, one.utterance, rows(one)) for one in parse(text)] == at_once
    assert len(at_once) == 5


def test_rover_writes_no_confidence_as_minus_one():
    (network,) = parse("f1 1 0.00 0.21 das -1.000000\n")
    assert rows(network) == [(0, 210, 0, [("das", 1)])]


def test_alternatives_as_long_as_a_corpus_are_refused():
    mark = "f1 1 * * <ALT{}>\n".format
    words = ["".join(f"f1 1 {i} 1 {word}{i}\n" for i in range(4000)) for word in "ab"]
    text = mark("_BEGIN") + words[0] + mark("") + words[1] + mark("_END")
    with pytest.raises(InputError, match=r"news.ctm:1: expected alternatives of an utterance"):
        parse(text)


def test_example():
    first, second, third = parse(EXAMPLE)
    assert (first.recording, first.utterance) == (Recording("news", 1), "news-1")
    assert rows(first) == [
        (0, 210, 0.03, [("das", 0.97)]),
        (210, 650, 0.5, [("Polizei", 0.5)]),
    ]
    assert (second.recording, second.utterance) == (Recording("news", 1), "news-2")  # a pause
    assert rows(second) == [(3000, 3360, 0, [("gewalt", 1)])]
    assert (third.recording, third.utterance) == (Recording("news", 2), "news-1")
    assert (second.start_ms, second.end_ms) == (3000, 3360)


def test_alternatives_share_equally():
    (network,) = parse(ALTERNATION)
    assert rows(network) == [
        (11500, 11900, 0, [("well", 1)]),
        (12000, 12340, round(1 / 3, 6), [("um", 0.333333), ("uh", 0.333333)]),
        (12400, 12700, 0, [("yes", 1)]),
    ]


def test_alternatives_with_confidence_keep_it_and_sum_to_one():
    with_confidence = ALTERNATION.replace(" um", " um 0.9").replace(" uh", " uh 0.9")
    (network,) = parse(with_confidence)
    assert rows(network)[1] == (12000, 12340, 0, [("um", 0.5), ("uh", 0.5)])


def test_alternatives_of_several_words():
    longer = ALTERNATION.replace(
        "f1 1 12.00 0.34 uh\n", "f1 1 12.00 0.14 oh\nf1 1 12.14 0.20 no\n"
    ).replace("f1 1 * * <ALT>\nf1 1 * * @\n", "")
    (network,) = parse(longer)
    # "um" shares .20 of .20 s with "no" and .14 of .14 s with "oh": it stands beside one of them
    assert [len(words) for _, _, _, words in rows(network)] in ([1, 2, 1, 1], [1, 1, 2, 1])
    assert {word for _, _, _, words in rows(network)[1:3] for word in words} == {
        ("oh", 0.5), ("no", 0.5), ("um", 0.5),
    }  # fmt: skip


def test_lines_may_come_in_any_order():
    lines = EXAMPLE.splitlines(keepends=True)
    assert [rows(one) for one in parse("".join(lines[:1] + lines[:0:-1]))][1:] == [
        rows(one) for one in parse(EXAMPLE)
    ][:2]


def test_overlapping_words_are_kept():
    (network,) = parse("f 1 0 1 eins\nf 1 0.5 1 zwei\n")
    assert network.slot_spans_ms.tolist() == [[0, 1000], [500, 1500]]


def test_real_one_best():
    """Every line a word: the posteriors are those of the first word of each slot."""
    found = list(networks_in(parse_file(GERMAN / "onebest.ctm")))
    lines = [line.split() for line in (GERMAN / "onebest.ctm").read_text().splitlines()]
    assert [word for one in found for word in one.words] == [fields[4] for fields in lines]
    np.testing.assert_allclose(
        np.concatenate([one.posteriors for one in found]),
        [float(fields[5]) for fields in lines],
        rtol=1e-6,
    )


def test_not_available():
    (network,) = parse("f 1 0 1 ja NA\n")
    assert network.posteriors.tolist() == [1]


ERRORS = [
    ("empty", "", 0, "words with their times"),
    ("only comments", ";; nothing\n", 0, "words with their times"),
    ("too few fields", "f 1 0.5 cat\n", 1, "5 to 8 fields"),
    ("too many fields", "f 1 0 1 a 1 lex spk more\n", 1, "5 to 8 fields"),
    ("start no number", "f 1 bald 1 a\n", 1, "a start in seconds"),
    ("duration NaN", "f 1 0 nan a\n", 1, "a duration in seconds"),
    ("negative start", "f 1 -1 1 a\n", 1, "0 <= start <= end"),
    ("negative duration", "f 1 0 1 b\nf 1 1 -1 a\n", 2, "0 <= start <= end"),
    ("confidence no number", "f 1 0 1 a hoch\n", 1, "a confidence"),
    ("confidence over 1", "f 1 0 1 a 1.5\n", 1, "a posterior in [0, 1]"),
    ("channel huge", "f 10000 0 1 a\n", 1, "a channel"),
    ("channel", "f left 0 1 a\n", 1, "a channel"),
    ("channel of 5,000 digits", f"f {'1' * 5000} 0 1 a\n", 1, "a channel"),
    ("word too long", "f 1 0 70 a\n", 1, "a word of at most 65.535 s"),
    ("not UTF-8", b"f 1 0 1 m\xfcde\n", 1, "UTF-8 text"),
    ("no ALT_END", ALTERNATION[: ALTERNATION.index("f1 1 * * <ALT_END>")], 7, "<ALT_END>"),
    ("no ALT_BEGIN", "f1 1 * * <ALT>\n", 1, "ALT_BEGIN, ALT, ALT_END"),
    ("nested", "f1 1 * * <ALT_BEGIN>\n" * 2, 2, "ALT_BEGIN, ALT, ALT_END"),
]


@pytest.mark.parametrize("row", ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_name_the_line(row):
    _, text, line, expected = row
    with pytest.raises(InputError) as caught:
        parse(text)
    assert (caught.value.line, str(caught.value.path)) == (line, "news.ctm")
    assert expected in caught.value.expected


CONTENT = (EXAMPLE + ALTERNATION).encode()


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, len(CONTENT)),
    st.integers(0, 30),
    st.sampled_from([b"nan", b"-1", b"1e999", b"\xff", b"\n", b" ", b"<ALT>", b"*"])
    | st.binary(max_size=9),
)
def test_any_bytes_give_networks_or_an_input_error(at, length, piece):
    with suppress(InputError):
        assert parse(CONTENT[:at] + piece + CONTENT[at + length :])


def test_a_headset_is_a_channel():
    (network,) = parse("meeting h02 0.0 0.5 das 0.9\n")
    assert network.recording == Recording("meeting", 2)


# The types of the RT-04 evaluation; NIST's hubscr.pl scores those of type lex only, its KWSEval
# lets neither frag nor fp begin a term.
TYPED = """\
x 1 0.0 0.2 hand- 0.9 frag
x 1 0.3 0.2 uh 0.9 FP
x 1 0.6 0.2 breath NA non-lex
x 1 0.9 0.2 tune NA misc
x 1 1.2 0.2 hand 0.9 lex
x 1 1.5 0.2 adieu 0.9 for-lex anna
x 1 1.8 0.2 Haus- 0.9
"""


def test_fragments_and_filled_pauses_are_no_words():
    for keep, words in (
        (False, ["hand", "adieu", "Haus-"]),
        (True, ["[hand-]", "[uh]", "[breath]", "[tune]", "hand", "adieu", "Haus-"]),
    ):
        nonwords = Nonwords(keep=keep)
        options = ReaderOptions(nonwords=nonwords)
        blocks = ctm.parse(io.BytesIO(TYPED.encode()), "x.ctm", options)
        assert [word for network in networks_in(blocks) for word in network.words] == words
        assert nonwords.dropped == (
            {} if keep else {"[hand-]": 1, "[uh]": 1, "[breath]": 1, "[tune]": 1}
        )


def test_optional_words_are_words():
    """SCTK's description of ctm: an optional word ``(she)``, an optional fragment ``(she-)``."""
    words = ["(she)", "(she-)", "(laughs)", "(WHO)", "(", "()"]
    text = "".join(f"x 1 {at}.0 0.2 {word} 0.9\n" for at, word in enumerate(words))
    assert [word for network in parse(text) for word in network.words] == [
        "she", "she-", "WHO", "(", "()",
    ]  # fmt: skip
