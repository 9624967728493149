"""A hit: a place where a term was found, with its explanation.

Hit         one place
    WithinWord  the other word that contains it
    Finding     the finding of one of several searches there; FusedVariant has the findings of all
Hits        several, as a list that can be shown as a table
HitColumns  many, as columns, which become documents without a `Hit` object each
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from operator import attrgetter
from typing import Any, Literal, NamedTuple

from searcher.terms.request import Variant
from std.display.rows import Framed
from std.numbers import counted, with_channel, written, written_column

WordKind = Literal["form", "part", "apart"]
BY_WORDS, BY_SOUND = "words", "sound"
WORD_KINDS: tuple[WordKind, ...] = ("form", "part", "apart")
SHOWN = 10  # hits of a representation


@dataclass(frozen=True, slots=True)
class Finding:
    """The finding of one of several recognisers at a place, or of the words or the sound alone."""

    store: str  # index of the recogniser's output; `BY_WORDS`, `BY_SOUND`
    weight: float  # against the others, 0 to 1; 0 if it lacks the recording
    probability: float  # 0 if not found; includes its doubt that the term occurs
    searched: str  # as in `Hit`, empty if it did not
    method: str
    how: str

    def document(self) -> dict[str, Any]:
        """The finding as `std-search --json` and `--explain` write it."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class FusedVariant(Variant):
    """The most probable of several findings at a place, and all of them."""

    recogniser: int = 0  # whose candidate it is: the surest
    found_by: tuple[Finding, ...] = ()  # the most probable first


