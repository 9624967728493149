"""Where in JSON speech stands: rows with a time and a text, found by what their keys mean.

    rows_in    JSON -> `Row`: the finest there are, words rather than their sentence

A row is an object with a start and a text, under any key and at any depth, or a list such as
``[0.5, 0.9, "das"]``. What stands around it is said of it, too: speaker, language, recording. Of
lists that say the same (sentences and their words) the finest is taken, of lists that say something
else (two channels) all. Translations, summaries, phones and other hypotheses than the best are
passed over.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count, repeat
from typing import Any, NamedTuple

from indexer.formats.shared.columns_of_cues import Column, columns_of, is_complete
from indexer.formats.shared.tiers import Tier

PASSED = {  # keys under which nothing is that was said, or once more in another form
    "translation", "translations", "translated_utterances", "summary", "summaries", "chapters",
    "topics", "entities", "highlights", "keywords", "action_items", "actionItems", "notes",
    "comments", "char", "phone", "chars", "characters", "phones", "phonemes", "syllables",
    "subtitles",
    "sentiment_analysis_results", "auto_highlights_result", "iab_categories_result", "intents",
    "named_entity_recognition", "diarization", "speaker_labels", "pens", "events_log", "custom",
}  # fmt: skip
HYPOTHESES = {"alternatives", "nbest", "nBest", "NBest", "hypotheses", "n_best"}
AROUND = ("speaker", "language", "file", "channel")
BESIDE = "additions"  # an object that says more of a row
NOT_SAID = {"punctuation", "punct", "spacing", "silence", "pause", "background_event"}
FINAL = ("is_final", "isFinal", "final")
_NESTING = frozenset((dict, list))
_TELLING = frozenset((*FINAL, "IsPartial", "type"))
NO_SPEAKERS = {"name", "author", "user", "person", "who"}  # of a file, rather than of a row
PAIRS = ("timestamp", "timestamps")  # of a start and an end, one for each word of the text
IDEOGRAMS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_UNIT = re.compile(rf"[{IDEOGRAMS}]|[^\W_{IDEOGRAMS}]+(?:['\u2019-][^\W_{IDEOGRAMS}]+)*")
DEEPEST = 12
LOOKED_AT = 50  # elements of a list that tell what it is
LEAST_SAID = 0.5  # of the words of a row by the rows inside it
SAME = 0.6  # of words that two lists share which say the same


class Around(NamedTuple):
    """What is said of a row by what stands around it."""

    line: int = 1
    where: str = ""
    parent: int = 0  # rows of one parent are said in a row
    start: tuple[Any, Column] | None = None  # of the parent, as written
    said: Mapping[str, Any] = {}  # speaker, language, file, channel as written


class Row(NamedTuple):
    """A row as written: an object or a list, and what stands around it."""

    value: Mapping[str, Any]
    fields: Mapping[str, tuple[str, Column]]
    around: Around
    at: int = -1  # in a list that stands around it

    @property
    def where(self) -> str:
        """Where it stands in its document."""
        return self.around.where if self.at < 0 else f"{self.around.where}[{self.at}]"

    def get(self, what: str) -> Any:
        """What the row itself, or else what stands around it, says of something."""
        if what in self.fields:
            value = self.value[self.fields[what][0]]
            if value is not None:
                return value
        return self.around.said.get(what)

    @property
    def text(self) -> str | None:
        """The text as written, of several lines in one; None without one."""
        at = self.fields.get(self.text_at)
        text = self.value[at[0]] if at else None
        if isinstance(text, str):
            return text
        if isinstance(text, list) and all(isinstance(line, str) for line in text):
            return " ".join(text)
        return str(text) if type(text) in (int, float) else None

    @property
    def text_at(self) -> str:
        """Whether the text is a ``text`` or a ``word``."""
        return "text" if "text" in self.fields else "word"


@lru_cache(maxsize=1 << 10)
def fields_of(keys: tuple[str, ...]) -> Mapping[str, tuple[str, Column]]:
    """By what they hold, the keys of a row and what kind they are."""
    return {what: (keys[place], column) for what, (place, column) in columns_of(keys).items()}


def rows_in(values: list[Any], lines: Sequence[int]) -> list[Row]:
    """Find the rows of JSON.

    Args:
        values: documents, or the elements of one that is a list.
        lines: (n,) where each of them begins.
    """
    return _Finder().in_list(values, Around(), 0, lines)


class _Finder:
    """Numbers the parents of rows as they are found."""

    def __init__(self) -> None:
        self.parents = 0

    def within(self, value: Any, around: Around, depth: int) -> list[Row]:
        if depth > DEEPEST:
            return []
        if isinstance(value, dict):
            return self.in_object(value, around, depth)
        return self.in_list(value, around, depth) if isinstance(value, list) else []

    def in_list(
        self, values: list[Any], around: Around, depth: int, lines: Sequence[int] = ()
    ) -> list[Row]:
        if _is_row_list(values):
            return _listed(values, self._parent(around))
        inner = self._parent(around)
        if rows := _alike(values, inner, lines):
            return rows
        found: list[Row] = []
        good, textless = 0, []
        for at, value in enumerate(values):
            if lines and lines[at] != inner.line:
                inner = inner._replace(line=lines[at])
            if type(value) is dict and _NESTING.isdisjoint(map(type, value.values())):
                if row := _row(value, inner, at):
                    good += 1
                    found.append(row)
                    continue
                rows = []
            else:
                own = inner._replace(where=f"{around.where}[{at}]")
                rows = self.within(value, own, depth + 1)
                good += bool(rows)
            if not rows and isinstance(value, dict) and _is_said(value):
                fields = fields_of(tuple(value))
                textless += [Row(value, fields, inner, at)] if "start" in fields else []
            found += rows
        return found + textless if good >= len(textless) else found

    def in_object(self, value: dict[str, Any], around: Around, depth: int) -> list[Row]:
        fields = fields_of(tuple(value))
        inner = self._parent(around)._replace(said=_said(value, fields, around.said))
        if "start" in fields:
            key, column = fields["start"]
            inner = inner._replace(start=(value[key], column))
        lists = []
        tiers = _speech_tiers(value) if _last_key(around.where) == "tiers" else None
        for key, child in value.items():
            if tiers is not None:
                if key not in tiers:
                    continue
                who = {**inner.said, "speaker": key.rpartition(" - ")[0]}
                inner = inner._replace(said=who)
            if key in PASSED or not isinstance(child, dict | list):
                continue
            if key in HYPOTHESES and isinstance(child, list):
                child = child[:1]
            where = f"{around.where}.{key}" if around.where else key
            if rows := self.within(child, inner._replace(where=where), depth + 1):
                lists.append(rows)
        row = _paired(value, fields, inner) or [one for one in [_row(value, around)] if one]
        inside = _all_said(lists)
        if inside and (turns := _turns(value)) and not _name_speakers(inside):
            inside = _with_speakers(inside, turns)
        return inside if not row or _says_all(inside, row) else row

    def _parent(self, around: Around) -> Around:
        self.parents += 1
        return around._replace(parent=self.parents)


class _Shape(NamedTuple):
    """What the keys of a row say."""

    fields: Mapping[str, tuple[str, Column]]
    text: str  # the keys of the text and the start
    start: str
    telling: bool  # whether a key may say that nothing was said


@lru_cache(maxsize=1 << 10)
def _shape(keys: tuple[str, ...]) -> _Shape | None:
    fields = fields_of(keys)
    if not is_complete(fields):
        return None
    text = fields.get("text") or fields["word"]
    return _Shape(fields, text[0], fields["start"][0], not _TELLING.isdisjoint(keys))


def _alike(values: Sequence[Any], around: Around, lines: Sequence[int]) -> list[Row]:
    """Objects as rows, if all have the same keys and nothing inside; none otherwise."""
    if not values or {*map(type, values)} != {dict} or {*lines} - {*lines[:1]}:
        return []
    keys = tuple(values[0])
    shape = _shape(keys)
    if shape is None or shape.telling or {*map(tuple, values)} != {keys}:
        return []
    if not _NESTING.isdisjoint(map(type, chain.from_iterable(map(dict.values, values)))):
        return []
    if bool in {type(value[shape.start]) for value in values} or not {
        type(value[shape.text]) for value in values
    } <= {str, type(None)}:
        return []
    inner = around._replace(line=lines[0]) if lines else around
    return list(map(Row, values, repeat(shape.fields), repeat(inner), count()))


def _row(value: Mapping[str, Any], around: Around, at: int = -1) -> Row | None:
    """An object as a row, if it is one."""
    shape = _shape(tuple(value))
    if shape is None or type(value[shape.start]) is bool or not _may_be_text(value[shape.text]):
        return None
    if shape.telling and not _is_said(value):
        return None
    return Row(value, shape.fields, around, at)


def _said(
    value: Mapping[str, Any],
    fields: Mapping[str, tuple[str, Column]],
    around: Mapping[str, Any],
) -> Mapping[str, Any]:
    own = {what: value[fields[what][0]] for what in AROUND if what in fields}
    if isinstance(more := value.get(BESIDE), dict):
        found = fields_of(tuple(more))
        own = {what: more[found[what][0]] for what in AROUND if what in found} | own
    own = {what: one for what, one in own.items() if one not in (None, "", [], {})}
    if "speaker" in own and "speaker" in fields and fields["speaker"][0].lower() in NO_SPEAKERS:
        del own["speaker"]
    return {**around, **own} if own else around


def _last_key(where: str) -> str:
    return where.rpartition(".")[2]


def _speech_tiers(value: Mapping[str, Any]) -> set[str]:
    """The tiers of an aligner that have words, by their names; all where none says so."""
    tiers = [Tier(name) for name in value]
    words = {tier.name for tier in tiers if tier.of_words}
    return words or {tier.name for tier in tiers if not tier.of_notes}


def _may_be_text(value: Any) -> bool:
    return isinstance(value, str | None) or (
        isinstance(value, list) and all(isinstance(line, str) for line in value)
    )


def _is_said(value: Mapping[str, Any]) -> bool:
    if _TELLING.isdisjoint(value):
        return True
    kind = value.get("type")
    partial = any(value.get(key) is False for key in FINAL) or value.get("IsPartial") is True
    return not partial and not (isinstance(kind, str) and kind.lower() in NOT_SAID)


def _is_row_list(values: list[Any]) -> bool:
    """Tell whether these are lists such as ``[0.5, 0.9, "das"]`` or ``["das", 0.5, 0.9]``."""
    return bool(values) and all(
        isinstance(one, list)
        and 3 <= len(one) <= 5
        and sum(isinstance(cell, str) for cell in one) == 1
        and sum(type(cell) in (int, float) for cell in one) >= 2
        for one in values[:LOOKED_AT]
    )


def _listed(values: list[Any], around: Around) -> list[Row]:
    """Make objects of lists: the text, the start, the end or duration, a confidence."""
    rows = []
    for one in values:
        if not isinstance(one, list):
            continue
        text = next((cell for cell in one if isinstance(cell, str)), None)
        numbers = [cell for cell in one if type(cell) in (int, float)]
        if text is not None and len(numbers) >= 2:
            sure = numbers[2] if len(numbers) > 2 and 0 <= numbers[2] <= 1 else 1.0
            rows.append((text, *numbers[:2], sure))
    last = "duration" if any(row[2] < row[1] for row in rows) else "end"
    keys = ("word", "start", last, "confidence")
    return [Row(dict(zip(keys, row, strict=True)), fields_of(keys), around) for row in rows]


def _paired(
    value: Mapping[str, Any], fields: Mapping[str, tuple[str, Column]], around: Around
) -> list[Row]:
    """Make rows of a text and a list of as many times as it has words, as FunASR writes them."""
    pairs = next((value[key] for key in PAIRS if isinstance(value.get(key), list)), None)
    at = fields.get("text")
    if not pairs or at is None or not isinstance(value[at[0]], str):
        return []
    units = _UNIT.findall(value[at[0]])
    if len(units) != len(pairs) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(type(t) in (int, float) for t in pair)
        for pair in pairs
    ):
        return []
    keys = ("word", "start", "end")
    return [
        Row(dict(zip(keys, (unit, *pair), strict=True)), fields_of(keys), around)
        for unit, pair in zip(units, pairs, strict=True)
    ]


def _all_said(lists: list[list[Row]]) -> list[Row]:
    """Join lists that say different things; of those that say the same take the finest."""
    if len(lists) < 2:
        return lists[0] if lists else []
    kept: list[tuple[list[Row], Counter[str]]] = []
    for rows in sorted(lists, key=len, reverse=True):
        words = _words(rows)
        same = [other for other in kept if _say_the_same(words, other[1])]
        if not same:
            kept.append((rows, words))
        elif not _name_speakers(same[0][0]):
            kept[kept.index(same[0])] = (_with_speakers(same[0][0], rows), same[0][1])
    order = {id(rows): at for at, rows in enumerate(lists)}
    joined = sorted(kept, key=lambda one: order.get(id(one[0]), 0))
    return [row for rows, _ in joined for row in rows]


def _says_all(inside: Sequence[Row], row: Sequence[Row]) -> bool:
    """Tell whether rows inside a row say what it says; what else they may be is no speech."""
    words, own = _words(inside), _words(row)
    return bool(inside) and (words & own).total() >= LEAST_SAID * own.total()


def _words(rows: Sequence[Row]) -> Counter[str]:
    return Counter(
        word for text in _texts(rows) for word in text.lower().replace("\u2581", " ").split()
    )


def _texts(rows: Sequence[Row]) -> Iterator[str]:
    texts = [text for row in rows if (text := row.text) is not None]
    is_pieces = any(text[:1] in (" ", "\u2581") for text in texts)
    return iter(["".join(texts)]) if is_pieces else iter(texts)


def _say_the_same(one: Counter[str], other: Counter[str]) -> bool:
    smaller = min(one.total(), other.total())
    return smaller > 0 and (one & other).total() >= SAME * smaller


def _name_speakers(rows: Sequence[Row]) -> bool:
    return any(row.get("speaker") is not None for row in rows)


def _turns(value: Mapping[str, Any]) -> list[Row]:
    """Turns of speakers that stand beside what they say: rows with a start, and no text."""
    turns = []
    for child in value.values():
        for one in child if isinstance(child, list) else ():
            fields = fields_of(tuple(one)) if isinstance(one, dict) else {}
            if {"start", "speaker"} <= {*fields} and "text" not in fields:
                turns.append(Row(one, fields, Around()))
    return turns


def _with_speakers(words: list[Row], turns: Sequence[Row]) -> list[Row]:
    """Give words the speaker of the turn in which they begin."""
    named = [(row, row.get("speaker")) for row in turns]
    timed = [
        (start, speaker)
        for row, speaker in named
        if isinstance(start := row.get("start"), int | float) and speaker is not None
    ]
    timed.sort(key=lambda pair: pair[0])
    if not timed:
        return words
    found, at = [], 0
    for row in words:
        start = row.get("start")
        while at + 1 < len(timed) and isinstance(start, int | float) and timed[at + 1][0] <= start:
            at += 1
        said = {**row.around.said, "speaker": timed[at][1]}
        found.append(row._replace(around=row.around._replace(said=said)))
    return found
