"""Options about inputs, alike for std-index and std-store: what they are, and how they are read."""

import argparse
import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexer import FORMAT_NAMES, installed_formats
from std.command import encoding_argument, file_argument, folder_argument, number, text_argument
from std.errors import meant, quoted
from std.options import configuration_of
from std.parser import Parser
from std.ranges import Range

if TYPE_CHECKING:
    from indexer import InputOptions  # --help does not load an array library

FRAME_S = number(Range(0.0001, 10))
CHUNK_S = Range(0.1, 1_000_000)
OFFSET_S = Range(-1_000_000, 1_000_000)
SCALE_FACTOR = number(Range(0, 1000))
NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")


def add_recording_options(parse: Parser) -> None:
    """The options of names and metadata."""
    add = parse.add_argument
    add(
        "--name-by",
        choices=["stem", "path", "content"],
        help="name recordings after the file's name, its path, or its content (Azure's source, "
        "AWS's job name); default: the content if it has a name, else the file's stem",
    )
    add(
        "--format", default="auto", type=format_argument, dest="input_format", metavar="FORMAT",
        help="format of the input: auto (detect it for each file), a format that another package "
        f"reads, or one of {', '.join(FORMAT_NAMES)}",
    )  # fmt: skip
    add(
        "--metadata",
        type=file_argument,
        metavar="FILE",
        help="CSV or JSON with title, date, speaker, language, audio, ... of recordings, also of "
        "those that are indexed already",
    )
    add(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="language of all these recordings: German, de, deu; default: from metadata, ECF, "
        "input or words",
    )
    add(
        "--ecf", type=file_argument, metavar="XML", help="durations and languages of the recordings"
    )
    add(
        "--speakers",
        type=file_argument,
        metavar="RTTM",
        help="who spoke when (a diarisation): each word gets the speaker of its turn",
    )


def add_reading_options(parse: Parser) -> None:
    """The options of inputs and audio."""
    _add_audio_options(parse.further("audio and sound of the recordings"))
    _add_text_options(parse.further("how texts are read"))
    _add_kaldi_options(parse.further("files and frames of Kaldi and others"))
    _add_lattice_options(parse.further("how lattices become slots"))


def format_argument(text: str) -> str:
    """The name of a format."""
    if text not in ("auto", *FORMAT_NAMES) and text not in (others := installed_formats()):
        near = meant(text, (*FORMAT_NAMES, *others), most=3)
        raise argparse.ArgumentTypeError(f"expected a format, got {quoted(text)}{near}")
    return text


def chunks_argument(text: str) -> Path | float:
    """The starts of the parts of recordings: a length in seconds, or a file."""
    return _number_or_file(text, CHUNK_S)


def offset_argument(text: str) -> Path | float:
    """The delay of words after their sound: seconds, or a file."""
    return _number_or_file(text, OFFSET_S)


def _number_or_file(text: str, allowed: Range) -> Path | float:
    try:
        return allowed.read(text)
    except ValueError as error:
        if NUMBER.fullmatch(text.lstrip("-")):
            raise argparse.ArgumentTypeError(str(error)) from error
        return file_argument(text)


def _add_audio_options(group: "argparse._ArgumentGroup") -> None:
    """The options of audio files and of the phone layer."""
    group.add_argument(
        "--learn-phones",
        choices=["auto", "no"],
        default="auto",
        help="recognise phones where recordings have sound (NAME.sound beside INPUT), by a layer "
        "learned from their words; default: auto",
    )
    group.add_argument(
        "--audio",
        type=folder_argument,
        metavar="FOLDER",
        help="folder of all audio files; the index stores which file each recording has; without "
        "INPUT, for all its recordings",
    )


