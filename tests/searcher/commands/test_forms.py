"""std-search: forms of hits, plain term lists, speech without an ECF, clips, subtitles."""

import csv
import io
import json
import re
import wave

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
from indexer.formats.registry import FORMATS
from searcher import open_index
from std.audio.samples import samples
from std.files import read
from std.nist import std_list
from std.values import ECF, Excerpt, Term

TERMS = ["landkreis", "im brandenburgischen"]


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    path = tmp_path_factory.mktemp("forms") / "index"
    files = [str(german / "mesh" / f"KERSTIN_0{i}.mesh") for i in range(3)]
    assert indexer.cli.main([*files, "--store", str(path), "--quiet"]) == 0
    return str(path)


@pytest.fixture
def search(store, capsys):
    def run(*arguments, status=0):
        given = ["--store", store, *map(str, arguments)]
        assert searcher.commands.search.main(given) == status
        return capsys.readouterr()

    return run


@pytest.fixture
def hits(search):
    return json.loads(search(*TERMS, "--json").out)


def test_an_ecf_does_not_go_with_a_term(store, german, capsys):
    with pytest.raises(SystemExit, match="2"):
        searcher.commands.search.main(["--store", store, "haus", "--ecf", str(german / "ecf.xml")])
    assert "--ecf is the speech of a --terms file; for a TERM there are" in capsys.readouterr().err


def test_quiet_leaves_the_hits(search):
    assert "the recogniser does not know" in search("quantencomputer", "im").err
    assert search("quantencomputer", "im", "--quiet").err == ""
    assert search("xqz", "--quiet", status=1) == ("", "")


@pytest.mark.parametrize("limit", [0, 1])
def test_json_has_as_many_hits_as_the_limit_says(search, hits, limit):
    assert len(hits) > 1
    assert json.loads(search(*TERMS, "--json", f"--limit={limit}").out) == hits[: limit or None]


def test_a_hit_is_a_line(search, hits):
    lines = [line.split("\t") for line in search(*TERMS, "--quiet").out.splitlines()]
    assert lines == [
        [
            *(hit["term"], hit["file"], f"{hit['start_s']:.3f}"),
            f"{hit['start_s'] + hit['duration_s']:.3f}",
            *(f"{hit['probability']:.3f}", " ".join(hit["context"])),
        ]
        for hit in hits
    ]
    decided = [line.split("\t") for line in search(*TERMS, "--decide").out.splitlines()]
    assert [line[:6] for line in decided] == lines
    assert {line[7] for line in decided} <= {"YES", "NO"}


def test_csv_and_json_lines(search, hits):
    rows = list(csv.DictReader(io.StringIO(search(*TERMS, "--csv").out, newline="")))
    assert [(row["term"], row["file"], float(row["start_s"])) for row in rows] == [
        (hit["term"], hit["file"], hit["start_s"]) for hit in hits
    ]
    assert [float(row["probability"]) for row in rows] == [hit["probability"] for hit in hits]
    assert [row["before"] for row in rows] == [hit["context"][0] for hit in hits]
    assert [json.loads(line) for line in search(*TERMS, "--nl").out.splitlines()] == hits


def test_a_limit_holds_for_every_form(search):
    assert len(search("im", "--quiet").out.splitlines()) > 1
    for form in (["--fmt", "lines"], ["--nl"]):
        assert len(search("im", "--limit", 1, *form).out.splitlines()) == 1
    assert len(search("im", "--limit", 1, "--csv").out.splitlines()) == 2
    assert "more; --limit 0 shows all" in search("im", "--limit", 1, "--fmt", "table").out


def test_nothing_found_is_no_line(search):
    printed = search("quatschwort", "--set", "phonetic_search.words=none", status=1)
    assert printed.out == ""
    assert "no hits" in printed.err
    assert search("quatschwort", "--set", "phonetic_search.words=none", "--nl", status=1).out == ""


