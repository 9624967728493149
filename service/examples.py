"""Query by example: terms that are stretches of recordings, as `like:news@12.30-13.10`.

    like:ID@BEGIN-END            what sounds like this stretch of the recording with an id
    like:ID@BEGIN-END+ID@...     like these stretches, examples of one term

Such a term is valid wherever a term is: in an address, in the history, in the API.
"""

import re
from collections.abc import Iterable

from searcher import ExampleTerm, SearchResult
from service.live_index import Snapshot
from service.problems import ProblemError
from service.recordings import RecordingEntry
from std.errors import QueryError, StdError, StoreError
from std.numbers import clock
from std.sound.files import LONGEST_S, SHORTEST_S
from std.values import Term

LIKE = "like:"
MOST_EXAMPLES = 10  # examples of a term
_STRETCH = re.compile(r"(.+)@(\d{1,7}(?:\.\d{1,3})?)-(\d{1,7}(?:\.\d{1,3})?)", re.ASCII)


def is_example(term: str) -> bool:
    """Whether a term is given by examples."""
    return term.startswith(LIKE)


def is_phrase(term: str, snapshot: Snapshot) -> bool:
    """Whether a term is a word or a phrase, and neither a query nor an example."""
    try:
        return not is_example(term) and snapshot.index.phrases(term) == (term,)
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
        ProblemError: a stretch is not in a recording with sound, or there are too many stretches.
    """
    texts = term.removeprefix(LIKE).strip().split("+")
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


def find_like(term: str, snapshot: Snapshot, where: str | None) -> SearchResult:
    """Search for what sounds like examples.

    Args:
        where: conditions on recordings; None = all.

    Raises:
        ProblemError: the term does not consist of examples, or an example is too short or too long.
        StdError: the index cannot be read.
    """
    given = examples_of(term, snapshot)
    places = tuple(
        f"{entry.recording.file}/{entry.recording.channel}@{begin_s:.3f}-{end_s:.3f}"
        for entry, begin_s, end_s in given
    )
    names = tuple(f"{entry.title}, {clock(begin_s)}" for entry, begin_s, _ in given)
    example = ExampleTerm(Term(term, term), places, names)
    try:
        return snapshot.index.find_examples([example], where=where, mode="adhoc")
    except (StoreError, QueryError):
        raise
    except StdError as error:  # too short, too long, or without sound
        raise ProblemError(400, str(error)) from error
