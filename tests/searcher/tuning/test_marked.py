"""From marks of people to a model: std-tune --feedback."""

import json

import numpy as np
import pytest

import searcher.commands.tune
import std.phonetics.g2p
from searcher import load_model, open_index
from searcher.calibration.model import WEIGHTS
from searcher.tuning.labels import Places, by_marks, marked_places
from std.marks import Mark, dump
from std.text import Normalisation
from std.values import Recording

pytestmark = pytest.mark.slow

needs_espeak = pytest.mark.skipif(
    std.phonetics.g2p.find_spec("espeakng_loader") is None,
    reason="espeakng-loader is not installed",
)
A, B = Recording("a", 1), Recording("b", 1)
NOW = "2026-11-22T09:30:00Z"


def mark(term, recording, start_s, end_s, right):
    return Mark(term, recording, start_s, end_s, right, NOW)


def test_marks_become_places_of_the_search():
    marks = [
        mark("Die Burg", B, 1.0, 1.5, True),
        mark("burg*", A, 1.0, 1.5, True),  # a wildcard is not calibrated
        mark("burg", Recording("elsewhere", 1), 1.0, 1.5, True),
        mark("...", A, 1.0, 1.5, True),
    ]
    assert marked_places(marks, [A, B], Normalisation()) == [(("die", "burg"), 1, 1000, 1500, True)]


def test_a_mark_is_about_the_candidate_that_it_overlaps_most():
    marks = [
        mark("burg", A, 1.0, 1.5, True),
        mark("burg", A, 1.1, 1.6, False),  # of the same candidate, later: it counts
        mark("burg", A, 5.0, 5.4, True),  # nothing is there any more
        mark("burg", B, 2.0, 2.5, True),
        mark("stadt", A, 1.0, 1.5, True),
    ]
    judge = by_marks(marked_places(marks, [A, B], Normalisation()))
    places = Places(
        phrase=np.array([0, 0, 0, 0, 1, 2]),
        recording=np.array([0, 0, 0, 1, 0, 0]),
        start_ms=np.array([1000, 1400, 8000, 2100, 900, 1000]),
        end_ms=np.array([1500, 1900, 8500, 2500, 1500, 1500]),
        score=np.zeros(6),
    )
    labels = judge([("burg",), ("stadt",), ("land",)], places)
    assert labels.is_known.tolist() == [True, False, False, True, True, False]
    assert labels.is_right.tolist() == [False, False, False, True, True, False]


TERMS = ["und", "die", "er", "in", "hahnenfedern", "spreewald", "der teufel", "wassermann"]


@pytest.fixture(scope="module")
def hits(store):
    """What a page shows of some terms."""
    with open_index(store) as index:
        return [hit for term in TERMS for hit in index.search(term) if hit.probability >= 0.05][
            :400
        ]


def written(path, marks):
    path.write_bytes(b"".join(map(dump, marks)))
    return str(path)


def of_hits(hits, right):
    return [
        mark(hit.term, Recording(hit.file, hit.channel), hit.start_s, hit.start_s + hit.duration_s,
             right(hit))
        for hit in hits
    ]  # fmt: skip


def tuned(store, tmp_path, marks, *more):
    argv = ["--store", store, "--feedback", written(tmp_path / "marks.jsonl", marks), *more]
    status = searcher.commands.tune.main([*argv, "--output", str(tmp_path / "model.json")])
    return status, tmp_path / "model.json"


@needs_espeak
def test_marks_move_probabilities_the_way_they_say(store, hits, tmp_path, capsys):
    sums = {}
    for right in (True, False):
        status, path = tuned(store, tmp_path, of_hits(hits, lambda hit, right=right: right))
        assert status == 0
        told = capsys.readouterr().err
        model = load_model(path)
        n = model.tuned_on["marks"]
        assert 0.95 * len(hits) < n <= len(hits)
        assert model.tuned_on["marks_unused"] == len(hits) - n
        assert f"learned from {n} marks, {n if right else 0} of them right" in told
        assert not model.confusion.substituted.any()
        with open_index(store, model=model) as index:
            sums[right] = sum(hit.probability for term in TERMS for hit in index.search(term))
    with open_index(store) as index:
        before = sum(hit.probability for term in TERMS for hit in index.search(term))
    assert sums[False] < before < sums[True]


@needs_espeak
def test_few_marks_change_little_and_none_that_fits_is_said(store, hits, tmp_path, capsys):
    status, path = tuned(store, tmp_path, of_hits(hits[:2], lambda hit: True), "--json", "--quiet")
    assert status == 0
    assert json.loads(capsys.readouterr().out)["marks"] == 2
    model = load_model(path)
    assert model.weights.intercept == pytest.approx(WEIGHTS.intercept, abs=0.5)
    path.unlink()
    elsewhere = [mark("und", Recording("nowhere", 1), 1.0, 2.0, True)]
    behind = [mark("und", Recording("KERSTIN_00", 1), at, at + 1, True) for at in (800.0, 900.0)]
    for marks, got in (
        (elsewhere, "1 mark of other recordings or of queries, as of 'und' in nowhere"),
        (behind, "2 marks of other places"),
        ([], "none"),
    ):
        status, path = tuned(store, tmp_path, marks)
        assert status == 2
        expected = f"std-tune: expected marks of hits of this index, got {got}\n"
        assert capsys.readouterr().err.endswith(expected)
        assert not path.exists()


@needs_espeak
def test_marks_and_a_transcript_together(few_words, store, development, hits, tmp_path, capsys):
    given = [f"--{one}={development / name}" for one, name in (
        ("ecf", "ecf.xml"), ("rttm", "ref.rttm"), ("terms", "terms.xml"),
    )]  # fmt: skip
    status, path = tuned(store, tmp_path, of_hits(hits[:50], lambda hit: False), *given)
    assert status == 0
    model = load_model(path)
    assert model.tuned_on["unknown_right"] >= 30
    assert model.tuned_on["marks"] == 50
    assert model.tuned_on["phones_aligned"] > 0
    assert "phones of missed words aligned" in (told := capsys.readouterr().err)
    assert "learned from 50 marks, 0 of them right; no right hit is marked" in told


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], "expected --rttm with --ecf and --terms, or --feedback"),
        (["--rttm", "r.rttm"], "expected --ecf, --rttm and --terms together, got no --ecf"),
        (
            ["--ecf", "e.xml", "--rttm", "r.rttm", "--feedback", "m.jsonl"],
            "expected --ecf, --rttm and --terms together, got no --terms",
        ),
    ],
)
def test_what_to_learn_from_is_asked_for(given, expected, capsys):
    assert searcher.commands.tune.main(["--store", "x", "--output", "m.json", *given]) == 2
    assert expected in capsys.readouterr().err


def test_damaged_marks_are_said_with_their_line(store, tmp_path, capsys):
    path = tmp_path / "marks.jsonl"
    path.write_bytes(dump(mark("und", A, 1.0, 2.0, True)) + b'{"term": 3}\n')
    argv = ["--store", store, "--feedback", str(path), "--output", str(tmp_path / "m.json")]
    assert searcher.commands.tune.main(argv) == 2
    assert "marks.jsonl:2" in capsys.readouterr().err
