"""JSON of rows: what keys mean, whoever wrote them; words rather than their sentences."""

import contextlib
import io
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers.timed_text import parse, rows_in
from indexer.formats.shared.reader import DEFAULT, ReaderOptions
from std.errors import InputError
from std.repairs import NO_START, Repairs
from tests.networks import networks_in

SHAPES = json.loads((Path(__file__).parents[3] / "data/asr/rows/shapes.json").read_text())
WORDS = [("purple", 500, 900), ("carrots", 900, 1400)]
OTHERS = {  # what is not as everywhere
    "gst": [("green", 10100, 10500), ("beans", 10500, 11000)],
    "salute": [("purple", 480, 900), ("carrots", 900, 1400)],
    "amivoice": [("アドテック", 500, 1400)],
}
IN_ROWS = {"recall2", "aeneas", "podlove", "teams", "two_sides", "simple_ms", "whisper_ms", "rtzr"}


def words_of(path):
    return [
        (word.lower(), *span)
        for network in networks_in(parse_file(path, options=ReaderOptions(repairs=Repairs())))
        for word, span in zip(network.words, network.spans_ms.tolist(), strict=True)
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_services_rows_are_read_by_what_their_keys_mean(tmp_path, name):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(SHAPES[name]))
    found = words_of(path)
    if name in IN_ROWS:  # words share the time of their row
        assert (found[0][:2], found[1][0]) == (("purple", 500), "carrots")
    else:
        assert found[:2] == OTHERS.get(name, WORDS)[: len(found)]


NAMED = {
    "clova": "A", "gladia": "0", "recall": "Anna", "recall2": "Anna", "tencent": "0",
    "transcribee": "Anna", "dpe": "Anna", "sonix": "Speaker 1", "soniox": "1", "funasr": "0",
    "happyscribe": "Anna", "podlove": "Anna", "teams": "Anna", "amberscript": "Anna",
    "rtzr": "0",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_rows_say_who_spoke(tmp_path, name):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(SHAPES[name]))
    first = next(networks_in(parse_file(path, options=ReaderOptions(repairs=Repairs()))))
    assert first.speaker == NAMED[name]


def test_words_count_from_what_they_stand_in_where_their_times_say_so(tmp_path):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(SHAPES["tencent"]))
    assert words_of(path)[2:] == [("green", 5000, 5400), ("beans", 5400, 6400)]


def test_what_two_lists_say_alike_is_read_once_and_what_they_do_not_twice():
    words = [{"text": one, "start": i, "end": i + 1} for i, one in enumerate(["a", "b", "c"])]
    sentence = [{"text": "a b c", "start": 0, "end": 3}]
    found = rows_in([{"sentences": sentence, "words": words}], [1])
    assert [row.text for row in found] == ["a", "b", "c"]
    other = [{"text": "d e", "start": 4, "end": 5}]
    found = rows_in([{"agent": sentence, "customer": other}], [1])
    assert [row.text for row in found] == ["a b c", "d e"]


def test_a_row_keeps_its_text_where_what_is_inside_says_something_else():
    row = {"text": "we met Ann", "start": 0, "end": 3, "marks": [{"text": "Ann", "start": 2}]}
    assert [one.text for one in rows_in([row], [1])] == ["we met Ann"]


def test_recordings_are_told_apart(tmp_path):
    path = tmp_path / "talk.jsonl"
    rows = [{"audio_filepath": f"/d/{name}.wav", "start": 0.0, "end": 1.4, "text": "purple carrots"}
            for name in ("rec1", "rec2")]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, rows)))
    assert [one.recording.file for one in networks_in(parse_file(path))] == ["rec1", "rec2"]


def test_offsets_of_frames_lose_to_seconds(tmp_path):
    path = tmp_path / "talk.json"
    word = {"word": "purple", "start_offset": 6, "end_offset": 11, "start": 0.48, "end": 0.88}
    path.write_text(json.dumps([word, {**word, "word": "carrots", "start": 0.88, "end": 1.36}]))
    assert words_of(path) == [("purple", 480, 880), ("carrots", 880, 1360)]


