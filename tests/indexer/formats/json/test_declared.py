"""Readers that are a declaration and no more: DeepSpeech, ElevenLabs, Vosk."""

from tests.indexer.formats.json.conftest import DAS_HAUS, channels, read, said


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
