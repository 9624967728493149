"""Scoring by characters: for languages written without spaces, where words are a convention.

Every word of the transcript becomes one lexeme per character, in equal parts of its time (rounded
to a millisecond); every term is split in the same way. As in NIST's scorer, runs of ASCII
may stay together and hyphens may be dropped first.
"""

import re
from collections.abc import Sequence

import numpy as np

from std.values import Lexemes, Term, TermList, ranges

NOT_ASCII = re.compile("[\x01-\x7f]+|[^\x01-\x7f]")
EVERY = re.compile(".", re.DOTALL)


def characters(text: str, *, keep_ascii: bool, delete_hyphens: bool) -> list[str]:
    """The pieces of one word.

    Args:
        keep_ascii: runs of ASCII letters stay whole.
        delete_hyphens: before dividing.

    >>> characters("中国TV-A", keep_ascii=True, delete_hyphens=True)
    ['中', '国', 'TV', 'A']
    """
    if delete_hyphens:
        text = text.replace("-", " ")
    pattern = NOT_ASCII if keep_ascii else EVERY
    return [piece for word in text.split() for piece in pattern.findall(word)]


def split_lexemes(lexemes: Lexemes, *, keep_ascii: bool, delete_hyphens: bool) -> Lexemes:
    """Each word as its characters; a word of nothing but hyphens stays as it is."""
    pieces = {
        word: characters(word, keep_ascii=keep_ascii, delete_hyphens=delete_hyphens) or [word]
        for word in set(lexemes.words)
    }
    sizes = np.array([len(pieces[word]) for word in lexemes.words], np.int64)
    source, place = ranges(np.zeros(len(sizes), np.int64), sizes)
    piece_s = np.round(lexemes.duration_s / np.maximum(sizes, 1), 3)
    duration_s = np.where(sizes > 1, piece_s, lexemes.duration_s)[source]
    return Lexemes(
        lexemes.recordings,
        lexemes.speakers,
        lexemes.recording[source],
        lexemes.speaker[source],
        lexemes.start_s[source] + place * duration_s,
        duration_s,
        tuple(piece for word in lexemes.words for piece in pieces[word]),
        tuple(np.array(lexemes.subtypes, object)[source]),
    )


def split_terms(terms: TermList, *, keep_ascii: bool, delete_hyphens: bool) -> TermList:
    """Each term as its characters, separated by spaces."""

    def split(text: str) -> str:
        pieces: Sequence[str] = [
            piece
            for word in text.split()
            for piece in characters(word, keep_ascii=keep_ascii, delete_hyphens=delete_hyphens)
            or [word]
        ]
        return " ".join(pieces)

    return TermList(
        tuple(Term(term.term_id, split(term.text), term.attributes) for term in terms.terms),
        terms.ecf_filename,
        terms.language,
        terms.version,
        terms.encoding,
        terms.compare_normalize,
    )
