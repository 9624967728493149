"""The frozen values that two or more packages pass to each other.

Recogniser side (time in integer milliseconds):
    ConfusionNetwork   one utterance as consecutive slots of alternative words
    Recording          one channel of one audio file

Evaluation side (time in float seconds, exactly as the NIST files write it, because rounding
could flip a pair that lies at the matching limit):
    Term, TermList     the queries of a search
    ECF, Excerpt       the stretches of recordings that are searched and scored
    Lexemes            the reference transcript's words, as columns
    Detections         a system's hits, as columns;  STDList is their file

Frozen means the arrays as well. Comparing arrays with ``==`` is a trap, so values that hold
arrays compare by identity.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

UInt8s = npt.NDArray[np.uint8]
UInt16s = npt.NDArray[np.uint16]
UInt32s = npt.NDArray[np.uint32]
UInt64s = npt.NDArray[np.uint64]
Int16s = npt.NDArray[np.int16]
Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]
Integers = npt.NDArray[np.integer]  # of any size
Indices = npt.NDArray[np.intp]  # as numpy's functions return them
Float16s = npt.NDArray[np.float16]
Float32s = npt.NDArray[np.float32]
Float64s = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Column = npt.NDArray[np.generic]  # of any type

# Who asks. ``adhoc``: a person, for terms one by one; ``*`` stands for any letters of a word,
# letters without accents for accented ones, and the terms may not be said at all. ``list``: an
# evaluation, for terms as they are spelt; how many of them are said is evidence for each.
SearchMode = Literal["adhoc", "list"]


class Recording(NamedTuple):
    """One channel of one audio file, by the name the ECF uses (no folder, no extension)."""

    file: str
    channel: int


def freeze(value: object) -> None:
    """Make every array field of a dataclass read-only: the value owns them now."""
    for name in value.__dataclass_fields__:  # type: ignore[attr-defined]  # any dataclass instance
        array = getattr(value, name)
        if isinstance(array, np.ndarray):
            array.flags.writeable = False


class Alternative(NamedTuple):
    """One word that may have been said in a slot."""

    word: str
    posterior: float
    start_ms: int
    end_ms: int


class Slot(NamedTuple):
    """Competing words in one time span; ``epsilon`` is the posterior of 'no word here'."""

    start_ms: int
    end_ms: int
    epsilon: float
    alternatives: list[Alternative]


@dataclass(frozen=True, slots=True, eq=False)
class ConfusionNetwork:
    """One utterance as consecutive slots, in CSR layout.

    Slot i owns alternatives ``offsets[i]:offsets[i + 1]``. Alternatives keep their own times,
    which differ from their slot's where a word straddles slots. Indexing an utterance is a few
    array passes; iterate where a human-sized view of a slot is handier.

    Raises:
        ValueError: the columns do not fit each other.
    """

    recording: Recording
    utterance: str
    start_ms: int
    end_ms: int
    slot_spans_ms: Int32s  # (n, 2) start, end; starts ascending
    epsilons: Float32s  # (n,) posterior of 'no word', in [0, 1]
    offsets: Int32s  # (n + 1,) offsets[0] == 0, ascending
    words: tuple[str, ...]  # (m,)
    posteriors: Float32s  # (m,) each in (0, 1]
    spans_ms: Int32s  # (m, 2) start, end of each alternative
    times_estimated: bool = False  # slot times are interpolated, not the recogniser's
    language: str = ""  # name or code, where the recogniser's output says it
    speaker: str = ""  # who spoke, where the recogniser's output says it
    # (n,) largest error of each slot's times; None: `times_estimated` holds for all slots
    slot_errors_ms: Int32s | None = None

    def __post_init__(self) -> None:
        n, m = len(self.epsilons), len(self.words)
        if self.slot_errors_ms is not None and self.slot_errors_ms.shape != (n,):
            raise ValueError(f"{self.utterance}: errors of times do not fit {n} slots")
        if self.slot_spans_ms.shape != (n, 2) or self.spans_ms.shape != (m, 2):
            raise ValueError(f"{self.utterance}: spans do not fit {n} slots, {m} alternatives")
        if self.offsets.shape != (n + 1,) or self.offsets[0] != 0 or self.offsets[-1] != m:
            raise ValueError(f"{self.utterance}: offsets do not fit {n} slots, {m} alternatives")
        if self.posteriors.shape != (m,):
            raise ValueError(f"{self.utterance}: {m} words, {len(self.posteriors)} posteriors")
        freeze(self)

    def __len__(self) -> int:
        return len(self.epsilons)

    def __iter__(self) -> Iterator[Slot]:
        arcs = list(
            map(Alternative, self.words, self.posteriors.tolist(), *self.spans_ms.T.tolist())
        )
        bounds = self.offsets.tolist()
        for i, (start, end) in enumerate(self.slot_spans_ms.tolist()):
            yield Slot(start, end, float(self.epsilons[i]), arcs[bounds[i] : bounds[i + 1]])


@dataclass(frozen=True, slots=True)
class Term:
    """A word or phrase to search for, with the evaluator's attributes (``OOV``, ``Words``, ...)."""

    term_id: str
    text: str
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TermList:
    """A term list file: TERMLIST of 2006 or KWLIST of 2013."""

    terms: tuple[Term, ...]
    ecf_filename: str = ""
    language: str = ""
    version: str = ""
    encoding: str = "UTF-8"  # UTF-8 or GB2312: how the reference transcript is encoded
    compare_normalize: str = "lowercase"  # "lowercase" or "" (compare as written)
    # Where a table had the terms, as people are told it: "column Name"; empty: it was no table.
    column: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A stretch of a recording that is searched and scored; one line of an ECF."""

    recording: Recording
    start_s: float
    duration_s: float
    source_type: str = "bnews"  # bnews, cts, splitcts or confmtg
    language: str = ""

    @property
    def end_s(self) -> float:
        """End, rounded to 0.1 ms as NIST's scorer does."""
        return round(self.start_s + self.duration_s, 4)


