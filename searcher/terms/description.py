"""The description of one term: its words, their splits, similar words, and its variants.

query                as `std-search --explain-query --json` prints it
    words_of             the words, normalised
    describe_word        spellings and splits of a word, and all its matches
    describe_wildcard    the words that one with * stands for
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from searcher.terms.request import Variant
from searcher.terms.splitting import Splitter
from searcher.terms.splitting.matches import Matches, best_splits
from searcher.terms.typed_words import looked_up
from searcher.terms.variants import VariantGenerator
from searcher.terms.vocabulary import Vocabulary
from searcher.terms.wildcards import described as in_words
from searcher.terms.wildcards import expand as expand_wildcards
from searcher.terms.wildcards import is_wildcard
from std.errors import InputError, require_kind
from std.execution.cost import Stopwatch
from std.text import Normalisation
from std.values import SearchMode

Expansion = Callable[[Sequence[str], int], list[list[tuple[str, float]]]]
Spellings = Callable[[str], Sequence[tuple[str, int]]]  # of a word: other spellings with counts


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a description."""

    nbest: int = 25  # splits of a word, and variants of a term
    candidates: int = 50  # similar words of each expansion
    all_words: bool = False  # split and expand in-vocabulary words as well
    all_matches: bool = False  # report every match of every word
    expansions: Mapping[str, Expansion] = field(default_factory=dict)  # by name
    wildcard_words: int = 1000  # that a wildcard stands for
    spellings: Spellings = lambda word: ()  # that a search finds
    known: Spellings = lambda word: ()  # that the recogniser writes, with endings, too
    generators: Sequence[VariantGenerator] = ()  # generators of each language, as in searches
    mode: SearchMode = "adhoc"  # who asks


def query(
    term: str, splitter: Splitter, normalisation: Normalisation, options: Options
) -> dict[str, Any]:
    """Describe one term as `std-search --explain-query --json` prints it.

    It includes the total cost (`std.execution.cost.Cost`); ``split_seconds`` is the CPU time of
    matches and splits.

    Raises:
        InputError: the term has no word.
        WordTooLongError: a word is too long to split.
    """
    started = Stopwatch()
    vocabulary = splitter.vocabulary
    words = looked_up(words_of(term, normalisation, options.mode), vocabulary.__contains__)
    stars = set() if options.mode == "list" else set(filter(is_wildcard, words))
    spelt = {word: list(options.spellings(word)) for word in words if word not in stars}
    known = {word: options.known(word) for word in spelt}
    split = {
        word for word, others in known.items()
        if options.all_words or not (others or word in vocabulary)
    }  # fmt: skip
    split_seconds = 0.0
    descriptions: list[dict[str, Any]] = []
    for word in words:
        if word in stars:
            descriptions.append(describe_wildcard(word, vocabulary, options.wildcard_words))
            continue
        start = time.process_time()
        descriptions.append(
            describe_word(
                word,
                spelt[word],
                splitter,
                options,
                is_known=bool(known[word]),
                split=word in split,
            )
        )
        split_seconds += time.process_time() - start
    expanded = [word for word in words if word in split]
    for name, expand in options.expansions.items():
        similar = iter(expand(expanded, options.candidates) if expanded else [])
        for word, description in zip(words, descriptions, strict=True):
            description[name] = next(similar) if word in split else []
    return {
        "term": term,
        "words": descriptions,
        "variants": list(map(_described, _variants(words, descriptions, spelt, known, options))),
        **started.cost()._asdict(),
        "split_seconds": split_seconds,
    }


def words_of(
    term: str, normalisation: Normalisation, mode: SearchMode = "adhoc"
) -> tuple[str, ...]:
    """Normalise a term's words.

    Raises:
        InputError: the term, or one of its wildcards, has no letter and no digit.
        TypeError: the term is no text.
    """
    words = normalisation.phrase(require_kind("term", term, str, "a term as a text"))
    for word in words:
        if is_wildcard(word) and mode == "adhoc" and not any(letter.isalnum() for letter in word):
            raise InputError(
                "TERM", 0, "letters beside * (robo*, *arbeit, r*t: * stands for letters of a word)",
                term,
            )  # fmt: skip
    if not any(letter.isalnum() for word in words for letter in word):
        raise InputError("TERM", 0, "a word or a phrase", term)
    return words


def describe_word(
    word: str,
    others: Sequence[tuple[str, int]],
    splitter: Splitter,
    options: Options,
    *,
    is_known: bool,
    split: bool,
) -> dict[str, Any]:
    """A word with its other spellings, its splits and, on request, all its matches."""
    description: dict[str, Any] = {
        "word": word,
        "in_vocabulary": is_known or word in splitter.vocabulary,
        "spellings": others,
        "splits": [],
    }
    if not (split or options.all_matches):
        return description
    matches = splitter.matches(word)
    if split:
        splits = best_splits(word, matches, splitter.vocabulary, options.nbest, splitter.ranking)
        description["splits"] = [ranked._asdict() for ranked in splits]
    if options.all_matches:
        description["matches"] = match_rows(matches, splitter.vocabulary.words)
    return description


def describe_wildcard(pattern: str, vocabulary: Vocabulary, limit: int) -> dict[str, Any]:
    """The words that a word with * stands for, with counts."""
    counts = dict(zip(vocabulary.words, vocabulary.counts.tolist(), strict=True))
    expansion = expand_wildcards([pattern], counts, limit)[pattern]
    return {
        "word": pattern,
        "in_vocabulary": bool(expansion.words),
        "spellings": [],
        "splits": [],
        "wildcard": [(word, counts[word]) for word in expansion.words],
        "fitting": expansion.fitting,
        "how": f"{pattern}: {in_words(expansion)}",
    }


def _variants(
    words: tuple[str, ...],
    descriptions: Sequence[Mapping[str, Any]],
    spelt: Mapping[str, Sequence[tuple[str, int]]],
    known: Mapping[str, Sequence[tuple[str, int]]],
    options: Options,
) -> Sequence[Variant]:
    """The word sequences that a search looks up; the term itself only if a language has all words.

    Args:
        spelt: other spellings of words that are no wildcards, with their counts.
        known: the same, with spellings in which a search does not find the words.
    """
    if any(word not in spelt for word in words):
        how = "; ".join(word["how"] for word in descriptions if "how" in word)
        return [Variant(words, method="wildcard", how=how)]
    found: dict[tuple[str, ...], Variant] = {}
    for generator in options.generators:
        vocabulary = generator.vocabulary
        of_words, found_as = (
            {word for word in words if any(one in vocabulary for one, _ in others[word])}
            for others in (known, spelt)
        )
        for variant in generator.variants([words], of_words)[0]:
            if all(word in vocabulary or word in found_as for word in variant.words):
                found.setdefault(variant.words, variant)
    return list(found.values())


def _described(variant: Variant) -> dict[str, Any]:
    return {
        "words": variant.words,
        "similarity": variant.similarity,
        "channel": variant.method,
        "how": variant.how,
    }


def match_rows(matches: Matches, words: Sequence[str]) -> list[tuple[int, int, str, int]]:
    """Matches as (start, end, word, distance), ascending."""
    columns = (matches.start, matches.end, matches.id, matches.distance)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [(start, end, words[i], distance) for start, end, i, distance in rows]
