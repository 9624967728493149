"""What the terms of a search are looked up as, in the segments of one language.

variants_in        of written terms: themselves; if a word is not in the segments, what
                   `searcher.terms.variants` makes of it
spoken_variants    of spoken queries: all that the recogniser took them for
oov_words_in       words that no segment has, in whatever spelling
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

from searcher.terms.language_words import LanguageWords
from searcher.terms.request import SpokenWords
from searcher.terms.variant import Variant
from std.store import Segment

NOTHING: Mapping[str, tuple[str, ...]] = {}


def variants_in(
    terms: Sequence[tuple[str, ...]],
    language: LanguageWords,
    wildcards: Collection[str] = (),
    spelt: Mapping[str, tuple[str, ...]] = NOTHING,
) -> list[list[Variant]]:
    """What each term is looked up as; the vocabulary is put together only if a term needs it.

    Args:
        terms: the words of each.
        language: whose vocabulary terms are split and expanded into; its configuration says which.
        wildcards: words with *; a term with one of them is looked up as it is.
        spelt: words that the segments may have in other spellings, and these.
    """
    has_wildcard = [any(word in wildcards for word in words) for words in terms]
    others = [words for words, has in zip(terms, has_wildcard, strict=True) if not has]
    of_others = iter(_variants(others, language, spelt))
    return [
        [Variant(words, method="wildcard")] if has else next(of_others)
        for words, has in zip(terms, has_wildcard, strict=True)
    ]


def _variants(
    terms: Sequence[tuple[str, ...]],
    language: LanguageWords,
    spelt: Mapping[str, tuple[str, ...]],
) -> list[list[Variant]]:
    """What terms without wildcards are looked up as."""
    selected = {language.config.splitting.words, language.config.expansion.words}
    if selected == {"none"} or (
        "all" not in selected and not oov_words_in(terms, language.segments, spelt)
    ):
        return [[Variant(words)] for words in terms]
    generator = language.generator
    vocabulary = generator.vocabulary
    known = {word for word, same in spelt.items() if any(one in vocabulary for one in same)}
    return generator.variants(terms, known)


def spoken_variants(alternatives: Sequence[SpokenWords]) -> list[Variant]:
    """The word sequences of a spoken query, each looked up with its weight as similarity."""
    weights: dict[tuple[str, ...], float] = {}
    for words, weight in alternatives:
        weights[words] = weights.get(words, 0.0) + weight
    return [Variant(words, weight, "spoken", " ".join(words)) for words, weight in weights.items()]


def oov_words_in(
    terms: Sequence[tuple[str, ...]],
    segments: Sequence[Segment],
    spelt: Mapping[str, tuple[str, ...]] = NOTHING,
) -> set[str]:
    """Words of the terms that no segment's vocabulary has, in whatever spelling."""
    oov_words = {word for words in terms for word in words}
    for segment in segments:
        vocabulary = segment.words()
        for word in list(oov_words):
            if any(_has(vocabulary, same) for same in spelt.get(word, (word,))):
                oov_words.remove(word)
    return oov_words


def _has(vocabulary: Sequence[str], word: str) -> bool:
    row = bisect_left(vocabulary, word)
    return row < len(vocabulary) and vocabulary[row] == word
