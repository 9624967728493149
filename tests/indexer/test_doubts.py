"""Files that are read well and may not say what they mean: warned of, never silent."""

import json

import pytest

from indexer import index_files
from std.repairs import CLOCK_GOES_BACK, IMPLAUSIBLE_RATE, SEVERAL_RECORDINGS

TEXT = "purple carrots grow in a quiet valley for the whole winter"


def doubts(tmp_path, name, text):
    """What std-index says of a file, besides what it mends."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    report = index_files([path], "memory:")
    return {kind: mended.times for kind, mended in report.repairs.items()}


def clock(second):
    return f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def srt(starts):
    return "\n".join(f"{clock(s)},000 --> {clock(s + 4)},000\n{TEXT}\n" for s in starts)


def ctm(starts, speaker=""):
    words = TEXT.split()
    lines = [
        f"talk 1 {start + 0.4 * at:.2f} 0.30 {word} 0.9"
        for start in starts
        for at, word in enumerate(words)
    ]
    return "\n".join(lines) + "\n"


def rows(starts, **more):
    return json.dumps([{"start": s, "end": s + 4, "text": TEXT, **more} for s in starts])


DISCS = [*range(0, 60, 5), *range(0, 60, 5)]


@pytest.mark.parametrize(
    ("name", "text"), [("a.srt", srt(DISCS)), ("a.ctm", ctm(DISCS)), ("a.json", rows(DISCS))]
)
def test_a_clock_that_goes_back(tmp_path, name, text):
    assert doubts(tmp_path, name, text) == {CLOCK_GOES_BACK: 1}


def test_speakers_that_stand_one_after_the_other_are_none(tmp_path):
    some = [json.loads(rows(range(0, 60, 5), speaker=name)) for name in ("Anna", "Bo")]
    assert doubts(tmp_path, "a.json", json.dumps([*some[0], *some[1]])) == {}


def test_several_recordings(tmp_path):
    names = ["Anna", "Bo", "Cleo", "Dan", "Eva", "Finn"]
    rows = [{"start": 0.1, "end": 4, "text": TEXT, "speaker": name} for name in names]
    assert doubts(tmp_path, "a.json", json.dumps(rows)) == {SEVERAL_RECORDINGS: 1}
    later = [{**row, "start": 5 * at, "end": 5 * at + 4} for at, row in enumerate(rows)]
    assert doubts(tmp_path, "b.json", json.dumps(later)) == {}


def test_captions_that_all_begin_at_once(tmp_path):
    assert doubts(tmp_path, "a.srt", srt([0] * 6)) == {IMPLAUSIBLE_RATE: 1}


def test_words_that_last_for_minutes(tmp_path):
    """Milliseconds that were taken for seconds."""
    lines = "".join(
        f"talk 1 {400 * at}.0 30.0 {word} 0.9\n" for at, word in enumerate(5 * TEXT.split())
    )
    assert doubts(tmp_path, "a.ctm", lines) == {IMPLAUSIBLE_RATE: 1}


def test_the_line_is_named_where_words_are_put_in_order(tmp_path):
    path = tmp_path / "a.ctm"
    path.write_text(ctm(DISCS), encoding="utf-8")
    mended = index_files([path], "memory:").repairs[CLOCK_GOES_BACK]
    assert mended.line == 1 + len(DISCS) // 2 * len(TEXT.split())


def test_the_command_says_so(tmp_path, capsys):
    from indexer.cli import main

    path = tmp_path / "a.srt"
    path.write_text(srt(DISCS), encoding="utf-8")
    assert main([str(path), "--store", str(tmp_path / "index")]) == 0
    said = capsys.readouterr().err
    assert f"in doubt: {CLOCK_GOES_BACK} (1, first " in said
    assert "a.srt" in said


def test_few_words_in_many_minutes(tmp_path):
    text = "\n".join(
        f"{clock(s)},000 --> {clock(s + 600)},000\n{title}\n"
        for s, title in ((0, "Introduction"), (600, "Beans"), (1200, "Questions"))
    )
    assert doubts(tmp_path, "chapters.srt", text)[IMPLAUSIBLE_RATE] == 1
