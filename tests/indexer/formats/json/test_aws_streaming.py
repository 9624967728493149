"""Events of AWS Transcribe's streams."""

import math

import pytest

from tests.indexer.formats.json.conftest import PLAIN, read, said, words


def of_item(content, at, confidence=1.0):
    return {"Content": content, "StartTime": at, "EndTime": round(at + 0.2, 2),
            "Type": "pronunciation", "Confidence": confidence}  # fmt: skip


def of_result(*alternatives, **more):
    return {
        "ResultId": "0",
        "IsPartial": False,
        "StartTime": 0.0,
        "EndTime": 0.5,
        **more,
        "Alternatives": [{"Transcript": "", "Items": [*items]} for items in alternatives],
    }


def of_event(*results):
    return {"TranscriptEvent": {"Transcript": {"Results": [*results]}}}


BEST = [of_item("das", 0.0, 0.97), of_item("haus", 0.2, 0.8)]
OF_STREAM = {
    "events": (of_event(of_result(BEST, IsPartial=True)), of_event(), of_event(of_result(BEST))),
    "in a stream": {"TranscriptResultStream": of_event(of_result(BEST))},
    "without its name": of_event(of_result(BEST))["TranscriptEvent"],
}


@pytest.mark.parametrize("value", OF_STREAM.values(), ids=OF_STREAM)
def test_aws_streams(value):
    (network,) = read("aws-streaming", value)
    assert said(network) == PLAIN


def test_aws_streams_channels_alternatives_and_redaction():
    second = [of_item("dass", 0.0, 0.5), of_item("[PII]", 0.2, 0.5)]
    (network,) = read("aws-streaming", of_event(of_result(BEST, second, ChannelId="ch_1")))
    assert network.recording.channel == 2
    one, other = math.sqrt(0.97 * 0.8), 0.5  # geometric means
    weight = round(one / (one + other), 4)
    assert said(network) == [
        {"das": (weight, 0, 200), "dass": (round(1 - weight, 4), 0, 200)},
        {"haus": (weight, 200, 400)},
    ]


def test_aws_streams_without_items_share_the_time():
    value = of_event({"IsPartial": False, "StartTime": 1.0, "EndTime": 1.7,
                      "Alternatives": [{"Transcript": "Das Haus."}]})  # fmt: skip
    (network,) = read("aws-streaming", value)
    assert (words([network]), network.start_ms, network.end_ms) == (["Das Haus"], 1000, 1700)
    assert network.times_estimated
