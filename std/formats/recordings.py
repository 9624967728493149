"""Which recording a recogniser's file belongs to, where the file does not say.

A file is named after its recording, a pipe after nobody: `require_name` refuses what neither the
content nor the path names.
"""

import re
from pathlib import Path

from std.errors import STANDARD_STREAM, InputError
from std.formats.audio_names import recording_name
from std.values import Recording

_EXTENSION = re.compile(
    r"(\.words)?\.(mesh|jsonl?|ctm|slf|lat|txt|sau|sausage|plf|wlat|htk)$", re.IGNORECASE
)

_DESCRIPTOR = re.compile(r"/dev/stdin|/dev/fd/\d+|/proc/(self|\d+)/fd/\d+")
NAMELESS = "<nameless>"  # the recording of standard input, until its content says another


def is_nameless(path: Path | str) -> bool:
    """Whether a path is standard input or another open descriptor, as of ``<(command)``.

    >>> is_nameless("-"), is_nameless("/dev/fd/63"), is_nameless("/dev/shm/news.ctm")
    (True, True, False)
    """
    return str(path) == str(STANDARD_STREAM) or bool(_DESCRIPTOR.fullmatch(str(path)))


def require_name(recording: Recording, path: Path | str) -> None:
    """Refuse a recording that nobody has named.

    Raises:
        InputError: neither its file's content nor the file's name says which one it is.
    """
    if recording.file == NAMELESS and is_nameless(path):
        raise InputError(
            path, 0, "a recording's name in the content, or in the name of a file", "neither"
        )


def recording_of(path: Path | str, file: str | None = None, channel: int = 1) -> Recording:
    """Name a recording after its file, without folder, ``.gz`` and extensions of formats.

    >>> recording_of("/out/news.v1.wav.mesh.gz")
    Recording(file='news.v1', channel=1)
    """
    if file is None and is_nameless(path):
        file = NAMELESS
    elif file is None:
        name = Path(path).name.removesuffix(".gz")
        file = recording_name(_EXTENSION.sub("", name) or name)
    return Recording(file, channel)
