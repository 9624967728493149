"""The segments of one language, and the look-ups of terms there.

LanguageWords    made once, each part at its first use
counts           the count of each word
    generator        vocabulary, compounds, expansion (`searcher.terms.variants`)
    trigrams         spelling of its words, for `log_odds`
variants_in      the variants of written terms: the terms themselves, and for a word that the
                 segments lack, those of `searcher.terms.variants`
oov_words_in     words that no segment has in any spelling
    only_corrected   words that are in segments only as corrections: the recogniser lacks them
log_odds         the likely language of a term, by its letter trigrams

In an index of several languages an OOV German word has phonetic hits in English recordings, too.
The log probability of the term's letter trigrams in each language's vocabulary, minus that in the
likeliest language, is added to the log odds of such candidates. Names are about equally likely in
every language and keep their scores.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from searcher.index.copies import live_counts
from searcher.index.searched_speech import doubt
from searcher.index.stores import RecordingTable, speech_ms
from searcher.terms.request import Variant
from searcher.terms.vocabulary import of_counts, read, row_of
from std.config import Config
from std.corrections import CorrectedWord
from std.store import Segment
from std.values import Excerpt, Recording

if TYPE_CHECKING:
    from searcher.terms.variants import VariantGenerator

import numpy as np

from std.values import Float64s, Int64s

NOTHING: Mapping[str, tuple[str, ...]] = {}

WORD_START, WORD_END = "\x02\x02", "\x03"  # of a word
BITS = 21  # of a code point
SMOOTHING = 0.5  # added to each count
ALPHABET = 64  # approximate number of letters and marks at each position of a trigram
PER_NAT = 0.5  # log odds per nat, because overlapping trigrams count evidence more than once
MAX_LOG_ODDS = 4.0  # largest reduction by spelling


@dataclass(frozen=True, eq=False)
class LanguageWords:
    """The segments of one language; a word that they lack is OOV there."""

    language: str  # empty = unknown or not needed
    segments: tuple[Segment, ...]  # without copies
    rows: tuple[Int64s, ...]  # for each segment, the rows of its recordings in the table
    table: RecordingTable  # of the whole index; candidates point into it
    config: Config  # with this language
    folder: Path | None  # where the index lies, if in a folder
    certain: Mapping[Recording, Sequence[CorrectedWord]]  # words that people say were said

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The count of each word."""
        return live_counts(self.segments)

    @cached_property
    def known_words(self) -> frozenset[str]:
        """Those of ``[calibration] vocabulary``, which the recogniser knows; else none."""
        file = self.config.calibration.vocabulary
        return frozenset(read(Path(file), self.config.text).words) if file else frozenset()

    @cached_property
    def only_corrected(self) -> frozenset[str]:
        """Words that only corrections put into the index; for the recogniser they are OOV."""
        live = (words for one, words in self.certain.items() if one in self._speech_ms)
        corrected = Counter(word.word for words in live for word in words)
        standing = Counter[str]()  # not `counts`, which reads all columns after a correction
        for segment in self.segments if corrected else ():
            for word, postings in segment.postings(corrected).items():
                is_deleted = np.isin(postings.recording, [*segment.deleted])
                standing[word] += int(np.count_nonzero(~is_deleted))
        return frozenset(word for word, n in corrected.items() if standing[word] <= n)

    @cached_property
    def doubt(self) -> float:
        """One minus the mean posterior of one-best words, averaged over the recordings."""
        of_recordings = doubt(self.segments)
        return math.fsum(of_recordings.values()) / max(len(of_recordings), 1)

    def speech_s(self, excerpts: Sequence[Excerpt] | None) -> float:
        """The amount of speech in the recordings of excerpts, in seconds; None: all recordings."""
        if excerpts is None:
            return sum(self._speech_ms.values()) / 1000
        return sum(self._speech_ms.get(one, 0) for one in {e.recording for e in excerpts}) / 1000

    @cached_property
    def _speech_ms(self) -> Mapping[Recording, int]:
        return speech_ms(self.segments)

    @cached_property
    def generator(self) -> "VariantGenerator":
        """The vocabulary for splitting and expansion."""
        from searcher.terms.variants import VariantGenerator  # known words need no splitter

        counts = {word: n for word, n in self.counts.items() if word not in self.only_corrected}
        return VariantGenerator(of_counts(counts), self.config, self.folder)

    @cached_property
    def trigrams(self) -> Int64s:
        """The trigrams of its vocabulary (`searcher.terms.language_words`)."""
        return vocabulary_trigrams(list(self.counts))


