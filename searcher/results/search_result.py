"""The result of a search.

TermCandidates    the candidates of all terms, before decisions
SearchResult      decided detections, with the evidence for each
forms             the counts of related forms, of a search for them
Expected          the expected number of right hits; `missed_share`: of places without a hit

    Hits in a recording are reported under the names of its copies, too:

reported          candidates of originals --> the reported candidates of all recordings
searched_copies   the number of copies among the searched recordings
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from searcher.decisions import THRESHOLD
from searcher.index.copies import NO_COPIES, Copies
from searcher.index.searched_speech import SearchedSpeech, inside_ecf
from searcher.index.stores import recording_table
from searcher.results.candidates import Candidates, Rows
from searcher.terms.request import Variant
from searcher.terms.wildcards import Expansion
from std.errors import quoted
from std.numbers import about, counted
from std.store import Segment
from std.values import Bools, Detections, Excerpt, Float64s, Int64s, Recording, Term, ranges

FROM = 0.5  # probability from which a hit is more likely right than wrong
# Missed occurrences per expected occurrence. Measured on the sets of docs/scoring.md: 0 to .06,
# and .2 for a transcript without alternatives and for poor recognition.
MISSED = 0.03


def require_probability(value: float) -> None:
    """Refuse a value that is not a probability.

    Raises:
        TypeError: it is not a number.
        ValueError: it is below 0 or above 1.
    """
    if not hasattr(value, "__float__"):
        raise TypeError(f"min_probability: expected a number, got {quoted(value)}")
    if not 0 <= float(value) <= 1:
        raise ValueError(f"min_probability: expected 0 to 1, got {value}")


def missed_share(probability: Float64s, kept: Bools, n_terms: int, speech_s: float) -> float | None:
    """The probability that a term is said in a place without a hit: expected missed per trial.

    Args:
        probability: (n,) of each candidate.
        kept: (n,) which of them are hits.
        speech_s: trials of each term.

    Returns:
        None if every trial has a hit, or nothing is expected.

    >>> missed_share(np.array([1.0, 0.5, 0.5]), np.array([True, True, False]), 2, 300.0)
    0.0009364548494983279
    """
    trials = n_terms * speech_s - float(np.count_nonzero(kept))
    missed = MISSED * float(probability.sum()) + float(probability[~kept].sum())
    return missed / trials if 0 < missed < trials else None


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected number of right hits: the sum of their probabilities.

    The sums are right if the probabilities are calibrated (``[calibration] words``); they do not
    include occurrences without a hit.

    >>> print(Expected.of([0.9, 0.7, 0.2, 0.1]))
    2 hits from probability 0.5 up, about 2 are right; about 0.3 more right ones below
    """

    from_probability: float  # the border between the two sums
    hits: int  # from the border up
    right: float  # of these
    right_below: float  # of the hits below the border

    @classmethod
    def of(
        cls, probabilities: Sequence[float] | Float64s, from_probability: float = FROM
    ) -> "Expected":
        """The expectation for hits with these probabilities.

        Args:
            probabilities: the probabilities of each hit, 0 to 1.
            from_probability: the border; a hit on it counts as above.
        """
        every = np.asarray(probabilities, dtype=np.float64)
        is_above = every >= from_probability
        right, below = float(every[is_above].sum()), float(every[~is_above].sum())
        return cls(from_probability, int(np.count_nonzero(is_above)), right, below)

    def document(self) -> dict[str, float]:
        """The expectation as `std-search --json` writes it."""
        return {
            "from": self.from_probability,
            "hits": self.hits,
            "right": self.right,
            "right_below": self.right_below,
        }

    def __str__(self) -> str:
        start = f"from probability {self.from_probability:g} up"
        below = about(self.right_below)
        if not self.hits:
            return f"no hits {start}; {below} {_verb(below)} right below"
        right = about(self.right)
        ones = "one" if below == "about 1" else "ones"
        more = f"; {below} more right {ones} below" if self.right_below else ""
        return f"{counted(self.hits, 'hit')} {start}, {right} {_verb(right)} right{more}"


def _verb(count: str) -> str:
    return "is" if count == "about 1" else "are"


@dataclass(frozen=True, eq=False)
class TermCandidates:
    """The candidates of all terms, with probabilities on condition that the term occurs."""

    terms: tuple[Term, ...]
    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    oov_words: tuple[tuple[str, ...], ...]  # words that the index lacks
    wildcards: Mapping[str, Expansion]  # those of them with *, and what the index has for each
    variants: tuple[Variant, ...]  # what candidates point into
    recordings: tuple[Recording, ...]  # what candidates point into, ascending
    candidates: Candidates  # merged; ordered by term, recording and time
    occurs: Float64s  # (terms,) the probability that each term occurs at all, judged by itself
    probability: Float64s  # (n,) that hits report, of each candidate: by ``[calibration] list``
    is_calibrated: bool  # all of them
    outside_ecf: int  # candidates outside the ECF; a common one of copies counts once
    without_phones: tuple[str, ...]  # languages of segments left out of phonetic search
    without_model: tuple[str, ...]  # pronouncers of segments without a fitting model
    segments: tuple[Segment, ...]  # what was searched
    copies: Copies  # of its recordings; candidates belong to originals until `decide`
    speech: SearchedSpeech  # that was searched
    cut: frozenset[int]  # terms of which only the likeliest places were searched
    seconds: float
    # The interpretation of texts with operators (`std.query`), for a person.
    understood: tuple[str, ...] = field(default=(), kw_only=True)
    # (terms,) the term of each related form; empty without related forms
    form_of: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def searched_copies(self) -> int:
        """The number of copies among the searched recordings."""
        return searched_copies(self.copies, self.speech.excerpts)

    def under_each_name(self) -> "TermCandidates":
        """The result including the candidates of copies."""
        row, recording = self.reported()
        candidates = self.candidates.rows(row)._replace(recording=recording)
        probability = self.probability[row]
        return replace(self, candidates=candidates, probability=probability, copies=NO_COPIES)

    def reported(self) -> tuple[Rows, Int64s]:
        """The recordings under which candidates are reported: see `reported` of this module."""
        table = recording_table(self.segments)
        row_of = table.row_of
        if self.copies and self.recordings is not table.recordings:
            row_of = {recording: row for row, recording in enumerate(self.recordings)}
        excerpts = self.speech.excerpts
        return reported(self.candidates, self.recordings, row_of, self.copies, excerpts)


