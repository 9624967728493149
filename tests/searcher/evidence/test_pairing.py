"""Candidates and hits of one place: the fast way against the obvious one."""

import numpy as np
import pytest

from searcher.evidence.pairing import LEAST, mixed, near_pairs
from searcher.lexical.deduplicate import overlap
from searcher.phonetic.alignment import best_rows
from searcher.phonetic.archive import Archive, SearchedArchive
from searcher.phonetic.layout import N_MEASURES, SAME_PLACE_MS, SCORE, PhoneticHits
from searcher.phonetic.null_distribution import COEFFICIENTS, NullDistribution
from searcher.phonetic.path_words import RecognisedWords
from searcher.phonetic.ratios import HitLimit
from searcher.results.candidates import NO_CANDIDATES, Candidates, TermPlaces
from searcher.terms.request import Request, SpokenWords, Variant


def drawn_hits(rng, n, recordings=3, until_ms=4000):
    start = rng.integers(0, until_ms, n)
    measures = np.zeros((n, N_MEASURES), np.float32)
    measures[:, SCORE] = rng.integers(0, 12, n)
    blank, rows = np.empty((n, 0), np.int16), np.zeros(n, np.int64)
    return PhoneticHits(
        rows, rng.integers(0, recordings, n), start, start + rng.integers(0, 900, n), measures,
        np.empty((n, 0), np.int32), blank, blank, rows, rows, rows, np.ones(n, bool),
    )  # fmt: skip


def drawn_candidates(rng, n, recordings=4, until_ms=4000) -> Candidates:
    start = rng.integers(0, until_ms, n)
    columns = {
        name: np.zeros(n, column.dtype)
        for name, column in zip(NO_CANDIDATES._fields, NO_CANDIDATES, strict=True)
    }
    columns["recording"] = np.sort(rng.integers(0, recordings, n))
    columns["start_ms"], columns["end_ms"] = start, start + rng.integers(0, 900, n)
    return Candidates(**columns)


def test_near_pairs_are_those_of_every_pair_looked_at():
    rng = np.random.default_rng(1)
    for _ in range(60):
        hits = drawn_hits(rng, int(rng.integers(0, 40)))
        lexical = drawn_candidates(rng, int(rng.integers(0, 30)))
        expected = [
            (i, j)
            for i in range(len(lexical.term))
            for j in range(len(hits.recording))
            if lexical.recording[i] == hits.recording[j]
            and abs(
                int(hits.start_ms[j] + hits.end_ms[j] - lexical.start_ms[i] - lexical.end_ms[i])
            )
            < 2 * SAME_PLACE_MS
            and overlap(
                hits.start_ms[j : j + 1], hits.end_ms[j : j + 1],
                lexical.start_ms[i : i + 1], lexical.end_ms[i : i + 1],
            )[0]
        ]  # fmt: skip
        candidate, hit = near_pairs(lexical, hits)
        assert list(zip(candidate.tolist(), hit.tolist(), strict=True)) == expected


@pytest.mark.parametrize("limit", [HitLimit(), HitLimit(90), HitLimit(60, 8.0), HitLimit(60, 2.0)])
def test_best_rows_are_those_of_comparing_each_with_all_that_are_kept(limit):
    rng = np.random.default_rng(2)
    for n in (0, 1, 30, 400):
        hits = drawn_hits(rng, n, until_ms=60_000 if n > 100 else 3000)
        order = np.argsort(-hits.measures[:, SCORE], kind="stable").tolist()
        kept: list[int] = []
        for row in order:
            is_near = any(
                hits.recording[row] == hits.recording[other]
                and abs(
                    int(
                        hits.start_ms[row] + hits.end_ms[row]
                        - hits.start_ms[other] - hits.end_ms[other]
                    )
                )
                < 2 * SAME_PLACE_MS
                for other in kept
            )  # fmt: skip
            if not is_near and (
                len(kept) < limit.number or hits.measures[row, SCORE] >= limit.rare_score
            ):
                kept.append(row)
        assert best_rows(hits, limit).tolist() == kept