@pytest.mark.parametrize(
    ("texts", "seconds"),
    [
        (["今天天气很好", "我们去公园吧", "好"], 2.0),
        (["今日は天気がいいですね", "公園へ行きましょう"], 2.5),
        (["วันนี้อากาศดีมาก", "ไปสวนกันเถอะ"], 2.0),
    ],
)
@pytest.mark.parametrize("last", ["end", "duration", ""])
@pytest.mark.parametrize("key", ["text", "word"])
def test_sentences_without_blanks_are_no_words(tmp_path, texts, seconds, last, key):
    rows = [{key: text, "start": seconds * at} for at, text in enumerate(texts)]
    for row in rows:
        times = {"end": row["start"] + seconds, "duration": seconds}
        row |= {key: value for key, value in times.items() if key == last}
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows))
    utterances = [one for block in parse_file(path) for one in block]
    assert len(utterances) == len(texts)
    assert all(one.times_estimated for one in utterances)


def test_words_without_blanks_are_words(tmp_path):
    path = tmp_path / "a.json"
    rows = [{"text": text, "start": 0.5 + at, "end": 0.9 + at} for at, text in enumerate("今天好")]
    path.write_text(json.dumps(rows))
    utterances = [one for block in parse_file(path) for one in block]
    assert not any(one.times_estimated for one in utterances)


def test_pieces_of_one_word_are_joined_where_blanks_begin_words(tmp_path):
    """As Soniox writes: a turn of one word has no blank at all."""
    pieces = [("pur", "1"), ("ple", "1"), (" car", "2"), ("rots", "2"), (" grow", "2"), (".", "2")]
    tokens = [
        {"text": text, "start_ms": 300 * at, "end_ms": 300 * at + 200, "speaker": who}
        for at, (text, who) in enumerate(pieces)
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"tokens": tokens}))
    found = [one for block in parse_file(path) for one in block]
    assert [(one.speaker, *one.words) for one in found] == [
        ("1", "purple"),
        ("2", "carrots", "grow"),
    ]


def test_line_ends_are_no_blanks_that_begin_words():
    """As autoEdit 2 writes the last word of a line."""
    texts = ["so", " many", "carrots\n", "grow", "here\n", *["then"] * 16]
    rows = [{"text": text, "startTime": i, "endTime": i + 1} for i, text in enumerate(texts)]
    (found,) = networks_in(parse(io.BytesIO(json.dumps(rows).encode()), "talk"))
    assert found.words == tuple(text.strip() for text in texts)


def rev(*texts, who=0, start_s=0.0):
    """A turn in the form of Rev's editor: texts that it puts between words have no times."""
    spans = [
        {"value": text, "ts": at, "endTs": at + 0.5} if text.isalpha() else {"value": text}
        for at, text in enumerate(texts, start=1)
    ]
    return {"id": 1, "speaker": who, "spans": spans, "startTime": start_s}


def test_words_without_times_share_the_gap_between_those_with_times():
    """Rev's editor and whisperX write words so; a turn may have no other."""
    late = rev("carrots", who=0)
    late["spans"][0] |= {"ts": 9.0, "endTs": 9.5}
    turns = [rev("We", " grow it, ", "now"), rev("Nah. ", "(laughs)", who=1, start_s=4.0), late]
    document = json.dumps({"monologues": turns})
    repairs = Repairs()
    found = [
        (network.speaker, word, span, error)
        for network in networks_in(
            parse(io.BytesIO(document.encode()), "talk", ReaderOptions(repairs=repairs))
        )
        for word, span, error in zip(
            network.words, network.spans_ms.tolist(), network.slot_errors_ms.tolist(), strict=True
        )
    ]
    assert found == [
        ("0", "We", [1000, 1500], 0),
        ("0", "grow", [1500, 2500], 1500),
        ("0", "it", [2500, 3000], 1500),
        ("0", "now", [3000, 3500], 0),
        ("1", "Nah", [3500, 9000], 5500),
        ("0", "carrots", [9000, 9500], 0),
    ]
    assert not repairs.found


