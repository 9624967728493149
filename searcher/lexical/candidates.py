"""Lexical search for terms: words in, candidates out, in the segments of one language.

find_by_words
    same_words       other spellings of the terms' words (`searcher.terms.typed_words`), and
    found_spellings      in which of them these words are found
    typed_words      what people type for words of the index (`searcher.terms.typed_words`)
    variants_in      the word sequences that are looked up (`searcher.terms.language_words`)
    search_segment   look-up and join in every segment, by any worker (`searcher.lexical.lookup`)
    VariantTable     one numbering of the variants of all segments
"""

from collections.abc import Sequence

import numpy as np

from searcher.lexical.lookup import Plan, require_few, search_segment
from searcher.results.candidates import Candidates, TermPlaces, concatenate, in_order
from searcher.terms.language_words import LanguageWords, oov_words_in, variants_in
from searcher.terms.request import Request, Variant
from searcher.terms.typed_words import found_spellings, same_words, typed_words
from std.values import Int64s


def find_by_words(request: Request, language: LanguageWords) -> TermPlaces:
    """Look up the variants of every term in every segment."""
    spelt, stands_for, typed = _looked_up(request, language)
    of_term = variants_in(request.written, language, request.wildcards, spelt)
    of_term += [[] for _ in request.spoken]  # found by sound; their alternatives are terms
    variants = tuple(variant for variants in of_term for variant in variants)
    plan = Plan(
        variants,
        np.repeat(np.arange(len(of_term)), [len(variants) for variants in of_term]),
        language.config,
        request.excerpts,
        {**{pattern: one.words for pattern, one in request.wildcards.items()}, **stands_for},
        typed,
        spoken_by=request.spoken_by,
    )
    tasks = [
        (piece, segment)
        for segment in language.segments
        for piece in plan.pieces(language.segments, request.workers)
    ]
    rows = dict(zip(language.segments, language.rows, strict=True))
    found_words: set[str] = set()
    outside_ecf, parts, variant_table = 0, [], VariantTable(variants)
    n_candidates, cut = 0, frozenset[int]()
    results = request.workers.map(search_segment, tasks)
    for (piece, segment), part in zip(tasks, results, strict=True):
        found_words |= part.found_words
        outside_ecf += part.outside_ecf
        n_candidates += len(part.candidates.term)
        require_few(n_candidates, language.config)
        cut |= part.cut
        parts.append(variant_table.renumbered(part, piece, rows[segment]))
    candidates = parts[0] if len(parts) == 1 else in_order(concatenate(parts))
    found_words |= spelt.keys() - oov_words_in([tuple(spelt)], language, spelt)
    corrected = frozenset[str]()
    if language.only_corrected:
        words = {word for term in request.words for word in term} - request.wildcards.keys()
        corrected = frozenset(oov_words_in([tuple(words)], language, spelt))
    found = TermPlaces(candidates, variant_table.all(), found_words, outside_ecf, cut, corrected)
    # The words of a spoken query are a guess, so it is a separate kind of term.
    return found._replace(
        is_oov=(found.unwritten(request.words) > 0) & ~request.is_spoken,
        attached={
            word: others
            for word, every in spelt.items()
            if (others := frozenset(every).difference(stands_for[word]))
        },
    )


def _looked_up(request: Request, language: LanguageWords) -> tuple[dict[str, tuple[str, ...]], ...]:
    """Three tables of words of the index, by the words of the terms.

    They are the words that make a word known, itself included; the words that it stands for; and
    the words for which it may be typed."""
    segments, code = language.segments, language.language
    words = {word for term in request.words for word in term}
    is_exact = language.config.search.spelling == "exact"
    spelt = {} if is_exact else same_words(words, segments, code)
    fold = request.fold_accents and not is_exact
    typed = typed_words(words, segments, code, fold=fold)
    with_article = request.is_typed or language.config.search.spelling == "elided"
    stands_for = found_spellings(spelt, code, with_article=with_article)
    for of_word in (spelt, stands_for):
        for word, others in typed.items():
            of_word[word] = tuple(sorted({word, *of_word.get(word, ()), *others}))
    return spelt, stands_for, typed


class VariantTable:
    """The variants of a search, and those that wildcards become in its segments."""

    def __init__(self, planned: Sequence[Variant]) -> None:
        self._planned = tuple(planned)
        self._expanded: dict[tuple[int, Variant], int] = {}  # by family, in order of appearance

    def renumbered(self, part: TermPlaces, piece: Plan, recordings: Int64s) -> Candidates:
        """A segment's candidates of a piece of the plan, with the numbers of the whole search.

        Args:
            part: the part of the segment: its variants are those that wildcards of the piece
                become.
            recordings: (R,) row of each of the segment's recordings in the search's table.
        """
        candidates, first = part.candidates, piece.first_variant
        if not part.variants:
            return candidates._replace(
                recording=recordings[candidates.recording],
                variant=candidates.variant + first,
                family=candidates.family + first,
            )
        numbers = np.arange(first, first + len(piece.variants) + len(part.variants))
        at = candidates.variant - len(piece.variants)
        of_wildcards = np.flatnonzero(at >= 0)
        expanded, some = np.unique(at[of_wildcards], return_index=True)
        families = candidates.family[of_wildcards[some]] + first
        for i, family in zip(expanded.tolist(), families.tolist(), strict=True):
            key = family, part.variants[i]
            number = self._expanded.setdefault(key, len(self._planned) + len(self._expanded))
            numbers[len(piece.variants) + i] = number
        return candidates._replace(
            recording=recordings[candidates.recording],
            variant=numbers[candidates.variant],
            family=candidates.family + first,
        )

    def all(self) -> tuple[Variant, ...]:
        """Every variant that candidates may point to."""
        return (*self._planned, *(variant for _, variant in self._expanded))
