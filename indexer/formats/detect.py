"""Which recogniser wrote a file: by its first bytes, and where they do not tell, by its name.

FORMATS       name -> how to read it, how to recognise it
detect        first bytes, name -> format
parse_file    open, detect, parse
foreign       whether a file that was refused is something else altogether

JSON is told by its keys; where that reader finds no word, others that share keys
with it are tried. What nothing reads is described by `indexer.formats.looks`.
"""

import codecs
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from indexer.formats.looks import IS_JSON, has_keys, near_json, unknown
from indexer.formats.readers import (
    ass,
    assemblyai,
    aws,
    aws_streaming,
    azure,
    chat,
    ctm,
    deepgram,
    deepspeech,
    docx,
    dstc,
    eaf,
    elevenlabs,
    fcpxml,
    gentle,
    google,
    jsonl,
    kaldi_lattice,
    mesh,
    nemo,
    otranscribe,
    plf,
    pocketsphinx,
    pocketsphinx_json,
    revai,
    riva,
    sausage,
    sherpa_onnx,
    slf,
    speechmatics,
    srt,
    stm,
    table,
    tei,
    textgrid,
    timed_text,
    timeline_xml,
    transcript_lines,
    transformers,
    ttml,
    video_indexer,
    vosk,
    watson,
    webvtt,
    whisper,
    youtube,
)
from indexer.formats.shared.encodings import as_utf8, decoded, is_wide
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.service_answers import what_instead
from indexer.formats.shared.units import speech_is_plausible
from indexer.lattices.lattice import Lattice
from indexer.networks.utterances import Utterances
from std.errors import ForeignFileError, InputError
from std.files import open_input, rewound
from std.json_fields import documents
from std.limits import MAX_UTTERANCE_BYTES
from std.nearest import meant
from std.repairs import Repairs

Parse = Callable[[BinaryIO, Path, ReaderOptions], Iterator[Utterances | Lattice]]
LooksLike = Callable[[bytes], bool]

BOM = codecs.BOM_UTF8
_KALDI_BINARY = re.compile(rb"\S+ \0B")
_ONE_WORD = re.compile(rb'([:\[,]\s*)"\w+"(?=\s*[,\]}])')  # as a value: it may be said, "result"
_HAS_VALUES = re.compile(rb'[:\[]\s*("[^"]*\w|-?\d)')  # texts, numbers: what has some is not empty
ANY_JSON = "timed-text"  # reads rows by what their keys mean, whoever wrote them
_IN_BRACKETS = re.compile(  # lines of LRC and of Whisper's programs, a heading of ASS
    rb"\[\s*\d{1,3}:\d\d|\[\d{1,6}\.\d{1,3}s?\s*-+>|\[[a-z]{2,6}:[^\]\n]*\]|\[script info\]",
    re.IGNORECASE,
)
HEAD_BYTES = 1 << 16
LEAST_LOST = 4  # bytes of JSON that are no UTF-8: fewer are damage

JSON_FORMATS: dict[str, tuple[Parse, LooksLike]] = {
    "jsonl": (jsonl.parse, jsonl.looks_like),
    "youtube": (youtube.parse, youtube.looks_like),
    "otranscribe": (otranscribe.parse, otranscribe.looks_like),
    "dstc": (dstc.parse, dstc.looks_like),
    "deepspeech": (deepspeech.parse, deepspeech.looks_like),
    "video-indexer": (video_indexer.parse, video_indexer.looks_like),
    "gentle": (gentle.parse, gentle.looks_like),
    "sherpa-onnx": (sherpa_onnx.parse, sherpa_onnx.looks_like),
    "transformers": (transformers.parse, transformers.looks_like),
    "nemo": (nemo.parse, nemo.looks_like),
    "assemblyai": (assemblyai.parse, assemblyai.looks_like),
    "elevenlabs": (elevenlabs.parse, elevenlabs.looks_like),
    "revai": (revai.parse, revai.looks_like),
    "speechmatics": (speechmatics.parse, speechmatics.looks_like),
    "deepgram": (deepgram.parse, deepgram.looks_like),
    "watson": (watson.parse, watson.looks_like),
    "aws-streaming": (aws_streaming.parse, aws_streaming.looks_like),
    "aws": (aws.parse, aws.looks_like),
    "azure": (azure.parse, azure.looks_like),
    "riva": (riva.parse, riva.looks_like),
    "google": (google.parse, google.looks_like),
    "whisper": (whisper.parse, whisper.looks_like),
    "vosk": (vosk.parse, vosk.looks_like),
    "pocketsphinx-json": (pocketsphinx_json.parse, pocketsphinx_json.looks_like),
    "timed-text": (timed_text.parse, timed_text.looks_like),
}
# Of captions and annotations, which may be in UTF-16. Their first line tells, so they are asked
# first.
CAPTION_FORMATS: dict[str, tuple[Parse, LooksLike]] = {
    "docx": (docx.parse, docx.looks_like),
    "vtt": (webvtt.parse, webvtt.looks_like),
    "srt": (srt.parse, srt.looks_like),
    "ass": (ass.parse, ass.looks_like),
    "ttml": (ttml.parse, ttml.looks_like),
    "eaf": (eaf.parse, eaf.looks_like),
    "tei": (tei.parse, tei.looks_like),
    "timeline-xml": (timeline_xml.parse, timeline_xml.looks_like),
    "fcpxml": (fcpxml.parse, fcpxml.looks_like),
    "youtube": (youtube.parse, youtube.looks_like),
    "chat": (chat.parse, chat.looks_like),
    "textgrid": (textgrid.parse, textgrid.looks_like),
    "table": (table.parse, table.looks_like),
}
TEXT_FORMATS: dict[str, tuple[Parse, LooksLike]] = {
    "mesh": (mesh.parse, mesh.looks_like),
    "slf": (slf.parse, slf.looks_like),
    "pocketsphinx": (pocketsphinx.parse, pocketsphinx.looks_like),
    "sausage": (sausage.parse, sausage.looks_like),
    "kaldi-lattice": (kaldi_lattice.parse, kaldi_lattice.looks_like),
    "plf": (plf.parse, plf.looks_like),
    "ctm": (ctm.parse, ctm.looks_like),
    **CAPTION_FORMATS,
    "stm": (stm.parse, stm.looks_like),
    "lines": (transcript_lines.parse, transcript_lines.looks_like),
}
FORMATS = TEXT_FORMATS | JSON_FORMATS


