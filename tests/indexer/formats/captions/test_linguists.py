"""YouTube's captions, CHAT, Transcriber, EXMARaLDA, FOLKER, oTranscribe: texts, times, speakers.

The texts are invented; the shapes are those that the readers' docstrings name.
"""

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.repairs import Repairs

JSON3 = """{"wireMagic": "pb3", "events": [{"tStartMs": 0, "dDurationMs": 9000, "id": 1},
{"tStartMs": 120, "dDurationMs": 3559, "segs": [{"utf8": "purple"},
{"utf8": " carrots", "tOffsetMs": 400}, {"utf8": " grow", "tOffsetMs": 900}]},
{"tStartMs": 1900, "dDurationMs": 1779, "aAppend": 1, "segs": [{"utf8": "\\n"}]},
{"tStartMs": 1910, "dDurationMs": 3000, "segs": [{"utf8": "in"},
{"utf8": " winter", "tOffsetMs": 300}]}]}"""
SRV3 = """<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><body>
<w t="0" id="1"/>
<p t="120" d="3559" w="1"><s ac="0">purple</s><s t="400"> carrots</s><s t="900"> grow</s></p>
<p t="1900" d="1779" w="1" a="1">
</p>
<p t="1910" d="3000" w="1"><s ac="0">in</s><s t="300"> winter</s></p></body></timedtext>"""
TRS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans audio_filename="talk"><Speakers><Speaker id="spk1" name="Anna"/>
<Speaker id="spk2" name="Bob"/></Speakers><Episode><Section type="report" startTime="0" endTime="9">
<Turn speaker="spk1" startTime="0.5" endTime="4"><Sync time="0.5"/>
purple carrots
<Sync time="2"/>
<Event desc="b" type="noise" extent="instantaneous"/>grow</Turn>
<Turn speaker="spk1 spk2" startTime="4" endTime="5"><Sync time="4"/>
<Who nb="1"/>in winter<Who nb="2"/>really</Turn></Section></Episode></Trans>"""
EXB = """<?xml version="1.0" encoding="UTF-8"?><basic-transcription><head><meta-information>
<referenced-file url="talk.wav"/></meta-information><speakertable><speaker id="SPK0">
<abbreviation>Anna</abbreviation></speaker></speakertable></head><basic-body><common-timeline>
<tli id="T0" time="0.5"/><tli id="T1"/><tli id="T2" time="2.5"/></common-timeline>
<tier id="TIE0" speaker="SPK0" category="v" type="t"><event start="T0" end="T1">purple </event>
<event start="T1" end="T2">carrots </event></tier>
<tier id="TIE1" speaker="SPK0" category="en" type="a"><event start="T0" end="T2">x</event></tier>
</basic-body></basic-transcription>"""
FOLKER = """<?xml version="1.0" encoding="UTF-8"?><folker-transcription><speakers>
<speaker speaker-id="A"><name>Anna</name></speaker></speakers><recording path="talk.wav"/>
<timeline><timepoint timepoint-id="TLI_0" absolute-time="0.5"/>
<timepoint timepoint-id="TLI_1" absolute-time="1.5"/>
<timepoint timepoint-id="TLI_2" absolute-time="2.5"/></timeline>
<contribution speaker-reference="A" start-reference="TLI_0" end-reference="TLI_2" parse-level="1">
<unparsed>purple <time timepoint-reference="TLI_1"/>carrots</unparsed></contribution>
</folker-transcription>"""
CHAT = """@UTF8
@Begin
@Languages:\teng
@Participants:\tCHI Anna Target_Child, MOT Mother
@Media:\ttalk, audio
*CHI:\tpurple (ca)rrots [x 2]
\tgrow &=laughs . \x15500_1400\x15
%mor:\tadj|purple
*MOT:\tin winter ? \x151500_2500\x15
%wor:\tin \x151500_1900\x15 winter \x151900_2500\x15 ?
@End
"""
OTR = (
    '{"text": "<p><span class=\\"timestamp\\" data-timestamp=\\"2.1\\">0:02</span> purple carrots'
    '<br />grow</p><p><span class=\\"timestamp\\" data-timestamp=\\"6\\">0:06</span>in winter</p>",'
    ' "media": "talk.mp3", "media-time": 9}'
)


def read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    blocks = list(parse_file(tmp_path / name, options=ReaderOptions(repairs=Repairs())))
    return [utterance for block in blocks for utterance in block]


def words(utterances):
    return [
        (word, *span)
        for one in utterances
        for word, span in zip(one.words, one.spans_ms.tolist(), strict=True)
    ]


@pytest.mark.parametrize(("name", "text"), [("yt.json3.json", JSON3), ("yt.srv3.xml", SRV3)])
def test_words_of_youtube_have_their_times(tmp_path, name, text):
    assert words(read(tmp_path, name, text)) == [
        ("purple", 120, 520),
        ("carrots", 520, 1020),
        ("grow", 1020, 1910),
        ("in", 1910, 2210),
        ("winter", 2210, 4910),
    ]


def test_captions_of_srv1_and_srv2(tmp_path):
    srv1 = '<transcript><text start="0.12" dur="1.8">it&amp;#39;s purple</text></transcript>'
    srv2 = '<timedtext><text t="120" d="1800">it&amp;#39;s purple</text></timedtext>'
    for text in (srv1, srv2):
        found = read(tmp_path, "a.xml", text)
        assert [word for word, _, _ in words(found)] == ["it's", "purple"]
        assert (found[0].start_ms, found[0].end_ms) == (120, 1920)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "a.trs",
            TRS,
            [
                ("Anna", "purple carrots", 500, 2000),
                ("Anna", "grow", 2000, 4000),
                ("Anna", "in winter", 4000, 5000),
                ("Bob", "really", 4000, 5000),
            ],
        ),
        ("a.exb", EXB, [("Anna", "purple", 500, 1500), ("Anna", "carrots", 1500, 2500)]),
        ("a.fln", FOLKER, [("Anna", "purple", 500, 1500), ("Anna", "carrots", 1500, 2500)]),
        (
            "a.cha",
            CHAT,
            [("Anna", "purple carrots grow", 500, 1400), ("MOT", "in winter", 1500, 2500)],
        ),
    ],
)
def test_transcripts_of_linguists(tmp_path, name, text, expected):
    found = read(tmp_path, name, text)
    assert [
        (one.speaker, " ".join(one.words), one.start_ms, one.end_ms) for one in found
    ] == expected
    assert {one.recording.file for one in found} == {"talk"}


def test_otranscribe(tmp_path):
    found = read(tmp_path, "a.otr", OTR)
    assert [word for word, _, _ in words(found)] == ["purple", "carrots", "grow", "in", "winter"]
    assert [one.start_ms for one in found] == [2100, 6000]
    assert found[0].recording.file == "talk"


def test_entities_are_refused(tmp_path):
    text = TRS.replace('"trans-14.dtd">', '"x" [<!ENTITY a "b">]>')
    with pytest.raises(InputError, match="without entities"):
        read(tmp_path, "a.trs", text)


def test_chat_without_times_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(InputError, match=r"CHAT transcript without any.*CLAN"):
        read(tmp_path, "a.cha", "@UTF8\n@Begin\n*CHI:\tpurple carrots .\n@End\n")


@pytest.mark.parametrize(("name", "language"), [("Folge 1.de.srt", "de"), ("Folge.v1.srt", "")])
def test_a_name_says_the_language_of_captions(tmp_path, name, language):
    found = read(tmp_path, name, "1\n00:00:00,500 --> 00:00:01,400\npurple carrots\n")
    assert [one.language for one in found] == [language]


def test_tiers_of_notes_are_no_speech_in_exmaralda(tmp_path):
    """Pepper writes every annotation as a tier of type t."""
    tier = '<tier category="POS" type="t"><event start="T0" end="T2">ADJ</event></tier>'
    found = read(tmp_path, "a.exb", EXB.replace("</basic-body>", f"{tier}</basic-body>"))
    assert [word for one in found for word in one.words] == ["purple", "carrots"]


def test_a_timeline_without_times_is_named(tmp_path):
    text = EXB.replace(' time="0.5"', "").replace(' time="2.5"', "")
    with pytest.raises(InputError, match="expected a timeline with times, got none"):
        read(tmp_path, "a.exb", text)


def test_times_of_points_without_a_time_are_estimates(tmp_path):
    """Their errors reach to the next points that have one."""
    points = '<tli id="T0" time="0.5"/><tli id="T1"/><tli id="T2"/><tli id="T3" time="9.5"/>'
    events = "".join(
        f'<event start="T{at}" end="T{at + 1}">{word} </event>'
        for at, word in enumerate(("purple", "carrots", "grow", "here"))
    )
    path = tmp_path / "a.exb"
    path.write_text(
        f'<basic-transcription><common-timeline>{points}<tli id="T4" time="12"/></common-timeline>'
        f'<tier speaker="SPK0" type="t">{events}</tier></basic-transcription>'
    )
    (block,) = parse_file(path)
    assert block.slot_spans_ms[:, 0].tolist() == [500, 3500, 6500, 9500]
    assert block.slot_errors_ms.tolist() == [9000, 6000, 9000, 2500]


def test_exmaralda_as_hiat_is_written(tmp_path):
    """A border within a word, pauses and remarks, a film beside the sound."""
    texts = ["((0,3s)) purple/ is/ ", "green ", "when we got to", "gether. ", "((laughing)) ",
             "carrots ((unv.)) ", "(0.5) Hm\u02d9 "]  # fmt: skip
    points = "".join(f'<tli id="T{at}" time="{at}.0"/>' for at in range(9))
    events = "".join(
        f'<event start="T{at}" end="T{at + 1}">{text}</event>' for at, text in enumerate(texts)
    )
    text = (
        '<basic-transcription><head><referenced-file url="talk_web.mp4"/><referenced-file url='
        f'"sound/talk.wav"/></head><basic-body><common-timeline>{points}</common-timeline>'
        f'<tier speaker="SPK0" type="t">{events}</tier></basic-body></basic-transcription>'
    )
    found = read(tmp_path, "a.exb", text)
    assert [(" ".join(one.words), one.start_ms, one.end_ms) for one in found] == [
        ("purple is", 0, 1000),
        ("green", 1000, 2000),
        ("when we got together", 2000, 4000),
        ("carrots", 5000, 6000),
        ("Hm", 6000, 7000),
    ]
    assert {one.recording.file for one in found} == {"talk"}
    without = text.replace(" </event>", "</event>")  # nobody ended words with a blank
    assert "gether" in [word for one in read(tmp_path, "b.exb", without) for word in one.words]


def test_a_point_of_time_within_a_word_of_folker(tmp_path):
    inside = (
        '<w id="w1">purple</w><pause duration="micro"/><w>car<time timepoint-reference="TLI_1"/>'
        'rots</w><breathe type="in" length="1"/><w>grow</w>'
    )
    text = FOLKER.partition("<unparsed>")[0] + inside + FOLKER.partition("</unparsed>")[2]
    found = read(tmp_path, "a.fln", text)
    assert [" ".join(one.words) for one in found] == ["purple carrots", "grow"]


@pytest.mark.parametrize("times", ['\x15%snd:"talk"_500_1400\x15', "500_1400", ".\x15500_1400\x15"])
def test_older_and_copied_times_of_chat(tmp_path, times):
    line = f"*CHI:\tla chaise+haute New_York \u2039www [= ! crie] (.)\u203a . {times}\n"
    found = read(tmp_path, "a.cha", f"@UTF8\n@Begin\n{line}@End\n")
    assert [(" ".join(one.words), one.start_ms, one.end_ms) for one in found] == [
        ("la chaise haute New York", 500, 1400)
    ]


def test_otranscribe_without_data(tmp_path):
    text = OTR.replace(' data-timestamp=\\"2.1\\"', " onclick='x()'")
    found = read(tmp_path, "a.otr", text.replace(' data-timestamp=\\"6\\"', ""))
    assert [one.start_ms for one in found] == [2000, 6000]
