"""The table of all readers: those of other packages, and those of `indexer.formats.readers`.

FORMATS        our own by their names, in the order in which they are asked
all_readers    with those of other packages, which are asked first
readers        those of a kind of file
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from indexer.formats.installed import installed_readers
from indexer.formats.names import FORMAT_NAMES, module_of
from indexer.formats.shared.reader import FormatReader, Kind


def _own(name: str) -> FormatReader:
    reader = import_module(f"indexer.formats.readers.{module_of(name)}").READER
    if not isinstance(reader, FormatReader) or reader.name != name:
        raise TypeError(f"{module_of(name)}.READER is no declaration of {name}")
    return reader


FORMATS: Mapping[str, FormatReader] = {name: _own(name) for name in FORMAT_NAMES}


@cache
def all_readers() -> Mapping[str, FormatReader]:
    """Every reader by its name, in the order in which they are asked.

    Raises:
        ConfigError: the reader of another package cannot be used.
    """
    return {**installed_readers(), **FORMATS}


@cache
def readers(kind: Kind) -> tuple[FormatReader, ...]:
    """The readers of a kind of file, in the order in which they are asked.

    Raises:
        ConfigError: as `all_readers`.
    """
    return tuple(reader for reader in all_readers().values() if kind in reader.kinds)
