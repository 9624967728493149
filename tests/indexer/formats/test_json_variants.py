"""Variants of recognisers' JSON as they are met in the wild; the words are invented.

Each says "das haus" as tests/data/asr/json does, unless it is about something else.
"""

import io
import json
import math

import pytest

from indexer.formats.detect import FORMATS, detect, parse_file
from indexer.formats.reader_options import DEFAULT
from indexer.networks.utterances import networks_in
from std.errors import InputError
from std.json_fields import Part
from std.values import Recording

DAS_HAUS = [{"das": (0.97, 0, 210)}, {"haus": (0.8, 210, 650)}]
SURE = [{"das": (1, 0, 210)}, {"haus": (1, 210, 650)}]


def read(name, value, path="news.json"):
    """Networks of a value, or of a file's bytes, that must be recognised as a format's."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    assert detect(content, path) == name
    return list(networks_in(FORMATS[name][0](io.BytesIO(content), path, DEFAULT)))


def said(network):
    """Per slot: posterior, start and end of each word."""
    return [
        {a.word.lower(): (round(a.posterior, 4), a.start_ms, a.end_ms) for a in slot.alternatives}
        for slot in network
    ]


def words(networks):
    return [" ".join(network.words) for network in networks]


# Whisper's family


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


# AWS Transcribe


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


# Google Speech-to-Text


def google_words(start="startTime", end="endTime", time="{}s".format):
    times = [("das", 0, 0.21, 0.97), ("haus", 0.21, 0.65, 0.8)]
    return [
        {"word": word, start: time(begin), end: time(until), "confidence": mass}
        for word, begin, until, mass in times
    ]


def by_speaker():
    return [{**word, "speakerTag": 1 + i} for i, word in enumerate(google_words())]


def protobuf(time):
    return {"seconds": str(int(time)), "nanos": round(time % 1 * 1e9)}


def google(words=None, **more):
    return {"alternatives": [{"transcript": "das haus", "words": words or google_words()}]} | more


RESPONSE = {"results": [google()]}
GOOGLE = {
    "a list of results": [google()],
    "an operation": {"name": "7", "done": True, "response": {
        "@type": "type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeResponse",
    } | RESPONSE},
    "client libraries": {"results": [google(google_words(time=protobuf))]},
    "snake case": {"results": [google(google_words("start_time", "end_time"))]},
    "snake case, v2": {"results": [google(google_words("start_offset", "end_offset", protobuf))]},
    "a batch": {"results": {"gs://bucket/news.wav": {"transcript": RESPONSE}}},
    "an inline batch": {"response": {"results": {
        "gs://bucket/news.flac": {"inlineResult": {"transcript": RESPONSE}, "metadata": {}},
    }}},
    "speakers told apart": {"results": [
        google(), {"alternatives": [{"words": by_speaker()}], "languageCode": "de"},
    ]},
    "times only where speakers are": {"results": [
        {"alternatives": [{"transcript": "das haus"}]},
        {"alternatives": [{"transcript": "", "words": by_speaker()}]},
    ]},
    "a stream": [
        {"results": [{"alternatives": [{"transcript": "da"}], "stability": 0.1}]},
        {"results": [{"alternatives": [{"transcript": "das"}], "isFinal": False}]},
        {"results": [google(isFinal=True)]},
    ],
    "no alternatives": {"results": [{"alternatives": []}, google()]},
}  # fmt: skip


@pytest.mark.parametrize("value", GOOGLE.values(), ids=GOOGLE)
def test_google(value):
    (network,) = read("google", value)
    assert said(network) == DAS_HAUS
    assert network.recording == Recording("news", 1)


def test_google_results_may_repeat_all_words_so_far():
    value = {"results": [
        google(google_words()[:1]),
        {"alternatives": [{"transcript": "haus", "words": by_speaker()}]},
        {"alternatives": [{"transcript": "", "words": by_speaker()}]},
    ]}  # fmt: skip
    assert [said(one) for one in read("google", value)] == [[one] for one in DAS_HAUS]


def test_google_responses_one_after_the_other_are_all_kept():
    assert [said(one) for one in read("google", [RESPONSE, RESPONSE])] == [DAS_HAUS] * 2


def test_google_alternatives_with_words_of_their_own():
    dass = [{**google_words()[0], "word": "dass"}, *google_words()[1:]]
    alternatives = [{"transcript": "", "words": words} for words in (google_words(), dass)]
    (network,) = read("google", {"results": [{"alternatives": alternatives}]})
    assert said(network) == [
        {"das": (0.5, 0, 210), "dass": (0.5, 0, 210)}, {"haus": (1, 210, 650)},
    ]  # fmt: skip


def test_google_batches_name_their_recordings():
    files = {f"gs://b/f{i}.wav": {"transcript": RESPONSE} for i in (1, 2)}
    assert [one.recording.file for one in read("google", {"results": files})] == ["f1", "f2"]


def test_google_hears_nothing():
    nothing = {"@type": "type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeResponse"}
    assert read("google", {"done": True, "response": nothing}) == []


def test_google_masks_words():
    masked = [{"word": "s***", "startTime": "0s", "endTime": "1s"}]
    (network,) = read("google", {"results": [google(masked)]})
    assert (network.words, list(network.epsilons)) == ((), [0])


# Azure Speech


def azure_words(key, text="word", offset="offset", duration="duration", unit=1e7, **more):
    return {key: [
        {text: word, offset: round(unit * start), duration: round(unit * (end - start))} | more
        for word, start, end in (("Das", 0, 0.21), ("Haus.", 0.21, 0.65))
    ]}  # fmt: skip


IN_MS = {"offset": "offsetMilliseconds", "duration": "durationMilliseconds", "unit": 1e3}
PHRASE = {"channel": 0, "offsetInTicks": 0.0, "durationInTicks": 7e6}
AZURE = {
    "fast": {"durationMilliseconds": 700, "combinedPhrases": [{"text": "Das Haus."}], "phrases": [
        {"offsetMilliseconds": 0, "durationMilliseconds": 700, "text": "Das Haus.", "confidence": 1}
        | azure_words("words", "text", **IN_MS)
    ]},
    "fast, first version": {"duration": 700, "combinedPhrases": [], "phrases": [
        {"channel": 0, "offset": 0, "duration": 700, "text": "Das Haus."}
        | azure_words("words", "text", unit=1e3)
    ]},
    "batch, words for display": {"recognizedPhrases": [PHRASE | {"nBest": [
        {"lexical": "das haus", "display": "Das Haus."}
        | azure_words("displayWords", "displayText", "offsetInTicks", "durationInTicks")
    ]}]},
    "batch, in milliseconds": {"recognizedPhrases": [PHRASE | {"nBest": [
        {"lexical": "das haus"} | azure_words("words", **IN_MS)
    ]}]},
    "batch 2.0": {"AudioFileResults": [{"AudioFileName": "Channel.0.wav", "SegmentResults": [
        {"RecognitionStatus": "Success", "ChannelNumber": "0", "Offset": 0, "Duration": 7000000,
         "NBest": [{"Lexical": "das haus"} | azure_words("Words", "Word", "Offset", "Duration")]}
    ]}]},
}  # fmt: skip


@pytest.mark.parametrize("value", AZURE.values(), ids=AZURE)
def test_azure(value):
    (network,) = read("azure", value)
    assert said(network) == SURE
    assert network.recording == Recording("news", 1)
    assert (network.start_ms, network.end_ms, network.times_estimated) == (0, 700, False)


@pytest.mark.parametrize(
    "value",
    [
        {"RecognitionStatus": "Success", "DisplayText": "Das Haus.", "Offset": 0, "Duration": 7e6},
        {"combinedPhrases": [], "phrases": [
            {"offsetMilliseconds": 0, "durationMilliseconds": 700, "text": "Das Haus."},
        ]},
        {"recognizedPhrases": [PHRASE | {"nBest": [{"lexical": "", "display": "Das Haus."}]}]},
    ],
)  # fmt: skip
def test_azure_texts_share_their_time(value):
    (network,) = read("azure", value)
    assert said(network) == [{"das": (1, 0, 300)}, {"haus": (1, 300, 700)}]
    assert network.times_estimated


def test_azure_several_files_in_one():
    def result(name):
        best = [{"Lexical": "ja"}]
        segment = {"ChannelNumber": None, "Offset": 0, "Duration": 1000, "NBest": best}
        return {"AudioFileName": name, "SegmentResults": [segment]}

    found = read("azure", {"AudioFileResults": [result("a.wav"), result("b.wav")]})
    assert [one.recording.file for one in found] == ["a", "b"]


@pytest.mark.parametrize("status", ["InitialSilenceTimeout", "NoMatch", 1, 2, 5])
def test_azure_hears_nothing(status):
    silence = {"RecognitionStatus": status, "Offset": 0, "Duration": 10}
    assert read("azure", silence) == []


def azure_result(**more):
    best = [{"Confidence": 0.8, "Lexical": "das haus", "Display": "Das Haus.", "Words": [
        {"Word": "das", "Offset": 0, "Duration": 2100000},
        {"Word": "haus", "Offset": 2100000, "Duration": 4400000},
    ]}]  # fmt: skip
    return {"Id": "0", "RecognitionStatus": 0, "Offset": 0, "Duration": 6500000, "Channel": 0,
            "DisplayText": "Das Haus.", "NBest": best, **more}  # fmt: skip


@pytest.mark.parametrize(
    "value",
    [
        [azure_result(), {"RecognitionStatus": 1, "Offset": 7000000, "Duration": 10}],
        [{"privText": "Das Haus.", "privJson": json.dumps(azure_result())}],
        {"text": "Das Haus.", "duration": 6500000, "offset": 0, "json": azure_result()},
        [azure_result(RecognitionStatus="Success")],
        [azure_result(RecognitionStatus="whatever comes next")],
    ],
    ids=["numbers", "the SDK's objects", "Speech Studio", "names", "other names"],
)
def test_azure_lists_of_the_sdk(value):
    (network,) = read("azure", value)
    assert said(network) == [{"das": (0.8, 0, 210)}, {"haus": (0.8, 210, 650)}]


@pytest.mark.parametrize("value", [{"Offset": 1}, {"NBest": [{"Confidence": 1}]}])
def test_azure_without_any_text_is_refused(value):
    with pytest.raises(InputError, match=r"a list at nBest|text at NBest\[0\].lexical"):
        list(
            networks_in(
                FORMATS["azure"][0](io.BytesIO(json.dumps(value).encode()), "x.json", DEFAULT)
            )
        )


# IBM Watson


def watson_slot(start, end, **alternatives):
    listed = [{"word": word, "confidence": mass} for word, mass in alternatives.items()]
    return {"start_time": start, "end_time": end, "alternatives": listed}


def test_watson_words_without_a_slot_are_kept():
    """A threshold leaves whole slots out; the first alternative still has the word."""
    result = {
        "final": True,
        "word_alternatives": [watson_slot(0.65, 0.9, steht=0.95), watson_slot(0.0, 0.21, das=0.97)],
        "alternatives": [{"transcript": "das haus steht ", "confidence": 0.8, "timestamps": [
            ["das", 0.0, 0.21], ["haus", 0.21, 0.65], ["steht", 0.66, 0.9]]}],
    }  # fmt: skip
    (network,) = read("watson", {"result_index": 0, "results": [result]})
    assert said(network) == [*DAS_HAUS, {"steht": (0.95, 650, 900)}]
    assert list(network.epsilons) == [0, 0, 0]


def test_watson_jobs_and_streams():
    result = {"final": True, "word_alternatives": [watson_slot(0, 1, ja=0.9)]}
    job = {"status": "completed", "id": "7", "results": [{"result_index": 0, "results": [result]}]}
    stream = [{"state": "listening"}, {"results": [result]}, {"speaker_labels": []}]
    for value in (job, stream):
        assert words(read("watson", value)) == ["ja"]


def test_watson_masks_words():
    result = {"final": True, "alternatives": [{"timestamps": [["****", 0, 1], ["ja", 1, 2]]}]}
    (network,) = read("watson", {"results": [result]})
    assert network.words == ("ja",)


# Vosk, DeepSpeech, call logs


def test_vosk_transcriber():
    terms = [
        {"confidence": 0.97, "start": 0.0, "end": 0.21, "text": "das", "type": "WORD"},
        {"confidence": 1.0, "start": 0.21, "end": 0.21, "text": ",", "type": "PUNCTUATION"},
        {"confidence": 0.8, "start": 0.21, "end": 0.65, "text": "haus", "type": "WORD"},
    ]
    monologue = {"speaker": {"id": "unknown"}, "start": 0.0, "end": 0.65, "terms": terms}
    value = {"schemaVersion": "2.0", "monologues": [monologue], "text": ["das haus"]}
    (network,) = read("vosk", value)
    assert said(network) == DAS_HAUS


def test_confidences_that_rounding_put_above_one():
    word = {"conf": 1.000001, "start": 0, "end": 1, "word": "ja"}
    (network,) = read("vosk", {"result": [word], "text": "ja"})
    assert said(network) == [{"ja": (1, 0, 1000)}]


def test_deepspeech():
    def transcript(confidence, *rows):
        return {"confidence": confidence, "words": [
            {"word": word, "start_time": start, "duration": lasts} for word, start, lasts in rows
        ]}  # fmt: skip

    best = transcript(-140.0, ("das", 0, 0.21), ("haus", 0.21, 0.44))
    other = transcript(-140.0, ("dass", 0, 0.21), ("haus", 0.21, 0.44))
    (network,) = read("deepspeech", {"transcripts": [best, other]})
    assert said(network) == [
        {"das": (0.5, 0, 210), "dass": (0.5, 0, 210)}, {"haus": (1, 210, 650)},
    ]  # fmt: skip


def cnet(word):
    return [
        {"start": 0.0, "end": 0.1, "arcs": [{"word": "!null", "score": 0.0}]},
        {"start": 0.1, "end": 0.5, "arcs": [
            {"word": word, "score": math.log(0.75)}, {"word": "!null", "score": math.log(0.25)}]},
    ]  # fmt: skip


def test_call_logs():
    turns = [
        {"output": {"transcript": "hello"}, "input": {"live": {"asr-hyps": []}}},
        {"input": {"start-time": 8.0, "batch": {"cnet": cnet("das")}}},
        {"input": {"audio-file": "a/t2.wav", "start-time": 20.0, "batch": {"cnet": cnet("haus")}}},
    ]
    first, second = read("dstc", {"session-id": "s", "turns": turns})
    assert (first.recording, said(first)) == (
        Recording("s", 1),
        [{}, {"das": (0.75, 8100, 8500)}],
    )
    assert first.epsilons.tolist() == pytest.approx([1, 0.25])
    assert (second.recording.file, said(second)[1]) == ("t2", {"haus": (0.75, 100, 500)})


def test_a_network_of_a_call_alone():
    (network,) = read("dstc", {"cnet": cnet("das")})
    assert said(network)[1] == {"das": (0.75, 100, 500)}


def test_turns_at_unknown_times_are_refused():
    turns = [{"input": {"batch": {"cnet": cnet("das")}}}] * 2
    with pytest.raises(InputError, match=r"a number at turns\[0\].input.start-time"):
        read("dstc", {"turns": turns})


# What no recogniser should write


@pytest.mark.parametrize("place", [0, 2])
def test_a_word_without_times_at_an_open_end_is_refused(place):
    """Between the others it shares their gap; before or after them nothing says how far it goes."""
    items = [aws_item("das", 0.3, 0.5), aws_item("haus", 0.5, 0.7)]
    items.insert(place, aws_item("ja", None, None))
    with pytest.raises(InputError, match="times of its words, or of the utterance"):
        read("aws", {"jobName": "x", "results": {"items": items}})


def test_a_key_that_comes_twice_is_refused():
    with pytest.raises(InputError, match=r"news.json:2: expected JSON \(each key once, got text"):
        read("whisper", b'\n{"segments": [], "text": "", "text": "x"}')


def test_other_encodings_are_refused(tmp_path):
    path, text = tmp_path / "x.json", '{"result": [{"word": "tür", "conf": 1}], "text": ""}'
    for encoding in ("latin-1", "utf-16"):
        path.write_bytes(text.encode(encoding))
        with pytest.raises(InputError, match=r"(?i)x.json:1: expected utf-8 text"):
            list(networks_in(parse_file(path)))


def test_what_is_nested_too_deeply_to_show_is_named():
    value = []
    for _ in range(100_000):
        value = [value]
    assert "list with too much in it" in str(Part("x.json", 1, value).error("text"))


def test_alternatives_of_hours_are_refused():
    said_by = [" ".join(f"{word}{i}" for i in range(4000)) for word in "ab"]
    result = {"alternatives": [{"transcript": text} for text in said_by], "resultEndTime": "9s"}
    with pytest.raises(InputError, match=r"news.json:1: expected alternatives of an utterance"):
        read("google", {"results": [result]})


@pytest.mark.parametrize("name", ["aws", "azure", "dstc", "google", "vosk", "watson", "whisper"])
@pytest.mark.parametrize("inner", ["[", '{"results":', '{"response":', '{"segments":[', '{"cnet":'])
def test_nesting_without_end_is_refused(name, inner):
    for depth in (50, 400, 900, 100_000):
        content = inner.encode() * depth
        with pytest.raises(InputError):
            list(networks_in(FORMATS[name][0](io.BytesIO(content), "x.json", DEFAULT)))
    closed = inner.encode() * 300 + b"7" + inner.replace("[", "]").replace("{", "}")[-1:].encode()
    with pytest.raises(InputError):
        list(networks_in(FORMATS[name][0](io.BytesIO(closed), "x.json", DEFAULT)))


def test_google_of_results_that_are_said_once_more_with_speakers_those_with_times_count():
    plain = {"alternatives": [{"transcript": "Das Haus", "confidence": 0.9}]}
    spoken = [
        {"word": word, "startTime": start, "endTime": end, "speakerTag": 1}
        for word, start, end in (("Das", "0s", "0.210s"), ("Haus", "0.210s", "0.650s"))
    ]
    again = {"alternatives": [{"transcript": "Das Haus", "confidence": 0.9, "words": spoken}]}
    assert words(read("google", {"results": [plain, again]})) == ["Das Haus"]