class FormHits(NamedTuple):
    """A related form of a term in the index, with its count."""

    term: str
    form: str
    hits: int  # from probability .5 up

    def __str__(self) -> str:
        return f"{self.form} {self.hits:,}"


@dataclass(frozen=True, eq=False)
class SearchResult(TermCandidates):
    """Detections with their evidence: candidates with decisions."""

    decision_score: Float64s  # (n,) `THRESHOLD` and more: YES
    n_true: Float64s  # (terms,) expected occurrences
    missed_share: float | None  # the probability of a place without a hit; None: unknown
    default_score: float | None  # the same on the scale of scores
    less_likely: int = 0  # detections left out by `at_least`

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The language of each of the recordings; empty if the index does not know it."""
        table = recording_table(self.segments)
        if self.recordings is table.recordings:
            return table.languages
        return tuple(table.languages[table.row_of[recording]] for recording in self.recordings)

    @cached_property
    def yes(self) -> Bools:
        """(n,) the decisions."""
        decided: Bools = self.decision_score >= THRESHOLD
        return decided

    def rows(self, which: Rows) -> "SearchResult":
        """The same search with some of its detections, in the order of ``which``."""
        return replace(
            self,
            candidates=self.candidates.rows(which),
            probability=self.probability[which],
            decision_score=self.decision_score[which],
        )

    def at_least(self, probability: float) -> "SearchResult":
        """The detections with at least a probability; the others are counted.

        Raises:
            ValueError: the number is not a probability.
        """
        require_probability(probability)
        kept = self.probability >= probability
        if kept.all():
            return self
        left_out = self.less_likely + int(np.count_nonzero(~kept))
        return replace(self.rows(kept), less_likely=left_out)

    @property
    def doubted(self) -> dict[int, float]:
        """Accepted terms without a hit from .5 up: the highest probability, by row.

        Decisions consider costs and may assume that the terms of a list occur (``[decision]
        terms``); probabilities do not.
        """
        terms = self.candidates.term[self.yes]
        highest = np.zeros(len(self.terms))
        np.maximum.at(highest, terms, self.probability[self.yes])
        return {int(row): float(highest[row]) for row in np.unique(terms) if highest[row] < FROM}

    @property
    def expected(self) -> Expected:
        """The expected number of right hits."""
        return Expected.of(self.probability)

    @property
    def forms(self) -> list[FormHits]:
        """The related forms that were found, by term, the most frequent first."""
        likely = self.candidates.term[self.probability >= FROM]
        hits = np.bincount(likely, minlength=len(self.terms)).tolist()
        order = {term: row for row, term in enumerate(dict.fromkeys(self.form_of))}
        found = [
            FormHits(asked, form.text, n)
            for asked, form, n in zip(self.form_of, self.terms, hits, strict=False)
            if n
        ]
        return sorted(found, key=lambda one: (order[one.term], -one.hits, one.form))

    def detections(self) -> Detections:
        """The hit list's columns."""
        candidates = self.candidates
        return Detections(
            tuple(term.term_id for term in self.terms),
            self.recordings,
            candidates.term.astype(np.int32),
            candidates.recording.astype(np.int32),
            candidates.start_ms / 1000,
            (candidates.end_ms - candidates.start_ms) / 1000,
            self.decision_score,
            self.yes,
            self.probability,
        )


def reported(
    candidates: Candidates,
    recordings: Sequence[Recording],
    row_of: Mapping[Recording, int],
    copies: Copies,
    excerpts: Sequence[Excerpt] | None,
) -> tuple[Rows, Int64s]:
    """Report candidates for an original and its copies.

    Args:
        candidates: (n,) of originals, ordered by term, recording and start.
        row_of: row of each recording in it.
        excerpts: a recording has the candidates inside its own excerpts; None = all.

    Returns:
        m rows of the candidates, and (m,) the recording of each, a row of the table; ordered by
        term, recording and start.
    """
    if not copies:
        return slice(None), candidates.recording
    originals, which = np.unique(candidates.recording, return_inverse=True)
    names = [[row_of[name] for name in copies.names(recordings[i])] for i in originals.tolist()]
    number = np.array([len(one) for one in names], np.int64)
    last = np.cumsum(number)
    row, at = ranges((last - number)[which], last[which])
    recording = np.array([name for one in names for name in one], np.int64)[at]
    start_ms, end_ms = candidates.start_ms[row], candidates.end_ms[row]
    inside = inside_ecf(recording, start_ms, end_ms, recordings=recordings, excerpts=excerpts)
    order = np.lexsort((start_ms, recording, candidates.term[row]))
    order = order[inside[order]]
    return row[order], recording[order]


def searched_copies(copies: Copies, excerpts: Sequence[Excerpt] | None) -> int:
    """The number of searched recordings with the same speech as another searched recording."""
    if excerpts is None or not copies:
        return len(copies)
    searched = {excerpt.recording for excerpt in excerpts}
    return len(searched) - len(copies.distinct(searched))