def _add_text_options(group: "argparse._ArgumentGroup") -> None:
    """The options of texts and repairs."""
    add = group.add_argument
    add(
        "--chunks",
        type=chunks_argument,
        metavar="S|FILE",
        help="if times count from 0 in each part of a recording: the length of the parts, or a "
        "file with lines of RECORDING START START ...",
    )
    add(
        "--clock-offset",
        type=offset_argument,
        metavar="S|FILE",
        help="seconds by which words are later than their sound (std-store verify measures them), "
        "to subtract from their times; or a file with lines of RECORDING S",
    )
    add(
        "--encoding",
        type=encoding_argument,
        metavar="NAME",
        help="encoding of texts in an old code page: cp1250, mac_roman, shift_jis, ...; default: "
        "detected by their letters",
    )
    add(
        "--strict",
        action="store_true",
        help="refuse a file with an impossible value (an end before its start, a confidence of "
        "NaN, broken letters); default: repair it by rule, and report it",
    )
    add(
        "--keep-nonwords",
        action="store_true",
        help="index (laughs), [Music], %%HESITATION and the like as if they were words",
    )
    add(
        "--speaker-names",
        choices=["auto", "keep", "drop"],
        default="auto",
        help="names at the beginning of captions, as in Anna: hello: auto decides by the whole "
        "file whether they are speakers, keep indexes them as words, drop reads all that look like "
        "names as speakers",
    )
    add(
        "--tier",
        dest="tiers",
        action="append",
        default=[],
        type=text_argument,
        metavar="NAME",
        help="read these tiers of ELAN and Praat files, * stands for any letters; "
        "default: tiers that look like speech; the summary names them",
    )


def _add_kaldi_options(group: "argparse._ArgumentGroup") -> None:
    """The options of further files of an input."""
    add = group.add_argument
    add(
        "--sound",
        type=folder_argument,
        metavar="FOLDER",
        help="folder of frames of std-recognise (NAME.sound); default: those beside INPUT",
    )
    add(
        "--segments",
        type=file_argument,
        help="recording and times of utterances (Kaldi, or utts.tsv)",
    )
    add("--words", type=file_argument, help="Kaldi's words.txt")
    add("--times", type=file_argument, help="slot times of Kaldi sausages")
    add("--one-best", type=file_argument, metavar="CTM", help="times for meshes without times")
    add(
        "--frame-shift",
        dest="frame_shift_s",
        type=FRAME_S,
        default=0.01,
        metavar="S",
        help="0.01; chain models: 0.03",
    )


def _add_lattice_options(group: "argparse._ArgumentGroup") -> None:
    add = group.add_argument
    add("--acoustic-scale", type=SCALE_FACTOR, help="scale for lattices, instead of the file's")
    add("--lm-scale", type=SCALE_FACTOR, help="scale for lattices, instead of the file's")
    add(
        "--word-on",
        choices=["auto", "link", "source", "target"],
        default="auto",
        help="where HTK lattices have their words",
    )
    add(
        "--lattice-method",
        choices=["mbr", "pivot"],
        default="mbr",
        help="minimum Bayes risk, or the faster and less accurate pivot alignment",
    )


def require_each_once(args: argparse.Namespace) -> None:
    """Refuse a pipe that would be read twice."""
    from std.distinct import require_distinct

    named_files = {"INPUT": args.input, "--segments": args.segments, "--words": args.words}
    named_files |= {"--times": args.times, "--one-best": args.one_best, "--ecf": args.ecf}
    named_files["--speakers"] = args.speakers
    for name, value in (("--chunks", args.chunks), ("--clock-offset", args.clock_offset)):
        named_files[name] = value if isinstance(value, Path) else None
    require_distinct(
        named_files | {"--config": args.config, "--metadata": args.metadata}, {}, args.store or ()
    )


def indexing_settings(args: argparse.Namespace) -> dict[str, Any]:
    """The arguments of `index_files` and `sync_folder` that are options of both commands."""
    same = ("ecf", "metadata", "audio", "language", "jobs", "scheduler")
    given = {name: getattr(args, name) for name in same}
    return given | {"options": input_options(args), "config": configuration_of(args)}


def input_options(args: argparse.Namespace) -> "InputOptions":
    """The options of inputs from a command line, which has them under the names of the fields."""
    from indexer import InputOptions

    given = {one.name: getattr(args, one.name) for one in fields(InputOptions)}
    given["learn_phones"], given["tiers"] = args.learn_phones == "auto", tuple(args.tiers)
    return InputOptions(**given)
