"""No path of the server is shown."""

from pathlib import Path

import pytest

from service.recordings import recording_table, without_places
from std.metadata.table import of_rows
from std.recordings import IndexRecording
from std.values import Recording


@pytest.mark.parametrize(("value", "shown"), [
    ("/srv/media/a.wav", "a.wav"), ("file:///srv/media/a.wav", "a.wav"),
    ("C:\\media\\a.wav", "a.wav"), ("\\\\server\\media\\a.wav", "a.wav"),
    ("https://archive.example/a.mp3", "https://archive.example/a.mp3"),
    ("radio/a", "radio/a"), ("/me", "/me"), ("and/or", "and/or"), ("2024/05", "2024/05"),
])  # fmt: skip
def test_of_a_place_the_name(value, shown):
    assert without_places({"source": value}) == {"source": shown}


def test_a_table_shows_no_path():
    one = IndexRecording(
        recording=Recording("a", 1), speech_ms=1, utterances=1, times_estimated=False,
        inputs=("/srv/in/a.srt",), language="de", metadata={"tape": "/srv/t/a.wav"},
    )  # fmt: skip
    table = recording_table([one], {"a": Path("/srv/audio/a.wav")}, of_rows({"a": {"x": "/y/z"}}))
    assert table.entries[0].metadata == {"tape": "a.wav", "x": "z"}
    assert table.facets["tape"][1] == ("a.wav",)
