"""Searches of one snapshot: terms in, hits out, filtered, counted, sorted and cut into pages.

    checked       terms as a client wrote them -> terms that may be searched
    search_term   one term -> all its results (the cache keeps them)
    select        results of all terms -> the hits that a `Wish` asks for, and the counts

A term's hits are found once and kept as columns; `service.answers` explains the shown ones.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from searcher import Expected, SearchResult
from service.examples import (
    examples_of,
    find_like,
    has_examples,
    is_example,
    is_phrase,
    parts_of,
)
from service.live_index import Snapshot
from service.problems import ProblemError
from service.recordings import Facet, ServedRecordings
from service.settings import Limits
from std.metadata.table import SPEAKER
from std.values import Bools, Float64s, Int64s

Sorting = Literal["probability", "recording", "time"]

TIME_BITS = 32  # of a start in ms, as in keys of `std.store.columns`
STEPS = 100  # of the slider for the least probability
VARIANT_BYTES = 600  # of a cached result, about


@dataclass(frozen=True, eq=False)
class TermResult:
    """The result of one term."""

    term: str
    found: SearchResult
    remarks: tuple[str, ...]
    recording: Int64s  # (n,) row of each hit's recording in the snapshot's table
    speakers: Sequence[str] | None = None  # (n,) of each hit; None: the index names no speakers

    @property
    def bytes(self) -> int:
        """The approximate memory of the result."""
        columns = sum(column.nbytes for column in self.found.candidates)
        columns += 8 * len(self.speakers or ())
        tables = VARIANT_BYTES * len(self.found.variants) + 16 * len(self.found.recordings)
        return columns + self.found.probability.nbytes + self.recording.nbytes + tables + 1000


class Wish(NamedTuple):
    """The requested hits of a search, and their order."""

    min_probability: float = 0.0
    facets: Mapping[str, frozenset[str]] = {}  # values by facet; empty = all
    sort: Sorting = "probability"
    where: str | None = None  # conditions on recordings and speakers (`std.query`)
    within_words: frozenset[str] | None = None  # kinds of words that hits may be inside; None = all
    inflections: bool = False  # also related forms of the terms


class FacetValue(NamedTuple):
    """A value of a facet and the number of its hits."""

    value: str
    hits: int
    selected: bool


@dataclass(frozen=True, eq=False)
class Selection:
    """The first of the hits that a wish asks for, in its order, and counts of all these hits."""

    results: tuple[TermResult, ...]
    term: Int64s  # (n,) row in results
    row: Int64s  # (n,) row in the term's columns
    total: int  # all hits that the wish asks for; n of them are here
    of_terms: Int64s  # (terms,) hits of each term above the least probability
    right: float  # the sum of their probabilities
    counts: Int64s  # (STEPS + 1,) hits with at least each hundredth, also below the least one
    expected_right: Float64s  # (STEPS + 1,) the sum of their probabilities
    expected: Expected  # of hits of any probability
    facets: Mapping[str, tuple[FacetValue, ...]] = field(default_factory=dict)


def checked(
    terms: Sequence[str], snapshot: Snapshot, limits: Limits, most: int, *, need_words: bool = True
) -> tuple[str, ...]:
    """Check terms, and keep each once.

    Raises:
        ProblemError: there are too many terms, or a term is too long or has no word.
        QueryError: a term is not a valid query.
    """
    given = tuple(dict.fromkeys(term.strip() for term in terms if term.strip()))
    if not given:
        raise ProblemError(400, "expected at least one term, got none")
    if len(given) > most:
        raise ProblemError(400, f"expected at most {most} terms, got {len(given)}")
    for term in given:
        if len(term) > limits.query_letters:
            expected = f"expected queries of at most {limits.query_letters} letters"
            raise ProblemError(400, f"{expected}, got one of {len(term)}")
        if has_examples(term):
            examples_of(term, snapshot)
        if not is_example(term):
            for phrase in snapshot.index.phrases(parts_of(term).words, need_words=need_words):
                _check_phrase(phrase, snapshot, limits)
    return given


def _check_phrase(term: str, snapshot: Snapshot, limits: Limits) -> None:
    shown = repr(term[:40])
    if len(term) > limits.letters:
        expected = f"expected terms of at most {limits.letters} letters"
        raise ProblemError(400, f"{expected}, got one of {len(term)}")
    words = snapshot.index.config.text.phrase(term)
    if len(words) > limits.words:
        raise ProblemError(400, f"expected at most {limits.words} words, got {shown}")
    if any("*" in word and not any(map(str.isalnum, word)) for word in words):
        raise ProblemError(400, f"expected letters beside * (robo*, *arbeit), got {shown}")
    if not any(letter.isalnum() for word in words for letter in word):
        raise ProblemError(400, f"expected a word or a phrase, got {shown}")


def phrases_of(terms: Sequence[str], snapshot: Snapshot) -> list[str]:
    """The words and phrases of terms and queries, to which hits and marks belong."""
    return [
        phrase
        for term in terms
        for phrase in (
            (term,) if is_example(term) else snapshot.index.phrases(parts_of(term).words)
        )
    ]


def is_known(term: str, snapshot: Snapshot) -> bool:
    """Whether a term needs only a look-up: no operator, split, wildcard or phonetic search."""
    if not is_phrase(term, snapshot):
        return False
    index, vocabulary = snapshot.index, snapshot.index.vocabulary
    if index.has_model and index.config.phonetic_search.words == "all":
        return False  # known words are searched by their phones, too
    corrected = snapshot.put_by_people  # these may be OOV to the recogniser
    words = snapshot.index.config.text.phrase(term)
    return all(word in vocabulary and word not in corrected for word in words)


def may_be_slow(term: str, snapshot: Snapshot) -> bool:
    """Whether a term's search may take long: it is a query, or a phrase with wildcards."""
    words = parts_of(term).words
    return words != "" and ("*" in words or not is_phrase(words, snapshot))


