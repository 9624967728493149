"""AWS Transcribe: channels, redaction, items without times, Call Analytics; events of streams."""

import math

import pytest

from std.errors import InputError
from tests.indexer.formats.json.conftest import PLAIN, read, said, words


def aws_item(content, start, end, confidence="1.0", **more):
    times = {} if start is None else {"start_time": str(start), "end_time": str(end)}
    return times | {
        "type": "pronunciation", "alternatives": [{"content": content, "confidence": confidence}],
    } | more  # fmt: skip


def test_aws_alternatives_of_channels():
    def segment(channel, content):
        item = {"content": content, "start_time": "0.0", "end_time": "0.5", "confidence": "0.9",
                "type": "pronunciation"}  # fmt: skip
        alternative = {"transcript": content, "items": [item]}
        return {"start_time": "0.0", "end_time": "0.5", "channel_label": channel,
                "alternatives": [alternative]}  # fmt: skip

    channels = [{"channel_label": f"ch_{i}", "items": []} for i in (0, 1)]
    found = read("aws", {"jobName": "x", "results": {
        "channel_labels": {"channels": channels, "number_of_channels": 2}, "items": [],
        "segments": [segment("ch_1", "ja"), segment("ch_0", "nein")],
    }})  # fmt: skip
    assert [(one.recording.channel, *one.words) for one in found] == [(2, "ja"), (1, "nein")]


@pytest.mark.parametrize(
    "hidden",
    [
        aws_item("[PII]", 0.2, 0.4),
        aws_item("Herr", 0.2, 0.4, redactions=[]),
        aws_item("***", 0.2, 0.4, vocabularyFilterMatch=True),
    ],
)
def test_aws_what_was_redacted_is_no_word_and_no_silence(hidden):
    if "redactions" in hidden:
        hidden["alternatives"] = [{"content": "[NAME]", "redactions": [{"category": "PII"}]}]
    items = [aws_item("das", 0, 0.2), hidden, aws_item("haus", 0.4, 0.6)]
    (network,) = read("aws", {"jobName": "x", "results": {"items": items}})
    assert network.words == ("das", "haus")
    assert [slot.epsilon for slot in network] == [0, 0, 0]


def test_aws_items_without_times_stand_between_the_others():
    items = [aws_item("das", 0, 0.2), aws_item("alte", None, None), aws_item("haus", 0.4, 0.6)]
    (network,) = read("aws", {"jobName": "x", "results": {"items": items}})
    assert said(network)[1] == {"alte": (1, 200, 400)}


@pytest.mark.parametrize("place", [0, 2])
def test_a_word_without_times_at_an_open_end_is_refused(place):
    """Between the others it shares their gap; before or after them nothing says how far it goes."""
    items = [aws_item("das", 0.3, 0.5), aws_item("haus", 0.5, 0.7)]
    items.insert(place, aws_item("ja", None, None))
    with pytest.raises(InputError, match="times of its words, or of the utterance"):
        read("aws", {"jobName": "x", "results": {"items": items}})


def test_aws_call_analytics():
    def item(content, start, end):
        return {"Content": content, "Confidence": "0.9", "BeginOffsetMillis": start,
                "EndOffsetMillis": end, "Type": "pronunciation"}  # fmt: skip

    turns = [
        {"Content": "Das Haus.", "ParticipantRole": "AGENT", "BeginOffsetMillis": 0,
         "EndOffsetMillis": 700, "Items": [item("Das", 0, 210), item("Haus", 210, 650),
                                           {"Content": ".", "Type": "punctuation"}]},
        {"Content": "Frau [PII], ja", "BeginOffsetMillis": 1000, "EndOffsetMillis": 2000},
    ]  # fmt: skip
    first, second = read("aws", {"JobStatus": "COMPLETED", "Channel": "VOICE", "Transcript": turns})
    assert said(first) == [{"das": (0.9, 0, 210)}, {"haus": (0.9, 210, 650)}]
    assert second.words == ("Frau", "ja")
    assert second.times_estimated


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
