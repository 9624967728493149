# ruff: noqa: E501  # a transcript a line
"""Transcripts as people copy and print them: starts only, speakers beside times, frames."""

import re
from contextlib import suppress
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import detect, parse_file
from indexer.formats.readers import srt
from indexer.formats.readers.lines import is_transcript
from indexer.formats.shared import cues
from indexer.formats.shared.clock import time_lines
from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.repairs import BACKWARDS, BEFORE_ZERO, IMPLAUSIBLE_RATE, Repairs
from std.values import Recording
from tests.indexer.formats.captions.conftest import options, parsed, said, times

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
    "braces.txt": "{00:00:00} purple carrots\n{00:00:05} green beans\n",
    "dots.txt": "00.00.00 purple carrots\n00.00.05 green beans\n",
    "parts.txt": "[0h0m0s] purple carrots\n[0h0m5.0s] green beans\n",
    "links.txt": "0m0s purple carrots\n0m5s green beans\n",
    "breaks.sbv": "0:00:00.000,0:00:02.000\npurple<br/>carrots\n\n0:00:05.000,0:00:07.000\ngreen<br>beans\n",
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


SAID = [("Anna", 0, "purple carrots grow"), ("Ben", 5, "green beans too"),
        ("Anna", 9, "they grow in winter"), ("Ben", 14, "well yes they do")]  # fmt: skip
BESIDE_NAMES = {
    "blank": "{who} {time}\n{said}\n\n",
    "brackets": "[{who}] {time}\n{said}\n\n",
    "both in brackets": "[{who}] [{time}]\n{said}\n",
    "time first": "[{time}] [{who}]\n{said}\n",
    "colon": "{who}: {time}\n{said}\n",
    "dash": "{who} - {time}\n{said}\n",
    "bar": "{who} | {time}\n{said}\n",
    "bars": "{time} | {who} | {said}\n",
    "one line": "{who} {time} {said}\n",
    "colon, one line": "{who}: [{time}] {said}\n",
    "label": "Speaker {who[0]} {time}\n{said}\n",
    "tabs": "{who}\t{time}\t{said}\n",
    "time, tabs": "{time}\t{who}\t{said}\n",
    "tab, time": "{who}: {said}\t{time}\n",
    "tabs, time": "{who}\t{said}\t{time}\n",
    "last": "{who}: {said} {time}\n",
    "last in brackets": "{who}: {said} [{time}]\n\n",
    "angles": "<{time}> {who}: {said}\n",
    "hashes": "#{time}-0# {who}: {said}\n",
    "Markdown": "[{time}] **{who}:** {said}\n\n",
    "Markdown, name first": "**{who}:** [{time}] {said}\n\n",
    "headings": "## {who}\n{time}\n{said}\n\n",
    "other captions": "{time}.000 --> {time}.900\n{who}\n{said}\n\n",
}


@pytest.mark.parametrize("shape", BESIDE_NAMES)
def test_times_beside_names_of_few_letters(tmp_path, shape):
    path = tmp_path / "talk.txt"
    form = BESIDE_NAMES[shape].format
    path.write_text("".join(form(who=a, time=f"00:00:{b:02}", said=c) for a, b, c in SAID))
    found = [(who.removeprefix("Speaker ")[0], start_ms, said) for start_ms, said, who in
             rows(path)[0]]  # fmt: skip
    assert found == [(who[0], 1000 * start_s, said) for who, start_s, said in SAID]


def test_times_behind_what_is_said_are_its_end(tmp_path):
    path = tmp_path / "talk.txt"
    path.write_text("".join(f"{who[0]}: {said} #00:00:{at + 4:02}-5#\n" for who, at, said in SAID))
    networks = [one for block in parse_file(path) for one in block]
    assert [one.speaker for one in networks] == ["A", "B", "A", "B"]
    assert [one.end_ms for one in networks] == [4500, 9500, 13_500, 18_500]
    assert [one.start_ms for one in networks[1:]] == [4500, 9500, 13_500]


def test_times_behind_what_is_said_are_starts_if_that_fits_its_length(tmp_path):
    path = tmp_path / "talk.txt"
    lengths = [3, 30, 5, 50, 4, 20, 60, 3, 9]
    at, lines = 2, []
    for n in lengths:
        lines.append(f"{'word ' * n}0:{at // 60:02}:{at % 60:02}")
        at += n
    path.write_text("\n".join(lines))
    assert [start for start, _, _ in rows(path)[0]][:3] == [2000, 5000, 35_000]


@pytest.mark.parametrize(
    "text",
    [
        "We met at 10:30\nand then we left\n",
        "Dear Anna\nthe train leaves at 10:30\nand comes at 12:15\nthank you\nBen\n",
        "Agenda\nLunch 12:00\n",
    ],
)
def test_texts_with_a_time_of_day_are_none(tmp_path, text):
    (tmp_path / "mail.txt").write_text(text)
    with pytest.raises(InputError, match="got text"):
        rows(tmp_path / "mail.txt")


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


