"""Measure the cost of indexing captions, beside that of mesh files.

    python -m benchmarks.captions [--hours 100] [--rounds 3] [--formats srt vtt mesh] [--folder DIR]

Captions of an hour each: cues of 3 to 5 s, 150 words a minute, ranks drawn with probability 1/rank,
in sentences with capitals and punctuation, two lines to a cue. Each figure is the least CPU time of
some rounds (`benchmarks.index`, stage ``parse``: from files to the committed index, without phone
columns), each in a separate process; the formats take turns, so that a busy machine slows all
alike. The ratio to mesh files is a yardstick that hardly depends on the machine.

With ``--folder`` everything stays there, also the indexes, whose digests are printed: they tell
whether another checkout makes the same ones of the same files.
"""

import argparse
import csv
import json
import tempfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import synthetic
from benchmarks.index import stage
from benchmarks.unchanged import tree_digest

MESH_HOURS = 10
WORDS_PER_S = 2.5
WORDS_PER_SENTENCE = 12
HOUR_MS = 3_600_000


class Caption(NamedTuple):
    """A cue; its text may have two lines."""

    start_ms: int
    end_ms: int
    text: str


def main() -> None:
    """Write the files, index them in turns, print a table."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("--hours", type=int, default=100)
    parse.add_argument("--rounds", type=int, default=3)
    parse.add_argument("--formats", nargs="+", choices=[*WRITERS, "mesh"])
    parse.add_argument("--folder", type=Path, help="keep everything there")
    parse.add_argument("--json", action="store_true")
    args = parse.parse_args()
    formats = args.formats or [*WRITERS, "mesh"]
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        for name in formats:
            if not (folder / name).exists():
                write(folder / name, name, args.hours)
        found = {name: measured(folder, name) for name in formats}
        for _ in range(1, args.rounds):
            for name in formats:
                found[name] = min(found[name], measured(folder, name), key=lambda one: one["cpu_s"])
    print(json.dumps(found, indent=1) if args.json else table(found))


def measured(folder: Path, name: str) -> dict[str, Any]:
    """Index the files of one format once."""
    index = folder / f"{name}-index"
    return {**stage("parse", str(folder / name), str(index)), "digest": tree_digest(index)}


def table(found: dict[str, dict[str, Any]]) -> str:
    """The results as Markdown."""
    mesh = found.get("mesh", {}).get("times_real_time")
    lines = ["| input | times real time | ... of mesh files | CPU s | hours | GB | index |"]
    lines += ["|---|---|---|---|---|---|---|"]
    for name, one in found.items():
        ratio = f"{one['times_real_time'] / mesh:.2f}" if mesh else ""
        lines.append(
            f"| {name} | {one['times_real_time']:,.0f} | {ratio} | {one['cpu_s']:.2f} "
            f"| {one['hours']:.0f} | {one['peak_memory_gb']:.2f} | {one['digest']} |"
        )
    return "\n".join(lines)


def write(folder: Path, name: str, hours: int) -> None:
    """Write recordings of an hour each."""
    if name == "mesh":
        synthetic.write(min(hours, MESH_HOURS), folder, name)
        return
    folder.mkdir(parents=True)
    rng = np.random.default_rng(1)
    words = np.array(synthetic.words())
    for hour in range(hours):
        path = folder / f"TAPE_{hour:05d}.{name}"
        with path.open("w", encoding="utf-8", newline="\n") as stream:
            for line in WRITERS[name](list(captions(rng, words))):
                stream.write(line)


def captions(rng: np.random.Generator, words: np.ndarray) -> Iterator[Caption]:
    """Yield the captions of an hour, one after the other."""
    ends_ms = np.cumsum(rng.integers(3000, 5001, 2 * HOUR_MS // 3000))
    ends_ms = ends_ms[ends_ms <= HOUR_MS]
    bounds = np.concatenate([[0], np.rint(ends_ms * WORDS_PER_S / 1000)]).astype(np.int64)
    cumulative = np.cumsum(1 / np.arange(1, len(words) + 1))
    ranks = np.searchsorted(cumulative, rng.random(bounds[-1]) * cumulative[-1])
    tokens = sentences(words[ranks].tolist(), rng)
    start_ms = 0
    for first, last, end_ms in zip(bounds, bounds[1:], ends_ms.tolist(), strict=False):
        middle = (first + last) // 2
        lines = [" ".join(tokens[first:middle]), " ".join(tokens[middle:last])]
        yield Caption(start_ms, end_ms - 40, "\n".join(lines))
        start_ms = end_ms


def sentences(words: list[str], rng: np.random.Generator) -> list[str]:
    """Words with capitals and punctuation."""
    ends = (rng.random(len(words)) < 1 / WORDS_PER_SENTENCE).tolist()
    commas = (rng.random(len(words)) < 1 / WORDS_PER_SENTENCE).tolist()
    tokens, begins = [], True
    for word, end, comma in zip(words, ends, commas, strict=True):
        token = word.capitalize() if begins else word
        tokens.append(f"{token}." if end else f"{token}," if comma else token)
        begins = end
    return tokens


def clock(time_ms: int, mark: str) -> str:
    """Return a time as 00:00:01,500 or 00:00:01.500."""
    whole = str(timedelta(seconds=time_ms // 1000)).rjust(8, "0")
    return f"{whole}{mark}{time_ms % 1000:03d}"


def srt(some: list[Caption]) -> Iterator[str]:
    """SubRip's."""
    for number, one in enumerate(some, start=1):
        times = f"{clock(one.start_ms, ',')} --> {clock(one.end_ms, ',')}"
        yield f"{number}\n{times}\n{one.text}\n\n"


def vtt(some: list[Caption]) -> Iterator[str]:
    """WebVTT."""
    yield "WEBVTT\n\n"
    for one in some:
        yield f"{clock(one.start_ms, '.')} --> {clock(one.end_ms, '.')}\n{one.text}\n\n"


def ttml(some: list[Caption]) -> Iterator[str]:
    """TTML."""
    yield '<tt xmlns="http://www.w3.org/ns/ttml" xml:lang="en"><body><div>\n'
    for one in some:
        times = f'begin="{clock(one.start_ms, ".")}" end="{clock(one.end_ms, ".")}"'
        yield f"<p {times}>{one.text.replace(chr(10), '<br/>')}</p>\n"
    yield "</div></body></tt>\n"


def csv_rows(some: list[Caption]) -> Iterator[str]:
    """A table in seconds."""

    class Line:
        write = staticmethod(str)

    writer = csv.writer(Line, lineterminator="\n")
    yield "start,end,text\n"
    for one in some:
        row = (one.start_ms / 1000, one.end_ms / 1000, one.text.replace("\n", " "))
        yield writer.writerow(row)  # type: ignore[misc]  # what the file's write returns


def tsv(some: list[Caption]) -> Iterator[str]:
    """Whisper's table."""
    yield "start\tend\ttext\n"
    for one in some:
        text = one.text.replace("\n", " ")
        yield f"{one.start_ms}\t{one.end_ms}\t{text}\n"


def rows(some: list[Caption]) -> Iterator[str]:
    """Plain JSON."""
    cues = [
        {"start": one.start_ms / 1000, "end": one.end_ms / 1000, "text": one.text} for one in some
    ]
    yield json.dumps(cues, indent=1)


WRITERS: dict[str, Callable[[list[Caption]], Iterator[str]]] = {
    "srt": srt,
    "vtt": vtt,
    "ttml": ttml,
    "csv": csv_rows,
    "tsv": tsv,
    "json": rows,
}


if __name__ == "__main__":
    main()
