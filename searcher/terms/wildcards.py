"""Wildcards: a word with ``*`` stands for the words of the index that fit it.

    expand      robo* -> robot, roboter, ...: the words that fit, or the most frequent of them
    union       the postings of all these words -> the postings of one word, for joins
    spell_out   spans -> sequences of words
    spelt       a sequence -> its words as texts

The words of one slot exclude each other, so the posterior of ``robo*`` there is the sum of
theirs. A phrase with wildcards is joined once for all their words.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from std.numbers import counted
from std.store.columns import Postings
from std.values import Int64s

STAR = "*"
SHOWN = 10  # shown words of a wildcard


class Expansion(NamedTuple):
    """The words that a wildcard stands for."""

    words: tuple[str, ...]  # searched words, the most frequent first
    fitting: int  # words of the vocabulary that fit
    limited: bool = False  # whether more words fit than are searched

    def within(self, in_vocabulary: Collection[str]) -> "Expansion":
        """The expansion without words of deleted recordings only."""
        words = tuple(word for word in self.words if word in in_vocabulary)
        return Expansion(words, self.fitting if self.limited else len(words), self.limited)


class Union(NamedTuple):
    """The postings of several words as those of one word, one per slot."""

    postings: Postings
    words: tuple[str, ...]  # ascending
    slots: Int64s  # (n,) ascending
    likeliest: Int64s  # (n,) of each slot, its likeliest of the words


def is_wildcard(word: str) -> bool:
    """Whether a word has wildcards.

    >>> is_wildcard("robo*"), is_wildcard("robot")
    (True, False)
    """
    return STAR in word


def expand(patterns: Iterable[str], counts: Mapping[str, int], limit: int) -> dict[str, Expansion]:
    """The words of each wildcard.

    Args:
        patterns: normalised words with ``*``, each for any letters or none.
        counts: the vocabulary with its number of postings, ascending by word.
        limit: words that one wildcard may stand for; of more, the most frequent.
    """
    words, expansions = list(counts), {}
    for pattern in patterns:
        head = pattern.partition(STAR)[0]
        fitting = []
        for word in islice(words, bisect_left(words, head), None):
            if not word.startswith(head):
                break
            if fits(pattern, word):
                fitting.append(word)
        ranked = sorted(fitting, key=lambda word: (-counts[word], word))
        expansions[pattern] = Expansion(tuple(ranked[:limit]), len(fitting), len(fitting) > limit)
    return expansions


def described(expansion: Expansion) -> str:
    """Describe the words of a wildcard.

    >>> described(Expansion(("robot", "robots"), 2))
    '2 words of the index: robot, robots'
    """
    if not expansion.words:
        return "no word of the index fits"
    words = ", ".join(expansion.words[:SHOWN]) + (" ..." if len(expansion.words) > SHOWN else "")
    number = f"{counted(expansion.fitting, 'word')} of the index"
    if not expansion.limited:
        return f"{number}: {words}"
    return (
        f"{number}, of which the {len(expansion.words):,} most frequent are searched "
        f"([search] wildcard_words): {words}"
    )


def fits(pattern: str, word: str) -> bool:
    """Whether a word fits a pattern with at least one ``*``, in time linear in the word.

    >>> [fits("r*b*t", word) for word in ("rbt", "robot", "robots", "rt")]
    [True, True, False, False]
    """
    head, *middle, tail = pattern.split(STAR)
    at, end = len(head), len(word) - len(tail)
    if at > end or not (word.startswith(head) and word.endswith(tail)):
        return False
    for piece in middle:  # the first position of each is sufficient
        at = word.find(piece, at, end)
        if at < 0:
            return False
        at += len(piece)
    return True


def union(postings: Mapping[str, Postings]) -> Union:
    """Combine postings of words: posteriors of a slot are summed; its likeliest gives times."""
    words = tuple(sorted(postings))
    parts = [postings[word] for word in words]
    combined = Postings._make(np.concatenate(columns) for columns in zip(*parts, strict=True))
    word = np.repeat(np.arange(len(words)), [len(part.key) for part in parts])
    order = _by_slot(combined)
    slot = combined.slot[order]
    first = np.flatnonzero(np.concatenate([[True], slot[1:] != slot[:-1]]))
    total = np.add.reduceat(combined.posterior[order].astype(np.float64), first)
    best = order[first]
    summed = combined.rows(best)._replace(posterior=np.minimum(total, 1).astype(np.float32))
    return Union(
        summed.rows(np.lexsort((summed.slot, summed.key))),
        words,
        summed.slot.astype(np.int64),
        word[best],
    )


def _by_slot(postings: Postings) -> Int64s:
    """(n,) rows by slot; of one slot the likeliest first, then as they are."""
    likely = postings.posterior.astype(np.float32).view(np.uint32)  # ordered as its bits are
    place = (postings.slot.astype(np.uint64) << np.uint64(32)) | (~likely).astype(np.uint64)
    return np.argsort(place, kind="stable")


def spell_out(
    words: Sequence[str], slots: Int64s, unions: Mapping[str, Union]
) -> tuple[Int64s, Int64s]:
    """The words at the places of a term with wildcards.

    Args:
        slots: (n, words) of each span.

    Returns:
        (sequences, wildcards) the distinct word sequences, by numbers of the wildcards' words; (n,)
        the sequence of each span.
    """
    starred = [(i, unions[word]) for i, word in enumerate(words) if word in unions]
    which, first = np.zeros(len(slots), np.int64), np.zeros(0, np.int64)
    columns = []
    for i, of_word in starred:
        columns.append(of_word.likeliest[np.searchsorted(of_word.slots, slots[:, i])])
        number = which * len(of_word.words) + columns[-1]
        _, first, which = np.unique(number, return_index=True, return_inverse=True)
        which = which.reshape(-1)
    return np.stack(columns, axis=1)[first], which


def spelt(
    words: Sequence[str], sequences: Int64s, unions: Mapping[str, Union]
) -> list[tuple[str, ...]]:
    """The words of sequences that `spell_out` found for a term."""
    of_words, starred = [], iter(sequences.T.tolist())
    for word in words:
        if word in unions:
            known = unions[word].words
            of_words.append([known[i] for i in next(starred)])
        else:
            of_words.append([word] * len(sequences))
    return list(zip(*of_words, strict=True))
