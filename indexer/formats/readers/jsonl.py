"""Our own confusion networks: one JSON object per line and utterance, times in seconds.

    {"utt": "u1", "file": "news", "channel": 1, "start": 0.0, "end": 7.4, "slots": [SLOT, ...]}
    SLOT := {"s": 0.31, "e": 0.46, "eps": 0.02, "w": [[WORD, POSTERIOR, START, END], ...]}

A slot has ``err`` where its times are estimates: how far they may be off, in seconds.

Times count from the start of the recording. ``utt`` and ``slots`` must be there. ``file`` and
``channel`` default to the file's name and 1, ``eps`` to 0; ``start`` with ``end``, ``s`` with
``e`` and START with END may be left out and are then derived
(`indexer.networks.slot_times`). ``language`` and ``speaker`` are kept, other keys are
ignored. The contract is in docs/formats.md.

    parse            many lines at once; unusual ones one by one, by `parse_strictly`
    dump             writes what `parse` reads
"""

import json
import re
from array import array
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson

from indexer.formats.shared.json_paths import is_whole
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.networks.columns import utterances_of
from indexer.networks.raw import NetworkBuilder, RawUtterances, is_valid
from indexer.networks.utterances import Utterances
from std.errors import EMPTY_FILE, InputError, Unquoted
from std.fields import numbered, shown, text
from std.json_fields import DECODER
from std.networks import dump as dump  # what `parse` reads, for its users
from std.nist.audio_names import recording_name
from std.ranges import MAX_CHANNEL
from std.repairs import REFUSED, UNKNOWN, Repairs
from std.values import Float64s, Recording

BYTES_AT_ONCE = 1 << 17
_SLOT = re.compile(rb'"w"\s*:\s*\[\s*\[\s*"[^"]*"\s*,\s*[-+.\d]')

BLANK = re.compile(r"[ \t\n\r\f\v]")
ONE_A_LINE = "one JSON object per line and utterance"
JQ = "jq -c .[] FILE writes the objects of a list so, jq -c . FILE any others"


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is ours, or would be if it had the key ``utt``.

    In lists such as ``["das", 0.9, 0.1, 0.3]`` the posterior precedes the times, unlike in others.
    """
    start = head.removeprefix(BOM_UTF8).lstrip()
    if start.startswith(b"{") and b'"utt"' in start.split(b"\n")[0]:
        return True
    return b'"slots"' in head and _SLOT.search(head) is not None


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield a file's utterances in order.

    Raises:
        InputError: a line is not an utterance as described above.
    """
    if options.names == "content":
        recording = Recording("", options.channel)  # refused where a line needs it
    else:
        recording = recording_for(path, options)
    empty = True
    for lines in _lines(stream, path):
        columns = _parse_in_bulk(lines, recording)
        if columns is None:
            columns = parse_strictly(lines, path, recording, options.repairs)
        empty = empty and not columns.utterances
        yield utterances_of(columns, path, nonwords=options.nonwords)
    if empty:
        raise InputError(path, 0, "utterances, one JSON object per line", EMPTY_FILE)


def _lines(stream: BinaryIO, path: Path | str) -> Iterator[list[tuple[int, bytes]]]:
    """Yield numbered lines in lists of about `BYTES_AT_ONCE`, to be converted together."""
    lines: list[tuple[int, bytes]] = []
    size = 0
    for at, line in numbered(stream, path):
        lines.append((at, line))
        size += len(line)
        if size >= BYTES_AT_ONCE:
            yield lines
            lines, size = [], 0
    if lines:
        yield lines


def _parse_in_bulk(
    lines: Sequence[tuple[int, bytes]], recording: Recording
) -> RawUtterances | None:
    """Convert whole columns at once; None if anything in the lines is out of the ordinary."""
    try:
        columns = _bulk(lines, recording)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError):
        return None
    return columns if columns and is_valid(columns) else None


