"""Each reader that sees who spoke gives it to its utterances.

The inputs are invented, in the shapes of the services' documentation.
"""

import json
from io import BytesIO

import pytest

from indexer.formats.readers import (
    assemblyai,
    aws,
    aws_streaming,
    azure,
    deepgram,
    eaf,
    elevenlabs,
    google,
    revai,
    speechmatics,
    stm,
    tei,
    timeline_xml,
    ttml,
    video_indexer,
)


def of_json(document):
    return json.dumps(document).encode()


ASSEMBLYAI = of_json({
    "status": "completed",
    "utterances": [
        {"speaker": who, "start": at, "end": at + 400, "text": word, "confidence": 0.9,
         "words": [{"text": word, "start": at, "end": at + 400, "confidence": 0.9, "speaker": who}]}
        for who, at, word in (("A", 0, "yes"), ("B", 500, "no"))
    ],
})  # fmt: skip
AWS = of_json({
    "jobName": "x", "status": "COMPLETED",
    "results": {"items": [
        {"type": "pronunciation", "start_time": f"{at}", "end_time": f"{at + 0.4}",
         "speaker_label": who, "alternatives": [{"confidence": "0.9", "content": word}]}
        for who, at, word in (("A", 0.0, "yes"), ("B", 0.5, "no"))
    ]},
})  # fmt: skip
SAID = (("A", 0.0, "yes"), ("B", 0.5, "no"))
AWS_SEGMENTS = of_json({
    "jobName": "x", "status": "COMPLETED",
    "results": {
        "speaker_labels": {"segments": [
            {"items": [{"start_time": f"{at}", "speaker_label": who}]} for who, at, _ in SAID
        ]},
        "segments": [
            {"start_time": f"{at}", "end_time": f"{at + 0.4}", "alternatives": [{"items": [
                {"type": "pronunciation", "start_time": f"{at}", "end_time": f"{at + 0.4}",
                 "confidence": "0.9", "content": word}]}]} for _, at, word in SAID
        ],
    },
})  # fmt: skip
AWS_SEGMENT = of_json({
    "jobName": "x", "status": "COMPLETED",
    "results": {
        "speaker_labels": {"segments": [
            {"items": [{"start_time": f"{at}", "speaker_label": who}]} for who, at, _ in SAID
        ]},
        "segments": [{"start_time": "0.0", "end_time": "0.9", "alternatives": [{"items": [
            {"type": "pronunciation", "start_time": f"{at}", "end_time": f"{at + 0.4}",
             "confidence": "0.9", "content": word} for _, at, word in SAID]}]}],
    },
})  # fmt: skip
AWS_STREAM = of_json({
    "TranscriptEvent": {"Transcript": {"Results": [{
        "StartTime": 0.0, "EndTime": 0.9, "IsPartial": False, "Alternatives": [{"Items": [
            {"Content": word, "StartTime": at, "EndTime": at + 0.4, "Type": "pronunciation",
             "Speaker": who} for who, at, word in SAID
        ]}],
    }]}},
})  # fmt: skip
AZURE = of_json({
    "recognizedPhrases": [
        {"recognitionStatus": "Success", "channel": 0, "speaker": who, "offsetInTicks": at,
         "durationInTicks": 4_000_000, "nBest": [{"confidence": 0.9, "lexical": word,
          "words": [{"word": word, "offsetInTicks": at, "durationInTicks": 4_000_000}]}]}
        for who, at, word in ((1, 0, "yes"), (2, 5_000_000, "no"))
    ],
})  # fmt: skip
WORDS = [
    {"word": word, "start": at, "end": at + 0.4, "confidence": 0.9, "speaker": who}
    for who, at, word in ((0, 0.0, "yes"), (1, 0.5, "no"))
]
DEEPGRAM = of_json({
    "metadata": {},
    "results": {"channels": [{"alternatives": [{"transcript": "yes no", "words": WORDS}]}]},
})  # fmt: skip
ELEVENLABS = of_json({
    "language_code": "eng", "text": "yes no", "words": [
        {"text": word, "start": at, "end": at + 0.4, "type": "word", "logprob": -0.1,
         "speaker_id": who} for who, at, word in (("A", 0.0, "yes"), ("B", 0.5, "no"))
    ],
})  # fmt: skip
GOOGLE = of_json({
    "results": [{"alternatives": [{"transcript": "yes no", "confidence": 0.9, "words": [
        {"word": word, "startTime": f"{at}s", "endTime": f"{at + 0.4}s", "speakerTag": who}
        for who, at, word in ((1, 0.0, "yes"), (2, 0.5, "no"))
    ]}]}],
})  # fmt: skip
REV = of_json({
    "monologues": [
        {"speaker": who, "elements": [{"type": "text", "value": word, "ts": at,
                                       "end_ts": at + 0.4, "confidence": 0.9}]}
        for who, at, word in ((0, 0.0, "yes"), (1, 0.5, "no"))
    ],
})  # fmt: skip
SPEECHMATICS = of_json({
    "format": "2.9", "metadata": {"type": "transcription"}, "results": [
        {"type": "word", "start_time": at, "end_time": at + 0.4, "alternatives": [
            {"content": word, "confidence": 0.9, "language": "en", "speaker": who}]}
        for who, at, word in (("A", 0.0, "yes"), ("B", 0.5, "no"))
    ],
})  # fmt: skip
VIDEO = of_json({
    "videos": [{"id": "x", "insights": {
        "speakers": [{"id": 1, "name": "A"}, {"id": 2, "name": "B"}],
        "transcript": [
            {"id": at, "text": word, "confidence": 0.9, "speakerId": who, "language": "en-US",
             "instances": [{"start": f"0:00:0{at}", "end": f"0:00:0{at + 1}"}]}
            for who, at, word in ((1, 0, "yes"), (2, 1, "no"))
        ]}}],
})  # fmt: skip
STM = b"x 1 A 0.0 0.4 <o,f0> yes\nx 1 B 0.5 0.9 no\nx 1 inter_segment_gap 0.9 2.0 <o>\n"
EAF = b"""<?xml version="1.0"?><ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/>
<TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="0"/>
<TIME_SLOT TIME_SLOT_ID="b" TIME_VALUE="400"/>
<TIME_SLOT TIME_SLOT_ID="c" TIME_VALUE="900"/></TIME_ORDER>
<TIER TIER_ID="t1" PARTICIPANT="A"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="1"
 TIME_SLOT_REF1="a" TIME_SLOT_REF2="b"><ANNOTATION_VALUE>yes</ANNOTATION_VALUE>
</ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="B"><ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="2"
 TIME_SLOT_REF1="b" TIME_SLOT_REF2="c"><ANNOTATION_VALUE>no</ANNOTATION_VALUE>
</ALIGNABLE_ANNOTATION></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"""
TEI = b"""<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><profileDesc><particDesc>
<person xml:id="P1"><persName><forename>A</forename></persName></person></particDesc></profileDesc>
</teiHeader><text><timeline unit="s">
<when xml:id="T0"/><when xml:id="T1" interval="0.4" since="T0"/>
<when xml:id="T2" interval="0.9" since="T0"/></timeline><body>
<u who="#P1" start="#T0" end="#T1">yes</u><annotationBlock who="#B" start="#T1" end="#T2"><u>no</u>
</annotationBlock></body></text></TEI>"""
TTML = b"""<tt xmlns="http://www.w3.org/ns/ttml" xmlns:ttm="http://www.w3.org/ns/ttml#metadata">
<head><metadata><ttm:agent xml:id="p1" type="person"><ttm:name type="full">A</ttm:name></ttm:agent>
</metadata></head><body><div><p begin="0s" end="0.4s" ttm:agent="p1">yes</p>
<p begin="0.5s" end="0.9s" ttm:agent="B">no</p></div></body></tt>"""
EXMARALDA = b"""<basic-transcription><head><speakertable><speaker id="S">
<abbreviation>A</abbreviation></speaker></speakertable></head><basic-body>
<common-timeline><tli id="T0" time="0"/>
<tli id="T1" time="0.4"/><tli id="T2" time="0.9"/></common-timeline>
<tier speaker="S" type="t"><event start="T0" end="T1">yes</event></tier>
<tier speaker="B" type="t"><event start="T1" end="T2">no</event></tier></basic-body>
</basic-transcription>"""