def test_chances_of_an_accident_are_the_searched_slots():
    null = NullDistribution(np.zeros(COEFFICIENTS))
    archive = Archive(3000, 1.0, 75.0, null)
    searched = [SearchedArchive(archive, slots, RecognisedWords((), {})) for slots in (3000, 1, 0)]
    chances = [np.exp(one.log_chances) for one in searched]
    assert chances == pytest.approx([3000, 1, 1])


def places(*rows):
    """Candidates: term, variant, start_ms, probability of each."""
    term, variant, start_ms, probability = map(np.array, zip(*rows, strict=True))
    zeros, slots = np.zeros(len(rows), np.int64), start_ms // 100
    return Candidates(
        term, variant, zeros, start_ms, start_ms + 400, probability, variant, slots, slots + 3
    )


WRITTEN, HAUS, MAUS, SOUND = (
    Variant(("x",)),
    Variant(("haus",)),
    Variant(("maus",)),
    Variant(("aus",), 0.8, "phonetic"),
)
QUERY = (SpokenWords(("haus",), 0.6), SpokenWords(("maus",), 0.3))  # else: .1


def a_query(log_evidence, *rows):
    """A written term, two words that a query may be, and the query: mixed."""
    request = Request((("x",), ("haus",)), {}, "all", spoken=(QUERY,)).with_alternatives([QUERY])
    assert request.words == (("x",), ("haus",), ("maus",), ("haus",))
    variants = WRITTEN, HAUS, MAUS, SOUND
    every = TermPlaces(places(*rows), variants, set(), 0, is_oov=np.ones(4, bool))
    found = mixed(request, every._replace(log_evidence=np.array(log_evidence)))
    assert found.is_oov.tolist() == [True, False]  # the query is neither
    candidates, variants, evidence = found.candidates, found.variants, found.log_evidence
    own = candidates.rows(candidates.term == 1)
    told = [(variants[i].words, variants[i].method) for i in own.variant.tolist()]
    return dict(zip(own.start_ms.tolist(), own.probability.tolist(), strict=True)), told, evidence


def test_a_place_of_a_query_has_the_probability_of_all_that_it_may_be():
    rows = (
        (0, 0, 500, 0.4),
        (1, 1, 1000, 0.9), (1, 1, 5000, 0.5), (1, 3, 5100, 0.3),
        (2, 2, 1050, 0.2), (2, 2, 9000, 1.0),
        (3, 3, 1000, 0.7), (3, 3, 20_000, LEAST),
    )  # fmt: skip
    inf = np.inf
    found, told, evidence = a_query([0.0, inf, inf, 0.0], *rows)
    # An alternative counts once at a place, with its best candidate: not .5 + .3.
    assert found == pytest.approx(
        {1000: 0.6 * 0.9 + 0.3 * 0.2 + 0.1 * 0.7, 5000: 0.6 * 0.5, 9000: 0.3}
    )
    assert told == [(("haus",), "spoken"), (("haus",), "spoken"), (("maus",), "spoken")]
    assert len(evidence) == 2
    assert evidence[0] == 0.0
    assert evidence[1] > 15  # it is certainly said

    # If "haus" is not said, the query is one of the others; their shares add up to .4.
    found, _, evidence = a_query([0.0, -inf, inf, 0.0], *rows)
    assert found == pytest.approx({1000: (0.3 * 0.2 + 0.1 * 0.7) / 0.4, 9000: 0.3 / 0.4})
    assert evidence[1] == pytest.approx(np.log(0.4 / 0.6) - np.log(3))


def test_many_places_of_a_word_do_not_make_the_query_that_word():
    rows = [(1, 1, 1000 * i, 1.0) for i in range(1, 60)]
    few, _, of_few = a_query([0.0, 1.0, -np.inf, 0.0], *rows[:2])
    many, _, of_many = a_query([0.0, 1.0, -np.inf, 0.0], *rows)
    assert {*few.values()} == {*many.values()}
    assert of_few[1] == of_many[1]


def test_a_query_that_was_not_searched_tells_nothing():
    _, _, evidence = a_query([0.0, np.nan, np.nan, np.nan], (0, 0, 500, 0.4))
    assert np.isnan(evidence[1])
    _, _, evidence = a_query([0.0, -np.inf, np.nan, np.nan], (0, 0, 500, 0.4))
    assert evidence[1] == -np.inf
