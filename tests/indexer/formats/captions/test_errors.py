"""Errors in captions, tables and annotations name the place; damaged files are input errors."""

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.readers import (
    eaf,
    srt,
    stm,
    table,
    tei,
    textgrid,
    timed_text,
    ttml,
    vtt,
)
from indexer.formats.registry import FORMATS
from std.errors import InputError
from tests.indexer.formats.captions.conftest import CAPTIONS, SAMPLES, options, parsed
from tests.indexer.formats.captions.test_captions import TTML
from tests.indexer.formats.captions.test_transcripts import TEI
from tests.networks import networks_in

START = (
    '<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="{}"/></TIME_ORDER>'
)
ERRORS = [
    (srt, "1\n00:00:05,000 --> 00:00:04,000\nja\n", ":2: expected 0 <= start <= end"),
    (srt, "1\n00:00:05:000 -> 00:06\nja\n", "a number, or times as 00:00:01,000 --> "),
    (srt, "1\n0:00:01,0 --> 0:00:02,0\na\n\n2\n0:0x --> 0:00:03,0\nb\n", ":6: expected times as"),
    (srt, "1\n9999:00:05,000 --> 9999:00:06,000\nja\n", ":2: expected times up to 10737"),
    (srt, "ja\n1\n00:00:01,000 --> 00:00:02,000\nja\n", ":1: expected a number, or times"),
    (srt, "", "expected cues"),
    (vtt, "WEBVTT\n", "expected cues"),
    (vtt, "hello\n", ":1: expected WEBVTT, got "),
    (vtt, "WEBVTT\n\n00:07.000 --> 00:1d.890\nja\n", ":3: expected times as 00:01.000"),
    (vtt, "WEBVTT\n\n00:01.000 --> 00:02.000\na <00:09.000>b\n",
     ":3: expected times of words in"),
    (ttml, "<xx/>", "a document <tt>, got '<xx>'"),
    (ttml, "<tt><body><p>ja</p></body></tt>", "a paragraph with times"),
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
     "a time slot that exists, got 'b'"),
    (eaf, "<ANNOTATION_DOCUMENT/>", "a tier of speech, got none"),
    (tei, "<xx/>", "a document <TEI>, got '<xx>'"),
    (tei, "<TEI><text><body><p>ja</p></body></text></TEI>", "<u> with the points of time"),
    (tei, TEI.format("<u>ja</u>"), ":1: expected <u> with the points of time at which it starts"),
    (tei, TEI.format('<u start="T0" end="#T9">ja</u>'), ":1: expected a point of the timeline"),
    (tei, TEI.format('<timeline><when xml:id="T0"/></timeline>'), "an xml:id of its own, got 'T0'"),
    (tei, TEI.format('<when xml:id="T8" interval="soon"/>'), "an interval, a number up to"),
    (tei, TEI.format('<timeline unit="frames"/>'), "a timeline's unit, one of s, ms"),
    (tei, TEI.format('<u start="T2" end="T1">ja</u>'), "expected 0 <= start <= end"),
    (textgrid, '"ooTextFile" "TextGrid" 0 1 <exists> 1 "IntervalTier" "a" 0 1 5 0 1 "ja"',
     "a start, got the end"),
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
     "a text at [1]"),
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


@given(st.sampled_from(sorted(SAMPLES)), st.data())
@settings(max_examples=150, deadline=None)
def test_damage_is_an_input_error(name, data):
    content = bytearray((CAPTIONS / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 4))] = data.draw(st.binary(max_size=4))
    try:
        parsed_by = FORMATS[SAMPLES[name]].parse
        list(networks_in(parsed_by(io.BytesIO(bytes(content)), name, options())))
    except InputError:
        pass
