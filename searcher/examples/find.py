"""Terms with examples -> candidates, as in other searches.

ExampleTerm          a term and its examples
find_by_examples     terms -> TermCandidates
places_by_examples   terms -> the figures of each place by the examples
standing             the distance of places from the many places where something else is said
probabilities        figures of places -> probabilities that the term is said there

Two figures describe a place. *Standing* is its distance from the example's places of rank 6 to 60,
which are mostly wrong and show how low the cost of a wrong place can be. *Nearness* compares its
cost with the cost of its frames by chance, because recordings and sounds differ in how much they
resemble others. The weights are a logistic regression over the places of 494 words and pairs of
words of three sets, all of which are said again. Whether a term is said again is estimated from the
list of examples, as for a list of words (`searcher.calibration.occurring_terms`).

If terms also have words, the examples are compared with the places of the words, too
(`searcher.evidence.pairing.with_examples`).

docs/sound.md has the measurements.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from searcher.calibration.occurring_terms import said_again_evidence, term_occurrence
from searcher.examples.example import (
    ExampleSpan,
    SoundArchive,
    archive_of,
    each_once,
    read_example,
)
from searcher.examples.places import best_places, costs_at, joined, usual_at
from searcher.index.copies import NO_COPIES
from searcher.index.searched_speech import SearchedSpeech, SpeakerTurns, inside_ecf
from searcher.results.candidates import NO_CANDIDATES, Candidates, Spans, concatenate, in_order
from searcher.results.search_result import TermCandidates
from searcher.terms.request import Variant, require_terms
from std.errors import quoted, require_kind
from std.execution.workers import IN_PROCESS, Executor
from std.sound.columns import FRAME_MS
from std.store import Segment
from std.values import Bools, Excerpt, Float64s, Int64s, Recording, SearchMode, Term

FIRST_RANK, LAST_RANK = 5, 60  # of the places that are mostly wrong
FEWEST = 20  # wrong places that give their usual cost; with fewer, the figures below count
USUAL_COST, USUAL_DEVIATION = 0.33, 0.008
SMALLEST_DEVIATION = 0.002
OF_FURTHER_EXAMPLES = 3.0
INTERCEPT, OF_STANDING, OF_EXAMPLE = -5.56, 0.26, 46.9
A_TERM = "ExampleTerm(std.Term('T1', 'haus'), ('interview@12.3-13.1',))"


class ExampleTerm(NamedTuple):
    """A term, and stretches of audio where it is said (`searcher.examples.example`)."""

    term: Term
    examples: tuple[str, ...]
    names: tuple[str, ...] = ()  # of the examples, as people are told of them; none: as they are


class PlacesByExamples(NamedTuple):
    """The places of a term by its examples."""

    term: Term
    variant: Variant  # what a person is told of how it was found
    own: Sequence[ExampleSpan]  # stretches of recordings that are its examples
    places: Spans  # that sound like them; rows of the index's recordings
    probability: Float64s  # (n,) of each, if the term is said again
    beside: Float64s  # (m,) of the places that words found; nan where there is no sound


def find_by_examples(
    terms: Sequence[ExampleTerm],
    segments: Sequence[Segment],
    speech: SearchedSpeech,
    *,
    mode: SearchMode,
    workers: Executor,
    advance: Callable[[float], None],
) -> TermCandidates:
    """Find the places of terms by their examples.

    Args:
        mode: in a ``list``, the share of terms that are said again is estimated.
        advance: called with each finished share of the work.

    Raises:
        StdError: the index has no sound; an example is invalid.
        TypeError, ValueError: an argument is wrong.
    """
    begin = time.perf_counter()
    archive, by_examples = places_by_examples(
        terms, segments, speech, workers=workers, advance=advance
    )
    parts = [_candidates(number, one) for number, one in enumerate(by_examples)]
    candidates = in_order(concatenate(parts) if parts else NO_CANDIDATES)
    evidence = np.array([said_again_evidence(one.probability) for one in by_examples])
    judged = evidence, np.ones(len(by_examples), np.bool_)
    by_itself, occurs = (term_occurrence(*judged, one) for one in ("adhoc", mode))
    if speech.spoken_by is None:
        seconds = archive.seconds_inside(speech.excerpts)
    else:
        seconds = archive.seconds_where(_inside_of(speech, segments, archive.recordings))
    return TermCandidates(
        terms=tuple(one.term for one in by_examples),
        words=((),) * len(by_examples),
        oov_words=((),) * len(by_examples),
        wildcards={},
        variants=tuple(one.variant for one in by_examples),
        recordings=archive.recordings,
        candidates=candidates,
        occurs=by_itself,
        probability=occurs[candidates.term] * candidates.probability,
        is_calibrated=True,
        outside_ecf=0,  # only what is inside is looked at
        without_phones=(),
        without_model=(),
        segments=tuple(segments),
        copies=NO_COPIES,
        speech=speech._replace(seconds=seconds),
        cut=frozenset(),
        seconds=time.perf_counter() - begin,
    )


def places_by_examples(
    terms: Sequence[ExampleTerm],
    segments: Sequence[Segment],
    speech: SearchedSpeech,
    beside: Sequence[Candidates] = (),
    *,
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
) -> tuple[SoundArchive, list[PlacesByExamples]]:
    """The places of terms in the searched speech by their examples, with the figures of each.

    Args:
        beside: the places of each term that words found; empty without words.
        terms, workers, advance: see `find_by_examples`, which also lists the errors.
    """
    terms = _checked(terms)
    whole = archive_of(segments)
    wanted = None if speech.excerpts is None else {one.recording for one in speech.excerpts}
    archive = whole if wanted is None else archive_of(segments, wanted.__contains__)
    inside = _inside_of(speech, segments, archive.recordings)
    return archive, [*_each(terms, whole, archive, inside, beside, workers, advance)]


def _checked(terms: Sequence[ExampleTerm]) -> list[ExampleTerm]:
    """The terms, after checking that each has examples and a distinct id."""
    given = [*require_kind("terms", terms, Iterable, "a list of example terms")]
    for one in given:
        require_kind("terms", one, ExampleTerm, A_TERM)
        texts = [] if isinstance(one.examples, str) else [*one.examples]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise TypeError(f"terms: expected {A_TERM}, got {quoted(one)}")
    require_terms([one.term for one in given])
    return given


def _inside_of(
    speech: SearchedSpeech, segments: Sequence[Segment], recordings: Sequence[Recording]
) -> Callable[[Spans], Bools]:
    """A function that tells which places are inside the searched speech."""
    turns = speech.spoken_by.turns(segments) if speech.spoken_by else None
    return partial(_inside, recordings=recordings, excerpts=speech.excerpts, turns=turns)


def _inside(
    places: Spans,
    recordings: Sequence[Recording],
    excerpts: Sequence[Excerpt] | None,
    turns: SpeakerTurns | None,
) -> Bools:
    """(n,) which places are inside the excerpts, and spoken by the searched speakers."""
    inside = inside_ecf(*places, recordings=recordings, excerpts=excerpts)
    return inside if turns is None else inside & turns.fit(*places)


def _each(
    terms: Sequence[ExampleTerm],
    whole: SoundArchive,
    archive: SoundArchive,
    inside: Callable[[Spans], Bools],
    beside: Sequence[Candidates],
    workers: Executor,
    advance: Callable[[float], None],
) -> Iterator[PlacesByExamples]:
    """The places of each term in an archive by its examples.

    Args:
        beside: the places of each term that words found; empty without words.
    """
    read = []  # all of them before the first search: a mistake in the last one costs no time
    for one in terms:
        named = zip(one.examples, one.names or one.examples, strict=True)
        read.append([read_example(text, whole, name) for text, name in named])
    given = [each_once(examples) for examples in read]
    every = [example for examples in given for example in examples]
    ranked = iter(best_places(every, archive, workers, inside, advance))
    sample, bounds_ms = archive.sample(), archive.bounds_ms()
    of_words = beside or [NO_CANDIDATES] * len(given)
    for term, examples, by_words in zip(terms, given, of_words, strict=True):
        of_each = [*islice(ranked, len(examples))]
        if len(examples) == 1:
            (places, cost), *_ = of_each
            costs = [cost]
        else:
            places = joined(of_each, examples, archive)
            costs = [costs_at(example, archive, places) for example in examples]
        usual = usual_at(archive, places, sample)
        probability = _judged(costs, of_each, usual)
        there, rows = _with_sound(by_words, bounds_ms)
        costs = [costs_at(example, archive, there) for example in examples]
        beside_them = np.full(len(by_words.term), np.nan)
        beside_them[rows] = _judged(costs, of_each, usual_at(archive, there, sample))
        own = [example.span for example in examples if example.span]
        yield PlacesByExamples(term.term, _variant(term), own, places, probability, beside_them)


def _judged(
    costs: Sequence[Float64s], ranked: Sequence[tuple[Spans, Float64s]], usual: Float64s
) -> Float64s:
    """(n,) the probabilities of places, by the costs of each example and those by chance."""
    stands = [standing(cost, own) for cost, (_, own) in zip(costs, ranked, strict=True)]
    nearness = usual - np.mean(costs, axis=0)
    return probabilities(np.mean(stands, axis=0), nearness, len(costs))


def _with_sound(by_words: Candidates, bounds_ms: Int64s) -> tuple[Spans, Int64s]:
    """The candidates with sound, cut to it, at least one frame long; and (m,) their rows."""
    first, last = bounds_ms[by_words.recording].T
    middle = (by_words.start_ms + by_words.end_ms) // 2
    rows = np.flatnonzero((first <= middle) & (middle < last))
    first, last = first[rows], last[rows]
    start = np.clip(by_words.start_ms[rows], first, last - FRAME_MS)
    end = np.clip(by_words.end_ms[rows], start + FRAME_MS, last)
    return Spans(by_words.recording[rows], start, end), rows


def _variant(term: ExampleTerm) -> Variant:
    """The variant that tells a person how a term was found."""
    first, *others = term.names or term.examples
    more = f" and {len(others)} more" if others else ""
    return Variant((), 1.0, "example", f"sounds like {first}{more}")


def _candidates(term: int, by_examples: PlacesByExamples) -> Candidates:
    """The places of a term; slots of words are looked up only for hits that are shown."""
    zeros = np.zeros(len(by_examples.probability), np.int64)
    return Candidates(
        term=zeros + term,
        variant=zeros + term,
        recording=by_examples.places.recording,
        start_ms=by_examples.places.start_ms,
        end_ms=by_examples.places.end_ms,
        probability=by_examples.probability,
        family=zeros + term,
        first_slot=zeros - 1,
        last_slot=zeros - 1,
    )


def standing(costs: Float64s, ranked: Float64s) -> Float64s:
    """(n,) the distance, in deviations, of each place from places that are mostly wrong.

    Args:
        costs: (n,) of places.
        ranked: (m,) of the example's best places, ascending.
    """
    others = ranked[FIRST_RANK:LAST_RANK]
    if len(others) < FEWEST:
        return (USUAL_COST - costs) / USUAL_DEVIATION
    deviation = max(float(others.std()), SMALLEST_DEVIATION)
    return np.asarray((float(others.mean()) - costs) / deviation, np.float64)


def probabilities(stands: Float64s, nearness: Float64s, examples: int = 1) -> Float64s:
    """(n,) the probabilities that a term is said in places, if it is said again.

    Args:
        stands: (n,) `standing` of each; the mean over several examples.
        nearness: (n,) cost by chance minus cost; the mean over several examples.
        examples: the number of examples: a place that several fit equally well is likelier.
    """
    log_odds = INTERCEPT + OF_STANDING * stands + OF_EXAMPLE * nearness
    log_odds += OF_FURTHER_EXAMPLES * (1 - 1 / examples)
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float64)