def search_term(term: str, snapshot: Snapshot, where: str | None = None) -> TermResult:
    """Search one term, or one query.

    Args:
        where: conditions on recordings; None = all.

    Raises:
        StdError: the index cannot be read, or the search takes more than the configuration allows.
    """
    if has_examples(term):
        found = find_like(term, snapshot, where)
    else:
        found = snapshot.index.find(term, where=where, min_probability=0.0)
    return placed(term, found, snapshot, tuple(snapshot.index.remarks(found)))


def placed(
    term: str, found: SearchResult, snapshot: Snapshot, remarks: tuple[str, ...] = ()
) -> TermResult:
    """The result of a term with the rows of its recordings in the snapshot's table."""
    rows = snapshot.recordings.rows(found.recordings)
    speakers = snapshot.index.first_speakers(found)
    return TermResult(term, found, remarks, rows[found.candidates.recording], speakers)


def select(
    results: Sequence[TermResult], snapshot: Snapshot, wish: Wish, end: int | None = None
) -> Selection:
    """Select the hits that a wish asks for.

    Args:
        end: the number of hits; None = all.

    Raises:
        ProblemError: there is no such facet.
    """
    table = snapshot.recordings
    has_speakers = any(one.speakers is not None for one in results)
    names = [*table.facets, *([SPEAKER] if has_speakers and SPEAKER not in table.facets else [])]
    if unknown := wish.facets.keys() - {*names}:
        known = ", ".join(names)
        raise ProblemError(400, f"expected one of {known}, got {min(unknown)[:40]!r}")
    term = np.repeat(np.arange(len(results)), [len(one.recording) for one in results])
    row = np.concatenate([np.arange(len(one.recording)) for one in results])
    recording = np.concatenate([one.recording for one in results])
    probability = np.concatenate([one.found.probability for one in results])
    start_ms = np.concatenate([one.found.candidates.start_ms for one in results])
    live = (recording >= 0) & _outside_words(results, snapshot, wish)
    spoken = _speaker_facet(results, recording, table.facets.get(SPEAKER)) if has_speakers else None
    is_in = _fitting(wish, table, spoken, recording)
    in_facets = np.logical_and.reduce([live, *is_in.values()])
    in_facets_probability = probability[in_facets]
    counts, expected_right = _by_least_probability(in_facets_probability)
    likely = probability >= wish.min_probability
    kept = np.flatnonzero(in_facets & likely)

    def counted(name: str) -> tuple[FacetValue, ...]:
        """The values of a facet among the hits that pass all other filters."""
        rows = kept
        if name in is_in:
            others = [mask for other, mask in is_in.items() if other != name]
            rows = np.flatnonzero(np.logical_and.reduce([live, likely, *others]))
        chosen = wish.facets.get(name, frozenset())
        if spoken and name == SPEAKER:
            return _facet_values(spoken, np.bincount(rows, minlength=len(recording)), chosen)
        hits = np.bincount(recording[rows], minlength=len(table.entries))
        return _facet_values(table.facets[name], hits, chosen)

    facets = {name: counted(name) for name in names}
    total = len(kept)
    if wish.sort == "probability":
        descending = -np.sort(-probability[kept])
        right = float(descending.sum())
        if end is not None and end < total:  # with those as probable as the last one
            kept = kept[probability[kept] >= descending[max(0, end - 1)]]
    kept = kept[_order(wish.sort, recording[kept], start_ms[kept], probability[kept])]
    if wish.sort != "probability":
        right = float(probability[kept].sum())
    kept = kept[:end]
    beside = counts, expected_right, Expected.of(in_facets_probability), facets
    of_terms = np.bincount(term[live & likely], minlength=len(results))
    return Selection(tuple(results), term[kept], row[kept], total, of_terms, right, *beside)


