"""The decoded frames of an audio file, of any format that PyAV's FFmpeg reads.

opened    a file and its first audio stream
frames    the frames of the stream, in order
Damage    counts skipped packets, which could not be decoded
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from std.errors import InputError
from std.extras import required

NO_OTHER_FILES = {"protocol_whitelist": "none"}  # a playlist must not open other files
MAX_DAMAGED = 100_000  # in a row: a stream that never decodes ends here


@dataclass(slots=True)
class Damage:
    """Packets that could not be decoded."""

    packets: int = 0


@contextmanager
def opened(path: Path, extra: str = "audio") -> Iterator[tuple[Any, Any]]:
    """PyAV's container of an audio file, and its first audio stream; None if it has none.

    Args:
        path: the path of the file.
        extra: the extra that a message names if PyAV is not installed.

    Raises:
        InputError: the file cannot be opened or read.
        ConfigError: PyAV is not installed.
    """
    av = required("av", extra)
    try:
        if not path.stat().st_size:
            raise InputError(path, 0, "audio", "an empty file")
        with (
            path.open("rb") as file,
            av.open(file, metadata_errors="ignore", options=NO_OTHER_FILES) as container,
        ):
            yield container, next(iter(container.streams.audio), None)
    except (av.error.FFmpegError, OSError) as error:
        raise InputError(path, 0, "audio", error.strerror or str(error)) from error


def frames(container: Any, stream: Any, damage: Damage | None = None) -> Iterator[Any]:
    """Yield PyAV's frames, then None, which flushes a resampler.

    Args:
        container: the container of PyAV.
        stream: the stream of the container.
        damage: counts packets that cannot be decoded, which are skipped, as in players; None = such
            a packet is an error.
    """
    import av

    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
            decoded = packet.decode()
        except (StopIteration, av.error.EOFError):
            break
        except av.error.FFmpegError:
            if damage is None:
                raise
            damage.packets += 1
            if damage.packets > MAX_DAMAGED:
                break
            continue
        yield from decoded
    yield None
