"""Slices of an evaluation: some terms in some speech.

A specification is written as ``KIND`` or ``KIND:DETAIL``:

    attribute:NAME              a group per value of a term attribute, named NAME-value;
                                several attributes are joined by " && "
    attribute:NAME=REGEX        the terms in whose value REGEX is found
    terms:NAME=REGEX,REGEX      the terms whose whole id matches
    oov                         IV and OOV by the hit list's oov_count (NA is IV)
    has-references              HasTargets and NoTargets
    length                      by the number of words in the term
    frequency                   by the number of reference occurrences: 1, 2-5, 6-20, 21+
    language                    a group per language: its terms (attribute ``language``) in its
                                speech (the ECF's excerpts); those without one are in each group
    language:NAME=name,name     these languages together
    source-type                 a group per source type of the ECF
    source-type:NAME=type,type  the excerpts of these types
    recording                   a group per recording, named file/channel
    recording:NAME=REGEX        the recordings in whose file/channel REGEX is found

A regular expression is found anywhere, ignoring case; ``^`` and ``$`` anchor it. Only term ids are
matched as a whole, because an id may be a part of another one.
Groups may overlap. A term or excerpt that is in no group counts in "all" only.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scoring.matching.counts import Counts
from std.errors import StdError
from std.languages.detection import language_code
from std.values import Bools, Excerpt, Term, TermList, TermSearch

FREQUENCIES = ((1, 1, "1 reference"), (2, 5, "2-5"), (6, 20, "6-20"), (21, None, "21+"))


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """Some terms in some excerpts."""

    name: str
    excerpts: tuple[Excerpt, ...]
    terms: Bools  # (T,)


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """The terms and the speech that slices select from."""

    excerpts: tuple[Excerpt, ...]
    terms: TermList
    chosen: Bools  # (T,) terms that are scored at all
    searches: Sequence[TermSearch | None]  # (T,) the hit list's entry of each term
    targets: Counts  # (T,) reference occurrences
    language: str = ""  # of everything: what the ECF says as a whole, else the term list


def slices(specification: str, scope: Scope) -> Iterator[Slice]:
    """The slices of one specification, in the order of the files.

    Raises:
        StdError: no such kind, a malformed detail, or nothing that matches.
    """
    kind, _, detail = specification.partition(":")
    cutters: dict[str, Callable[[str, Scope], list[Slice]]] = {
        "attribute": _by_attribute,
        "terms": _by_term,
        "oov": _by_vocabulary,
        "has-references": _by_references,
        "length": _by_length,
        "frequency": _by_frequency,
        "language": _by_language,
        "source-type": _by_source_type,
        "recording": _by_recording,
    }
    if kind not in cutters:
        raise StdError(f"--group-by: expected one of {', '.join(cutters)}, got {kind!r}")
    groups = cutters[kind](detail.strip(), scope)
    if not groups:
        raise StdError(f"--group-by: expected something that matches, got {specification!r}")
    yield from groups


def matching(pattern: str) -> re.Pattern[str]:
    """Compile a user's regular expression.

    Raises:
        StdError: it is not a regular expression.
    """
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise StdError(f"expected a regular expression, got {pattern!r}: {error}") from error


def _of_terms(scope: Scope, names: Sequence[str | None]) -> list[Slice]:
    """A slice per distinct name of a term, None for terms in no slice."""
    order = dict.fromkeys(name for name in names if name is not None)
    labels = np.array(names, object)
    return [Slice(name, scope.excerpts, scope.chosen & (labels == name)) for name in order]


def _by_attribute(detail: str, scope: Scope) -> list[Slice]:
    if not detail:
        raise StdError("--group-by: expected attribute:NAME, got 'attribute'")
    wanted = []
    for part in detail.split("&&"):
        name, _, pattern = part.strip().partition("=")
        wanted.append((name, matching(pattern) if pattern else None))
    known = {name for term in scope.terms.terms for name in term.attributes}
    for name, _pattern in wanted:
        if name not in known:
            has = ", ".join(sorted(known)) or "none"
            raise StdError(f"--group-by: expected an attribute of the terms ({has}), got {name!r}")
    names: list[str | None] = []
    for term in scope.terms.terms:
        values = [term.attributes.get(name) for name, _ in wanted]
        fits = all(
            value is not None and (pattern is None or pattern.search(value))
            for value, (_, pattern) in zip(values, wanted, strict=True)
        )
        parts = (f"{name}-{value}" for value, (name, _) in zip(values, wanted, strict=True))
        names.append(" && ".join(parts) if fits else None)
    groups = _of_terms(scope, names)
    return sorted(groups, key=lambda group: _natural(group.name))


def _by_term(detail: str, scope: Scope) -> list[Slice]:
    name, _, ids = detail.rpartition("=")
    patterns = [matching(expression) for expression in ids.split(",") if expression]
    if not patterns:
        raise StdError(f"--group-by: expected terms:NAME=ID,ID, got {detail!r}")
    fits = np.array(
        [
            any(pattern.fullmatch(term.term_id) for pattern in patterns)
            for term in scope.terms.terms
        ],
        np.bool_,
    )
    return [Slice(name or ids, scope.excerpts, scope.chosen & fits)] if fits.any() else []


def _by_vocabulary(detail: str, scope: Scope) -> list[Slice]:
    names = ["OOV" if search and search.oov_count else "IV" for search in scope.searches]
    return sorted(_of_terms(scope, names), key=lambda group: group.name)


def _by_references(detail: str, scope: Scope) -> list[Slice]:
    names = ["HasTargets" if targets else "NoTargets" for targets in scope.targets.tolist()]
    return sorted(_of_terms(scope, names), key=lambda group: group.name)


def _by_length(detail: str, scope: Scope) -> list[Slice]:
    lengths = [len(term.text.split()) for term in scope.terms.terms]
    names = [f"{length} word{'s' * (length > 1)}" for length in lengths]
    return sorted(_of_terms(scope, names), key=lambda group: _natural(group.name))


def _by_frequency(detail: str, scope: Scope) -> list[Slice]:
    groups = []
    for low, high, name in FREQUENCIES:
        fits = (scope.targets >= low) & (high is None or scope.targets <= (high or 0))
        if (scope.chosen & fits).any():
            groups.append(Slice(name, scope.excerpts, scope.chosen & fits))
    return groups


def _by_language(detail: str, scope: Scope) -> list[Slice]:
    of_terms = [_language_of(term) for term in scope.terms.terms]
    of_speech = [excerpt.language for excerpt in scope.excerpts]
    if not any((*of_terms, *of_speech)):
        of_speech = [scope.language] * len(of_speech)
    names: dict[str, str] = {}
    for name in filter(None, (*of_speech, *of_terms)):
        names.setdefault(_code(name), name)
    if not names:
        expected = "a language of excerpts of the ECF, or of terms (an attribute language)"
        raise StdError(f"--group-by language: expected {expected}, got none")
    wanted = {name: {same} for same, name in names.items()}
    if detail:
        title, _, listed = detail.rpartition("=")
        wanted = {title or listed: {_code(name) for name in listed.split(",")} & names.keys()}

    groups = [
        Slice(
            title,
            tuple(
                excerpt
                for excerpt, name in zip(scope.excerpts, of_speech, strict=True)
                if not name or _code(name) in languages
            ),
            scope.chosen & [not name or _code(name) in languages for name in of_terms],
        )
        for title, languages in wanted.items()
        if languages
    ]
    return [group for group in groups if group.excerpts and group.terms.any()]


def _language_of(term: Term) -> str:
    """The language in a term's attributes; empty if they have none."""
    values = (value for name, value in term.attributes.items() if _same(name) == "language")
    return next(values, "").strip()


