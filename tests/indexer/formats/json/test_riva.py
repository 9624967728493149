"""Riva: words in milliseconds, alternatives, streams."""

import math

import pytest

from tests.indexer.formats.json.conftest import read, refusal, said, words


def of_riva(*alternatives, **more):
    return {"results": [{"alternatives": [*alternatives], "audioProcessed": 0.7, **more}]}


def riva_words(*tokens, confidence=1.0):
    return [
        {"startTime": 210 * i, "endTime": 210 * (i + 1), "word": token, "confidence": confidence}
        for i, token in enumerate(tokens)
    ]


def test_riva_spelled_as_in_the_protocol():
    value = {"results": [{"alternatives": [{"transcript": "das", "words": [
        {"start_time": 0, "end_time": 210, "word": "das", "confidence": 0.97}]}],
        "channel_tag": 2, "audio_processed": 0.7}]}  # fmt: skip
    (network,) = read("riva", value)
    assert said(network) == [{"das": (0.97, 0, 210)}]
    assert network.recording.channel == 2


@pytest.mark.parametrize(
    ("scores", "weight"),
    [
        ((0.9, 0.6), 0.6),  # of 1.5
        ((-1.0, -2.0), 1 / (1 + math.exp(-1))),
        ((0.0, 0.0), 0.5),  # no confidences
    ],
)
def test_riva_alternatives(scores, weight):
    value = of_riva(
        {"transcript": "das", "confidence": scores[0], "words": riva_words("das")},
        {"transcript": "dass", "confidence": scores[1]},
    )
    (network,) = read("riva", value)
    weight = round(weight, 4)
    assert said(network) == [{"das": (weight, 0, 210), "dass": (round(1 - weight, 4), 0, 210)}]


def test_riva_results_of_a_stream():
    value = of_riva({"transcript": "das", "words": riva_words("das")}, stability=0.1)
    final = of_riva({"transcript": "das haus", "words": riva_words("das", "haus")}, isFinal=True)
    assert words(read("riva", (value, final))) == ["das haus"]


def test_riva_without_words_lasts_from_the_result_before():
    one, other = of_riva({"transcript": "das"}), of_riva({"transcript": "haus"}, audioProcessed=1.5)
    found = read("riva", (one, other))
    assert [(one.start_ms, one.end_ms) for one in found] == [(0, 700), (700, 1500)]


def test_riva_takes_no_seconds():
    value = of_riva({"transcript": "das", "words": [{"endTime": "1.3s", "word": "das"}]})
    assert refusal("riva", value).expected.startswith("milliseconds at ")


def test_riva_leaves_out_a_start_of_zero_and_no_other():
    rows = [{"word": "das", "endTime": 210}, {"word": "haus", "endTime": 650}]
    value = of_riva({"transcript": "das haus", "words": rows})
    assert refusal("riva", value).expected.startswith("a word with its start")
    (network,) = read("riva", of_riva({"transcript": "das haus", "words": rows[:1]}))
    assert network.spans_ms.tolist() == [[0, 210]]
