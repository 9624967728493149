import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import InputError
from std.nist import rttm
from std.values import Recording

NIST = Path(__file__).parents[2] / "data" / "nist"
WORD = "LEXEME d/f.sph 1 0.5 0.25 Straße lex anna <NA>"


def parse(text, encoding="UTF-8"):
    return rttm.parse(io.BytesIO(text.encode(encoding)), "ref.rttm", encoding)


def test_reads_words():
    words = parse(f";; comment\n\n{WORD}\nspeaker f 1 0 9 <NA> <NA> anna <NA> ;; more\n{WORD}")
    assert words.words == ("Straße", "Straße")
    assert words.recordings == (Recording("f", 1),)
    assert (words.speakers, words.subtypes) == (("anna",), ("lex", "lex"))
    assert (words.start_s.tolist(), words.duration_s.tolist()) == ([0.5, 0.5], [0.25, 0.25])


def test_reads_ten_columns():
    # As md-eval, dscore, pyannote and meeteval write it: the tenth is signal look-ahead time.
    turn = "SPEAKER f 1 0.5 2.25 <NA> <NA> anna <NA> <NA>\n"
    content = f"{turn}{WORD} <NA>\n{WORD}\n{turn}".encode()
    for text in (content, content + b";; the slow way\n"):
        words = rttm.parse(io.BytesIO(text))
        turns = rttm.parse_turns(io.BytesIO(text))
        assert (words.words, words.speakers) == (("Straße", "Straße"), ("anna",))
        assert (turns.start_s.tolist(), turns.duration_s.tolist()) == ([0.5, 0.5], [2.25, 2.25])
        assert (turns.speakers, turns.speaker.tolist()) == (("anna",), [0, 0])


def test_types_with_and_without_a_hyphen():
    # All types in the RTTM files of F4DE's tests, none of which says a word but LEXEME.
    types = (
        *("CB", "EDIT", "FILLER", "IP", "NON-LEX", "NON-SPEECH", "NONLEX", "NONSPEECH", "NOSCORE"),
        *("NO_RT_METADATA", "SEGMENT", "SPEAKER", "SPKR-INFO", "SU", "A/P"),
    )
    lines = [f"{one} f 1 <NA> <NA> <NA> <NA> anna <NA>" for one in types]
    assert parse("\n".join([*lines, WORD, *map(str.lower, lines)])).words == ("Straße",)


def test_reads_a_whole_set():
    with gzip.open(NIST / "s9" / "ref.rttm.gz") as stream:
        words = rttm.parse(stream)
    with gzip.open(NIST / "s9" / "ref.rttm.gz") as stream:
        turns = rttm.parse_turns(stream)
    # 2164 LEXEME and 211 SPEAKER lines: counted with grep.
    assert (len(words.words), len(turns.start_s)) == (2164, 211)


lines = st.lists(
    st.sampled_from(
        [
            WORD, WORD.replace("0.5", "7"), WORD.replace(" 1 ", " 2 "), WORD.replace("x", "y"),
            "", "  ", ";; all of it", f"{WORD} ;; and more", WORD.lower(),
            "SPEAKER f 1 0 1 a b c d", "LEXEM f 1 0 1 a b c d", "LEXEME f 1 0 1 a lex s",
            "LEXEME f 1 <NA> 1 a lex s <NA>", "LEXEME f 1 0 1_0 a lex s <NA>",
            "LEXEME f 1 0 nan a lex s <NA>", "LEXEME f A 0 1 a lex s <NA>",
            "LEXEME f 1 0 inf a lex s <NA>", "LEXEME f 1 -1 1 a lex s <NA>", "\ufeff",
            "LEXEME f 1 0 1 a b lex s <NA>", "LEXEME f 1 0 1 a lex s .5 <NA>",
        ]
    ),
    max_size=6,
)  # fmt: skip


@given(lines)
def test_whole_blocks_and_single_lines_are_read_alike(some):
    content = [f"{line}\n".encode() for line in some]
    valid = rttm._valid_rows(content, "utf-8", "LEXEME", set())
    try:
        one_by_one = list(rttm._check(content, 2, "ref.rttm", "UTF-8", "LEXEME", set()))
    except InputError:
        one_by_one = None
    assert valid is None or valid == one_by_one


def test_errors_beyond_the_first_block_name_their_line():
    text = f"{WORD}\n" * 2000 + WORD.replace("0.5", "x") + "\n"
    with pytest.raises(InputError, match=r"ref.rttm:2001: expected start"):
        parse(text)
    assert len(parse(f"{WORD}\n" * 2000).words) == 2000


def test_reads_gb2312_and_a_byte_order_mark():
    assert parse("LEXEME f 1 0 1 中国 lex s <NA>\n", "gb2312").words == ("中国",)
    assert parse(f"\ufeff{WORD}\n").words == ("Straße",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (WORD.replace("anna", ""), "ref.rttm:2: expected 9 or 10 columns, got"),
        (f"{WORD} <NA> <NA>", "ref.rttm:2: expected 9 or 10 columns"),
        (
            WORD.replace("Straße", "New York"),
            "a number or <NA> as column 9, the confidence, got 'anna'",
        ),
        (WORD.replace("LEXEME", "LEXEM"), "expected an RTTM type such as LEXEME, got 'LEXEM'"),
        (WORD.replace("0.5", "<NA>"), "start as a number from 0 to 1000000000, got '<NA>'"),
        (WORD.replace("0.5", "-1"), "start as a number from 0 to 1000000000"),
        (WORD.replace("0.25", "nan"), "duration as a number from 0 to 1000000000"),
        (WORD.replace("0.25", "inf"), "duration as a number from 0 to 1000000000"),
        (WORD.replace("0.25", "1e300"), "to 1000000000, got '1e300'"),
        (WORD.replace(" 1 ", " A "), "channel as a whole number from 0 to 9999, got 'A'"),
        (WORD.replace(" 1 ", f" {'1' * 5000} "), "channel as a whole number from 0 to 9999"),
    ],
)
def test_refused(line, message):
    with pytest.raises(InputError) as caught:
        parse(f"{WORD}\n{line}\n")
    assert message in str(caught.value)


def test_refuses_another_encoding_and_an_unknown_one():
    with pytest.raises(InputError, match=r"ref.rttm:1: expected ASCII text"):
        rttm.parse(io.BytesIO(WORD.encode()), "ref.rttm", "ASCII")
    with pytest.raises(InputError, match="UTF-8, GB2312 or ASCII, got 'klingon'"):
        rttm.parse(io.BytesIO(WORD.encode()), "ref.rttm", "klingon")


def test_written_is_read_back():
    with gzip.open(NIST / "s1" / "ref.rttm.gz") as stream:
        words = rttm.parse(stream)
    out = io.BytesIO()
    rttm.dump(words, out)
    out.seek(0)
    back = rttm.parse(out)
    assert (back.words, back.subtypes, back.speakers) == (
        words.words,
        words.subtypes,
        words.speakers,
    )
    assert back.recordings == words.recordings
    assert back.start_s.tolist() == words.start_s.tolist()
    assert back.duration_s.tolist() == words.duration_s.tolist()
    assert back.recording.tolist() == words.recording.tolist()


def test_words_with_spaces_are_not_written():
    words = parse(WORD)
    spaced = type(words)(
        words.recordings, words.speakers, words.recording, words.speaker, words.start_s,
        words.duration_s, ("two words",), words.subtypes,
    )  # fmt: skip
    with pytest.raises(ValueError, match="two words"):
        rttm.dump(spaced, io.BytesIO())
