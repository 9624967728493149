"""The recogniser's likeliest words around a detection and at its place."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from searcher.index.copies import NO_COPIES, Copies
from searcher.index.stores import recording_table
from searcher.results.candidates import Candidates
from std.characters import has_characters, text_of
from std.errors import StoreError
from std.execution.stop import check_stop
from std.store import Segment
from std.store.columns import SLOT_ERROR, Slots
from std.store.speakers import Speakers
from std.values import Int32s, Int64s, Recording

Texts = npt.NDArray[np.object_]

WORDS_AROUND = 4
LIKELY_EMPTY = 0.5  # posterior of 'no word', above which it is likelier than any word
CHANGE = "–"  # before the name of the next speaker
CHARACTERS_AROUND = 12  # where text has no spaces


class Context(NamedTuple):
    """The likeliest words before the slots of a detection, in them, and after them.

    A word that is less likely than silence ends with a question mark; it is the only word of its
    slot. The words of the detection may be less likely than other words there, or than silence.
    Where the speaker changes, "– Anna:" precedes the words; if this is before the detection, the
    first speaker ("Bob:") is named, too.
    """

    before: str
    likeliest: str
    after: str
    slots: tuple[int, int] = (0, 0)  # first and one past the last, of its recording's slots
    error_ms: int = 0  # largest error of its times; 0 without estimated times
    speaker: str = ""  # the speaker, if known; of two, both


def contexts(
    candidates: Candidates,
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    copies: Copies = NO_COPIES,
) -> list[Context]:
    """(n,) the context of each candidate, from the slots of its recording.

    ``candidates.recording`` points into ``recordings``.

    Args:
        candidates: (n,) whose recordings are rows of ``recordings``.
        copies: the copies of their recordings: what was found in the original is read there.
    """
    found = [Context("", "", "")] * len(candidates.term)
    for places, some, segment in by_segment(candidates, recordings, segments, copies):
        for place, context in zip(places, _in_segment(some, segment), strict=True):
            found[place] = context
    return found


def first_speakers(
    candidates: Candidates,
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    copies: Copies = NO_COPIES,
) -> list[str] | None:
    """(n,) the speaker at the start of each candidate, else at its end; arguments as of `contexts`.

    Empty = unknown; None if the segments name no speakers.
    """
    if not any(any(Speakers.of(segment).names) for segment in segments):
        return None
    found = [""] * len(candidates.term)
    for places, some, segment in by_segment(candidates, recordings, segments, copies):
        speakers = Speakers.of(segment)
        ends = (speakers.at(some.first_slot).tolist(), speakers.at(some.last_slot).tolist())
        for place, first, last in zip(places, *ends, strict=True):
            found[place] = speakers.names[first] or speakers.names[last]
    return found


def by_segment(
    candidates: Candidates,
    recordings: Sequence[Recording],
    segments: Sequence[Segment],
    copies: Copies,
) -> Iterator[tuple[list[int], Candidates, Segment]]:
    """Rows of candidates, the candidates in terms of their segment, and the segment."""
    table = recording_table(segments)
    rows = candidates.recording
    if copies or recordings is not table.recordings:
        distinct, which = np.unique(rows, return_inverse=True)
        originals = (copies.original(recordings[one]) for one in distinct.tolist())
        known = [table.row_of.get(recording, -1) for recording in originals]
        rows = np.array(known, int)[which]
    here = np.append(table.segment, -1)[rows]  # row -1, of no segment, is the last
    here = np.where(candidates.first_slot >= 0, here, -1)  # no context without words
    for number in np.flatnonzero(np.bincount(here + 1)[1:]).tolist():
        check_stop()
        is_here = here == number
        places, some = np.flatnonzero(is_here), candidates.rows(is_here)
        some = some._replace(recording=table.row_in_segment[rows[places]])
        yield places.tolist(), some, segments[number]


def _in_segment(candidates: Candidates, segment: Segment) -> list[Context]:
    slots, (words, unspaced) = segment.slots({*candidates.recording.tolist()}), _texts_of(segment)
    begin, stop = slots.of_recordings(candidates.recording)
    first = slots.positions(candidates.first_slot)
    end = slots.positions(candidates.last_slot) + 1
    if not ((begin <= first) & (first < end) & (end <= stop)).all():
        raise StoreError(f"segment {segment.id}: expected postings in slots of their recordings")
    runs = _around(slots.word, words, begin, first, end, stop, unspaced=unspaced)
    around = _joined(runs, slots, words, Speakers.of(segment), unspaced=unspaced)
    own_slots = zip((first - begin).tolist(), (end - begin).tolist(), strict=True)
    errors_ms = _largest_errors(candidates, segment)
    return [*map(Context, *around, own_slots, errors_ms, _speakers(candidates, segment))]


def _speakers(candidates: Candidates, segment: Segment) -> list[str]:
    """(n,) the speaker at the start of each candidate, and at its end if it differs."""
    speakers = Speakers.of(segment)
    if len(speakers.names) == 1:
        return [*speakers.names] * len(candidates.term)
    rows = zip(
        speakers.at(candidates.first_slot).tolist(),
        speakers.at(candidates.last_slot).tolist(),
        strict=True,
    )
    names = speakers.names
    return [names[a] if a == b else ", ".join(filter(None, (names[a], names[b]))) for a, b in rows]


class _Texts(NamedTuple):
    """The words of a segment."""

    words: Texts  # (words,) by id: an array takes many of them faster than a list does
    unspaced: bool  # whether some are of text without spaces


_texts: WeakKeyDictionary[Segment, _Texts] = WeakKeyDictionary()


def _texts_of(segment: Segment) -> _Texts:
    """The words of a segment, prepared once."""
    found = _texts.get(segment)
    if found is None:
        words = segment.words()
        texts = np.array(words, dtype=np.object_)
        found = _texts[segment] = _Texts(texts, has_characters("\n".join(words)))
    return found


def _around(
    word: Int32s,
    words: Texts,
    begin: Int64s,
    first: Int64s,
    end: Int64s,
    stop: Int64s,
    *,
    unspaced: bool,
) -> "_Runs":
    """The words before some slots of a recording, in them and after them, for n detections.

    Only a few slots are examined, and more where these are silent.

    Args:
        word: (slots,) id of the likeliest word; -1 where there is none.
        words: by id.
        begin, stop: (n,) first slot of the recording, and one past the last.
        first, end: (n,) first slot of each detection, and one past its last.
        unspaced: whether some of the words are of text without spaces.
    """
    most = np.full(len(first), WORDS_AROUND)
    if unspaced:
        most = _how_many_around(word, words, first, end)
    reach = 2 * most
    while True:
        low, high = np.maximum(begin, first - reach), np.minimum(stop, end + reach)
        said, (starts, left, right, ends) = _slots_said(word, low, [low, first, end, high])
        is_short = ((left - starts < most) & (low > begin)) | (
            (ends - right < most) & (high < stop)
        )
        if not is_short.any():
            break
        reach[is_short] *= 4
    bounds = (np.maximum(starts, left - most), left, right, np.minimum(ends, right + most))
    return _Runs(said, np.stack(bounds, axis=1))


class _Runs(NamedTuple):
    """Words before n detections, in them and after them."""

    slot: Int64s  # (m,) where each word stands
    bounds: Int64s  # (n, 4) first word before, in and after each detection, and one past the last


def _joined(
    runs: _Runs, slots: Slots, words: Texts, speakers: Speakers, *, unspaced: bool
) -> tuple[list[str], list[str], list[str]]:
    """The texts before n detections, in them and after them, with changes of speakers."""
    said = words[slots.word[runs.slot]].tolist()
    for doubtful in np.flatnonzero(slots.epsilon[runs.slot] > LIKELY_EMPTY).tolist():
        said[doubtful] += "?"
    joined = text_of if unspaced else " ".join
    rows = runs.bounds.tolist()
    own = [joined(said[left:right]) for _, left, right, _ in rows]
    if len(speakers.names) == 1:
        before = [joined(said[first:left]) for first, left, _, _ in rows]
        after = [joined(said[right:end]) for _, _, right, end in rows]
        return before, own, after
    who = speakers.at(runs.slot if slots.row is None else slots.row[runs.slot]).tolist()
    names = [speakers.names[i] for i in who]
    before, after = [], []
    for first, left, right, end in rows:
        marks = {
            at: f"{CHANGE} {names[at]}:" if names[at] else CHANGE
            for at in range(first + 1, end)
            if names[at] != names[at - 1]
        }
        if any(at <= left for at in marks) and names[first]:
            marks[first] = f"{names[first]}:"
        told = [([marks[at]] if at in marks else []) + [said[at]] for at in range(first, end)]
        mark = [marks[left]] if left in marks and left < right else []  # before the words found
        before.append(joined([*chain.from_iterable(told[: left - first]), *mark]))
        after.append(joined(chain.from_iterable(told[right - first :])))
    return before, own, after


def _how_many_around(word: Int32s, words: Texts, first: Int64s, end: Int64s) -> Int64s:
    """(n,) the number of words to show on either side; arguments as in `_around`."""
    said, (starts, ends) = _slots_said(word, first, [first, end])
    distinct, which = np.unique(word[said], return_inverse=True)
    is_character = np.array([has_characters(words[i]) for i in distinct.tolist()], bool)[which]
    characters = np.concatenate([[0], np.cumsum(is_character)])
    return np.where(characters[ends] > characters[starts], CHARACTERS_AROUND, WORDS_AROUND)


def _slots_said(word: Int32s, low: Int64s, slots: Sequence[Int64s]) -> tuple[Int64s, list[Int64s]]:
    """The slots with words of n runs of slots, without silent ones.

    Args:
        word: (slots,) id of the likeliest word; -1 where there is none.
        low: (n,) first slot of each run.
        slots: each (n,), slots of each run; the last is one past its end.

    Returns:
        slots of all runs; for each of ``slots`` (n,) how many of them come before.
    """
    length = slots[-1] - low
    shift = np.cumsum(length) - length - low  # from a slot to its place in all runs
    every = np.arange(int(length.sum())) - np.repeat(shift, length)
    is_said = word[every] >= 0
    count = np.zeros(len(every) + 1, np.int64)
    np.cumsum(is_said, out=count[1:])
    return every[is_said], [count[shift + one] for one in slots]


def _largest_errors(candidates: Candidates, segment: Segment) -> list[int]:
    """(n,) the largest error of each candidate's times: that of its worst slot."""
    column = segment.extra(SLOT_ERROR)
    if column is None:
        return [0] * len(candidates.term)
    first, last = candidates.first_slot, candidates.last_slot
    if int(last.max(initial=-1)) >= len(column):
        raise StoreError(f"segment {segment.id}: expected {SLOT_ERROR} of every slot")
    bounds = np.stack([first, last + 1], axis=1).ravel()
    padded = np.append(column, 0)  # what is one past the last may be asked for
    largest: list[int] = np.maximum.reduceat(padded, bounds)[::2].tolist()
    return largest
