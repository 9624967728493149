"""What damaged files give: the rest of them, and a count of what was put right."""

import json

import pytest

from indexer import index_files
from indexer.formats.detect import parse_file
from indexer.formats.shared.reader import ReaderOptions
from std import repairs
from std.errors import InputError
from std.repairs import Repairs


def words_of(path, **options):
    """(word, start, end in ms) of a file, and what was mended."""
    mended = Repairs()
    blocks = list(parse_file(path, options=ReaderOptions(repairs=mended, **options)))
    rows = [
        (word, *span)
        for block in blocks
        for network in block
        for word, span in zip(network.words, network.spans_ms.tolist(), strict=True)
    ]
    return rows, mended.found


FIRST = {"start": 1, "end": 2, "text": " first"}
LAST = {"start": 5, "end": 6, "text": " last"}
WORD = {"word": " purple", "start": 3.0, "end": 4.0, "probability": 0.5}
CASES = [
    ({"start": 4, "end": 3, "text": " purple"}, repairs.BACKWARDS, ("purple", 4000, 4420)),
    ({"start": -0.02, "end": 0.5, "text": " purple"}, repairs.BEFORE_ZERO, ("purple", 0, 500)),
    ({"start": 3, "end": 80, "text": " purple", "words": [{**WORD, "end": 79}]}, repairs.TOO_LONG,
     ("purple", 3000, 68535)),
    ({"start": 3, "end": 4, "text": "", "words": [{**WORD, "probability": float("nan")}]},
     repairs.NO_CONFIDENCE, ("purple", 3000, 4000)),
    ({"start": 3, "end": 4, "text": "", "words": [{**WORD, "probability": 1.5}]},
     repairs.NO_CONFIDENCE, ("purple", 3000, 4000)),
    ({"start": 3, "end": 4, "text": None}, repairs.BAD_ROW, None),
]  # fmt: skip


@pytest.mark.parametrize(("row", "kind", "word"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_one_bad_value_does_not_cost_a_recording(tmp_path, row, kind, word):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"language": "en", "text": "", "segments": [FIRST, row, LAST]}))
    rows, found = words_of(path)
    others = [one for one in rows if one[0] != "purple"]
    assert others == [("first", 1000, 2000), ("last", 5000, 6000)]
    assert [one for one in rows if one[0] == "purple"] == ([word] if word else [])
    assert {kind: one.times for kind, one in found.items()} == {kind: 1}
    with pytest.raises(InputError):
        list(parse_file(path, options=ReaderOptions(repairs=Repairs(strict=True))))


def test_broken_letters_and_control_characters(tmp_path):
    path = tmp_path / "talk.json"
    row = {"start": 1, "end": 2, "text": " gr\x01n abc"}
    good = json.dumps({"language": "en", "segments": [row]})
    path.write_bytes(good.encode().replace(b"\\u0001", b"\x01").replace(b"abc", b"abc\xe6 d"))
    rows, found = words_of(path)
    assert rows[0][0].startswith("gr")
    assert {*found} == {repairs.CONTROL, repairs.NO_LETTER}


def test_ctm_with_negative_durations_as_nists_own(tmp_path):
    path = tmp_path / "talk.ctm"
    lines = ["5 A 1.00 0.20 IN", "5 A 1.20 -0.01 AND", "5 A 1.22 0.07 THEY"]
    path.write_text("".join(f"{line}\n" for line in lines * 4))
    rows, found = words_of(path)
    assert rows[4] == ("AND", 1200, 1200)
    assert found[repairs.BACKWARDS] == (4, 2)


def test_lines_that_cannot_be_read_are_skipped_unless_most_are(tmp_path):
    path = tmp_path / "talk.ctm"
    path.write_text("x 1 0.1 0.2 a\n" * 10 + "x 1 zero 0.2 b\n")
    rows, found = words_of(path)
    assert len(rows) == 10
    assert found == {repairs.BAD_ROW: (1, 11)}
    path.write_text("start,end,text\n" + "0,x,a\n" * 3 + "0,1,b\n" * 2)
    with pytest.raises(InputError, match=r"talk.ctm:2: expected a time as end, got 'x'"):
        list(parse_file(path, "table", ReaderOptions(repairs=Repairs())))