class WithinWord(NamedTuple):
    """The words that contain a hit (`searcher.output.explain`)."""

    kind: WordKind
    word: str  # or several, of kind apart
    posterior: float  # of the word at that place; of several the least

    def __str__(self) -> str:
        how = {"form": "another form", "part": "inside a word", "apart": "written apart"}
        return f"{how[self.kind]}: {self.word}"


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A place where a term was found.

    ``decision`` is YES or NO, and ``score`` the probability on the scale of the decision rule
    (YES from ``threshold`` on). Without a decision, ``decision`` and ``threshold`` are None and
    ``score`` is the probability.
    """

    term_id: str
    term: str
    file: str
    channel: int
    language: str | None  # of the recording, if the index knows it
    start_s: float
    duration_s: float
    within_s: float | None  # largest error of estimated times; None: the times are not estimated
    score: float
    decision: str | None
    searched: str  # the words looked up, or the words where the phones matched
    # exact, wildcard, inflection, split, join, levenshtein, dice, pronunciation, phonetic, heard,
    # spoken or example
    method: str
    similarity: float  # similarity of the searched words to the term, 0 to 1
    how: str  # the changes of the term's words, for a person
    context: tuple[str, str, str]  # words before, words searched, words after
    likeliest: str  # the one-best words of the hit's slots
    slots: tuple[int, int]  # first and one past the last, of the recording's slots
    probability: float
    threshold: float | None
    expected_occurrences: float  # expected occurrences of the term in the searched speech
    because: str  # the decision in words
    found_by: tuple[Finding, ...] = ()  # of several, the most probable first
    speaker: str = ""  # the speaker, if known; of two, both
    metadata: Mapping[str, str] = field(default_factory=dict)  # of the recording, by column
    heard: str = ""  # the likeliest phones heard there, if the index has them
    form_of: str = ""  # the term of which ``term`` is a related form
    within_word: "WithinWord | None" = None  # that the recogniser wrote there, if it is inside one

    def __repr__(self) -> str:
        """Term, place and probability; `document` has everything."""
        end_s = self.start_s + self.duration_s
        place = with_channel(self.file, self.channel)
        decided = f" {self.decision}" if self.decision else ""
        span = f"{self.start_s:.3f}-{end_s:.3f} s"
        return f"<Hit {self.term!r} {place} {span}, probability {self.probability:.3f}{decided}>"

    @property
    def found_as(self) -> str:
        """The way the term was found, and the one-best words if they differ."""
        return found_as(self.how, self.method, self.likeliest, self.searched, self.within_word)

    @property
    def estimate(self) -> str:
        """The error of estimated times as text: "within 2.1 s"; empty if not estimated."""
        return "" if self.within_s is None else f"within {ceil(10 * self.within_s) / 10:.1f} s"

    @property
    def said_by(self) -> str:
        """The speaker, from the index or the metadata."""
        return self.speaker or self.metadata.get("speaker", "")

    def document(self) -> dict[str, Any]:
        """The hit as `std-search --json` and `--explain` write it."""
        columns = dict(zip(_ATTRIBUTES, _values(self), strict=True))
        if self.found_by:
            columns["found_by"] = [finding.document() for finding in self.found_by]
        columns |= {name: value for name in _SELDOM if (value := getattr(self, name))}
        if self.within_word:
            columns["within_word"] = self.within_word._asdict()
        return columns


class Hits(Framed, list[Hit]):
    """A sorted list of hits, which can be shown as a table.

    >>> Hits()
    <no hits>
    """

    def __repr__(self) -> str:
        """The first hits."""
        if not self:
            return "<no hits>"
        more = [f"... {len(self) - SHOWN} more"] if len(self) > SHOWN else []
        lines = [*map(repr, self[:SHOWN]), *more]
        return f"<{counted(len(self), 'hit')}:\n " + "\n ".join(lines) + ">"

    frame_header = (
        *("term", "file", "channel", "start_s", "end_s", "probability", "decision"),
        *("before", "found", "after", "found_as", "speaker", "language"),
    )

    def frame_rows(self) -> list[dict[str, Any]]:
        """A row for each hit: term, place, probability, words around, metadata."""
        return [
            {
                "term": hit.term,
                "file": hit.file,
                "channel": hit.channel,
                "start_s": hit.start_s,
                "end_s": hit.start_s + hit.duration_s,
                "probability": hit.probability,
                "decision": hit.decision,
                "before": hit.context[0],
                "found": hit.context[1],
                "after": hit.context[2],
                "found_as": hit.found_as,
                "speaker": hit.said_by,
                "language": hit.language,
            }
            | {name: value for name, value in hit.metadata.items() if name != "speaker"}
            for hit in self
        ]


class HitColumns:
    """Sorted hits as columns: for each attribute of a `Hit` the values of all hits."""

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Take the columns.

        Args:
            columns: (n,) values of each attribute of `Hit`.
        """
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns["term"])

    def __iter__(self) -> Iterator[Hit]:
        return map(Hit, *(self._columns[name] for name in Hit.__slots__))

    def found_as(self) -> list[str]:
        """(n,) the way the term was found, see `Hit.found_as`."""
        names = ("how", "method", "likeliest", "searched", "within_word")
        return [*map(found_as, *(self._columns[name] for name in names))]

    def within_words(self) -> Sequence[WithinWord | None]:
        """(n,) the words that contain each."""
        return self._columns["within_word"]

    def documents(self, more: Mapping[str, Sequence[Any]] | None = None) -> list[dict[str, Any]]:
        """The hits as `std-search --json` writes them, with rounded numbers.

        Args:
            more: (n,) values of further keys; they override the hits' own.
        """
        columns = {name: self._columns[name] for name in _ATTRIBUTES}
        columns |= {name: written_column(self._columns[name]) for name in _NOT_IN_MS}
        if any(self._columns["found_by"]):
            columns["found_by"] = [
                written([finding.document() for finding in findings])
                for findings in self._columns["found_by"]
            ]
        columns |= {name: self._columns[name] for name in _SELDOM if any(self._columns[name])}
        if "within_word" in columns:
            columns["within_word"] = [
                one and written(one._asdict()) for one in columns["within_word"]
            ]
        columns |= more or {}
        keys = tuple(columns)
        return [dict(zip(keys, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def found_as(
    how: str, method: str, likeliest: str, searched: str, within: WithinWord | None = None
) -> str:
    """The way a term was found, and the one-best words if they differ; arguments as in `Hit`."""
    how = f"{how or method} ({within})" if within else how or method
    if likeliest == searched or method == "example":  # no words were searched
        return how
    return f"{how}, an alternative to {repr(likeliest) if likeliest else 'silence'}"


# Times are whole milliseconds, which have few digits in any case.
_NOT_IN_MS = ("score", "similarity", "probability", "threshold", "expected_occurrences")
_SELDOM = ("heard", "form_of", "within_word")  # not of every search
_ATTRIBUTES = [name for name in Hit.__slots__ if name not in ("found_by", *_SELDOM)]
_values = attrgetter(*_ATTRIBUTES)