@pytest.mark.parametrize(
    ("reader", "content", "names"),
    [
        (assemblyai, ASSEMBLYAI, "AB"),
        (aws, AWS, "AB"),
        (aws, AWS_SEGMENTS, "AB"),
        (aws, AWS_SEGMENT, "AB"),
        (aws_streaming, AWS_STREAM, "AB"),
        (azure, AZURE, "12"),
        (deepgram, DEEPGRAM, "01"),
        (eaf, EAF, "AB"),
        (elevenlabs, ELEVENLABS, "AB"),
        (google, GOOGLE, "12"),
        (revai, REV, "01"),
        (speechmatics, SPEECHMATICS, "AB"),
        (stm, STM, "AB"),
        (tei, TEI, "AB"),
        (timeline_xml, EXMARALDA, "AB"),
        (ttml, TTML, "AB"),
        (video_indexer, VIDEO, "AB"),
    ],
    ids=lambda value: value.__name__.rpartition(".")[2] if hasattr(value, "__name__") else "",
)
def test_who_spoke(reader, content, names):
    assert who_said(reader, content) == {"yes": names[0], "no": names[1]}


def who_said(reader, content):
    utterances = [one for block in reader.READER.parse(BytesIO(content), "x") for one in block]
    return {slot.alternatives[0].word: one.speaker for one in utterances for slot in one}


@pytest.mark.parametrize(
    ("reader", "content"), [(tei, TEI), (timeline_xml, EXMARALDA), (ttml, TTML)]
)
def test_a_name_with_a_sign_that_xml_writes_as_a_reference(reader, content):
    several = content.replace(b">A<", b">A &amp; C<")
    assert who_said(reader, several) == {"yes": "A & C", "no": "B"}