def test_plain_lists_are_term_lists(search, german, tmp_path):
    plain, table = tmp_path / "words.txt", tmp_path / "words.csv"
    plain.write_text("# two\nlandkreis\nim brandenburgischen\n")
    table.write_text("id,text\nT1,landkreis\nT2,im brandenburgischen\n")
    xml = tmp_path / "terms.xml"
    xml.write_text(
        '<kwlist ecf_filename="" language="" encoding="UTF-8" compareNormalize="lowercase" '
        'version=""><kw kwid="T1"><kwtext>landkreis</kwtext></kw>'
        '<kw kwid="T2"><kwtext>im brandenburgischen</kwtext></kw></kwlist>'
    )
    found = {}
    for path in (plain, table, xml):
        output = tmp_path / f"{path.name}.hits"
        search("--terms", path, "--ecf", german / "ecf.xml", "--output", output, "--quiet")
        found[path] = read(std_list.parse, output).detections
    assert found[table].terms == found[xml].terms == ("T1", "T2")
    assert found[plain].terms == ("landkreis", "im brandenburgischen")
    for name in ("term", "start_s", "score", "yes"):
        columns = [getattr(one, name) for one in found.values()]
        assert all(np.array_equal(columns[0], column) for column in columns)


def test_without_an_ecf_the_index_says_what_is_searched(search, tmp_path):
    plain = tmp_path / "words.txt"
    plain.write_text("landkreis\nim\n")
    figures = json.loads(
        search("--terms", plain, "--output", tmp_path / "h.xml", "--json", "--quiet").out
    )
    by_form = [
        json.loads(line) for line in search("--terms", plain, "--nl", "--quiet").out.splitlines()
    ]
    assert (
        figures["detections"]
        == len(by_form)
        == len(read(std_list.parse, tmp_path / "h.xml").detections)
    )
    assert figures["outside_ecf"] == 0
    assert {hit["decision"] for hit in by_form} <= {"YES", "NO"}
    only = search("--terms", plain, "--recording", "KERSTIN_01", "--nl", "--quiet").out
    assert {json.loads(line)["file"] for line in only.splitlines()} == {"KERSTIN_01"}
    assert json.loads(search("--terms", plain, "--json", "--quiet").out) == by_form


def test_the_speech_of_an_index_is_that_of_its_recordings(store):
    """Its seconds are those of the recordings; an ECF that says more of them decides otherwise."""
    terms = [Term("1", "landkreis"), Term("2", "im")]
    with open_index(store) as index:
        free = index.search_terms(terms)
        same = index.search_terms(terms, recordings=["*"])
        whole = [Excerpt(one.recording, 0.0, 3600.0) for one in index.recordings()]
        other = index.search_terms(terms, ECF(tuple(whole)))
    assert np.array_equal(free.decision_score, same.decision_score)
    assert len(free.decision_score) == len(other.decision_score)
    assert not np.array_equal(free.decision_score, other.decision_score)


def test_rows_beside_a_hit_list(search, tmp_path):
    plain = tmp_path / "words.txt"
    plain.write_text("landkreis\n")
    out = search("--terms", plain, "--output", tmp_path / "h.xml", "--csv", "--quiet").out
    assert len(out.splitlines()) == 1 + len(read(std_list.parse, tmp_path / "h.xml").detections)
    assert search("--terms", plain, "--output", tmp_path / "h.xml", "--quiet").out == ""


def test_queries_are_explained_from_lists_and_as_rows(store, tmp_path, capsys):
    plain = tmp_path / "words.txt"
    plain.write_text("landkreis\nlandkreisnahe\n")
    given = ["--explain-query", "--store", store, "--terms", str(plain)]
    assert searcher.commands.search.main([*given, "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out, newline="")))
    split = [row for row in rows if row["term"] == "landkreisnahe" and row["method"] == "split"]
    assert split[0]["looked_up_as"] == "landkreis nahe"
    assert searcher.commands.search.main([*given, "--nl"]) == 0
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["term"] for one in documents] == ["landkreis", "landkreisnahe"]
    listed = {tuple(variant["words"]) for one in documents for variant in one["variants"]}
    assert listed == {tuple(row["looked_up_as"].split()) for row in rows if not row["word"]}
    for wrong in (["x", *given], given[:3]):
        with pytest.raises(SystemExit, match="2"):
            searcher.commands.search.main(wrong)
        assert "expected at least one TERM or --terms FILE" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["wav", "ogg"])
