# ruff: noqa: E501  # samples stay as their programs write them
"""One invented sample for each format that people name, in the shape in which its program writes it.

All say the same: Anna "purple carrots" from 0.5 to 1.4 s, then Bob "green beans" from 1.6 to 2.8 s.
`Sample.times` says what the format has: times of "words", of "rows", or "starts" of rows only.
"""

import io
import json
import zipfile
from typing import NamedTuple

WORDS = [("purple", 500, 900), ("carrots", 900, 1400), ("green", 1600, 2200), ("beans", 2200, 2800)]


class Sample(NamedTuple):
    """A file of a format, and what it says."""

    file: str
    content: str | bytes
    times: str  # "words", "rows" or "starts"
    speakers: tuple[str, str] = ("", "")


def of_json(document):
    return json.dumps(document)


def of_lines(*documents):
    return "".join(json.dumps(one) + "\n" for one in documents)


def rows(form, unit_s=1.0, **names):
    """Two rows made of a function of speaker, text, start, end and words."""
    said = [("Anna", "purple carrots", 0.5, 1.4), ("Bob", "green beans", 1.6, 2.8)]
    own = [WORDS[:2], WORDS[2:]]
    return [
        form(who, text, a, b, words) for (who, text, a, b), words in zip(said, own, strict=True)
    ]


def s(ms):
    return ms / 1000


A_B = ("Anna", "Bob")
NUMBERS = ("0", "1")


def number(who):
    return A_B.index(who)


