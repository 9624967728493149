"""Deepgram: answers, utterances, streams, Flux."""

import pytest

from tests.indexer.formats.json.conftest import DAS_HAUS, SURE, channels, read, refusal, said


def heard(*confidences, **more):
    return [
        {"word": word, "start": start, "end": end, "confidence": confidence, **more}
        for word, start, end, confidence in zip(
            ("das", "haus"), (0.0, 0.21), (0.21, 0.65), confidences, strict=True
        )
    ]


def alternative(*confidences, confidence=0.9):
    return {"transcript": "das haus", "confidence": confidence, "words": heard(*confidences)}


def of_deepgram(*alternatives, **results):
    channel = {"alternatives": [*alternatives]}
    return {"metadata": {"channels": 1}, "results": {"channels": [channel], **results}}


def message(*confidences, is_final=True, channel=0):
    return {
        "type": "Results", "channel_index": [channel, 2], "start": 0.0, "duration": 0.7,
        "is_final": is_final, "speech_final": False,
        "channel": {"alternatives": [alternative(*confidences)]},
    }  # fmt: skip


OF_DEEPGRAM = {
    "in an object of one's own": {"file": "x", "result": of_deepgram(alternative(0.97, 0.8))},
    "utterances": of_deepgram(
        alternative(0.5, 0.5),
        utterances=[{"start": 0.0, "end": 0.7, "confidence": 0.9, "channel": 0,
                     "transcript": "das haus", "words": heard(0.97, 0.8)}],
    ),
    "utterances without words": of_deepgram(
        alternative(0.97, 0.8),
        utterances=[{"start": 0.0, "end": 0.7, "channel": 0, "transcript": "Das Haus."}],
    ),
    "a stream": (
        message(0.5, 0.5, is_final=False), message(0.97, 0.8), {"type": "Metadata", "channels": 1},
        {"type": "UtteranceEnd", "channel": [0, 1], "last_word_end": 0.65},
    ),
}  # fmt: skip


@pytest.mark.parametrize("value", OF_DEEPGRAM.values(), ids=OF_DEEPGRAM)
def test_deepgram(value):
    (network,) = read("deepgram", value)
    assert said(network) == DAS_HAUS


def test_several_answers_in_one_object_are_recordings():
    """Of all but the first, nothing was read."""
    value = {name: of_deepgram(alternative(0.97, 0.8)) for name in ("a/one.wav", "two")}
    found = read("deepgram", value)
    assert [(one.recording.file, said(one)) for one in found] == [
        ("one", DAS_HAUS),
        ("two", DAS_HAUS),
    ]


def test_deepgram_channels_and_languages():
    value = of_deepgram(alternative(0.97, 0.8))
    german = {"detected_language": "de", **value["results"]["channels"][0]}
    value["results"]["channels"] = [german, {**german, "detected_language": "nl"}]
    found = read("deepgram", value)
    assert [(one.recording.channel, one.language) for one in found] == [(1, "de"), (2, "nl")]
    assert channels(read("deepgram", message(1, 1, channel=1))) == [("das haus", 2)]


def test_deepgram_confidences_that_are_all_0_are_none():
    (network,) = read("deepgram", of_deepgram(alternative(0, 0)))
    assert said(network) == SURE


def test_deepgram_alternatives_are_cut_at_the_pauses_of_the_best_and_weighted():
    best, other = alternative(0.97, 0.8, confidence=0.9), alternative(0.9, 0.6, confidence=0.6)
    other["words"][0]["word"] = "dass"
    for one in (best, other):
        one["words"].append({"word": "ja", "start": 3.0, "end": 3.2, "confidence": 0.5})
    first, second = read("deepgram", of_deepgram(best, other))
    # .9 and .6 sum to 1.5: .6 and .4
    assert said(first) == [{"das": (0.6, 0, 210), "dass": (0.4, 0, 210)}, {"haus": (1, 210, 650)}]
    assert said(second) == [{"ja": (1, 3000, 3200)}]


def test_deepgram_alternatives_without_times_are_not_cut():
    value = of_deepgram(
        {"transcript": "das haus", "confidence": 0.5, "words": []},
        {"transcript": "dass haus", "confidence": 0.5, "words": []},
    )
    message_of_stream = message(1, 1)
    message_of_stream["channel"] = value["results"]["channels"][0]
    (network,) = read("deepgram", message_of_stream)
    assert [{w: p for w, (p, _, _) in slot.items()} for slot in said(network)] == [
        {"das": 0.5, "dass": 0.5}, {"haus": 1},
    ]  # fmt: skip
    assert network.times_estimated
    assert "times of its words" in refusal("deepgram", value).expected


def test_deepgram_flux_takes_whole_turns_whose_words_share_their_time():
    turn = {
        "type": "TurnInfo", "event": "Update", "turn_index": 0, "audio_window_start": 1.0,
        "audio_window_end": 1.7, "transcript": "Das Haus",
        "words": [{"word": "Das", "confidence": 0.97}, {"word": "Haus", "confidence": 0.8}],
    }  # fmt: skip
    begin = {"type": "Connected", "request_id": "0", "sequence_id": 0}
    (network,) = read("deepgram", (begin, turn, {**turn, "event": "EndOfTurn"}))
    assert [list(slot) for slot in said(network)] == [["das"], ["haus"]]
    assert (network.start_ms, network.end_ms, network.times_estimated) == (1000, 1700, True)


def test_deepgram_transcript_without_words_or_speech():
    empty = {"transcript": "", "confidence": 0.0, "words": []}
    assert read("deepgram", of_deepgram(empty)) == []


def test_deepgram_error():
    value = {"err_code": "INVALID_AUTH", "err_msg": "Invalid credentials.", "request_id": "0"}
    assert "an error of the service: Invalid credentials." in str(refusal("deepgram", value))
