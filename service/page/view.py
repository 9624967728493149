"""A search as the page shows it: what an address says, and words for what was found."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from service.api.search import facets_of
from service.searching import Sorting, Wish

LEAST = 0.05  # probability of what is shown at first
PER_PAGE = 50
SORTINGS: tuple[Sorting, ...] = ("probability", "recording", "time")


@dataclass(frozen=True, slots=True)
class PageState:
    """What the address of a search page says; all of it, so that it can be sent to a colleague."""

    terms: tuple[str, ...] = ()
    min_probability: float = LEAST
    recording: tuple[str, ...] = ()
    channel: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    sort: Sorting = "probability"
    group: bool = False
    cursor: int = 0

    @property
    def wish(self) -> Wish:
        """Which hits that are."""
        facets = facets_of([*self.recording], [*self.channel], [*self.where])
        return Wish(self.min_probability, facets, "recording" if self.group else self.sort)

    def query(self, **changes: Any) -> str:
        """The query of an address that says this, with some things changed."""
        pairs: list[tuple[str, str]] = [("term", term) for term in self.terms]
        for name in ("recording", "channel", "where"):
            pairs += [(name, value) for value in changes.get(name, getattr(self, name))]
        least = changes.get("min_probability", self.min_probability)
        if least != LEAST:
            pairs.append(("min_probability", f"{least:g}"))
        if (sort := changes.get("sort", self.sort)) != "probability":
            pairs.append(("sort", sort))
        if changes.get("group", self.group):
            pairs.append(("group", "recording"))
        if cursor := changes.get("cursor", 0):
            pairs.append(("cursor", str(cursor)))
        return urlencode(pairs)

    def export_query(self) -> str:
        """The query of the API that gives the same hits."""
        pairs = [("term", term) for term in self.terms]
        for name in ("recording", "channel", "where"):
            pairs += [(name, value) for value in getattr(self, name)]
        sort = "recording" if self.group else self.sort
        pairs += [("min_probability", f"{self.min_probability:g}"), ("sort", sort)]
        return urlencode(pairs)

    def toggled(self, facet: str, value: str) -> str:
        """The query with one value of a facet chosen, or not any more."""
        name, entry = (facet, value) if facet in ("recording", "channel") else (
            "where", f"{facet}:{value}",
        )  # fmt: skip
        chosen = getattr(self, name)
        others = tuple(one for one in chosen if one != entry)
        return self.query(**{name: others if entry in chosen else (*chosen, entry)})


def split_terms(text: str) -> list[str]:
    """Terms as people type them: one a line, or separated by commas.

    >>> split_terms("polizei gewalt, burg\\nschloss,")
    ['polizei gewalt', 'burg', 'schloss']
    """
    return [term.strip() for term in re.split("[,\n\r]", text) if term.strip()]


def page_state(query: Sequence[tuple[str, str]]) -> PageState:
    """What the query of an address says; what it cannot say is left out.

    Args:
        query: names and values, in order.
    """
    values: dict[str, list[str]] = {}
    for name, value in query:
        values.setdefault(name, []).append(value)
    terms = [*values.get("term", []), *split_terms("\n".join(values.get("q", [])))]
    (least, *_), (cursor, *_) = values.get("min_probability", [""]), values.get("cursor", [""])
    (sort, *_), (group, *_) = values.get("sort", [""]), values.get("group", [""])
    return PageState(
        tuple(dict.fromkeys(term.strip() for term in terms if term.strip())),
        _probability(least),
        tuple(values.get("recording", [])),
        tuple(values.get("channel", [])),
        tuple(one for one in values.get("where", []) if ":" in one),
        sort if sort in SORTINGS else "probability",
        group == "recording",
        int(cursor) if re.fullmatch(r"\d{1,9}", cursor, re.ASCII) else 0,
    )


def _probability(text: str) -> float:
    """A probability from an address, or the usual one."""
    return float(text) if re.fullmatch(r"0(\.\d{1,6})?|1(\.0{1,6})?", text, re.ASCII) else LEAST


def clock(seconds: float) -> str:
    """A time in a recording for a person.

    >>> clock(75.04), clock(3675.0)
    ('1:15.0', '1:01:15.0')
    """
    tenths = round(10 * seconds)
    minutes, tenths = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    tail = f"{tenths // 10:02d}.{tenths % 10}"
    return f"{hours}:{minutes:02d}:{tail}" if hours else f"{minutes}:{tail}"


def length(seconds: float) -> str:
    """A length of time in a list.

    >>> length(94.2), length(3675.0)
    ('1:34', '1:01:15')
    """
    return clock(round(seconds)).removesuffix(".0")


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(40), duration(1479), duration(360_000), duration(60)
    ('40 seconds', '25 minutes', '100 hours', '1 minute')
    """
    for unit, length in (("hour", 3600), ("minute", 60), ("second", 1)):
        count = round(seconds / length)
        if seconds >= 2 * length or length == 1 or (count == 1 and seconds >= length):
            return f"{count:,} {unit}{'' if count == 1 else 's'}"
    raise AssertionError("unreachable")


def found_as(hit: Mapping[str, Any]) -> str:
    """How a hit was found, for a person who knows nothing of methods."""
    searched, method = hit["searched"], hit["method"]
    text: str = {
        "exact": "as written",
        "wildcard": f"“{searched}” fits the wildcard",
        "split": f"split into “{searched}”",
        "join": f"written in one word: “{searched}”",
        "levenshtein": f"spelt like “{searched}”",
        "dice": f"spelt like “{searched}”",
        "pronunciation": f"sounds like “{searched}”",
        "sound": f"sounds like “{searched}”",
    }.get(method, hit["how"] or method)
    if hit["likeliest"] == searched:
        return text
    wrote = f"“{hit['likeliest']}”" if hit["likeliest"] else "nothing"
    return f"{text}; the recogniser preferred {wrote}"