def document(body):
    """A Word document of paragraphs."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        paragraphs = "".join(
            f"<w:p><w:r><w:t xml:space='preserve'>{line}</w:t></w:r></w:p>" for line in body
        )
        archive.writestr(
            "word/document.xml",
            "<w:document xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'>"
            f"<w:body>{paragraphs}</w:body></w:document>",
        )
    return held.getvalue()


TRS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE Trans SYSTEM "trans-14.dtd">
<Trans audio_filename="talk"><Speakers><Speaker id="s1" name="Anna"/><Speaker id="s2" name="Bob"/></Speakers>
<Episode><Section type="report" startTime="0" endTime="2.8">
<Turn speaker="s1" startTime="0.5" endTime="1.4"><Sync time="0.5"/>
purple carrots
</Turn><Turn startTime="1.4" endTime="1.6"><Sync time="1.4"/>
</Turn><Turn speaker="s2" startTime="1.6" endTime="2.8"><Sync time="1.6"/>
green beans
</Turn></Section></Episode></Trans>"""
EXB = """<?xml version="1.0" encoding="UTF-8"?><basic-transcription><head><speakertable>
<speaker id="SPK0"><abbreviation>Anna</abbreviation></speaker>
<speaker id="SPK1"><abbreviation>Bob</abbreviation></speaker></speakertable></head><basic-body>
<common-timeline><tli id="T0" time="0.5"/><tli id="T1" time="1.4"/><tli id="T2" time="1.6"/>
<tli id="T3" time="2.8"/></common-timeline>
<tier id="TIE0" speaker="SPK0" category="v" type="t"><event start="T0" end="T1">purple carrots </event></tier>
<tier id="TIE1" speaker="SPK1" category="v" type="t"><event start="T2" end="T3">green beans </event></tier>
</basic-body></basic-transcription>"""
FLK = """<?xml version="1.0" encoding="UTF-8"?><folker-transcription><speakers>
<speaker speaker-id="Anna"/><speaker speaker-id="Bob"/></speakers><recording path="talk.wav"/>
<timeline><timepoint timepoint-id="T0" absolute-time="0.5"/><timepoint timepoint-id="T1" absolute-time="1.4"/>
<timepoint timepoint-id="T2" absolute-time="1.6"/><timepoint timepoint-id="T3" absolute-time="2.8"/></timeline>
<contribution speaker-reference="Anna" start-reference="T0" end-reference="T1" parse-level="0">
<unparsed>purple carrots</unparsed></contribution>
<contribution speaker-reference="Bob" start-reference="T2" end-reference="T3" parse-level="0">
<unparsed>green beans</unparsed></contribution></folker-transcription>"""
CHA = """@UTF8
@Begin
@Languages:\teng
@Participants:\tANN Anna Adult, BOB Bob Adult
@Media:\ttalk, audio
*ANN:\tpurple carrots . \x15500_1400\x15
%wor:\tpurple \x15500_900\x15 carrots \x15900_1400\x15 .
*BOB:\tgreen beans . \x151600_2800\x15
%wor:\tgreen \x151600_2200\x15 beans \x152200_2800\x15 .
@End
"""
FCPXML = """<?xml version="1.0"?><!DOCTYPE fcpxml><fcpxml version="1.11"><resources/><library><event><project name="talk">
<sequence tcStart="0s"><spine><gap offset="0s" start="0s" duration="9s">
<caption lane="1" offset="1/2s" duration="9/10s" role="Anna?captionFormat=ITT.en"><text><text-style ref="t">purple carrots</text-style></text></caption>
<caption lane="1" offset="8/5s" duration="6/5s" role="Bob?captionFormat=ITT.en"><text><text-style ref="t">green beans</text-style></text></caption>
</gap></spine></sequence></project></event></library></fcpxml>"""
JSON3 = of_json({"wireMagic": "pb3", "pens": [{}], "events": [
    {"tStartMs": 0, "dDurationMs": 9000, "id": 1},
    {"tStartMs": 500, "dDurationMs": 900, "segs": [{"utf8": "purple", "acAsrConf": 0}, {"utf8": " carrots", "tOffsetMs": 400}]},
    {"tStartMs": 1400, "dDurationMs": 200, "aAppend": 1, "segs": [{"utf8": "\n"}]},
    {"tStartMs": 1600, "dDurationMs": 1200, "segs": [{"utf8": "green"}, {"utf8": " beans", "tOffsetMs": 600}]},
]})  # fmt: skip
SRV3 = """<?xml version="1.0" encoding="utf-8" ?><timedtext format="3"><head><ws id="0"/></head><body>
<w t="0" id="1"/><p t="500" d="900" w="1"><s ac="0">purple</s><s t="400" ac="0"> carrots</s></p>
<p t="1600" d="1200" w="1"><s ac="0">green</s><s t="600"> beans</s></p></body></timedtext>"""
SRV1 = """<?xml version="1.0" encoding="utf-8" ?><transcript><text start="0.5" dur="0.9">purple carrots</text>
<text start="1.6" dur="1.2">green beans</text></transcript>"""
ASS = """[Script Info]
ScriptType: {version}

[Events]
Format: {first}, Start, End, Style, {name}, MarginL, MarginR, MarginV, Effect, Text
Dialogue: {value},0:00:00.50,0:00:01.40,Default,Anna,0,0,0,,purple carrots
Dialogue: {value},0:00:01.60,0:00:02.80,Default,Bob,0,0,0,,green beans
"""
SRT = "1\n00:00:00,500 --> 00:00:01,400\npurple carrots\n\n2\n00:00:01,600 --> 00:00:02,800\ngreen beans\n"

