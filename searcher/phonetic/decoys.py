"""Decoys: phones and words that nobody said, drawn from what the archive's words sound like.

    phone_chain         how often each phone follows two others in the alternatives of an archive
    draw_decoys         strings of given lengths from that chain
    draw_decoy_words    words of given lengths, drawn from the letters of its words likewise

The counts of segments add up, and deleted recordings leave no trace in them, so the decoys do not
depend on how an archive is cut. They are searched as terms are: what they hit, they hit by
false alarm. Phones can be drawn without a pronouncer. Words have all evidence that a term has, so
weights are learned from these.

Source: target-decoy search of proteomics (Elias and Gygi 2007, Nature Methods 4:207).
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s

LENGTHS = (4, 5, 6, 7, 8, 9, 10, 12, 14, 17)  # of decoys, phones
DECOYS_OF_LENGTH = 6
DECOY_SEED = 1
ATTEMPTS = 50  # to draw one more that is not there yet


class PhoneChain(NamedTuple):
    """A Markov chain of the second order; phone ``len(inventory)`` stands before a word's first."""

    inventory: tuple[str, ...]  # ascending
    counts: Int64s  # (P + 1, P + 1, P) of a phone after two others


def phone_chain(indexes: Sequence[PhoneticIndex]) -> PhoneChain:
    """Count the phones after each two in the words of all live alternatives."""
    inventory = tuple(sorted({phone for index in indexes for phone in index.phone_counts}))
    row = {phone: i for i, phone in enumerate(inventory)}
    begin = len(inventory)
    counts = np.zeros((begin + 1, begin + 1, begin), np.int64)
    for index in indexes:
        offsets = index.word_phone_offsets
        numbers = np.array([row.get(phone, begin) for phone in index.inventory], np.int64)
        phones = numbers[index.word_phones]
        weight = np.repeat(index.counts, np.diff(offsets))
        place = np.arange(len(phones)) - np.repeat(offsets[:-1], np.diff(offsets))
        before = np.where(place > 0, np.roll(phones, 1), begin)
        before_that = np.where(place > 1, np.roll(phones, 2), begin)
        live = weight > 0
        np.add.at(counts, (before_that[live], before[live], phones[live]), weight[live])
    return PhoneChain(inventory, counts)


def draw_decoys(
    chain: PhoneChain, of_length: int = DECOYS_OF_LENGTH, seed: int = DECOY_SEED
) -> list[Pronunciation]:
    """Distinct phone strings, of each length the same number.

    Args:
        chain: of an archive.
        of_length: how many of each length; fewer where the chain has no more.
        seed: of the draws.
    """
    if not chain.inventory:
        return []
    rng = np.random.default_rng(seed)
    drawn: dict[Pronunciation, None] = {}
    for length in LENGTHS:
        wanted = len(drawn) + of_length
        for _ in range(ATTEMPTS + of_length):
            if len(drawn) < wanted:
                drawn[_draw(chain, length, rng)] = None
    return list(drawn)


def _draw(chain: PhoneChain, length: int, rng: np.random.Generator) -> Pronunciation:
    """One string; where the chain ends, it begins anew, as the next word of a compound does."""
    begin = len(chain.inventory)
    before_that = before = begin
    phones = []
    for _ in range(length):
        counts = chain.counts[before_that, before]
        if not counts.any():
            before_that = before = begin
            counts = chain.counts[begin, begin]
        cumulative = np.cumsum(counts)
        phone = int(np.searchsorted(cumulative, rng.integers(cumulative[-1]), side="right"))
        phones.append(chain.inventory[phone])
        before_that, before = before, phone
    return tuple(phones)


def draw_decoy_words(
    counts: Mapping[str, int], of_length: int, seed: int = DECOY_SEED
) -> list[str]:
    """Distinct words that are not in the archive, of each number of letters the same number.

    Args:
        counts: live alternatives of each word.
        of_length: how many of each length; fewer where the letters give no more.
        seed: of the draws.
    """
    following: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for word in sorted(counts):
        if counts[word]:
            for i, letter in enumerate(word):
                following[word[max(0, i - 2) : i]][letter] += counts[word]
    if not following:
        return []
    chain = {
        before: (list(after), np.cumsum([*after.values()])) for before, after in following.items()
    }
    rng = np.random.default_rng(seed)
    drawn: dict[str, None] = {}
    for length in LENGTHS:
        wanted = len(drawn) + of_length
        for _ in range(ATTEMPTS + of_length):
            word = "".join(_letters(chain, length, rng))
            if len(drawn) < wanted and not counts.get(word):
                drawn[word] = None
    return list(drawn)


def _letters(
    chain: Mapping[str, tuple[list[str], Int64s]], length: int, rng: np.random.Generator
) -> Iterator[str]:
    """The letters of one word; where none follows, one that begins words does."""
    before = ""
    for _ in range(length):
        letters, cumulative = chain[before] if before in chain else chain[""]
        letter = letters[int(np.searchsorted(cumulative, rng.integers(cumulative[-1]), "right"))]
        yield letter
        before = before[-1:] + letter
