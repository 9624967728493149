"""Samples of an audio file (`std.audio.decode`), for requests: what fails is a problem."""

from collections.abc import Callable, Iterator
from pathlib import Path

from service.problems import ProblemError
from std.audio import decode
from std.audio.decode import GO_ON
from std.errors import InputError
from std.values import Float32s


def samples(
    path: Path,
    rate: int,
    *,
    channel: int = 1,
    from_s: float = 0.0,
    to_s: float = float("inf"),
    check: Callable[[], None] = GO_ON,
) -> Iterator[Float32s]:
    """As `std.audio.decode.samples`.

    Raises:
        ProblemError: the file cannot be decoded.
    """
    try:
        yield from decode.samples(
            path, rate, channel=channel, from_s=from_s, to_s=to_s, check=check
        )
    except InputError as error:
        raise ProblemError(
            404, f"the audio of this recording cannot be read: {error.got}"
        ) from error
