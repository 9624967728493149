"""whisper.cpp: segments, tokens that are parts of words, letters in pieces."""

import json

import pytest

from std.errors import InputError
from tests.indexer.formats.json.conftest import SURE, read, said, words


def cpp(*segments):
    return {"transcription": [
        {"offsets": {"from": start, "to": end}, "text": text} | more
        for start, end, text, more in segments
    ]}  # fmt: skip


def cpp_token(text, start, end, p):
    return {"text": text, "p": p, "offsets": {"from": start, "to": end}}


def test_whisper_cpp_words_as_segments():
    """What -ml 1 writes: a segment per token."""
    pieces = [(0, 0, "", {}), (0, 100, " D", {}), (100, 210, "as", {}), (210, 600, " Haus", {}),
              (600, 650, ".", {}), (2000, 2100, " Ja", {})]  # fmt: skip
    first, second = read("whisper", cpp(*pieces))
    assert said(first) == [*SURE[:1], {"haus": (1, 210, 600)}]
    assert said(second) == [{"ja": (1, 2000, 2100)}]


def test_whisper_cpp_marks_within_texts():
    (network,) = read("whisper", cpp((0, 600, " Das Haus[_TT_30]", {})))
    assert network.words == ("Das", "Haus")


def test_whisper_cpp_single_words_without_blanks_stay_apart():
    assert words(read("whisper", cpp((0, 900, "你好", {}), (900, 1500, "再见", {})))) == [
        "你好",
        "再见",
    ]


def test_whisper_cpp_letters_split_over_tokens():
    """The bytes of a letter may stand in two tokens: the file as a whole is no UTF-8."""
    tokens = [cpp_token(" T@", 0, 100, 0.9), cpp_token("$r", 100, 400, 0.7)]
    content = json.dumps(cpp((0, 500, " T@$r", {"tokens": tokens}))).encode()
    content = content.replace(b"@", b"\xc3").replace(b"$", b"\xbc")
    assert said(*read("whisper", content)) == [{"tür": (0.8, 0, 400)}]


def test_whisper_cpp_letters_in_pieces_are_refused():
    content = json.dumps(cpp((0, 500, " T@r", {}))).encode().replace(b"@", b"\xfc")  # Latin-1
    with pytest.raises(InputError, match=r"UTF-8 text at transcription\[0\].text"):
        read("whisper", content)


def test_whisper_cpp_tokens_without_times():
    tokens = [{"text": " Das", "p": 0.9}, {"text": " Haus", "p": 0.8}]
    (network,) = read("whisper", cpp((0, 700, " Das Haus", {"tokens": tokens})))
    assert said(network) == [{"das": (0.9, 0, 300)}, {"haus": (0.8, 300, 700)}]
    assert network.times_estimated
