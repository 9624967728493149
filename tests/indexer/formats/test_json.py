"""Recognisers' JSON: every example says "das haus", each in its own way."""

import io
import json
import math
from pathlib import Path

import pytest

from indexer.formats.detect import detect, parse_file
from indexer.formats.readers import (
    aws,
    azure,
    google,
    vosk,
    whisper,
)
from indexer.formats.shared.reader import DEFAULT, ReaderOptions
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

JSON = Path(__file__).parents[2] / "data" / "asr" / "json"
EXAMPLES = sorted(JSON.iterdir())


def read(name):
    return list(networks_in(parse_file(JSON / name)))


def parse(module, value, options=DEFAULT):
    content = json.dumps(value).encode()
    return list(networks_in(module.READER.parse(io.BytesIO(content), "x.json", options)))


def rows(network):
    """Per slot: epsilon, and for each word posterior, start and end."""
    return [
        (
            round(slot.epsilon, 4),
            {a.word: (round(a.posterior, 4), a.start_ms, a.end_ms) for a in slot.alternatives},
        )
        for slot in network
    ]


DAS, HAUS = (0.97, 0, 210), (0.8, 210, 650)
ONE_BEST = [
    "vosk.json", "whisper_timestamped.mp3.words.json", "faster_whisper.json", "aws.json",
    "google_v1.json", "google_v2.json", "azure_batch.json", "watson_timestamps.json",
    "azure_batch2.json", "google_speakers.json", "google_batch.json", "aws_calls.json",
    "vosk_transcriber.json", "dstc.json", "deepgram.json", "assemblyai.json", "speechmatics.json",
    "revai.json", "riva.json", "sherpa-onnx.jsonl", "pocketsphinx-json.jsonl",
    "aws-streaming.jsonl", "elevenlabs.json",
]  # fmt: skip


@pytest.mark.parametrize("name", ONE_BEST)
def test_one_best(name):
    first = read(name)[0]
    words = [(eps, {w.lower(): times for w, times in said.items()}) for eps, said in rows(first)]
    assert words == [(0.03, {"das": DAS}), (0.2, {"haus": HAUS})]
    assert first.recording.channel == 1
    assert not first.times_estimated


NAMED = {
    "otranscribe.otr.json": "talk",  # what the file says
    "aws.json": "my-job", "aws_alternatives.json": "my-job",
    "azure_batch.json": "x", "dstc.json": "x", "assemblyai.json": "x", "nemo.jsonl": "x",
    "speechmatics.json": "x", "video-indexer.json": "x",
}  # fmt: skip


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_recognised(path):
    with path.open("rb") as stream:
        assert path.name.startswith(detect(stream.read(), "x").replace("whisper", ""))
    (first, *_) = list(networks_in(parse_file(path)))
    assert first.recording.file == NAMED.get(path.name, path.name.split(".")[0])
    assert first.words[0].lower() == "das"


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_keys_that_come_late_are_found(path, tmp_path):
    """A transcript of a long recording may stand before all that tells the format."""
    if path.suffix == ".json" and path.read_bytes().startswith(b'{"'):
        late = tmp_path / path.name
        late.write_bytes(b'{"padding": "' + 70_000 * b"x" + b'", ' + path.read_bytes()[1:])
        assert [one.words for one in networks_in(parse_file(late))] == [
            one.words for one in networks_in(parse_file(path))
        ]


def test_vosk_alternatives_are_weighted_by_softmax():
    (network,) = read("vosk_alternatives.jsonl")
    weight = 1 / (1 + math.exp(-1.1))  # of 214.7 against 213.6
    first, second = rows(network)
    assert first == (
        0,
        {"das": (round(weight, 4), 0, 210), "dass": (round(1 - weight, 4), 0, 230)},
    )
    assert second == (0, {"haus": (1, 210, 650)})


def test_vosk_scale():
    alternatives = json.loads((JSON / "vosk_alternatives.jsonl").read_text().splitlines()[0])
    (network,) = parse(vosk, alternatives, ReaderOptions(acoustic_scale=0.0))
    assert rows(network)[0][1]["das"][0] == 0.5


def test_vosk_list_and_names():
    result = {"result": [{"conf": 1, "start": 0, "end": 1, "word": "ja"}], "text": "ja"}
    found = parse(vosk, [result, {"text": ""}, result], ReaderOptions(file="news", channel=2))
    assert [one.utterance for one in found] == ["news-1", "news-2"]
    assert found[0].recording == Recording("news", 2)


def test_whisper_takes_off_blanks_and_punctuation():
    (network,) = read("whisper.json")
    assert network.words == ("Das", "Haus", "1907", "gebaut")
    assert (network.start_ms, network.end_ms) == (0, 2000)


