"""Detect the format of a file by its first bytes, or by its name if these are ambiguous.

detect        first bytes, name -> format
parse_file    open, detect, parse
foreign       the error of a refused file that is no recogniser output

JSON is recognised by its keys; if that reader finds no word, other readers with common keys are
tried. `indexer.formats.looks` describes unknown files.
"""

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from indexer.formats.looks import IN_BRACKETS, IS_JSON, has_keys, near_json, unknown
from indexer.formats.registry import all_readers, readers
from indexer.formats.shared.clock import speech_is_plausible
from indexer.formats.shared.reader import DEFAULT, Kind, ReaderOptions
from indexer.formats.shared.stated import what_instead
from indexer.lattices.lattice import Lattice
from indexer.networks.utterances import Utterances
from std.encodings import ENCODING_HINT, as_utf8, decoded, is_wide
from std.errors import ForeignFileError, InputError, Unquoted, meant
from std.files import open_input, rewound
from std.json_fields import documents
from std.nist.xml import DECLARED_ENCODING, root_name
from std.ranges import MAX_UTTERANCE_BYTES
from std.repairs import Repairs

_DECLARED = re.compile(r"""^(\s*<\?xml[^>]{0,200}\bencoding\s*=\s*["'])[\w.:-]+""")
_KALDI_BINARY = re.compile(rb"\S+ \0B")
_ONE_WORD = re.compile(rb'([:\[,]\s*)"\w+"(?=\s*[,\]}])')  # a value, which may be spoken: no key
_HAS_VALUES = re.compile(rb'[:\[]\s*("[^"]*\w|-?\d)')  # texts or numbers: it is not empty
ANY_JSON = "timed-text"  # reads rows of any service by the meaning of their keys
HEAD_BYTES = 1 << 16
EXAMINED_BYTES = 1 << 22  # bytes examined for UTF-8
LEAST_LOST = 4  # bytes of JSON outside UTF-8; fewer count as damage


def detect(head: bytes, path: Path | str) -> str:
    """Name the format of a file that begins with these bytes.

    Args:
        head: the first bytes of the file, unpacked; `HEAD_BYTES` are enough.
        path: its name, for its extension and for messages.

    Raises:
        InputError: no known format; `ForeignFileError` for another kind of file.
    """
    name = _detected(head, path)
    if name is None:
        raise unknown(_text_of(as_utf8(head)), path)
    return name


def is_json(head: bytes) -> bool:
    """Whether a file with this beginning can only be JSON."""
    text = _text_of(head)
    return text[:1] in (b"{", b"[") and not IN_BRACKETS.match(text)


