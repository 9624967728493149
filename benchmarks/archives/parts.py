"""An archive in parts: one of ten thousand hours does not fit into memory.

    Parts        what is said and heard, a part at a time
    Said         how often: counted, part by part
    occurrences  where terms are said, with the recordings of all parts
    networks     what a recogniser makes of each part
    indexed      its index: a segment of each

Each part has recordings and chances of its own; words, what unknown ones are heard as, and the
recogniser are those of the whole. A part is made anew each time that it is needed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.archives import slots
from benchmarks.archives.mishearings import Heard
from benchmarks.archives.slots import Recognise, recognised
from benchmarks.archives.speech import SimulatedSpeech
from benchmarks.archives.words import Ints, Words
from indexer.networks.utterances import Utterances
from std.config import Config
from std.matching.occurrences import Occurrences
from std.store import Segment, open_store

Phrase = Sequence[int]  # rows of words
COLUMNS = ("term", "recording", "start_s", "end_s", "first_end_s", "first_word", "last_word")


@dataclass(frozen=True, eq=False)
class Parts:
    """What is said and heard, a part at a time."""

    words: Words
    make: Sequence[Callable[[], Heard]]

    def __iter__(self) -> Iterator[Heard]:
        """Make one after the other."""
        return (make() for make in self.make)


class Said(NamedTuple):
    """How often words, and pairs of them, are said."""

    words: Words
    hours: float  # of speech, pauses left out
    counts: Ints  # (words,)
    misheard: Ints  # (words,) heard where another word was said
    pairs: Ints  # (pairs,) first * len(words) + second, ascending, both known; in one utterance
    pair_counts: Ints  # (pairs,)


def said_in(parts: Parts) -> Said:
    """Count the words of all parts."""
    words, n = parts.words, len(parts.words.words)
    counts, misheard = np.zeros(n, np.int64), np.zeros(n, np.int64)
    pairs, pair_counts, hours = np.empty(0, np.int64), np.empty(0, np.int64), 0.0
    for one in parts:
        speech = one.speech
        hours += speech.hours
        counts += speech.counts
        misheard += np.bincount(one.word[one.is_misheard], minlength=n)
        first, second = speech.word[:-1], speech.word[1:]
        both = words.known[first] & words.known[second] & (np.diff(speech.utterance) == 0)
        codes, numbers = np.unique(first[both] * n + second[both], return_counts=True)
        pairs, of_code = np.unique(np.append(pairs, codes), return_inverse=True)
        totals = np.bincount(of_code, np.append(pair_counts, numbers), len(pairs))
        pair_counts = totals.astype(np.int64)
    return Said(words, hours, counts, misheard, pairs, pair_counts)


def occurrences(phrases: Sequence[Phrase], parts: Parts) -> Occurrences:
    """Where terms are said.

    Args:
        phrases: of each term.
        parts: of the archive.
    """
    made = [_occurrences(phrases, one.speech) for one in parts]
    columns = {name: np.concatenate([getattr(one, name) for one in made]) for name in COLUMNS}
    first = np.cumsum([0, *(len(one.recordings) for one in made)], dtype=np.int32)
    columns["recording"] += np.repeat(first[:-1], [len(one) for one in made])
    order = np.argsort(columns["term"], kind="stable")
    return Occurrences(
        tuple(recording for one in made for recording in one.recordings),
        **{name: column[order] for name, column in columns.items()},
    )


def of_terms(every: Occurrences, terms: range) -> Occurrences:
    """Those of some terms in a row, numbered from 0."""
    rows = np.flatnonzero((every.term >= terms.start) & (every.term < terms.stop))
    columns = {name: getattr(every, name)[rows] for name in COLUMNS}
    columns["term"] = columns["term"] - np.int32(terms.start)
    return Occurrences(every.recordings, **columns)


def _occurrences(phrases: Sequence[Phrase], speech: SimulatedSpeech) -> Occurrences:
    firsts = [speech.occurrences(phrase) for phrase in phrases]
    first = np.concatenate(firsts)
    term = np.repeat(np.arange(len(phrases)), [len(rows) for rows in firsts]).astype(np.int32)
    last = first + np.array([len(phrase) - 1 for phrase in phrases])[term]
    return Occurrences(
        speech.recordings,
        term,
        speech.recording_of[speech.utterance[first]].astype(np.int32),
        speech.start_ms[first] / 1000,
        speech.end_ms[last] / 1000,
        speech.end_ms[first] / 1000,
        first.astype(np.int32),
        last.astype(np.int32),
    )


def networks(
    parts: Parts, recognise: Recognise, seed: int, *, times_estimated: bool
) -> Iterator[Utterances]:
    """What a recogniser makes of each part; see `recognised`."""
    for number, one in enumerate(parts):
        yield recognised(one, recognise, seed + number, times_estimated=times_estimated)


def indexed(
    made: Iterable[Utterances], n_parts: int, config: Config, folder: Path
) -> Sequence[Segment]:
    """A segment of each part; of several parts in a folder."""
    segments = (slots.indexed(one, config) for one in made)
    if n_parts == 1:
        return [*segments]
    store = open_store(str(folder), create=True)
    with store.writing():
        for segment in segments:
            store.commit([segment.columns()], normalisation=config.text)
    return store.segments()
