"""Probabilities of a list's hits, each term judged by itself, or by the share of the list as well.

    python -m benchmarks.lists DATA

DATA has the networks of `benchmarks.calibration.SETS`. Each set is searched with weights learned
from the sets of other languages and judged under both values of ``[calibration] list``. Lists:

    list        the set's own
    watch       the same with some 1,000 terms that nobody says: half of them words that the
                recogniser wrote, half decoys (`searcher.phonetic.null_distribution`)
    recordings  the set's own in each recording as a separate archive, where few terms occur
    fives       the set's own, five terms at a time

Judged by itself, each term has the same hits in a list, a watch list and fives, and one by one.
Columns, of hits of the set's own terms: how many are of probability .1 and more, the sum of their
probabilities, how many are right, sum/right, ece and exact (`benchmarks.calibration`); loss: minus
the log likelihood of the labels of all candidates, nats per right one. Where decisions are made on
these probabilities (``[decision] terms = "any"``): hits accepted, false alarms among them, ATWV
(NIST 2006).
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.calibration import (
    LEAST,
    SETS,
    Material,
    calibration_error,
    error_of_exact,
    examples,
    learned_elsewhere,
    material,
)
from searcher.calibration.model import Model
from searcher.found_terms import PreparedIndex, find_terms, prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.phonetic.null_distribution import LENGTHS, draw_decoy_words
from searcher.results.candidates import FoundTerms
from searcher.search import decide, judge
from searcher.tuning.labels import (
    TuningTranscript,
    correct_hits,
    find_occurrences,
    make_transcript,
)
from std.nist.ecf import speech_s
from std.store.columns import Int64s
from std.values import Bools, Float64s, Term

WATCHED = 500  # of each kind of terms that nobody says
SETTINGS: tuple[Literal["independent", "whole"], ...] = ("independent", "whole")
BETA = 999.9
COLUMNS = (
    "hits", "sum", "right", "sum/right", "ece", "exact", "loss", "accepted", "false", "ATWV",
)  # fmt: skip

Parts = list[FoundTerms]  # of one list


class Hits(NamedTuple):
    """Candidates of a set's own terms."""

    term: Int64s  # (n,) in the set's list
    probability: Float64s  # (n,)
    is_right: Bools  # (n,)
    is_accepted: Bools  # (n,)


def silent(one: Material, index: PreparedIndex) -> list[Term]:
    """Terms that nobody says: words that the recogniser wrote, and decoys."""
    said = {one.config.text.word(word) for word in one.data.lexemes.words}
    written = sorted(word for word, n in index.counts.items() if n and word not in said)
    chosen = np.random.default_rng(1).permutation(written)[:WATCHED].tolist()
    decoys = draw_decoy_words(index.counts, WATCHED // len(LENGTHS))
    return [Term(word, word) for word in (*chosen, *(one for one in decoys if one not in said))]


def found(one: Material, index: PreparedIndex) -> Iterator[tuple[str, list[Parts]]]:
    """The lists of each kind, as found."""
    own, seconds = one.data.terms.terms, speech_s(index.copies.searched(one.excerpts))
    all_speech = SearchedSpeech(one.excerpts, seconds)
    everything = find_terms(own, index, all_speech)
    yield "list", [[everything]]
    yield "watch", [[everything, find_terms(silent(one, index), index, all_speech)]]
    by_recording = [
        SearchedSpeech([part for part in one.excerpts if part.recording == recording], seconds)
        for recording in sorted({part.recording for part in one.excerpts})
    ]
    yield "recordings", [[find_terms(own, index, speech)] for speech in by_recording]
    order = np.random.default_rng(1).permutation(len(own)).tolist()
    fives = [[own[i] for i in order[first : first + 5]] for first in range(0, len(own), 5)]
    yield "fives", [[find_terms(five, index, all_speech)] for five in fives]


def judged(
    parts: Parts, one: Material, index: PreparedIndex, transcript: TuningTranscript
) -> list[Hits]:
    """The hits of a list."""
    row_of = {term.term_id: row for row, term in enumerate(one.data.terms.terms)}
    every = []
    for of_part in judge(parts, index):
        result = decide(of_part, index.config, "adhoc")
        candidates = result.candidates
        right = correct_hits(
            candidates.term,
            candidates.recording,
            candidates.start_ms,
            candidates.end_ms,
            result.probability,
            find_occurrences(transcript, result.words),
        )
        rows = np.array([row_of.get(term.term_id, -1) for term in result.terms])[candidates.term]
        own = rows >= 0
        every.append(Hits(rows[own], result.probability[own], right[own], result.yes[own]))
    return every


def atwv(hits: Hits, n_true: Int64s, seconds: float) -> float:
    """Of the terms that occur, NIST 2006."""
    is_found, is_false = hits.is_accepted & hits.is_right, hits.is_accepted & ~hits.is_right
    n_found = np.bincount(hits.term[is_found], minlength=len(n_true))
    n_false = np.bincount(hits.term[is_false], minlength=len(n_true))
    lost = 1 - n_found / np.maximum(n_true, 1) + BETA * n_false / (seconds - n_true)
    return float(1 - lost[n_true > 0].mean())


def cells(hits: Hits, value: float) -> str:
    """The columns."""
    shown = hits.probability >= LEAST
    p, y = hits.probability[shown], hits.is_right[shown]
    of_label = np.where(hits.is_right, hits.probability, 1 - hits.probability)
    loss = -np.log(np.maximum(of_label, 1e-6)).sum() / max(1, hits.is_right.sum())
    false = np.count_nonzero(hits.is_accepted & ~hits.is_right)
    return (
        f"{len(p)} | {p.sum():.1f} | {y.sum()} | {p.sum() / max(1, y.sum()):.2f} | "
        f"{calibration_error(p, y):.3f} | {error_of_exact(p):.3f} | {loss:.3f} | "
        f"{hits.is_accepted.sum()} | {false} | {value:.3f}"
    )


def table(one: Material, model: Model) -> None:
    """Print the lines of one set."""
    with mock.patch("searcher.evidence.calibrate.default_model", return_value=model):
        index = prepare([one.segment], one.config)
        kinds = list(found(one, index))
    transcript = make_transcript(one.data.lexemes, index.table.recordings, one.config.text)
    phrases = [one.config.text.phrase(term.text) for term in one.data.terms.terms]
    n_true = np.bincount(find_occurrences(transcript, phrases).term, minlength=len(phrases))
    seconds = speech_s(index.copies.searched(one.excerpts))
    for kind, lists in kinds:
        for setting in SETTINGS:
            calibration = replace(one.config.calibration, list=setting)
            at = replace(index, config=replace(one.config, calibration=calibration))
            every = [hits for parts in lists for hits in judged(parts, one, at, transcript)]
            hits = Hits(*map(np.concatenate, zip(*every, strict=True)))
            value = atwv(hits, n_true, seconds)
            print(
                f"| {one.name.rpartition('/')[0]} | {kind} | {setting} | {cells(hits, value)} |",
                flush=True,
            )


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    data = parse.parse_args().data
    sets = [material(data, name, language) for name, language in SETS.items()]
    of_others = learned_elsewhere(sets, [examples(one) for one in sets])
    print(f"| set | list | judged | {' | '.join(COLUMNS)} |")
    print("|" + (3 + len(COLUMNS)) * "---|")
    for one in sets:
        table(one, of_others[one.language])


if __name__ == "__main__":
    main()
