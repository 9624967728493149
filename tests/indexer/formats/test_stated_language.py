"""The language that a recogniser's output says it heard reaches the network."""

import io
import json

import pytest

from indexer.formats.readers import (
    aws,
    azure,
    google,
    jsonl,
    timed_text,
    whisper,
)
from std.nist import ecf
from tests.networks import networks_in

SEGMENT = {"start": 0.0, "end": 1.0, "text": "hallo du"}
AWS_ITEM = {
    "type": "pronunciation",
    "start_time": "0.0",
    "end_time": "0.5",
    "alternatives": [{"content": "hallo", "confidence": "0.9"}],
}
CASES = [
    (whisper, {"language": "de", "text": "hallo du", "segments": [SEGMENT]}, "de"),
    (whisper, {"language": "german", "segments": [SEGMENT]}, "german"),
    (whisper, {"segments": [SEGMENT]}, ""),
    (whisper, {"language": None, "segments": [SEGMENT]}, ""),
    (
        whisper,
        {
            "params": {"language": "auto"},
            "result": {"language": "nl"},
            "transcription": [{"offsets": {"from": 0, "to": 900}, "text": " hallo"}],
        },
        "nl",
    ),
    (whisper, {"segments": [SEGMENT], "detected_language": "de", "translation": None}, "de"),
    (whisper, {"segments": [{**SEGMENT, "language": "nl"}], "language": "de"}, "nl"),
    (whisper, {"segments": [SEGMENT], "transcription_info": {"language": "de"}}, "de"),
    (whisper, {"chunks": [{"language": "german", "timestamp": [0, 1], "text": "hallo du"}]},
     "german"),
    (timed_text, {"output": {"segments": [SEGMENT], "detected_language": "de"}}, "de"),
    (aws, {"results": {"language_code": "de-DE", "items": [AWS_ITEM]}}, "de-DE"),
    (aws, {"results": {"items": [AWS_ITEM]}}, ""),
    (
        azure,
        {"phrases": [{"offsetMilliseconds": 0, "durationMilliseconds": 900, "text": "hallo",
                      "locale": "de-DE"}]},
        "de-DE",
    ),
    (
        azure,
        {"RecognitionStatus": "Success", "DisplayText": "Hallo", "Offset": 0, "Duration": 9000000,
         "PrimaryLanguage": {"Language": "de-AT"}},
        "de-AT",
    ),
    (
        google,
        {"results": [{"alternatives": [{"transcript": "hallo", "confidence": 0.9}],
                      "resultEndTime": "1s", "languageCode": "de-de"}]},
        "de-de",
    ),
    (
        jsonl,
        {"utt": "u", "language": "de", "slots": [
            {"s": 0, "e": 1, "eps": 0, "w": [["hallo", 1.0, 0, 1]]}]},
        "de",
    ),
    (jsonl, {"utt": "u", "language": "de", "slots": [{"s": 0, "e": 1, "w": [["a", 1.0]]}]}, "de"),
    (jsonl, {"utt": "u", "language": None, "slots": [{"s": 0, "e": 1, "w": [["a", 1.0]]}]}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "document", "language"), CASES)
def test_each_says_it_in_its_own_way(reader, document, language):
    content = json.dumps(document).encode()
    networks = list(networks_in(reader.READER.parse(io.BytesIO(content), "x.json")))
    assert networks
    assert {one.language for one in networks} == {language}


def test_what_is_dumped_is_read(network):
    said = network([("hallo", 1.0)])
    object.__setattr__(said, "language", "de")
    sink = io.BytesIO()
    jsonl.dump([said, network([("hello", 1.0)], utterance="u2")], sink)
    sink.seek(0)
    assert [one.language for one in networks_in(jsonl.parse(sink, "x"))] == ["de", ""]


def test_an_ecf_says_it_for_each_excerpt():
    text = (
        b'<ecf source_signal_duration="9" language="mixed" version="1">'
        b'<excerpt audio_filename="a" channel="1" tbeg="0" dur="5" language="arabic" '
        b'source_type="bnews"/><excerpt audio_filename="b" channel="1" tbeg="0" dur="5" '
        b'source_type="bnews"/></ecf>'
    )
    read = ecf.parse(io.BytesIO(text), "x")
    assert [one.language for one in read.excerpts] == ["arabic", ""]
    sink = io.BytesIO()
    ecf.dump(read, sink)
    assert ecf.parse(io.BytesIO(sink.getvalue()), "x") == read
