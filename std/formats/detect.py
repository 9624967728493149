"""Which recogniser wrote a file: by its first bytes, and where they do not tell, by its name.

FORMATS          name -> the module's parse
detect           first bytes, name -> format
parse_file       open, detect, parse
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from std.errors import InputError
from std.formats import ctm, jsonl, kaldi_lattice, mesh, pocketsphinx, sausage, slf
from std.formats.context import DEFAULT, Context
from std.formats.files import open_input
from std.lattice import Lattice
from std.values import ConfusionNetwork

Parse = Callable[[BinaryIO, Path, Context], Iterator[ConfusionNetwork | Lattice]]
LooksLike = Callable[[bytes], bool]
HEAD_BYTES = 1 << 16

FORMATS: dict[str, tuple[Parse, LooksLike]] = {
    "mesh": (mesh.parse, mesh.looks_like),
    "jsonl": (jsonl.parse, jsonl.looks_like),
    "slf": (slf.parse, slf.looks_like),
    "pocketsphinx": (pocketsphinx.parse, pocketsphinx.looks_like),
    "kaldi-lattice": (kaldi_lattice.parse, kaldi_lattice.looks_like),
    "sausage": (sausage.parse, sausage.looks_like),
    "ctm": (ctm.parse, ctm.looks_like),
}


def detect(head: bytes, path: Path | str) -> str:
    """Name the format of a file that begins with these bytes.

    Raises:
        InputError: none of the formats we read.
    """
    found = [name for name, (_, looks_like) in FORMATS.items() if looks_like(head)]
    extension = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if extension in FORMATS and (extension in found or not head.strip()):
        return extension
    if not found:
        known = ", ".join(FORMATS)
        first = head.lstrip().split(b"\n")[0].decode(errors="backslashreplace")
        raise InputError(path, 1, f"recogniser output ({known})", first or "an empty file")
    return found[0]


def parse_file(
    path: Path, input_format: str = "auto", context: Context = DEFAULT
) -> Iterator[ConfusionNetwork | Lattice]:
    """Yield the networks or lattices of a file, in order.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `FORMATS`, or "auto".
        context: what the file leaves out.

    Raises:
        InputError: as ``detect`` and the format's ``parse``.
    """
    if input_format == "auto":
        with open_input(path) as stream:
            input_format = detect(stream.read(HEAD_BYTES), path)
    if input_format not in FORMATS:
        raise InputError(path, 0, f"one of the formats {', '.join(FORMATS)}", input_format)
    with open_input(path) as stream:
        yield from FORMATS[input_format][0](stream, path, context)
