"""Tables that an index has printed, back again."""

import io
import re

import pytest

from std.errors import InputError
from std.metadata.cells import completed, with_languages
from std.metadata.read import parse_cells
from std.metadata.table import of_rows
from std.values import Recording

HEADER = "recording,channel,speech_s,language,words,inputs"


def cells(*lines):
    return parse_cells(io.BytesIO("\n".join(lines).encode()), "l.csv")


def test_columns_of_the_index_are_no_metadata():
    found = cells(HEADER + ",title", "a,1,3.5,de,20,/srv/a.srt,A", "'-x,1,1,nl,2,/srv/x.srt,")
    assert found.rows == {"a": {"title": "A"}, "-x": {"title": ""}}
    assert found.own_columns == ("channel", "speech_s", "words", "inputs")
    assert with_languages(found, {Recording("a", 1): "de", Recording("-x", 1): "de"}).rows == {
        "a": {"title": "A"}, "-x": {"title": "", "language": "nl"},
    }  # fmt: skip


def test_columns_of_the_same_name_are_metadata_elsewhere():
    assert cells("recording,channel,words", "a,ARD,many").rows == {
        "a": {"channel": "ARD", "words": "many"}
    }


def test_channels_are_one_file():
    before = of_rows({"a": {"speaker": "Ada", "speaker_2": "Bo"}})
    found = cells(HEADER + ",speaker,speaker_2", "a,1,1,de,2,x,Ada,Bo", "a,2,1,en,2,x,Bo,Bo")
    listed = {Recording("a", 1): "de", Recording("a", 2): "en"}
    assert completed(before, with_languages(found, listed)) == before


@pytest.mark.parametrize(("rows", "message"), [
    (("a,1,1,de,2,x,A", "a,2,1,de,2,x,B"), "l.csv:3: expected title of a as in line 2"),
    (("a,1,1,de,2,x,A", "a,1,1,de,2,x,A"), "l.csv:3: expected each recording once, got 'a/1'"),
    (("a,ARD,1,de,2,x,A",), "l.csv:2: expected the number of a channel, got 'ARD'"),
])  # fmt: skip
def test_rows_that_contradict_each_other(rows, message):
    with pytest.raises(InputError, match=re.escape(message)):
        cells(HEADER + ",title", *rows)


def test_a_speaker_of_a_channel_is_changed_where_it_is_kept():
    with pytest.raises(InputError, match="in the column speaker_2, got 'Cy'"):
        cells(HEADER + ",speaker,speaker_2", "a,2,1,de,2,x,Cy,Bo")


def test_channels_have_one_language_if_any_is_changed():
    found = cells(HEADER, "a,1,1,de,2,x", "a,2,1,nl,2,x")
    with pytest.raises(InputError, match="one language of all channels of a, got 'de, nl'"):
        with_languages(found, {Recording("a", 1): "de", Recording("a", 2): "de"})


def test_cells_replace_cells():
    before = of_rows({"a": {"title": "A", "date": "2024"}, "o\u0308": {"x": "1"}})
    given = cells("recording,title", "a,", "\u00f6,B")
    assert completed(before, given) == of_rows(
        {"a": {"date": "2024"}, "\u00f6": {"x": "1", "title": "B"}}
    )
