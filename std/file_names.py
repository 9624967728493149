"""Names of files that are made from names of other things: terms, recordings."""

import re
from collections.abc import Iterable, Iterator

MAX_NAME_BYTES = 60  # of a part; a file system allows 255 for the whole name


def safe_name(text: str) -> str:
    """A part of a file's name that every system takes, and that is never a path or hidden.

    Letters of all languages, digits, dots, hyphens and underscores stay.

    >>> [safe_name(text) for text in ("Zeit & Raum", "../../etc/passwd", "KERSTIN_00", "?")]
    ['Zeit_Raum', 'etc_passwd', 'KERSTIN_00', '_']
    """
    name = re.sub(r"[^\w.-]+", "_", text)
    name = re.sub(r"\.\.+", "_", name).strip("._-")
    return name.encode()[:MAX_NAME_BYTES].decode(errors="ignore") or "_"


def distinct_names(names: Iterable[str]) -> Iterator[str]:
    """The names, with a number where one was there before; case does not tell two apart.

    >>> list(distinct_names(["a", "b", "A", "a-2"]))
    ['a', 'b', 'A-2', 'a-2-2']
    """
    taken: set[str] = set()
    for name in names:
        distinct, number = name, 1
        while distinct.casefold() in taken:
            number += 1
            distinct = f"{name}-{number}"
        taken.add(distinct.casefold())
        yield distinct
