"""The null distribution: the number of places of an archive that score as high by chance.

    learn_null_distribution   search decoys in the archive, fit the tail of their scores
    NullDistribution          the expected false alarms of a query, by its length
    phone_chain               counts of phones after two others in an archive's alternatives
    draw_decoys               random strings of given lengths from that chain
    draw_decoy_words          random words of given lengths, from the letters of the words

A decoy's k-th best hit has the score from which k false alarms are expected. For local alignments
this score falls linearly with log k (Karlin and Altschul 1990, PNAS 87:2264; Altschul et al. 1997
for alignments with gaps); level and slope depend on the query's length. For a query of L phones,

    score(k) = level - slope log k,   level = a + b log L + c log^2 L + d (perfect score / L)
                                      slope = e + f log L

and, solved for k, the number of places at least as good as a hit: its E-value. All values are those
of the searched archive, so they hold for any size or quality.

The counts of segments add up and exclude deleted recordings, so the decoys do not depend on the
division into segments. They are searched like terms, and all their hits are false alarms. Phones
can be drawn without a pronouncer. Decoy words have all the evidence of a term, so weights are
learned from them.

Source: target-decoy search of proteomics (Elias and Gygi 2007, Nature Methods 4:207).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.layout import SCORE, PhoneticHits, WeightedPronunciation
from std.phonetics.phones import Pronunciation
from std.values import Float64s, Int64s

RANKS = (1, 2, 4, 8, 16, 32, 60)  # ranks of a decoy's hits for the fit of the tail
TYPICAL_RANKS = (6, 10, 16, 32, 60)  # ranks of a term's hits for the comparison with decoys
RARE_PLACES = 0.1  # false alarms; all better hits are kept
MIN_SLOPE = 0.5  # nats of score that divide the false alarms by e
MAX_TERM_SHIFT = 2.0
COEFFICIENTS = 6
SLOPE_RIDGE = 1e-3  # keeps the fit defined in very small archives

Search = Callable[[Sequence[Pronunciation]], Mapping[Pronunciation, PhoneticHits]]
PerfectScore = Callable[[Pronunciation], float]

LENGTHS = (4, 5, 6, 7, 8, 9, 10, 12, 14, 17)  # of decoys, phones
DECOYS_OF_LENGTH = 6
DECOY_SEED = 1
ATTEMPTS = 50  # to draw another new one


@dataclass(frozen=True, slots=True, eq=False)
class NullDistribution:
    """The tail of scores of false alarms in one archive."""

    coefficients: Float64s  # (6,) a, b, c, d, e, f of the module's formula

    def level(self, phones: int, perfect: float) -> float:
        """Score from which one false alarm is expected, nats.

        Args:
            perfect: its score recognised phone for phone, nats.
        """
        terms = _level_terms(phones, perfect)
        return float(self.coefficients[:4] @ terms)

    def slope(self, phones: int) -> float:
        """Nats of score that divide the expected number by e."""
        return max(MIN_SLOPE, float(self.coefficients[4:] @ _slope_terms(phones)))

    def rare_score(self, phones: int, perfect: float) -> float:
        """Score from which `RARE_PLACES` false alarms are expected, nats; see `level`."""
        return self.level(phones, perfect) - self.slope(phones) * float(np.log(RARE_PLACES))

    def log_e_value(
        self, score: Float64s, pronunciations: Sequence[WeightedPronunciation]
    ) -> Float64s:
        """(n,) log of the expected number of false alarms with at least these scores.

        Those of all pronunciations are added up. A hit's score includes the log weight of its
        pronunciation, so another pronunciation reaches it with that score minus its own log weight.

        Args:
            score: (n,) of hits of a query.
            pronunciations: the pronunciations of the query.
        """
        values = [
            (self.level(len(phones), perfect) - (score - log_weight)) / self.slope(len(phones))
            for phones, perfect, log_weight in pronunciations
        ]
        value: Float64s = np.logaddexp.reduce(values, axis=0)
        return value

    def term_shift(self, score: Float64s, pronunciations: Sequence[WeightedPronunciation]) -> float:
        """Log of the ratio of a term's false alarms to those of decoys with its length.

        It is the median over some ranks of its hits, so a few true places do not change it.

        Args:
            score: (n,) of the term's hits, best first.
        """
        n = len(score)
        ranks = [k for k in TYPICAL_RANKS if k <= n] or [max(n, 1)]
        found = np.array([score[k - 1] if n else 0.0 for k in ranks])
        shift = float(np.median(self.log_e_value(found, pronunciations) - np.log(ranks)))
        most = MAX_TERM_SHIFT if n >= TYPICAL_RANKS[0] else 0.0  # a few hits may all be right
        return float(np.clip(-shift, -MAX_TERM_SHIFT, most))


def learn_null_distribution(
    indexes: Sequence[PhoneticIndex], search: Search, perfect_score: PerfectScore
) -> NullDistribution:
    """Search decoys and fit the tail of their scores.

    Args:
        search: the best hits of each query in all of them, best first.
        perfect_score: score of a query that is recognised phone for phone.
    """
    decoys = draw_decoys(phone_chain(indexes))
    hits = search(decoys)
    rows, scores = [np.eye(COEFFICIENTS) * SLOPE_RIDGE], [np.zeros(COEFFICIENTS)]
    for decoy in decoys:
        found = hits[decoy].measures[:, SCORE].astype(np.float64)
        ranks = np.array([k for k in RANKS if k <= len(found)], np.int64)
        level = _level_terms(len(decoy), perfect_score(decoy))
        slope = -np.log(ranks)[:, None] * _slope_terms(len(decoy))
        rows.append(np.concatenate([np.tile(level, (len(ranks), 1)), slope], axis=1))
        scores.append(found[ranks - 1])
    solution = np.linalg.lstsq(np.concatenate(rows), np.concatenate(scores), rcond=None)[0]
    return NullDistribution(solution)


def _level_terms(phones: int, perfect: float) -> Float64s:
    length = max(phones, 1)
    return np.array([1.0, np.log(length), np.log(length) ** 2, perfect / length])


def _slope_terms(phones: int) -> Float64s:
    return np.array([1.0, np.log(max(phones, 1))])


class PhoneChain(NamedTuple):
    """A second-order Markov chain; phone ``len(inventory)`` precedes a word's first phone."""

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
    """Distinct phone strings, the same number of each length.

    Args:
        of_length: the number for each length; fewer if the chain has no more.
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
    """One string; at its end the chain starts again, like the next word of a compound."""
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
    """Distinct words that are not in the archive, the same number of each length.

    Args:
        counts: live alternatives of each word.
        of_length: the number for each length; fewer if the letters give no more.
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
    """The letters of one word; if none can follow, an initial letter does."""
    before = ""
    for _ in range(length):
        letters, cumulative = chain[before] if before in chain else chain[""]
        letter = letters[int(np.searchsorted(cumulative, rng.integers(cumulative[-1]), "right"))]
        yield letter
        before = before[-1:] + letter
