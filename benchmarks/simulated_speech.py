"""Simulated speech: what a recogniser makes of a text that people wrote.

TEXT is a plain text, an utterance a line. What is simulated:

    vocabulary    the words that TEXT has at least twice and those of a set's networks, without
                  the set's terms' own out-of-vocabulary words; another word is recognised as the
                  one that is spelt most alike
    posteriors    those of the set's own slots, in runs; what was said stands at each rank as often
                  as the rank's posterior says, or nowhere
    alternatives  words spelt alike, as often as TEXT has them, else any words of TEXT
    times         65 ms a letter, with a deviation of a fifth

So posteriors are right by construction, and false hits come from real sentences, with their
inflections and compounds. Use it for what changes with the size of an archive, not for accuracy.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from benchmarks.calibration import Material
from std.values import ConfusionNetwork, Float64s, Recording

WORD = re.compile(r"[^\W\d_]+")
LONGEST = 25  # words of an utterance
MS_A_WORD, MS_A_LETTER, DEVIATION = 400, 65, 0.2
HOUR_MS = 3_600_000
ALIKE, AT_ONCE = 20, 500


class Said(NamedTuple):
    """A word of the haystack's transcript."""

    file: str
    start_ms: int
    end_ms: int
    word: str


class Recogniser(NamedTuple):
    """What the simulated recogniser makes of words."""

    words: Sequence[str]  # its vocabulary
    frequency: Float64s  # (words,) cumulative
    known: frozenset[str]
    alike: dict[str, tuple[Sequence[str], Float64s]]  # and their cumulative shares of all errors

    def recognised(self, said: str) -> str:
        """The word itself, or the one spelt most alike."""
        if said in self.known or said not in self.alike:
            return said if said in self.known else self.words[0]
        return self.alike[said][0][0]

    def mistaken(self, said: str, draw: float, other: float) -> str:
        """Another word, drawn."""
        words, shares = self.alike.get(said, ((), np.empty(0)))
        row = int(np.searchsorted(shares, draw))
        if row < len(words):
            return words[row]
        return self.words[int(np.searchsorted(self.frequency, other))]


def utterances(text: Path, hours: float, absent: Collection[Sequence[str]] = ()) -> list[list[str]]:
    """The words of the text, so many hours of them, without the lines that say what is absent."""
    lines = text.read_text(encoding="utf-8").lower().splitlines()
    left, found = int(hours * HOUR_MS / MS_A_WORD), []
    unwanted = {tuple(phrase) for phrase in absent}
    lengths = sorted({len(phrase) for phrase in unwanted})
    for line in lines:
        said = WORD.findall(line)
        runs = (tuple(said[i : i + n]) for n in lengths for i in range(len(said) - n + 1))
        if not unwanted.isdisjoint(runs):
            continue
        words = iter(said)
        while left > 0 and (part := list(islice(words, min(LONGEST, left)))):
            found.append(part)
            left -= len(part)
    return found


def recogniser(spoken: Sequence[Sequence[str]], one: Material) -> Recogniser:
    """Its vocabulary, and which words are spelt alike."""
    counts = Counter(word for line in spoken for word in line)
    of_networks = {word for network in one.data.networks for word in network.words}
    of_terms = {
        word for term in one.data.terms.terms for word in one.config.text.phrase(term.text)
    } - of_networks
    known = {word for word, n in counts.items() if n > 1} | of_networks
    words = sorted(known - of_terms, key=lambda word: (-counts[word], word))
    frequency = np.array([counts[word] + 0.02 for word in words])
    frequency /= frequency.sum()
    share_of = dict(zip(words, frequency.tolist(), strict=True))
    near = dict(spelt_alike(sorted(counts), words))
    errors = {
        word: np.cumsum([similarity**4 * share_of[other] for other, similarity in found])
        for word, found in near.items()
        if found
    }
    # One scale for all: of two words each is taken for the other equally often.
    scale = float(
        np.quantile([errors[word][-1] for line in spoken for word in line if word in errors], 0.9)
    )
    return Recogniser(
        words,
        np.cumsum(frequency) / frequency.sum(),
        frozenset(words),
        {
            word: ([other for other, _ in near[word]], sums / max(scale, sums[-1]))
            for word, sums in errors.items()
        },
    )


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


def simulated(
    spoken: Sequence[Sequence[str]], of: Recogniser, slots: Sequence[tuple[Float64s, float]]
) -> tuple[list[ConfusionNetwork], list[Said]]:
    """Networks of the spoken words, and their transcript.

    Args:
        spoken: words of each utterance.
        of: what it makes of them.
        slots: posteriors of the alternatives and of no word, of real slots in their order.
    """
    rng = np.random.default_rng(1)
    networks, transcript = [], []
    hour, now_ms = 0, 0
    for number, words in enumerate(spoken):
        if now_ms > HOUR_MS:
            hour, now_ms = hour + 1, 0
        file, n = f"HAYSTACK_{hour:04d}", len(words)
        letters = np.array([max(2, len(word)) for word in words])
        ends = now_ms + np.cumsum(
            (MS_A_LETTER * letters * np.exp(DEVIATION * rng.standard_normal(n))).astype(int) + 20
        )
        begins = np.concatenate([[now_ms], ends[:-1]])
        first = int(rng.integers(len(slots) - n))
        alternatives = [slot_of(word, of, *slots[first + i], rng) for i, word in enumerate(words)]
        sizes = [len(slot) for slot in alternatives]
        spans = np.stack([begins, ends], axis=1).astype(np.int32)
        networks.append(
            ConfusionNetwork(
                Recording(file, 1), f"{file}-{number}", int(begins[0]), int(ends[-1]), spans,
                np.array([slots[first + i][1] for i in range(n)], np.float32),
                np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
                tuple(word for slot in alternatives for word in slot),
                np.array([p for slot in alternatives for p in slot.values()], np.float32),
                np.repeat(spans, sizes, axis=0),
            )
        )  # fmt: skip
        transcript += map(Said, [file] * n, begins.tolist(), ends.tolist(), words)
        now_ms = int(ends[-1]) + 200
    return networks, transcript


def slot_of(
    said: str, of: Recogniser, posteriors: Float64s, epsilon: float, rng: np.random.Generator
) -> dict[str, float]:
    """Alternatives with their posteriors."""
    rank = int(np.searchsorted(np.cumsum(posteriors), rng.random() * (posteriors.sum() + epsilon)))
    slot: dict[str, float] = {}
    for place, posterior in enumerate(posteriors.tolist()):
        word = of.recognised(said) if place == rank else of.mistaken(said, *rng.random(2).tolist())
        slot.setdefault(word, posterior)
    return slot
