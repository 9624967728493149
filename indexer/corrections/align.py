"""What a person says was said, and where -> corrections with times.

    said_instead      words that replace given words
    said_at           words at a time: finds the words of the one-best that they replace
    said_in_all       all words of a recording: finds where they differ from the one-best
    read_words        a corrected transcript -> its words, in spoken order
    read_corrections  a table, which `std-search --corrections` writes, and `std-store corrections
                      --csv`

    recording,channel,start_s,end_s,before,after,probability,right
    news_01,1,61.500,62.400,emanuel macron,Emmanuel Macron,0.98,yes

    recording         or ``file``; ``channel``: 1 without such a column
    start_s, end_s    the approximate time
    before            the recogniser's words
    after             the spoken words; empty: nothing
    right             or ``accept``: no leaves a row out; empty, or no such column: yes

At a time, words are compared by their phones, because the recogniser's words sound like the spoken
ones. New words share the time of the replaced ones by letters. A transcript with times is read as
by `std-index`, in any format; one without times is read as a text.
"""

from collections.abc import Callable, Sequence
from itertools import accumulate, chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz.distance import Levenshtein

from indexer.corrections.slots import SpokenWord
from indexer.inputs import InputOptions, utterances_in
from indexer.segments.separate import separated
from std.corrections import CorrectedWord, Correction
from std.errors import InputError
from std.files import read_text
from std.marks import RIGHT, WRONG
from std.ranges import MAX_CHANNEL, MAX_TIME_S, Range
from std.store.columns import MAX_WORD_MS, Int64s
from std.tables import read_table
from std.text import Normalisation
from std.values import Recording

TEXTS = (".txt", ".text", ".md")
COLUMN_NAMES = {  # columns of a table of corrections
    **{"recording": ("recording", "file"), "start": ("start_s", "start")},
    **{"end": ("end_s", "end"), "before": ("before",), "after": ("after",)},
}
CHANNEL = "channel"
ACCEPTED = ("right", "accept", "accepted")


class SaidWord(NamedTuple):
    """A word of a transcript."""

    word: str  # normalised
    start_ms: int | None = None  # of its utterance; None: the transcript has no times
    end_ms: int | None = None


def read_words(path: Path, recording: Recording, normalisation: Normalisation) -> list[SaidWord]:
    """The words of a transcript.

    Args:
        path: the path of the file.
        recording: the recording, if the file names several.
        normalisation: the normalisation of the index.

    Raises:
        InputError: the file cannot be read, or holds several recordings of other names.
    """
    try:
        return _timed(path, recording, normalisation)
    except InputError:
        if path.suffix.lower() not in TEXTS:
            raise
    return [SaidWord(word) for word in normalisation.phrase(read_text(path))]


def _timed(path: Path, recording: Recording, normalisation: Normalisation) -> list[SaidWord]:
    """The likeliest words of each utterance, with its times."""
    words: dict[Recording, list[tuple[int, SaidWord]]] = {}
    for block in utterances_in(path, options=InputOptions().load()):
        for network in separated(block, normalisation):
            said = words.setdefault(network.recording, [])
            is_one_best = bool((np.diff(network.offsets) <= 1).all())
            for slot in network:
                best = max(slot.alternatives, key=lambda one: one.posterior, default=None)
                if best is not None and (is_one_best or best.posterior >= slot.epsilon):
                    span = network.start_ms, network.end_ms
                    said += [
                        (best.start_ms, SaidWord(word, *span))
                        for word in normalisation.phrase(best.word)
                    ]
    if recording not in words and len(words) > 1:
        names = ", ".join(sorted({one.file for one in words}))
        raise InputError(path, 0, f"a transcript of {recording.file}", f"one of {names}")
    found = words.get(recording) or next(iter(words.values()), [])
    return [word for _, word in sorted(found, key=lambda one: one[0])]


class TableRow(NamedTuple):
    """A correction of a table."""

    line: int
    recording: Recording
    start_ms: int
    end_ms: int
    before: str
    after: str


