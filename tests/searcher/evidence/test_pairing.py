"""Candidates and hits of one place: the fast way against the obvious one."""

import numpy as np
import pytest

from searcher.evidence.pairing import near_pairs
from searcher.lexical.deduplicate import overlap
from searcher.phonetic.alignment import AlignedHits, best_rows
from searcher.phonetic.archive import Archive, SearchedArchive
from searcher.phonetic.layout import N_MEASURES, SAME_PLACE_MS, SCORE
from searcher.phonetic.null_distribution import COEFFICIENTS, NullDistribution
from searcher.phonetic.path_words import NO_WORDS
from searcher.phonetic.ratios import HitLimit
from searcher.results.candidates import NO_CANDIDATES, Candidates


def drawn_hits(rng, n, recordings=3, until_ms=4000):
    start = rng.integers(0, until_ms, n)
    measures = np.zeros((n, N_MEASURES), np.float32)
    measures[:, SCORE] = rng.integers(0, 12, n)
    blank, rows = np.empty((n, 0), np.int16), np.zeros(n, np.int64)
    return AlignedHits(
        rows, rng.integers(0, recordings, n), start, start + rng.integers(0, 900, n), measures,
        np.empty((n, 0), np.int32), blank, blank, rows, rows,
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
    searched = [SearchedArchive(archive, slots, NO_WORDS) for slots in (3000, 1, 0)]
    chances = [np.exp(one.log_chances) for one in searched]
    assert chances == pytest.approx([3000, 1, 1])