def test_words_without_times_at_an_end_take_what_their_letters_do():
    rows = [{"word": "so"}, {"word": "it", "start": 5, "end": 6}, {"word": "grows", "start": None}]
    repairs = Repairs()
    text = io.BytesIO(json.dumps(rows).encode())
    (network,) = networks_in(parse(text, "talk", ReaderOptions(repairs=repairs)))
    assert repairs.found[NO_START].times == 2  # most have none
    assert list(zip(network.words, network.spans_ms.tolist(), strict=True)) == [
        ("so", [4860, 5000]),
        ("it", [5000, 6000]),
        ("grows", [6000, 6350]),
    ]


def test_captions_without_a_start_are_counted_and_share_the_gap():
    rows = [
        {"text": "so it", "start": 5, "end": 6}, {"text": "grows"}, {"text": "in winter"},
        {"text": "too", "start": 9, "end": 10},
    ]  # fmt: skip
    repairs = Repairs()
    text = io.BytesIO(json.dumps(rows).encode())
    found = networks_in(parse(text, "talk", ReaderOptions(repairs=repairs)))
    assert [(one.words, one.start_ms, one.end_ms) for one in found] == [
        (("so", "it"), 5000, 6000),
        (("grows", "in", "winter"), 6000, 9000),
        (("too",), 9000, 10000),
    ]
    assert repairs.found == {NO_START: (2, 1)}


TOLD = [
    "we",
    "grow",
    "purple",
    "carrots",
    "here",
    "in",
    "winter",
    "and",
    "eat",
    "them",
    "all",
    "day",
    "long",
]
WHEN = [{"start": at, "end": at + 0.5} for at in range(len(TOLD))]
TALK = [{"word": word, **span} for word, span in zip(TOLD, WHEN, strict=True)]
FEW = [row if at in (4, 8) else {"word": row["word"]} for at, row in enumerate(TALK)]
ITEMS = [
    {"type": "pronunciation", "alternatives": [{"content": word}]}
    | ({"start_time": f"{at}.0", "end_time": f"{at}.5"} if at in (4, 5, 6) else {})
    for at, word in enumerate(TOLD)
]
FIRST, REST = " ".join(TOLD[:4]), TALK[4:]
MOSTLY_WITHOUT_TIMES = {
    "words": FEW,
    "words of Whisper's": {"language": "en", "segments": [{"words": FEW}], "words": FEW},
    "segments of Whisper's": {"language": "en", "segments": [
        {"text": " ".join(TOLD[:9])}, {"text": " ".join(TOLD[9:]), "start": 9, "end": 13}]},
    "items of AWS's": {"jobName": "x", "results": {"items": ITEMS}},
    "lists without any": {"parts": [
        {"rows": [{"text": FIRST}]}, {"rows": [{"text": " ".join(TOLD[4:]), "start": 4}]}]},
    "segments without words": {"parts": [{"text": FIRST}, {"tokens": REST}]},
    "results of Google's": {"results": [
        {"alternatives": [{"transcript": FIRST, "confidence": 0.5}]},
        {"alternatives": [{"transcript": "", "words": [
            {"word": row["word"], "startTime": f"{row['start']}s", "endTime": f"{row['end']}s"}
            for row in REST]}]}]},
    "chunks": {"chunks": [
        {"text": one["word"], "timestamp": [one.get("start"), one.get("end")]} for one in FEW]},
}  # fmt: skip


@pytest.mark.parametrize("shape", MOSTLY_WITHOUT_TIMES)
def test_no_word_gets_lost_with_its_times(tmp_path, shape):
    """Also if most have none; then they are counted."""
    path, repairs = tmp_path / "a.json", Repairs()
    path.write_text(json.dumps(MOSTLY_WITHOUT_TIMES[shape]))
    found = [*networks_in(parse_file(path, options=ReaderOptions(repairs=repairs)))]
    assert [word for one in found for word in one.words] == TOLD
    fewer = shape in ("segments without words", "results of Google's")
    assert [*repairs.found] == ([] if fewer else [NO_START])


