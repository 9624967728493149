"""Describe a folder that is no index, for the error message."""

from itertools import islice
from pathlib import Path

from std.terminal import printable

MANIFEST = "manifest.json"
MOST_NAMES = 1000  # that are looked at
SHOWN_NAMES = 3


def found_instead(root: Path) -> str:
    """What is where an index should be, and the index that may be meant."""
    try:
        if not root.exists():
            return "nothing of that name"
        if not root.is_dir():
            return "a file"
        names = sorted(one.name for one in islice(root.iterdir(), MOST_NAMES))
        if (root.parent / MANIFEST).is_file() and root.name in ("segments", "metadata"):
            return f"a part of the index {root.parent}"
        indexes = [root / name for name in names if (root / name / MANIFEST).is_file()]
    except OSError as error:
        return f"a folder that cannot be read: {error.strerror or error}"
    if indexes:
        what = "the folder of the index" if len(indexes) == 1 else "a folder of the indexes"
        return f"{what} {', '.join(map(str, indexes[:SHOWN_NAMES]))}"
    shown = ", ".join(map(printable, names[:SHOWN_NAMES]))
    more = ", ..." if len(names) > SHOWN_NAMES else ""
    return f"a folder with {shown}{more}" if names else "an empty folder"
