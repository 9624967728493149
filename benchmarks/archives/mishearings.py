"""What a recogniser makes of words that it does not know: known words that sound alike.

    Mishearings  of each unknown word the ways it is heard: a known word, or two in a row
    heard        speech -> known words, each at the time of the word that it stands for

A name that is said often is heard in several ways, the nearest ones most often. They are looked
for by phones, with edit distances: whole words, and pairs of words for its two parts. Other unknown
words, of which nobody asks, become one of the known words next to them in alphabetical order, of
their letters or of their letters reversed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from benchmarks.archives.speech import SimulatedSpeech
from benchmarks.archives.words import Ints, Words
from std.phonetics.lexicon import Lexicon
from std.values import Bools, Float64s

MOST_WAYS, FEW_WAYS = 30, 7
FOUR = 4  # names in a row are said differently often; of these every other four have few ways
EACH_PART = 6  # words for a part of a name
LEAST_PHONES = 2  # of a part
RARITY = 0.15  # edits that a word ten times as rare counts as
NOBODY = -1


@dataclass(frozen=True, eq=False)
class Heard:
    """Known words, in order; what a recogniser hears."""

    speech: SimulatedSpeech
    word: Ints  # (n,) known
    said: Ints  # (n,) row of the speech
    start_ms: Ints  # (n,)
    end_ms: Ints  # (n,)
    is_misheard: Bools  # (n,)


@dataclass(frozen=True, eq=False)
class Mishearings:
    """Ways in which names are heard."""

    words: Words
    ways: Sequence[Sequence[tuple[int, int]]]  # (names,) two known words, or one and NOBODY
    neighbours: Ints  # (words, 4) known words, of unknown ones


def mishearings(words: Words, lexicon: Lexicon) -> Mishearings:
    """Find how each name is heard."""
    known = np.flatnonzero(words.known)
    texts = [words.words[row] for row in known.tolist()]
    phones = [ways[0] if ways else () for ways in lexicon.pronunciations(texts)]
    names = [words.words[row] for row in words.names.tolist()]
    spoken = [ways[0] if ways else () for ways in lexicon.pronunciations(names)]
    symbols = {phone: chr(97 + i) for i, phone in enumerate(sorted({p for x in phones for p in x}))}
    written = ["".join(map(symbols.__getitem__, some)) for some in phones]
    rarity = -RARITY * np.log10(words.share[known])
    ways = [
        _ways("".join(symbols.get(phone, "") for phone in some), written, rarity, known)[
            : MOST_WAYS if number // FOUR % 2 else FEW_WAYS
        ]
        for number, some in enumerate(spoken)
    ]
    return Mishearings(words, ways, _neighbours(words))


def _ways(
    name: str, written: Sequence[str], rarity: Float64s, known: Ints
) -> list[tuple[int, int]]:
    """Nearest first; edits of both words and how rare they are count."""
    cuts = range(LEAST_PHONES, len(name) - LEAST_PHONES + 1)
    parts = [name, *(part for cut in cuts for part in (name[:cut], name[cut:]))]
    distance = cdist(parts, written, scorer=Levenshtein.distance, dtype=np.uint8) + rarity
    best = np.argpartition(distance, EACH_PART, axis=1)[:, :EACH_PART]
    cost = np.take_along_axis(distance, best, axis=1)
    row = known[best]
    found = [(float(c), (int(word), NOBODY)) for c, word in zip(cost[0], row[0], strict=True)]
    for i in range(1, len(parts), 2):
        for c, first in zip(cost[i], row[i], strict=True):
            for d, second in zip(cost[i + 1], row[i + 1], strict=True):
                found.append((float(c + d), (int(first), int(second))))
    return [way for _, way in sorted(found)]


def _neighbours(words: Words) -> Ints:
    """(words, 4) the known words before and after, in two orders."""
    columns = []
    for key in (str, lambda word: word[::-1]):
        texts = np.array([key(word) for word in words.words])
        order = np.flatnonzero(words.known)[np.argsort(texts[words.known], kind="stable")]
        place = np.searchsorted(texts[order], texts)
        columns += [order[(place - 1).clip(min=0)], order[place.clip(max=len(order) - 1)]]
    return np.stack(columns, axis=1)


def heard(speech: SimulatedSpeech, found: Mishearings, seed: int) -> Heard:
    """The known words that are heard where others are said."""
    rng = np.random.default_rng((seed, 4))
    words = speech.words
    first, second = speech.word.copy(), np.full(len(speech.word), NOBODY)
    is_misheard = ~words.known[speech.word]
    other = np.flatnonzero(is_misheard)
    side = rng.integers(found.neighbours.shape[1], size=len(other))
    first[other] = found.neighbours[speech.word[other], side]
    for name, ways in zip(words.names.tolist(), found.ways, strict=True):
        rows = speech.occurrences([name])
        if not ways or not len(rows):
            continue
        weight = 1 / np.arange(1, len(ways) + 1)
        way = np.array(ways)[rng.choice(len(ways), len(rows), p=weight / weight.sum())]
        first[rows], second[rows] = way.T
    return _in_order(speech, first, second, is_misheard)


def _in_order(speech: SimulatedSpeech, first: Ints, second: Ints, is_misheard: Bools) -> Heard:
    """Pairs get their time by their letters."""
    letters = np.array([*(len(word) for word in speech.words.words), 0])
    share = letters[first] / (letters[first] + letters[second])
    middle = speech.start_ms + (share * (speech.end_ms - speech.start_ms)).astype(np.int64)
    parts = np.where(second == NOBODY, 1, 2)
    said = np.repeat(np.arange(len(first)), parts)
    is_second = np.diff(said, prepend=-1) == 0
    return Heard(
        speech,
        np.where(is_second, second[said], first[said]),
        said,
        np.where(is_second, middle[said], speech.start_ms[said]),
        np.where(is_second | (parts[said] == 1), speech.end_ms[said], middle[said]),
        is_misheard[said],
    )