def read_corrections(content: bytes, path: Path) -> list[TableRow]:
    """The accepted corrections of a table.

    Args:
        content: the file.
        path: its name, for messages.

    Raises:
        InputError: the file is not a table, lacks a column, or has an invalid value.
        ConfigError: the file is a workbook, and openpyxl is not installed.
    """
    known = {name for names in COLUMN_NAMES.values() for name in names}
    table = read_table(content, path, lambda name: name.lower() in known)
    columns = [name.lower() for name in table.columns]
    place = {}
    for what, names in COLUMN_NAMES.items():
        found = [columns.index(name) for name in names if name in columns]
        if not found:
            expected = f"a column {' or '.join(names)}"
            raise InputError(path, table.line, expected, ", ".join(table.columns))
        place[what] = found[0]
    accepted = next((columns.index(name) for name in ACCEPTED if name in columns), None)
    rows = []
    for line, cells in table.rows:
        said = "" if accepted is None else cells[accepted].strip().lower()
        if said and said not in (*RIGHT, *WRONG):
            raise InputError(path, line, f"{RIGHT[0]} or {WRONG[0]}", said)
        if said in WRONG:
            continue
        channel = cells[columns.index(CHANNEL)] if CHANNEL in columns else "1"
        rows.append(_row(line, {what: cells[i] for what, i in place.items()}, channel, path))
    return rows


def _row(line: int, cells: dict[str, str], channel: str, path: Path) -> TableRow:
    if not channel.isdecimal() or int(channel) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", channel)
    times = []
    for what in ("start", "end"):
        text = cells[what]
        try:
            times.append(
                round(
                    1000
                    * Range(0, MAX_TIME_S).read(text if "." in text else text.replace(",", "."))
                )
            )
        except ValueError as error:
            raise InputError(path, line, "a time in seconds", text) from error
    if times[1] < times[0]:
        raise InputError(path, line, "an end not before the start", cells["end"])
    if not cells["recording"]:
        raise InputError(path, line, "the name of a recording", "")
    recording = Recording(cells["recording"], int(channel))
    return TableRow(line, recording, times[0], times[1], cells["before"], cells["after"])


Pronounce = Callable[[Sequence[str]], Sequence[Sequence[str]]]
NEAR_MS = 1000  # of a time: words farther away are not replaced
MORE_WORDS = 4  # that the recogniser may have written for one word
LETTER_MS = 70  # of an added word without a known duration
AFTER_MS = 1000  # after the last slot, for corrections at the end


def said_at(
    spoken: Sequence[SpokenWord],
    middles: Int64s,
    said: Sequence[str],
    span_ms: tuple[int, int | None],
    sounds: Pronounce = list,
) -> Correction:
    """The correction that replaces the words with the most similar phones.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        said: the words that were said.
        sounds: the phones of each of some words; by default, their letters.
        span_ms: a time; or start and end, which replace all words with their middles in between.
    """
    start_ms, end_ms = span_ms
    if end_ms is not None:
        inside = [i for i, one in enumerate(spoken) if start_ms <= _middle(one) < end_ms]
        i, j = (inside[0], inside[-1] + 1) if inside else (_place(spoken, start_ms),) * 2
        return _replacing(spoken, middles, i, j, said)
    here = min(range(len(spoken)), key=lambda i: _away(spoken[i], start_ms), default=None)
    if here is None or _away(spoken[here], start_ms) > NEAR_MS:
        place = _place(spoken, start_ms)
        return _replacing(spoken, middles, place, place, said)
    most = len(said) + MORE_WORDS
    first = max(0, here - most + 1)
    heard = [*chain.from_iterable(sounds(said))]
    written = sounds([one.word for one in spoken[first : here + most]])
    windows = [
        (i, j)
        for i in range(first, here + 1)
        for j in range(here + 1, min(len(spoken), i + most) + 1)
    ]

    def unlike(window: tuple[int, int]) -> tuple[int, int, int]:
        there = [*chain.from_iterable(written[window[0] - first : window[1] - first])]
        away = Levenshtein.distance(there, heard)
        return away, abs(len(there) - len(heard)), window[1] - window[0]

    i, j = min(windows, key=unlike)
    return _replacing(spoken, middles, i, j, said)


def said_instead(
    spoken: Sequence[SpokenWord],
    middles: Int64s,
    written: Sequence[str],
    said: Sequence[str],
    start_ms: int,
) -> Correction | None:
    """The correction that replaces given words.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        written: the words that are replaced.
        said: the words that were said.
        start_ms: the approximate time; of several places the nearest counts.

    Returns:
        None if these words are not near.
    """
    words, n = [one.word for one in spoken], len(written)
    places = [i for i in range(len(words) - n + 1) if n and words[i : i + n] == [*written]]
    near = min(places, key=lambda i: abs(spoken[i].start_ms - start_ms), default=None)
    if near is None or abs(spoken[near].start_ms - start_ms) > NEAR_MS:
        return None
    return _replacing(spoken, middles, near, near + n, said)


