"""What the terms of a search are looked up as, in the segments of one language.

variants_in        of written terms: themselves; if a word is not in the segments, what
                   `searcher.variants` makes of it
spoken_variants    of spoken queries: all that the recogniser took them for
oov_words_in       words that no segment has, in whatever spelling
"""

from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from searcher.variant import Variant
from searcher.vocabulary import of_counts
from std.config import Config
from std.spoken_queries import SpokenQuery
from std.store import Segment, vocabulary_counts
from std.text import Normalisation

NOTHING: Mapping[str, tuple[str, ...]] = {}


def variants_in(
    terms: Sequence[tuple[str, ...]],
    segments: Sequence[Segment],
    config: Config,
    index_folder: Path | None,
    wildcards: Collection[str] = (),
    spelt: Mapping[str, tuple[str, ...]] = NOTHING,
) -> list[list[Variant]]:
    """What each term is looked up as; the vocabulary is put together only if a term needs it.

    Args:
        terms: the words of each.
        segments: whose vocabulary terms are split and expanded into.
        config: says which terms are.
        index_folder: where what is built from the vocabulary is kept, if anywhere.
        wildcards: words with *; a term with one of them is looked up as it is.
        spelt: words that the segments may have in other spellings, and these.
    """
    if any(word in wildcards for words in terms for word in words):
        others = [words for words in terms if not any(word in wildcards for word in words)]
        variants_of_others = iter(variants_in(others, segments, config, index_folder, (), spelt))
        return [
            [Variant(words, method="wildcard")]
            if any(word in wildcards for word in words)
            else next(variants_of_others)
            for words in terms
        ]
    wanted = {config.splitting.words, config.expansion.words}
    if wanted == {"none"} or ("all" not in wanted and not oov_words_in(terms, segments, spelt)):
        return [[Variant(words)] for words in terms]
    from searcher.variants import variants

    counts = vocabulary_counts(segments)
    known = {word for word, same in spelt.items() if any(one in counts for one in same)}
    return variants(terms, of_counts(counts), config, index_folder, known)


def spoken_variants(query: SpokenQuery, normalisation: Normalisation) -> list[Variant]:
    """The word sequences of a spoken query, each looked up with its weight as similarity."""
    weights: dict[tuple[str, ...], float] = {}
    for one in query.alternatives:
        words = normalisation.phrase(one.words)
        weights[words] = weights.get(words, 0.0) + one.weight
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
