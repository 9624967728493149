"""Experiment control files: which stretches of which recordings are searched and scored.

    parse, dump    the file
    speech_s       the amount of speech in the excerpts
    inside_one     which hits lie inside an excerpt

    <ecf source_signal_duration="340.00" language="english" version="1">
      <excerpt audio_filename="audio/x.sph" channel="1" tbeg="0.000" dur="340.000"
               source_type="bnews" language="english"/>
    </ecf>

``audio_filename`` becomes the recording's name by `std.nist.audio_names`: the folder and one
audio extension are dropped. Excerpts and the file may lack ``language``.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from std.errors import NONE
from std.nist.audio_names import recording_name
from std.nist.xml import Attributes, Reader, decimal, declaration, encoded, escape, feed
from std.values import ECF, Bools, Excerpt, Float64s, Recording

SOURCE_TYPES = ("bnews", "cts", "splitcts", "confmtg")

# 0.1 + 0.2 is inside an excerpt that ends at 0.3: far above the error of adding two doubles,
# far below the 0.1 ms that NIST files are written in.
TOLERANCE_S = 1e-9


class _Reader(Reader):
    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.excerpts: list[Excerpt] = []
        self.depth = 0
        self.duration_s, self.language, self.version = 0.0, "", ""

    def start(self, tag: str, attributes: Attributes) -> None:
        if self.depth == 0:
            if tag != "ecf":
                self.fail("an <ecf>", f"<{tag}>")
            self.duration_s = self.number(attributes, "source_signal_duration", 0.0)
            self.language = attributes.get("language") or ""
            self.version = attributes.get("version") or ""
        elif self.depth == 1 and tag == "excerpt":
            self.excerpt(attributes)
        else:
            self.fail("an <excerpt>", f"<{tag}>")
        self.depth += 1

    def end(self, tag: str) -> None:
        self.depth -= 1

    def excerpt(self, attributes: Attributes) -> None:
        filename = self.required(attributes, "audio_filename")
        if not filename.strip():
            self.fail("the name of an audio file", filename)
        kind = self.required(attributes, "source_type")
        if kind not in SOURCE_TYPES:
            self.fail(f"source_type as {', '.join(SOURCE_TYPES)}", kind)
        self.excerpts.append(
            Excerpt(
                Recording(recording_name(filename), self.channel(attributes)),
                self.number(attributes, "tbeg"),
                self.number(attributes, "dur"),
                kind,
                (attributes.get("language") or "").strip(),
            )
        )


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> ECF:
    """Read an ECF.

    Raises:
        InputError: not well formed, not an ECF, an attribute missing or malformed, no excerpt.
    """
    reader = _Reader(path)
    feed(stream, reader)
    if not reader.excerpts:
        reader.fail("at least one <excerpt>", NONE)
    return ECF(tuple(reader.excerpts), reader.duration_s, reader.language, reader.version)


def dump(ecf: ECF, stream: BinaryIO, encoding: str = "UTF-8") -> None:
    """Write an ECF; ``audio_filename`` is the recording's name, without folder or extension."""
    lines = [
        declaration(encoding),
        f'<ecf source_signal_duration="{decimal(ecf.source_signal_duration_s)}" '
        f'language="{escape(ecf.language)}" version="{escape(ecf.version)}">\n',
    ]
    lines.extend(
        f'  <excerpt audio_filename="{escape(excerpt.recording.file)}" '
        f'channel="{excerpt.recording.channel}" tbeg="{decimal(excerpt.start_s)}" '
        f'dur="{decimal(excerpt.duration_s)}" '
        + (f'language="{escape(excerpt.language)}" ' if excerpt.language else "")
        + f'source_type="{excerpt.source_type}"/>\n'
        for excerpt in ecf.excerpts
    )
    stream.write(encoded("".join([*lines, "</ecf>\n"]), encoding))


def speech_s(excerpts: Iterable[Excerpt]) -> float:
    """Seconds of speech covered by excerpts, for counting trials.

    Per audio file the union of the excerpts of all its channels; ``splitcts`` counts half, since
    it is one side of a conversation. The result equals that of NIST's scorer, which cuts each
    excerpt where a later one begins, except where an excerpt is inside another: there NIST's scorer
    loses the rest of the outer one.

    >>> call = [Excerpt(Recording("call", channel), 0.0, 60.0, "cts") for channel in (1, 2)]
    >>> speech_s([*call, Excerpt(Recording("news", 1), 5.0, 10.0)])
    70.0
    """
    by_file: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for excerpt in excerpts:
        weight = 0.5 if excerpt.source_type == "splitcts" else 1.0
        by_file[excerpt.recording.file].append((excerpt.start_s, excerpt.end_s, weight))
    total_s = 0.0
    for spans in by_file.values():
        reached_s = 0.0
        for start_s, end_s, weight in sorted(spans):
            total_s += weight * max(0.0, end_s - max(start_s, reached_s))
            reached_s = max(reached_s, end_s)
    return total_s


def inside_one(
    excerpts: Sequence[Excerpt],
    recordings: Sequence[Recording],
    recording: npt.NDArray[np.integer],
    start_s: Float64s,
    end_s: Float64s,
) -> Bools:
    """Whether each span is completely inside one excerpt of its recording.

    A span across two adjacent excerpts is outside, as in NIST's scorer.

    Args:
        excerpts: in any order, overlapping or not.
        recordings: the table that ``recording`` (n,) points into.
        start_s, end_s: (n,) the spans; a span on an excerpt's edge is inside.

    Returns:
        (n,) truth values.
    """
    by_recording: defaultdict[Recording, list[tuple[float, float]]] = defaultdict(list)
    for excerpt in excerpts:
        by_recording[excerpt.recording].append((excerpt.start_s, excerpt.end_s))
    inside = np.zeros(len(start_s), np.bool_)
    order = np.argsort(recording, kind="stable")
    bounds = np.searchsorted(recording[order], np.arange(len(recordings) + 1))
    for index, where in enumerate(recordings):
        rows = order[bounds[index] : bounds[index + 1]]
        if where not in by_recording or not len(rows):
            continue
        begins, ends = np.array(sorted(by_recording[where])).T
        # Of the excerpts that begin early enough, the one with the latest end decides.
        furthest = np.concatenate([[-np.inf], np.maximum.accumulate(ends)])
        candidates = np.searchsorted(begins, start_s[rows], side="right")
        inside[rows] = end_s[rows] <= furthest[candidates] + TOLERANCE_S
    return inside


def round_to_100us(seconds: Float64s) -> Float64s:
    """Round to 0.1 ms exactly as `round(x, 4)` does.

    Scaling and rounding is wrong near ties; those few values are rounded one by one.
    """
    scaled = seconds * 1e4
    rounded = np.rint(scaled) / 1e4
    tied = np.flatnonzero(np.abs(np.abs(scaled - np.floor(scaled)) - 0.5) < 1e-3)
    rounded[tied] = [round(tie_s, 4) for tie_s in seconds[tied].tolist()]
    return rounded
