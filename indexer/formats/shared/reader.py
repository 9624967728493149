"""The declaration of a reader, from which detection, messages, docs and tests are made.

FormatReader     the declaration, ``READER`` of each module of `indexer.formats.readers` and of
                 other packages (`indexer.formats.registry`)
ReaderOptions    what recognisers leave out of their files (offsets of utterances, word ids,
                 scales, frames), as a value that every reader takes
    with_sidecar_files   with those from files beside the recogniser's, with Kaldi's names
"""

import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, Literal, get_args

from indexer.formats.shared.tiers import Tiers
from indexer.lattices.lattice import Lattice, LatticeMethod
from indexer.networks.chunks import Chunks, Offsets
from indexer.networks.nonwords import Nonwords
from indexer.networks.turns import RecordingTurns
from indexer.networks.utterances import Utterances, UtteranceSpan
from std.encodings import decoded
from std.errors import InputError
from std.fields import number, numbered, shown, text, whole_number
from std.files import content_of, is_nameless, open_input
from std.networks import TimedWord
from std.nist.audio_names import recording_name
from std.nist.xml import root_name
from std.ranges import MAX_CHANNEL, MAX_TIME_S, MAX_UTTERANCE_BYTES
from std.repairs import Repairs
from std.values import Float64s, Recording

WordOn = Literal["auto", "link", "source", "target"]
SpeakerNames = Literal["auto", "keep", "drop"]
Names = Literal["any", "content", "file"]


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """What a reader needs beside the file itself.

    Times of a file are seconds in the recording, unless ``segments`` say where each utterance
    begins: then they count from there.
    """

    file: str | None = None  # name of the recording, if the file does not name it
    channel: int = 1
    encoding: str | None = None  # of texts, if they do not name it
    names: Names = "any"  # of recordings: the content's, else the file's; or one of them only
    segments: Mapping[str, UtteranceSpan] | None = None  # by utterance
    symbols: Mapping[str, str] | None = None  # word by its id, as Kaldi's words.txt
    times: Path | None = None  # slot times of Kaldi sausages
    slot_times: Mapping[str, Float64s] | None = None  # what `times` holds, by utterance
    one_best: Mapping[str, Sequence[TimedWord]] | None = None  # times for meshes, by utterance
    frame_s: float = 0.01  # frame shift times subsampling factor
    word_on: WordOn = "auto"  # lattices: the place of a link's word
    acoustic_scale: float | None = None  # lattices: instead of the file's, or of 1
    lm_scale: float | None = None
    lattice_method: LatticeMethod = "mbr"  # lattices: exact slots, or the faster pivot's
    characters: bool = False  # whether hypotheses are cut into characters (`std.characters`)
    nonwords: Nonwords = field(default_factory=Nonwords)  # keeps noises, or counts them
    speaker_names: SpeakerNames = "auto"  # before speech in captions: speakers, or words
    turns: Mapping[Recording, RecordingTurns] | None = None  # who spoke when, by a diarisation
    chunks: Chunks | None = None  # of recordings whose recogniser counted from 0 in each
    offsets: Offsets | None = None  # how late words are against their sound
    tiers: Tiers = field(default_factory=Tiers)  # of annotations: which are speech
    sound_folders: tuple[Path, ...] = ()  # of files of frames, searched before the input's folder
    repairs: Repairs = field(default_factory=lambda: Repairs(strict=True))  # counts the repairs

    @property
    def scale(self) -> float:
        """The factor of logarithmic scores of hypotheses."""
        return 1.0 if self.acoustic_scale is None else self.acoustic_scale


DEFAULT = ReaderOptions()
LONGEST_LINE = 1 << 16  # of words.txt


