"""The candidates of the words of queries -> the candidates of the queries.

places   the candidates of queries: the candidates of their words, with other probabilities
units    the recordings or turns in which a query holds
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from searcher.index.copies import Copies
from searcher.queries.events import AskedTexts, Event, Sites, event_of
from searcher.queries.probability import probability
from searcher.queries.units import Conditions, Units
from searcher.queries.witnesses import witnesses
from searcher.results.search_result import Expected, TermCandidates
from std.display.rows import Framed
from std.metadata.table import Metadata
from std.numbers import counted
from std.store import Segment
from std.values import Float64s, Int64s

UnitKind = Literal["recording", "turn"]
SHOWN_PLACES = 5  # of a unit


class Searched(NamedTuple):
    """The searched data of queries."""

    units: Units
    metadata: Metadata
    segments: Sequence[Segment]  # that say who speaks
    copies: Copies


@dataclass(frozen=True, slots=True)
class UnitHit:
    """A recording or a turn in which a query holds."""

    file: str
    channel: int
    start_s: float
    end_s: float
    speaker: str  # of a turn, if the index names one
    probability: float  # that the query holds there
    places: tuple[tuple[str, float, float, float], ...]  # term, start, end, probability; likeliest
    metadata: Mapping[str, str] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The unit as `std-search --json` writes it."""
        names = ("term", "start_s", "end_s", "probability")
        return {
            "file": self.file,
            "channel": self.channel,
            "start_s": self.start_s,
            "end_s": self.end_s,
            "speaker": self.speaker,
            "probability": self.probability,
            "places": [dict(zip(names, place, strict=True)) for place in self.places],
            "metadata": dict(self.metadata),
        }


class UnitHits(Framed, list[UnitHit]):
    """Recordings or turns, the most probable first, and how the query was understood.

    >>> UnitHits("recording")
    <no recordings>
    """

    def __init__(
        self,
        unit: UnitKind,
        hits: Sequence[UnitHit] = (),
        understood: Sequence[str] = (),
        expected: Expected | None = None,
        less_likely: int = 0,
    ) -> None:
        """Store the units.

        Args:
            unit: their kind.
            hits: in their order.
            understood: the query in words.
            expected: the expected number of units of any probability.
            less_likely: the number of units left out.
        """
        super().__init__(hits)
        self.unit, self.understood, self.less_likely = unit, tuple(understood), less_likely
        self.expected = expected or Expected.of([hit.probability for hit in hits])

    def __repr__(self) -> str:
        """The number of units."""
        return f"<{counted(len(self), self.unit) if self else f'no {self.unit}s'}>"

    def frame_rows(self) -> list[dict[str, Any]]:
        """A row for each unit: place, probability, metadata."""
        return [
            {name: value for name, value in one.document().items() if name not in _NESTED}
            | dict(one.metadata)
            for one in self
        ]


_NESTED = ("places", "metadata")


class _Filled:
    """The places of all words, and the event of a query over them."""

    def __init__(self, found: TermCandidates, asked: AskedTexts, searched: Searched) -> None:
        rows, _ = found.reported()
        self.row: Int64s = np.arange(len(found.candidates.term))[rows]
        self.named = found.under_each_name()
        candidates = self.named.candidates
        unit = searched.units.of_places(candidates, found.recordings)
        self.inside = unit >= 0
        self.unit = np.where(self.inside, unit, 0)
        self.sites = Sites(
            self.unit,
            candidates.start_ms,
            candidates.end_ms,
            self.named.probability * self.inside,
            len(searched.units.recording),
        )
        self.asked, self.term = asked, candidates.term
        self.fits = Conditions(
            searched.units,
            searched.metadata,
            found,
            self.row,
            self.unit,
            searched.segments,
            searched.copies,
        )

    def rows_of(self, number: int) -> Int64s:
        """The rows of the places of a text's terms."""
        first = self.asked.first[number]
        terms = self.asked.terms_of_each[number]
        return np.flatnonzero((self.term >= first) & (self.term < first + len(terms)))

    def event(self, number: int) -> Event:
        """The event of a text."""
        first = self.asked.first[number]
        rows = {
            text: np.flatnonzero((self.term == first + i) & self.inside)
            for i, text in enumerate(self.asked.terms_of_each[number])
        }
        return event_of(self.asked.expressions[number], rows, self.fits, self.sites)


def places(found: TermCandidates, asked: AskedTexts, searched: Searched) -> TermCandidates:
    """The places of queries; each with the probability that the query holds with it as evidence.

    Plain terms keep their places and probabilities.

    Args:
        found: candidates of all terms, not yet decided.

    Raises:
        QueryError: a condition names no column, or too many places are close to each other.
    """
    filled = _Filled(found, asked, searched)
    new = filled.named.probability.copy()
    if_occurring = filled.named.candidates.probability.copy()
    for number in range(len(asked.texts)):
        if not asked.is_plain(number):
            rows = filled.rows_of(number)
            given = witnesses(filled.event(number), filled.sites)
            new[rows] = if_occurring[rows] = given[rows]
    kept = new > 0.0
    candidates = filled.named.candidates._replace(probability=if_occurring)
    return replace(
        filled.named,
        candidates=candidates.rows(kept),
        probability=new[kept],
        understood=tuple(asked.understood()),
    )


def units(
    found: TermCandidates, asked: AskedTexts, searched: Searched, kind: UnitKind, least: float
) -> UnitHits:
    """The recordings or turns in which a query holds, the most probable first.

    Args:
        least: the least probability of a listed unit.

    Raises:
        QueryError: as for `places`.
    """
    filled = _Filled(found, asked, searched)
    event, table = filled.event(0), searched.units
    holds = probability(event, filled.sites)
    of_places = witnesses(event, filled.sites)
    order = np.argsort(-holds, kind="stable")
    listed = order[(holds[order] >= least) & (holds[order] > 0)]
    likeliest = np.lexsort((-of_places, filled.unit))
    likeliest = likeliest[of_places[likeliest] > 0]
    begin = np.searchsorted(filled.unit[likeliest], np.arange(len(holds) + 1))
    hits = []
    for unit in listed.tolist():
        one = table.recordings[int(table.recording[unit])]
        rows = likeliest[begin[unit] : begin[unit + 1]][:SHOWN_PLACES]
        hits.append(
            UnitHit(
                one.recording.file,
                one.recording.channel,
                int(table.start_ms[unit]) / 1000,
                int(table.end_ms[unit]) / 1000,
                table.speaker[unit] if table.speaker else "",
                float(holds[unit]),
                _shown(rows, filled, of_places),
                one.metadata,
            )
        )
    left_out = int(np.count_nonzero((holds > 0) & (holds < least)))
    notes = [*asked.understood("turn of a speaker" if kind == "turn" else kind)]
    return UnitHits(kind, hits, notes, Expected.of(holds), left_out)


def _shown(
    rows: Int64s, filled: _Filled, of_places: Float64s
) -> tuple[tuple[str, float, float, float], ...]:
    """Term, start, end and probability of some places."""
    candidates, terms = filled.named.candidates, filled.named.terms
    return tuple(
        (
            terms[int(candidates.term[row])].text,
            int(candidates.start_ms[row]) / 1000,
            int(candidates.end_ms[row]) / 1000,
            float(of_places[row]),
        )
        for row in rows.tolist()
    )
