"""Which audio file belongs to which recording."""

import os
from pathlib import Path

AUDIO_TYPES = {  # what browsers play, by the end of the name
    ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4", ".mp4": "audio/mp4", ".aac": "audio/aac", ".wav": "audio/wav",
    ".flac": "audio/flac", ".webm": "audio/webm",
}  # fmt: skip
OTHER_AUDIO = frozenset(  # what PyAV reads
    {".sph", ".aif", ".aiff", ".wma", ".amr", ".au", ".caf", ".mkv", ".mov", ".mpg", ".ts", ".3gp"}
)


def audio_files(folder: Path | None) -> dict[str, Path]:
    """Audio files below a folder, by path and by name, without the ends of their names.

    The first of several of one name counts, in the order of their paths.
    """
    if folder is None:
        return {}
    found: dict[str, Path] = {}
    by_name: dict[str, Path] = {}
    for place, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(place, name)
            if path.suffix.lower() in AUDIO_TYPES or path.suffix.lower() in OTHER_AUDIO:
                found.setdefault(str(path.relative_to(folder).with_suffix("")), path)
                by_name.setdefault(path.stem, path)
    return by_name | found
