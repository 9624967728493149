"""Words that sound like an unknown word: weighted edit distance over phones.

The distance measures how likely the recogniser's confusions turn the query's phones into the
word's. It sums, over an alignment, log P(a | a) - log P(b | a) for each phone a recognised as b,
and the additional costs of deletions and insertions; the similarity is

    exp(-distance / number of phones of the query)

the geometric mean per phone of the probability ratio of the word to the query itself: 1 for words
that sound the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from searcher.terms.expansion.spelling import Similar
from searcher.terms.vocabulary import Vocabulary
from std.config import Config
from std.phonetics.confusion import Counts, empty, probabilities, widened
from std.phonetics.lexicon import Lexicon, PhoneTable, cached, lexicon_for
from std.phonetics.phones import Pronunciation
from std.store.columns import Int64s, UInt8s
from std.values import Float32s

MAX_PHONES = 200
LEFT_OUT = 0.02  # probability of an inserted or deleted phone between complete words


@dataclass(frozen=True, slots=True, eq=False)
class SoundTable:
    """The words of a vocabulary by number of phones, so that many are compared at once."""

    vocabulary: Vocabulary
    lexicon: Lexicon
    counts: Counts  # counted confusions
    inventory: tuple[str, ...]
    words: Int64s  # (n,) ids of the words with phones, by number of phones
    lengths: Int64s  # (g,) numbers of phones that occur, ascending
    group_offsets: Int64s  # (g + 1,) words of group g are words[offsets[g]:offsets[g + 1]]
    phones: UInt8s  # group by group: phone i of word j at begin + i * size + j

    def similar(self, queries: Sequence[str], n: int = 50) -> list[Similar]:
        """Find the n most similar other words of each query; equal similarities go by word."""
        found = []
        for query, ways in zip(queries, self.lexicon.pronunciations(queries), strict=True):
            best: dict[str, float] = {}
            for phones in ways:
                for word, similarity in self._closest(phones, query, n):
                    best[word] = max(similarity, best.get(word, 0.0))
            ranked = sorted(best.items(), key=lambda one: (-one[1], one[0]))
            found.append(ranked[: max(n, 0)])
        return found

    def _closest(self, phones: Pronunciation, query: str, n: int) -> Similar:
        from searcher.terms.expansion.kernels import sound_distances

        if not 0 < len(phones) <= MAX_PHONES or n < 1 or not len(self.words):
            return []
        substitution, deletion, insertion = self._costs(phones)
        distance = sound_distances(
            substitution, deletion, insertion, self.lengths, self.group_offsets, self.phones
        )
        enough = min(n + 1, len(distance))  # the query itself may be included
        limit = np.partition(distance, enough - 1)[enough - 1]
        rows = np.flatnonzero(distance <= limit)
        order = rows[np.lexsort((self.words[rows], distance[rows]))]
        similarity = np.exp(-np.maximum(distance[order], 0.0) / len(phones))
        words = [self.vocabulary.words[self.words[row]] for row in order.tolist()]
        pairs = zip(words, similarity.astype(float).tolist(), strict=True)
        return [pair for pair in pairs if pair[0] != query][:n]

    def _costs(self, phones: Pronunciation) -> tuple[Float32s, Float32s, Float32s]:
        """substitution (Q, P), deletion (Q,), insertion (P,) for one query."""
        both = sorted({*self.inventory, *phones})
        row = {phone: i for i, phone in enumerate(both)}
        observed, deleted = probabilities(widened(self.counts, both))
        said = [row[phone] for phone in phones]
        there = [row[phone] for phone in self.inventory]
        same = np.log(np.diag(observed)[said])
        substitution = same[:, None] - np.log(observed[np.ix_(said, there)])
        deletion = np.maximum(same - np.log(deleted[said]), -np.log(LEFT_OUT))
        insertion = np.full(len(there), -np.log(LEFT_OUT))
        return (
            np.ascontiguousarray(np.maximum(substitution, 0.0), np.float32),
            deletion.astype(np.float32),
            insertion.astype(np.float32),
        )


def build(vocabulary: Vocabulary, config: Config, counts: Counts | None = None) -> SoundTable:
    """Pronounce a vocabulary.

    Args:
        counts: confusions that `std-tune` counted; None = articulatory distances alone.

    Raises:
        ConfigError: the language is not known, or its converter is not installed.
    """
    frequent = partial(zip, vocabulary.words, vocabulary.counts.tolist(), strict=True)
    lexicon = lexicon_for(config.pronunciation, config.text, lambda: dict(frequent()))
    return arranged(vocabulary, lexicon, cached(vocabulary.words, lexicon), counts)


def arranged(
    vocabulary: Vocabulary, lexicon: Lexicon, table: PhoneTable, counts: Counts | None = None
) -> SoundTable:
    """Arrange pronunciations by length for vector instructions."""
    size = np.diff(table.offsets)
    words = np.argsort(size, kind="stable")
    words = words[np.searchsorted(size[words], 1) :]
    lengths, begins = np.unique(size[words], return_index=True)
    bounds = np.append(begins, len(words))
    pieces = [np.empty(0, np.uint8)]
    for length, first, last in zip(lengths.tolist(), bounds[:-1], bounds[1:], strict=True):
        starts = table.offsets[words[first:last]]
        pieces.append(table.phones[starts[None, :] + np.arange(length)[:, None]].reshape(-1))
    return SoundTable(
        vocabulary,
        lexicon,
        counts or empty([]),
        table.inventory,
        words,
        lengths,
        bounds.astype(np.int64),
        np.concatenate(pieces),
    )
