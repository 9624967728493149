"""Vosk: vosk-transcriber's monologues, confidences above one."""

from tests.indexer.formats.json.conftest import DAS_HAUS, read, said


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
