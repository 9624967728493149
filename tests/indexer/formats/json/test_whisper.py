"""The Whisper family: OpenAI's words and segments, Transformers' chunks, whisper.cpp's tokens."""

import json

import pytest

from std.errors import InputError
from tests.indexer.formats.json.conftest import DAS_HAUS, SURE, read, said, words


def whisper_words(confidence="probability", key="word"):
    return [
        {key: " Das", "start": 0.0, "end": 0.21, confidence: 0.97},
        {key: " Haus.", "start": 0.21, "end": 0.65, confidence: 0.8},
    ]


SEGMENT = {"id": 0, "start": 0.0, "end": 0.7, "text": " Das Haus."}
WHISPER = {
    "rows, as a named tuple becomes in JSON": [
        {**SEGMENT, "avg_logprob": -0.2,
         "words": [[0.0, 0.21, " Das", 0.97], [0.21, 0.65, " Haus.", 0.8]]}
    ],
    "one object per line": json.dumps(
        {**SEGMENT, "avg_logprob": -0.2, "words": whisper_words()}
    ).encode() + b"\n\n",
    "words beside segments": {
        "task": "transcribe", "language": "german", "text": "Das Haus.",
        "segments": [SEGMENT], "words": whisper_words(),
    },
    "words without segments": {"language": "de", "text": "Das Haus.", "words": whisper_words()},
    "word_segments": {"segments": [SEGMENT], "word_segments": whisper_words("score", "text")},
    "words that are tokens, with marks": {
        "text": " Das Haus.", "language": "german", "segments": [{**SEGMENT, "words": [
            {"word": "[_BEG_]", "start": 0.0, "end": 0.0},
            {"word": " D", "start": 0.0, "end": 0.1, "t_dtw": -1, "probability": 0.98},
            {"word": "as", "start": 0.1, "end": 0.21, "t_dtw": -1, "probability": 0.96},
            {"word": " Haus", "start": 0.21, "end": 0.65, "t_dtw": -1, "probability": 0.8},
            {"word": ".", "start": 0.65, "end": 0.7, "t_dtw": -1, "probability": 0.1},
        ]}],
    },
    "what nobody reads may be NaN": b'{"text": "", "segments": [{"start": 0, "end": 1, "text": "",'
    b' "avg_logprob": NaN, "words": [{"word": "Das", "start": 0, "end": 0.21, "probability": 0.97},'
    b' {"word": "Haus", "start": 0.21, "end": 0.65, "probability": 0.8}]}]}',
}  # fmt: skip


@pytest.mark.parametrize("value", WHISPER.values(), ids=WHISPER)
def test_whisper(value):
    (network,) = read("whisper", value)
    assert said(network) == DAS_HAUS
    assert not network.times_estimated


@pytest.mark.parametrize(
    "value",
    [
        {"text": "", "segments": [], "language": "de"},
        {"segments": [], "word_segments": [], "language": "de"},
        {"text": "", "segments": [{**SEGMENT, "text": " [leise Musik]"}]},
        {"text": "", "segments": [{**SEGMENT, "words": [{"word": "[Musik]", "start": 0}]}]},
    ],
)  # fmt: skip
def test_whisper_hears_nothing(value):
    assert read("whisper", value) == []


def test_whisper_what_stands_in_brackets_was_not_said():
    tokens = [" [leise", " Musik]", " Das", " [*]", " Haus", " [oder"]
    said_at = [{"word": one, "start": i, "end": i + 1} for i, one in enumerate(tokens)]
    segment = {"start": 0, "end": 6, "text": "", "words": said_at}
    assert words(read("whisper", {"text": "", "segments": [segment]})) == ["Das Haus oder"]


def test_transformers_words_make_utterances_by_pauses():
    chunks = [
        {"timestamp": [0.0, 0.21], "text": " Das"}, {"timestamp": [0.21, 0.65], "text": " Haus."},
        {"timestamp": [3.0, None], "text": " Ja"},
    ]  # fmt: skip
    first, second = read("whisper", {"speakers": [], "chunks": chunks, "text": "Das Haus. Ja"})
    assert said(first) == SURE
    assert said(second) == [{"ja": (1, 3000, 3000)}]


def test_transformers_phrases_share_their_time():
    chunks = [
        {"text": " Das gute", "timestamp": [1.0, None]},
        {"text": " Haus.", "timestamp": [3.0, 4.0]},
    ]
    first, second = read("whisper", {"text": "", "chunks": chunks})
    assert said(first) == [{"das": (1, 1000, 1857)}, {"gute": (1, 1857, 3000)}]
    assert first.times_estimated
    assert said(second) == [{"haus": (1, 3000, 4000)}]


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


def test_linto_calls_a_confidence_conf():
    segment = {**SEGMENT, "words": whisper_words("conf")}
    (network,) = read("whisper", {"segments": [segment], "confidence_score": 0.9, "language": "de"})
    assert [round(float(mass), 2) for mass in network.posteriors] == [0.97, 0.8]
