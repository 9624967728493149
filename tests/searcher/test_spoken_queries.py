"""Spoken queries: weighted pronunciations, and the two commands on real speech."""

import json
from math import log

import numpy as np
import pytest

import indexer.cli
import searcher.commands.search
from searcher.phonetic.hits import combined
from searcher.phonetic.layout import N_MEASURES, SCORE, PhoneticHits, WeightedPronunciation
from searcher.phonetic.null_distribution import NullDistribution
from searcher.phonetic.ratios import (
    MAX_HITS,
    mean_phones,
    pronounced_queries,
)
from searcher.terms.request import SpokenWords
from std.nist import std_list, term_list
from std.phonetics.lexicon import Lexicon


def hits(length, *places):
    """Hits of a query of so many phones: (start_ms, score) each."""
    n = len(places)
    zeros = np.zeros(n, np.int64)
    start_ms = np.array([start for start, _ in places], np.int64)
    measures = np.zeros((n, N_MEASURES), np.float32)
    measures[:, SCORE] = [score for _, score in places]
    paths = np.full((n, 8), -1, np.int32)
    observed = np.zeros((n, length), np.int16)
    return PhoneticHits(
        zeros, zeros, start_ms, start_ms + 400, measures, paths, observed,
        paths.astype(np.int16), zeros, zeros, zeros, np.ones(n, bool),
    )  # fmt: skip


NULL = NullDistribution(np.array([15.0 - 2 * log(10), 0, 0, 0, 2.0, 0]))


def test_each_place_has_the_best_pronunciation_after_weighting():
    likely = WeightedPronunciation(tuple("abcd"), 20.0, log(0.9))
    unlikely = WeightedPronunciation(tuple("abcde"), 25.0, log(0.1))
    found = combined(
        [
            (likely, hits(4, (0, 10.0), (9000, 12.0), (50_000, 3.05))),
            (unlikely, hits(5, (100, 12.0), (9000, 15.0), (30_000, 11.0))),
        ],
        NULL,
    )
    scores = found.measures[:, SCORE].tolist()
    expected = [15 + log(0.1), 10 + log(0.9), 11 + log(0.1)]  # 3.05 + log .9 is below 15 % of 20
    assert scores == pytest.approx(expected, abs=1e-5)
    assert found.start_ms.tolist() == [9000, 0, 30_000]
    assert found.found_by.tolist() == [1, 0, 1]
    assert found.observed.shape == (3, 5)
    assert combined([], NULL) is None


def test_a_query_that_is_said_often_keeps_all_good_places():
    likely = WeightedPronunciation(tuple("abcd"), 20.0, log(0.9))
    unlikely = WeightedPronunciation(tuple("abcde"), 25.0, log(0.1))
    often = [(5000 * i, 18.0 - i / 100) for i in range(80)]
    seldom = [(5000 * i, 12.0 - i / 100) for i in range(80, 160)]
    found = combined([(likely, hits(4, *often)), (unlikely, hits(5, *seldom))], NULL)
    assert len(found.found_by) == 80  # 15 nats are rare
    assert not found.found_by.any()
    found = combined([(likely, hits(4, *often[:20])), (unlikely, hits(5, *seldom))], NULL)
    assert len(found.found_by) == MAX_HITS


def test_a_query_is_as_long_as_its_likely_pronunciations():
    long, short = (
        WeightedPronunciation(("a",) * n, 1.0, log(w)) for n, w in ((6, 0.75), (2, 0.25))
    )
    assert mean_phones([long, short]) == pytest.approx(0.75 * 6 + 0.25 * 2)


def test_sequences_that_sound_the_same_share_their_weight():
    lexicon = Lexicon(
        None,
        {
            "new": (("n", "u"), ("n", "j", "u")),
            "knew": (("n", "u"),),
            "york": (("j", "o", "k"),),
        },
    )
    query = [
        SpokenWords(("new", "york"), 0.5),
        SpokenWords(("knew", "york"), 0.3),
        SpokenWords(("york",), 0.1),
        SpokenWords(("unpronounceable",), 0.1),
    ]
    (found,) = pronounced_queries([query], lexicon)
    assert {"".join(phones): weight for phones, weight in found.items()} == pytest.approx(
        {"nujok": log(0.25 + 0.3), "njujok": log(0.25), "jok": log(0.1)}
    )


@pytest.fixture(scope="module")
def queries(german, tmp_path_factory):
    """Two queries cut from a recording: a word, and a moment before the first word."""
    folder = tmp_path_factory.mktemp("queries")
    (folder / "examples.csv").write_text(
        "query,recording,start_s,end_s\nspreewald,KERSTIN_00,4.95,5.55\nsilence,KERSTIN_00,0,0.001\n"
    )
    argv = [str(german / "mesh"), "--queries-to", str(folder / "queries.json")]
    assert indexer.cli.main([*argv, "--query-examples", str(folder / "examples.csv")]) == 0
    return folder / "queries.json"


def test_from_networks_to_a_hit_list(german, queries, tmp_path, capsys):
    (first, silent) = json.loads(queries.read_text())["queries"]
    assert first["id"] == "spreewald"
    assert "spreewald" in first["alternatives"][0]["words"]
    assert silent["examples"] == ["KERSTIN_00 0.000-0.001"]
    index = str(tmp_path / "index")
    assert indexer.cli.main([str(german / "mesh" / "KERSTIN_00.mesh"), "--store", index]) == 0
    argv = ["--store", index, "--queries", str(queries), "--ecf", str(german / "ecf.xml")]
    argv += ["--output", str(tmp_path / "h.xml"), "--term-list", str(tmp_path / "t.xml")]
    assert searcher.commands.search.main([*argv, "--dialect", "kws2013"]) == 0
    with (tmp_path / "t.xml").open("rb") as stream:
        terms = term_list.parse(stream)
    assert [term.term_id for term in terms.terms] == ["spreewald", "silence"]
    with (tmp_path / "h.xml").open("rb") as stream:
        found = std_list.parse(stream)
    detections = found.detections
    assert found.term_list_filename == "t.xml"
    best = int(np.argmax(detections.score))
    assert detections.terms[detections.term[best]] == "spreewald"
    assert detections.yes[best]
    assert 4.5 < detections.start_s[best] < 5.6


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["--queries", "q.json"], "--queries needs --ecf"),
        (["--queries", "q.json", "haus"], "as arguments or in a --queries file"),
        (["--queries", "q.json", "--terms", "t.xml"], "not both"),
        (["haus", "--term-list", "t.xml"], "the term list of a --queries or --examples file"),
    ],
)
def test_options_that_do_not_fit(argv, expected, capsys):
    with pytest.raises(SystemExit):
        searcher.commands.search.main(["--store", "memory:", *argv])
    assert expected in " ".join(capsys.readouterr().err.split())


def test_a_query_that_is_in_no_input_is_refused(german, tmp_path, capsys):
    (tmp_path / "examples.csv").write_text("query,recording\ntomato,nowhere\n")
    argv = [str(german / "mesh"), "--query-examples", str(tmp_path / "examples.csv")]
    assert indexer.cli.main([*argv, "--queries-to", str(tmp_path / "q.json")]) == 2
    assert "a recording for query tomato, got 'nowhere'" in capsys.readouterr().err
    assert not (tmp_path / "q.json").exists()
