"""Hits with their explanations: how each was found, the words that contain it, the figures.

explained       hits -> hits with explanations
summary         the figures of a search
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
from typing import Any

import numpy as np

from searcher.decisions import THRESHOLD
from searcher.index.copies import NO_COPIES, Copies
from searcher.output.context import Context, by_segment
from searcher.results.hits import Finding, HitColumns, WithinWord, WordKind
from searcher.results.search_result import FROM, SearchResult
from searcher.terms.related_forms import RelatedForms, letters
from std.characters import text_of
from std.errors import cut
from std.metadata.table import NO_METADATA, Metadata
from std.store import Segment

OWN_WORDS = ("exact", "wildcard", "inflection", "example")  # the term's own words, or none
FEWEST_TERM_LETTERS = 3  # least letters of a term that are not in a word by chance
_JOINING = str.maketrans("", "", "-'")  # left out where a term's parts are written apart


def explained(
    found: SearchResult,
    contexts: Sequence[Context],
    *,
    decided: bool = True,
    metadata: Metadata = NO_METADATA,
    found_by: Sequence[tuple[Finding, ...]] = (),
    heard: Sequence[str] | None = None,
    within: Sequence[WithinWord | None] = (),
) -> HitColumns:
    """One hit per detection, in the order of the hit list.

    Args:
        found: the result of a search.
        contexts: (n,) the words around each detection.
        decided: whether hits have a decision; if not, ``score`` is the probability.
        metadata: the metadata of the recordings.
        found_by, heard, within: (n,) the findings of each recogniser, if there are several; the
            phones heard; the words that contain the detections.
    """
    table, n = found.candidates, len(found.candidates.term)
    terms = [found.terms[i] for i in table.term.tolist()]
    recordings = [found.recordings[i] for i in table.recording.tolist()]
    text = {i: text_of(found.variants[i].words) for i in {*table.variant.tolist()}}
    searched = [text[i] for i in table.variant.tolist()]
    probability = found.probability.tolist()
    score = found.decision_score.tolist() if decided else probability
    decision = ["YES" if yes else "NO" for yes in found.yes.tolist()] if decided else [None] * n
    around = [*zip(*contexts, strict=True)] or [()] * 6
    before, likeliest, after, slots, error_ms, speakers = around
    columns = {
        "term_id": [term.term_id for term in terms],
        "term": [term.text for term in terms],
        "file": [recording.file for recording in recordings],
        "channel": [recording.channel for recording in recordings],
        "language": [found.languages[i] or None for i in table.recording.tolist()],
        "start_s": (table.start_ms / 1000).tolist(),
        "duration_s": ((table.end_ms - table.start_ms) / 1000).tolist(),
        "within_s": [ms / 1000 if ms else None for ms in error_ms],
        "score": score,
        "decision": decision,
        "searched": searched,
        **_found_as(found),
        "context": [  # for a place found by an example, the recogniser's words
            (one, words or own, other)
            for one, words, own, other in zip(before, searched, likeliest, after, strict=True)
        ],
        "likeliest": likeliest,
        "slots": slots,
        "probability": probability,
        "threshold": [THRESHOLD if decided else None] * n,
        "expected_occurrences": found.n_true[table.term].tolist(),
        "because": _because(found, error_ms, decided=decided),
        "found_by": found_by or [()] * n,
        "speaker": speakers,
        "metadata": [metadata.of_recording(recording) for recording in recordings],
        "heard": heard or [""] * n,
        "within_word": within or [None] * n,
    }
    return HitColumns(columns)


def _found_as(found: SearchResult) -> dict[str, Sequence[Any]]:
    """The method that found each detection, and the term of a related form."""
    variants = [found.variants[i] for i in found.candidates.variant.tolist()]
    form_of = [found.form_of[i] if found.form_of else "" for i in found.candidates.term.tolist()]
    return {
        "method": ["inflection" if found.form_of else variant.method for variant in variants],
        "similarity": [variant.similarity for variant in variants],
        "how": [f"a form of {cut(one)}" for one in form_of if one] or [v.how for v in variants],
        "form_of": form_of,
    }


def _because(found: SearchResult, error_ms: Sequence[int], *, decided: bool) -> list[str]:
    """(n,) the decisions in words; arguments as those of `explained`."""
    occurrences = [f"{expected:.2f} occurrences expected" for expected in found.n_true.tolist()]
    because = [
        f"probability {probability:.4f}, {occurrences[term]}"
        for probability, term in zip(
            found.probability.tolist(), found.candidates.term.tolist(), strict=True
        )
    ]
    if decided:
        above, below = f">= threshold {THRESHOLD:.4f}", f"< threshold {THRESHOLD:.4f}"
        because = [
            f"score {score:.4f} {above if yes else below}: {why}"
            for score, yes, why in zip(
                found.decision_score.tolist(), found.yes.tolist(), because, strict=True
            )
        ]
        as_if = found.yes & (found.probability < FROM)
        for row in np.flatnonzero(as_if).tolist():
            p = found.candidates.probability[row]
            because[row] += f"; {p:.4f} if the term occurs"
    if not any(error_ms):
        return because
    return [
        f"{why}; times are estimated, within {ms / 1000:.3f} s" if ms else why
        for why, ms in zip(because, error_ms, strict=True)
    ]


def summary(found: SearchResult) -> dict[str, Any]:
    """The figures of a search of a term list."""
    return {
        "terms": len(found.terms),
        "detections": len(found.candidates.term),
        "yes": int(found.yes.sum()),
        "oov_terms": sum(1 for words in found.oov_words if words),
        "outside_ecf": found.outside_ecf,
        "copies": found.searched_copies,
        "doubted_terms": {found.terms[row].term_id: p for row, p in found.doubted.items()},
        "cut_terms": [found.terms[row].term_id for row in sorted(found.cut)],
        "expected": found.expected.document(),
        "default_score": found.default_score,
        "default_probability": found.missed_share,
    }


def within_words(
    found: SearchResult,
    contexts: Sequence[Context],
    segments: Sequence[Segment],
    forms: RelatedForms,
    copies: Copies = NO_COPIES,
) -> list[WithinWord | None]:
    """(n,) the words that contain each detection.

    Args:
        found: the result of a search; its candidates have slots.
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
    if not len(some):
        return inside
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

    >>> from searcher.terms.vocabulary import of_counts
    >>> forms = RelatedForms(of_counts({"jünglings": 1}))
    >>> kind_of(["jüngling"], ["des", "jünglings"], forms)
    ('form', 'jünglings')
    >>> kind_of(["nacional"], ["internacionales"], forms)
    ('part', 'internacionales')
    >>> kind_of(["hierdoor"], ["en", "hier", "door"], forms)
    ('apart', 'hier door')
    """
    term = letters("".join(words))
    if len(term) < FEWEST_TERM_LETTERS:
        return None
    for word in written:
        spelt = letters(word)
        if spelt == term:
            return None
        if len(words) == 1 and forms.is_form(words[0], word):
            return "form", word
        if term in spelt:
            return "part", word
    divided = term.translate(_JOINING)
    for first in range(len(written)):
        joined = ""
        for last in range(first, min(len(written), first + 2 * len(words) + 2)):
            joined += letters(written[last]).translate(_JOINING)
            if joined == divided and last - first >= len(words):
                return "apart", " ".join(written[first : last + 1])
    return None