def variants_in(
    terms: Sequence[tuple[str, ...]],
    language: LanguageWords,
    wildcards: Collection[str] = (),
    spelt: Mapping[str, tuple[str, ...]] = NOTHING,
) -> list[list[Variant]]:
    """The look-ups of each term; the vocabulary is built only if a term needs it.

    Args:
        language: the language, whose vocabulary and configuration determine splits and expansions.
        wildcards: words with *; a term with one is looked up as it is.
    """
    has_wildcard = [any(word in wildcards for word in words) for words in terms]
    others = [words for words, has in zip(terms, has_wildcard, strict=True) if not has]
    of_others = iter(_variants(others, language, spelt))
    return [
        [Variant(words, method="wildcard")] if has else next(of_others)
        for words, has in zip(terms, has_wildcard, strict=True)
    ]


def _variants(
    terms: Sequence[tuple[str, ...]], language: LanguageWords, spelt: Mapping[str, tuple[str, ...]]
) -> list[list[Variant]]:
    """The look-ups of terms without wildcards."""
    selected = {language.config.splitting.words, language.config.expansion.words}
    if selected == {"none"} or ("all" not in selected and not oov_words_in(terms, language, spelt)):
        return [[Variant(words)] for words in terms]
    generator = language.generator
    vocabulary = generator.vocabulary
    known = {word for word, same in spelt.items() if any(one in vocabulary for one in same)}
    return generator.variants(terms, known)


def oov_words_in(
    terms: Sequence[tuple[str, ...]],
    language: LanguageWords,
    spelt: Mapping[str, tuple[str, ...]],
) -> set[str]:
    """Words of the terms that the recogniser never wrote in any spelling."""
    oov_words = {word for words in terms for word in words}
    for segment in language.segments:
        vocabulary = segment.words()
        for word in list(oov_words):
            of_recogniser = {*spelt.get(word, (word,))} - language.only_corrected
            if any(row_of(same, vocabulary) is not None for same in of_recogniser):
                oov_words.remove(word)
    return oov_words


def log_odds(terms: Sequence[Sequence[str]], languages: Sequence[Int64s]) -> Float64s:
    """(terms, languages) the addition to the log odds of a term in each language: 0 or less.

    Args:
        languages: the trigrams of each one's vocabulary, ascending (`vocabulary_trigrams`).
    """
    of_term = [_trigrams(words) for words in terms]
    every = np.concatenate([np.empty(0, np.int64), *of_term])
    distinct, row = np.unique(every, return_inverse=True)
    term = np.repeat(np.arange(len(terms)), [len(one) for one in of_term])
    logs = np.zeros((len(terms), len(languages)))
    for column, trigrams in enumerate(languages):
        three, two = _count(distinct, trigrams), _count(distinct >> BITS, trigrams >> BITS)
        nats = np.log((three + SMOOTHING) / (two + SMOOTHING * ALPHABET))
        logs[:, column] = np.bincount(term, nats[row], minlength=len(terms))
    behind = logs.max(axis=1, keepdims=True) - logs
    odds: Float64s = -np.minimum(PER_NAT * behind, MAX_LOG_ODDS)
    return odds


def vocabulary_trigrams(words: Sequence[str]) -> Int64s:
    """The trigrams of the different words of a language, ascending."""
    return np.sort(_trigrams(words))


def _trigrams(words: Sequence[str]) -> Int64s:
    """The trigrams of words, their ends included, as numbers."""
    if not words:
        return np.empty(0, np.int64)
    text = WORD_START + (WORD_END + WORD_START).join(words) + WORD_END
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.int64)
    trigrams: Int64s = (codes[:-2] << 2 * BITS) | (codes[1:-1] << BITS) | codes[2:]
    over = (
        (codes[:-2] == ord(WORD_END))
        | (codes[1:-1] == ord(WORD_END))
        | (codes[2:] == ord(WORD_START[0]))
    )
    kept: Int64s = trigrams[~over]
    return kept


def _count(numbers: Int64s, among: Int64s) -> Int64s:
    """(n,) the count of each number among sorted ones."""
    first = np.searchsorted(among, numbers, "left")
    count: Int64s = np.searchsorted(among, numbers, "right") - first
    return count
