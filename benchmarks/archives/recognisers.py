"""Simulated recognisers of large archives: words that are heard in, slots out.

    Exact      its posteriors are right by construction
    Mistaken   its mistakes, and how sure it is of them, are those of a real recogniser
    one_best   the likeliest word of each slot of another one, with its posterior
    captions   what was said, one word in fifty another one, and no confidence

**Exact.** Words are confused within blocks: next to each other by their letters, by their letters
reversed, or by chance. Which block a word is heard in does not depend on the word but for its being
there. Each word v of it has a score a(v), normal with deviation 1 and mean m if it was said, else
0; m is drawn for each slot and known. So its posterior is in proportion to share(v) exp(m a(v)),
without approximation. Some words are inaudible: that is one more hypothesis, under which each word
of the block has its share.

**Mistaken.** A slot of a set with a transcript gives its posteriors and the rank at which it had
what was said, or that it had it nowhere; slots follow each other as they did there. Where words are
misheard, slots are taken in which the recogniser did not know what was said. Wrong words are
spelt alike, or any.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.archives.slots import NO_WORD, Recognise, Slots
from benchmarks.archives.words import Ints, Words
from benchmarks.simulated_recognisers import NOWHERE, RealSlot
from std.values import Bools, Float64s

BLOCK = 16  # words that are confused with each other
ORDERS = (0.5, 0.3, 0.2)  # how often by letters, by letters reversed, by chance
INAUDIBLE, DELETED = 0.03, 0.02  # shares of the words; deleted ones have no slot
CLARITY, VARIATION = 6.0, 0.35  # median of m and the deviation of its logarithm
MISHEARD = 0.7  # times as clear
LEAST = 0.005  # posterior that is written
WIDEST = 8  # alternatives of a real slot
ALIKE = 0.5  # share of wrong words that are spelt alike
WRONG_CAPTION = 0.02


@dataclass(frozen=True, eq=False)
class Blocks:
    """The known words in several orders, cut into blocks."""

    order: Ints  # (orders, n) words; NO_WORD at the end fills the last block
    place: Ints  # (orders, words) of each word
    share: Float64s  # (words + 1,) of the words said; 0 of NO_WORD
    cumulative: Float64s  # (orders, n + 1) of the shares, in each order

    @classmethod
    def of(cls, words: Words, seed: int) -> "Blocks":
        """The blocks of the known words."""
        rng = np.random.default_rng((seed, 6))
        known = np.flatnonzero(words.known)
        texts = np.array(words.words)[known]
        reverse = np.array([text[::-1] for text in texts.tolist()])
        orders = [np.argsort(texts), np.argsort(reverse), rng.permutation(len(known))]
        filling = np.full(-len(known) % BLOCK, NO_WORD)
        order = np.array([[*known[one], *filling] for one in orders])
        place = np.full((len(order), len(words.words)), NO_WORD)
        for row, one in zip(place, orders, strict=True):
            row[known[one]] = np.arange(len(known))
        share = np.append(words.share, 0.0)
        cumulative = np.cumsum(np.pad(share[order], ((0, 0), (1, 0))), axis=1)
        return cls(order, place, share, cumulative)

    def first(self, word: Ints, order: Ints) -> Ints:
        """(n,) place of the first word of each one's block."""
        begin: Ints = self.place[order, word] // BLOCK * BLOCK
        return begin

    def drawn(self, order: Ints, begin: Ints, end: Ints, rng: np.random.Generator) -> Ints:
        """(n,) words of some places of an order, as often as they are said."""
        found = np.empty(len(order), np.int64)
        for number, (cumulative, words) in enumerate(zip(self.cumulative, self.order, strict=True)):
            rows = order == number
            low, high = cumulative[begin[rows]], cumulative[end[rows]]
            share = low + rng.random(len(low)) * (high - low)
            place = np.searchsorted(cumulative, share, side="right") - 1
            found[rows] = words[place.clip(begin[rows], end[rows] - 1)]
        return found


@dataclass(frozen=True, eq=False)
class Exact:
    """Right by construction."""

    blocks: Blocks

    def __call__(self, word: Ints, is_misheard: Bools, rng: np.random.Generator) -> Slots:
        """A slot for each word."""
        n, blocks = len(word), self.blocks
        order = rng.choice(len(ORDERS), n, p=ORDERS)
        first = blocks.first(word, order)
        members = blocks.order[order[:, None], first[:, None] + np.arange(BLOCK)]
        prior = blocks.share[members]
        prior /= prior.sum(axis=1, keepdims=True)
        weight = np.append(prior * (1 - INAUDIBLE), np.full((n, 1), INAUDIBLE), axis=1)
        said = blocks.place[order, word] - first
        said[rng.random(n) < INAUDIBLE] = BLOCK
        clarity = CLARITY * np.exp(VARIATION * rng.standard_normal(n))
        clarity[is_misheard] *= MISHEARD
        score = rng.standard_normal(weight.shape)
        score[np.arange(n), said] += clarity
        log_odds = clarity[:, None] * score
        log_odds -= log_odds.max(axis=1, keepdims=True)
        of_each = weight * np.exp(log_odds)
        of_each /= of_each.sum(axis=1, keepdims=True)
        posterior = of_each[:, :BLOCK] + of_each[:, BLOCK:] * prior
        written = (posterior >= LEAST) & (members != NO_WORD)
        written[rng.random(n) < DELETED] = False
        members, posterior = np.where(written, members, NO_WORD), posterior * written
        return Slots(members, posterior, (1 - posterior.sum(axis=1)).clip(min=0))


