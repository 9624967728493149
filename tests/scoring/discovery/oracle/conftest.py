"""The fast measures beside a slow, literal reading of the published definitions.

The modules beside this one list pairs, occurrences and substrings one by one, straight from the
formulas of the ZeroSpeech task description and the description of the 2015 toolkit, and share no
code with the measures: times are integers of 0.1 ms, sets are Python sets, averages are fractions.
Here are small corpora full of edge cases, and what the readings have in common.
"""

import io
import random
from fractions import Fraction
from math import isnan

import pytest

from scoring.discovery import formats
from scoring.discovery.api import evaluate
from scoring.discovery.corpus import make_corpus, make_discovery

SILENT = ("SIL", "SPN")
TALKER = {"a1": "a", "a2": "a", "b1": "b"}


def small_corpus(seed, wide=True):
    """(phones, words, classes) with times in ticks of 0.1 ms; rows (file, on, off, symbol)."""
    rng = random.Random(seed)
    files = list(TALKER)[: rng.choice([1, 2, 3])]
    lexicon = [[rng.choice("abc") for _ in range(rng.randint(1, 5))] for _ in range(3)]
    phones, words, edges = [], [], {}
    for file in files:
        now, mine = 10 * rng.randint(0, 5), []
        for _ in range(rng.randint(2, 7)):
            chance = rng.random()
            if chance < 0.15:
                now += 10 * rng.choice([1, 20, 50])  # a gap
            elif chance < 0.3:
                end = now + 10 * rng.choice([31, 50, 120])
                phones.append((file, now, end, rng.choice(SILENT)))
                mine.append((now, end))
                now = end
            else:
                which, start = rng.randrange(3), now
                for symbol in lexicon[which]:
                    end = now + 10 * rng.choice([30, 50, 59, 60, 61, 100, 20])
                    phones.append((file, now, end, symbol))
                    mine.append((now, end))
                    now = end
                words.append((file, start, now, rng.choice([f"w{which}", f"w{which}", "same"])))
        edges[file] = mine
    if not any(edges.values()):
        phones, words, edges = [("a1", 0, 900, "a")], [("a1", 0, 900, "w")], {"a1": [(0, 900)]}
    used = [file for file in edges if edges[file]]
    found, seen = [], []
    for _ in range(rng.randint(1, 4)):
        members = []
        for _ in range(rng.randint(0, 5 if wide else 3)):
            if seen and rng.random() < 0.3:
                members.append(rng.choice(seen))
                continue
            file = rng.choice(used)
            first = rng.randrange(len(edges[file]))
            last = min(len(edges[file]) - 1, first + rng.choice([0, 1, 2, 3, 5, 8]))
            start, end = edges[file][first][0], edges[file][last][1]
            if rng.random() < 0.5:
                start = max(0, start + 10 * rng.choice([0, 5, -5, 30, -30, 20]))
                end += 10 * rng.choice([0, 5, -5, 30, -30, 25])
            members.append((file, start, max(end, start + 40)))
        seen += members
        found.append(members)
    return phones, words or [(used[0], 0, 900, "w")], found


def fast(phones, words, found, profile, talkers=False):
    """The scores of the fast code, through the readers."""

    def lines(rows):
        return io.BytesIO(
            "".join(f"{f} {a / 1e4:.4f} {b / 1e4:.4f} {s}\n" for f, a, b, s in rows).encode()
        )

    text = "".join(
        f"Class {i}\n" + "".join(f"{f} {a / 1e4:.4f} {b / 1e4:.4f}\n" for f, a, b in one) + "\n"
        for i, one in enumerate(found)
    )
    corpus = make_corpus(
        formats.parse_alignment(lines(phones)),
        formats.parse_alignment(lines(words)),
        TALKER if talkers else None,
    )
    discovery = make_discovery(formats.parse_classes(io.BytesIO(text.encode())), corpus)
    return evaluate(corpus, discovery, profile).scores


def same(value, exact):
    """A float beside a fraction, where None is undefined."""
    return isnan(value) if exact is None else value == pytest.approx(float(exact), abs=1e-12)


def share(part, whole):
    return Fraction(part, whole) if whole else None


def levenshtein(one, other):
    row = list(range(len(other) + 1))
    for i, x in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def shared_time(one, other):
    """Ticks that two (file, on, off, ...) share; negative or zero when apart."""
    if one[0] != other[0]:
        return 0
    return min(one[2], other[2]) - max(one[1], other[1])


def more_than_half(one, other):
    return 2 * shared_time(one, other) > min(one[2] - one[1], other[2] - other[1])


def talkers_fit(one, other, scope):
    alike = TALKER[one[0]] == TALKER[other[0]]
    return scope == "all" or alike == (scope == "within")


def weighted(both, whole, type_of):
    """Sum over types of freq(t, whole) |match(t, both)| / |match(t, whole)|, as the task says."""
    flat = {item for pair in whole for item in pair}
    hit = {item for pair in both for item in pair}
    if not flat:
        return None
    total = Fraction(0)
    for kind in {type_of(item) for item in flat}:
        match = [item for item in flat if type_of(item) == kind]
        matched = [item for item in hit if type_of(item) == kind]
        total += Fraction(len(match), len(flat)) * Fraction(len(matched), len(match))
    return total