def test_an_end_before_its_start_is_repaired(tmp_path):
    path = tmp_path / "x.sbv"
    path.write_text("0:00:00.000,0:00:02.000\npurple\n\n0:00:17.484,0:00:16.543\ncarrots\n")
    found, repairs = rows(path)
    assert [row[0] for row in found] == [0, 17_484]
    assert repairs == {BACKWARDS: (1, 4)}


def test_half_a_time_is_none():
    assert not is_transcript("0:00:17.484,purple carrots\n0:00:19.484,green beans\n")


@pytest.mark.parametrize("bad", ["inf", "NaN", "-5", "-0:05", "1e300", "99999999999"])
@pytest.mark.parametrize(
    "line", ["[{} --> 0:09.4] b", "[0:05.4 --> {}] b", "0:05.4,{}\nb", "{},0:09.4\nb", "[{}] b"]
)
def test_what_stands_in_the_place_of_a_time_is_one(tmp_path, line, bad):
    one = "0:01,0:04\n" if "\n" in line else "[0:01] " if line == "[{}] b" else "[0:01 --> 0:04] "
    path = tmp_path / "talk.txt"
    path.write_text(f"{one}a\n\n{line.format(bad)}\n\n{one.replace('0:', '1:')}c\n")
    with pytest.raises(InputError, match=re.escape(f"talk.txt:{3 + one.count(chr(10))}: expected")):
        list(parse_file(path))


@pytest.mark.parametrize("bad", ["0:00:13.f89,0:00:15.489", "0:00:13.0,0:00:1x.5", "0:00:13.089,"])
def test_a_line_of_times_with_a_letter_or_half_of_it_is_no_text(tmp_path, bad):
    """It would be read as words of the caption above, and so would the text below it."""
    path = tmp_path / "talk.sbv"
    path.write_text(f"0:00:01.000,0:00:02.000\na b\n\n{bad}\nc d\n\n0:00:16.0,0:00:17.0\ne f\n")
    with pytest.raises(InputError, match=r"talk.sbv:4: expected a time such as 0:05, got '"):
        list(parse_file(path))


def test_dates_are_no_times():
    assert not is_transcript("01.02.23 purple carrots\n02.02.23 green beans\n")
    assert not is_transcript("3h of purple carrots\n5m of green beans\n")


def test_names_with_empty_brackets_are_speakers(tmp_path):
    path = tmp_path / "x.txt"
    said = [("qx()", "hello"), ("kushti", "good morning"), ("qx()", "and now"), ("kushti", "beans")]
    path.write_text(
        "".join(f"[0:{at:02}] **{who}**: {what}\n\n" for at, (who, what) in enumerate(said))
    )
    assert [row[2] for row in rows(path)[0]] == ["qx", "kushti", "qx", "kushti"]


def test_lines_that_are_sung_again_stand_in_any_order(tmp_path):
    path = tmp_path / "x.lrc"
    path.write_text("[03:05.00][00:05.00]green beans\n[00:00.00][02:07.00]purple carrots\n")
    assert rows(path)[0] == [
        (0, "purple carrots", ""), (5000, "green beans", ""),
        (127_000, "purple carrots", ""), (185_000, "green beans", ""),
    ]  # fmt: skip


def test_labels_before_a_dash_are_speakers(tmp_path):
    path = tmp_path / "x.txt"
    path.write_text(
        "".join(f"[0:00:0{at}.5 - 0:00:0{at}.9] SPEAKER_0{at % 2} - hello\n" for at in range(6))
    )
    assert {row[1:] for row in rows(path)[0]} == {("hello", "SPEAKER_00"), ("hello", "SPEAKER_01")}