def detect(head: bytes, path: Path | str) -> str:
    """Name the format of a file that begins with these bytes.

    Raises:
        InputError: none of the formats we read; `ForeignFileError` if it is something else.
    """
    name = _detected(head, path)
    if name is None:
        raise unknown(_text_of(as_utf8(head)), path)
    return name


def is_json(head: bytes) -> bool:
    """Tell whether a file that begins like this can only be JSON."""
    text = _text_of(head)
    return text[:1] in (b"{", b"[") and not _IN_BRACKETS.match(text)


def parse_file(
    path: Path, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> Iterator[Utterances | Lattice]:
    """Yield blocks of utterances, or lattices, of a file, in order.

    Args:
        path: the file, possibly gzip.
        input_format: a name of `FORMATS`, or "auto": JSON is then read by any reader that can.
        context: what the file leaves out.

    Raises:
        InputError: as ``detect`` and the format's ``parse``.
    """
    if input_format not in ("auto", *FORMATS):
        near = meant(input_format, FORMATS, most=3)
        raise InputError(path, 0, "the name of a format", input_format, near.removeprefix("; "))
    with open_input(path) as stream:
        whole = stream
        if input_format == "auto":
            head = stream.read(HEAD_BYTES)
            if not docx.looks_like(head) and (options.encoding or is_wide(head)):
                content = head + stream.read(MAX_UTTERANCE_BYTES + 1 - len(head))
                whole = BytesIO(in_utf8(content, path, options))
                head, stream = whole.read(HEAD_BYTES), whole
            name = _detected(head, path)
            if is_json(head) and name != "jsonl":
                content = head + stream.read(MAX_UTTERANCE_BYTES + 1 - len(head))
                content = _known_letters(content, path, options)
                likeliest = name or _detected(content, path)
                yield from _any_json(content, path, options, likeliest)
                return
            input_format = name or detect(head, path)
            whole = rewound(stream, head)
        yield from FORMATS[input_format][0](whole, path, options)


def foreign(
    path: Path, problem: InputError, input_format: str = "auto", options: ReaderOptions = DEFAULT
) -> ForeignFileError | None:
    """Return what a file is that a reader refused, if it is something else altogether.

    Whoever names a format may have meant other files of the folder: one that breaks off in its
    first line, and that no other reader knows either, was not meant.
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
    """Return a text in UTF-8, whatever it is in."""
    return decoded(content, path, options.repairs, options.encoding).encode()


def _known_letters(content: bytes, path: Path, options: ReaderOptions) -> bytes:
    """Return JSON in UTF-8 if it is in a code page; else as it is, letters in pieces included."""
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
    if docx.looks_like(head):
        return "docx"
    head = as_utf8(head)
    if _KALDI_BINARY.match(head):
        raise InputError(path, 1, "Kaldi's text form (ark,t:)", "its binary form (ark:)")
    head = _text_of(head)
    extension = Path(path).name.removesuffix(".gz").rpartition(".")[2]
    if extension in FORMATS and not head:
        return extension  # its reader says what is missing
    formats = CAPTION_FORMATS | TEXT_FORMATS
    if is_json(head):
        formats, head = JSON_FORMATS, _ONE_WORD.sub(rb'\1""', head)
    return next((name for name, (_, looks_like) in formats.items() if looks_like(head)), None)


def _text_of(head: bytes) -> bytes:
    return head.removeprefix(BOM).lstrip()


def _any_json(
    content: bytes, path: Path, options: ReaderOptions, likeliest: str | None
) -> list[Utterances | Lattice]:
    """Read JSON as what it looks like; where that gives no word, as what else can read it.

    Raises:
        InputError: nothing can: the likeliest reader's error, if there is one.
    """
    problems: dict[str, InputError] = {}
    wordless: list[Utterances | Lattice] | None = None
    first: tuple[list[Utterances | Lattice], ReaderOptions] | None = None
    for name in _candidates(content, likeliest):
        own = replace(options, repairs=Repairs(strict=options.repairs.strict))
        try:
            blocks = list(FORMATS[name][0](BytesIO(content), path, own))
        except InputError as error:
            if name == likeliest and error is own.repairs.refused:
                raise  # it is the likeliest's, but for a value that cannot be
            problems[name] = error
            continue
        utterances = [block for block in blocks if isinstance(block, Utterances)]
        if any(len(block.words) for block in utterances):
            if first is None:
                first = blocks, own
            if speech_is_plausible(utterances):
                first = blocks, own
                break
            continue
        if wordless is None and (name == likeliest or not _HAS_VALUES.search(content)):
            wordless = blocks
    if first is not None:
        options.repairs.add(first[1].repairs)
        return first[0]
    if likeliest in problems:
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
    lacks = {name: problem.expected for name, problem in problems.items()}
    raise unknown(head, path, lacks, instead)


def _candidates(content: bytes, likeliest: str | None) -> Iterator[str]:
    if likeliest is not None:
        yield likeliest
    yield from (name for name in (ANY_JSON, *near_json(content)) if name != likeliest)
