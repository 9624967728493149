"""Simulated recognisers: what they make of the words of a text.

Both know words of the text and of a set's networks, without the set's terms' own out-of-vocabulary
words, and write the posteriors of the set's own slots. They differ in their mistakes:

    RightByConstruction   what was said stands at each rank as often as the rank's posterior says,
                          or nowhere; a word that it does not know is always the one that is spelt
                          most alike, with the posteriors that a known word would have
    RealMistakes          known words get slots where the set's recogniser heard known words, others
                          slots where it heard words that it does not know; what was said stands
                          where it stood there, or nowhere. So it is wrong as often as the real one
                          and as sure of it. It knows so many of the most usual words of TEXT

Wrong words are spelt alike, as often as the text has them, or any words of the text.

In the three sets that haystacks are made of, wrong words that stand first have a mean posterior of
.64 to .72 where a known word was said, .69 to .79 elsewhere, right ones .91 to .96; a word that is
said three times and more and not known becomes the same word in 1 to 12 of 100 pairs of its places.
Wrong words share .47 to .57 of their letters, in order, with what was said (`difflib`): half of
those that `RealMistakes` draws are spelt alike, which gives .45 to .50.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from benchmarks.calibration import Material
from benchmarks.simulated_speech import WORD, Slot
from searcher.tuning.labels import make_transcript
from std.values import Float64s

ALIKE, AT_ONCE = 20, 500
RARE = 0.02  # occurrences of a word that the text does not have
SPELT_ALIKE = 0.5  # share of the wrong words of `RealMistakes`
NOWHERE = -1


class Vocabulary(NamedTuple):
    """The words that a recogniser knows."""

    words: Sequence[str]  # most usual first
    cumulative: Float64s  # (words,) of their shares of the text
    alike: dict[str, tuple[Sequence[str], Float64s]]  # word of the text -> words, their weights

    def drawn(self, draw: float) -> str:
        """A word, as often as the text has it."""
        return self.words[int(np.searchsorted(self.cumulative, draw))]


class RealSlot(NamedTuple):
    """A slot of a real network."""

    posteriors: Float64s  # (alternatives,)
    epsilon: float  # posterior of no word
    rank: int  # of what was said there, or NOWHERE

    def filled(self, rank: int, written: str, wrong: Callable[[], str]) -> Slot:
        """The same posteriors for other words: one at a rank, and others, each drawn."""
        slot: dict[str, float] = {}
        for place, posterior in enumerate(self.posteriors.tolist()):
            slot.setdefault(written if place == rank else wrong(), posterior)
        return Slot(slot, self.epsilon)


def vocabulary(
    spoken: Sequence[Sequence[str]], usual: Collection[str], one: Material
) -> Vocabulary:
    """The words that a recogniser knows, and which of them are spelt as those of the text.

    Args:
        spoken: words of each utterance.
        usual: words that it knows beside those of the set's networks.
        one: the set.
    """
    counts = Counter(word for line in spoken for word in line)
    of_networks = {word for network in one.data.networks for word in network.words}
    of_terms = {
        word for term in one.data.terms.terms for word in one.config.text.phrase(term.text)
    } - of_networks
    words = sorted(({*usual} | of_networks) - of_terms, key=lambda word: (-counts[word], word))
    share = np.array([counts[word] + RARE for word in words])
    share /= share.sum()
    share_of = dict(zip(words, share.tolist(), strict=True))
    alike = {
        word: (
            [other for other, _ in found],
            np.cumsum([similarity**4 * share_of[other] for other, similarity in found]),
        )
        for word, found in spelt_alike(sorted(counts), words)
        if found
    }
    return Vocabulary(words, np.cumsum(share) / share.sum(), alike)


def spelt_alike(
    words: Sequence[str], vocabulary: Sequence[str]
) -> Iterator[tuple[str, list[tuple[str, float]]]]:
    """For each word the others of the vocabulary that share most letter groups, nearest first."""
    groups = HashingVectorizer(
        analyzer="char_wb", ngram_range=(2, 3), n_features=2**18, alternate_sign=False
    )
    table = groups.transform(vocabulary).T.tocsc()
    for first in range(0, len(words), AT_ONCE):
        some = words[first : first + AT_ONCE]
        similarity = (groups.transform(some) @ table).tocsr()
        for row, word in enumerate(some):
            span = slice(similarity.indptr[row], similarity.indptr[row + 1])
            number, value = similarity.indices[span], similarity.data[span]
            best = np.argsort(-value, kind="stable")[: ALIKE + 1]
            found = [
                (vocabulary[i], float(s)) for i, s in zip(number[best], value[best], strict=True)
            ]
            yield word, [(other, s) for other, s in found if other != word]


@dataclass(frozen=True)
class RightByConstruction:
    """Its posteriors are right, as far as it knows the words."""

    vocabulary: Vocabulary
    known: frozenset[str]
    slots: Sequence[RealSlot]  # their ranks do not matter
    scale: float  # of weights; one for all: of two words each is taken for the other equally often

    @classmethod
    def of(cls, spoken: Sequence[Sequence[str]], one: Material) -> "RightByConstruction":
        """It knows the words that are said at least twice."""
        counts = Counter(word for line in spoken for word in line)
        words = vocabulary(spoken, {word for word, n in counts.items() if n > 1}, one)
        weights = [
            words.alike[said][1][-1] for line in spoken for said in line if said in words.alike
        ]
        slots = [
            RealSlot(network.posteriors[first:last].astype(np.float64), float(epsilon), NOWHERE)
            for network in one.data.networks
            for (first, last), epsilon in zip(
                pairwise(network.offsets.tolist()), network.epsilons, strict=True
            )
        ]
        return cls(words, frozenset(words.words), slots, float(np.quantile(weights, 0.9)))

    def __call__(self, said: Sequence[str], rng: np.random.Generator) -> list[Slot]:
        """A slot for each word."""
        first = int(rng.integers(len(self.slots) - len(said)))
        return [self._slot(word, self.slots[first + i], rng) for i, word in enumerate(said)]

    def _slot(self, said: str, real: RealSlot, rng: np.random.Generator) -> Slot:
        share = rng.random() * (real.posteriors.sum() + real.epsilon)
        rank = int(np.searchsorted(np.cumsum(real.posteriors), share))
        return real.filled(
            rank, self._written(said), lambda: self._wrong(said, *rng.random(2).tolist())
        )

    def _written(self, said: str) -> str:
        if said in self.known:
            return said
        alike = self.vocabulary.alike.get(said)
        return alike[0][0] if alike else self.vocabulary.words[0]

    def _wrong(self, said: str, draw: float, other: float) -> str:
        words, weights = self.vocabulary.alike.get(said, ((), np.empty(0)))
        if not words:
            return self.vocabulary.drawn(other)
        row = int(np.searchsorted(weights / max(self.scale, weights[-1]), draw))
        return words[row] if row < len(words) else self.vocabulary.drawn(other)


@dataclass(frozen=True)
class RealMistakes:
    """Its mistakes are those of a real recogniser."""

    vocabulary: Vocabulary
    known: frozenset[str]
    of_known: Sequence[RealSlot]  # in their order
    of_unknown: Sequence[RealSlot]

    @classmethod
    def of(
        cls, spoken: Sequence[Sequence[str]], text: Path, size: int, one: Material
    ) -> "RealMistakes":
        """It knows the so many most usual words of the whole text."""
        counts = Counter(WORD.findall(text.read_text(encoding="utf-8").lower()))
        words = vocabulary(spoken, [word for word, _ in counts.most_common(size)], one)
        known = frozenset(words.words)
        said_at = list(slots_with_words(one))
        return cls(
            words,
            known,
            [slot for said, slot in said_at if said in known],
            [slot for said, slot in said_at if said not in known],
        )

    def __call__(self, said: Sequence[str], rng: np.random.Generator) -> list[Slot]:
        """A slot for each word."""
        known, unknown = (
            islice(cycle(slots), int(rng.integers(len(slots))), None)
            for slots in (self.of_known, self.of_unknown)
        )
        reals = [next(known if word in self.known else unknown) for word in said]
        return [
            real.filled(
                real.rank, word, lambda word=word: self._wrong(word, *rng.random(2).tolist())
            )
            for word, real in zip(said, reals, strict=True)
        ]

    def _wrong(self, said: str, draw: float, other: float) -> str:
        if draw >= SPELT_ALIKE or said not in self.vocabulary.alike:
            return self.vocabulary.drawn(other)
        words, weights = self.vocabulary.alike[said]
        return words[int(np.searchsorted(weights / weights[-1], other))]


def slots_with_words(one: Material) -> Iterator[tuple[str, RealSlot]]:
    """Of each slot in which a word was said the word that overlaps it most; likeliest first."""
    recordings = tuple(indexed.recording for indexed in one.segment.recordings)
    transcript = make_transcript(one.data.lexemes, recordings, one.config.text)
    for network in one.data.networks:
        rows = np.flatnonzero(transcript.recording == recordings.index(network.recording))
        begins, ends = transcript.start_ms[rows], transcript.end_ms[rows]
        slots = zip(
            network.slot_spans_ms.tolist(), network.epsilons, pairwise(network.offsets.tolist()),
            strict=True,
        )  # fmt: skip
        for (begin, end), epsilon, (first, last) in slots:
            overlap = np.minimum(ends, end) - np.maximum(begins, begin)
            if first == last or overlap.max(initial=0) * 2 < end - begin:
                continue
            said = transcript.words[rows[overlap.argmax()]]
            posteriors = network.posteriors[first:last].astype(np.float64)
            best_first = np.argsort(-posteriors, kind="stable")
            words = [network.words[first + i] for i in best_first]
            rank = words.index(said) if said in words else NOWHERE
            yield said, RealSlot(posteriors[best_first], float(epsilon), rank)
