"""The compared frames of an index: its sound, or the phones heard in it.

by_sound     the frames of each recording
by_phones    each frame's probabilities of phones, in the form of frames

Frames of sound need no language; phones are those of the archive's language (docs/phones-heard.md).
For phones the square roots of probabilities are compared: the cosine of two such rows is the
Bhattacharyya coefficient of the distributions, and signs of random projections estimate the angle.
"""

from collections.abc import Callable, Sequence

import numpy as np

from searcher.discovery.blocks import Frames
from searcher.examples.archive import archive_of
from searcher.heard.index import PROBABILITY, HeardIndex, open_heard
from searcher.index.recording_table import recording_table
from std.errors import StdError
from std.sound.value import FRAME_MS, signs
from std.store import Segment
from std.values import Recording

OF_PHONES = 80  # usual distance: an angle of 56 degrees


def by_sound(
    segments: Sequence[Segment], wanted: Callable[[Recording], bool] = lambda recording: True
) -> list[Frames]:
    """The frames of the recordings with sound, in the order of the index.

    Args:
        segments: the segments of the index.
        wanted: which recordings are compared.

    Raises:
        StdError: the index has no sound.
    """
    found = []
    for part in archive_of(segments, wanted).parts:
        for row, number in zip(part.rows.tolist(), part.recordings.tolist(), strict=True):
            first, end = part.sound.offsets[row : row + 2].tolist()
            start_ms = int(part.sound.start_ms[row])
            found.append(Frames(number, start_ms, part.sound.signs[first:end]))
    return _some(sorted(found, key=lambda one: one.recording), "sound")


def by_phones(
    segments: Sequence[Segment], wanted: Callable[[Recording], bool] = lambda recording: True
) -> list[Frames]:
    """The frames of the phones heard.

    Args:
        segments: the segments of the index.
        wanted: which recordings are compared.

    Raises:
        StdError: the index has no phones heard.
    """
    table = recording_table(segments)
    found = []
    for segment in segments:
        columns = segment.columns()
        live = np.array(
            [
                row not in segment.deleted and wanted(one.recording)
                for row, one in enumerate(segment.recordings)
            ],
            np.bool_,
        )
        heard = open_heard(columns, live, table.rows[segment])
        if heard is None:
            continue
        places = zip(heard.recording.tolist(), heard.bounds.tolist(), strict=True)
        found += [_frames_of_slots(heard, recording, *slots) for recording, slots in places]
    return _some(sorted(found, key=lambda one: one.recording), "phones heard in its sound")


def _some(found: list[Frames], what: str) -> list[Frames]:
    if not any(len(one.signs) for one in found):
        raise StdError(
            f"the index has no {what}: std-recognise --sound or --sound-only writes sound, "
            "std-index takes it in"
        )
    return [one for one in found if len(one.signs)]


def _frames_of_slots(heard: HeardIndex, recording: int, first: int, end: int) -> Frames:
    slots, offsets = slice(first, end), heard.offsets[first : end + 1]
    roots = np.zeros((end - first, len(heard.tokens)), np.float32)
    places = slice(int(offsets[0]), int(offsets[-1]))
    of_slot = np.repeat(np.arange(end - first), np.diff(offsets))
    roots[of_slot, heard.token[places]] = np.sqrt(PROBABILITY[heard.cost[places]])
    frames = (heard.end_ms[slots] - heard.begin_ms[slots]) // FRAME_MS
    projected = np.ascontiguousarray(signs(roots)).view("<u8")
    return Frames(
        recording,
        int(heard.begin_ms[first]),
        np.repeat(projected, frames, axis=0),
        np.repeat(roots.argmax(axis=1) == 0, frames),
        OF_PHONES,
    )
