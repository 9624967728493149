"""JSON of rows with times and texts, as scripts and most services write them.

    [{"start": 0.5, "end": 2.1, "text": "hello there"}, ...]       a list, or one object per line
    {"captions": [{"startMs": 500, "endMs": 2100, "text": ...}, ...]}     under any key
    [{"text": ..., "start": 0.5, "duration": 1.6}, ...]            youtube-transcript-api
    [{"timestamp": "0:05", "text": ...}, ...]                      starts only, as Gemini does
    [{"word": "hello", "start": 0.5, "end": 0.9}, ...]             words with times
    {"segments": [{"start", "end", "words": [[0.5, 0.9, "hello"], ...]}]}     words inside rows
    {"tokens": [{"text": " hel", "start_ms": 500, "end_ms": 700}, ...]}       pieces of words

`rows_in` finds the rows by the meaning of their keys (`indexer.formats.shared.columns_of_cues`):
the finest ones, words rather than their sentence. `indexer.formats.shared.json_cues` reads them.

A row (`indexer.formats.shared.json_row`) may be under any key and at any depth. Speaker, language
and recording of the objects around a row apply to it. Of lists with the same content (sentences and
their words) the finest is used, of lists with different content (two channels) all. Translations,
summaries, phones and all hypotheses but the best are skipped.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, BinaryIO

from indexer.formats.shared.columns_of_cues import Column, columns_of, is_complete, is_text
from indexer.formats.shared.json_cues import cues_of, speakers_of
from indexer.formats.shared.json_row import (
    NESTING,
    Around,
    Row,
    alike,
    fields_of,
    is_final,
    is_row_list,
    is_said,
    listed,
    name_speakers,
    paired,
    row_of,
    settled,
    turns_beside,
    with_best,
    with_speakers,
    with_times,
    without_start,
)
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.formats.shared.stated import stated_language
from indexer.formats.shared.tiers import Tier
from indexer.networks.utterances import Utterances
from std.json_fields import documents

_FIRST_ROW = re.compile(rb'\s*\[?\s*(\{[^{}\[\]]*"[^"]+"\s*:\s*\[\s*)?(\{[^{}\[\]]*\})')
MEETING_ROWS = ("speech_segments", "sentences", "transcript")
_MEETING_ROW = re.compile(
    rb'"(?:' + "|".join(MEETING_ROWS).encode() + rb')"\s*:\s*\[\s*(\{[^{}\[\]]*\})'
)
_ELEMENT = re.compile(r"\[\d+\]")
_KEY = re.compile(rb'"([^"\\]{1,40})"\s*:')
RECOGNISERS = {  # keys of rows that other readers know better
    "avg_logprob", "no_speech_prob", "timestamp", "offsets", "conf", "punctuated_word",
    "alternatives", "words", "segments", "word_segments",
}  # fmt: skip
EXPECTED = "rows with a start and a text"

PASSED = {  # keys of what was not said, or of speech in another form
    "translation", "translations", "translated_utterances", "summary", "summaries", "chapters",
    "topics", "entities", "highlights", "keywords", "action_items", "actionItems", "notes",
    "comments", "char", "phone", "chars", "characters", "phones", "phonemes", "syllables",
    "subtitles", "speech_outline",
    "sentiment_analysis_results", "auto_highlights_result", "iab_categories_result", "intents",
    "partial", "finalRefinement",  # Yandex writes each final text once more, with capitals
    "named_entity_recognition", "diarization", "speaker_labels", "pens", "events_log", "custom",
}  # fmt: skip
HYPOTHESES = {"alternatives", "nbest", "nBest", "NBest", "hypotheses", "n_best"}
AROUND = ("speaker", "language", "file", "channel")
BESIDE = "additions"  # an object with more about a row
NO_SPEAKERS = {"name", "author", "user", "person", "who"}  # of a file, rather than of a row
DEEPEST = 12
LEAST_SAID = 0.5  # of the words of a row, that the rows inside it must have
MOST_FORMS = 20  # in which an object may have what was said
SAME = 0.6  # of words shared by two lists with the same content


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning has rows of cues."""
    first = _FIRST_ROW.match(head)
    around, keys = map(_keys, first.groups()) if first else (set[str](), set[str]())
    if RECOGNISERS & {*around, *keys} or is_complete(columns_of(around)):
        return False
    if is_complete(columns_of(keys)):
        return True
    row = _MEETING_ROW.search(head) if head.lstrip()[:1] == b"{" else None
    keys = _keys(row[1] if row else b"")
    return not RECOGNISERS & keys and is_complete(columns_of(keys))


