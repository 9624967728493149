"""WebVTT: cues, and files of pictures."""

import pytest

from indexer.formats.readers import vtt
from std.errors import ForeignFileError
from tests.indexer.formats.captions.conftest import parsed, read, said


def test_webvtt():
    first, second = read("plain.vtt")
    assert (first.language, first.words) == ("de", ("Das", "Haus"))
    assert said([second]) == [(3_600_000, 3_601_000, "Musik")]


def test_a_cue_may_end_at_the_next_line_of_times():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\neins\n00:02.000 --> 00:03.000\nzwei\n"
    assert said(parsed(vtt, text)) == [(1000, 2000, "eins"), (2000, 3000, "zwei")]


def test_pictures_are_no_captions():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nsprite.jpg#xywh=0,0,160,90\n"
    with pytest.raises(ForeignFileError, match="addresses of pictures"):
        parsed(vtt, text)


def test_titles_of_chapters_are_no_captions():
    text = "WEBVTT\nKind: chapters\n\n00:00.000 --> 10:00.000\nHow to grow beans\n"
    with pytest.raises(ForeignFileError, match="titles of chapters"):
        parsed(vtt, text)


def test_identifiers_of_webex_name_who_speaks():
    text = (
        'WEBVTT\n\n1 "Anna Smith" (123)\n00:01.000 --> 00:02.000\neins\n\n'
        '2\n00:02.000 --> 00:03.000\nsagte "zwei" (2)\n\n'
        "3 \"Bob 'O' Jones\" (45)\n00:03.000 --> 00:04.000\ndrei\n"
    )
    found = [(network.speaker, network.words[0]) for network in parsed(vtt, text)]
    assert found == [("Anna Smith", "eins"), ("", "sagte"), ("Bob 'O' Jones", "drei")]


def test_readings_beside_characters_are_not_said_again():
    text = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>\n"
    )
    assert said(parsed(vtt, text)) == [(1000, 2000, "漢字")]