def test_captions_with_an_impossible_end_stay_and_those_without_a_start_are_refused(tmp_path):
    path = tmp_path / "talk.srt"
    path.write_text("1\n00:00:05,000 --> 9999:00:00,000\nhello there\n")
    rows, found = words_of(path)
    assert [(word, start >= 5000, end < 20_000) for word, start, end in rows] == [
        ("hello", True, True), ("there", True, True),
    ]  # fmt: skip
    assert found == {repairs.TOO_LATE: (1, 2)}
    path.write_text("1\n9998:00:00,000 --> 9999:00:00,000\nhello there\n")
    with pytest.raises(InputError, match=r"talk.srt:2: expected times up to 1073741\.823 s"):
        words_of(path)


def test_reports_say_what_was_repaired_and_where_first(tmp_path):
    path = tmp_path / "talk.srt"
    path.write_text("1\n00:00:05,000 --> 00:00:04,000\nhello there\n")
    report = index_files(path, "memory:repairs")
    (mended,) = report.repairs.values()
    assert (mended.times, mended.place) == (1, f"{path}:2")
    with pytest.raises(InputError, match=r"talk.srt:2: expected 0 <= start <= end"):
        index_files(path, "memory:repairs_strict", strict=True)


ASS = (
    "[Script Info]\nScriptType: v4.00+\n[Events]\nFormat: Start, End, Name, Text\n"
    "Dialogue: 0:00:01.00,0:00:02.00,Anna,purple carrots\n{}\n"
    "Dialogue: 0:00:05.00,0:00:06.00,Anna,green beans\n"
)
CHAT = (
    "@UTF8\n@Begin\n*CHI:\tpurple carrots . \x151000_2000\x15\n{}\n"
    "*CHI:\tgreen beans . \x155000_6000\x15\n@End\n"
)
OTR = (
    '{{"text": "<span class=\\"timestamp\\" data-timestamp=\\"1\\">0:01</span> purple carrots<br>'
    '<span data-timestamp=\\"{}\\">{}</span> peas<br><span data-timestamp=\\"5\\">0:05</span> '
    'green beans"}}'
)
BAD, NO = repairs.BAD_ROW, repairs.NO_TIME
DAMAGED = {  # a damaged part of a file -> the repairs of it, and when the peas are said
    "ASS, a field too few": (ASS, "Dialogue: 0:00:03.00,0:00:04.00,peas", {BAD: (1, 6)}, None),
    "ASS, no time": (ASS, "Dialogue: nan,0:00:04.00,Anna,peas", {BAD: (1, 6)}, None),
    "ASS, commas": (ASS, "Dialogue: 0:00:03.00,0:00:04.00,Anna,peas, too", {}, 3000),
    "CHAT, no times": (CHAT, "*CHI:\tpeas . \x15nan_inf\x15", {NO: (1, 4)}, 2000),
    "CHAT, half of them": (CHAT, "*CHI:\tpeas . \x15-3_4000\x15", {NO: (1, 4)}, 2000),
    "CHAT, too late": (CHAT, "*CHI:\tpeas . \x159999999998_9999999999\x15",
                       {repairs.TOO_LATE: (1, 4), BAD: (1, 4)}, None),
    "CHAT, a word without": (
        CHAT, "*CHI:\tpeas . \x153000_4000\x15\n%wor:\tand peas \x153500_4000\x15 .", {},
                             3500),
    "CHAT, a word's": (
        CHAT, "*CHI:\tx . \x153000_4000\x15\n%wor:\tpeas \x15-1_9\x15 x \x153500_4000\x15",
                       {NO: (1, 5)}, 3000),
}  # fmt: skip


@pytest.mark.parametrize(("form", "part", "found", "start_ms"), DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_part_is_told(tmp_path, form, part, found, start_ms):
    (path := tmp_path / "talk.txt").write_text(form.format(part))
    rows, told = words_of(path)
    said = {word: start for word, start, _ in rows}
    assert {kind: one for kind, one in told.items() if kind not in repairs.DOUBTS} == found
    assert said.get("peas") == start_ms
    assert (said["purple"], said["green"]) == (1000, 5000)


@pytest.mark.parametrize("wrong", ["-3", "nan", "1.2.3", "1e300", "2,5", ""])
def test_a_timestamp_that_is_none_is_told(tmp_path, wrong):
    (path := tmp_path / "talk.otr").write_text(OTR.format(wrong, "0:03"))
    rows, found = words_of(path)
    assert found == {repairs.NO_TIME: (1, 1)}
    assert ("peas", 3000) in [one[:2] for one in rows]
    path.write_text(OTR.format(wrong, "soon"))
    rows, found = words_of(path)
    assert found == {repairs.NO_TIME: (1, 1), repairs.BAD_ROW: (1, 1)}
    assert [one[0] for one in rows] == ["purple", "carrots", "green", "beans"]