def _bulk(lines: Sequence[tuple[int, bytes]], recording: Recording) -> RawUtterances | None:
    networks = [orjson.loads(line) for _, line in lines]
    slots = [slot for network in networks for slot in network["slots"]]
    words = [slot["w"] for slot in slots]
    rows = list(chain.from_iterable(words))
    if not {
        *map(type, words),
        *map(type, rows),
        *(type(network["slots"]) for network in networks),
    } <= {list}:
        return None
    if not {*map(len, rows)} <= {4}:
        return None
    cells = list(chain.from_iterable(rows))
    tokens, masses, starts, ends = (cells[i::4] for i in range(4))
    names = [network["utt"] for network in networks]
    recordings = [
        Recording(network.get("file", recording.file), network.get("channel", recording.channel))
        for network in networks
    ]
    ids = dict(zip(dict.fromkeys(tokens), count(), strict=False))
    files, channels = zip(*recordings, strict=True)
    if not {*map(type, ids), *map(type, names), *map(type, files)} <= {str}:
        return None
    names_of = {file: recording_name(file) for file in {*files}}
    if (
        {*map(type, channels)} != {int}
        or min(channels) < 0
        or max(channels) > MAX_CHANNEL
        or not all(ids)
        or BLANK.search("".join(ids))
        or not all(names)
        or not all(names_of.values())
    ):
        return None
    recordings = [Recording(names_of[file], number) for file, number in recordings]
    languages = [network.get("language", "") for network in networks]
    speakers = [network.get("speaker", "") for network in networks]
    if not {*map(type, languages), *map(type, speakers)} <= {str}:
        return None
    return RawUtterances(
        recordings=recordings,
        utterances=names,
        lines=np.array([line for line, _ in lines], dtype=np.int64),
        utterance_spans_s=_numbers(
            [network["start"] for network in networks], [network["end"] for network in networks]
        ).T,
        bounds=np.cumsum([0, *(len(network["slots"]) for network in networks)], dtype=np.int64),
        slot_spans_s=_numbers([slot["s"] for slot in slots], [slot["e"] for slot in slots]).T,
        epsilons=_numbers([slot["eps"] for slot in slots])[0],
        offsets=np.cumsum([0, *map(len, words)], dtype=np.int64),
        vocabulary=list(ids),
        tokens=np.fromiter(map(ids.__getitem__, tokens), np.int64, len(tokens)),
        posteriors=_numbers(masses)[0],
        spans_s=_numbers(starts, ends).T,
        languages=languages,
        speakers=speakers,
        slot_errors_s=_errors(slots),
    )


def _errors(slots: Sequence[Mapping[str, Any]]) -> Float64s | None:
    """(slots,) the largest error of each slot's times, seconds; None if no slot states one.

    Raises:
        TypeError: one is not a number.
    """
    if not any("err" in slot for slot in slots):
        return None
    errors_s: Float64s = _numbers([slot.get("err", 0.0) for slot in slots])[0]
    return errors_s


def _numbers(*columns: Sequence[Any]) -> Float64s:
    """Convert columns of numbers.

    Raises:
        TypeError: something in them is not a number.
        OverflowError: something in them is too large.
    """
    return np.stack([np.frombuffer(array("d", column)) for column in columns])


READER = FormatReader(
    name="jsonl",
    title="our own JSONL",
    section="our-own-jsonl",
    content="networks: convert to this",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"utt": "u1", "file": "news", "slots": [{"s": 0.0, "e": 0.21, "w": [["das", 0.97]]}, '
        b'{"s": 0.21, "e": 0.65, "w": [["haus", 0.8]]}]}'
    ),
    words=("das", "haus"),
    keys=("utt slots",),
    extensions=("jsonl",),
)