def parse_file(
    path: Path, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> Iterator[Utterances | Lattice]:
    """Yield blocks of utterances, or lattices, of a file, in order.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `indexer.formats.registry.all_readers`, or "auto": JSON is then
            read by any reader that can.
        options: what the file does not say.

    Raises:
        InputError: ``input_format`` is unknown, or as `detect` and the format's ``parse``.
    """
    formats = all_readers()
    if input_format not in ("auto", *formats):
        near = meant(input_format, formats, most=3)
        raise InputError(path, 0, "the name of a format", input_format, near.removeprefix("; "))
    with open_input(path) as stream:
        head = stream.read(HEAD_BYTES)
        whole: BinaryIO = rewound(stream, head)
        if _is_of_text(input_format, head):
            begin = whole.read(EXAMINED_BYTES)
            whole = rewound(whole, begin)
            if _needs_decoding(begin, options):
                whole, options = _decoded(whole, head, path, input_format, options)
                head = whole.read(HEAD_BYTES)
                whole.seek(0)
        name = _detected(head, path) if input_format == "auto" else input_format
        may_be_json = input_format == "auto" or "json" in formats[input_format].kinds
        if is_json(head) and name != "jsonl" and may_be_json:
            content = whole.read(MAX_UTTERANCE_BYTES + 1)
            content = _known_letters(content, path, options)
            whole = BytesIO(content)
            if input_format == "auto":
                likeliest = name or _detected(content, path)
                yield from _any_json(content, path, options, likeliest)
                return
        try:
            yield from formats[name or detect(head, path)].parse(whole, path, options)
        except InputError as error:
            if error.expected == "UTF-8 text" and not error.hint:
                raise InputError(
                    error.path, error.line, error.expected, error.got, ENCODING_HINT
                ) from error
            raise


def _is_of_text(input_format: str, head: bytes) -> bool:
    """Whether a file is text in some encoding, not binary."""
    if input_format == "auto":
        return not _first_of("binary", head)
    return "binary" not in all_readers()[input_format].kinds


def _needs_decoding(begin: bytes, options: ReaderOptions) -> bool:
    """Whether a file with this beginning is to be decoded as a whole.

    XML names its encoding, and JSON is in UTF-8 unless the user gives another encoding.
    """
    if options.encoding or is_wide(begin):
        return True
    if begin.count(b"\r") > 2 * begin.count(b"\n"):
        return not is_json(begin)  # old line ends, which `decoded` converts
    declared = (
        DECLARED_ENCODING.match(begin.removeprefix(codecs.BOM_UTF8)) if root_name(begin) else None
    )
    if is_json(begin) or (declared and declared[1].lower() not in (b"utf-8", b"utf8")):
        return False
    try:
        codecs.getincrementaldecoder("utf-8")().decode(begin)
    except UnicodeDecodeError:
        return b"\0" not in begin
    return False


def _decoded(
    stream: BinaryIO, head: bytes, path: Path, input_format: str, options: ReaderOptions
) -> tuple[BytesIO, ReaderOptions]:
    """Return a file in UTF-8, with matching options.

    Raises:
        InputError: its encoding is unclear; `ForeignFileError` for another kind of file.
    """
    content = stream.read(MAX_UTTERANCE_BYTES + 1)
    if len(content) > MAX_UTTERANCE_BYTES:
        raise InputError(path, 0, f"at most {MAX_UTTERANCE_BYTES} bytes", Unquoted("more"))
    try:
        return BytesIO(in_utf8(content, path, options)), replace(options, encoding=None)
    except InputError as problem:
        if input_format == "auto" and _detected(head, path) is None:
            other = unknown(_text_of(head), path)
            if other.got != "text":
                raise other from None
            what = "text in an unknown encoding"
            raise ForeignFileError(path, 1, other.expected, Unquoted(what), problem.hint) from None
        raise


def foreign(
    path: Path, problem: InputError, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> ForeignFileError | None:
    """Return the error of a refused file that is no recogniser output; None of others.

    If the user names a format for a folder, files of other kinds may be in it: a file that is
    refused in its first line, and that no reader recognises, is one of them.
    """
    if input_format == "auto":
        return problem if isinstance(problem, ForeignFileError) else None
    try:
        for _ in parse_file(path, options=options):
            return None
    except ForeignFileError as other:
        return other if problem.line <= 1 or not other.line else None
    except InputError:
        return None
    return None


def in_utf8(content: bytes, path: Path, options: ReaderOptions) -> bytes:
    """Return a text of any encoding in UTF-8; an XML declaration then says so."""
    text = decoded(content, path, options.repairs, options.encoding)
    return _DECLARED.sub(r"\g<1>utf-8", text, count=1).encode()


def _known_letters(content: bytes, path: Path, options: ReaderOptions) -> bytes:
    """Return JSON of a code page in UTF-8; other JSON unchanged, even if tokens divide letters."""
    try:
        content.decode()
    except UnicodeDecodeError:
        letters = content.decode("utf-8", "replace")
        lost = letters.count("\ufffd")
        if (
            lost >= LEAST_LOST
            and lost > sum(letter > "\x7f" for letter in letters) - lost
            and b'"tokens"' not in content
        ):
            with suppress(InputError):
                return in_utf8(content, path, options)
    return content


def _detected(head: bytes, path: Path | str) -> str | None:
    if name := _first_of("binary", head):
        return name
    head = as_utf8(head)
    if _KALDI_BINARY.match(head):
        raise InputError(path, 1, "Kaldi's text form (ark,t:)", Unquoted("its binary form (ark:)"))
    head = _text_of(head)
    extension = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if extension in all_readers() and not head:
        return extension  # its reader reports what is missing
    if is_json(head):
        return _first_of("json", _ONE_WORD.sub(rb'\1""', head))
    return _first_of("text", head)


def _first_of(kind: Kind, head: bytes) -> str | None:
    """The first reader of a kind that recognises a file's beginning."""
    return next((reader.name for reader in readers(kind) if reader.looks_like(head)), None)


def _text_of(head: bytes) -> bytes:
    return head.removeprefix(codecs.BOM_UTF8).lstrip()


def _any_json(
    content: bytes, path: Path, options: ReaderOptions, likeliest: str | None
) -> list[Utterances | Lattice]:
    """Read JSON with the likeliest reader; if it finds no word, with other readers.

    Raises:
        InputError: no reader can: the error of the likeliest one, or that of an unknown format.
    """
    formats, problems = all_readers(), dict[str, InputError]()
    wordless: list[Utterances | Lattice] | None = None
    first: tuple[list[Utterances | Lattice], ReaderOptions] | None = None
    for name in _candidates(content, likeliest):
        own = replace(options, repairs=Repairs(strict=options.repairs.strict))
        try:
            blocks = list(formats[name].parse(BytesIO(content), path, own))
        except InputError as error:
            if name == likeliest and error is own.repairs.refused:
                raise  # the likeliest reader fits, but a value is invalid
            problems[name] = error
            continue
        utterances = [block for block in blocks if isinstance(block, Utterances)]
        if any(len(block.words) for block in utterances):
            is_plausible = speech_is_plausible(utterances)
            if first is None or is_plausible:
                first = blocks, own
            if is_plausible:
                break
            continue
        if wordless is None and (name == likeliest or not _HAS_VALUES.search(content)):
            wordless = blocks
    if first is not None:
        options.repairs.add(first[1].repairs)
        return first[0]
    elsewhere = problems.get(ANY_JSON)
    lacks_parts = likeliest in problems and _lacks_parts(problems[likeliest])
    if likeliest in problems and not lacks_parts and not isinstance(elsewhere, ForeignFileError):
        raise problems[likeliest]
    if wordless is not None:
        return wordless
    head = _text_of(content[:HEAD_BYTES])
    try:
        instead = next(filter(None, map(what_instead, documents(BytesIO(content), path))), None)
    except InputError:
        if near_json(content) or (IS_JSON.search(path.name) and not has_keys(content)):
            raise
        raise unknown(head, path) from None
    if isinstance(elsewhere, ForeignFileError):  # there are rows; it says why they are not read
        raise elsewhere
    lacks = {name: problem.expected for name, problem in problems.items()}
    other = unknown(head, path, lacks, instead)
    if likeliest in problems:  # in a folder it is not passed over
        raise InputError(other.path, other.line, other.expected, other.got, other.hint)
    raise other


def _lacks_parts(problem: InputError) -> bool:
    """Whether a reader misses a list or an object: the file may be no transcript at all."""
    return problem.expected.startswith(("a list at ", "a JSON object at "))


def _candidates(content: bytes, likeliest: str | None) -> Iterator[str]:
    if likeliest is not None:
        yield likeliest
    yield from (name for name in (ANY_JSON, *near_json(content)) if name != likeliest)
