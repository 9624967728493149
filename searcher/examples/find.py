"""Terms that the user has examples of -> candidates, as other searches find them.

ExampleTerm        a term and its examples
find_by_examples   terms -> TermCandidates
standing           how far places stand out from the many where something else is said
probabilities      figures of places -> probabilities that the term is said there
log_evidence       of a term, that it is said again

Two figures describe a place. *Standing* is its distance from the example's places of rank 6 to 60,
which are mostly wrong: they show how low the cost of a wrong place can be. *Nearness* compares its
cost with the cost of its frames by chance, because recordings and sounds differ in how much they
resemble others. The weights are a logistic regression over the places of 494 words and pairs of
words of three sets, all of which are said again. Whether a term is said again is estimated from the
list of examples, as for a list of words (`searcher.calibration.occurring_terms`).

docs/sound.md has the measurements.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from searcher.calibration.occurring_terms import term_occurrence
from searcher.examples.example import Example, SoundArchive, archive_of, each_once, read_example
from searcher.examples.places import best_places, costs_at, joined, usual_at
from searcher.index.copies import NO_COPIES
from searcher.index.searched_speech import SearchedSpeech, inside_ecf
from searcher.results.candidates import NO_CANDIDATES, Candidates, Spans, concatenate, in_order
from searcher.results.search_result import TermCandidates
from searcher.terms.request import Variant, require_terms
from std.errors import StdError, quoted, require_kind
from std.execution.workers import IN_PROCESS, Executor
from std.nist.ecf import speech_s
from std.sound.columns import FRAME_MS
from std.store import Segment
from std.store.columns import UInt64s
from std.values import Bools, Excerpt, Float64s, Recording, SearchMode, Term

FIRST_RANK, LAST_RANK = 5, 60  # of the places that are mostly wrong
FEWEST = 20  # wrong places that give their usual cost; with fewer, the figures below count
USUAL_COST, USUAL_DEVIATION = 0.33, 0.008
SMALLEST_DEVIATION = 0.002
OF_FURTHER_EXAMPLES = 3.0
INTERCEPT, OF_STANDING, OF_NEARNESS = -5.56, 0.26, 46.9
SURE = 1 - 1e-9
A_TERM = "ExampleTerm(std.Term('T1', 'haus'), ('interview@12.3-13.1',))"
EXPECTED = 1.5  # occurrences of a term that is said again


class ExampleTerm(NamedTuple):
    """A term, and stretches of audio where it is said (`searcher.examples.example`)."""

    term: Term
    examples: tuple[str, ...]
    names: tuple[str, ...] = ()  # of the examples, as people are told of them; none: as they are


def find_by_examples(
    terms: Sequence[ExampleTerm],
    segments: Sequence[Segment],
    speech: SearchedSpeech,
    *,
    mode: SearchMode = "list",
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
) -> TermCandidates:
    """Find where terms are said, by examples of them.

    Args:
        mode: for ``list``, the share of terms that are said again is estimated.
        advance: called with each finished share of the work.

    Raises:
        StdError: the index has no sound; an example is invalid; only some speakers are searched.
        TypeError, ValueError: an argument is wrong.
    """
    begin = time.perf_counter()
    terms = _checked(terms)
    if speech.spoken_by is not None:
        raise StdError("query by example finds who sounds alike in all of a recording: expected no "
                       "condition on speakers")  # fmt: skip
    whole = archive_of(segments)
    wanted = None if speech.excerpts is None else {one.recording for one in speech.excerpts}
    archive = whole if wanted is None else archive_of(segments, wanted.__contains__)
    inside = partial(_inside, recordings=archive.recordings, excerpts=speech.excerpts)
    parts, evidence = [], []
    found = _each(terms, whole, archive, inside, workers, advance)
    for number, (places, probability) in enumerate(found):
        parts.append(_candidates(number, places, probability))
        evidence.append(log_evidence(probability))
    candidates = in_order(concatenate(parts) if parts else NO_CANDIDATES)
    judged = np.array(evidence), np.ones(len(terms), np.bool_)
    by_itself, occurs = (term_occurrence(*judged, one) for one in ("adhoc", mode))
    return TermCandidates(
        terms=tuple(one.term for one in terms),
        words=((),) * len(terms),
        oov_words=((),) * len(terms),
        wildcards={},
        variants=tuple(_variant(one) for one in terms),
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
        speech=speech._replace(seconds=_searched_s(archive, speech.excerpts)),
        cut=frozenset(),
        seconds=time.perf_counter() - begin,
    )


def _checked(terms: Sequence[ExampleTerm]) -> list[ExampleTerm]:
    """The terms, if they have examples, and names of their own."""
    given = [*require_kind("terms", terms, Iterable, "a list of example terms")]
    for one in given:
        require_kind("terms", one, ExampleTerm, A_TERM)
        texts = [] if isinstance(one.examples, str) else [*one.examples]
        if not texts or not all(isinstance(text, str) for text in texts):
            raise TypeError(f"terms: expected {A_TERM}, got {quoted(one)}")
    require_terms([one.term for one in given])
    return given


def _inside(
    places: Spans, recordings: Sequence[Recording], excerpts: Sequence[Excerpt] | None
) -> Bools:
    """(n,) which places are inside the excerpts."""
    return inside_ecf(*places, recordings=recordings, excerpts=excerpts)


def _searched_s(archive: SoundArchive, excerpts: Sequence[Excerpt] | None) -> float:
    """How much of an archive's sound is inside the excerpts, in all channels."""
    if excerpts is None:
        return archive.seconds
    bounds_s: dict[Recording, tuple[float, float]] = {}
    for part in archive.parts:
        begin_s = part.sound.start_ms[part.rows] / 1000
        end_s = begin_s + np.diff(part.sound.offsets)[part.rows] * FRAME_MS / 1000
        names = (archive.recordings[number] for number in part.recordings.tolist())
        bounds_s |= zip(names, zip(begin_s.tolist(), end_s.tolist(), strict=True), strict=True)
    cut = defaultdict[Recording, list[Excerpt]](list)
    for one in excerpts:
        first_s, last_s = bounds_s.get(one.recording, (0.0, 0.0))
        start_s = max(one.start_s, first_s)
        length_s = max(0.0, min(one.end_s, last_s) - start_s)
        cut[one.recording].append(Excerpt(one.recording, start_s, length_s))
    return sum(map(speech_s, cut.values()))


