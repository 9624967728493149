"""Which recordings of an index conditions and patterns choose."""

import numpy as np
import pytest

from indexer.segments.invert import invert
from std.errors import StdError
from std.metadata.table import of_rows
from std.recordings import chosen, index_recordings
from std.store import open_store
from std.text import Normalisation

INPUTS = {
    "news": "/data/radio/2024/news.ctm",
    "talk": "/data/radio/talk.json",
    "film": "/data/tv/film.json",
}
METADATA = of_rows(
    {
        "news": {"date": "2024-01-31", "language": "German", "speaker": "Ada"},
        "talk": {"date": "2023", "language": "nl", "audio": "http://x/archive/talk.mp3"},
    }
)


@pytest.fixture
def everything(network):
    store = open_store("memory:", create=True)
    parts = []
    for file, path in INPUTS.items():
        columns = invert([network([("word", 0.9)], file=file)])
        recordings = tuple(one._replace(inputs=(path,)) for one in columns.recordings)
        extra = {}
        if file == "film":
            extra = {"language": np.frombuffer(b"fr", np.uint8)}
        parts.append(type(columns)(recordings, **columns.arrays(), extra=extra))
    with store.writing():
        store.commit(parts, normalisation=Normalisation(), metadata=METADATA)
        store.commit(normalisation=Normalisation(), delete_files=[])
    return index_recordings(store.segments(), store.metadata())


def names(recordings):
    return [one.recording.file for one in recordings]


def test_every_recording_with_what_is_known(everything):
    assert names(everything) == ["film", "news", "talk"]
    film, news, _ = everything
    assert (film.language, film.metadata, film.inputs) == ("fr", {}, (INPUTS["film"],))
    assert news.metadata == {"date": "2024-01-31", "language": "German", "speaker": "Ada"}
    assert (news.speech_ms, news.utterances, news.times_estimated) == (100, 1, False)


@pytest.mark.parametrize(
    ("where", "patterns", "expected"),
    [
        (None, (), "film news talk"),
        ("date >= 2024-01", (), "news"),
        ("Date < 2024", (), "talk"),
        ("speaker != Ada", (), "film talk"),
        ("language = de", (), "news"),
        ("language = Dutch", (), "talk"),
        ("language = french", (), "film"),
        ("language != de", (), "film talk"),
        ("recording ~ *l*", (), "film talk"),
        ("recording = news and speaker = Bob", (), ""),
        (None, ("n*",), "news"),
        (None, ("n*", "film"), "film news"),
        (None, ("radio/*",), "news talk"),
        (None, ("radio/talk",), "talk"),
        (None, ("/data/tv/film.json",), "film"),
        (None, ("archive/*",), "talk"),
        ("speaker = Ada", ("radio/*",), "news"),
    ],
)
def test_chosen(everything, where, patterns, expected):
    assert names(chosen(everything, METADATA, where, patterns)) == expected.split()


def test_unknown_columns_and_names_are_refused(everything):
    columns = "audio, channel, date, language, recording, speaker"
    with pytest.raises(StdError, match=f"--where: expected one of the columns {columns}, got 'x'"):
        chosen(everything, METADATA, "x = 1")
    with pytest.raises(StdError, match=r"recording: expected the name of one of 3 .* got 'radi"):
        chosen(everything, METADATA, None, ["radio"])
    with pytest.raises(StdError, match="columns channel, language, recording, got 'date'"):
        chosen(everything, of_rows({}), "date = 2024")