@dataclass(frozen=True, eq=False)
class RealSlots:
    """Slots of a real recogniser, in their order."""

    posterior: Float64s  # (slots, WIDEST)
    epsilon: Float64s  # (slots,)
    rank: Ints  # (slots,) of what was said, or NOWHERE

    @classmethod
    def of(cls, slots: Iterable[RealSlot]) -> "RealSlots":
        """In columns; of more alternatives the likeliest."""
        slots = list(slots)
        posterior = np.zeros((len(slots), WIDEST))
        for row, slot in zip(posterior, slots, strict=True):
            row[: len(slot.posteriors)] = slot.posteriors[:WIDEST]
        rank = np.array([slot.rank for slot in slots])
        rank[rank >= WIDEST] = NOWHERE
        return cls(posterior, np.array([slot.epsilon for slot in slots]), rank)


@dataclass(frozen=True, eq=False)
class Mistaken:
    """Wrong as a real recogniser is."""

    blocks: Blocks
    of_known: RealSlots
    of_unknown: RealSlots

    @classmethod
    def of(
        cls, blocks: Blocks, slots: Sequence[tuple[str, RealSlot]], known: frozenset[str]
    ) -> "Mistaken":
        """Learn from slots and what was said there.

        Args:
            known: words that the real recogniser knows.
        """
        return cls(
            blocks,
            RealSlots.of(slot for said, slot in slots if said in known),
            RealSlots.of(slot for said, slot in slots if said not in known),
        )

    def __call__(self, word: Ints, is_misheard: Bools, rng: np.random.Generator) -> Slots:
        """A slot for each word; one that stands for an unknown word stands first."""
        n = len(word)
        slots = np.full((n, WIDEST), NO_WORD)
        posterior, epsilon = np.zeros((n, WIDEST)), np.zeros(n)
        for real, rows in (
            (self.of_known, np.flatnonzero(~is_misheard)),
            (self.of_unknown, np.flatnonzero(is_misheard)),
        ):
            if not len(rows):
                continue
            own = (rng.integers(len(real.rank)) + np.arange(len(rows))) % len(real.rank)
            posterior[rows], epsilon[rows] = real.posterior[own], real.epsilon[own]
            rank = real.rank[own] if real is self.of_known else np.zeros(len(rows), np.int64)
            slots[rows] = self._wrong(word[rows], rng)
            there = np.flatnonzero(rank != NOWHERE)
            slots[rows[there], rank[there]] = word[rows[there]]
        return Slots(np.where(posterior > 0, slots, NO_WORD), posterior, epsilon)

    def _wrong(self, word: Ints, rng: np.random.Generator) -> Ints:
        """(n, WIDEST) other words, for each alternative."""
        word = np.repeat(word, WIDEST)
        order = rng.integers(2, size=len(word))  # by letters, or by letters reversed
        begin = self.blocks.first(word, order)
        end = (begin + BLOCK).clip(max=self.blocks.order.shape[1])
        is_any = rng.random(len(word)) >= ALIKE
        begin[is_any], end[is_any] = 0, self.blocks.order.shape[1]
        wrong = self.blocks.drawn(order, begin, end, rng)
        return np.where(wrong == word, NO_WORD, wrong).reshape(-1, WIDEST)


def one_best(recognise: Recognise) -> Recognise:
    """The likeliest word of each slot, where it is likelier than no word."""

    def best(word: Ints, is_misheard: Bools, rng: np.random.Generator) -> Slots:
        slots = recognise(word, is_misheard, rng)
        likeliest = slots.posterior.argmax(axis=1)[:, None]
        one = np.take_along_axis(slots.word, likeliest, axis=1)
        posterior = np.take_along_axis(slots.posterior, likeliest, axis=1)
        one[posterior[:, 0] <= slots.epsilon] = NO_WORD
        return Slots(one, posterior, 1 - posterior[:, 0])

    return best


def captions(blocks: Blocks) -> Recognise:
    """What was said, few words wrong, without confidences."""

    def written(word: Ints, is_misheard: Bools, rng: np.random.Generator) -> Slots:
        order = rng.integers(2, size=len(word))
        begin = blocks.first(word, order)
        end = (begin + BLOCK).clip(max=blocks.order.shape[1])
        wrong = np.where(
            rng.random(len(word)) < WRONG_CAPTION, blocks.drawn(order, begin, end, rng), word
        )
        return Slots(wrong[:, None], np.ones((len(word), 1)), np.zeros(len(word)))

    return written
