"""The Whisper family: OpenAI's words and segments, Transformers' chunks."""

import json

import pytest

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
