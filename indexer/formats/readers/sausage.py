"""Kaldi sausages: what ``lattice-mbr-decode`` and ``lattice-arc-post`` users write as text.

    sausage := UTTERANCE ( "[" ( WORD_ID POSTERIOR )* "]" )*          0 is <eps>
    times   := UTTERANCE BEGIN END ( ";" BEGIN END )*                 frames, one pair per slot

Files beside the sausages are ``words.txt`` (needed, unless words stand in place of the ids), the
times (the fifth output of ``lattice-mbr-decode``) and ``segments`` (see
`indexer.formats.shared.reader`). A frame is ``frame_s`` long: the frame shift times the
subsampling factor, 0.03 for chain models. Without times, slots share the utterance's segment by
letters.

Every second slot is for the time between two words; long silences are there.

Source: Kaldi ``src/lat/sausages.h``, ``latbin/lattice-mbr-decode.cc``.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from indexer.formats.shared.reader import (
    DEFAULT,
    FormatReader,
    ReaderOptions,
    begins,
    lacks_where,
    with_sidecar_files,
)
from indexer.formats.shared.recordings import recording_for
from indexer.networks.columns import utterances_of
from indexer.networks.raw import NetworkBuilder
from indexer.networks.slot_times import untangled
from indexer.networks.utterances import Utterances
from std.errors import EMPTY_FILE, InputError, Unquoted
from std.fields import number, numbered, shown, text
from std.files import open_input
from std.ranges import MAX_LINKS, MAX_TIME_S
from std.repairs import UNKNOWN
from std.values import Float64s

UTTERANCES_AT_ONCE = 256
LONGEST_LINE = 1 << 25
_START = re.compile(rb"\S+[ \t]+\[([ \t]+\S+[ \t]+[0-9.eE+-]+)*([ \t]+\]|[ \t]+\S*$)", re.MULTILINE)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: a line is not a sausage, an id has no word, times are missing or do not fit.
    """
    options = with_sidecar_files(Path(path), options)
    times = options.slot_times or {}
    if options.times and options.slot_times is None:
        times = read_times(options.times, options.frame_s)
    recording = recording_for(path, options)
    builder, waiting, any_sausage = NetworkBuilder(path, repairs=options.repairs), 0, False
    for at, line in numbered(stream, path, LONGEST_LINE):
        fields = line.split()
        if not fields:
            continue
        if len(fields) > 2 * MAX_LINKS:
            raise InputError(
                path, at, f"at most {MAX_LINKS} words in an utterance", Unquoted("more")
            )
        any_sausage = True
        utterance = text(path, at, fields[0])
        builder.utterance(at, recording, utterance)
        slots = _slots(path, at, fields[1:], options)
        spans = times.get(utterance, np.full((len(slots), 2), UNKNOWN))
        if options.times and utterance not in times:
            raise InputError(path, at, f"an utterance that {options.times} has", utterance)
        if len(spans) != len(slots):
            raise InputError(
                path, at, f"{len(spans)} slots, as {options.times} has times", str(len(slots))
            )
        for words, (start, end) in zip(slots, spans.tolist(), strict=True):
            builder.slot(at, start, end)
            for word, mass in words:
                builder.word(at, word, mass)
        waiting += 1
        if waiting == UTTERANCES_AT_ONCE:
            yield utterances_of(
                builder.columns(), path, options.segments, options.one_best, options.nonwords
            )
            builder, waiting = NetworkBuilder(path, repairs=options.repairs), 0
    if not any_sausage:
        raise InputError(path, 0, "sausages, one utterance per line", EMPTY_FILE)
    yield utterances_of(
        builder.columns(), path, options.segments, options.one_best, options.nonwords
    )


def _slots(
    path: Path | str, at: int, fields: list[bytes], options: ReaderOptions
) -> list[list[tuple[str, float]]]:
    """Read the slots of one line."""
    slots: list[list[tuple[str, float]]] = []
    rest = iter(fields)
    for opening in rest:
        if opening != b"[":
            raise InputError(path, at, "[ at the beginning of a slot", shown(opening))
        slots.append([])
        for token in rest:
            if token == b"]":
                break
            mass = number(path, at, next(rest, b"the end"), "a posterior")
            slots[-1].append((word_of(path, at, token, options), mass))
        else:
            raise InputError(path, at, "] at the end of a slot", Unquoted("the end of the line"))
    return slots


def word_of(path: Path | str, at: int, token: bytes, options: ReaderOptions) -> str:
    """Return the word of a word id; a token that is not an id is the word.

    Raises:
        InputError: there is no symbol table for an id, or the table lacks it.
    """
    word = text(path, at, token)
    if word == "0":
        return "<eps>"
    if not word.isdecimal():
        return word
    if options.symbols is None:
        raise InputError(path, at, "words, or words.txt to know them by id", word)
    if word not in options.symbols:
        raise InputError(path, at, "the id of a word in words.txt", word)
    return options.symbols[word]


def read_times(path: Path, frame_s: float) -> dict[str, Float64s]:
    """Read slot times: seconds from the start of each utterance, in order and not overlapping."""
    times: dict[str, Float64s] = {}
    with open_input(path) as stream:
        for at, line in numbered(stream, path, LONGEST_LINE):
            utterance, *rest = line.split(None, 1) or [b""]
            if not utterance:
                continue
            pairs = [pair.split() for pair in rest[0].split(b";")] if rest else []
            if any(len(pair) != 2 for pair in pairs):
                raise InputError(path, at, "pairs of frames between ;", shown(line.strip()))
            frames = [[number(path, at, frame, "a frame") for frame in pair] for pair in pairs]
            spans = frame_s * np.array(frames, dtype=np.float64).reshape(-1, 2)
            for start, end in spans.tolist():
                if not 0 <= start <= end <= MAX_TIME_S:
                    expected = f"0 <= begin <= end <= {MAX_TIME_S:.0f} s"
                    raise InputError(path, at, expected, Unquoted(f"{start:g} to {end:g} s"))
            name = text(path, at, utterance)
            if name in times:
                raise InputError(path, at, "each utterance once", name)
            times[name] = untangled(spans, np.array([0, len(spans)]))
    return times


READER = FormatReader(
    name="sausage",
    title="Kaldi sausages",
    section="kaldi-sausages",
    content="networks",
    needs="words, times, segments",
    kinds=("text",),
    looks_like=begins(_START),
    parse=parse,
    sample=b"x [ das 0.97 <eps> 0.03 ] [ haus 1 ]\n",
    words=("das", "haus"),
    lacks=lacks_where(rb"\[( \S+ [\d.eE+-]+)+ \]", "an utterance's name before the first ["),
    extensions=("sau", "sausage"),
)