def test_words_with_blanks_are_several():
    words = [{"word": " 5 000\u202f5000", "start": 0.0, "end": 0.8, "probability": 0.5}]
    segment = {"start": 0.0, "end": 1.0, "text": "", "words": words}
    (network,) = parse(whisper, {"segments": [segment], "text": ""})
    assert [said for _, said in rows(network)] == [
        {"5": (0.5, 0, 100)}, {"000": (0.5, 100, 400)}, {"5000": (0.5, 400, 800)},
    ]  # fmt: skip


def test_whisperx_numerals_share_the_gap():
    (network,) = read("whisperx.json")
    assert rows(network)[2] == (0, {"1907": (1, 650, 1300)})
    assert network.times_estimated


def test_whisper_without_words_shares_the_segment():
    segment = {"start": 1.0, "end": 3.0, "text": " Das - gute Haus."}
    (network,) = parse(whisper, {"segments": [segment], "text": ""})
    # 3 + 4 + 4 letters share 2 s
    assert [times[1:] for _, said in rows(network) for times in said.values()] == [
        (1000, 1545), (1545, 2273), (2273, 3000),
    ]  # fmt: skip
    assert network.times_estimated


def test_whisper_cpp_tokens_make_words():
    (network,) = read("whisper_cpp.json")
    # "Das" is two tokens of .98 and .96; the full stop does not count
    assert rows(network) == [
        (0.03, {"Das": (0.97, 0, 210)}),
        (0.2, {"Haus": (0.8, 210, 600)}),
    ]


def test_whisper_cpp_without_tokens():
    segment = {"offsets": {"from": 1000, "to": 2000}, "text": " ja gut"}
    (network,) = parse(whisper, {"transcription": [segment]})
    assert [times[1:] for _, said in rows(network) for times in said.values()] == [
        (1000, 1400), (1400, 2000),
    ]  # fmt: skip


def test_aws_utterances_end_at_pauses():
    first, second = read("aws.json")
    assert (first.utterance, second.utterance) == ("my-job-1", "my-job-2")
    assert second.words == ("Ja",)


def test_aws_alternatives():
    (network,) = read("aws_alternatives.json")
    # geometric means .9 and sqrt(.1 * .9) = .3: weights .75 and .25
    assert rows(network) == [
        (0, {"das": (0.75, 0, 210), "dass": (0.25, 0, 230)}),
        (0, {"haus": (1, 210, 650)}),
    ]


def test_aws_channels():
    item = {"start_time": "0", "end_time": "1", "type": "pronunciation",
            "alternatives": [{"confidence": "0.6", "content": "ja"}]}  # fmt: skip
    channels = [{"channel_label": f"ch_{i}", "items": [item]} for i in (0, 1)]
    found = parse(aws, {"results": {"channel_labels": {"channels": channels}, "items": []}})
    assert [one.recording.channel for one in found] == [1, 2]
    channels[0]["channel_label"] = "left"
    with pytest.raises(InputError, match=r"ch_0, ch_1, \.\.\. at results\.channel_labels"):
        parse(aws, {"results": {"channel_labels": {"channels": channels}, "items": []}})


def test_google_alternatives_without_words():
    _, second = read("google_v1.json")
    assert second.recording.channel == 2
    # weights .6 and .3: together .9 say "ja"; the second has no times of its own
    assert rows(second) == [
        (0.1, {"ja": (0.9, 1000, 1200)}),
        (0.1, {"gut": (0.6, 1200, 1500), "gute": (0.3, 1200, 1500)}),
    ]


def test_google_alternatives_without_confidence_are_equal():
    result = {"alternatives": [{"transcript": "ja"}, {"transcript": "na"}], "resultEndTime": "1s"}
    (network,) = parse(google, {"results": [result]})
    assert rows(network) == [(0, {"ja": (0.5, 0, 1000), "na": (0.5, 0, 1000)})]


def test_azure_alternatives():
    (network,) = read("azure.json")
    assert rows(network) == [
        (0.1, {"das": (0.6, 0, 210), "dass": (0.3, 0, 230)}),
        (0.1, {"haus": (0.9, 210, 650)}),
    ]


def test_azure_without_words():
    result = {"Offset": 10_000_000, "Duration": 20_000_000, "NBest": [{"Lexical": "ja gut"}]}
    (network,) = parse(azure, result)
    assert [times[1:] for _, said in rows(network) for times in said.values()] == [
        (1000, 1800), (1800, 3000),
    ]  # fmt: skip


def test_watson_is_a_network():
    (network,) = read("watson.json")
    assert rows(network) == [
        (0, {"das": (0.95, 0, 210), "dass": (0.04, 0, 210)}),
        (0, {"haus": HAUS}),
        (1, {}),
    ]