@pytest.mark.parametrize("unit", ["\n", " ", "a b ", "0:05 ", "[", "{", "(", "**", "\t1"])
def test_long_texts_are_looked_at_in_linear_time(tmp_path, unit):
    path = tmp_path / "x.txt"
    path.write_text("Anna 0:05\n" + unit * (40_000 // len(unit)) + ":")
    began_s = process_time()
    with suppress(InputError):
        rows(path)
    assert process_time() - began_s < 2


def test_styles_of_ass_cost_no_captions(tmp_path):
    path = tmp_path / "x.ass"
    path.write_text(
        "[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontsize, Outline\n"
        "Style: 1,&H80000008,x\n\n[Events]\n"
        "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        "Dialogue: 0,0:00:00.50,0:00:01.40,1,Anna,0,0,0,,purple carrots\n"
    )
    assert rows(path) == ([(500, "purple carrots", "Anna")], {})


def test_labels_below_few_times_are_speakers(tmp_path):
    path = tmp_path / "edit.txt"
    path.write_text(
        "[00:00:01:00 - 00:00:03:00]\nSpeaker 1\n purple carrots\n\n"
        "[00:00:04:00 - 00:00:06:00]\nSpeaker 2\n green beans\n"
    )
    found, _ = rows(path)
    assert found == [(1000, "purple carrots", "Speaker 1"), (4000, "green beans", "Speaker 2")]


def test_titles_of_chapters_are_warned_of(tmp_path):
    path = tmp_path / "chapters.txt"
    path.write_text("0:00 Intro\n10:05 Beans and peas\n31:40 Questions\n")
    assert IMPLAUSIBLE_RATE in rows(path)[1]
    path.write_text(f"0:00 {'purple carrots ' * 40}\n10:05 {'green beans ' * 80}\n31:40 thanks\n")
    assert IMPLAUSIBLE_RATE not in rows(path)[1]


def test_captions_without_length_last_as_long_as_their_letters():
    # by hand: 7 letters at 70 ms
    (network,) = parsed(srt, "1\n00:00:01,000 --> 00:00:01,000\ndas Haus\n")
    assert (network.start_ms, network.end_ms) == (1000, 1490)
    assert network.slot_errors_ms.max() == 490


def test_captions_that_roll_end_where_the_next_begins():
    text = "1\n0:00:01,0 --> 0:00:04,0\neins\n\n2\n0:00:02,0 --> 0:00:05,0\nzwei\n"
    assert said(parsed(srt, text)) == [(1000, 2000, "eins"), (2000, 5000, "zwei")]


def test_errors_of_slots_follow_words_that_are_split():
    (network,) = parsed(srt, "1\n00:00:00,000 --> 00:00:01,000\nja—nein\n")
    assert np.array_equal(network.slot_errors_ms, [1000])


def test_times_are_read_at_once_as_one_by_one():
    text = "00:01:02,003 --> 1:02:03.5\n99:59:59,999 --> 100:00:00,000\n"
    text += "\u0660\u0660:00:01,000 --> 00:00:02,000\n"
    lines = time_lines(text)
    assert [(one.line, one.start_s, one.end_s) for one in lines] == [
        (1, 62.003, 3723.5), (2, 359999.999, 360000.0), (3, 1.0, 2.0),
    ]  # fmt: skip


def slow_columns(text):
    """The slow twin of `cues`: a caption after the other, a word after the other."""
    rows = []
    for line in text.split("\n\n"):
        _, span, *lines = line.split("\n")
        start_s, end_s = (
            sum(float(part) * 60**i for i, part in enumerate(reversed(time.split(":"))))
            for time in span.replace(",", ".").split(" --> ")
        )
        words = [word.strip(".,!?\"'-") for word in " ".join(lines).split()]
        words = [word for word in words if word]
        total, at = sum(map(len, words)), 0
        for word in words:
            span_s = (end_s - start_s) / total
            rows.append((word, start_s + at * span_s, start_s + (at + len(word)) * span_s))
            at += len(word)
    return rows


captions = st.lists(
    st.tuples(
        st.integers(1, 9_000_000), st.integers(1, 9000),
        st.lists(st.sampled_from(["das", "Haus,", "-", "ist.", '"gut"']), min_size=1, max_size=9),
    ),
    min_size=1, max_size=9,
)  # fmt: skip


def clock(ms):
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}"


@given(captions)
@settings(deadline=None)
def test_captions_equal_their_slow_twin(cases):
    blocks, at = [], 0
    for i, (pause, length, words) in enumerate(cases, start=1):
        start, at = at + pause, at + pause + length
        blocks.append(f"{i}\n{clock(start)} --> {clock(at)}\n" + " ".join(words))
    text = "\n\n".join(blocks)
    networks = parsed(srt, text)
    got = [(w, *span) for n in networks for w, span in zip(n.words, times(n), strict=True)]
    expected = slow_columns(text)
    assert [row[0] for row in got] == [row[0] for row in expected]
    for ours, theirs in zip(got, expected, strict=True):
        assert ours[1:] == pytest.approx([1000 * theirs[1], 1000 * theirs[2]], abs=1)


def test_many_cues_come_in_blocks(monkeypatch):
    monkeypatch.setattr(cues, "CUES_AT_ONCE", 2)
    found = [Cue(i, i, i + 1, f"w{i}") for i in range(5)]
    blocks = list(utterances_of_cues(found, "x", Recording("x", 1), options()))
    assert [name for block in blocks for name in block.names] == [f"x-{i}" for i in range(1, 6)]
    assert [len(block) for block in blocks] == [2, 2, 1]
