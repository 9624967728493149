"""Hits inside other words: the term's letters are a part of the recogniser's words.

within_words    detections -> for each, the words that contain it, or None
    kind_of         words of a term, words written there -> form, part or apart

    form     a related form of the term (jüngling: jünglings; wissenschaftler: wissenschaftlich)
    part     a longer word that has the term in it (nacional: internacionales)
    apart    several words for one word of the term (hierdoor: hier door)

An evaluation by words counts the first two kinds as false alarms, and the third as right if the
reference writes one word; a person may want all kinds. The posterior of the recogniser's words is
kept with each hit, because it distinguishes them from the term itself.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from searcher.index.copies import NO_COPIES, Copies
from searcher.output.context import Context, by_segment
from searcher.results.hits import WithinWord, WordKind
from searcher.results.search_result import SearchResult
from searcher.terms.related_forms import RelatedForms, letters
from std.store import Segment

OWN_WORDS = ("exact", "wildcard", "inflection", "example")  # the term's own words, or none
FEWEST_LETTERS = 3  # least letters of a term that are not in a word by chance


def within_words(
    found: SearchResult,
    contexts: Sequence[Context],
    segments: Sequence[Segment],
    forms: RelatedForms,
    copies: Copies = NO_COPIES,
) -> list[WithinWord | None]:
    """(n,) the words that contain each detection.

    Args:
        found: what a search returns; its candidates have slots.
        contexts: (n,) the words around each.
        segments: the segments that were searched.
        forms: the forms of the index's words.
        copies: the copies of the recordings.
    """

    @cache
    def kind(words: tuple[str, ...], written: tuple[str, ...]) -> tuple[WordKind, str] | None:
        return kind_of(words, written, forms)

    table = found.candidates
    inside: list[WithinWord | None] = [None] * len(table.term)
    rows = zip(table.term.tolist(), table.variant.tolist(), contexts, strict=True)
    for row, (term, variant, context) in enumerate(rows):
        one = found.variants[variant]
        if one.method not in OWN_WORDS and not found.form_of:
            written = one.words or tuple(context.likeliest.replace("?", "").split())
            if of_term := kind(found.words[term], written):
                inside[row] = WithinWord(*of_term, 0.0)
    some = np.flatnonzero([one is not None for one in inside])
    places = by_segment(table.rows(some), found.recordings, segments, copies)
    for numbers, here, segment in places:
        chosen = [(row, inside[row]) for row in some[numbers].tolist()]
        postings = segment.postings({w for _, one in chosen if one for w in one.word.split()})
        slots = zip(here.first_slot.tolist(), here.last_slot.tolist(), strict=True)
        for (row, one), (first, last) in zip(chosen, slots, strict=True):
            assert one is not None
            posteriors = [0.0]
            for word in filter(postings.__contains__, one.word.split()):
                of_word = postings[word]
                there = (of_word.slot >= first) & (of_word.slot <= last)
                posteriors.append(float(of_word.posterior[there].max(initial=0.0)))
            least = min(posteriors[1:], default=0.0)
            inside[row] = one._replace(posterior=least)
    return inside


def kind_of(
    words: Sequence[str], written: Sequence[str], forms: RelatedForms
) -> tuple[WordKind, str] | None:
    """The way in which written words contain a term, and the word that does.

    Args:
        words: the words of the term, normalised.
        written: the words written at its place.
        forms: the forms of the index's words.

    >>> from searcher.terms.vocabulary import of_words
    >>> forms = RelatedForms(of_words(["jünglings"]))
    >>> kind_of(["jüngling"], ["des", "jünglings"], forms)
    ('form', 'jünglings')
    >>> kind_of(["nacional"], ["internacionales"], forms)
    ('part', 'internacionales')
    >>> kind_of(["hierdoor"], ["en", "hier", "door"], forms)
    ('apart', 'hier door')
    """
    term = letters("".join(words))
    if len(term) < FEWEST_LETTERS:
        return None
    for word in written:
        spelt = letters(word)
        if spelt == term:
            return None
        if len(words) == 1 and forms.is_form(words[0], word):
            return "form", word
        if term in spelt:
            return "part", word
    for first in range(len(written)):
        joined = ""
        for last in range(first, min(len(written), first + 2 * len(words) + 2)):
            joined += letters(written[last])
            if joined == term and last - first >= len(words):
                return "apart", " ".join(written[first : last + 1])
    return None
