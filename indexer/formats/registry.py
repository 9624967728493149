"""The table of all readers: those of other packages, and those of `indexer.formats.readers`.

FORMATS            our own by their names, in the order of detection
installed_readers  those of other packages: entry points of the group ``spoken_terms.readers``
all_readers        both; those of other packages first
readers            those of a kind of file

An entry point's name is that of the format, its value is a
`indexer.formats.shared.reader.FormatReader`. Only installed packages have entry points: no indexed
file, configuration or working folder can name code. If a package's reader cannot be used, no file
is read: the error names the package.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import BinaryIO

from indexer.formats import FORMAT_NAMES, GROUP, module_of
from indexer.formats.shared.reader import FormatReader, Kind, ReaderOptions
from indexer.formats.shared.recordings import recording_of
from indexer.lattices.lattice import Lattice
from indexer.networks.utterances import Utterances
from std.errors import ConfigError, StdError, quoted
from std.files import is_nameless

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@cache
def installed_readers() -> Mapping[str, FormatReader]:
    """The readers of other packages by their formats' names, in order.

    Raises:
        ConfigError: a package's reader cannot be used, or two have the same name.
    """
    points: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, _who(point))):
        if point.name in FORMAT_NAMES or point.name == "auto":
            raise _unusable(point, "a name that is free", f"{point.name!r}, a reader of std's own")
        other = points.setdefault(point.name, point)
        if other is not point and (_who(other), other.value) != (_who(point), point.value):
            raise _unusable(point, "a name that is free", f"that of {_who(other)}")
    return {name: _loaded(point) for name, point in points.items()}


def _loaded(point: EntryPoint) -> FormatReader:
    try:
        reader = point.load()
    except (Exception, SystemExit) as error:  # a package may raise anything when it is imported
        raise _unusable(point, "a reader", _in_words(error)) from error
    if not isinstance(reader, FormatReader):
        raise _unusable(point, "a FormatReader", quoted(reader))
    if reader.name != point.name or not _NAME.fullmatch(reader.name):
        expected = f"the name {point.name!r}, of small letters, digits and hyphens"
        raise _unusable(point, expected, quoted(reader.name))
    return _guarded(reader, point)


def _guarded(reader: FormatReader, point: EntryPoint) -> FormatReader:
    """A reader whose exceptions become errors that name its package."""

    def parse(
        stream: BinaryIO, path: Path, options: ReaderOptions
    ) -> Iterator[Utterances | Lattice]:
        try:
            for block in reader.parse(stream, path, _for_file(path, options, reader.extensions)):
                if not isinstance(block, Utterances | Lattice):
                    raise TypeError(f"utterances or a lattice expected, got {quoted(block)}")
                yield block
        except StdError:
            raise
        except Exception as error:
            raise _unusable(point, f"utterances of {path}", _in_words(error)) from error

    def looks_like(head: bytes) -> bool:
        try:
            return bool(reader.looks_like(head))
        except Exception as error:
            raise _unusable(point, "looks_like to say yes or no", _in_words(error)) from error

    def lacks(head: bytes) -> str:
        try:
            return str(reader.lacks(head))
        except Exception as error:
            raise _unusable(point, "lacks to say a text", _in_words(error)) from error

    return replace(reader, parse=parse, looks_like=looks_like, lacks=lacks)


def _for_file(
    path: Path | str, options: ReaderOptions, extensions: tuple[str, ...]
) -> ReaderOptions:
    """Options that name a recording after its file without the reader's extension."""
    own = None if is_nameless(path) else Path(path).name.removesuffix(".gz")
    stem, _, extension = (options.file or own or "").rpartition(".")
    if not stem or extension.lower() not in extensions:
        return options
    return replace(options, file=recording_of(stem).file)


def _who(point: EntryPoint) -> str:
    """The package of an entry point, with its version."""
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def _in_words(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _unusable(point: EntryPoint, expected: str, got: str) -> ConfigError:
    return ConfigError(
        f"the reader {point.name!r} of the package {_who(point)}: expected {expected}, got {got}; "
        "mend or uninstall the package"
    )


def _own(name: str) -> FormatReader:
    reader = import_module(f"indexer.formats.readers.{module_of(name)}").READER
    if not isinstance(reader, FormatReader) or reader.name != name:
        raise TypeError(f"{module_of(name)}.READER is no declaration of {name}")
    return reader


FORMATS: Mapping[str, FormatReader] = {name: _own(name) for name in FORMAT_NAMES}


@cache
def all_readers() -> Mapping[str, FormatReader]:
    """Every reader by its name, in the order of detection.

    Raises:
        ConfigError: the reader of another package cannot be used.
    """
    return {**installed_readers(), **FORMATS}


@cache
def readers(kind: Kind) -> tuple[FormatReader, ...]:
    """The readers of a kind of file, in the order of detection.

    Raises:
        ConfigError: as `all_readers`.
    """
    return tuple(reader for reader in all_readers().values() if kind in reader.kinds)
