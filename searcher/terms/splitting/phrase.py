"""A whole term: split its unknown words, join its known words, remove and insert hyphens.

The term becomes a sequence of tokens, its words cut at hyphens; an edge covers one or more tokens:

    known token                                    die                -> die
    unknown token, split                           burganlagen        -> burg anlagen
    unknown token, written with a hyphen           polizeigewalt      -> polizei-gewalt
    neighbouring tokens, joined                    start menge        -> startmenge
      ... with a linking element or a hyphen       arbeit zeit        -> arbeitszeit

The n cheapest paths over all tokens are the variants. A hyphen is not pronounced and costs nothing
in similarity.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from searcher.terms.request import Variant
from searcher.terms.splitting import Splitter
from searcher.terms.splitting.matches import (
    DROPPED,
    DROPPED_COST,
    LINKING,
    LINKING_COST,
    MAX_LETTERS,
    Ranking,
    Split,
)
from searcher.terms.vocabulary import Vocabulary

JOIN_COST = 0.1  # a join changes the query, so the term as written goes first
MAX_JOINED = 3  # tokens that become one word


class Edge(NamedTuple):
    """A way to look up some neighbouring tokens."""

    start: int
    end: int
    words: tuple[str, ...]
    similarity: float  # eq. 2.3
    cost: float
    method: str
    how: str


class Path(NamedTuple):
    """A path over the first tokens of a term: its last edge, and the path before it."""

    cost: float
    spelt: int  # hash of all its words, to see that two paths say the same
    edge: Edge | None
    before: "Path | None"


def phrase_variants(words: Sequence[str], splitter: Splitter, n: int = 25) -> list[Variant]:
    """Find the n best word sequences of the vocabulary to look up for a term, best first.

    Args:
        words: the words of the term, normalised. If nothing can stand for one of them, the list is
            empty.
        n: the number of variants, and of the splits of each unknown word that compete for them.

    Returns:
        Variants, with the term itself (method ``exact``) first if the vocabulary
        has all of its words.
        ``similarity`` is eq. 2.3, averaged over the term's letters.
    """
    if n < 1:
        return []
    tokens, bounds = _tokens(words)
    edges = [
        *_words_as_written(words, bounds, splitter.vocabulary),
        *_joined(tokens, splitter.vocabulary),
    ]
    unknown = {token for token in tokens if token not in splitter.vocabulary}
    splits = {token: splitter.splits(token, n) for token in unknown}
    for i, token in enumerate(tokens):
        if token in unknown:
            edges += _split(i, token, splits[token], splitter.ranking)
    return [_variant(path, tokens) for path in _cheapest(len(tokens), edges, n)]


def similarity(letters: int, other_letters: int, distance: int) -> float:
    """Levenshtein similarity of two letter sequences, eq. 2.3; never below 0.

    >>> similarity(4, 6, 2)
    0.6
    """
    both = letters + other_letters
    return max(0.0, (both - 2 * distance) / both)


def _tokens(words: Sequence[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """Words cut at hyphens, and which tokens each word owns."""
    tokens: list[str] = []
    bounds = []
    for word in words:
        begin = len(tokens)
        tokens += [token for token in word.split("-") if token]
        bounds.append((begin, len(tokens)))
    return tokens, bounds


def _words_as_written(
    words: Sequence[str], bounds: Sequence[tuple[int, int]], vocabulary: Vocabulary
) -> Iterator[Edge]:
    for word, (start, end) in zip(words, bounds, strict=True):
        if start < end and word in vocabulary:
            yield Edge(start, end, (word,), 1.0, 0.0, "exact", "")
        if end - start > 1 or (end > start and "-" in word):
            for i, token in enumerate((t for t in word.split("-") if t), start):
                if token in vocabulary:
                    how = f"{word} without hyphen"
                    yield Edge(i, i + 1, (token,), 1.0, JOIN_COST, "split", how)


def _joined(tokens: Sequence[str], vocabulary: Vocabulary) -> Iterator[Edge]:
    """Known words that neighbouring tokens form together, or one token with a hyphen in it."""
    for start in range(len(tokens)):
        for end in range(start + 1, min(start + MAX_JOINED, len(tokens)) + 1):
            row = tokens[start:end]
            if sum(map(len, row)) > MAX_LETTERS:
                continue
            for word in _hyphenated(vocabulary).get("".join(row), ()):
                yield Edge(
                    start, end, (word,), 1.0, JOIN_COST, "join", f"{' '.join(row)} as {word}"
                )
            if end - start == 1:
                continue
            for stems in product(*map(_stems, row[:-1])):
                word = "".join(stem for stem, _, _ in stems) + row[-1]
                if word in vocabulary:
                    changed = sum(letters for _, letters, _ in stems)
                    alike = similarity(sum(map(len, row)), len(word), changed)
                    cost = JOIN_COST + sum(cost for _, _, cost in stems)
                    how = f"{' '.join(row)} as {word}"
                    yield Edge(start, end, (word,), alike, cost, "join", how)


def _stems(word: str) -> Iterator[tuple[str, int, float]]:
    """The forms of a word before another word in a compound: text, letters changed, cost."""
    yield word, 0, 0.0
    for element in LINKING:
        yield word + element, len(element), LINKING_COST
    for ending in DROPPED:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            yield word.removesuffix(ending), len(ending), DROPPED_COST


@lru_cache(maxsize=4)
def _hyphenated(vocabulary: Vocabulary) -> Mapping[str, Sequence[str]]:
    """The vocabulary's words with hyphens, by the same words without hyphens."""
    found: dict[str, list[str]] = {}
    for word in vocabulary.words:
        if "-" in word:
            found.setdefault(word.replace("-", ""), []).append(word)
    return found


