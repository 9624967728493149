"""A search as the page has it: the query in an address, and texts about the result."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal
from urllib.parse import quote, urlencode

from searcher import WORD_KINDS, Word
from service.answers import search_document
from service.api.search import ALL_KINDS, KINDS, wish_of
from service.examples import LIKE, beside_example, has_examples, in_parts, parts_of, split_terms
from service.live_index import Snapshot
from service.marks import MarkFile
from service.searching import Selection, Sorting, Wish
from std.characters import text_of
from std.config import SHOWN_FROM
from std.numbers import about, counted

PER_PAGE = 50
SORTINGS: tuple[Sorting, ...] = ("probability", "recording", "time")


@dataclass(frozen=True, slots=True)
class PageState:
    """The complete search in the address of a page, so that people can send the address."""

    terms: tuple[str, ...] = ()
    min_probability: float = SHOWN_FROM
    recording: tuple[str, ...] = ()
    channel: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    sort: Sorting = "probability"
    group: bool = False
    cursor: int = 0
    within_words: str = ALL_KINDS  # hits inside other words that are shown, by kind
    unit: Literal["place", "recording", "turn"] = "place"  # recordings or turns, for one term
    inflections: bool = False  # related forms are found, too

    def wish(self, snapshot: Snapshot) -> Wish:
        """The hits that the search asks for."""
        sort = "recording" if self.group else self.sort
        least = self.min_probability
        chosen = self.recording, self.channel, self.where
        return wish_of(
            snapshot, *chosen, least, sort, self.within_words, inflections=self.inflections
        )

    def query(self, **changes: Any) -> str:
        """The query of an address for this state, with some values changed.

        >>> PageState(("a",), min_probability=0.00005).query(sort="time")
        'term=a&min_probability=0.00005&sort=time'
        """
        cursor = int(changes.get("cursor") or 0)  # the first page, unless another is asked for
        one, usual = replace(self, **(changes | {"cursor": cursor})), PageState()
        values = {
            "min_probability": f"{one.min_probability:.6f}".rstrip("0").rstrip("."),
            "sort": one.sort,
            "within_words": one.within_words,
            "inflections": "true",
            "group": "recording",
            "unit": one.unit,
            "cursor": str(cursor),
        }
        changed = [name for name in values if getattr(one, name) != getattr(usual, name)]
        return urlencode([*one._chosen, *((name, values[name]) for name in changed)])

    @property
    def _chosen(self) -> list[tuple[str, str]]:
        """The terms, and the values that choose among their hits, as parameters."""
        pairs = [("term", term) for term in self.terms]
        for name in ("recording", "channel", "where"):
            pairs += [(name, value) for value in getattr(self, name)]
        return pairs

    @property
    def is_filtered(self) -> bool:
        """Whether some recordings or hits are left out by a filter."""
        return bool(self.recording or self.channel or self.where)

    def export_query(self) -> str:
        """The query of the API for the same hits."""
        sort = "recording" if self.group else self.sort
        pairs = [*self._chosen, ("min_probability", f"{self.min_probability:g}"), ("sort", sort)]
        if self.within_words != ALL_KINDS:
            pairs.append(("within_words", self.within_words))
        if self.inflections:
            pairs.append(("inflections", "true"))
        return urlencode(pairs)

    def by_parts(self, term: str) -> dict[str, str]:
        """The queries with only the words of a term that has examples, and only its examples."""
        words, examples = parts_of(term)
        return {
            name: self.query(terms=tuple(part if one == term else one for one in self.terms))
            for name, part in (("words", words), ("sound", LIKE + examples))
        }

    def toggled_kind(self, kind: str) -> str:
        """The query that shows hits inside other words of a kind, or hides shown ones."""
        shown = {*self.within_words.split(",")} ^ {kind}
        kinds = ",".join(one for one in WORD_KINDS if one in shown)
        return self.query(within_words=kinds or "none")

    def during(self, period: str) -> str:
        """The query for a year or a month; empty = all dates."""
        others = tuple(one for one in self.where if not one.startswith("date:"))
        return self.query(where=(*others, f"date:{period}..{period}") if period else others)

    @property
    def dates(self) -> str:
        """The requested dates; empty = all."""
        chosen = (one for one in self.where if one.startswith("date:"))
        return next(chosen, "").removeprefix("date:")

    def toggled(self, facet: str, value: str) -> str:
        """The query with one value of a facet selected or deselected."""
        name, entry = (facet, value) if facet in ("recording", "channel") else (
            "where", f"{facet}:{value}",
        )  # fmt: skip
        chosen = getattr(self, name)
        others = tuple(value for value in chosen if value != entry)
        return self.query(**{name: others if entry in chosen else (*chosen, entry)})


def page_state(query: Sequence[tuple[str, str]]) -> PageState:
    """The search in the query of an address; unknown values are left out.

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
        tuple(values.get("where", [])),
        sort if sort in SORTINGS else "probability",
        group == "recording",
        int(cursor) if re.fullmatch(r"\d{1,9}", cursor, re.ASCII) else 0,
        kinds if re.fullmatch(KINDS, kinds := values.get("within_words", [""])[0]) else ALL_KINDS,
        _unit(values.get("unit", [""])[0]),
        values.get("inflections") == ["true"],
    )