def _keys(part: bytes | None) -> set[str]:
    return {key.decode("utf-8", "replace") for key in _KEY.findall(part or b"")}


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's rows as utterances, in order; words with times as one until a pause.

    Raises:
        InputError: the file is not JSON, has no such rows, or most cannot be read.
    """
    values, lines, first = [], [], None
    for part in documents(stream, path, repairs=options.repairs):
        first = first or part
        values.append(part.value)
        lines.append(part.line)
    assert first is not None  # `documents` refuses a file without any
    rows = rows_in(values, lines)
    if not rows:
        raise first.error(EXPECTED)
    alone = len(values) == 1
    language = stated_language(first) if alone else ""
    cues = cues_of(rows, path, recording_for(path, options), options)
    names = speakers_of(first.value) if alone else {}
    if language or names:
        cues = [
            cue._replace(
                language=cue.language or language, speaker=names.get(cue.speaker, cue.speaker)
            )
            for cue in cues
        ]
    yield from utterances_of_captions(cues, path, options)


READER = FormatReader(
    name="timed-text",
    title="plain JSON",
    section="tables-and-plain-json",
    content="captions, or words with times",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=b'[{"start": 0.0, "end": 0.65, "text": "Das Haus."}]',
    words=("Das", "Haus"),
    keys=("start end text", "start duration text", "start end word"),
)


def rows_in(values: list[Any], lines: Sequence[int]) -> list[Row]:
    """Find the rows of JSON.

    Args:
        values: documents, or the elements of one that is a list.
        lines: (n,) first line of each.
    """
    finder = _Finder()
    rows = finder.in_list(values, Around(), 0, lines)
    spoken = {
        kind
        for kind, key in finder.startless
        if kind in finder.speaking and (is_text(key) or key in finder.speaking[kind])
    }
    return settled(_Finder(spoken).in_list(values, Around(), 0, lines) if spoken else rows)


Kind = tuple[str, str]  # of elements of lists: their place without numbers, and their type


def _kind(value: Any, where: str) -> Kind:
    kind = value.get("type") if isinstance(value, dict) else None
    return _ELEMENT.sub("[]", where), kind if isinstance(kind, str) else ""


class _Finder:
    """Finds rows, and numbers their parents.

    Objects with a text and no start are rows, too, if objects of their kind are rows, or have rows
    inside: Rev's editor and whisperX write words without times so.

    Args:
        spoken: kinds of objects that are rows without a start; others are remembered as
            ``startless``, with the keys of their texts. ``speaking`` are the kinds of rows, with
            the keys of their texts, and of what is around rows.
    """

    def __init__(self, spoken: Set[Kind] = frozenset()) -> None:
        self.parents, self.spoken = 0, spoken
        self.startless: set[tuple[Kind, str]] = set()
        self.speaking: dict[Kind, set[str]] = {}

    def within(self, value: Any, around: Around, depth: int) -> list[Row]:
        if depth > DEEPEST:
            return []
        if isinstance(value, dict):
            return self.in_object(value, around, depth)
        return self.in_list(value, around, depth) if isinstance(value, list) else []

    def in_list(
        self, values: list[Any], around: Around, depth: int, lines: Sequence[int] = ()
    ) -> list[Row]:
        if is_row_list(values):
            return listed(values, self._parent(around))
        inner = self._parent(around)
        if rows := alike(values, inner, lines):
            self._speaks(rows[0].value, rows[0].where, rows)
            return rows
        found: list[Row] = []
        good, textless = 0, list[Row]()
        for at, value in enumerate(values):
            if lines and lines[at] != inner.line:
                inner = inner._replace(line=lines[at])
            if type(value) is dict and NESTING.isdisjoint(map(type, value.values())):
                if row := row_of(value, inner, at):
                    good += 1
                    found.append(row)
                    self._speaks(value, row.where, [row])
                    continue
                rows = []
            else:
                own = inner._replace(where=f"{around.where}[{at}]")
                rows = self.within(value, own, depth + 1)
                good += bool(rows)
                self._speaks(value, own.where, rows)
            if not rows and isinstance(value, dict) and is_said(value):
                rows = self._startless(value, inner, at)
                if "start" in (fields := fields_of(tuple(value))):
                    textless.append(Row(value, fields, inner, at))
            found += rows
        return found + textless if good >= len(textless) else found

    def _startless(self, value: Mapping[str, Any], around: Around, at: int) -> list[Row]:
        """An object of a list that has no start as a row, if it is one."""
        row = without_start(with_best(value, HYPOTHESES), around, at)
        if row is None:
            return []
        kind = _kind(value, row.where)
        if kind in self.spoken:
            return [row]
        self.startless.add((kind, row.text_key))
        return []

    def _speaks(self, value: Any, where: str, rows: Sequence[Row]) -> None:
        """Remember the kind of an element that is a row, or has rows inside."""
        if rows:
            keys = self.speaking.setdefault(_kind(value, where), set())
            keys.update(row.text_key for row in rows[:1] if row.where == where)

    def in_object(self, value: dict[str, Any], around: Around, depth: int) -> list[Row]:
        if not is_final(value):
            return []
        fields = fields_of(tuple(value))
        inner = self._parent(around)._replace(said=_said(value, fields, around.said))
        if "start" in fields:
            inner = with_times(inner, value, fields)
        lists = []
        tiers = _speech_tiers(value) if around.where.rpartition(".")[2] == "tiers" else None
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
        is_list = len(lists) > MOST_FORMS or all(map(str.isdecimal, value))  # as draft.js's maps
        inside = _joined(lists, inner.parent) if is_list else _all_said(lists)
        whole = value if inside or "start" not in fields else with_best(value, HYPOTHESES)
        row = paired(value, fields, inner) or [one for one in [row_of(whole, around)] if one]
        if row and not any(one.has_start for one in inside):
            return row  # its times are better than none
        if inside and (turns := turns_beside(value)) and not name_speakers(inside):
            inside = with_speakers(inside, turns)
        return inside if not row or _says_all(inside, row) else row

    def _parent(self, around: Around) -> Around:
        self.parents += 1
        return around._replace(parent=self.parents)


def _said(
    value: Mapping[str, Any], fields: Mapping[str, tuple[str, Column]], around: Mapping[str, Any]
) -> Mapping[str, Any]:
    own = {what: value[fields[what][0]] for what in AROUND if what in fields}
    if isinstance(more := value.get(BESIDE), dict):
        found = fields_of(tuple(more))
        own = {what: more[found[what][0]] for what in AROUND if what in found} | own
    own = {what: one for what, one in own.items() if one not in (None, "", [], {})}
    if "speaker" in own and "speaker" in fields and fields["speaker"][0].lower() in NO_SPEAKERS:
        del own["speaker"]
    return {**around, **own} if own else around


def _speech_tiers(value: Mapping[str, Any]) -> set[str]:
    """The tiers of an aligner that have words, by their names; all if no name says so."""
    tiers = [Tier(name) for name in value]
    words = {tier.name for tier in tiers if tier.of_words}
    return words or {tier.name for tier in tiers if not tier.of_notes}


def _joined(lists: Sequence[list[Row]], parent: int) -> list[Row]:
    """Join lists; those of a row each are one list."""
    if any(len(rows) > 1 for rows in lists):
        return [row for rows in lists for row in rows]
    return [row._replace(around=row.around._replace(parent=parent)) for (row,) in lists]


def _all_said(lists: list[list[Row]]) -> list[Row]:
    """Join lists with different content; of lists with the same content use the finest."""
    if len(lists) < 2:
        return lists[0] if lists else []
    kept: list[tuple[list[Row], Counter[str]]] = []
    for rows in sorted(lists, key=len, reverse=True):
        words = _words(rows)
        same = [other for other in kept if _say_the_same(words, other[1])]
        if not same:
            kept.append((rows, words))
        elif not name_speakers(same[0][0]):
            kept[kept.index(same[0])] = (with_speakers(same[0][0], rows), same[0][1])
    order = {id(rows): at for at, rows in enumerate(lists)}
    joined = sorted(kept, key=lambda one: order.get(id(one[0]), 0))
    return [row for rows, _ in joined for row in rows]


def _says_all(inside: Sequence[Row], row: Sequence[Row]) -> bool:
    """Whether the rows inside a row have most of its words; otherwise they are not its speech."""
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
