"""Speechmatics: jobs, streams, entities, format 1.0."""

import pytest

from std.values import Recording
from tests.indexer.formats.json.conftest import PLAIN, channels, read, refusal, said


def of_slot(*alternatives, at=0.0, kind="word", **more):
    return {
        "type": kind, "start_time": at, "end_time": round(at + 0.2, 2), **more,
        "alternatives": [
            {"content": content, "confidence": confidence, "language": "de", "speaker": "S1"}
            for content, confidence in alternatives
        ],
    }  # fmt: skip


DAS, HAUS = of_slot(("das", 0.97)), of_slot(("haus", 0.8), at=0.2)


def of_job(*results, **config):
    config = {"language": "de", **config}
    return {
        "format": "2.9", "job": {"data_name": "monday.wav", "id": "0"},
        "metadata": {"transcription_config": config, "type": "transcription"},
        "results": [*results],
    }  # fmt: skip


def add(*results):
    return {"message": "AddTranscript", "format": "2.9", "results": [*results],
            "metadata": {"start_time": 0.0, "end_time": 1.0, "transcript": ""}}  # fmt: skip


OF_SPEECHMATICS = {
    "json-v2": of_job(DAS, HAUS, of_slot((".", 1.0), at=0.4, kind="punctuation")),
    "an answer at once": {"id": "0", "status": "done", "json-v2": of_job(DAS, HAUS)},
    "a stream": (
        {"message": "RecognitionStarted", "id": "0"}, {"message": "AudioAdded", "seq_no": 1},
        {"message": "AddPartialTranscript", "results": [DAS]}, add(DAS), add(), add(HAUS),
        {"message": "EndOfTranscript"},
    ),
    "a stream's log": ({"ts": 0.1, "payload": add(DAS, HAUS)},),
    "a spoken form": of_job(of_slot(("2 Häuser", 0.9), kind="entity", entity_class="x",
                                    spoken_form=[DAS, HAUS], written_form=[])),
    "format 1.0": {"job": {"lang": "de", "name": "x.mp4", "id": 1}, "format": "1.0",
        "speakers": [{"name": "UU", "time": "0.0", "duration": "1.0", "confidence": None}],
        "words": [{"name": "das", "time": "0.0", "duration": "0.2", "confidence": "0.970"},
                  {"name": "haus", "time": "0.2", "duration": "0.20", "confidence": "0.800"},
                  {"name": ".", "time": "0.4", "duration": "0.0", "confidence": None}]},
}  # fmt: skip


@pytest.mark.parametrize("value", OF_SPEECHMATICS.values(), ids=OF_SPEECHMATICS)
def test_speechmatics(value):
    (network,) = read("speechmatics", value)
    assert said(network) == PLAIN
    assert network.language == "de"


def test_speechmatics_alternatives_compete_in_their_slot():
    value = of_job(
        of_slot(("das", 0.9), ("dass", 0.6)), of_slot(("haus", 0.5), ("maus", 0.3), at=0.2)
    )
    (network,) = read("speechmatics", value)
    assert said(network) == [
        {"das": (0.6, 0, 200), "dass": (0.4, 0, 200)},  # .9 and .6 of 1.5
        {"haus": (0.5, 200, 400), "maus": (0.3, 200, 400)},
    ]
    assert [slot.epsilon for slot in network] == pytest.approx([0, 0.2])


def test_speechmatics_entities_without_a_spoken_form_are_split_by_letters():
    (network,) = read("speechmatics", of_job(of_slot(("20 Uhr", 0.9), kind="entity")))
    assert said(network) == [{"20": (0.9, 0, 80)}, {"uhr": (0.9, 80, 200)}]


def test_speechmatics_channels():
    value = of_job({**DAS, "channel": "channel_1"}, {**HAUS, "channel": "channel_2"})
    assert channels(read("speechmatics", value)) == [("das", 1), ("haus", 2)]
    value = of_job({**DAS, "channel": "agent"}, {**HAUS, "channel": "caller"})
    assert channels(read("speechmatics", value)) == [("das", 1), ("haus", 2)]


def test_speechmatics_names_and_pauses():
    value = of_job(DAS, of_slot(("haus", 0.8), at=2.0), language="auto")
    found = read("speechmatics", value)
    assert [one.recording for one in found] == [Recording("monday", 1)] * 2
    assert {one.language for one in found} == {"de"}


def test_speechmatics_hears_nothing():
    assert read("speechmatics", of_job()) == []
    assert read("speechmatics", add()) == []


def test_speechmatics_error_in_a_stream():
    value = (add(DAS), {"message": "Error", "type": "quota_exceeded", "reason": "too many"})
    assert "an error of the service: too many" in str(refusal("speechmatics", value))