def _outside_words(results: Sequence[TermResult], snapshot: Snapshot, wish: Wish) -> Bools:
    """(n,) the hits that are not inside other words, or inside words of permitted kinds."""
    if (kinds := wish.within_words) is None:
        return np.ones(sum(len(one.recording) for one in results), bool)
    found = [snapshot.index.hit_columns(one.found).within_words() for one in results]
    return np.array([not one or one.kind in kinds for some in found for one in some], bool)


def _speaker_facet(results: Sequence[TermResult], recording: Int64s, given: Facet | None) -> Facet:
    """(n,) the number of each hit's speaker, and the names, from the index or the metadata.

    Args:
        recording: (n,) row of each hit's recording in the snapshot's table.
    """
    number, values = given or (np.zeros(1, np.int64), ("",))
    names = [name for one in results for name in one.speakers or [""] * len(one.recording)]
    row_of = {name: row for row, name in enumerate(sorted({*names, *values}))}
    own = np.array([row_of[name] for name in names], np.int64)
    if given is None:
        return own, tuple(row_of)
    of_recording = np.array([row_of[value] for value in values], np.int64)[number]
    unnamed = np.array([name == "" for name in names], bool)
    return np.where(unnamed, of_recording[recording], own), tuple(row_of)


def _fitting(
    wish: Wish, table: ServedRecordings, spoken: Facet | None, recording: Int64s
) -> dict[str, Bools]:
    """For each facet of a wish, (n,) the hits with one of its values.

    Args:
        spoken: the speaker of each hit, if the index names speakers.
        recording: (n,) row of each hit's recording in the table.
    """
    return {
        name: (
            _has_value(spoken, values)[:-1]
            if spoken and name == SPEAKER
            else _has_value(table.facets[name], values)[recording]
        )
        for name, values in wish.facets.items()
        if values
    }


def _has_value(facet: Facet, values: frozenset[str]) -> Bools:
    """(recordings + 1,) which have one of the values; row -1 is for deleted ones."""
    number, known = facet
    wanted = np.array([value in values for value in known], dtype=bool)
    return np.append(wanted[number], False)


def _facet_values(facet: Facet, hits: Int64s, chosen: frozenset[str]) -> tuple[FacetValue, ...]:
    """The values with hits and the chosen values: chosen ones first, then by the number of hits.

    Args:
        facet: the number of each recording's or hit's value, and the values, ascending.
        hits: (recordings,) the number of hits of each; or (hits,) whether each counts.
    """
    number, values = facet
    count = np.bincount(number, weights=hits, minlength=len(values)).astype(np.int64)
    is_chosen = np.zeros(len(values), dtype=bool)
    if chosen:
        is_chosen = np.array([value in chosen for value in values], dtype=bool)
    rows = np.flatnonzero(is_chosen | (count > 0))
    rows = rows[np.lexsort((-count[rows], ~is_chosen[rows]))]
    columns = [values[i] for i in rows.tolist()], count[rows].tolist(), is_chosen[rows].tolist()
    return tuple(map(FacetValue, *columns))


def _order(sort: Sorting, recording: Int64s, start_ms: Int64s, probability: Float64s) -> Int64s:
    """(n,) rows in the order of a wish; rows that are equal in it keep their order.

    A term's hits are sorted by recording and time, so two of the three columns are often in order.
    """
    if sort == "time":
        return np.lexsort((recording, start_ms))
    place = (recording << TIME_BITS) | start_ms
    if (place[1:] >= place[:-1]).all():
        by_place = np.arange(len(place))
    else:
        by_place = np.argsort(place, kind="stable")
    if sort == "recording":
        return by_place
    return by_place[np.argsort(-probability[by_place], kind="stable")]


def _by_least_probability(probability: Float64s) -> tuple[Int64s, Float64s]:
    """The number of hits with at least each hundredth of probability, and their sum."""
    step = np.clip(np.floor(probability * STEPS + 1e-9), 0, STEPS).astype(np.int64)
    counts = np.bincount(step, minlength=STEPS + 1)[::-1].cumsum()[::-1]
    sums = np.bincount(step, weights=probability, minlength=STEPS + 1)[::-1].cumsum()[::-1]
    return counts, sums
