"""Files of editing programs: read back by their formats, frame by frame."""

import re
from fractions import Fraction
from pathlib import Path

import pytest
from lxml import etree

from std.errors import StdError
from std.timelines import (
    FRAME_RATES,
    EditClip,
    SubtitleCue,
    edl,
    fcpxml,
    frames_of,
    markers,
    subtitle_file,
    timecode,
)

CLIPS = [
    EditClip("/audio/a & b.wav", 9.48, 12.48, 10.0, "burg", "98 % die <burg>", 60.0),
    EditClip("talk.mp4", 0.0, 0.001, 0.0, "=haus", "50 % das | haus", None),
    EditClip("/audio/a & b.wav", 20.0, 21.0, 20.2, "burg", "70 %\nburg", 60.0),
]


@pytest.mark.parametrize("name", FRAME_RATES)
def test_every_frame_has_a_label_of_its_own(name):
    rate = FRAME_RATES[name]
    frames = [*range(200), *range(3600 * round(rate) - 3, 3600 * round(rate) + 3)]
    assert [frames_of(timecode(frame, rate), rate) for frame in frames] == frames


@pytest.mark.parametrize("text", ["1:00:00:00", "01:60:00:00", "01:00:00:25", "x", "01:00:00"])
def test_what_is_no_time_code(text):
    with pytest.raises(ValueError, match="expected a time code as 01:00:00:00"):
        frames_of(text, Fraction(25))


@pytest.mark.parametrize("kind", ["srt", "vtt", "edl", "xml", "premiere", "resolve", "avid"])
def test_no_word_ends_a_file_or_is_markup(kind):
    odd = EditClip(
        "/a\x00.wav", 1.0, 2.0, 1.0, "ha\x00us", "{\\an8}<b>\x01 \ufffe\x1b[0m \U0001f600"
    )
    rate = FRAME_RATES["25"]
    if kind in ("srt", "vtt"):
        content = subtitle_file([SubtitleCue(1.0, 2.0, f"{odd.name}: {odd.note}")], kind)
    elif kind in ("edl", "xml"):
        content = (edl if kind == "edl" else fcpxml)([odd], "a\x0bb\x02", rate)
    else:
        content = markers([odd], kind, "a\x0bb\x02", rate)
    text = content.decode()
    assert "ha�us" in text
    assert not {*text} & {"\x00", "\x01", "\x02", "\x0b", "\x1b", "\ufffe"}
    if kind == "xml":
        (marker,) = etree.fromstring(content).iter("marker")
        assert marker.get("note").endswith("�[0m \U0001f600")
    if kind == "srt":
        assert "(\\an8)‹b›" in text


def test_events_of_an_edl_follow_each_other():
    rate = FRAME_RATES["25"]
    lines = edl(CLIPS, "a\nlist", rate, frames_of("10:00:00:00", rate)).decode().split("\r\n")
    assert lines[:3] == ["TITLE: a list", "FCM: NON-DROP FRAME", ""]
    events = [line for line in lines if re.match(r"\d{3}  ", line)]
    assert events == [
        "001  AX       AA    C        00:00:09:12 00:00:12:12 10:00:00:00 10:00:03:00",
        "002  AX       AA/V  C        00:00:00:00 00:00:00:01 10:00:03:00 10:00:03:01",
        "003  AX       AA    C        00:00:20:00 00:00:21:00 10:00:03:01 10:00:04:01",
    ]
    assert "* FROM CLIP NAME: a & b.wav" in lines
    with pytest.raises(StdError, match="at most 999 hits for an EDL, got 1000"):
        edl(CLIPS[:1] * 1000, "x", rate)
    other = CLIPS[0]._replace(source="/2025/a & b.wav")
    told = "got /audio/a & b.wav and /2025/a & b.wav; a file .fcpxml"
    with pytest.raises(StdError, match=re.escape(told)):
        edl([*CLIPS, other], "x", rate)


@pytest.mark.parametrize("name", FRAME_RATES)
def test_times_in_xml_are_whole_frames_and_clips_follow_each_other(name):
    rate = FRAME_RATES[name]
    first = frames_of("01:00:00:00", rate)
    root = etree.fromstring(fcpxml(CLIPS, "a <list>", rate, first))

    def frames(text):
        count = Fraction(text.removesuffix("s")) * rate
        assert count.denominator == 1
        return int(count)

    (sequence,) = root.iter("sequence")
    assert frames(sequence.get("tcStart")) == first
    expected = first
    clips = [*root.iter("asset-clip")]
    sources = {one.get("id"): one for one in root.iter("asset")}
    for clip, given in zip(clips, CLIPS, strict=True):
        assert frames(clip.get("offset")) == expected
        expected += frames(clip.get("duration"))
        start = frames(clip.get("start"))
        assert abs(start / rate - Fraction(given.start_s)) <= 1 / rate
        end = start + frames(clip.get("duration"))
        asset = sources[clip.get("ref")]
        assert end <= frames(asset.get("duration"))
        (marker,) = clip.iter("marker")
        assert start <= frames(marker.get("start")) < end
        assert marker.get("value") == given.name
    assert frames(sequence.get("duration")) == expected - first
    assert {one.get("src") for one in sources.values()} == {
        "file:///audio/a%20%26%20b.wav", "./talk.mp4",
    }  # fmt: skip
    assert [clip.find("marker").get("note") for clip in clips][2] == "70 % burg"


def test_markers_of_each_program():
    rate = FRAME_RATES["25"]
    lines = markers(CLIPS, "premiere", "x", rate).decode().splitlines()
    assert lines[0] == "Marker Name,Description,In,Out,Duration,Marker Type"
    assert lines[1] == "'=haus,50 % das | haus,00:00:00:00,00:00:00:01,00:00:00:01,Comment"
    lines = markers(CLIPS[:1], "avid", "x", rate, 25).decode().split("\r\n")
    assert lines == ["std\t00:00:10:12\tA1\tred\tburg: 98 % die <burg>\t75", ""]
    text = markers(CLIPS, "resolve", "x", rate, frames_of("01:00:00:00", rate)).decode()
    assert (
        "001  001      V     C        01:00:00:00 01:00:00:01 01:00:00:00 01:00:00:01\r\n" in text
    )
    assert " |C:ResolveColorBlue |M:=haus: 50 % das / haus |D:1\r\n" in text


@pytest.mark.parametrize("kind", ["premiere", "resolve", "avid"])
def test_a_time_code_counts_99_hours(kind):
    late = CLIPS[0]._replace(start_s=359_999.0, end_s=359_999.5)
    assert b"99:59:59:00" in markers([late], kind, "x", FRAME_RATES["25"])
    beyond = late._replace(start_s=360_000.0, end_s=360_000.5)
    for make in (
        lambda: markers([beyond], kind, "x", FRAME_RATES["25"]),
        lambda: edl([beyond], "x", FRAME_RATES["25"]),
    ):
        with pytest.raises(StdError, match="expected places before 100:00:00:00"):
            make()


@pytest.mark.parametrize("kind", ["srt", "vtt"])
def test_a_cue_ends_after_it_begins(kind):
    text = subtitle_file([SubtitleCue(1.0, 1.0, "a")], kind).decode().replace(",", ".")
    assert "00:00:01.000 --> 00:00:01.001\na\n" in text


def test_names_of_files_that_are_paths():
    content = edl([CLIPS[0]._replace(source=str(Path("/x/y.ogg")))], "t", FRAME_RATES["25"])
    assert b"* FROM CLIP NAME: y.ogg" in content
