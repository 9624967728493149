"""Which recogniser wrote a file: by its first bytes, and where they do not tell, by its name.

FORMATS          name -> the module's parse
detect           first bytes, name -> format
parse_file       open, detect, parse
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from std.errors import InputError
from std.formats import ctm, jsonl, mesh
from std.formats.files import open_input
from std.values import ConfusionNetwork

Parse = Callable[..., Iterator[ConfusionNetwork]]
HEAD_BYTES = 4096

FORMATS: dict[str, Parse] = {"mesh": mesh.parse, "jsonl": jsonl.parse, "ctm": ctm.parse}
LOOKS_LIKE: dict[str, Callable[[bytes], bool]] = {
    "mesh": mesh.looks_like,
    "jsonl": jsonl.looks_like,
    "ctm": ctm.looks_like,
}


def detect(head: bytes, path: Path | str) -> str:
    """Name the format of a file that begins with these bytes.

    Raises:
        InputError: none of the formats we read.
    """
    found = [name for name, looks_like in LOOKS_LIKE.items() if looks_like(head)]
    extension = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if extension in FORMATS and (extension in found or not head.strip()):
        return extension
    if not found:
        known = ", ".join(FORMATS)
        first = head.lstrip().split(b"\n")[0].decode(errors="backslashreplace")
        raise InputError(path, 1, f"recogniser output ({known})", first or "an empty file")
    return found[0]


def parse_file(
    path: Path, input_format: str = "auto", **options: object
) -> Iterator[ConfusionNetwork]:
    """Yield the networks of a file, in order.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `FORMATS`, or "auto".
        options: what the format's ``parse`` takes.

    Raises:
        InputError: as ``detect`` and the format's ``parse``.
    """
    if input_format == "auto":
        with open_input(path) as stream:
            input_format = detect(stream.read(HEAD_BYTES), path)
    if input_format not in FORMATS:
        raise InputError(path, 0, f"one of the formats {', '.join(FORMATS)}", input_format)
    with open_input(path) as stream:
        yield from FORMATS[input_format](stream, path, **options)
