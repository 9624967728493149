"""What is said in a simulated archive: words by their frequency, or a text.

    drawn        words in any order
    of_text      the words of a text, in its order
    with_names   names are put into it, each so many times
    occurrences  where a word or phrase is said

62 ms a letter and 90 a word, with a deviation of a fifth; utterances of 26 words, or lines of the
text; an hour to a recording.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from benchmarks.archives.words import Ints, Words
from std.values import Recording

WORDS_AN_UTTERANCE = 26
MS_A_WORD, MS_A_LETTER, DEVIATION, PAUSE_MS = 90, 62, 0.2, 500
HOUR_MS = 3_600_000


@dataclass(frozen=True, eq=False)
class SimulatedSpeech:
    """Words in the order in which they are said."""

    words: Words
    word: Ints  # (n,) row of the words
    utterance: Ints  # (n,) ascending
    start_ms: Ints  # (n,) in its recording
    end_ms: Ints  # (n,)
    recording_of: Ints  # (utterances,)
    first_hour: int = 0  # in the archive, if this is a part of it

    @property
    def hours(self) -> float:
        """Of speech, pauses left out."""
        return float((self.end_ms - self.start_ms).sum() / HOUR_MS)

    @cached_property
    def recordings(self) -> tuple[Recording, ...]:
        """In the order of their names."""
        hours = self.first_hour + np.arange(int(self.recording_of[-1]) + 1)
        return tuple(Recording(f"HOUR_{hour:05d}", 1) for hour in hours.tolist())

    @cached_property
    def counts(self) -> Ints:
        """(words,) how often each is said."""
        return np.bincount(self.word, minlength=len(self.words.words))

    @cached_property
    def _by_word(self) -> tuple[Ints, Ints]:
        order = np.argsort(self.word, kind="stable")
        return order, np.concatenate([[0], np.cumsum(self.counts)])

    def occurrences(self, phrase: Sequence[int]) -> Ints:
        """Rows where the words of a phrase follow each other; of its first word."""
        order, bounds = self._by_word
        rows = order[bounds[phrase[0]] : bounds[phrase[0] + 1]]
        for step, word in enumerate(phrase[1:], start=1):
            rows = rows[rows + step < len(self.word)]
            follows = self.word[rows + step] == word
            rows = rows[follows & (self.utterance[rows + step] == self.utterance[rows])]
        return rows


def drawn(words: Words, hours: float, seed: int) -> SimulatedSpeech:
    """Words by their frequency, in any order."""
    rng = np.random.default_rng((seed, 2))
    letters = np.array([len(word) for word in words.words])
    mean_ms = MS_A_WORD + MS_A_LETTER * float(letters @ words.share)
    n = max(WORDS_AN_UTTERANCE, round(hours * HOUR_MS / mean_ms))
    word = np.searchsorted(np.cumsum(words.share), rng.random(n)).clip(max=len(letters) - 1)
    return timed(words, word, np.arange(n) // WORDS_AN_UTTERANCE, rng)


def of_text(words: Words, utterances: Sequence[Sequence[str]], seed: int) -> SimulatedSpeech:
    """A text, without its utterances that have a word which is never said."""
    row_of = {word: row for row, word in enumerate(words.words)}
    unwanted = {words.words[row] for row in (*words.absent_usual, *words.absent_rare, *words.names)}
    said = [some for some in utterances if unwanted.isdisjoint(some)]
    word = np.array([row_of[one] for some in said for one in some])
    utterance = np.repeat(np.arange(len(said)), [len(some) for some in said])
    return timed(words, word, utterance, np.random.default_rng((seed, 2)))


def timed(words: Words, word: Ints, utterance: Ints, rng: np.random.Generator) -> SimulatedSpeech:
    """The words on a clock."""
    letters = np.array([len(one) for one in words.words])[word]
    spread = np.exp(DEVIATION * rng.standard_normal(len(word)))
    duration_ms = ((MS_A_WORD + MS_A_LETTER * letters) * spread).astype(np.int64)
    first = np.flatnonzero(np.diff(utterance, prepend=-1))
    end_ms = np.cumsum(duration_ms) + PAUSE_MS * utterance
    start_ms = end_ms - duration_ms
    recording_of = start_ms[first] // HOUR_MS
    begin_ms = start_ms[first][np.searchsorted(recording_of, np.arange(recording_of[-1] + 1))]
    offset_ms = begin_ms[recording_of][utterance]
    return SimulatedSpeech(
        words, word, utterance, start_ms - offset_ms, end_ms - offset_ms, recording_of
    )


def with_names(speech: SimulatedSpeech, times: Sequence[int], seed: int) -> SimulatedSpeech:
    """Each name is said so many times, in place of words by chance.

    Args:
        times: (names,) of ``speech.words.names``; their sum is at most half of the words.
    """
    rng = np.random.default_rng((seed, 3))
    places = rng.choice(len(speech.word), sum(times), replace=False)
    word = speech.word.copy()
    word[places] = np.repeat(speech.words.names[: len(times)], times)
    return replace(speech, word=word)
