"""A recording in a form that browsers play: Ogg Opus, made once from any format that PyAV reads."""

import re
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np

from service.audio.decode import samples
from service.audio.peaks import name_of
from service.problems import ProblemError
from std.audio.encode import RATES, OpusWriter

NAME = re.compile("[0-9a-f]{32}")  # that `name_of` gives
KEPT_BYTES = 4_000_000_000  # of converted recordings; the least recently used ones are removed


def playable(path: Path, folder: Path, check: Callable[[], None]) -> Path:
    """A file that browsers play, with the sound of another.

    Args:
        path: of the audio.
        folder: where converted recordings are kept.
        check: may raise to stop.
    """
    place = folder / "playable"
    try:
        place.mkdir(parents=True, exist_ok=True)
        target = place / f"{name_of(path, 0)}.ogg"
        if target.exists() and not target.is_symlink():
            target.touch()
            return target
        with tempfile.NamedTemporaryFile(dir=place, suffix=".part", delete=False) as part:
            temporary = Path(part.name)
        try:
            with OpusWriter(temporary) as opus:
                for block in samples(path, RATES["ogg"], check=check):
                    opus.write(np.rint(np.clip(block, -1, 1) * 32767).astype("<i2"))
            temporary.replace(target)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        remove_oldest(place, KEPT_BYTES)
        return target
    except OSError as error:
        raise ProblemError(503, f"converted audio cannot be kept: {error.strerror}") from error


def remove_oldest(folder: Path, limit_bytes: int) -> None:
    """Remove the converted recordings that were not used for longest, beyond a limit."""
    ours = [path for path in folder.glob("*.ogg") if NAME.fullmatch(path.stem)]
    files = sorted(ours, key=lambda path: -path.stat().st_mtime)
    total = 0
    for path in files:
        total += path.stat().st_size
        if total > limit_bytes:
            with suppress(OSError):
                path.unlink()
