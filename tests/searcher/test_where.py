"""Search of some recordings: the same as of an ECF that has only these."""

import json
import re
from dataclasses import replace

import pytest

import searcher.commands.search
from indexer import index_files
from searcher import open_index
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from std.errors import StdError
from std.metadata.table import of_rows
from std.nist import ecf as ecfs
from std.nist import std_list, term_list
from std.nist.ecf import speech_s
from std.numbers import written
from std.values import ECF, Excerpt

TERMS = ("landkreis", "im", "hahnenfeder", "burganlage*")
ROWS = {
    f"KERSTIN_{n:02}": {
        "title": f"Part {n}",
        "date": f"20{10 + n}-05",
        "speaker": ["Ada", "Bea"][n % 2],
    }
    for n in range(6)
}


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    store = str(tmp_path_factory.mktemp("where") / "index")
    meshes = sorted((german / "mesh").glob("*.mesh"))[:8]
    index_files(meshes[:5], store, metadata=of_rows(ROWS))
    index_files(meshes[5:], store, metadata=of_rows(ROWS))
    return store


@pytest.fixture(scope="module")
def index(store):
    with open_index(store) as opened:
        yield opened


@pytest.fixture(scope="module")
def experiment(german):
    with (german / "ecf.xml").open("rb") as stream:
        return ecfs.parse(stream, "ecf.xml")


@pytest.fixture(scope="module")
def terms(german):
    with (german / "terms.xml").open("rb") as stream:
        found = term_list.parse(stream, "terms.xml")
    return replace(found, terms=found.terms[:40])


def found_in(hits):
    return {hit.file for hit in hits}


WHERE = [
    ("speaker = Ada", ("KERSTIN_00", "KERSTIN_02", "KERSTIN_04")),
    ("date >= 2011 and date < 2014", ("KERSTIN_01", "KERSTIN_02", "KERSTIN_03")),
    ("title ~ 'Part [45]'", ("KERSTIN_04", "KERSTIN_05")),
    ("speaker != Bea and recording > KERSTIN_05", ("KERSTIN_06", "KERSTIN_07")),
]


@pytest.mark.parametrize(("where", "files"), WHERE)
def test_only_recordings_that_fit_have_hits(index, where, files):
    assert tuple(one.recording.file for one in index.recordings(where=where)) == files
    everywhere = index.search(*TERMS, min_probability=0)
    hits = index.search(*TERMS, where=where, min_probability=0)
    assert found_in(everywhere) - set(files)
    assert found_in(hits) <= set(files)
    places = {(hit.term, hit.file, hit.start_s) for hit in everywhere if hit.file in files}
    assert {(hit.term, hit.file, hit.start_s) for hit in hits} >= places
    for hit in hits:
        assert hit.metadata == ROWS.get(hit.file, {})


@pytest.mark.parametrize(("where", "files"), WHERE)
def test_decisions_are_those_of_an_ecf_with_these_recordings(
    index, experiment, terms, where, files
):
    inside = ECF(tuple(one for one in experiment.excerpts if one.recording.file in files))
    expected = index.search_terms(terms, inside).detections()
    got = index.search_terms(terms, experiment, where=where).detections()
    assert len(got) == len(expected)
    for name in ("term", "start_s", "duration_s", "score", "yes"):
        assert getattr(got, name).tolist() == getattr(expected, name).tolist()


def test_trials_are_the_seconds_of_the_recordings_that_fit(index, terms):
    fitting = index.recordings(where="speaker = Ada")
    excerpts = [Excerpt(one.recording, 0.0, one.speech_ms / 1000) for one in fitting]
    # Speech of utterances, not of the files: the excerpt may end before the last word.
    whole = [replace(one, duration_s=9999.0) for one in excerpts]
    expected = search(
        terms.terms,
        prepare(index.segments, index.config),
        SearchedSpeech(whole, speech_s(excerpts)),
    )
    got = index.search_terms(terms, where="speaker = Ada")
    assert got.decision_score.tolist() == expected.decision_score.tolist()
    assert got.yes.tolist() == expected.yes.tolist()
    assert len(got.yes)


def test_patterns_and_conditions_together(index):
    hits = index.search("im", where="speaker = Ada", recordings=["*_0[0-3]"])
    assert found_in(hits) <= {"KERSTIN_00", "KERSTIN_02"}
    assert index.search("im", recordings=["mesh/KERSTIN_02"], decide=True)
    assert found_in(index.search("im", recordings=["mesh/KERSTIN_02"])) == {"KERSTIN_02"}


def test_where_nothing_fits_nothing_is_found(index, terms, experiment):
    assert index.search("im", "hahnenfedern", where="date > 2030", decide=True) == []
    assert len(index.search_terms(terms, experiment, where="date > 2030").detections()) == 0
    with pytest.raises(StdError, match="expected one of the columns channel, date, language, rec"):
        index.search("im", where="dated > 2030")
    with pytest.raises(StdError, match="recording: expected the name of one of 8 recordings"):
        index.search("im", recordings=["radio/*"])


def test_the_command_shows_and_filters(index, store, capsys):
    given = ["--store", store, "im", "--where", "speaker = Ada"]
    table = [*given, "--fmt", "table"]
    assert searcher.commands.search.main([*given, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    hits = index.search("im", where="speaker = Ada")
    assert printed == json.loads(json.dumps(written([hit.document() for hit in hits])))
    assert printed[0]["metadata"] == ROWS[printed[0]["file"]]
    assert searcher.commands.search.main([*table, "--limit", "1"]) == 0
    out = capsys.readouterr().out
    assert out.split()[:6] == ["term", "file", "date", "speaker", "title", "time"]
    assert re.search(r"im +KERSTIN_0[024] +201[024]-05 +Ada +Part [024] ", out)
    assert searcher.commands.search.main([*table, "--columns", "Title,nothing"]) == 0
    assert capsys.readouterr().out.split()[:4] == ["term", "file", "title", "time"]
    assert searcher.commands.search.main([*table, "--columns", ""]) == 0
    assert capsys.readouterr().out.split()[:3] == ["term", "file", "time"]
    assert searcher.commands.search.main(["--store", store, "im", "--where", "date > 2030"]) == 1
    told = "no recording has date > 2030\nno hits in the recordings asked for\n"
    assert capsys.readouterr().err == told
    assert searcher.commands.search.main(["--store", store, "im", "--where", "date >"]) == 2
    assert "std-search: --where: expected a value after date >" in capsys.readouterr().err


def test_a_batch_of_the_command(index, store, german, terms, tmp_path, capsys):
    output, explain = tmp_path / "hits.xml", tmp_path / "hits.jsonl"
    given = ["--store", store, f"--terms={german}/terms.xml", f"--ecf={german}/ecf.xml"]
    given += [f"--output={output}", f"--explain={explain}"]
    assert searcher.commands.search.main([*given, "--where", "title = 'Part 3'"]) == 0
    with output.open("rb") as stream:
        hits = std_list.parse(stream, output).detections
    assert {one.file for one in hits.recordings} == {"KERSTIN_03"}
    assert b"Part 3" not in output.read_bytes()  # NIST's schema has no place for it
    lines = [json.loads(line) for line in explain.read_text().splitlines()]
    assert len(lines) == len(hits)
    assert {line["metadata"]["title"] for line in lines} == {"Part 3"}
    err = capsys.readouterr().err
    assert re.search(r"warning: \d+ hits outside the speech of .* or in other recordings than", err)
    assert searcher.commands.search.main([*given, "--where", "title = 'Part 99'"]) == 2
    assert "--where, --recording: expected recordings of" in capsys.readouterr().err
