"""Google Speech-to-Text: versions 1 and 2, batches, streams, results that repeat."""

import io
import json

import pytest

from indexer.formats.readers.google import parse as google_parse
from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.repairs import NO_START, UNREAD, Repairs
from std.values import Recording
from tests.indexer.formats.json.conftest import DAS_HAUS, read, refusal, said, words
from tests.networks import networks_in


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
    networks = read("google", value)  # several where each word has another speaker
    assert [word for one in networks for word in said(one)] == DAS_HAUS
    assert {one.recording for one in networks} == {Recording("news", 1)}


def test_google_results_may_repeat_all_words_so_far():
    value = {"results": [
        google(google_words()[:1]),
        {"alternatives": [{"transcript": "haus", "words": by_speaker()}]},
        {"alternatives": [{"transcript": "", "words": by_speaker()}]},
    ]}  # fmt: skip
    assert [said(one) for one in read("google", value)] == [[one] for one in DAS_HAUS]


def test_google_of_results_that_are_said_once_more_with_speakers_those_with_times_count():
    plain = {"alternatives": [{"transcript": "Das Haus", "confidence": 0.9}]}
    spoken = [
        {"word": word, "startTime": start, "endTime": end, "speakerTag": 1}
        for word, start, end in (("Das", "0s", "0.210s"), ("Haus", "0.210s", "0.650s"))
    ]
    again = {"alternatives": [{"transcript": "Das Haus", "confidence": 0.9, "words": spoken}]}
    assert words(read("google", {"results": [plain, again]})) == ["Das Haus"]


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


FAILED = {"error": {"code": 3, "message": "bad audio"}}


def test_google_batches_tell_of_files_that_were_not_read():
    """A file of a batch may have an error, or a transcript that is in another file."""
    read_one = {"inlineResult": {"transcript": RESPONSE}}
    silent = {"inlineResult": {"transcript": {"metadata": {}}}}
    for unread in (FAILED, {"cloudStorageResult": {"uri": "gs://b/a.json"}}):
        files = {"gs://b/a.wav": unread, "gs://b/c.wav": read_one, "gs://b/d.wav": silent}
        repairs = Repairs()
        networks = read("google", {"results": files}, ReaderOptions(repairs=repairs))
        assert [one.recording.file for one in networks] == ["c"]
        assert {kind: repair.times for kind, repair in repairs.found.items()} == {UNREAD: 1}
        with pytest.raises(InputError, match=r"gs://b/a\.wav"):
            read("google", {"results": files}, ReaderOptions(repairs=Repairs(strict=True)))
    response = {"@type": "type.googleapis.com/google.cloud.speech.v2.BatchRecognizeResponse"}
    response["results"] = {"gs://b/a.wav": FAILED}
    assert "bad audio" in str(refusal("google", {"done": True, "response": response}))


@pytest.mark.parametrize("nothing", [
    {"done": True, "response": {
        "@type": "type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeResponse"}},
    {"totalBilledTime": "15s", "requestId": "1"},
    {"results": [{}], "totalBilledTime": "15s"},
    {"results": [{"resultEndOffset": "2s", "languageCode": "de-de"}]},
])  # fmt: skip
def test_google_hears_nothing(nothing):
    assert read("google", nothing) == []


def test_an_operation_of_google_may_run_still():
    running = {"name": "7", "metadata": {
        "@type": "type.googleapis.com/google.cloud.speech.v1.LongRunningRecognizeMetadata",
        "progressPercent": 10,
    }}  # fmt: skip
    assert "a job that is running" in str(refusal("google", running))


def test_google_masks_words():
    masked = [{"word": "s***", "startTime": "0s", "endTime": "1s"}]
    (network,) = read("google", {"results": [google(masked)]})
    assert (network.words, list(network.epsilons)) == ((), [0])


def test_google_leaves_out_a_start_of_zero_and_no_other():
    first, second = google_words()
    for word in (first, second):
        word.pop("startTime")
    repairs = Repairs()
    options = ReaderOptions(repairs=repairs)
    content = json.dumps({"results": [google([first, second])]}).encode()
    (network,) = networks_in(google_parse(io.BytesIO(content), "x.json", options))
    assert network.spans_ms.tolist() == [[0, 210], [210, 650]]
    assert repairs.found == {NO_START: (1, 1)}
    with pytest.raises(InputError, match="a word with its start"):
        read("google", {"results": [google([first, second])]})
