"""Speed factors of what the commands print; the numbers are MediaEval 2013 SWS's own examples."""

import json

import pytest

from scoring import read_resources
from scoring.cli import main

HOUR_S = 3600


def run(seconds_of, duration_s, cpu_h, memory_gb, **more):
    return {
        seconds_of: duration_s,
        "seconds": 1.0,
        "cpu_seconds": cpu_h * HOUR_S,
        "compile_seconds": 2.5,
        "peak_memory_gb": memory_gb,
        **more,
    }


def indexed(cpu_h, speech_h=300, memory_gb=2.0):
    return run("speech_seconds", speech_h * HOUR_S, cpu_h, memory_gb)


def recognised(cpu_h, audio_h=300, memory_gb=3.0):
    return run("audio_seconds", audio_h * HOUR_S, cpu_h, memory_gb)


def searched(cpu_h, query_s=900, speech_h=300, memory_gb=4.0, query_cpu_h=0.0):
    queries = {"query_seconds": query_s, "query_cpu_seconds": query_cpu_h * HOUR_S}
    return run("searched_seconds", speech_h * HOUR_S, cpu_h, memory_gb, **queries)


@pytest.fixture
def files(tmp_path):
    """Write documents; returns their paths."""

    def write(*documents):
        paths = [tmp_path / f"{i}.json" for i in range(len(documents))]
        for path, document in zip(paths, documents, strict=True):
            path.write_text(json.dumps(document))
        return paths

    return write


def test_the_examples_of_the_source(files):
    """14 h on 16 cores for 300 h of audio; 3 h on 16 cores for queries of .25 h."""
    found = read_resources(*files(indexed(14 * 16), searched(3 * 16)))
    assert found.isf == pytest.approx(0.7467, abs=5e-5)
    per_hour = found.ssf_per_second * HOUR_S
    assert per_hour == pytest.approx(0.64)  # 48 / (.25 * 300); the source's .8 is a slip
    assert found.processing_load() == pytest.approx(
        0.1 * 0.746667 * 2 + 0.9 * per_hour / HOUR_S * 4, rel=1e-6
    )


def test_recognition_is_part_of_indexing(files):
    found = read_resources(*files(recognised(200), indexed(24), searched(48)))
    assert found.isf == pytest.approx(0.7467, abs=5e-5)
    assert found.indexing_peak_memory_gb == 3
    assert found.included == (
        "std-recognise, 1 run: 720000.00 s CPU (without 2.50 s for compiling) "
        "for 1080000 s of audio",
        "std-index, 1 run: 86400.00 s CPU (without 2.50 s for compiling) for 1080000 s of speech",
        "std-search, 1 run: 172800.00 s CPU (without 2.50 s for compiling) "
        "for 900 s of queries in 1080000 s of speech",
    )


def test_runs_of_a_kind_add_up_in_any_order(files):
    """Two halves of the audio, of the index and of the queries are the whole."""
    whole = read_resources(*files(recognised(200), indexed(24), searched(48)))
    halves = read_resources(
        *files(
            searched(24, query_s=450),
            recognised(100, audio_h=150, memory_gb=1.0),
            indexed(12, speech_h=150),
            recognised(100, audio_h=150),
            searched(24, query_s=450),
            indexed(12, speech_h=150),
        )
    )
    assert halves[:4] == pytest.approx(whole[:4])


def test_recognising_queries_is_part_of_the_search(files):
    found = read_resources(*files(searched(40, query_cpu_h=8)))
    assert found.ssf_per_second * HOUR_S == pytest.approx(0.64)
    assert found.isf is None
    assert found.processing_load() is None
    assert "with 28800.00 s of recognising queries" in found.included[-1]


def test_queries_without_durations_leave_the_speed_unknown(files, capsys):
    """As std-search prints them for a file of queries that an earlier version wrote."""
    paths = files(searched(1), searched(1, query_s=None), indexed(1))
    assert main(["--resources", *map(str, paths)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["ssf_per_second"] is None
    assert document["processing_load"] is None
    assert "durations are not known" in document["included"][-1]


def test_what_is_not_included_is_said(files):
    found = read_resources(*files(indexed(1), searched(1)))
    assert "recognition is not included: no JSON of std-recognise" in found.included
    found = read_resources(*files(recognised(1, audio_h=200), indexed(1)))
    assert any("some of the speech is not included" in line for line in found.included)
    assert found.isf == pytest.approx(2 / 300)  # the longer of the durations


def test_the_command_prints_them(files, capsys):
    index, search = files(indexed(14 * 16), searched(48))
    assert main(["--resources", str(index), str(search)]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["isf"] == pytest.approx(0.7467, abs=5e-5)
    assert len(document["included"]) == 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", ":1: expected JSON (Expecting property name enclosed in double quotes), got"),
        ("{}", "expected JSON of std-recognise, std-index, std-search with audio_seconds or"),
        ("[]", "expected JSON of std-recognise, std-index, std-search with audio_seconds or"),
        ('{"speech_seconds": 1, "isf": 2}', "expected a number from 0 to 1000000000000 at cpu_s"),
        (
            '{"searched_seconds": 9, "cpu_seconds": 1, "compile_seconds": 0, "peak_memory_gb": 1}',
            "at query_seconds, got 'null'",
        ),
        ('{"audio_seconds": 1e400}', "expected JSON with a finite number, got 1e400"),
        (
            '{"audio_seconds": 1, "audio_seconds": 2}',
            "each key once, got audio_seconds again",
        ),
        (f'{{"audio_seconds": 1{"0" * 5000}}}', "expected JSON, got Exceeds the limit"),
        ("[" * 100_000, "nested too deeply"),
        ('{"audio_seconds": "\\ud800"}', "half a surrogate pair"),
    ],
)
def test_other_files_are_refused(files, capsys, content, message):
    (path,) = files(indexed(1))
    path.write_text(content)
    assert main(["--resources", str(path)]) == 2
    assert message in capsys.readouterr().err
