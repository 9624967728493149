"""Terms as people write them; query by example, as `like:news@12.30-13.10`.

    haus, burg                   several terms

    like:ID@BEGIN-END            what sounds like this stretch of the recording with an id
    like:ID@BEGIN-END+ID@...     like these stretches, examples of one term
    haus like:ID@BEGIN-END       this word or phrase, by its words and by its sound

A term with examples is valid wherever a term is: in an address, in the history, in the API.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from searcher import ExampleTerm, SearchResult
from service.live_index import Snapshot
from service.problems import ProblemError
from service.recordings import RecordingEntry
from std.errors import QueryError, StdError, StoreError
from std.numbers import clock
from std.query.expression import Phrase
from std.query.grammar import parse_query
from std.sound.files import LONGEST_S, SHORTEST_S
from std.values import Term

LIKE = "like:"
MOST_EXAMPLES = 10  # examples of a term
_TERM = re.compile(r'(?:(?P<words>.*\S)\s+)?like:(?P<examples>[^"]*)', re.DOTALL)
_STRETCH = re.compile(r"(.+)@(\d{1,7}(?:\.\d{1,3})?)-(\d{1,7}(?:\.\d{1,3})?)", re.ASCII)


def split_terms(text: str) -> list[str]:
    """Split typed terms: one a line, or separated by commas outside quotation marks.

    >>> split_terms("polizei gewalt, burg\\nschloss,")
    ['polizei gewalt', 'burg', 'schloss']
    >>> split_terms('haus title:"a, b", burg')
    ['haus title:"a, b"', 'burg']
    """
    parts = re.findall(r'(?:"[^"\n\r]*"|[^,\n\r])+', text)
    return [term.strip() for term in parts if term.strip()]


def typed_terms(terms: Sequence[str]) -> str:
    """Terms as a person types them: `split_terms` finds the same again.

    >>> typed_terms(["Paris, Texas", "haus AND burg", "3,5"])
    '"Paris, Texas", haus AND burg, "3,5"'
    """
    is_torn = {term for term in terms if split_terms(term) != [term]}
    return ", ".join(f'"{one}"' if one in is_torn and _is_words(one) else one for one in terms)


class Parts(NamedTuple):
    """The words of a term, and its examples."""

    words: str  # empty: there are none
    examples: str  # likewise


def parts_of(term: str) -> Parts:
    """Divide a term into its words and its examples.

    >>> parts_of("haus like:news@12.30-13.10")
    Parts(words='haus', examples='news@12.30-13.10')
    >>> parts_of("haus"), parts_of('"was like: so"')
    (Parts(words='haus', examples=''), Parts(words='"was like: so"', examples=''))
    """
    match = _TERM.fullmatch(term)
    return Parts(match["words"] or "", match["examples"]) if match else Parts(term, "")


def has_examples(term: str) -> bool:
    """Whether a term is given by examples, alone or beside words."""
    return _TERM.fullmatch(term) is not None


def is_example(term: str) -> bool:
    """Whether a term is given by examples alone."""
    return has_examples(term) and not parts_of(term).words


def is_phrase(term: str, snapshot: Snapshot) -> bool:
    """Whether a term is a word or a phrase, and neither a query nor an example."""
    try:
        return not has_examples(term) and snapshot.index.phrases(term) == (term,)
    except QueryError:  # a query, though an invalid one
        return False


def term_like(stretches: Iterable[tuple[str, float, float]]) -> str:
    """The term of examples; an example that is too short for a search is extended on both sides.

    Args:
        stretches: id of a recording, begin and end in seconds.

    >>> term_like([("news", 12.3, 13.1), ("call:2", 1.0, 1.1)])
    'like:news@12.30-13.10+call:2@0.95-1.15'
    """
    texts = []
    for recording, begin_s, end_s in stretches:
        more_s = max(0.0, SHORTEST_S - (end_s - begin_s)) / 2
        first_s = max(0.0, begin_s - more_s)
        last_s = min(first_s + LONGEST_S, max(end_s + more_s, first_s + SHORTEST_S))
        texts.append(f"{recording}@{first_s:.2f}-{last_s:.2f}")
    return LIKE + "+".join(texts[:MOST_EXAMPLES])


def examples_of(term: str, snapshot: Snapshot) -> list[tuple[RecordingEntry, float, float]]:
    """The recordings and times of a term's examples.

    Raises:
        ProblemError: a stretch is not in a recording with sound, or there are too many stretches;
            or a query stands beside them.
    """
    if (words := parts_of(term).words) and not is_phrase(words, snapshot):
        expected = "expected a word or a phrase beside examples, got a query"
        raise ProblemError(400, f"{expected}: {words[:80]!r}")
    texts = parts_of(term).examples.split("+")
    if len(texts) > MOST_EXAMPLES:
        raise ProblemError(400, f"expected at most {MOST_EXAMPLES} examples, got {len(texts)}")
    found = []
    for text in texts:
        match = _STRETCH.fullmatch(text.strip())
        if match is None:
            expected = "an example as like:news@12.30-13.10, seconds of a recording"
            raise ProblemError(400, f"expected {expected}, got {text[:80]!r}")
        entry = snapshot.recordings.by_id.get(match[1])
        if entry is None:
            raise ProblemError(404, f"no recording has the id {match[1][:80]!r}")
        if entry.recording not in snapshot.with_sound:
            raise ProblemError(400, f"the index has no sound of {entry.title}")
        found.append((entry, float(match[2]), float(match[3])))
    return found


def names_of(examples: Iterable[tuple[RecordingEntry, float, float]]) -> tuple[str, ...]:
    """Examples as people see them: title and time of each."""
    return tuple(f"{entry.title}, {clock(begin_s)}" for entry, begin_s, _ in examples)


def in_parts(terms: Iterable[str], snapshot: Snapshot) -> Iterator[tuple[str, str, str]]:
    """The terms that have words and examples, with their words and the names of their examples."""
    for term in terms:
        if has_examples(term) and (words := parts_of(term).words):
            yield term, words, " + ".join(names_of(examples_of(term, snapshot)))


def find_like(term: str, snapshot: Snapshot, where: str | None) -> SearchResult:
    """Search examples by their sound; a term with words and examples is searched by both.

    Args:
        where: conditions on recordings and speakers; None = all.

    Raises:
        ProblemError: the term does not consist of examples, or an example is too short or too long.
        StdError: the index cannot be read.
    """
    given = examples_of(term, snapshot)
    places = tuple(
        f"{entry.recording.file}/{entry.recording.channel}@{begin_s:.3f}-{end_s:.3f}"
        for entry, begin_s, end_s in given
    )
    words = parts_of(term).words
    asked = Term(term, words or term)
    example = ExampleTerm(asked, places, names_of(given))
    beside = [asked] if words else None
    try:
        return snapshot.index.find_examples([example], words=beside, where=where, mode="adhoc")
    except (StoreError, QueryError):
        raise
    except StdError as error:  # too short, too long, or without sound
        raise ProblemError(400, str(error)) from error


def beside_example(term: str) -> str:
    """The term of a hit in the form that may stand before examples; empty: it has only examples.

    >>> [beside_example(term) for term in ("haus", "Paris, Texas", "a AND b", "like:news@1-2")]
    ['haus', '"Paris, Texas"', '"a AND b"', '']
    """
    if has_examples(term):
        return ""
    is_plain = split_terms(term) == [term] and (term.startswith('"') or _is_words(term))
    return term if is_plain else f'"{term}"'


def more_like(hit: Mapping[str, Any]) -> str:
    """The term that finds more like a hit: by its words, if it has any, and by its sound."""
    return f"{beside_example(hit['term'])} {hit['like']}".strip()


def _is_words(term: str) -> bool:
    """Whether a term is the same in quotation marks."""
    try:
        return '"' not in term and parse_query(term, None) == Phrase(term)
    except QueryError:
        return False