@dataclass(frozen=True, slots=True)
class ECF:
    """An experiment control file: which speech is searched and scored."""

    excerpts: tuple[Excerpt, ...]
    source_signal_duration_s: float = 0.0  # as written; NIST's scorer never uses it
    language: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Lexemes:
    """The words of a reference transcript (RTTM LEXEME records), in file order.

    ``recordings`` and ``speakers`` are tables that the two index columns point into.
    """

    recordings: tuple[Recording, ...]
    speakers: tuple[str, ...]
    recording: Int32s  # (n,) index into recordings
    speaker: Int32s  # (n,) index into speakers
    start_s: Float64s  # (n,)
    duration_s: Float64s  # (n,)
    words: tuple[str, ...]  # (n,)
    subtypes: tuple[str, ...]  # (n,) lex, fp, frag, un-lex, for-lex, alpha, acronym, ...

    def __post_init__(self) -> None:
        columns = (self.recording, self.speaker, self.start_s, self.duration_s, self.subtypes)
        if any(len(column) != len(self.words) for column in columns):
            raise ValueError("the columns of a transcript differ in length")
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class Detections:
    """A system's hits as columns, which point into the tables ``terms`` and ``recordings``.

    A hit has up to two numbers: the score, on a scale where one threshold decides for all terms,
    and the probability that it is right.
    """

    terms: tuple[str, ...]  # term ids
    recordings: tuple[Recording, ...]
    term: Int32s  # (n,) index into terms
    recording: Int32s  # (n,) index into recordings
    start_s: Float64s  # (n,)
    duration_s: Float64s  # (n,)
    score: Float64s  # (n,)
    yes: Bools  # (n,) the system's decision
    probability: Float64s | None = None  # (n,) of being right; None: not known apart from the score

    def __post_init__(self) -> None:
        columns = (self.recording, self.start_s, self.duration_s, self.score, self.yes)
        second = () if self.probability is None else (self.probability,)
        if any(len(column) != len(self.term) for column in (*columns, *second)):
            raise ValueError("the columns of a hit list differ in length")
        freeze(self)

    def __len__(self) -> int:
        return len(self.term)


def ranges(first: Int64s, last: Int64s) -> tuple[Int64s, Int64s]:
    """All (i, row) with first[i] <= row < last[i].

    >>> [column.tolist() for column in ranges(np.array([7, 0]), np.array([9, 1]))]
    [[0, 0, 1], [7, 8, 0]]
    """
    counts = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(first)), counts)
    within = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    return which, first[which] + within


@dataclass(frozen=True, slots=True)
class TermSearch:
    """Time and out-of-vocabulary words of one term's search, as the hit list gives them."""

    search_time_s: float = 0.0
    oov_count: int | None = None  # words of the term unknown to the recogniser; None = NA


@dataclass(frozen=True, slots=True, eq=False)
class STDList:
    """A hit list file: STDLIST of 2006 or KWSLIST of 2013.

    ``searches[i]`` belongs to ``detections.terms[i]``.
    """

    detections: Detections
    searches: tuple[TermSearch, ...]
    term_list_filename: str = ""
    language: str = ""
    system_id: str = ""
    indexing_time_s: float = 0.0
    index_size_bytes: float = 0.0
    score_range: tuple[float, float] | None = None  # the 2013 dialect's min_score, max_score
    default_score: float | None = None  # score of a place without a hit; None: not given
    # probability of a place without a hit, in lists with scores and probabilities; None: not given
    default_probability: float | None = None
