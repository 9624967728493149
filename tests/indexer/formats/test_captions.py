"""Captions, tables and annotations: every sample says "Das Haus", each in its own way."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats import cues, eaf, srt, stm, table, tei, textgrid, timed_text, ttml, webvtt
from indexer.formats.caption_text import decoded, spoken_part
from indexer.formats.clock import time_lines
from indexer.formats.cues import Cue, utterances_of_cues
from indexer.formats.detect import FORMATS, detect, parse_file
from indexer.formats.reader_options import ReaderOptions
from indexer.formats.roll_up import without_repeats
from indexer.formats.tiers import Tier, Tiers, chosen
from indexer.formats.xml_head import root_name
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import networks_in
from std.errors import ForeignFileError, InputError
from std.values import Recording

CAPTIONS = Path(__file__).parents[2] / "data" / "captions"
SAMPLES = {
    "editor.srt": "srt", "crlf_utf16.srt": "srt", "windows1252.srt": "srt",
    "no_numbers_bom.srt": "srt", "plain.vtt": "vtt", "rolls_up.vtt": "vtt", "dfxp.ttml": "ttml",
    "words.ttml": "ttml", "utterances.eaf": "eaf", "long.TextGrid": "textgrid",
    "spoken.tei": "tei", "words.tei": "tei",
    "short_utf16.TextGrid": "textgrid", "whisper.tsv": "table", "whisper_cpp.csv": "table",
    "excel.csv": "table", "words.csv": "table", "rows.json": "timed-text",
    "captions.json": "timed-text", "site.json": "timed-text", "meeting.json": "timed-text",
    "reference.stm": "stm",
}  # fmt: skip
TIMED = {"rolls_up.vtt", "words.ttml", "long.TextGrid", "words.csv", "words.tei"}


def options():
    return ReaderOptions(nonwords=Nonwords(), tiers=Tiers())


def read(name, own=None):
    return list(networks_in(parse_file(CAPTIONS / name, options=own or options())))


def parsed(module, text, own=None, path="x"):
    content = text if isinstance(text, bytes) else text.encode()
    return list(networks_in(module.parse(io.BytesIO(content), path, own or options())))


def said(networks):
    return [(n.start_ms, n.end_ms, " ".join(n.words)) for n in networks]


def times(network):
    return [tuple(span) for span in network.spans_ms.tolist()]


def test_there_are_samples_of_all_and_no_others():
    assert {path.name for path in CAPTIONS.iterdir()} == {*SAMPLES, "README.md"}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_recognised_and_read(name):
    assert detect((CAPTIONS / name).read_bytes(), name) == SAMPLES[name]
    first = read(name)[0]
    assert [word.lower() for word in first.words[:2]] == ["das", "haus"]
    assert first.recording == Recording(name.rpartition(".")[0], 1)
    # three and four letters share 650 ms: 650 * 3 / 7 = 278.6
    expected = [(0, 210), (210, 650)] if name in TIMED else [(0, 279), (279, 650)]
    assert times(first)[:2] == expected
    assert first.times_estimated == (name not in TIMED)
    errors = [0, 0] if name in TIMED else [650, 650]
    assert first.slot_errors_ms.tolist()[:2] == errors


def test_srt():
    own = options()
    first, second = read("editor.srt", own)
    assert (second.start_ms, second.end_ms, second.words) == (1000, 2500, ("Gut", "schön"))
    assert own.nonwords.dropped == {"frau meyer:": 1, "[musik]": 1, "♪": 1}
    # "Gut" (3) and "schön" (5) share 1,500 ms; "Gut" 1000..1562 may end at 2500 or begin there
    assert times(second) == [(1000, 1562), (1562, 2500)]
    assert second.slot_errors_ms.tolist() == [1500, 1500]
    assert first.utterance == "editor-1"


@pytest.mark.parametrize("name", ["crlf_utf16.srt", "windows1252.srt"])
def test_encodings(name):
    assert said(read(name))[1] == (2000, 3000, "Müller")


def test_other_code_pages_are_refused():
    hello = "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440"
    cyrillic = f"1\n00:00:01,000 --> 00:00:02,000\n{hello}\n".encode("cp1251")
    with pytest.raises(InputError, match="x:3: expected UTF-8, UTF-16 or Windows-1252"):
        parsed(srt, cyrillic)


def test_numbers_in_captions_are_words_where_captions_have_none():
    assert said(read("no_numbers_bom.srt")) == [(0, 650, "Das Haus"), (2000, 3000, "1984")]


def test_numbers_of_captions_are_no_words():
    text = "1\n00:00:01,000 --> 00:00:02,000\nim Jahr\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\nja"
    assert said(parsed(srt, text)) == [(1000, 2000, "im Jahr 1984"), (3000, 4000, "ja")]


def test_captions_with_blank_lines_inside_and_without_an_end():
    text = "1\n00:00:01,000 --> 00:00:02,000\neins\n\nzwei\n\n2\n00:00:03,000 --> 00:00:04,000\n"
    assert said(parsed(srt, text)) == [(1000, 2000, "eins zwei")]


def test_captions_without_length_last_as_long_as_their_letters():
    # by hand: 7 letters at 70 ms
    (network,) = parsed(srt, "1\n00:00:01,000 --> 00:00:01,000\ndas Haus\n")
    assert (network.start_ms, network.end_ms) == (1000, 1490)
    assert network.slot_errors_ms.max() == 490


def test_overlapping_captions_stay_as_they_are():
    text = "1\n0:00:01,0 --> 0:00:04,0\neins\n\n2\n0:00:02,0 --> 0:00:05,0\nzwei\n"
    assert said(parsed(srt, text)) == [(1000, 4000, "eins"), (2000, 5000, "zwei")]


def test_webvtt():
    first, second = read("plain.vtt")
    assert (first.language, first.words) == ("de", ("Das", "Haus"))
    assert said([second]) == [(3_600_000, 3_601_000, "Musik")]


def test_captions_that_roll_up_are_read_once():
    networks = read("rolls_up.vtt")
    assert said(networks) == [(0, 650, "das haus"), (660, 3000, "ist gut"), (3010, 4000, "ja")]
    assert times(networks[1]) == [(660, 1000), (1000, 3000)]
    assert [n.times_estimated for n in networks] == [False, False, True]


def test_words_said_twice_are_no_rolling_up():
    # somebody says "no" in two captions of ten
    lines = ["no", "no", *"abcdefgh"]
    captions = [Cue(i, i, i + 1, line) for i, line in enumerate(lines)]
    assert without_repeats(captions) == captions


def test_rolling_up_without_times_of_words():
    texts = ["a b", "a b", "a b\nc d", "c d", "c d\ne f", "e f"]
    captions = [Cue(i, i, i + 1, text) for i, text in enumerate(texts)]
    assert [cue.text for cue in without_repeats(captions)] == ["a b", "c d", "e f"]


def test_a_cue_may_end_at_the_next_line_of_times():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\neins\n00:02.000 --> 00:03.000\nzwei\n"
    assert said(parsed(webvtt, text)) == [(1000, 2000, "eins"), (2000, 3000, "zwei")]


def test_pictures_are_no_captions():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nsprite.jpg#xywh=0,0,160,90\n"
    with pytest.raises(ForeignFileError, match="addresses of pictures"):
        parsed(webvtt, text)


def test_ttml():
    _, second = read("dfxp.ttml")
    assert (said([second]), second.language) == ([(2500, 3000, "good")], "en")


TTML = (
    '<tt xmlns="x" xmlns:p="y" {}><body><div begin="10s"><p begin="{}" end="{}">ja</p></div></body>'
    "</tt>"
)


@pytest.mark.parametrize(
    ("attributes", "begin", "end", "expected"),
    [
        ("", "1s", "2.5s", (11_000, 12_500)),  # from where the div begins
        ("", "00:00:01.5", "00:01:00", (11_500, 70_000)),
        ('p:frameRate="25"', "00:00:01:05", "30f", (11_200, 11_200)),  # 5 / 25 s; 30 / 25 s
        ('p:frameRate="30" p:frameRateMultiplier="1000 1001"', "0f", "300f", (10_000, 20_010)),
        ('p:tickRate="10000000"', "0t", "15000000t", (10_000, 11_500)),
        ("", "500ms", "1m", (10_500, 70_000)),
    ],
)
def test_times_of_ttml(attributes, begin, end, expected):
    (network,) = parsed(ttml, TTML.format(attributes, begin, end))
    start, stop = expected
    assert network.start_ms == start
    assert network.end_ms == (stop if stop > start else start + 140)  # 2 letters at 70 ms


def test_spans_with_times_are_cues_of_their_own():
    text = TTML.format("", "0s", "9s").replace(
        "ja", '<span begin="1s" end="2s">ja und</span><span begin="3s" end="4s">nein</span>'
    )
    assert said(parsed(ttml, text)) == [(11_000, 12_000, "ja und"), (13_000, 14_000, "nein")]


def test_eaf():
    own = options()
    networks = read("utterances.eaf", own)
    # "ist" and "gut" share 1000..2000, whose middle border is not aligned
    assert said(networks) == [(0, 650, "Das Haus"), (1000, 2000, "ist gut")]
    assert networks[0].language == "deu"
    assert (own.tiers.read, own.tiers.left_out) == ({"Anna": 1}, {"translation@Anna": 1})


def test_textgrids():
    own = options()
    (network,) = read("long.TextGrid", own)
    assert network.words == ("Das", "Haus")
    assert own.tiers.left_out == {"phones": 1}
    (network,) = read("short_utf16.TextGrid")
    assert network.words == ("Das", "Haus")


def test_tei():
    networks = read("spoken.tei")
    # the border between "ist" and "gut" is not aligned
    assert said(networks) == [(0, 650, "Das Haus"), (1000, 2000, "ist gut")]
    assert networks[0].language == "de"
    (network,) = read("words.tei")
    assert times(network) == [(0, 210), (210, 650)]


TEI = (
    '<TEI><text><timeline><when xml:id="T0"/><when xml:id="T1" interval="00:00:01.5" since="T0"/>'
    '<when xml:id="T2" interval="2" since="T0"/><when xml:id="T3" interval="-1" since="T0"/>'
    "</timeline>{}</text></TEI>"
)


def test_an_utterance_without_an_end_lasts_until_the_next():
    aligned = TEI.replace('<when xml:id="T3" interval="-1" since="T0"/>', "")
    block = '<annotationBlock start="T1"><u><seg>und nein</seg></u></annotationBlock>'
    text = f'<u start="T0">ja</u>{block}'
    assert said(parsed(tei, aligned.format(text))) == [(0, 1500, "ja"), (1500, 2000, "und nein")]
    with pytest.raises(InputError, match="points of time at which it starts"):
        parsed(tei, TEI.format('<u start="T0">ja</u>'))  # the timeline has no known end


def test_anchors_part_an_utterance():
    text = '<u start="T0" end="T2">ja und<anchor synch="T1"/>nein</u>'
    assert said(parsed(tei, TEI.format(text))) == [(0, 1500, "ja und"), (1500, 2000, "nein")]
    inside = '<u start="T0" end="T2"><w>ja</w><w>ne<anchor synch="T1"/>in</w><w>doch</w></u>'
    assert said(parsed(tei, TEI.format(inside))) == [(0, 1500, "ja nein"), (1500, 2000, "doch")]
    unaligned = '<u start="T0" end="T2">ja<anchor synch="T3"/>und nein</u>'
    assert said(parsed(tei, TEI.format(unaligned))) == [(0, 2000, "ja und nein")]


def test_a_head_of_many_comments_is_passed_over_at_once():
    head = b'<?xml version="1.0"?>' + b"<!-- a comment -->\n" * 2000
    assert root_name(head + b"<tt:tt>") == "tt:tt"
    assert root_name(head + b"nothing") == ""


def test_tiers_can_be_named():
    own = ReaderOptions(tiers=Tiers(("phon*",)))
    assert said(read("long.TextGrid", own)) == [(0, 80, "d")]
    with pytest.raises(InputError, match="expected a tier Berta, got 'phones, Anna - words'"):
        read("long.TextGrid", ReaderOptions(tiers=Tiers(("Berta",))))


TIERS = [
    (["words", "phones"], ["words"]),
    (["Anna - words", "Anna - phones", "Berta - words"], ["Anna - words", "Berta - words"]),
    (["ORT-MAU", "KAN-MAU", "MAU"], ["ORT-MAU"]),
    (["Anna", "Berta", "gestures"], ["Anna", "Berta"]),
    (["utterance", "gloss", "POS", "translation"], ["utterance"]),
    (["default"], ["default"]),
    (["swords"], ["swords"]),
]


@pytest.mark.parametrize(("names", "expected"), TIERS)
def test_which_tiers_are_speech(names, expected):
    assert [names[row] for row in chosen([Tier(n) for n in names], Tiers(), "x")] == expected


def test_no_tier_of_speech():
    with pytest.raises(InputError, match=r"a tier of speech, got 'phones'.*--tier NAME"):
        chosen([Tier("phones")], Tiers(), "x")


def test_tables():
    assert said(read("whisper.tsv"))[1] == (1000, 2500, "ist gut")
    assert said(read("whisper_cpp.csv"))[1] == (1000, 2500, "ist gut ja")
    assert read("excel.csv")[0].language == "de"
    (network,) = read("words.csv")
    assert network.posteriors.tolist() == pytest.approx([0.97, 0.8])
    assert network.epsilons.tolist() == pytest.approx([0.03, 0.2])


def test_whole_seconds_are_no_milliseconds():
    # speech has about 15 letters a second: 23 letters in 2 units are seconds
    text = "start,end,text\n0,2,das ist ein ganzer Satz\n"
    assert said(parsed(table, text)) == [(0, 2000, "das ist ein ganzer Satz")]


def test_tables_of_several_recordings():
    text = "recording|channel|from|to|sentence\na.wav|2|0:01|0:02|ja\nb.wav|1|0:03|0:04|nein\n"
    networks = parsed(table, text)
    assert [n.recording for n in networks] == [Recording("a", 2), Recording("b", 1)]
    assert said(networks) == [(1000, 2000, "ja"), (3000, 4000, "nein")]


def test_plain_json():
    assert said(read("rows.json"))[1] == (1000, 2500, "ist gut")
    assert read("captions.json")[0].language == "de"
    assert said(read("site.json"))[1] == (1000, 2500, "ist gut")
    (network,) = parsed(timed_text, '[{"word": "ja", "start": 1, "end": 2.5, "score": 0.5}]')
    assert (times(network), network.posteriors.tolist()) == ([(1000, 2500)], [0.5])


def test_transcripts_of_meetings():
    rows = '[{"start_ts": 1, "end_ts": 2, "transcript": "ja"}], "topics": [{"text": "nein"}]'
    otter = '{"summary": {"keywords": ["a"]}, "speech_segments": ' + rows + "}"
    assert timed_text.looks_like(otter.encode())
    assert said(parsed(timed_text, otter)) == [(1000, 2000, "ja")]
    sembly = '{"participants": [{"id": "p"}], "transcript": ' + rows + "}"
    sembly = sembly.replace("_ts", "_time").replace('"transcript": "ja', '"words_str": "ja')
    assert timed_text.looks_like(sembly.encode())
    assert said(parsed(timed_text, sembly)) == [(1000, 2000, "ja")]


def test_stm():
    own = options()
    networks = read("reference.stm", own)
    assert said(networks)[1] == (1000, 2500, "ist gut")
    assert own.nonwords.dropped == {"%hesitation": 1}
    (network,) = parsed(stm, "f 1 s 1.0 3.0 or { je / e / { fr / sdg } } not { a / { b / @ } }\n")
    assert network.words == ("or", "je", "not", "a")


START = (
    '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="{}"/></TIME_ORDER>'
)
ERRORS = [
    (srt, "1\n00:00:05,000 --> 00:00:04,000\nja\n", ":2: expected 0 <= start <= end"),
    (srt, "1\n00:00:05:000 -> 00:06\nja\n", "a number, or times as 00:00:01,000 --> "),
    (srt, "1\n0:00:01,0 --> 0:00:02,0\na\n\n2\n0:0x --> 0:00:03,0\nb\n", ":6: expected times as"),
    (srt, "1\n9999:00:05,000 --> 9999:00:06,000\nja\n", ":2: expected 0 <= start <= end <= 10737"),
    (srt, "ja\n1\n00:00:01,000 --> 00:00:02,000\nja\n", ":1: expected a number, or times"),
    (srt, "", "expected cues"),
    (webvtt, "WEBVTT\n", "expected cues"),
    (webvtt, "hello\n", ":1: expected WEBVTT, got "),
    (webvtt, "WEBVTT\n\n00:07.000 --> 00:1d.890\nja\n", ":3: expected times as 00:01.000"),
    (webvtt, "WEBVTT\n\n00:01.000 --> 00:02.000\na <00:09.000>b\n",
     ":3: expected times of words in"),
    (ttml, "<xx/>", "a document <tt>, got '<xx>'"),
    (ttml, "<tt><body><p>ja</p></body></tt>", "a paragraph with an end or dur"),
    (ttml, TTML.format("", "soon", "2s"),
     ":1: expected a time as 00:00:01.500 or 1.5s, got 'soon'"),
    (ttml, TTML.format('p:frameRate="0"', "1s", "2s"), "frameRate as a number above 0"),
    (ttml, TTML.format("", "1s", "2s").replace("</p>", ""), "well-formed XML"),
    (ttml, '<!DOCTYPE tt [<!ENTITY a "b">]><tt>&a;</tt>', "a document without DOCTYPE"),
    (ttml, '<tt><body timeContainer="par"><div timeContainer="seq"/></body></tt>', "timeContainer"),
    (eaf, START.format("-5") + "</ANNOTATION_DOCUMENT>", "TIME_VALUE as"),
    (eaf, START.format("9" * 15) + "</ANNOTATION_DOCUMENT>", "times up to"),
    (eaf, START.format("5") + '<TIER TIER_ID="t"><ANNOTATION><ALIGNABLE_ANNOTATION '
     'TIME_SLOT_REF1="a" TIME_SLOT_REF2="b"/></ANNOTATION></TIER></ANNOTATION_DOCUMENT>',
     "a time slot that is there, got 'b'"),
    (eaf, "<ANNOTATION_DOCUMENT/>", "a tier of speech, got 'none'"),
    (tei, "<xx/>", "a document <TEI>, got '<xx>'"),
    (tei, "<TEI><text><body><p>ja</p></body></text></TEI>", "<u> with the points of time"),
    (tei, TEI.format("<u>ja</u>"), ":1: expected <u> with the points of time at which it starts"),
    (tei, TEI.format('<u start="T0" end="#T9">ja</u>'), ":1: expected a point of the timeline"),
    (tei, TEI.format('<timeline><when xml:id="T0"/></timeline>'), "an xml:id of its own, got 'T0'"),
    (tei, TEI.format('<when xml:id="T8" interval="soon"/>'), "an interval, a number up to"),
    (tei, TEI.format('<timeline unit="frames"/>'), "a timeline's unit, one of s, ms"),
    (tei, TEI.format('<u start="T2" end="T1">ja</u>'), "expected 0 <= start <= end"),
    (textgrid, '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "a" 0 1 5 0 1 "ja"',
     "a start, got 'the end'"),
    (textgrid, '"ooTextFile"\n"TextGrid"\n0\n1\n<exists>\n1\n"Line"',
     ":7: expected IntervalTier or TextTier, got 'Line'"),
    (textgrid, '"ooTextFile" "TextGrid" 0 1 <exists> 9e99 ', "a number of tiers"),
    (textgrid, '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "a" 0 1 1 0 1 "ja',
     "its quotation mark closed"),
    (table, "start,end,text\n1,x,ja\n", ":2: expected a time as end, got 'x'"),
    (table, "start,end,text\n1,2,ja,nein\n", ":2: expected 3 fields, got '4'"),
    (table, "start,end,word,confidence\n1,2,ja,9\n", ":2: expected a confidence from 0 to 1"),
    (table, 'start,end,text\n1,2,"ja\n', "a row of fields"),
    (table, "a,b\n", ":1: expected columns start, end and text"),
    (table, "start,end,file,channel,text\n1,2,a,x,ja\n", "a channel, a number from"),
    (timed_text, '[{"start": 1, "end": 2, "text": "ja"}, {"start": 1}]',
     "a start, an end or a duration"),
    (timed_text, '[{"start": "soon", "end": 2, "text": "ja"}]', "a time, in numbers or as"),
    (stm, "f 1 s 1.0\n", ":1: expected file, channel, speaker, begin, end, transcript"),
    (stm, "f 1 s x 2.0 ja\n", ":1: expected a time in seconds"),
    (stm, "f 1 s 1.0 2.0 { a / b\n", ":1: expected } to each {"),
    (stm, "f 1 s 1.0 2.0 a }\n", ":1: expected { a / b } in pairs"),
    (stm, "f 1 s 1.0 2.0 " + "{ " * 500 + "a", ":1: expected { a / b } in pairs"),
]  # fmt: skip


@pytest.mark.parametrize(("module", "text", "message"), ERRORS)
def test_errors_name_the_place(module, text, message):
    with pytest.raises(InputError) as error:
        parsed(module, text)
    assert message in str(error.value)


@pytest.mark.parametrize("times", ["00:00:03", "00:00:03,000 -", "00:00:03,000 --"])
def test_a_file_that_breaks_off_in_its_times_is_refused(times):
    """Else the number and the rest of the times would be words of the caption before."""
    text = f"1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n{times}"
    with pytest.raises(InputError, match=f"x:6: expected times .* got '{times}'"):
        parsed(srt, text)


def test_deep_nesting_is_refused():
    text = "<tt><body>" + "<div>" * 5000 + "</div>" * 5000 + "</body></tt>"
    with pytest.raises(InputError):
        parsed(ttml, text)


@given(st.sampled_from(sorted(SAMPLES)), st.data())
@settings(max_examples=150, deadline=None)
def test_damage_is_an_input_error(name, data):
    content = bytearray((CAPTIONS / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    try:
        parsed_by = FORMATS[SAMPLES[name]][0]
        list(networks_in(parsed_by(io.BytesIO(bytes(content)), name, options())))
    except InputError:
        pass


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
        st.integers(1, 90_000_000), st.integers(1, 9000),
        st.lists(st.sampled_from(["das", "Haus,", "-", "ist.", '"gut"']), min_size=1, max_size=9),
    ),
    min_size=1, max_size=9,
)  # fmt: skip


def clock(ms):
    return f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}"


@given(captions)
@settings(deadline=None)
def test_captions_equal_their_slow_twin(cases):
    blocks = [
        f"{i}\n{clock(start)} --> {clock(start + length)}\n" + " ".join(words)
        for i, (start, length, words) in enumerate(cases, start=1)
    ]
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


def test_times_are_read_at_once_as_one_by_one():
    text = "00:01:02,003 --> 1:02:03.5\n99:59:59,999 --> 100:00:00,000\n"
    text += "\u0660\u0660:00:01,000 --> 00:00:02,000\n"
    lines = time_lines(text)
    assert [(one.line, one.start_s, one.end_s) for one in lines] == [
        (1, 62.003, 3723.5), (2, 359999.999, 360000.0), (3, 1.0, 2.0),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<i>a</i> <font color='red'>b</font>", "a b"),
        ("{\\an8}a\\Nb", "a b"),
        ("a < b > c", "a < b > c"),
        ("&lt;3 &#39;s", "<3 's"),
        (">> JOHN: hi", " hi"),
        ("Speaker 1: hi", " hi"),
        ("Note: hi", "Note: hi"),
        ("at 12:30", "at 12:30"),
        ("-" * 50_000 + "A" * 50_000, "-" * 50_000 + "A" * 50_000),
    ],
)
def test_spoken_part(text, expected):
    assert spoken_part(text, Nonwords()) == expected


def test_line_ends_are_the_same():
    assert decoded("a\r\nb\rc\u2028d".encode(), "x") == "a\nb\nc\nd"
    with pytest.raises(InputError, match="x:2: expected text, got 'a zero byte'"):
        decoded(b"a\n\0", "x")


def test_errors_of_slots_follow_words_that_are_split():
    (network,) = parsed(srt, "1\n00:00:00,000 --> 00:00:01,000\nja—nein\n")
    assert np.array_equal(network.slot_errors_ms, [1000])
