# ruff: noqa: E501  # a transcript a line
"""Transcripts as people copy and print them: starts only, speakers beside times, frames."""

import pytest

from indexer.formats.detect import detect, parse_file
from indexer.formats.shared.reader_options import ReaderOptions
from std.repairs import BEFORE_ZERO, Repairs

OTTER = "Anna Smith  0:00  \npurple carrots\n\nBob Jones  0:05  \ngreen beans\n\nTranscribed by https://x.example\n"  # fmt: skip
TEXTS = {
    "otter.txt": OTTER,
    "rev.txt": "Anna Smith (00:00):\npurple carrots\n\nBob Jones (00:05):\ngreen beans\n",
    "word.txt": "Transcript\n\n00:00:00 Anna Smith\npurple carrots\n00:00:05 Bob Jones\ngreen beans\n",
    "video.txt": "0:00\npurple carrots\n0:05\ngreen beans\n",
    "song.lrc": "[ti:Song]\n[00:00.00]purple carrots\n[00:05.00]green beans\n",
    "printed.txt": "[00:00.000 --> 00:02.000]  purple carrots\n[00:05.000 --> 00:07.000]  green beans\n",
    "example.txt": "[0.00s -> 2.00s]  purple carrots\n[5.00s -> 67.00s]  green beans\n",
    "studio.sbv": "0:00:00.000,0:00:02.000\npurple carrots\n\n0:00:05.000,0:00:07.000\ngreen beans\n",
    "tv.stl": "00:00:00:00 , 00:00:02:00 , purple|carrots\n00:00:05:00 , 00:00:07:12 , green beans\n",
}


def rows(path):
    options = ReaderOptions(repairs=Repairs())
    networks = [one for block in parse_file(path, options=options) for one in block]
    return [(n.start_ms, " ".join(n.words), n.speaker) for n in networks], options.repairs.found


@pytest.mark.parametrize("name", TEXTS)
def test_lines_with_times_are_read(tmp_path, name):
    path = tmp_path / name
    path.write_text(TEXTS[name])
    assert detect(TEXTS[name].encode(), path) == "lines"
    named = name in ("otter.txt", "rev.txt", "word.txt")
    first, second = ("Anna Smith", "Bob Jones") if named else ("", "")
    assert rows(path)[0] == [(0, "purple carrots", first), (5000, "green beans", second)]


@pytest.mark.parametrize("bullet", ["* ", "- ", "\u2022 ", "1. "])
def test_times_may_stand_in_lists(tmp_path, bullet):
    path = tmp_path / "list.txt"
    said = [("0:05", "Anna: purple carrots"), ("0:09", "Bob: grow"), ("0:12", "Anna: yes"),
            ("0:15", "Bob: well")]  # fmt: skip
    path.write_text("".join(f"{bullet}{time} - {text}\n" for time, text in said))
    assert [(start, speaker) for start, _, speaker in rows(path)[0]] == [
        (5000, "Anna"), (9000, "Bob"), (12_000, "Anna"), (15_000, "Bob")
    ]  # fmt: skip


def test_lyrics_may_have_times_of_words_and_be_sung_twice(tmp_path):
    path = tmp_path / "song.lrc"
    path.write_text("[00:01.00] <00:01.10>purple <00:02.00>carrots\n[00:05.00][00:09.00]beans\n")
    (first, *others), _ = rows(path)
    assert first[:2] == (1000, "purple carrots")
    assert [one[:2] for one in others] == [(5000, "beans"), (9000, "beans")]


def test_frames_and_negative_times_in_srt(tmp_path):
    path = tmp_path / "x.srt"
    path.write_text("1\n00:00:00:12 --> 00:00:01:10\nja\n")
    assert rows(path)[0][0][0] == 480  # 12 frames of 25 a second
    path.write_text(
        "1\n-00:00:00,500 --> 00:00:01,400\nja\n\n2\n00:00:02,000 --> 00:00:03,000\nb\n"
    )
    assert rows(path) == ([(0, "ja", ""), (2000, "b", "")], {BEFORE_ZERO: (1, 2)})


def test_a_broken_line_of_times_costs_its_caption_only(tmp_path):
    path = tmp_path / "x.srt"
    path.write_text("1\n0:00:01,0 --> 0:00:02,0\na\n\n2\n0:0x --> 0:00:03,0\nb\n\n3\n0:00:04,0 --> 0:00:05,0\nc\n")  # fmt: skip
    assert [text for _, text, _ in rows(path)[0]] == ["a", "c"]


def test_ass_has_speakers_and_times_of_karaoke(tmp_path):
    path = tmp_path / "x.ass"
    events = "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    path.write_text(
        f"[Script Info]\nScriptType: v4.00+\n\n{events}"
        "Dialogue: 0,0:00:00.50,0:00:01.40,Default,Anna,0,0,0,,{\\k40}Purple {\\k50}car{\\k20}rots\\Ngrow\n"
        "Dialogue: 0,0:00:01.60,0:00:02.80,Default,Bob,0,0,0,,{\\i1}green{\\i0} beans, too\n"
        "Comment: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,not spoken\n"
    )
    networks = [one for block in parse_file(path) for one in block]
    assert networks[0].words == ("Purple", "carrots", "grow")
    assert networks[0].spans_ms.tolist()[0] == [500, 900]
    assert rows(path)[0][1] == (1600, "green beans too", "Bob")
