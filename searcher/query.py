"""What a term becomes, without searching: its words, their splits, what is spelt like them."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searcher.lexical.wildcards import described as in_words
from searcher.lexical.wildcards import expand as expand_wildcards
from searcher.lexical.wildcards import is_wildcard
from searcher.splitting import Splitter
from searcher.splitting.matches import Matches
from searcher.splitting.phrase import phrase_variants
from searcher.splitting.ranking import best_splits
from searcher.variant import Variant
from searcher.vocabulary import Vocabulary
from std.errors import InputError
from std.text import Normalisation

Expansion = Callable[[Sequence[str], int], list[list[tuple[str, float]]]]


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for beside the splits."""

    nbest: int = 25  # splits of a word, and variants of a term
    candidates: int = 50  # similar words of each expansion
    all_words: bool = False  # split and expand known words as well
    all_matches: bool = False  # report every match of every word
    expansions: Mapping[str, Expansion] = field(default_factory=dict)  # by name
    wildcard_words: int = 1000  # that a wildcard stands for


def words_of(term: str, normalisation: Normalisation) -> tuple[str, ...]:
    """Normalise a term's words.

    Raises:
        InputError: there is no letter and no digit in it, or in one of its wildcards.
    """
    words = normalisation.phrase(term)
    for word in words:
        if is_wildcard(word) and not any(letter.isalnum() for letter in word):
            raise InputError(
                "TERM", 0, "letters beside * (robo*, *arbeit, r*t: * stands for letters of a word)",
                term,
            )  # fmt: skip
    if not any(letter.isalnum() for word in words for letter in word):
        raise InputError("TERM", 0, "a word or a phrase", term)
    return words


def query(
    term: str, splitter: Splitter, normalisation: Normalisation, options: Options
) -> dict[str, Any]:
    """Describe one term as `std-query --json` prints it.

    ``seconds`` is the time for everything here; ``split_seconds`` the processor time for the
    matches and splits of the words, which other programs on the machine do not change.

    Raises:
        InputError: the term has no word.
        WordTooLongError: a word is too long to split.
    """
    began = time.perf_counter()
    words = words_of(term, normalisation)
    vocabulary = splitter.vocabulary
    starred = [is_wildcard(word) for word in words]
    unknown = [
        not star and (word not in vocabulary or options.all_words)
        for word, star in zip(words, starred, strict=True)
    ]
    split_seconds = 0.0
    described: list[dict[str, Any]] = []
    for word, wanted, star in zip(words, unknown, starred, strict=True):
        if star:
            described.append(wildcard(word, vocabulary, options.wildcard_words))
            continue
        one: dict[str, Any] = {"word": word, "in_vocabulary": word in vocabulary, "splits": []}
        if wanted or options.all_matches:
            start = time.process_time()
            matches = splitter.matches(word)
            splits = (
                best_splits(word, matches, vocabulary, options.nbest, splitter.ranking)
                if wanted
                else []
            )
            split_seconds += time.process_time() - start
            one["splits"] = [split._asdict() for split in splits]
            if options.all_matches:
                one["matches"] = rows(matches, vocabulary.words)
        described.append(one)
    asked = [word for word, wanted in zip(words, unknown, strict=True) if wanted]
    for name, expand in options.expansions.items():
        similar = iter(expand(asked, options.candidates) if asked else [])
        for one, wanted in zip(described, unknown, strict=True):
            one[name] = next(similar) if wanted else []
    if any(starred):
        how = "; ".join(one["how"] for one in described if "how" in one)
        variants = [Variant(words, channel="wildcard", how=how)]
    else:
        variants = phrase_variants(words, splitter, options.nbest)
    return {
        "term": term,
        "words": described,
        "variants": [
            {
                "words": one.words,
                "similarity": one.similarity,
                "channel": one.channel,
                "how": one.how,
            }
            for one in variants
        ],
        "seconds": time.perf_counter() - began,
        "split_seconds": split_seconds,
    }


def wildcard(pattern: str, vocabulary: Vocabulary, most: int) -> dict[str, Any]:
    """What a word with * stands for: the words that fit and how often they occur."""
    counts = dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))
    expansion = expand_wildcards([pattern], counts, most)[pattern]
    return {
        "word": pattern,
        "in_vocabulary": bool(expansion.words),
        "splits": [],
        "wildcard": [(word, counts[word]) for word in expansion.words],
        "fitting": expansion.fitting,
        "how": f"{pattern}: {in_words(expansion)}",
    }


def rows(matches: Matches, words: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """Matches as (start, end, word, distance), ascending."""
    columns = (matches.start, matches.end, matches.id, matches.distance)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(start, end, words[i], distance) for start, end, i, distance in rows]