def _split(at: int, token: str, splits: Sequence[Split], ranking: Ranking) -> Iterator[Edge]:
    for one in splits:
        weighted = ranking == "weighted"
        cost = -one.quality if weighted else -math.log(max(one.quality, 1e-300))
        alike = similarity(len(token), sum(map(len, one.parts)), one.distance)
        how = f"{'|'.join(one.segments)} as {' '.join(one.parts)}"
        yield Edge(at, at + 1, one.parts, alike, cost, "split", how)


def _cheapest(tokens: int, edges: Sequence[Edge], n: int) -> list[Path]:
    """The n cheapest paths over all tokens; of equal word sequences the cheapest."""
    arriving: list[list[Edge]] = [[] for _ in range(tokens + 1)]
    for edge in edges:
        arriving[edge.end].append(edge)
    ways: list[list[Path]] = [[Path(0.0, 0, None, None)]]
    for end in range(1, tokens + 1):
        best: dict[int, Path] = {}
        for edge in arriving[end]:
            for before in ways[edge.start]:
                spelt = before.spelt
                for word in edge.words:
                    spelt = hash((spelt, word))
                cost = before.cost + edge.cost
                if spelt not in best or cost < best[spelt].cost:
                    best[spelt] = Path(cost, spelt, edge, before)
        ways.append(sorted(best.values(), key=lambda path: path.cost)[:n])
    return ways[tokens] if tokens else []


def _variant(path: Path, tokens: Sequence[str]) -> Variant:
    edges: list[Edge] = []
    step: Path | None = path
    while step and step.edge:
        edges.insert(0, step.edge)
        step = step.before
    letters = [sum(map(len, tokens[edge.start : edge.end])) for edge in edges]
    alike = sum(n * edge.similarity for n, edge in zip(letters, edges, strict=True))
    changed = dict.fromkeys(edge.method for edge in edges if edge.method != "exact")
    hows = dict.fromkeys(edge.how for edge in edges if edge.how)
    return Variant(
        tuple(word for edge in edges for word in edge.words),
        alike / sum(letters),
        "+".join(changed) or "exact",
        "; ".join(hows),
    )