def _unit(text: str) -> Literal["place", "recording", "turn"]:
    """The kind of results, from an address."""
    return "recording" if text == "recording" else "turn" if text == "turn" else "place"


def results_of(
    selection: Selection, snapshot: Snapshot, marks: MarkFile, first: int
) -> dict[str, Any]:
    """The values of the template of results: the API's answer and texts for it.

    Args:
        first: number of the first hit shown; beyond the last one, as in an old address: 0.
    """
    first = first if first < selection.total else 0
    found = search_document(selection, snapshot, marks, first, PER_PAGE)
    table = snapshot.recordings
    shown = (one["value"] for one in found["facets"]["recording"])
    names = {"recording": {value: table.by_id[value].title for value in shown}}
    asked = [one["term"] for one in found["terms"]]
    phrases = {term.text for one in selection.results if one.term for term in one.found.terms}
    (words, *others) = phrases or ("",)
    return found | {
        "with_examples": [*in_parts(asked, snapshot)],
        "only_places": any(map(has_examples, asked)),
        "right_words": "" if others else beside_example(words),
        "problem": "",
        "names": names,
        "first": first,
        "per_page": PER_PAGE,
        "several_terms": len(found["terms"]) > 1 or bool(found["forms"]),
        "of_recording": {one.value: one.hits for one in selection.facets.get("recording", ())},
    }


WORDS_OF_LINE = 12


def lines_of(words: Sequence[Word]) -> list[tuple[float, str]]:
    """Words as lines, each with the time of its first word."""
    starts = range(0, len(words), WORDS_OF_LINE)
    lines = [words[first : first + WORDS_OF_LINE] for first in starts]
    return [(line[0].start_s, text_of(one.word for one in line)) for line in lines]


def around(words: Sequence[Word], from_s: float, to_s: float) -> tuple[str, str, str]:
    """The words before a hit, in it and after it; a word is where its middle is."""
    parts: tuple[list[str], list[str], list[str]] = [], [], []
    for word in words:
        middle_s = word.start_s + word.duration_s / 2
        parts[0 if middle_s < from_s else 1 if middle_s <= to_s else 2].append(word.word)
    before, found, after = map(text_of, parts)
    return before, found, after


def _probability(text: str) -> float:
    """A probability from an address, or the default."""
    return (
        float(text) if re.fullmatch(r"0(\.\d{1,6})?|1(\.0{1,6})?", text, re.ASCII) else SHOWN_FROM
    )


def duration(seconds: float) -> str:
    """A length of time in words.

    >>> duration(40), duration(1479), duration(360_000), duration(60)
    ('40 seconds', '25 minutes', '100 hours', '1 minute')
    """
    for unit, length in (("hour", 3600), ("minute", 60), ("second", 1)):
        count = round(seconds / length)
        if seconds >= 2 * length or length == 1 or (count == 1 and seconds >= length):
            return counted(count, unit)
    raise AssertionError("unreachable")


def percent(probability: float) -> str:
    """A probability as text; only certainty is 100 %, because people read it as certainty.

    >>> percent(0.984), percent(0.9999), percent(1.0), percent(0.004)
    ('98 %', '> 99 %', '100 %', '< 1 %')
    """
    if probability < 0.01:
        return "< 1 %"
    return "> 99 %" if 0.99 < probability < 1 else f"{100 * probability:.0f} %"