SAMPLES = {
    "Podcasting 2.0": Sample("talk.json", of_json({"version": "1.0.0", "segments": rows(
        lambda who, text, a, b, _: {"speaker": who, "startTime": a, "endTime": b, "body": text})}), "rows", A_B),
    "YouTube json3": Sample("talk.json3", JSON3, "words"),
    "YouTube srv3": Sample("talk.srv3", SRV3, "words"),
    "YouTube srv1": Sample("talk.srv1", SRV1, "rows"),
    "ASS": Sample("talk.ass", ASS.format(version="v4.00+", first="Layer", name="Name", value=0), "rows", A_B),
    "SSA": Sample("talk.ssa", ASS.format(version="v4.00", first="Marked", name="Name", value="Marked=0"), "rows", A_B),
    "SAMI": Sample("talk.smi", "<SAMI><HEAD><STYLE TYPE=\"text/css\"><!--\n.ENCC {Name: English; lang: en-US;}\n--></STYLE></HEAD>\n<BODY>\n"
        "<SYNC Start=500><P Class=ENCC>purple<br>carrots\n<SYNC Start=1400><P Class=ENCC>&nbsp;\n<SYNC Start=1600><P Class=ENCC>green beans\n"
        "<SYNC Start=2800><P Class=ENCC>&nbsp;\n</BODY></SAMI>\n", "rows"),
    "SBV": Sample("talk.sbv", "0:00:00.500,0:00:01.400\npurple carrots\n\n0:00:01.600,0:00:02.800\ngreen beans\n", "rows"),
    "LRC": Sample("talk.lrc", "[ti:Song]\n[00:00.50]purple carrots\n[00:01.60]green beans\n", "starts"),
    "EBU-STL as text": Sample("talk.stl", "//Font select\n00:00:00:12 , 00:00:01:10 , purple carrots\n00:00:01:15 , 00:00:02:20 , green beans\n", "starts"),
    "Soniox": Sample("talk.json", of_json({"id": "x", "text": "", "tokens": [
        {"text": piece, "start_ms": a, "end_ms": b, "confidence": 0.9, "speaker": who}
        for piece, a, b, who in (("pur", 500, 700, "1"), ("ple", 700, 900, "1"), (" carrots", 900, 1400, "1"),
                                 (" green", 1600, 2200, "2"), (" be", 2200, 2500, "2"), ("ans", 2500, 2800, "2"))]}), "words", ("1", "2")),
    "NeMo words": Sample("talk.json", of_json([{"word": w, "start_offset": a // 80, "end_offset": b // 80, "start": s(a), "end": s(b)} for w, a, b in WORDS]), "words"),
    "NeMo timestamps": Sample("talk.json", of_json({"text": "purple carrots green beans", "timestamp": {"timestep": [], "char": [],
        "word": [{"word": w, "start_offset": a // 80, "end_offset": b // 80, "start": s(a), "end": s(b)} for w, a, b in WORDS],
        "segment": [{"segment": "purple carrots green beans", "start_offset": 6, "end_offset": 35, "start": 0.5, "end": 2.8}]}}), "words"),
    "NeMo segments": Sample("talk.json", of_json(rows(
        lambda who, text, a, b, _: {"segment": text, "start_offset": int(a / .08), "end_offset": int(b / .08), "start": a, "end": b})), "rows"),
    "NeMo manifest": Sample("talk.jsonl", of_lines({"audio_filepath": "talk.wav", "duration": 3.0, "pred_text": "purple carrots green beans",
        "timestamps_word": [{"word": w, "start": s(a), "end": s(b)} for w, a, b in WORDS]}), "words"),
    "parakeet-mlx": Sample("talk.json", of_json({"text": "purple carrots green beans", "sentences": rows(
        lambda who, text, a, b, own: {"text": f" {text}", "start": a, "end": b, "duration": b - a, "confidence": 0.9,
            "tokens": [{"id": 1, "text": f" {w}", "start": s(x), "end": s(y), "duration": s(y - x), "confidence": 0.9} for w, x, y in own]})}), "words"),
    "SegLST": Sample("hyp.json", of_json(rows(
        lambda who, text, a, b, _: {"session_id": "talk", "speaker": who, "start_time": f"{a}", "end_time": f"{b}", "words": text})), "rows", A_B),
    "Lhotse supervisions": Sample("supervisions.jsonl", of_lines(*rows(
        lambda who, text, a, b, _: {"id": f"talk-{who}", "recording_id": "talk", "start": a, "duration": round(b - a, 3), "channel": 0,
                                    "text": text, "language": "en", "speaker": who})), "rows", A_B),
    "Lhotse cuts": Sample("cuts.jsonl", of_lines({"id": "cut1", "start": 0.25, "duration": 9.0, "channel": 0, "type": "MonoCut",
        "recording": {"id": "talk", "sources": [], "sampling_rate": 16000, "num_samples": 160000, "duration": 10.0},
        "supervisions": rows(lambda who, text, a, b, _: {"id": who, "recording_id": "talk", "start": a - 0.25, "duration": round(b - a, 3),
                                                         "channel": 0, "text": text, "speaker": who})}), "rows", A_B),
    "MFA CSV": Sample("talk.csv", "Begin,End,Label,Type,Speaker\n" + "".join(
        f"{s(a)},{s(b)},{w},words,{'Anna' if a < 1500 else 'Bob'}\n" for w, a, b in WORDS) + "0.5,0.7,P,phones,Anna\n0.7,0.9,L,phones,Anna\n1.6,2.2,G,phones,Bob\n", "words", A_B),
    "MFA JSON": Sample("talk.json", of_json({"start": 0, "end": 5.0, "tiers": {
        "Anna - words": {"type": "interval", "entries": [[s(a), s(b), w] for w, a, b in WORDS[:2]]},
        "Anna - phones": {"type": "interval", "entries": [[0.5, 0.7, "P"], [0.7, 0.9, "L"]]},
        "Bob - words": {"type": "interval", "entries": [[s(a), s(b), w] for w, a, b in WORDS[2:]]},
        "Bob - phones": {"type": "interval", "entries": [[1.6, 2.2, "G"]]}}}), "words", A_B),
    "CHAT": Sample("talk.cha", CHA, "words", A_B),
    "Transcriber": Sample("talk.trs", TRS, "rows", A_B),
    "EXMARaLDA": Sample("talk.exb", EXB, "rows", A_B),
    "FOLKER": Sample("talk.flk", FLK, "rows", A_B),
    "oTranscribe": Sample("talk.otr", of_json({"text": "<p><span class=\"timestamp\" data-timestamp=\"0.5\">0:00</span>Anna: purple carrots<br></p>"
        "<p><span class=\"timestamp\" data-timestamp=\"1.6\">0:01</span>Bob: green beans</p>"
        "<p><span class=\"timestamp\" data-timestamp=\"4\">0:04</span>Anna: yes</p><p><span class=\"timestamp\" data-timestamp=\"6\">0:06</span>Bob: so</p>",
        "media": "talk.mp3", "media-time": 3.2}), "starts", A_B),
    "Premiere JSON": Sample("talk.json", of_json({"language": "en-us", "segments": rows(
        lambda who, text, a, b, own: {"duration": round(b - a, 3), "language": "en-us", "speaker": f"id-{who}", "start": a,
            "words": [{"confidence": 0.9, "duration": s(y - x), "eos": False, "start": s(x), "tags": [], "text": w, "type": "word"} for w, x, y in own]}),
        "speakers": [{"id": "id-Anna", "name": "Anna"}, {"id": "id-Bob", "name": "Bob"}]}), "words", A_B),
    "Premiere CSV": Sample("talk.csv", "\ufeff\"Speaker Name\",\"Start Time\",\"End Time\",\"Text\"\n"
        "\"Anna\",\"00:00:00:12\",\"00:00:01:10\",\"purple carrots\"\n\"Bob\",\"00:00:01:15\",\"00:00:02:20\",\"green beans\"\n", "starts", A_B),
    "FCPXML captions": Sample("talk.fcpxml", FCPXML, "rows", A_B),
    "Descript": Sample("talk.txt", "[00:00:00.500] Anna: purple carrots\n\n[00:00:01.600] Bob: green beans\n\n"
                       "[00:00:04.000] Anna: yes it is\n\n[00:00:07.000] Bob: so it is\n", "starts", A_B),
    "Descript Markdown": Sample("talk.txt", "# Talk\n\n**Anna:** [00:00:00.5] purple carrots\n\n**Bob:** [00:00:01.6] green beans\n\n"
                                "**Anna:** [00:00:04] yes it is\n\n**Bob:** [00:00:07] so it is\n", "starts", A_B),
    "Otter": Sample("talk.txt", "Anna Smith  0:00.5  \npurple carrots\n\nBob Jones  0:01.6  \ngreen beans\n\nTranscribed by https://otter.example\n", "starts", ("Anna Smith", "Bob Jones")),
    "Rev": Sample("talk.txt", "Anna Smith (00:00.5):\npurple carrots\n\nBob Jones (00:01.6):\ngreen beans\n", "starts", ("Anna Smith", "Bob Jones")),
    "YouTube copied": Sample("talk.txt", "0:00.5\npurple carrots\n0:01.6\ngreen beans\n", "starts"),
    "Gemini list": Sample("talk.json", of_json([{"timestamp": "00:00.5", "speaker": "Anna", "text": "purple carrots"},
                                                {"timestamp": "00:01.6", "speaker": "Bob", "text": "green beans"}]), "starts", A_B),
    "Whisper printed": Sample("talk.txt", "[00:00.500 --> 00:01.400]  purple carrots\n[00:01.600 --> 00:02.800]  green beans\n", "rows"),
    "Word document": Sample("talk.docx", document(["Anna Smith   0:00.5", "purple carrots", "", "Bob Jones   0:01.6", "green beans"]), "starts", ("Anna Smith", "Bob Jones")),
    "Gladia": Sample("talk.json", of_json({"id": "x", "status": "done", "result": {"metadata": {"audio_duration": 3}, "transcription": {
        "full_transcript": "purple carrots green beans", "languages": ["en"], "utterances": rows(
            lambda who, text, a, b, own: {"text": text, "language": "en", "start": a, "end": b, "confidence": 0.9, "channel": 0, "speaker": number(who),
                "words": [{"word": f" {w}", "start": s(x), "end": s(y), "confidence": 0.9} for w, x, y in own]})}}}), "words", NUMBERS),
    "Recall.ai": Sample("talk.json", of_json(rows(
        lambda who, text, a, b, own: {"participant": {"id": number(who), "name": who}, "words": [
            {"text": w, "start_timestamp": {"relative": s(x), "absolute": "2025-01-01T00:00:00Z"},
             "end_timestamp": {"relative": s(y), "absolute": "2025-01-01T00:00:01Z"}} for w, x, y in own]})), "words", A_B),
    "ElevenLabs": Sample("talk.json", of_json({"language_code": "eng", "language_probability": 1, "text": "purple carrots green beans", "words": [
        {"text": w, "start": s(a), "end": s(b), "type": "word", "speaker_id": "Anna" if a < 1500 else "Bob", "logprob": -0.1} for w, a, b in WORDS]}), "words", A_B),
    "DashScope": Sample("talk.json", of_json({"file_url": "https://x.example/talk.wav", "properties": {"audio_format": "pcm", "channels": [0]},
        "transcripts": [{"channel_id": 0, "text": "purple carrots green beans", "sentences": rows(
            lambda who, text, a, b, own: {"begin_time": int(1000 * a), "end_time": int(1000 * b), "text": text, "sentence_id": 1, "speaker_id": number(who),
                "words": [{"begin_time": x, "end_time": y, "text": f"{w} ", "punctuation": ""} for w, x, y in own]})}]}), "words", NUMBERS),
    "CLOVA": Sample("talk.json", of_json({"result": "COMPLETED", "message": "Succeeded", "segments": rows(
        lambda who, text, a, b, own: {"start": int(1000 * a), "end": int(1000 * b), "text": text, "confidence": 0.9, "diarization": {"label": str(number(who))},
            "speaker": {"label": str(number(who)), "name": who, "edited": False}, "words": [[x, y, w] for w, x, y in own]}),
        "text": "x", "confidence": 0.9, "speakers": [{"label": "0", "name": "Anna"}, {"label": "1", "name": "Bob"}]}), "words", A_B),
    "Yandex": Sample("talk.json", of_json({"done": True, "response": {"@type": "x", "chunks": rows(
        lambda who, text, a, b, own: {"alternatives": [{"words": [
            {"startTime": f"{s(x)}s", "endTime": f"{s(y)}s", "word": w, "confidence": 1} for w, x, y in own], "text": text, "confidence": 1}], "channelTag": "1"})}}), "words"),
    "Tencent": Sample("talk.json", of_json({"Response": {"Data": {"TaskId": 1, "Status": 2, "Result": "x", "ResultDetail": rows(
        lambda who, text, a, b, own: {"FinalSentence": text, "SliceSentence": text, "StartMs": int(1000 * a), "EndMs": int(1000 * b), "WordsNum": 2, "SpeakerId": number(who),
            "Words": [{"Word": w, "OffsetStartMs": x - int(1000 * a), "OffsetEndMs": y - int(1000 * a)} for w, x, y in own]})}}}), "words", NUMBERS),
    "Volcengine": Sample("talk.json", of_json({"audio_info": {"duration": 3000}, "result": {"text": "purple carrots green beans", "utterances": rows(
        lambda who, text, a, b, own: {"additions": {"speaker": str(number(who))}, "definite": True, "start_time": int(1000 * a), "end_time": int(1000 * b), "text": text,
            "words": [{"blank_duration": 0, "start_time": x, "end_time": y, "text": w} for w, x, y in own]})}}), "words", NUMBERS),
    "IBM": Sample("talk.json", of_json({"result_index": 0, "results": [{"final": True, "alternatives": [{"transcript": "purple carrots green beans ", "confidence": 0.9,
        "timestamps": [[w, s(a), s(b)] for w, a, b in WORDS]}]}],
        "speaker_labels": [{"from": s(a), "to": s(b), "speaker": int(a > 1500), "confidence": 0.9, "final": True} for w, a, b in WORDS]}), "words", NUMBERS),
    "AWS items": Sample("talk.json", of_json({"jobName": "talk", "status": "COMPLETED", "results": {"transcripts": [{"transcript": "purple carrots green beans"}], "items": [
        {"id": n, "type": "pronunciation", "start_time": f"{s(a)}", "end_time": f"{s(b)}", "speaker_label": f"spk_{int(a > 1500)}",
         "alternatives": [{"confidence": "0.99", "content": w}]} for n, (w, a, b) in enumerate(WORDS)]}}), "words", ("spk_0", "spk_1")),
    "Kaldi gstreamer": Sample("talk.jsonl", of_lines(*rows(
        lambda who, text, a, b, own: {"status": 0, "segment": number(who), "segment-start": a, "segment-length": round(b - a, 3), "total-length": b, "result": {"final": True, "hypotheses": [
            {"transcript": text, "confidence": 0.9, "likelihood": 120, "word-alignment": [
                {"word": w, "start": round(s(x) - a, 3), "length": s(y - x), "confidence": 0.9} for w, x, y in own]}]}})), "words"),
    "transcribee": Sample("talk.json", of_json({"children": rows(
        lambda who, text, a, b, own: {"type": "paragraph", "speaker": f"s-{who}", "lang": "en", "children": [
            {"text": f" {w}", "start": s(x), "end": s(y), "conf": 0.9} for w, x, y in own]}),
        "speaker_names": {"s-Anna": "Anna", "s-Bob": "Bob"}, "version": 2}), "words", A_B),
    "aeneas": Sample("talk.json", of_json({"fragments": rows(
        lambda who, text, a, b, _: {"begin": f"{a:.3f}", "end": f"{b:.3f}", "children": [], "id": f"f{number(who)}", "language": "eng", "lines": [text]})}), "rows"),
    "DPE": Sample("talk.json", of_json({"words": [{"id": n, "start": s(a), "end": s(b), "text": w} for n, (w, a, b) in enumerate(WORDS)],
        "paragraphs": [{"id": 0, "start": 0.5, "end": 1.4, "speaker": "Anna"}, {"id": 1, "start": 1.6, "end": 2.8, "speaker": "Bob"}]}), "words", A_B),
    "Yandex v3": Sample("talk.jsonl", of_lines(*(
        {"result": {"channelTag": "0"} | one} for number, (text, words) in enumerate((("purple carrots", WORDS[:2]), ("green beans", WORDS[2:]))) for update in [
            lambda words, text=text: {"alternatives": [{"words": [{"text": w, "startTimeMs": str(a), "endTimeMs": str(b)} for w, a, b in words], "text": text,
                "startTimeMs": str(words[0][1]), "endTimeMs": str(words[-1][2])}], "channelTag": "0"}]
        for one in ({"partial": update(words[:1])}, {"final": update(words)}, {"finalRefinement": {"finalIndex": str(number), "normalizedText": update(words)}}))), "words"),
    "Bedrock Data Automation": Sample("talk.json", of_json({"metadata": {"semantic_modality": "AUDIO", "dominant_asset_language": "EN"},
        "audio_items": [{"item_index": n, "audio_segment_index": n // 2, "content": w, "start_timestamp_millis": a, "end_timestamp_millis": b} for n, (w, a, b) in enumerate(WORDS)],
        "audio_segments": rows(lambda who, text, a, b, _: {"start_timestamp_millis": int(1000 * a), "end_timestamp_millis": int(1000 * b), "segment_index": number(who), "type": "TRANSCRIPT",
            "text": text, "speaker": {"speaker_label": f"spk_{number(who)}"}, "channel": {"channel_label": "ch_0"}, "language": "EN"})}), "words", ("spk_0", "spk_1")),
    "BBC Kaldi": Sample("talk.json", of_json({"action": "audio-transcribe", "retval": {"status": True, "wonid": "x", "punct": "Purple carrots green beans.", "words": [
        {"word": w, "punct": w.title(), "start": s(a), "end": s(b), "confidence": 0.9, "index": n} for n, (w, a, b) in enumerate(WORDS)],
        "segmentation": {"metadata": {"version": "0.0.10"}, "@type": "AudioFile", "speakers": [{"@id": f"S{n}", "gender": "F"} for n in range(2)], "segments": rows(
            lambda who, _text, a, b, _words: {"@type": "Segment", "start": a, "duration": b - a, "bandwidth": "S", "speaker": {"@id": f"S{number(who)}", "gender": "F"}})}}}),
        "words", ("S0", "S1")),
    "Gecko": Sample("talk.json", of_json({"schemaVersion": "2.0", "monologues": rows(lambda who, text, a, b, own: {"speaker": {"name": None, "id": who}, "terms": [
        {"start": s(x), "end": s(y), "text": w, "type": "WORD"} for w, x, y in own]})}), "words", A_B),
    "Speechmatics 1.0": Sample("x.json", of_json({"job": {"lang": "en", "user_id": 1, "name": "talk.wav", "duration": 3, "id": 1}, "speakers": rows(
        lambda who, _text, a, b, _words: {"duration": f"{b - a:.2f}", "confidence": None, "name": who, "time": f"{a:.2f}"}), "words": [
        {"duration": f"{s(b - a):.2f}", "confidence": "0.900", "name": w, "time": f"{s(a):.2f}"} for w, a, b in WORDS], "format": "1.0"}), "words", A_B),
    "fal": Sample("talk.json", of_json({"text": "purple carrots green beans", "chunks": [{"timestamp": [s(a), s(b)], "text": w, "speaker": f"SPEAKER_0{int(a > 1500)}"}
        for w, a, b in WORDS], "inferred_languages": ["en"], "diarization_segments": []}), "words", ("SPEAKER_00", "SPEAKER_01")),
    "insanely-fast-whisper": Sample("talk.json", of_json({"speakers": rows(lambda who, text, a, b, _: {"speaker": who, "timestamp": [a, b], "text": text}), "chunks": rows(
        lambda _, text, a, b, _words: {"timestamp": [a, b], "text": f" {text}"}), "text": " purple carrots green beans"}), "rows", A_B),
}  # fmt: skip
