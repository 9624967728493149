"""How long an example takes in 100 hours of simulated frames.

    python -m benchmarks.larger_examples SOUND [--hours 100] [--lengths 0.5 1 2] [--runs 5]

The recordings of SOUND are repeated, each time with other signs turned, so that only recordings of
one repetition resemble each other. The index of them is a folder; each search begins when the index
is open and ends with the hits and their probabilities. Printed for each length: wall time and CPU
time of the first search, which may read from the disk, and of each the least of the others.
"""

import argparse
import tempfile
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np

from indexer import index_files
from searcher import ExampleTerm, Index, open_index
from std.execution.cost import Stopwatch
from std.sound.columns import Sound
from std.sound.files import header, read_sound, sound_name
from std.system import cores
from std.values import Recording, Term

MARGIN_S = 5.0  # from the beginning of the recording to the example


def simulate(sound: Path, folder: Path, hours: float) -> list[Sound]:
    """Write the sound of as many hours; return that of the recordings which are repeated."""
    sounds = [read_sound(path) for path in sorted(sound.glob("**/*.sound"))]
    draw, left_s = np.random.default_rng(1), hours * 3600
    for number in count():
        turned = draw.integers(0, 256, 32, dtype=np.uint8)
        for one in sounds:
            recording = Recording(f"{one.recording.file}_{number}", 1)
            copy = replace(one, recording=recording, stored=one.stored ^ turned)
            (folder / sound_name(recording)).write_bytes(header(copy) + copy.stored.tobytes())
            left_s -= one.end_ms / 1000
            if left_s < 0:
                return sounds
    raise AssertionError("never reached")


def search(index: Index, example: str) -> tuple[float, float]:
    """Wall time and CPU time of an example."""
    watch = Stopwatch()
    index.find_examples([ExampleTerm(Term("T1", "T1"), (example,))], mode="adhoc")
    seconds, cpu_s, _ = watch.cost()
    return seconds, cpu_s


def main() -> None:
    """Simulate the frames, index them, and search examples of each length."""
    parse = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parse.add_argument("sound", type=Path)
    parse.add_argument("--hours", type=float, default=100)
    parse.add_argument("--lengths", type=float, nargs="+", default=[0.5, 1, 2])
    parse.add_argument("--runs", type=int, default=5)
    args = parse.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, store = Path(name) / "sound", Path(name) / "index"
        folder.mkdir()
        sounds = simulate(args.sound, folder, args.hours)
        longest = max(sounds, key=len).recording.file
        index_files(folder, store)
        search(open_index(store), f"{longest}_0@{MARGIN_S}-{MARGIN_S + 1}")  # compiles
        for length_s in args.lengths:
            index = open_index(store)
            example = f"{longest}_0@{MARGIN_S}-{MARGIN_S + length_s}"
            first, *others = [search(index, example) for _ in range(1 + args.runs)]
            wall_s, cpu_s = map(min, zip(*others, strict=True))
            print(
                f"{args.hours:g} h, {cores()} cores, example of {length_s:g} s: first "
                f"{first[0]:.2f} s ({first[1]:.2f} s CPU), then {wall_s:.2f} s ({cpu_s:.2f} s CPU)",
                flush=True,
            )


if __name__ == "__main__":
    main()
