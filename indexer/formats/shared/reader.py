"""What a reader is: the one declaration that detection, messages, docs and tests are made from.

Each module of `indexer.formats.readers` declares one, ``READER``; other packages may, too
(`indexer.formats.registry`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from indexer.formats.shared.reader_options import ReaderOptions
from indexer.lattices.lattice import Lattice
from indexer.networks.utterances import Utterances

Kind = Literal["binary", "text", "json"]
Parse = Callable[[BinaryIO, Path, ReaderOptions], Iterator[Utterances | Lattice]]
LooksLike = Callable[[bytes], bool]
Lacks = Callable[[bytes], str]


def nothing(_head: bytes) -> str:
    """Say of any text that it does not come near."""
    return ""


def lacks_where(pattern: bytes, what: str) -> Lacks:
    """Say of texts in which a regular expression is found that they lack something else.

    >>> lacks_where(rb"(?m)^align ", "numaligns N")(b"align 0 das 1")
    'numaligns N'
    """
    return lambda head: what if re.search(pattern, head) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatReader:
    """A format: how it is called, told from others, read, and described.

    Args:
        name: as ``--format`` takes it.
        title: what writes it, or what it is, as docs/formats.md lists it.
        section: the heading of docs/formats.md that describes it, as its address has it.
        content: the part of it that can be indexed.
        needs: files or options that it needs, or that may help.
        kinds: what its files are: the bytes of other programs, text (of any encoding), or JSON.
        looks_like: tells by the first 64 KB of a file, without byte order mark and in UTF-8 (but
            of a binary file), whether it is of this format. It never raises anything. In JSON,
            texts of a single word are empty: keys tell.
        parse: takes an open binary stream, the path to name in errors, and the reader's options;
            yields utterances or lattices in order. Any bytes give some, or one
            `std.errors.InputError` that names the line.
        sample: a small file of the format.
        words: what is said in the sample, in order.
        keys: JSON's keys that files have, one text for each shape: they say which files come near.
        lacks: says what a text lacks that comes near; empty if it does not.
        extensions: of names that only such files have: one that nobody knows is damaged.

    Raises:
        ValueError: kinds are unknown, or a part that should be a tuple of texts is none.
    """

    name: str
    title: str
    section: str = ""
    content: str
    needs: str = ""
    kinds: tuple[Kind, ...]
    looks_like: LooksLike
    parse: Parse
    sample: bytes
    words: tuple[str, ...]
    keys: tuple[str, ...] = ()
    lacks: Lacks = nothing
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for part in ("kinds", "words", "keys", "extensions"):  # a text would be taken for letters
            texts = getattr(self, part)
            if not isinstance(texts, tuple) or not all(isinstance(one, str) for one in texts):
                raise ValueError(f"{part} of the reader {self.name!r} are no tuple of texts")
        if not self.kinds or not {*self.kinds} <= {*get_args(Kind)}:
            raise ValueError(f"kinds of the reader {self.name!r} are none of {get_args(Kind)}")
