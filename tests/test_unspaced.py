"""Speech in languages without spaces is found by the characters of a term, whoever cut the text."""

import json

import pytest

from indexer.cli import main as index
from searcher.commands.search import main as search
from std.store.manifest import digest_of

SRT = """1
00:00:01,000 --> 00:00:04,000
今天的天气非常好，我们去公园。

2
00:00:04,000 --> 00:00:07,000
明天会下雨 Python课取消

3
00:00:07,000 --> 00:00:10,000
新しいコーヒーを飲みます

4
00:00:10,000 --> 00:00:13,000
วันนี้อากาศดีมาก
"""

TERMS = {  # and where each is said, about
    "天气": 1.8,
    "公园": 3.5,
    "天气 非常": 1.8,
    "下雨": 4.9,
    "Python课": 5.2,
    "コーヒー": 7.8,
    "อากาศ": 11.0,
}


def indexed(tmp_path, name, content, *options):
    (tmp_path / name).write_text(content)
    store = str(tmp_path / "index")
    assert index([str(tmp_path / name), "--store", store, "--quiet", *options]) == 0
    return store


def exact_hits(store, term, capsys):
    capsys.readouterr()
    assert search(["--store", store, term, "--json", "--set", "phonetic_search.words=none"]) in (
        0,
        1,
    )
    return [hit for hit in json.loads(capsys.readouterr().out) if hit["method"] == "exact"]


@pytest.mark.parametrize("term", TERMS)
def test_captions(tmp_path, capsys, term):
    store = indexed(tmp_path, "talk.srt", SRT)
    (hit,) = exact_hits(store, term, capsys)
    assert abs(hit["start_s"] - TERMS[term]) < 0.6
    assert hit["searched"].replace(" ", "") == term.lower().replace(" ", "")


def test_the_words_around_a_hit_are_read_without_blanks(tmp_path, capsys):
    (hit,) = exact_hits(indexed(tmp_path, "talk.srt", SRT), "天气", capsys)
    assert hit["context"] == ["今天的", "天气", "非常好我们去公园明天会下"]


def test_plain_json(tmp_path, capsys):
    cues = [
        {"start": 0.5, "end": 2.5, "text": "电话会议改到星期三下午"},
        {"start": 3.0, "end": 5.0, "text": "請把報告寄給我"},
    ]
    store = indexed(tmp_path, "talk.json", json.dumps(cues))
    assert len(exact_hits(store, "星期三", capsys)) == 1
    assert len(exact_hits(store, "報告", capsys)) == 1
    assert not exact_hits(store, "期六", capsys)


def whisper(*words):
    """Whisper's words are whatever its tokens make of characters."""
    rows = [
        {"word": word, "start": start, "end": end, "probability": 0.9} for word, start, end in words
    ]
    text = "".join(word for word, _, _ in words)
    segment = {"id": 0, "start": words[0][1], "end": words[-1][2], "text": text, "words": rows}
    return json.dumps({"text": text, "segments": [segment], "language": "zh"})


def test_whisper_whose_words_are_pieces(tmp_path, capsys):
    words = [("今", 0.0, 0.2), ("天天", 0.2, 0.6), ("气很", 0.6, 1.0), ("好。", 1.0, 1.3)]
    store = indexed(tmp_path, "talk.json", whisper(*words))
    (hit,) = exact_hits(store, "天气", capsys)
    assert (hit["start_s"], hit["duration_s"]) == (0.4, pytest.approx(0.4))
    assert len(exact_hits(store, "今天", capsys)) == 1
    assert hit["language"] == "cmn"


def test_an_index_of_before_is_searched_and_extended_as_it_was_made(tmp_path, capsys):
    store = indexed(tmp_path, "old.srt", SRT, "--set", "text.unspaced=keep", "--language", "zh")
    manifest = tmp_path / "index" / "manifest.json"
    document = json.loads(manifest.read_text())
    assert document["version"] == 3  # as programs of before wrote it
    assert "unspaced" not in document["normalisation"]
    assert document["digest"] == digest_of({k: v for k, v in document.items() if k != "digest"})
    assert not exact_hits(store, "天气", capsys)
    assert len(exact_hits(store, "今天的天气非常好，我们去公园", capsys)) == 1
    (tmp_path / "more.srt").write_text(SRT.replace("公园", "学校"))
    assert index([str(tmp_path / "more.srt"), "--store", store]) == 0
    told = capsys.readouterr().err.splitlines()
    (warning,) = [line for line in told if "text.unspaced = 'keep'" in line]
    assert "more.srt is found by whole words only" in warning
    assert "into a new store" in warning
    assert len(exact_hits(store, "今天的天气非常好，我们去学校", capsys)) == 1


def test_text_without_spaces_that_comes_to_an_older_index_is_told_of(tmp_path, capsys):
    other = "1\n00:00:01,000 --> 00:00:04,000\nno such text here\n"
    store = indexed(tmp_path, "old.srt", other, "--set", "text.unspaced=keep")
    names = [str(tmp_path / name) for name in ("one.srt", "two.srt")]
    for name, content in zip(names, (SRT, SRT), strict=True):
        (tmp_path / name).write_text(content)
    assert index([*names, "--store", store]) == 0
    assert "one.srt and 1 more file is found" in capsys.readouterr().err
    (tmp_path / "three.srt").write_text(other)
    assert index([str(tmp_path / "three.srt"), "--store", store]) == 0
    assert "text without spaces" not in capsys.readouterr().err
    (tmp_path / "four.srt").write_text(SRT)
    asked = ("--set", "text.unspaced=keep")  # as the user wants it: nothing to tell
    assert index([str(tmp_path / "four.srt"), "--store", store, *asked]) == 0
    assert "text without spaces" not in capsys.readouterr().err


def test_a_new_index_says_so_in_its_version(tmp_path):
    indexed(tmp_path, "talk.srt", SRT)
    document = json.loads((tmp_path / "index" / "manifest.json").read_text())
    assert (document["version"], document["normalisation"]["unspaced"]) == (5, "characters")


def test_a_star_between_characters_is_refused(tmp_path, capsys):
    store = indexed(tmp_path, "talk.srt", SRT)
    assert search(["--store", store, "今*天"]) == 2
    assert "letters beside *" in capsys.readouterr().err
    assert search(["--store", store, "*天气*", "--json"]) == 0


@pytest.mark.parametrize(
    ("language", "text"), [("ja", "新しいコーヒーを飲みます"), ("lo", "ສະບາຍດີ")]
)
@pytest.mark.parametrize("named", [True, False])
def test_a_language_that_nothing_pronounces_is_indexed_and_told(
    tmp_path, capsys, language, text, named
):
    (tmp_path / "talk.srt").write_text(f"1\n00:00:01,000 --> 00:00:04,000\n{text}\n")
    store = str(tmp_path / "index")
    options = ["--language", language] if named else []
    assert index([str(tmp_path / "talk.srt"), "--store", store, *options]) == 0
    said = capsys.readouterr()
    assert f"unknown words of language '{language}' are not found by sound" in said.err + said.out
    assert len(exact_hits(store, text[2:5], capsys)) == 1
    assert search(["--store", store, "天"]) == 1  # not there, and no phones to look for
