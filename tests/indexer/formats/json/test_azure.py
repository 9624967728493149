"""Azure Speech: fast and batch transcription, results of the SDK."""

import io
import json

import pytest

from indexer.formats.registry import FORMATS
from indexer.formats.shared.reader import DEFAULT
from std.errors import InputError
from std.values import Recording
from tests.indexer.formats.json.conftest import SURE, read, said
from tests.networks import networks_in


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
                FORMATS["azure"].parse(io.BytesIO(json.dumps(value).encode()), "x.json", DEFAULT)
            )
        )
