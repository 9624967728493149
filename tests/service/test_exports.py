"""Exports: read back by others."""

import csv
import io
import json
import re
import zipfile
from types import SimpleNamespace

import av
import pytest

from scoring.cli import main as score
from service.api.exports import _subtitles, std_list_file
from service.problems import ProblemError
from service.recordings import RecordingEntry, ServedRecordings, recording_id
from std.nist import std_list
from std.outputs import safe_name
from std.values import Recording, TermSearch

TERMS = ["und", "polizei gewalt", "hahnenfedern"]


@pytest.fixture(scope="module")
def shown(client):
    return client("/api/search", term=TERMS, min_probability=0.1, limit=500).json["hits"]


def export(client, kind, **more):
    answer = client("/api/export", format=kind, term=TERMS, min_probability=0.1, **more)
    assert answer.status == 200, answer.body
    return answer


def test_csv_by_a_reader_of_csv(client, shown):
    answer = export(client, "csv")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    assert "und_polizei_gewalt_hahnenfedern.csv" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    assert [float(row["probability"]) for row in rows] == [hit["probability"] for hit in shown]
    assert len(rows) == len(shown) > 20
    for row, hit in zip(rows, shown, strict=True):
        assert (row["term"], row["file"], row["found"]) == (
            hit["term"],
            hit["file"],
            hit["context"][1],
        )
        assert float(row["start_s"]) == pytest.approx(hit["start_s"])
        assert float(row["probability"]) == pytest.approx(hit["probability"], abs=1e-4)
    assert {row["date"] for row in rows} >= {"2019-03", ""}


def test_json(client, shown):
    assert json.loads(export(client, "json").body) == [hit | {"note": ""} for hit in shown]


def test_std_list_is_scored_by_std_score(client, shown, german, tmp_path):
    content = export(client, "stdlist").body
    found = std_list.parse(io.BytesIO(content), "hits.xml")
    assert len(found.detections) == len(shown)
    hits = tmp_path / "hits.xml"
    hits.write_bytes(content)
    terms = tmp_path / "terms.xml"
    listed = "".join(
        f'<term termid="TERM-{i}"><termtext>{term}</termtext></term>'
        for i, term in enumerate(TERMS, 1)
    )
    terms.write_text(
        f'<termlist ecf_filename="ecf" version="1" language="german" encoding="UTF-8" '
        f'compareNormalize="lowercase">{listed}</termlist>'
    )
    given = ["--ecf", str(german / "ecf.xml"), "--rttm", str(german / "ref.rttm")]
    assert (
        score([str(hits), *given, "--terms", str(terms), "--output", str(tmp_path / "score")]) == 0
    )


@pytest.mark.parametrize(("kind", "point"), [("srt", ","), ("vtt", ".")])
def test_subtitles(client, kind, point):
    one = export(client, kind, recording="KERSTIN_00").body.decode()
    times = re.findall(
        rf"^(\d\d:\d\d:\d\d\{point}\d{{3}}) --> (\d\d:\d\d:\d\d\{point}\d{{3}})$", one, re.M
    )
    assert times == sorted(times)
    assert all(start < end for start, end in times)
    assert f"00:00:10{point}448" in one
    assert one.startswith("WEBVTT\n\n") == (kind == "vtt")
    many = export(client, kind)
    assert many.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(many.body)) as archive:
        assert archive.testzip() is None
        assert f"KERSTIN_00.{kind}" in archive.namelist()


def test_an_std_list_of_a_name_that_xml_cannot_hold():
    hit = {"term_id": "TERM-1", "file": "a\0b", "channel": 1, "start_s": 1.0, "duration_s": 1.0}
    with pytest.raises(ProblemError, match="an STD list: expected text that XML can hold") as told:
        std_list_file(
            [hit | {"score": 1.0, "decision": "YES"}], {"TERM-1": TermSearch(0.0, 0)}, "x"
        )
    assert told.value.status == 406


def test_files_of_recordings_have_their_names():
    """Not those of their addresses, which are digests for names of other than ASCII letters."""
    recordings = [Recording("Interview 3", 1), Recording("Interview 3", 2), Recording("עברית", 1)]
    ids = [recording_id(one) for one in recordings]
    entries = [
        RecordingEntry(name, one, 1.0, None, {}) for name, one in zip(ids, recordings, strict=True)
    ]
    snapshot = SimpleNamespace(recordings=ServedRecordings(tuple(entries), ()))
    hit = {"start_s": 1.0, "duration_s": 0.5, "term": "a", "probability": 0.9, "speaker": ""}
    hits = [hit | {"recording_id": name, "context": ("", "a", "")} for name in ids]
    content, kind = _subtitles(snapshot, hits, "srt")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["Interview_3.srt", "Interview_3_2.srt", "עברית.srt"]
    assert (kind, _subtitles(snapshot, hits[:1], "srt")[1]) == ("zip", "srt")


def test_clips(client, shown):
    answer = export(client, "clips", recording="KERSTIN_00")
    wanted = [hit for hit in shown if hit["file"] == "KERSTIN_00"]
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        names = archive.namelist()
        assert len(names) == 1 + len(wanted)
        assert names[0] == "hits.csv"
        for name, hit in zip(names[1:], wanted, strict=True):
            assert re.fullmatch(r"[\w.-]+\.ogg", name)
            assert name.split("--")[1] == safe_name(hit["title"])
            with av.open(io.BytesIO(archive.read(name))) as clip:
                seconds = clip.duration / av.time_base
            assert seconds == pytest.approx(hit["duration_s"] + 2, abs=0.1)
    assert client("/api/export", format="clips", term="d*").status == 400  # too many


def test_only_those_marked_right(serve, changed, tmp_path):
    with serve(changed(feedback=tmp_path / "marks.jsonl")) as client:
        first = client("/api/search", term="und", limit=3).json["hits"]
        for number, hit in enumerate(first):
            mark = {"term": "und", "recording": hit["recording_id"], "start": hit["start_s"]}
            mark |= {"end": hit["start_s"] + hit["duration_s"], "right": number == 1}
            assert client("/api/feedback", method="POST", body=mark).status == 200
        rows = client("/api/export", format="json", term="und", right="true").json
        assert [(hit["file"], hit["start_s"]) for hit in rows] == [
            (first[1]["file"], first[1]["start_s"])
        ]
        wrong = client("/api/export", format="json", term="und", right="false").json
        assert len(wrong) == 2


def test_unknown_formats_are_refused(client):
    assert client("/api/export", format="exe", term="und").status == 422