def _each(
    terms: Sequence[ExampleTerm],
    whole: SoundArchive,
    archive: SoundArchive,
    inside: Callable[[Spans], Bools],
    workers: Executor,
    advance: Callable[[float], None],
) -> Iterator[tuple[Spans, Float64s]]:
    """The places of each term in an archive, and their probabilities; examples are of the whole."""
    read = []  # all of them before the first search: a mistake in the last one costs no time
    for one in terms:
        named = zip(one.examples, one.names or one.examples, strict=True)
        read.append([read_example(text, whole, name) for text, name in named])
    given = [each_once(examples) for examples in read]
    every = [example for examples in given for example in examples]
    ranked = iter(best_places(every, archive, workers, inside, advance))
    sample = archive.sample()
    for examples in given:
        yield _found(examples, [*islice(ranked, len(examples))], archive, sample)


def _found(
    examples: Sequence[Example],
    ranked: Sequence[tuple[Spans, Float64s]],
    archive: SoundArchive,
    sample: UInt64s,
) -> tuple[Spans, Float64s]:
    """The places of a term, and their probabilities; of several examples, by all of them."""
    if len(examples) == 1:
        places, cost = ranked[0]
        costs = [cost]
    else:
        places = joined(ranked, examples, archive)
        costs = [costs_at(example, archive, places) for example in examples]
    stands = [standing(cost, own) for cost, (_, own) in zip(costs, ranked, strict=True)]
    nearness = usual_at(archive, places, sample) - np.mean(costs, axis=0)
    return places, probabilities(np.mean(stands, axis=0), nearness, len(examples))


def _variant(term: ExampleTerm) -> Variant:
    """What a person is told of how a term was found."""
    first, *others = term.names or term.examples
    more = f" and {len(others)} more" if others else ""
    return Variant((), 1.0, "example", f"sounds like {first}{more}")


def _candidates(term: int, places: Spans, probability: Float64s) -> Candidates:
    """The places of a term; the slots of words there are looked up for hits that are shown."""
    zeros = np.zeros(len(places.recording), np.int64)
    return Candidates(
        term=zeros + term,
        variant=zeros + term,
        recording=places.recording,
        start_ms=places.start_ms,
        end_ms=places.end_ms,
        probability=probability,
        family=zeros + term,
        first_slot=zeros - 1,
        last_slot=zeros - 1,
    )


def standing(costs: Float64s, ranked: Float64s) -> Float64s:
    """(n,) how many deviations places are better than those that are mostly wrong.

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
    """(n,) that a term is said in places, if it is said again.

    Args:
        stands: (n,) `standing` of each; of several examples the mean.
        nearness: (n,) by how much its cost is below that by chance; of several examples the mean.
        examples: how many there are: a place that several of them fit equally well is likelier.
    """
    log_odds = INTERCEPT + OF_STANDING * stands + OF_NEARNESS * nearness
    log_odds += OF_FURTHER_EXAMPLES * (1 - 1 / examples)
    return np.asarray(1 / (1 + np.exp(-log_odds)), np.float64)


def log_evidence(probability: Float64s) -> float:
    """Log evidence that a term is said again, against all its places being false alarms.

    If a place of a term that is said again is right with prior probability s and posterior
    probability p, its evidence is (1 - s) / (1 - p) times as likely as if the term were not said
    again. Over all n places, log(1 - s) adds up to the expected occurrences.

    Args:
        probability: (n,) `probabilities` of its places.
    """
    return float(-np.log1p(-np.minimum(probability, SURE)).sum() - EXPECTED)
