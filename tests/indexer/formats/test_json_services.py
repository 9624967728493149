"""Variants of what speech services answer; the words are invented, the shapes were met in the wild.

Each says "das haus" as tests/data/asr/json does, unless it is about something else.
"""

import copy
import io
import json
import math

import pytest

from indexer.formats.detect import FORMATS, detect
from indexer.formats.reader_options import DEFAULT, ReaderOptions
from indexer.networks.utterances import networks_in
from std.errors import InputError
from std.values import Recording

DAS_HAUS = [{"das": (0.97, 0, 210)}, {"haus": (0.8, 210, 650)}]
SURE = [{"das": (1, 0, 210)}, {"haus": (1, 210, 650)}]


def read(name, value, options=DEFAULT):
    """Networks of a document, or of several in a row, that must be recognised as a format's."""
    ones = value if isinstance(value, tuple) else (value,)
    content = "\n".join(map(json.dumps, ones)).encode()
    assert detect(content, "news.json") == name
    return list(networks_in(FORMATS[name][0](io.BytesIO(content), "news.json", options)))


def said(network):
    """Per slot: posterior, start and end of each word."""
    return [
        {a.word.lower(): (round(a.posterior, 4), a.start_ms, a.end_ms) for a in slot.alternatives}
        for slot in network
    ]


def words(networks):
    return [" ".join(network.words) for network in networks]


def channels(networks):
    return [(" ".join(network.words), network.recording.channel) for network in networks]


def refusal(name, value):
    with pytest.raises(InputError) as caught:
        read(name, value)
    return caught.value


# Deepgram


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


# AssemblyAI


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


# Speechmatics


def of_slot(*alternatives, at=0.0, kind="word", **more):
    return {
        "type": kind, "start_time": at, "end_time": round(at + 0.2, 2), **more,
        "alternatives": [
            {"content": content, "confidence": confidence, "language": "de", "speaker": "S1"}
            for content, confidence in alternatives
        ],
    }  # fmt: skip


DAS, HAUS = of_slot(("das", 0.97)), of_slot(("haus", 0.8), at=0.2)
PLAIN = [{"das": (0.97, 0, 200)}, {"haus": (0.8, 200, 400)}]


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


# Rev.ai


def element(value, at, **more):
    return {"type": "text", "value": value, "ts": at, "end_ts": round(at + 0.2, 2), **more}


SPACE = {"type": "punct", "value": " "}
ELEMENTS = [element("das", 0.0, confidence=0.97), SPACE, element("haus", 0.2, confidence=0.8)]


def test_revai_stream():
    value = (
        {"type": "connected", "id": "0"},
        {"type": "partial", "ts": 0.0, "end_ts": 1.0, "elements": [{"type": "text", "value": "d"}]},
        {"type": "final", "ts": 0.0, "end_ts": 0.5, "elements": ELEMENTS},
    )
    (network,) = read("revai", value)
    assert said(network) == PLAIN
    assert (network.start_ms, network.end_ms) == (0, 500)


def test_revai_monologues_end_utterances_and_so_do_pauses():
    value = {"monologues": [{"speaker": 0, "elements": [*ELEMENTS, SPACE, element("ja", 3.0)]},
                            {"speaker": 1, "elements": [element("nein", 3.3)]}]}  # fmt: skip
    assert words(read("revai", value)) == ["das haus", "ja", "nein"]


def test_revai_unknown_elements_are_not_named():
    value = {
        "monologues": [
            {
                "speaker": 0,
                "elements": [
                    ELEMENTS[0],
                    element("<inaudible>", 0.2, type="unknown"),
                    element("haus", 0.4),
                ],
            }
        ]
    }
    (network,) = read("revai", value)
    assert said(network) == [{"das": (0.97, 0, 200)}, {}, {"haus": (1, 400, 600)}]


# ElevenLabs


