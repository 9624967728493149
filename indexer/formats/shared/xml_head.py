"""The first element of an XML document, found in its first bytes.

root_name         first bytes -> name of the document's element, with its prefix if it has one
refuse_entities   of a document with a DOCTYPE, which `std.nist.xml` refuses otherwise

Every part of the pattern is atomic: a comment that is passed over is never tried again as a longer
one, so that a head of many comments takes no longer than one without.
"""

import re
from pathlib import Path

from std.errors import InputError

_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_HEAD = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE(?>[^>\[]*)(?>\[.*?\]\s*)?>)*+<([A-Za-z_][\w.:-]*)",
    re.S,
)


def root_name(head: bytes) -> str:
    """Return the name of a document's element; empty if these bytes begin no XML document.

    >>> root_name(b'<?xml version="1.0"?><!-- a --><tt:tt xml:lang="en">')
    'tt:tt'
    """
    found = _HEAD.match(head)
    return found[1].decode("latin-1") if found else ""


def refuse_entities(content: bytes, path: Path | str) -> None:
    """Refuse a document that declares entities.

    Raises:
        InputError: it does.
    """
    if entity := _ENTITY.search(content):
        line = content.count(b"\n", 0, entity.start()) + 1
        raise InputError(path, line, "a document without entities of its own", "<!ENTITY")