def test_texts_of_another_type_than_the_rows_are_not_said():
    """As titles between the cuts of a paper edit."""
    parts = [{"type": "title", "text": "Winter"}, {"type": "cut", "text": "", "words": TALK[:2]}]
    assert [row.text for row in rows_in([{"elements": parts}], [1])] == TOLD[:2]
    parts[0]["type"] = "cut"
    assert [row.text for row in rows_in([{"elements": parts}], [1])] == ["Winter", *TOLD[:2]]


def test_a_map_of_words_is_a_list_of_them():
    """As draft.js writes them: the second of two equal words was taken for a copy of the first."""
    texts = ["so", "it", "grows", "so", "it", "is"]
    told = {
        str(at): {
            "type": "WORD",
            "data": {"start": at, "end": at + 1, "confidence": 0, "text": text},
        }
        for at, text in enumerate(texts)
    }
    (network,) = networks_in(parse(io.BytesIO(json.dumps({"entityMap": told}).encode()), "talk"))
    assert list(network.words) == texts


def test_segments_may_count_samples_and_their_words_seconds():
    """As Otter's API answers, with an outline that nobody said."""
    segments = [
        {"start_offset": 16_000 * at, "end_offset": 16_000 * at + 32_000, "transcript": "so it",
         "alignment": [{"word": word, "start": start, "end": start + 1.0, "startOffset": 0}
                       for start, word in enumerate(("so", "it"))]}
        for at in (5, 20)
    ]  # fmt: skip
    outline = [{"text": "Summary", "start_offset": 80_000, "end_offset": 352_000}]
    answer = {"speech": {"speech_outline": outline, "transcripts": segments}}
    found = networks_in(parse(io.BytesIO(json.dumps(answer).encode()), "talk"))
    assert [(one.words, one.start_ms, one.end_ms) for one in found] == [
        (("so", "it"), 5000, 7000),
        (("so", "it"), 20000, 22000),
    ]


def test_partial_results_are_not_said_once_more(tmp_path):
    """As Kaldi's server for gstreamer writes them, with times in its final results only."""
    lines = [
        {"result": {"final": final, "hypotheses": [{"transcript": "we grow", **more}]}}
        for final, more in ((False, {}), (True, {"word-alignment": TALK[:2]}))
    ]
    path = tmp_path / "a.json"
    path.write_text("\n".join(map(json.dumps, lines)))
    assert [one.words for one in networks_in(parse_file(path))] == [("we", "grow")]


def test_rows_without_any_time_are_refused():
    rows = [{"text": "so", "timestamp": [None, None]}] * 2
    with pytest.raises(InputError, match=r"a text with its start at \[0\], got '\"so\"'"):
        [*parse(io.BytesIO(json.dumps(rows).encode()), "talk", ReaderOptions(repairs=Repairs()))]


def test_the_speaker_may_stand_in_additions(tmp_path):
    """As Volcengine writes."""
    word = {"start_time": 500, "end_time": 900, "text": "purple"}
    row = {**word, "text": "purple", "additions": {"speaker": "2"}, "words": [word]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"result": {"utterances": [row]}}))
    assert [one.speaker for block in parse_file(path) for one in block] == ["2"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 99) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["start", "end", "text", "words", "word", "speaker", "timestamp", "a",
                         "tiers", "alternatives", "confidence", "duration", "channel", "file"]),
        inner, max_size=5),
    max_leaves=30,
)  # fmt: skip


@given(json_values)
@settings(max_examples=300, deadline=None)
def test_any_json_gives_networks_or_an_input_error(value):
    with contextlib.suppress(InputError):
        list(parse(io.BytesIO(json.dumps(value).encode()), "x", DEFAULT))


