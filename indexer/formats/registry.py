"""The table of all readers: those of `indexer.formats.readers`, by their names in order.

FORMATS        name -> reader
readers        those of a kind of file, in the order in which they are asked
all_readers    every one by its name
"""

from collections.abc import Mapping
from importlib import import_module

from indexer.formats.names import FORMAT_NAMES, module_of
from indexer.formats.shared.reader import FormatReader, Kind


def _own(name: str) -> FormatReader:
    reader = import_module(f"indexer.formats.readers.{module_of(name)}").READER
    if not isinstance(reader, FormatReader) or reader.name != name:
        raise TypeError(f"{module_of(name)}.READER is no declaration of {name}")
    return reader


FORMATS: Mapping[str, FormatReader] = {name: _own(name) for name in FORMAT_NAMES}


def all_readers() -> Mapping[str, FormatReader]:
    """Every reader by its name, in the order in which they are asked."""
    return FORMATS


def readers(kind: Kind) -> list[FormatReader]:
    """The readers of a kind of file, in the order in which they are asked."""
    return [reader for reader in all_readers().values() if kind in reader.kinds]
