"""Rows of JSON -> cues: times in seconds, words joined from their pieces, speakers.

    cues_of        `json_row.Row` -> `cues.Cue`
    speakers_of    a document -> names of speakers by their ids

`indexer.formats.shared.json_times` reads the times. Rows of a single word each, or of pieces of
words, are words with times. Words of one parent and one speaker form utterances, cut at pauses.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain, groupby, repeat
from pathlib import Path
from typing import Any

from indexer.formats.shared.caption_text import MARK, are_spaced, joined, spoken_part
from indexer.formats.shared.clock import note_restarts
from indexer.formats.shared.cues import LONGEST_WORD_S, Cue, all_single, timed_cues
from indexer.formats.shared.json_row import Row
from indexer.formats.shared.json_times import Timed, timed_rows
from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.raw import SECONDS_PER_LETTER
from std.characters import has_characters
from std.json_fields import Part
from std.nist.audio_names import recording_name
from std.ranges import MAX_CHANNEL
from std.repairs import NO_START, UNKNOWN
from std.values import Recording

Place = Callable[[Row], Recording | None] | None  # None: no row names any
SPEAKER_NAME_KEYS = (
    "name",
    "label",
    "display_name",
    "displayName",
    "id",
    "speaker",
    "speaker_label",
    "@id",
)  # of an object
IDS = ("id", "spkid", "speaker_id", "speakerId", "label")
_PIECE = re.compile(rf"^(?:[^\S\r\n]|{MARK}|##)|@@$")


def cues_of(
    rows: Sequence[Row], path: Path | str, recording: Recording, options: ReaderOptions
) -> list[Cue]:
    """Make cues of rows, in their order.

    Args:
        recording: the recording of the rows that name none.

    Raises:
        InputError: most rows cannot be read.
    """
    timed = timed_rows(rows, path, options) if rows else []
    if not timed:
        return []
    rows = [one.row for one in timed]
    told = _told(rows)
    place = _places(rows, told, recording, options)
    are_words = _are_words(timed)
    startless = [row for row in rows if not row.has_start]
    if startless and (not are_words or 2 * len(startless) > len(rows)):
        first = startless[0]
        problem = Part(path, first.around.line, first.text, first.where).error(
            "a text with its start"
        )
        if len(startless) == len(rows):
            raise problem
        options.repairs.note(NO_START, problem, len(startless))
    if are_words:
        return list(_of_words(timed, path, options, place))
    if startless:
        timed = list(_within_gaps(timed, place))
        rows = [one.row for one in timed]
    _, starts_s, ends_s, texts = zip(*timed, strict=True)
    lines = [row.around.line for row in rows]
    places = map(place, rows) if place else repeat(None)
    names = (_names(rows, what) if what in told else repeat("") for what in ("language", "speaker"))
    return list(map(Cue, lines, starts_s, ends_s, texts, repeat(()), places, *names))


def _within_gaps(timed: Sequence[Timed], place: Place) -> Iterator[Timed]:
    """Yield rows; those of a speaker without a start are one, in the gap around them."""
    gaps = _gaps(timed, place)

    def key(at: int) -> tuple[Any, ...]:
        row = timed[at].row
        names = (_name(row.get(what)) for what in ("language", "speaker"))
        return row.has_start or None, place(row) if place else None, *names

    for (has_start, *_), run in groupby(range(len(timed)), key):
        some = [*run]
        if has_start:
            yield from (timed[at] for at in some)
            continue
        text = " ".join(timed[at].text for at in some)
        yield Timed(timed[some[0]].row, *gaps[some[0]], text)


def _names(rows: Sequence[Row], what: str) -> list[str]:
    return [_name(row.get(what)) for row in rows]


def _told(rows: Sequence[Row]) -> set[str]:
    """The keys of rows, and of the objects around them."""
    fields = {id(row.fields): row.fields for row in rows}.values()
    around = {id(row.around): row.around.said for row in rows}.values()
    return set(chain(*fields, *around))


def _are_words(timed: Sequence[Timed]) -> bool:
    """Whether rows are words, or pieces of words.

    Sentences of a script without blanks have none either, but last longer than words do.
    """
    timed = [one for one in timed if one.start_s == one.start_s]
    if not timed or not all_single(one.text for one in timed):
        return False
    if has_characters("".join(one.text for one in timed)):
        return _mean_s(timed) <= LONGEST_WORD_S
    return len(timed) > 1 or timed[0].row.text_at == "word" or timed[0].end_s == timed[0].end_s


def _mean_s(timed: Sequence[Timed]) -> float:
    """The mean duration of rows; rows without an end last until the next."""
    followers = [*(one.start_s for one in timed[1:]), UNKNOWN]
    ends_s = (
        one.end_s if one.end_s == one.end_s else following
        for one, following in zip(timed, followers, strict=True)
    )
    lasting_s = [end - one.start_s for one, end in zip(timed, ends_s, strict=True) if end == end]
    return sum(lasting_s) / len(lasting_s) if lasting_s else UNKNOWN


def _of_words(
    timed: Sequence[Timed], path: Path | str, options: ReaderOptions, place: Place
) -> Iterator[Cue]:
    """Yield cues of words: those of one parent and speaker together, cut at pauses.

    Words without times share the gap between those around them that have some.
    """
    followers = [*(one.start_s for one in timed[1:]), UNKNOWN]
    words = [
        _word(one, following, path, options)
        for one, following in zip(timed, followers, strict=True)
    ]
    texts = [one.text.replace(MARK, " ") for one in timed if one.start_s == one.start_s]
    pieces = sum(bool(_PIECE.search(one.text)) for one in timed if one.start_s == one.start_s)
    together = 0 < pieces < len(texts)
    spaced = together and are_spaced(texts)
    gaps = _gaps(timed, place) if len(texts) < len(words) else []

    def key(at: int) -> tuple[Any, ...]:
        row = timed[at].row
        spoken_by = _name(row.get("speaker"))
        return place(row) if place else None, spoken_by, row.around.parent

    for (where, _, _), run in groupby(range(len(timed)), key):
        rows = list(run)
        language = _most(_name(timed[at].row.get("language")) for at in rows)
        line = timed[rows[0]].row.around.line
        own = [words[at] for at in rows]
        if not together:
            own = [part for word in own for part in _parts(word)]
        if not any(word.start_s == word.start_s for word in own):
            text = " ".join(word.token for word in own)
            yield Cue(line, *gaps[rows[0]], text, (), where, language, own[0].speaker)
            continue
        note_restarts([word.start_s for word in own], [line] * len(own), options.repairs)
        said = joined(own, spaced=spaced) if together else own
        for cue in timed_cues(((line, word) for word in said), in_parts=options.chunks is not None):
            yield cue._replace(recording=where, language=language)


def _gaps(timed: Sequence[Timed], place: Place) -> list[tuple[float, float]]:
    """For each row the end of the last one with times before it, and the start of the next.

    Both are in its recording. A row without an end lasts as long as its letters take.
    """
    places = [place(one.row) if place else None for one in timed]
    before_s: dict[Recording | None, float] = {}
    after_s: dict[Recording | None, float] = {}
    gaps = []
    for where, one in zip(places, timed, strict=True):
        if one.start_s == one.start_s:
            end_s = one.end_s if one.end_s == one.end_s else one.start_s + _said_in_s(one)
            before_s[where] = max(before_s.get(where, 0.0), end_s)
        gaps.append((before_s.get(where, 0.0), UNKNOWN))
    for at in range(len(timed) - 1, -1, -1):
        if timed[at].start_s == timed[at].start_s:
            after_s[places[at]] = timed[at].start_s
        start_s, end_s = gaps[at][0], after_s.get(places[at], UNKNOWN)
        gaps[at] = start_s, end_s if end_s >= start_s else UNKNOWN
    return gaps


def _said_in_s(one: Timed) -> float:
    return SECONDS_PER_LETTER * max(1, len(one.text.strip()))


def _parts(word: HypothesisWord) -> list[HypothesisWord]:
    """A word without the blanks around it; a text without times may be several."""
    tokens = [word.token.strip()] if word.start_s == word.start_s else word.token.split()
    return [word._replace(token=token) for token in tokens]


def _word(one: Timed, following: float, path: Path | str, options: ReaderOptions) -> HypothesisWord:
    end_s = one.end_s
    if end_s != end_s:  # it lasts until the next, at most as long as its letters take
        longest = one.start_s + _said_in_s(one)
        end_s = min(longest, following) if following > one.start_s else longest
    text = spoken_part(one.text)
    sure = _confidence(one.row, path, options)
    return HypothesisWord(text, sure, one.start_s, end_s, _name(one.row.get("speaker")))


def _confidence(row: Row, path: Path | str, options: ReaderOptions) -> float:
    for what in ("confidence", "log"):
        if what in row.fields and (value := row.value[row.fields[what][0]]) is not None:
            part = Part(path, row.around.line, value, row.where, options.repairs)
            return part.probability() if what == "confidence" else part.log_probability()
    return 1.0


def _most(names: Iterable[str]) -> str:
    """The most frequent name; empty if there is none."""
    counts = Counter(name for name in names if name)
    return counts.most_common(1)[0][0] if counts else ""


def _name(value: Any) -> str:
    """A name as written: a text, a number, or an object with one."""
    if value is None:
        return ""
    if isinstance(value, dict):
        value = next(
            (value[key] for key in SPEAKER_NAME_KEYS if value.get(key) not in (None, "")), ""
        )
    return str(value).strip() if isinstance(value, str | int) and value is not True else ""


def _places(
    rows: Sequence[Row], told: Set[str], recording: Recording, options: ReaderOptions
) -> Place:
    """The function that returns the recording of a row: as it names it, with its channel.

    Objects around a row name its recording only if they name several. One is added to channels that
    count from 0.
    """
    if told.isdisjoint(("file", "channel")):
        return None
    arounds = {id(row.around): row.around for row in rows}.values()
    several = len({_name(around.said.get("file")) for around in arounds}) > 1
    first = 1 if any(row.get("channel") in (0, "0") for row in rows) else 0

    def place(row: Row) -> Recording | None:
        named = "file" in row.fields or several
        file = _name(row.get("file")) if named and options.names != "file" else ""
        channel = row.get("channel")
        if not file and channel is None:
            return None
        is_number = type(channel) is int or (isinstance(channel, str) and channel.isdecimal())
        number = int(channel) + first if is_number and int(channel) < MAX_CHANNEL else 0
        name = recording_name(file) if file else recording.file
        return Recording(name, number or recording.channel)

    return place


def speakers_of(document: Any) -> Mapping[str, str]:
    """Names of speakers by their ids, if a document lists them."""
    if not isinstance(document, dict):
        return {}
    named = document.get("speaker_names")
    if isinstance(named, dict):
        return {name: _name(value) for name, value in named.items()}
    listed = document.get("speakers")
    if not isinstance(listed, list):
        return {}
    return {
        str(one[key]): _name(one)
        for one in listed
        if isinstance(one, dict)
        for key in IDS
        if one.get(key) not in (None, "")
    }
