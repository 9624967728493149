"""A stretch of a recording as a file of its own: Ogg Opus, or WAV."""

from collections.abc import Callable

import numpy as np

from service.audio.decode import samples
from service.problems import ProblemError
from service.recordings import RecordingEntry
from std.audio.encode import RATES, Format, sound_file

MEDIA_TYPES = {"ogg": "audio/ogg", "wav": "audio/wav"}


def clip(
    entry: RecordingEntry, from_s: float, to_s: float, kind: Format, check: Callable[[], None]
) -> bytes:
    """The bytes of a clip.

    Args:
        entry: a recording that has audio.
        from_s: start in the recording.
        to_s: end in the recording.
        kind: of the file.
        check: called between blocks; it may raise to stop.

    Raises:
        ProblemError: there is no sound in the stretch.
    """
    assert entry.audio is not None
    blocks = samples(
        entry.audio,
        RATES[kind],
        channel=entry.recording.channel,
        from_s=from_s,
        to_s=to_s,
        check=check,
    )
    sound = np.concatenate([np.zeros(0, np.float32), *blocks])
    if not len(sound):
        raise ProblemError(404, f"the audio of {entry.title} has no sound from {from_s:g} s on")
    return sound_file(sound, kind)