def whole_text(stream: BinaryIO, path: Path | str, options: ReaderOptions) -> str:
    """The text of a file, in the encoding that the user names or that its letters show.

    Raises:
        InputError: the file is too large, or its encoding is unclear.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    return decoded(content, path, options.repairs, options.encoding)


def with_sidecar_files(path: Path, options: ReaderOptions = DEFAULT) -> ReaderOptions:
    """Add the files beside a Kaldi file: ``words.txt``, ``segments``, and the sausages' times.

    Without ``segments``, ``utts.tsv`` is used. The times of ``x_sausages.txt`` are
    ``x_times.txt``, those of any other name ``times.txt``.

    Raises:
        InputError: a file is invalid.
    """
    if is_nameless(path):
        return options
    folder = path.parent
    named = path.name.replace("sausages", "times").replace("sau", "times")

    def first(*names: str) -> Path | None:
        candidates = (folder / name for name in names)
        return next((file for file in candidates if file.is_file() and file != path), None)

    segments, symbols = options.segments, options.symbols
    if segments is None and (file := first("segments", "utts.tsv")):
        segments = read_segments(file, options.channel)
    if symbols is None and (file := first("words.txt")):
        symbols = read_symbols(file)
    times = options.times or first(named, "times.txt")
    return replace(options, segments=segments, symbols=symbols, times=times)


_SETTINGS = ("recognise.json", "sound.json")  # of std-recognise


def is_sidecar(path: Path) -> bool:
    """Whether a file is an auxiliary file of recogniser output.

    It is one that `with_sidecar_files` looks for, holds utterances' offsets, or is what
    std-recognise writes beside its networks: settings, ECF, notes of audio files, recordings under
    way, plain texts.
    """
    name = path.name.removesuffix(".gz")
    if name in ("words.txt", "segments", "utts.tsv", *_SETTINGS):
        return True
    if name.endswith(("times.txt", ".jsonl.part", ".sound.part")):
        return True
    is_text = path.suffix in (".json", ".txt") and path.with_suffix(".jsonl").exists()
    is_beside = is_text or name in ("ecf.xml", "audio.json")
    return is_beside and any((path.parent / one).exists() for one in _SETTINGS)


def read_segments(path: Path, channel: int = 1) -> dict[str, UtteranceSpan]:
    """Read the places of utterances: Kaldi's ``segments``, or a table with a header.

        utterance recording start_s end_s
        utt<TAB>file<TAB>channel<TAB>start<TAB>end ...

    Raises:
        InputError: a line has too few fields or an invalid time, or an utterance is repeated.
    """
    segments: dict[str, UtteranceSpan] = {}
    with open_input(path) as stream:
        lines = content_of(stream, path).removeprefix(BOM_UTF8).split(b"\n")
    columns = [b"utt", b"file", b"start", b"end"]
    separator = None
    if lines[0].startswith(b"utt\tfile\t"):
        separator, header = b"\t", lines[0].rstrip(b"\r").split(b"\t")
        if not {*columns} <= {*header}:
            raise InputError(path, 1, "columns utt, file, start, end", shown(lines[0]))
    else:
        header = columns
    for at, line in enumerate(lines, start=1):
        if not line.strip() or (separator and at == 1):
            continue
        fields = line.rstrip(b"\r").split(separator)
        if len(fields) < len(header):
            raise InputError(path, at, "utterance, recording, start, end", shown(line))
        row = dict(zip(header, fields, strict=False))
        utterance, file = text(path, at, row[b"utt"]), text(path, at, row[b"file"])
        start = number(path, at, row[b"start"], "a start in seconds")
        end = number(path, at, row[b"end"], "an end in seconds")
        if not 0 <= start <= end <= MAX_TIME_S:
            raise InputError(path, at, "0 <= start <= end in seconds", f"{start} to {end}")
        if utterance in segments:
            raise InputError(path, at, "each utterance once", utterance)
        which = whole_number(path, at, row.get(b"channel", b"%d" % channel), "a channel number")
        if which > MAX_CHANNEL:
            raise InputError(path, at, f"a channel number up to {MAX_CHANNEL}", str(which))
        segments[utterance] = UtteranceSpan(Recording(recording_name(file), which), start, end)
    return segments


def read_symbols(path: Path) -> dict[str, str]:
    """Read Kaldi's ``words.txt``: one ``word id`` per line.

    Raises:
        InputError: a line is something else, or an id has two words.
    """
    symbols: dict[str, str] = {}
    with open_input(path) as stream:
        for at, line in numbered(stream, path, LONGEST_LINE):
            fields = line.split()
            if len(fields) == 2 and fields[1].isdigit():
                word, which = text(path, at, fields[0]), fields[1].decode()
                if symbols.setdefault(which, word) != word:
                    raise InputError(path, at, "each number once", f"{which} of {symbols[which]}")
            elif fields:
                raise InputError(path, at, "a word and its number", shown(line.strip()))
    return symbols


Kind = Literal["binary", "text", "json"]
Parse = Callable[[BinaryIO, Path, ReaderOptions], Iterator[Utterances | Lattice]]
LooksLike = Callable[[bytes], bool]
Lacks = Callable[[bytes], str]


def nothing(_head: bytes) -> str:
    """The default of ``lacks``: no text counts as similar to the format."""
    return ""


def begins(pattern: re.Pattern[bytes]) -> LooksLike:
    """Return a ``looks_like`` of the files whose beginning the pattern matches."""
    return lambda head: pattern.match(head) is not None


def has_root(*names: str) -> LooksLike:
    """Return a ``looks_like`` of XML whose root element has one of these names."""
    return lambda head: root_name(head).rpartition(":")[2] in names


def lacks_where(pattern: bytes, what: str) -> Lacks:
    """Return a ``lacks`` that says ``what`` of each text in which the regular expression is found.

    >>> lacks_where(rb"(?m)^align ", "numaligns N")(b"align 0 das 1")
    'numaligns N'
    """
    return lambda head: what if re.search(pattern, head) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatReader:
    """A format: its name, detection, parser, and description.

    Args:
        name: the value of ``--format``.
        title: its name or its program, as in docs/formats.md.
        section: the anchor of its heading in docs/formats.md.
        content: the part of it that can be indexed.
        needs: files or options that it needs, or that may help.
        kinds: what its files are: binary, text (of any encoding), or JSON.
        looks_like: tells by the first 64 KB of a file whether it is of this format; never raises.
            Text is in UTF-8, without byte order mark. In JSON, values of a single word are made
            empty, so that only keys count.
        parse: takes an open binary stream, the path to name in errors, and the reader's options;
            yields utterances or lattices in order. Any bytes yield some, or raise one
            `std.errors.InputError` that names the line.
        sample: a small file of the format.
        words: the words of the sample, in order.
        keys: keys of JSON files, one text for each shape: files with some of them are similar.
        lacks: returns what a similar text lacks; empty if the text is not similar.
        extensions: the extensions that only such files have: if one is not recognised, the file
            counts as damaged.

    Raises:
        ValueError: kinds are unknown, or a part that should be a tuple of texts is not one.
    """

    name: str
    title: str
    section: str = ""
    content: str
    needs: str = ""
    kinds: tuple[Kind, ...]
    looks_like: LooksLike
    parse: Parse
    sample: bytes
    words: tuple[str, ...]
    keys: tuple[str, ...] = ()
    lacks: Lacks = nothing
    extensions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for part in ("kinds", "words", "keys", "extensions"):  # a text is a sequence, too
            texts = getattr(self, part)
            if not isinstance(texts, tuple) or not all(isinstance(one, str) for one in texts):
                raise ValueError(f"{part} of the reader {self.name!r} are no tuple of texts")
        if not self.kinds or not {*self.kinds} <= {*get_args(Kind)}:
            raise ValueError(f"kinds of the reader {self.name!r} are none of {get_args(Kind)}")
