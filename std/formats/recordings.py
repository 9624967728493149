"""Which recording a recogniser's file belongs to, where the file does not say."""

import re
from pathlib import Path

from std.formats.audio_names import recording_name
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
