"""Utterances of a file, whatever recogniser wrote it: lattices are turned into networks."""

from collections.abc import Iterator
from pathlib import Path

from indexer.formats.detect import parse_file
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import require_name
from indexer.lattices.lattice import Lattice
from indexer.lattices.to_network import to_utterances
from indexer.networks.chunks import placed
from indexer.networks.utterances import Utterances
from std.repairs import CLOCK_GOES_BACK
from std.values import ConfusionNetwork


def utterances_in(
    path: Path, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the utterances of a file in order, some at a time.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `indexer.formats.registry.all_readers`, or "auto".
        options: what the file leaves out, and how lattices become networks.

    Raises:
        InputError: it is no file that we read, or something in it is invalid.
    """
    read = _utterances(path, input_format, options)
    if options.chunks is None:
        yield from read
        return
    yield from placed(read, options.chunks, path)
    options.repairs.found.pop(CLOCK_GOES_BACK, None)  # as it was before


def _utterances(path: Path, input_format: str, options: ReaderOptions) -> Iterator[Utterances]:
    for block in parse_file(path, input_format, options):
        if isinstance(block, Lattice):
            require_name(block.recording, path)
            yield to_utterances(block, options.lattice_method, path=path, nonwords=options.nonwords)
        else:
            for recording in dict.fromkeys(block.recordings):
                require_name(recording, path)
            yield block


def networks_of(
    path: Path, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the utterances of a file as networks, one at a time; otherwise as `utterances_in`."""
    for block in utterances_in(path, input_format, options):
        yield from block
