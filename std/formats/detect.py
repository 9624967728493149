"""Which recogniser wrote a file: by its first bytes, and where they do not tell, by its name.

FORMATS       name -> how to read it, how to recognise it
detect        first bytes, name -> format
parse_file    open, detect, parse
"""

import codecs
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from std.errors import InputError
from std.formats import (
    aws,
    azure,
    ctm,
    deepspeech,
    dstc,
    google,
    jsonl,
    kaldi_lattice,
    mesh,
    plf,
    pocketsphinx,
    sausage,
    slf,
    vosk,
    watson,
    whisper,
)
from std.formats.context import DEFAULT, Context
from std.formats.files import open_input, rewound
from std.lattice import Lattice
from std.values import ConfusionNetwork

Parse = Callable[[BinaryIO, Path, Context], Iterator[ConfusionNetwork | Lattice]]
LooksLike = Callable[[bytes], bool]

BOM = codecs.BOM_UTF8
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_KALDI_BINARY = re.compile(rb"\S+ \0B")
HEAD_BYTES = 1 << 16
MOST_JSON_BYTES = 1 << 28  # read to recognise a document whose keys come late

JSON_FORMATS: dict[str, tuple[Parse, LooksLike]] = {
    "jsonl": (jsonl.parse, jsonl.looks_like),
    "dstc": (dstc.parse, dstc.looks_like),
    "deepspeech": (deepspeech.parse, deepspeech.looks_like),
    "watson": (watson.parse, watson.looks_like),
    "aws": (aws.parse, aws.looks_like),
    "azure": (azure.parse, azure.looks_like),
    "google": (google.parse, google.looks_like),
    "whisper": (whisper.parse, whisper.looks_like),
    "vosk": (vosk.parse, vosk.looks_like),
}
TEXT_FORMATS: dict[str, tuple[Parse, LooksLike]] = {
    "mesh": (mesh.parse, mesh.looks_like),
    "slf": (slf.parse, slf.looks_like),
    "pocketsphinx": (pocketsphinx.parse, pocketsphinx.looks_like),
    "sausage": (sausage.parse, sausage.looks_like),
    "kaldi-lattice": (kaldi_lattice.parse, kaldi_lattice.looks_like),
    "plf": (plf.parse, plf.looks_like),
    "ctm": (ctm.parse, ctm.looks_like),
}
FORMATS = TEXT_FORMATS | JSON_FORMATS


def detect(head: bytes, path: Path | str) -> str:
    """Name the format of a file that begins with these bytes.

    Raises:
        InputError: none of the formats we read.
    """
    if head.startswith(UTF_16):
        raise InputError(path, 1, "UTF-8 text", "UTF-16")
    if _KALDI_BINARY.match(head):
        raise InputError(path, 1, "Kaldi's text form (ark,t:)", "its binary form (ark:)")
    head = head.removeprefix(BOM).lstrip()
    extension = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if extension in FORMATS and not head:
        return extension  # its reader says what is missing
    for name, (_, looks_like) in (JSON_FORMATS if is_json(head) else TEXT_FORMATS).items():
        if looks_like(head):
            return name
    first = head.split(b"\n")[0].decode(errors="backslashreplace")
    known = ", ".join(FORMATS)
    raise InputError(path, 1, f"recogniser output ({known})", first or "an empty file")


def is_json(head: bytes) -> bool:
    """Tell whether a file that begins like this can only be JSON."""
    return head.removeprefix(BOM).lstrip()[:1] in (b"{", b"[")


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
    if input_format not in ("auto", *FORMATS):
        raise InputError(path, 0, f"one of the formats {', '.join(FORMATS)}", input_format)
    with open_input(path) as stream:
        whole = stream
        if input_format == "auto":
            head = stream.read(HEAD_BYTES)
            try:
                input_format = detect(head, path)
            except InputError:
                if not is_json(head):
                    raise
                head += stream.read(MOST_JSON_BYTES)
                input_format = detect(head, path)
            whole = rewound(stream, head)
        yield from FORMATS[input_format][0](whole, path, context)
