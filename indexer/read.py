"""Confusion networks of a file, whatever recogniser wrote it: lattices are turned into networks."""

from collections.abc import Iterator
from pathlib import Path

from indexer.formats.context import DEFAULT, Context
from indexer.formats.detect import parse_file
from indexer.formats.recordings import require_name
from indexer.lattices.lattice import Lattice
from indexer.lattices.to_network import to_network
from std.values import ConfusionNetwork


def networks_of(
    path: Path, input_format: str = "auto", context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the networks of a file, in order.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `indexer.formats.detect.FORMATS`, or "auto".
        context: what the file leaves out, and how lattices become networks.

    Raises:
        InputError: it is no file that we read, or something in it is not as it should be.
    """
    for one in parse_file(path, input_format, context):
        require_name(one.recording, path)
        if isinstance(one, Lattice):
            yield to_network(one, context.lattice_method, path=path, nonwords=context.nonwords)
        else:
            yield one
