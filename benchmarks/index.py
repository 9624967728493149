"""Measure the cost of making, storing and searching an index, from 10 hours of speech on.

    python -m benchmarks.index [--hours 10 100] [--parse-hours 5] [--folder DIR] [--json]

Each line is measured in a separate process on one core: CPU seconds, because other processes of a
shared machine change wall seconds; peak memory as the kernel counts it, mapped files included.

    parse    std-index's pipeline on files of each format: parse, prune, invert, merge, commit
    build    the same from networks in memory, for more hours than there are files: invert,
             merge, commit; making the networks is not counted
    search   benchmarks.search
    fts      for comparison, SQLite FTS5 over the likeliest words, a row per utterance
"""

import argparse
import json
import os
import platform
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks import synthetic

FORMATS = ("mesh", "jsonl")
HOURS_AT_ONCE = 10


def main() -> None:
    """Run all stages, or the one that a child process was started for."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("--hours", type=int, nargs="+", default=[10, 100])
    parse.add_argument("--parse-hours", type=float, default=5)
    parse.add_argument("--folder", type=Path, help="keep everything there")
    parse.add_argument("--json", action="store_true")
    parse.add_argument("--stage", nargs="+", help=argparse.SUPPRESS)
    args = parse.parse_args()
    if args.stage:
        name, *rest = args.stage
        print(json.dumps(STAGES[name](*rest)))
        return
    with tempfile.TemporaryDirectory() as temporary:
        found = run(args.folder or Path(temporary), args.hours, args.parse_hours)
    print(json.dumps(found, indent=1) if args.json else table(found))


def run(folder: Path, hours: list[int], parse_hours: float) -> dict[str, Any]:
    """All stages; the results by stage and hours."""
    found: dict[str, Any] = {"machine": machine(), "command": " ".join(sys.orig_argv)}
    for name in FORMATS:
        synthetic.write(parse_hours, folder / name, name)
        index = folder / f"{name}-index"
        found[f"parse {name}"] = stage("parse", str(folder / name), str(index))
    for h in hours:
        index, fts = str(folder / f"index-{h}"), str(folder / f"fts-{h}.sqlite")
        found[f"build {h}"] = stage("build", str(h), index)
        found[f"fts {h}"] = stage("fts", str(h), fts)
        found[f"search {h}"] = stage("search", index, fts)
    return found


def stage(*arguments: str) -> dict[str, Any]:
    """Run one stage in a separate process."""
    command = [sys.executable, "-m", "benchmarks.index", "--stage", *arguments]
    print("...", *arguments, file=sys.stderr)
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def parse_files(inputs: str, index: str) -> dict[str, Any]:
    """The indexer as std-index runs it with one job, after its modules are loaded."""
    from indexer.build import build
    from indexer.maintain import upkeep
    from std.config import Config
    from std.store import open_store

    paths = sorted(Path(inputs).iterdir())
    fresh(Path(index))
    store = open_store(index, create=True)
    begin, wall = time.process_time(), time.perf_counter()
    with store.writing():
        report = build(paths, [store], Config())
    upkeep([store])
    cpu, wall = time.process_time() - begin, time.perf_counter() - wall
    return {
        "hours": report.speech_s / 3600,
        "cpu_s": cpu,
        "wall_s": wall,
        "times_real_time": report.speech_s / cpu,
        "input_mb": sum(path.stat().st_size for path in paths) / 1e6,
        "peak_memory_gb": peak_memory_gb(),
    }


def build_index(hours: str, index: str) -> dict[str, Any]:
    """Segments straight from networks, then merged as far as they may be."""
    from indexer.maintain import upkeep
    from indexer.segments.invert import invert
    from std.config import Config
    from std.store import open_store

    config = Config()
    fresh(Path(index))
    store = open_store(index, create=True)
    made = synthetic.networks(float(hours))
    spent = dict.fromkeys(("invert", "commit", "merge"), 0.0)
    wall = time.perf_counter()
    with store.writing():
        while some := list(islice(made, HOURS_AT_ONCE * synthetic.UTTERANCES_PER_HOUR)):
            begin = time.process_time()
            columns = invert(some, config.text)
            middle = time.process_time()
            store.commit([columns], normalisation=config.text)
            spent["invert"] += middle - begin
            spent["commit"] += time.process_time() - middle
    before_merge_gb = peak_memory_gb()
    begin = time.process_time()
    upkeep([store], everything=True)
    spent["merge"] = time.process_time() - begin
    segments = store.segments()
    size = sum(path.stat().st_size for path in Path(index).rglob("*") if path.is_file())
    cpu = sum(spent.values())
    return {
        **{f"{name}_cpu_s": value for name, value in spent.items()},
        "wall_with_making_s": time.perf_counter() - wall,
        "times_real_time": 3600 * float(hours) / cpu,
        "postings": sum(int(one.counts().sum()) for one in segments),
        "segments": len(segments),
        "mb_per_hour": size / 1e6 / float(hours),
        "peak_memory_before_merge_gb": before_merge_gb,
        "peak_memory_gb": peak_memory_gb(),
    }


def build_fts(hours: str, path: str) -> dict[str, Any]:
    """The likeliest word of each slot, as rows of text."""

    def rows() -> Iterator[tuple[str]]:
        nonlocal making
        begin = time.process_time()
        for network in synthetic.networks(float(hours)):
            best = (max(slot.alternatives, key=lambda a: a.posterior).word for slot in network)
            text = " ".join(best)
            making += time.process_time() - begin
            yield (text,)
            begin = time.process_time()

    making = 0.0
    Path(path).unlink(missing_ok=True)
    begin = time.process_time()
    database = sqlite3.connect(path)
    database.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='unicode61')")
    database.executemany("INSERT INTO said(text) VALUES (?)", rows())
    database.commit()
    database.execute("INSERT INTO said(said) VALUES('optimize')")
    database.commit()
    database.close()
    return {
        "cpu_s": time.process_time() - begin - making,
        "mb_per_hour": Path(path).stat().st_size / 1e6 / float(hours),
    }


def search_index(index: str, fts: str) -> dict[str, Any]:
    """Ask the index and the database; the files are asked to leave the page cache first."""
    from benchmarks.search import figures

    return figures(index, Path(fts), cold=True)


STAGES = {"parse": parse_files, "build": build_index, "fts": build_fts, "search": search_index}


def table(found: dict[str, Any]) -> str:
    """The results as Markdown, hours side by side."""
    lines = [f"Machine: {found['machine']}", f"Command: `{found['command']}`", ""]
    lines += ["| from files, one core | times real time | CPU s | hours | input MB | peak GB |"]
    lines += ["|---|---|---|---|---|---|"]
    for name in FORMATS:
        one = found[f"parse {name}"]
        lines.append(
            f"| {name} | {one['times_real_time']:,.0f} | {one['cpu_s']:.2f} | {one['hours']:.0f} "
            f"| {one['input_mb']:.0f} | {one['peak_memory_gb']:.2f} |"
        )
    for name in ("build", "fts", "search"):
        columns = {key: one for key, one in found.items() if key.split()[0] == name}
        lines += ["", "| | " + " | ".join(f"{key} h" for key in columns) + " |"]
        lines += ["|---|" + "---|" * len(columns)]
        for figure in next(iter(columns.values())):
            cells = " | ".join(f"{one[figure]:,.4g}" for one in columns.values())
            lines.append(f"| {figure} | {cells} |")
    return "\n".join(lines)


def machine() -> str:
    """What this ran on."""
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, Python {platform.python_version()}"


def fresh(folder: Path) -> None:
    """Remove what an earlier run left."""
    shutil.rmtree(folder, ignore_errors=True)


def peak_memory_gb() -> float:
    """Largest resident set of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


if __name__ == "__main__":
    main()