def parse_strictly(
    lines: Iterable[tuple[int, bytes]],
    path: Path | str,
    recording: Recording,
    repairs: Repairs = REFUSED,
) -> RawUtterances:
    """Read utterances one by one.

    Args:
        lines: 1-based line number and content.

    Raises:
        InputError: the first line that is invalid.
    """
    builder = NetworkBuilder(path, repairs=repairs)
    for at, line in lines:
        if line.strip():
            try:
                network = DECODER.decode(text(path, at, line))
            except (ValueError, RecursionError) as error:
                if at == 1 and line.strip() in (b"{", b"[", b"[{"):
                    raise InputError(
                        path, at, ONE_A_LINE, Unquoted("JSON of several lines"), JQ
                    ) from error
                raise InputError(path, at, f"JSON ({error})", shown(line.strip())) from error
            if isinstance(network, list):
                raise InputError(path, at, ONE_A_LINE, Unquoted("a list"), JQ)
            _read(builder, at, _Object(path, at, network), recording)
    return builder.columns()


def _read(builder: NetworkBuilder, at: int, network: "_Object", recording: Recording) -> None:
    file = network.string(recording_name(network.name("file", recording.file)), "file")
    where = Recording(file, network.channel(recording.channel))
    language = network.content.get("language", "")
    builder.language = network.string(language, "language") if language else ""
    speaker = network.content.get("speaker", "")
    builder.speaker = network.string(speaker, "speaker") if speaker else ""
    builder.utterance(at, where, network.name("utt"), *network.span("start", "end"))
    for slot in map(network.inner, network.array("slots")):
        epsilon = slot.content.get("eps", 0.0)
        error_s = slot.number(slot.content.get("err", 0.0), "err")
        builder.slot(at, *slot.span("s", "e"), slot.number(epsilon, "eps"), error_s=error_s)
        for row in slot.array("w"):
            if not isinstance(row, list) or len(row) not in (2, 4):
                raise InputError(builder.path, at, "[word, posterior, start, end]", json.dumps(row))
            times = [slot.number(time, "a word's time") for time in row[2:]] or [UNKNOWN, UNKNOWN]
            builder.word(at, slot.word(row[0]), slot.number(row[1], "a posterior"), *times)


class _Object:
    """A JSON object whose errors name its place."""

    def __init__(self, path: Path | str, line: int, content: Any) -> None:
        if not isinstance(content, dict):
            raise InputError(path, line, "a JSON object", json.dumps(content))
        self.path, self.line, self.content = path, line, content

    def inner(self, content: Any) -> "_Object":
        return _Object(self.path, self.line, content)

    def number(self, value: Any, what: str) -> float:
        if not isinstance(value, int | float):
            raise InputError(self.path, self.line, f"a number as {what}", json.dumps(value))
        return float(min(value, 1e300)) if value > 0 else float(max(value, -1e300))

    def string(self, value: Any, what: str) -> str:
        if not isinstance(value, str) or not value or not is_whole(value):
            raise InputError(self.path, self.line, f"text as {what}", json.dumps(value))
        return value

    def word(self, value: Any) -> str:
        word = self.string(value, "a word")
        if BLANK.search(word):
            raise InputError(self.path, self.line, "a word without blanks", json.dumps(value))
        return word

    def name(self, key: str, default: str | None = None) -> str:
        if default is None:
            self.require(key)
        return self.string(self.content.get(key, default), key)

    def channel(self, default: int) -> int:
        value = self.content.get("channel", default)
        if type(value) is not int or not 0 <= value <= MAX_CHANNEL:
            raise InputError(self.path, self.line, "a channel number", json.dumps(value))
        return value

    def span(self, start: str, end: str) -> tuple[float, float]:
        if start not in self.content and end not in self.content:
            return UNKNOWN, UNKNOWN
        first, last = (self.number(self.content.get(key), key) for key in (start, end))
        return first, last

    def require(self, key: str) -> None:
        if key not in self.content:
            keys = ", ".join(self.content)
            raise InputError(self.path, self.line, f'the key "{key}"', f"the keys {keys}")

    def array(self, key: str) -> list[Any]:
        self.require(key)
        value = self.content.get(key)
        if not isinstance(value, list):
            raise InputError(self.path, self.line, f'a list "{key}"', json.dumps(value))
        return value
