"""Phonetic search for terms: words and phonetic indexes in, hits as candidates out.

open_phonetic_indexes   the segments of a language that have phones, and their pronouncer
pronounced              the phones of each term (`std.phonetics.lexicon`)
phonetic_hits           their hits (`searcher.phonetic.search`)
hits_as_candidates      hits as candidates, with the words that stand there
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from searcher.calibration.model import Model
from searcher.candidates import Candidates
from searcher.phonetic.alignment import Hits
from searcher.phonetic.index import PhoneticIndex, open_phonetic_index
from searcher.phonetic.layout import SCORE
from searcher.phonetic.ratios import confusion_log_ratios, perfect_score
from searcher.phonetic.search import search_phones
from searcher.variant import Variant
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.languages.detection import of_segment
from std.phonetics.confusion import Counts, empty
from std.phonetics.lexicon import Lexicon, lexicon_for, lexicon_of
from std.phonetics.phones import Pronunciation
from std.store import Segment, vocabulary_counts
from std.store.columns import Int64s
from std.values import Bools, Float64s, Recording

MIN_PHONES = 3  # shorter queries fit everywhere
MAX_PHONES = 200
MAX_PRONUNCIATIONS = 4  # of a term

Inside = Callable[[Int64s, Int64s, Int64s], Bools]  # recording, start_ms, end_ms -> (n,)


@dataclass(frozen=True, eq=False)
class PhoneticIndexes:
    """The segments of a language that have phones of one pronouncer."""

    indexes: tuple[PhoneticIndex, ...]  # one per segment
    recordings: tuple[Int64s, ...]  # of each index: its recordings' rows in the search's table
    lexicon: Lexicon
    model: Model | None  # None without one of this pronouncer

    @property
    def pronouncer(self) -> str:
        """Of all segments."""
        return self.indexes[0].pronouncer

    @property
    def confusion_counts(self) -> Counts:
        """What the model counted; nothing without one."""
        return self.model.confusion if self.model else empty([])


class PhoneticHits(NamedTuple):
    """The hits of one term, best first; their recordings are rows of the search's table."""

    hits: Hits
    phones: Pronunciation
    perfect: float  # score of the phones recognised one for one

    @property
    def best_share(self) -> float:
        """Of a perfect score, what the best hit has."""
        return float(self.hits.measures[:, SCORE].max(initial=0.0)) / max(self.perfect, 1e-9)


def pronounced(terms: Sequence[Sequence[str]], lexicon: Lexicon) -> list[list[Pronunciation]]:
    """The pronunciations of each term: those of its words in a row, the likeliest first.

    Empty where a word has none, or where the phones are too few or too many to be searched for.
    """
    every = [word for words in terms for word in words]
    of_word = dict(zip(every, lexicon.pronunciations(every), strict=True))
    of_term = []
    for words in terms:
        pronunciations: list[Pronunciation] = []
        for parts in product(*(of_word[word] for word in words)):
            phones = tuple(phone for part in parts for phone in part)
            if MIN_PHONES <= len(phones) <= MAX_PHONES:
                pronunciations.append(phones)
            if len(pronunciations) == MAX_PRONUNCIATIONS:
                break
        of_term.append(pronunciations)
    return of_term


def phonetic_hits(
    pronunciations: Sequence[Sequence[Pronunciation]],
    phonetic: PhoneticIndexes,
    inside: Inside,
    workers: Executor = IN_PROCESS,
) -> list[PhoneticHits | None]:
    """The hits of each term: those of the pronunciation whose best hit fits best.

    Args:
        pronunciations: of each term.
        phonetic: indexes of the segments.
        inside: which hits lie inside the speech that is searched.
        workers: who searches the segments.

    Returns:
        for each term its hits, None without a pronunciation.
    """
    counts = phonetic.confusion_counts
    queries = list(dict.fromkeys(phones for of_term in pronunciations for phones in of_term))
    confusion = confusion_log_ratios(counts, phonetic.indexes, queries)
    hits = {
        phones: PhoneticHits(
            _inside(found, phonetic, inside), phones, perfect_score(phones, confusion)
        )
        for phones, found in search_phones(queries, phonetic.indexes, confusion, workers).items()
    }
    return [
        max((hits[phones] for phones in of_term), key=lambda one: one.best_share, default=None)
        for of_term in pronunciations
    ]