def test_elevenlabs_channels_and_pauses():
    said_at = [
        {"text": text, "start": at, "end": at + 0.2, "type": "word", "logprob": 0.0}
        for text, at in (("Das", 0.0), ("Haus.", 0.2), ("Ja!", 2.0))
    ]
    value = {
        "transcripts": [
            {"channel_index": i, "language_code": "deu", "text": "", "words": said_at}
            for i in (0, 1)
        ]
    }
    found = read("elevenlabs", value)
    assert channels(found) == [("Das Haus", 1), ("Ja", 1), ("Das Haus", 2), ("Ja", 2)]
    assert {one.language for one in found} == {"deu"}


# Azure Video Indexer


def of_line(text, start, end, **more):
    when = {"start": start, "end": end, "adjustedStart": "0:09:00", "adjustedEnd": "0:09:01"}
    return {"text": text, "confidence": 0.9, "instances": [when], **more}


def of_index(*videos):
    return {"name": "monday.mp4", "state": "Processed", "summarizedInsights": None,
            "videos": [*videos]}  # fmt: skip


def of_video(*lines, number=1, state="Processed"):
    insights = {"version": "1", "language": "de-DE"} | ({"transcript": [*lines]} if lines else {})
    return {"id": f"v{number}", "accountId": "0", "state": state, "insights": insights}


def test_video_indexer_words_share_their_line():
    value = of_index(of_video(of_line("Das Haus.", "1:00:01", "1:00:01.7")))
    (network,) = read("video-indexer", value)
    assert (network.start_ms, network.end_ms) == (3601_000, 3601_700)
    assert [[(w, p) for w, (p, _, _) in slot.items()] for slot in said(network)] == [
        [("das", 0.9)], [("haus", 0.9)],
    ]  # fmt: skip
    assert network.times_estimated
    assert (network.recording.file, network.language) == ("monday", "de-DE")


def test_video_indexer_videos_of_a_playlist_are_recordings():
    value = of_index(
        of_video(of_line("Das", "0:00:00", "0:00:01")),
        of_video(of_line("Haus", "0:00:00", "0:00:01", language="nl"), number=2),
    )
    found = read("video-indexer", value)
    assert [(one.recording.file, one.language) for one in found] == [("v1", "de-DE"), ("v2", "nl")]


def test_video_indexer_api_1():
    when = {"start": "00:00:00", "end": "00:00:00.7000000"}
    line = {"id": 0, "text": "Das Haus.", "confidence": 0.9, "timeRange": when}
    blocks = [{"lines": [{**line, "text": ""}]}, {"lines": [line]}]
    value = {"name": "x", "breakdowns": [{"id": "b", "language": "German",
                                          "insights": {"transcriptBlocks": blocks}}]}  # fmt: skip
    (network,) = read("video-indexer", value)
    assert (words([network]), network.language) == (["Das Haus"], "German")


def test_video_indexer_of_a_silent_film_and_of_one_that_is_not_done():
    assert read("video-indexer", of_index(of_video())) == []
    error = refusal("video-indexer", of_index(of_video(state="Processing")))
    assert "a job that is Processing" in str(error)
    value = of_index(of_video(of_line("Das", "0:00:00", "0:61")))
    assert "a time such as 0:01:02.5" in refusal("video-indexer", value).expected


# AWS streams


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


# Riva


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


def test_options_name_the_recording_and_the_channel():
    options = ReaderOptions(file="talk", channel=3)
    for name, value in [
        ("deepgram", of_deepgram(alternative(1, 1))), ("assemblyai", turn(1, 1)),
        ("speechmatics", add(DAS)), ("revai", {"monologues": [{"elements": ELEMENTS}]}),
        ("aws-streaming", of_event(of_result(BEST))), ("riva", of_riva({"transcript": "das"})),
    ]:  # fmt: skip
        (network,) = read(name, copy.deepcopy(value), options)
        assert network.recording == Recording("talk", 3), name