def test_clips_have_the_sound_of_the_hits(search, hits, german, tmp_path, kind):
    audio, clips = german / "audio", tmp_path / "clips"
    search(*TERMS, "--clips", clips, "--audio", audio, "--clip-format", kind, "--limit", 2)
    names = sorted(path.name for path in clips.iterdir())
    assert names == sorted(
        f"{hit['term'].replace(' ', '_')}--{hit['file']}--00-00-{hit['start_s']:06.3f}.{kind}"
        for hit in hits[:2]
    )
    for hit in hits[:2]:
        (path,) = clips.glob(f"{hit['term'].replace(' ', '_')}--*")
        begin_s, end_s = hit["start_s"] - 0.5, hit["start_s"] + hit["duration_s"] + 0.5
        (source,) = audio.glob(f"{hit['file']}.*")
        wanted = np.concatenate([*samples(source, 16_000, from_s=begin_s, to_s=end_s)])
        cut = np.concatenate([*samples(path, 16_000)])
        n = min(len(wanted), len(cut))
        assert abs(len(wanted) - len(cut)) < 1600  # Opus pads its last frame
        assert np.corrcoef(wanted[:n], cut[:n])[0, 1] > (0.999 if kind == "wav" else 0.8)
    if kind == "wav":
        with wave.open(str(path)) as reader:
            assert (reader.getnchannels(), reader.getframerate()) == (1, 16_000)


def test_audio_that_is_not_there(search, german, tmp_path):
    err = search("landkreis", "--clips", tmp_path / "c", status=2).err
    assert err.startswith("std-search: --clips: expected audio of KERSTIN_00")
    assert not (tmp_path / "c").exists()
    some = tmp_path / "audio"
    some.mkdir()
    (some / "KERSTIN_00.wav").write_bytes(b"no audio")
    printed = search("landkreis", "--clips", tmp_path / "c", "--audio", some, "--limit", 1)
    assert "KERSTIN_00.wav: expected audio, got Invalid data found" in printed.err
    assert [*(tmp_path / "c").iterdir()] == []
    assert "expected a folder" in search("x", "--clips", "c", "--audio", some / "no", status=2).err


def test_the_metadata_name_audio(german, tmp_path, capsys):
    (audio,) = (german / "audio").glob("KERSTIN_00.*")
    table = tmp_path / "m.csv"
    table.write_text(f"recording,audio\nKERSTIN_00,{audio}\n")
    store = str(tmp_path / "index")
    mesh = str(german / "mesh" / "KERSTIN_00.mesh")
    assert indexer.cli.main([mesh, "--store", store, "--metadata", str(table), "--quiet"]) == 0
    clips = tmp_path / "clips"
    given = ["--store", store, "landkreis", "--limit", "1"]
    assert searcher.commands.search.main([*given, "--clips", str(clips)]) == 0
    assert [path.name for path in clips.iterdir()] == ["landkreis--KERSTIN_00--00-00-01.960.ogg"]
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out, newline=""))
    assert searcher.commands.search.main([*given, "--csv"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out, newline=""))
    assert next(rows)["audio"] == str(audio)


def test_subtitles_are_read_again(search, hits, tmp_path):
    """By std-index's own reader of SRT: the same times."""
    search(*TERMS, "--srt", tmp_path / "srt")
    by_file = {}
    for hit in hits:
        by_file.setdefault(hit["file"], []).append(hit)
    assert {path.name for path in (tmp_path / "srt").iterdir()} == {f"{one}.srt" for one in by_file}
    for file, some in by_file.items():
        text = (tmp_path / "srt" / f"{file}.srt").read_text()
        found = re.findall(r"(\d\d):(\d\d):(\d\d),(\d{3}) --> ", text)
        starts = [3600 * int(h) + 60 * int(m) + int(s) + int(ms) / 1000 for h, m, s, ms in found]
        assert starts == sorted(round(hit["start_s"], 3) for hit in some)
    search("landkreis", "--limit", 1, "--srt", tmp_path / "one.srt")
    assert (tmp_path / "one.srt").read_text().startswith("1\n00:00:01,960 --> 00:00:02,579\n")
    err = search("im", "--srt", tmp_path / "many.srt", status=2).err
    assert "expected hits in one recording, got" in err
    assert not (tmp_path / "many.srt").exists()
    assert "srt" in FORMATS


def test_what_is_rejected_is_not_cut(search, tmp_path):
    plain = tmp_path / "words.txt"
    plain.write_text("landkreis\n")
    lines = search("--terms", plain, "--srt", tmp_path / "srt", "--quiet").out.splitlines()
    accepted = [line for line in lines if line.endswith("YES")]
    cues = "".join(path.read_text() for path in (tmp_path / "srt").iterdir())
    assert cues.count(" --> ") == len(accepted) < len(lines)


def test_outputs_are_distinct(search, tmp_path):
    err = search("landkreis", "--csv", "--explain", "-", status=2).err
    assert "--csv: expected a file of its own, got that of --explain" in err
