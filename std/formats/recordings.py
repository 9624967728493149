"""Which recording a recogniser's file is about."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from std.errors import InputError
from std.formats.audio_names import recording_name
from std.formats.context import Context
from std.values import Recording

_EXTENSION = re.compile(
    r"(\.words)?\.(mesh|jsonl?|ctm|slf|lat|txt|sau|sausage|plf|wlat|htk)$", re.IGNORECASE
)


def recording_of(path: Path | str, file: str | None = None, channel: int = 1) -> Recording:
    """Name a recording after its file, without folder, ``.gz`` and extensions of formats.

    >>> recording_of("/out/news.v1.wav.mesh.gz")
    Recording(file='news.v1', channel=1)
    """
    if file is None:
        name = Path(path).name.removesuffix(".gz")
        file = recording_name(_EXTENSION.sub("", name) or name)
    return Recording(file, channel)


def recording_for(path: Path | str, context: Context, said: str = "") -> Recording:
    """Name the recording that a file is about as a whole, as the context wants it.

    Args:
        path: the file.
        context: ``names`` says what comes first; ``file`` is used instead of the file's stem.
        said: what the file's content says the recording is: a name, a path or an address.

    Raises:
        InputError: the content should name the recording, and does not.
    """
    name = _named(said)
    if name and context.names != "file":
        return Recording(name, context.channel)
    if context.names == "content" and context.segments is None:
        expected = "content that names its recording, as --name-by content asks for"
        raise InputError(path, 0, expected, "none", "--name-by stem uses the file's name")
    return recording_of(path, context.file, context.channel)


def _named(said: str) -> str:
    """Return the recording's name in what a file says of it.

    >>> _named("https://x.example/calls/Call%201.wav?sv=2020&sig=x"), _named("job-1"), _named("")
    ('Call 1', 'job-1', '')
    """
    if "://" in said:
        try:
            said = unquote(urlsplit(said).path)
        except ValueError:  # no address after all
            return ""
    return recording_name(said.rstrip("/"))