@pytest.mark.parametrize(
    ("rows", "spans"),
    [
        ([["das", 0.9, 0.0, 0.5], ["haus", 0.4, 0.5, 0.9]], [(0, 500), (500, 900)]),
        ([["das", 0.9, 0.1, 0.5], ["haus", 0.4, 0.5, 0.9]], [(100, 500), (500, 900)]),
        ([["das", 0.0, 0.5, 0.9], ["haus", 0.5, 0.9, 0.4]], [(0, 500), (500, 900)]),
        ([[0.0, 0.5, "das", 0.9], [0.5, 0.4, "haus", 0.7]], [(0, 500), (500, 900)]),
    ],
)
def test_numbers_of_lists_are_told_by_all_of_them(tmp_path, rows, spans):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"u": [{"words": [row]} for row in rows]}))
    assert [span for _, *span in words_of(path)] == list(map(list, spans))


@pytest.mark.parametrize("frame_s", [0.01, 0.02, 0.04, 0.08])
def test_offsets_that_must_be_frames_are_refused(tmp_path, frame_s):
    path = tmp_path / "talk.json"
    said = ["the", "purple", "carrots", "grow", "in", "a", "quiet", "valley"]
    length = 0.4 / frame_s
    rows = [
        {"word": word, "start_offset": round(length * at), "end_offset": round(length * (at + 1))}
        for at, word in enumerate(said)
    ]
    path.write_text(json.dumps({"timestep": {"word": rows}}))
    with pytest.raises(InputError, match="frames, probably"):
        words_of(path)


def test_offsets_may_be_milliseconds(tmp_path):
    path = tmp_path / "talk.json"
    rows = [
        {"word": word, "start_offset": start_ms, "end_offset": end_ms}
        for word, start_ms, end_ms in WORDS
    ]
    path.write_text(json.dumps(rows))
    assert words_of(path) == WORDS


def test_a_text_may_stand_in_the_best_of_alternatives(tmp_path):
    path = tmp_path / "talk.json"
    items = [
        {
            "start_time": str(start_ms / 1000),
            "end_time": str(end_ms / 1000),
            "type": "pronunciation",
            "alternatives": [{"confidence": "0.99", "content": word}, {"content": "x"}],
        }
        for word, start_ms, end_ms in WORDS
    ]
    items.append({"type": "punctuation", "alternatives": [{"content": "."}]})
    path.write_text(json.dumps(items))
    assert words_of(path) == WORDS


@pytest.mark.parametrize("start", [1742176115.0, 1742176115000, "2026-08-19T09:00:05Z"])
def test_times_of_the_day_are_refused_with_what_to_do(tmp_path, start):
    path = tmp_path / "talk.json"
    end = start if isinstance(start, str) else start + 2
    rows = [{"start_time": start, "end_time": end, "text": "purple carrots"}]
    path.write_text(json.dumps({"segments": rows}))
    with pytest.raises(InputError, match=r"times of the day.*subtract the time at which"):
        words_of(path)


def test_ticks_are_no_times_of_the_day(tmp_path):
    path = tmp_path / "talk.json"
    rows = [{"start": 10**9 + at * 5 * 10**6, "end": 10**9 + (at + 1) * 5 * 10**6, "text": "purple"}
            for at in range(9)]  # fmt: skip
    path.write_text(json.dumps(rows))
    assert words_of(path)[1] == ("purple", 100_500, 101_000)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<|en|><|NEUTRAL|><|Speech|><|woitn|>purple carrots", WORDS),
        ("purple carrots grow", [("purple", 500, 818)]),  # fewer times than words: they share all
    ],
)
def test_times_of_words_beside_a_text_are_milliseconds(tmp_path, text, expected):
    path = tmp_path / "talk.json"
    path.write_text(
        json.dumps([{"key": "a", "text": text, "timestamp": [[500, 900], [900, 1400]]}])
    )
    assert words_of(path)[: len(expected)] == expected


def test_substrings_are_texts(tmp_path):
    path = tmp_path / "talk.json"
    segments = [
        {"substring": "Purple", "timestamp": 0.5, "duration": 0.4, "confidence": 0.9},
        {"substring": "carrots", "timestamp": 0.9, "duration": 0.5, "confidence": 0.8},
    ]
    path.write_text(json.dumps({"segments": segments}))
    assert words_of(path) == WORDS