def _same(name: str) -> str:
    """A name as names are compared."""
    return name.strip().casefold()


def _code(language: str) -> str:
    """A language as it is compared: ``German`` and ``de`` are one, ``de-AT`` is another."""
    name = _same(language)
    return name if "-" in name or "_" in name else language_code(name)


def _by_source_type(detail: str, scope: Scope) -> list[Slice]:
    types = list(dict.fromkeys(excerpt.source_type for excerpt in scope.excerpts))
    wanted = {source_type: [source_type] for source_type in types}
    if detail:
        name, _, listed = detail.rpartition("=")
        wanted = {name or listed: listed.split(",")}
    return [
        Slice(name, excerpts, scope.chosen)
        for name, kinds in wanted.items()
        if (
            excerpts := tuple(excerpt for excerpt in scope.excerpts if excerpt.source_type in kinds)
        )
    ]


def _by_recording(detail: str, scope: Scope) -> list[Slice]:
    if not detail:
        by_recording: dict[str, list[Excerpt]] = {}
        for excerpt in scope.excerpts:
            by_recording.setdefault(recording_name(excerpt), []).append(excerpt)
        return [
            Slice(name, tuple(excerpts), scope.chosen) for name, excerpts in by_recording.items()
        ]
    name, _, pattern = detail.rpartition("=")
    excerpts = in_recordings(scope.excerpts, [pattern], "--group-by")
    return [Slice(name or pattern, excerpts, scope.chosen)]


def in_recordings(
    excerpts: Sequence[Excerpt], patterns: Sequence[str], option: str
) -> tuple[Excerpt, ...]:
    """The excerpts in whose file/channel one of the patterns is found.

    Args:
        patterns: regular expressions; one that matches is enough.

    Raises:
        StdError: a pattern is no regular expression, or it is found nowhere; names the option.
    """
    compiled = [matching(pattern) for pattern in patterns]
    names = dict.fromkeys(recording_name(excerpt) for excerpt in excerpts)
    for pattern in compiled:
        if not any(pattern.search(name) for name in names):
            few = ", ".join(list(names)[:3]) + (", ..." if len(names) > 3 else "")
            raise StdError(
                f"{option}: expected a regular expression that is found in file/channel of a "
                f"recording of the ECF ({few}), got {pattern.pattern!r}"
            )
    return tuple(
        excerpt for excerpt in excerpts if any(p.search(recording_name(excerpt)) for p in compiled)
    )


def recording_name(excerpt: Excerpt) -> str:
    """A recording as ``file/channel``."""
    return f"{excerpt.recording.file}/{excerpt.recording.channel}"


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Sort key under which 10 comes after 9."""
    return [
        (0, len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (1, 0, part)
        for part in re.split(r"(\d+)", name)
        if part
    ]