def said_in_all(
    spoken: Sequence[SpokenWord], middles: Int64s, said: Sequence[str], part: slice = slice(None)
) -> tuple[list[Correction], float]:
    """The corrections that make the one-best equal to the spoken words.

    Args:
        spoken: the one-best of a recording.
        middles: (n,) of its slots in ms.
        said: the words that were said.
        part: the part of the one-best, where they were said.

    Returns:
        the corrections in chronological order, and the share of equal words.
    """
    first, end, _ = part.indices(len(spoken))
    opcodes = Levenshtein.opcodes([one.word for one in spoken[first:end]], list(said))
    same = sum(one.src_end - one.src_start for one in opcodes if one.tag == "equal")
    blocks: list[list[int]] = []
    for one in opcodes:
        if one.tag == "equal":
            continue
        if blocks and blocks[-1][1] == one.src_start and blocks[-1][3] == one.dest_start:
            blocks[-1][1], blocks[-1][3] = one.src_end, one.dest_end
        else:
            blocks.append([one.src_start, one.src_end, one.dest_start, one.dest_end])
    found = [_replacing(spoken, middles, first + i, first + j, said[a:b]) for i, j, a, b in blocks]
    return found, same / max(1, end - first, len(said))


def _middle(one: SpokenWord | CorrectedWord) -> int:
    return (one.start_ms + one.end_ms) // 2


def _away(one: SpokenWord, time_ms: int) -> int:
    """The distance of a time from a word."""
    return max(0, one.start_ms - time_ms, time_ms - one.end_ms)


def _place(spoken: Sequence[SpokenWord], time_ms: int) -> int:
    """The word that follows a time."""
    return sum(_middle(one) < time_ms for one in spoken)


def _replacing(
    spoken: Sequence[SpokenWord], middles: Int64s, i: int, j: int, said: Sequence[str]
) -> Correction:
    """The correction that replaces words of the one-best, or inserts words between two.

    The stretch includes the slots of silence in it. It ends halfway to the slots beside it, so that
    these stay when another recogniser, whose times differ, writes the recording again. Slots with
    equal times cannot be distinguished, so they are replaced together, and the words among them are
    written again.
    """
    n = len(middles)
    low = spoken[i].slot if i < j else (spoken[i - 1].slot + 1 if i else 0)
    high = spoken[j - 1].slot + 1 if i < j else (spoken[i].slot if i < len(spoken) else n)
    while 0 < low < n and middles[low - 1] == middles[low] and low < high:
        low -= 1
    while 0 < high < n and middles[high] == middles[high - 1] and low < high:
        high += 1
    while i and spoken[i - 1].slot >= low:
        i, said = i - 1, [spoken[i - 1].word, *said]
    while j < len(spoken) and spoken[j].slot < high:
        j, said = j + 1, [*said, spoken[j].word]
    last_ms = max(int(middles[-1]) if n else 0, spoken[-1].end_ms if spoken else 0)
    start_ms = int(middles[low - 1]) + 1 if low else 0
    end_ms = int(middles[high]) if high < n else last_ms + AFTER_MS + len(said)
    if end_ms - start_ms < len(said):  # no time between two words
        if i:
            return _replacing(spoken, middles, i - 1, j, [spoken[i - 1].word, *said])
        return _replacing(spoken, middles, i, j + 1, [*said, spoken[j].word])
    widest = start_ms, end_ms
    if i < j:
        from_ms, to_ms = spoken[i].start_ms, spoken[j - 1].end_ms
    else:
        from_ms = spoken[i - 1].end_ms if i else start_ms
        room_ms = LETTER_MS * sum(map(len, said))
        to_ms = spoken[i].start_ms if i < len(spoken) else from_ms + room_ms
        to_ms = min(to_ms, from_ms + room_ms) if i else to_ms
    words = _shared(said, from_ms, max(to_ms, from_ms + len(said)))
    inside = [*middles[low:high].tolist(), *map(_middle, words)]
    if inside and low:
        start_ms = max(start_ms, (start_ms + min(inside) + 1) // 2)
    if inside and high < n:
        end_ms = min(end_ms, (max(inside) + end_ms + 1) // 2)
    if end_ms - start_ms < len(said):
        start_ms, end_ms = widest
    return Correction(1, start_ms, end_ms, words)


def _shared(said: Sequence[str], from_ms: int, to_ms: int) -> tuple[CorrectedWord, ...]:
    """Words that share a time in proportion to their letters."""
    letters = [*accumulate(map(len, said), initial=0)]
    times = [from_ms + (to_ms - from_ms) * n // max(1, letters[-1]) for n in letters]
    return tuple(
        CorrectedWord(word, start_ms, min(end_ms, start_ms + MAX_WORD_MS))
        for word, (start_ms, end_ms) in zip(said, pairwise(times), strict=True)
    )