def expectation(expected: Mapping[str, float]) -> str:
    """Describe the expected right places, above and below the slider's probability.

    >>> expectation({"from": 0.5, "hits": 37, "right": 28.9, "right_below": 6.1})
    '37 places from 50 % up: about 29 right. Below 50 %: about 6 more.'
    >>> expectation({"from": 0.5, "hits": 0, "right": 0.0, "right_below": 0.4})
    'No place from 50 % up. Below 50 %: about 0.4 right.'
    """
    border, hits = f"{100 * expected['from']:.0f} %", int(expected["hits"])
    below = f"Below {border}: {about(expected['right_below'])}"
    if not hits:
        return f"No place from {border} up. {below} right."
    places = f"{counted(hits, 'place')} from {border} up"
    return f"{places}: {about(expected['right'])} right. {below} more."


def is_certain(hit: Mapping[str, Any]) -> bool:
    """Whether a person has confirmed exactly these words."""
    return bool(hit.get("corrected")) and hit["method"] == "exact"


WITHIN = {"form": "another form of it", "part": "a longer word", "apart": "written apart"}


def found_as(hit: Mapping[str, Any]) -> str:
    """Describe for a general reader how a hit was found."""
    searched, method = hit["searched"], hit["method"]
    if is_certain(hit):
        return "as a person has corrected it"
    text: str = {
        "exact": "as written",
        "wildcard": f"“{searched}” fits the wildcard",
        "split": f"split into “{searched}”",
        "join": f"written in one word: “{searched}”",
        "levenshtein": f"spelt like “{searched}”",
        "dice": f"spelt like “{searched}”",
        "pronunciation": f"sounds like “{searched}”",
        "phonetic": f"sounds like “{searched}”",
        "heard": "heard in the sound",
    }.get(method, hit["how"] or method)
    by = {one["store"]: one for one in hit.get("found_by", ())}
    if method == "example":  # no words were searched
        return f"by sound alone: {by['sound']['how']}" if by else text
    if within := hit.get("within_word"):
        word = "" if within["word"] == searched else f": “{within['word']}”"
        text += f" ({WITHIN[within['kind']]}{word})"
    if hit["likeliest"] != searched:
        wrote = f"“{hit['likeliest']}”" if hit["likeliest"] else "nothing"
        text = f"{text}; the recogniser preferred {wrote}"
    if hit.get("heard"):
        text = f"{text}; heard"
    return f"{text}{_by_both(by)}" if by else text


def _by_both(by: Mapping[str, Mapping[str, Any]]) -> str:
    """The probability of a hit by its words alone, and by its sound alone."""
    if not by["sound"]["weight"]:
        return "; no sound there"
    words, sound = (percent(by[one]["probability"]) for one in ("words", "sound"))
    return f"; {words} by words, {sound} by sound"


def values_of(schema: Mapping[str, Any]) -> str:
    """Describe the values of a parameter of the API, from its JSON schema.

    >>> values_of({"type": "number", "minimum": 0, "maximum": 1, "default": 0.05})
    'number from 0 to 1; default 0.05'
    >>> values_of({"type": "array", "items": {"enum": ["a", "b"]}, "default": []})
    'a or b, may be repeated'
    >>> values_of({"type": "boolean", "default": False})
    'boolean; default false'
    >>> values_of({"anyOf": [{"type": "integer"}, {"type": "null"}]})
    'integer'
    """
    several = schema.get("type") == "array"
    one = schema["items"] if several else schema
    kinds = [kind for kind in one.get("anyOf", [one]) if kind.get("type") != "null"]
    text = " or ".join(_kind(kind) for kind in kinds) + (", may be repeated" if several else "")
    default = schema.get("default")
    shown = str(default).lower() if isinstance(default, bool) else default
    return text if default in (None, "", []) else f"{text}; default {shown}"


def _kind(schema: Mapping[str, Any]) -> str:
    text = " or ".join(map(str, schema.get("enum", [schema.get("type", "any")])))
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is not None and most is not None:
        return f"{text} from {least:g} to {most:g}"
    return f"{text} from {least:g}" if least is not None else text


def request_of(path: str, described: Mapping[str, Any]) -> str:
    """An address of an operation of the API, from the examples of its description.

    >>> one = {"in": "path", "name": "id", "example": "a b"}
    >>> other = {"in": "query", "name": "term", "example": ["die"]}
    >>> request_of("/api/{id}", {"parameters": [one, other]})
    '/api/a%20b?term=die'
    """
    given = [one for one in described.get("parameters", ()) if "example" in one]
    for one in given:
        path = path.replace(f"{{{one['name']}}}", quote(str(one["example"])))
    query = {one["name"]: one["example"] for one in given if one["in"] == "query"}
    query |= {name: "true" for name, value in query.items() if value is True}
    return f"{path}?{urlencode(query, doseq=True)}" if query else path
