"""AssemblyAI: transcripts, exports, streams, and jobs without a transcript."""

import pytest

from tests.indexer.formats.json.conftest import DAS_HAUS, SURE, channels, read, refusal, said, words


def in_ms(*confidences, shift=0, **more):
    return [
        {"text": word, "start": start + shift, "end": end + shift, "confidence": confidence, **more}
        for word, start, end, confidence in zip(
            ("Das", "Haus."), (0, 210), (210, 650), confidences, strict=True
        )
    ]


def transcript(**more):
    return {"id": "0", "status": "completed", "audio_url": "https://x.example/upload/0f3", **more}


def turn(*confidences, end=True, order=0, **more):
    return {
        "type": "Turn", "turn_order": order, "end_of_turn": end, "turn_is_formatted": True,
        "transcript": "Das Haus.", "words": in_ms(*confidences), **more,
    }  # fmt: skip


UTTERANCE = {"start": 0, "end": 650, "speaker": "A", "text": "Das Haus.", "confidence": 0.9}
OF_ASSEMBLYAI = {
    "utterances": transcript(utterances=[{**UTTERANCE, "words": in_ms(0.97, 0.8)}], words=[]),
    "sentences": {"id": "0", "audio_duration": 1, "sentences": [
        {**UTTERANCE, "words": in_ms(0.97, 0.8)}]},
    "paragraphs": {"id": "0", "audio_duration": 1, "paragraphs": [
        {**UTTERANCE, "words": in_ms(0.97, 0.8)}]},
    "utterances alone": ({**UTTERANCE, "words": in_ms(0.97, 0.8, speaker="A")},),
    "words alone": tuple(in_ms(0.97, 0.8, speaker=None)),
    "of 2018": {"transcript": {"status": "completed", "audio_src_url": "x.mp3", "id": 4,
                               "words": in_ms(0.97, 0.8)}},
    "a turn that is sent again": (
        {"type": "Begin", "id": "0", "expires_at": 1}, turn(0.5, 0.5, end=False), turn(0.6, 0.6),
        turn(0.97, 0.8), {"type": "Termination", "audio_duration_seconds": 1},
    ),
    "turns after the stream": {"session_id": "0", "messages": [turn(0.97, 0.8)]},
    "the older stream": (
        {"message_type": "SessionBegins", "session_id": "0"},
        {"message_type": "PartialTranscript", "audio_start": 0, "words": in_ms(0.5, 0.5)},
        {"message_type": "FinalTranscript", "audio_start": 0, "words": in_ms(0.97, 0.8)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("value", OF_ASSEMBLYAI.values(), ids=OF_ASSEMBLYAI)
def test_assemblyai(value):
    (network,) = read("assemblyai", value)
    assert said(network) == DAS_HAUS


def test_assemblyai_uploads_do_not_name_the_recording():
    value = transcript(words=in_ms(1, 1))
    assert read("assemblyai", value)[0].recording.file == "news"
    value["audio_url"] = "https://x.example/talks/monday.mp3?sig=0"
    assert read("assemblyai", value)[0].recording.file == "monday"


def test_assemblyai_utterances_without_words_share_their_time():
    value = transcript(utterances=[{**UTTERANCE, "words": []}], words=in_ms(1, 1))
    (network,) = read("assemblyai", value)
    assert (words([network]), network.end_ms) == (["Das Haus"], 650)
    assert network.times_estimated


def test_assemblyai_channels_count_from_1():
    left, right = in_ms(1, 1, channel="1"), in_ms(1, 1, channel="2", shift=100)
    found = read("assemblyai", transcript(words=[left[0], right[0], left[1], right[1]]))
    assert channels(found) == [("Das Haus", 1), ("Das Haus", 2)]
    value = transcript(words=in_ms(1, 1, channel="0"))
    assert "a channel from 1 on" in refusal("assemblyai", value).expected


def test_assemblyai_utterances_end_in_pauses():
    value = transcript(words=in_ms(1, 1) + in_ms(1, 1, shift=2000))
    found = read("assemblyai", value)
    assert [(one.start_ms, one.end_ms) for one in found] == [(0, 650), (2000, 2650)]


def test_assemblyai_takes_no_seconds():
    seconds = [{"text": "Das", "start": 0.0, "end": 0.21, "confidence": 1}]
    error = refusal("assemblyai", transcript(words=seconds))
    assert error.expected == "whole milliseconds at words[0].end"


def test_assemblyai_turns_without_confidences_and_with_languages():
    value = (turn(0, 0, language_code="de"), turn(0, 0, order=1, language_code="es"))
    found = read("assemblyai", value)
    assert [one.language for one in found] == ["de", "es"]
    assert said(found[0]) == SURE


@pytest.mark.parametrize(
    ("value", "what", "hint"),
    [
        (transcript(status="queued", words=None), "a job that is queued", "when the job is done"),
        (transcript(status="processing"), "a job that is processing", "when the job is done"),
        (transcript(status="error", error="no speech"), "an error of the service: no speech", ""),
        (transcript(text="x"), "a job that is completed, without words", "ask the service for"),
    ],
)
def test_assemblyai_jobs_that_have_no_transcript(value, what, hint):
    error = refusal("assemblyai", value)
    assert error.got == what
    assert hint in str(error)