def _inside(hits: Hits, phonetic: PhoneticIndexes, inside: Inside) -> Hits:
    """Those inside the searched speech, with their recordings' rows in the search's table."""
    recording = hits.recording.copy()
    for i, rows in enumerate(phonetic.recordings):
        in_segment = hits.segment == i
        recording[in_segment] = rows[hits.recording[in_segment]]
    hits = hits._replace(recording=recording)
    return hits.rows(np.flatnonzero(inside(recording, hits.start_ms, hits.end_ms)))


def open_phonetic_indexes(
    segments: Sequence[Segment],
    row_of: Mapping[Recording, int],
    config: Config,
    model: Model | None,
) -> tuple[PhoneticIndexes | None, tuple[str, ...]]:
    """Open the segments of one language that have phones, of the pronouncer of most alternatives.

    Args:
        segments: of one language.
        row_of: row of each recording in the search's table.
        config: of the language.
        model: left out if it is of another pronouncer.

    Returns:
        None if no segment has phones; and the languages of the segments without phones of that
        pronouncer (indexed without any, or with another pronouncer).

    Raises:
        ConfigError: the index's pronouncer is not installed.
        StoreError: phone columns are damaged.
    """
    live = [segment for segment in segments if len(segment.deleted) < len(segment.recordings)]
    opened = [(open_phonetic_index(segment), segment) for segment in live]
    arcs: Counter[str] = Counter()
    for index, _ in opened:
        if index:
            arcs[index.pronouncer] += index.arcs
    if not arcs:
        return None, tuple(of_segment(segment) for _, segment in opened)
    pronouncer = min(arcs, key=lambda name: (-arcs[name], name))
    usable = [
        (index, segment) for index, segment in opened if index and index.pronouncer == pronouncer
    ]
    phonetic = PhoneticIndexes(
        tuple(index for index, _ in usable),
        tuple(
            np.array([row_of[one.recording] for one in segment.recordings], dtype=np.int64)
            for _, segment in usable
        ),
        lexicon_of(pronouncer, config.pronunciation, config.text),
        model if model and model.pronouncer == pronouncer else None,
    )
    others = [
        segment for index, segment in opened if index is None or index.pronouncer != pronouncer
    ]
    return phonetic, tuple(of_segment(segment) for segment in others)


def lexicon_of_index(segments: Sequence[Segment], config: Config) -> Lexicon:
    """The lexicon of the index's pronouncer, or of its words' language if it has no phones.

    Raises:
        ConfigError: the pronouncer is not installed, or the language is not recognisable.
    """
    for segment in segments:
        if (pronouncer := segment.extra("phone_maker")) is not None:
            return lexicon_of(bytes(pronouncer).decode(), config.pronunciation, config.text)
    return lexicon_for(config.pronunciation, config.text, lambda: vocabulary_counts(segments))


def hits_as_candidates(
    term: int,
    term_hits: PhoneticHits,
    probability: Float64s,
    phonetic: PhoneticIndexes,
    table: list[Variant],
) -> Candidates:
    """Hits as candidates, each with a variant that says which words stand there.

    Args:
        term: row of the term.
        term_hits: its hits.
        probability: (n,) of each.
        phonetic: indexes of the segments.
        table: variants; those of the hits are appended.
    """
    hits, first = term_hits.hits, len(table)
    phones = " ".join(term_hits.phones)
    scores = hits.measures[:, SCORE].tolist()
    for segment, path, score in zip(
        hits.segment.tolist(), hits.paths.tolist(), scores, strict=True
    ):
        words = tuple(phonetic.indexes[segment].words[word] for word in path if word >= 0)
        similarity = min(1.0, score / max(term_hits.perfect, 1e-9))
        table.append(Variant(words, similarity, "sound", f"{phones} heard in {' '.join(words)!r}"))
    numbers = np.arange(first, first + len(probability))
    return Candidates(
        term=np.full(len(probability), term),
        variant=numbers,
        recording=hits.recording,
        start_ms=hits.start_ms,
        end_ms=hits.end_ms,
        score=probability,
        family=numbers,
        first_slot=hits.first_slot,
        last_slot=hits.last_slot,
    )
