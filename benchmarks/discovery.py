"""Measure CPU time and memory of std-discovery on generated corpora of several sizes.

    python benchmarks/discovery.py                     every profile at every size
    python benchmarks/discovery.py --write DIR         only write the largest corpus, as files

The corpus imitates read speech: talkers, utterances between silences, words from a Zipfian
lexicon of phone sequences, phones of 30 to 150 ms. The system finds words with errors: edges moved
by up to 40 ms, some fragments in a wrong class, frequent words in classes of thousands. So the
number of pairs grows with the square of the corpus; the time should not.

Each measurement is a separate process; CPU seconds include imports and reading, memory is the
peak resident size of the process.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

SIZES = {"mandarin": (65_000, 27_000), "buckeye": (223_000, 70_000), "double": (446_000, 140_000)}
PROFILES = ("zrc2017", "zrc2015", "definition")


def make(folder: Path, phones: int, fragments: int, seed: int = 1) -> int:
    """Write gold.phn, gold.wrd and disc.class; returns the number of pairs within classes."""
    rng = random.Random(seed)
    symbols = [chr(ord("a") + i) for i in range(26)] + [chr(ord("A") + i) for i in range(14)]
    lexicon = ["".join(rng.choices(symbols, k=rng.randint(1, 8))) for _ in range(4_000)]
    weights = [1 / (rank + 0.6) for rank in range(len(lexicon))]
    now, file, count = 0, "s00", 0
    words: list[tuple[str, int, int, int]] = []
    with (folder / "gold.phn").open("w") as phn, (folder / "gold.wrd").open("w") as wrd:
        while count < phones:
            if now > 600_000:
                file, now = f"s{int(file[1:]) + 1:02}", 0
            pause = rng.randint(100, 900)
            phn.write(f"{file} {now / 1000} {(now + pause) / 1000} SIL\n")
            now += pause
            for which in rng.choices(range(len(lexicon)), weights, k=rng.randint(2, 12)):
                start = now
                for symbol in lexicon[which]:
                    end = now + rng.randint(30, 150)
                    phn.write(f"{file} {now / 1000} {end / 1000} {symbol}\n")
                    now = end
                    count += 1
                wrd.write(f"{file} {start / 1000} {now / 1000} w{which}\n")
                words.append((file, start, now, which))
    classes: dict[int, list[str]] = {}
    for file, start, end, which in rng.sample(words, min(fragments, len(words))):
        if rng.random() < 0.2:
            which = rng.randrange(len(lexicon))
        onset, offset = start + rng.randint(-40, 40), end + rng.randint(-40, 40)
        onset = max(onset, 0)
        offset = max(offset, onset + 20)
        classes.setdefault(which, []).append(f"{file} {onset / 1000} {offset / 1000}\n")
    with (folder / "disc.class").open("w") as out:
        for number, members in enumerate(classes.values()):
            out.write(f"Class {number}\n{''.join(members)}\n")
    return sum(len(one) * (len(one) - 1) // 2 for one in classes.values())


def score(folder: Path, profile: str) -> None:
    """Score one corpus and print what it took; runs in a separate process."""
    from scoring.discovery.cli import main

    stdout, sys.stdout = sys.stdout, open(os.devnull, "w")  # noqa: PTH123, SIM115
    files = {"phones": "gold.phn", "words": "gold.wrd", "classes": "disc.class"}
    args = [part for key, name in files.items() for part in (f"--{key}", str(folder / name))]
    status = main([*args, "--profile", profile, "--json", "--quiet"])
    sys.stdout = stdout
    usage = resource.getrusage(resource.RUSAGE_SELF)
    took = usage.ru_utime + usage.ru_stime
    print(json.dumps([status, took, usage.ru_maxrss / 1024]))


def measure(folder: Path, profile: str) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of one run."""
    # -P: this folder's own scoring.py must not stand in for the package
    command = [sys.executable, "-P", __file__, "--score", str(folder), profile]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    out = subprocess.run(
        command, check=True, capture_output=True, text=True, env=environment
    ).stdout
    status, cpu_s, memory_mb = json.loads(out)
    if status:
        raise SystemExit(f"{profile} on {folder} failed")
    return cpu_s, memory_mb


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", type=Path, metavar="DIR")
    parser.add_argument("--score", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.score:
        score(Path(args.score[0]), args.score[1])
        return
    if args.write:
        args.write.mkdir(parents=True, exist_ok=True)
        print(make(args.write, *SIZES["double"]), "pairs")
        return
    print(f"{'corpus':10}{'phones':>9}{'fragments':>11}{'pairs':>13}  {'profile':12}", end="")
    print(f"{'CPU s':>7}{'MB':>6}")
    for name, (phones, fragments) in SIZES.items():
        with tempfile.TemporaryDirectory() as folder:
            pairs = make(Path(folder), phones, fragments)
            for profile in PROFILES:
                cpu_s, memory_mb = measure(Path(folder), profile)
                print(f"{name:10}{phones:9}{fragments:11}{pairs:13}  {profile:12}", end="")
                print(f"{cpu_s:7.2f}{memory_mb:6.0f}", flush=True)


if __name__ == "__main__":
    main()
