"""ElevenLabs: channels and pauses."""

from tests.indexer.formats.json.conftest import channels, read


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
