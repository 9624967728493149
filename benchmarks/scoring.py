"""Measure CPU seconds and peak memory of ``std-score`` on generated evaluations.

    python benchmarks/scoring.py                    10 h, 1,000 terms, 100,000 hits
    python benchmarks/scoring.py --hours 1000 --terms 10000 --hits 10000000

The input is generated: words of a Zipf vocabulary follow each other at three per second, and a
tenth of the hits lie on an occurrence. Files are written to --folder and kept there, otherwise to a
temporary folder. NIST's own scorer took 215 CPU s and 254 MB for the first size.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

WORDS_PER_SECOND = 3
FILE_S = 300.0
VOCABULARY = 100_000
REFERENCE_CPU_S, REFERENCE_MB = 215, 254  # F4DE 3.5.0 on 10 h, 1,000 terms, 100,000 hits


def generate(folder: Path, hours: float, terms: int, hits: int, seed: int) -> None:
    """Write ecf.xml, ref.rttm, terms.xml and hits.xml."""
    random = np.random.default_rng(seed)
    files = max(1, round(hours * 3600 / FILE_S))
    words = int(files * FILE_S * WORDS_PER_SECOND)
    weight = 1 / np.arange(1, VOCABULARY + 1)
    word = random.choice(VOCABULARY, words, p=weight / weight.sum())
    file_of = np.repeat(np.arange(files), -(-words // files))[:words]
    start_s = (np.arange(words) % (words // files)) / WORDS_PER_SECOND

    with (folder / "ecf.xml").open("w") as out:
        out.write(f'<ecf source_signal_duration="{files * FILE_S}" language="x" version="1">\n')
        for i in range(files):
            out.write(
                f'<excerpt audio_filename="f{i}.sph" channel="1" tbeg="0" dur="{FILE_S + 10}" '
                'source_type="bnews"/>\n'
            )
        out.write("</ecf>\n")
    with (folder / "ref.rttm").open("w") as out:
        for w, f, s in zip(word.tolist(), file_of.tolist(), start_s.tolist(), strict=True):
            out.write(f"LEXEME f{f} 1 {s:.3f} 0.300 w{w} lex s{f} <NA>\n")
    # Content words, each said at most a few hundred times; a third of the terms are pairs of words.
    _, first, times = np.unique(word, return_index=True, return_counts=True)
    first = first[(times <= 30 * max(hours / 10, 1)) & (first < words - 1)]
    at = random.choice(first, terms, replace=len(first) < terms)
    chosen = [(f"w{word[i]}" if k % 3 else f"w{word[i]} w{word[i + 1]}") for k, i in enumerate(at)]
    with (folder / "terms.xml").open("w") as out:
        out.write(
            '<kwlist ecf_filename="ecf.xml" language="x" encoding="UTF-8" '
            'compareNormalize="lowercase" version="1">\n'
        )
        for k, text in enumerate(chosen):
            out.write(f'<kw kwid="T{k}"><kwtext>{text}</kwtext></kw>\n')
        out.write("</kwlist>\n")
    per_term = hits // terms
    by_word = np.argsort(word, kind="stable")
    sorted_word = word[by_word]
    with (folder / "hits.xml").open("w") as out:
        out.write('<kwslist kwlist_filename="terms.xml" language="x" system_id="made up">\n')
        for k in range(terms):
            n_true = max(1, per_term // 10)
            low = np.searchsorted(sorted_word, word[at[k]])
            places = by_word[low : low + n_true]
            places = places[word[places] == word[at[k]]]
            begins = np.concatenate([start_s[places], random.uniform(0, FILE_S, per_term)])
            where = np.concatenate([file_of[places], random.integers(files, size=per_term)])
            scores = random.random(len(begins))
            out.write(f'<detected_kwlist kwid="T{k}" search_time="0" oov_count="0">\n')
            out.writelines(
                f'<kw file="f{f}" channel="1" tbeg="{b:.3f}" dur="0.3" score="{s:.6f}" '
                f'decision="{"YES" if s > 0.5 else "NO"}"/>\n'
                for f, b, s in zip(
                    where[:per_term].tolist(), begins.tolist(), scores.tolist(), strict=False
                )
            )
            out.write("</detected_kwlist>\n")
        out.write("</kwslist>\n")


def measure(folder: Path, *options: str) -> tuple[float, float, float]:
    """Run ``std-score`` in a separate process: CPU s, wall s, peak MB."""
    command = [
        *(sys.executable, "-c", "import sys; from scoring.cli import main; sys.exit(main())"),
        *(str(folder / "hits.xml"), "--ecf", str(folder / "ecf.xml"), "--quiet"),
        *("--rttm", str(folder / "ref.rttm"), "--terms", str(folder / "terms.xml"), *options),
    ]
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    wall_s = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu_s, wall_s, after.ru_maxrss / 1024


def main() -> None:
    """Generate, run, print one line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hours", type=float, default=10)
    parser.add_argument("--terms", type=int, default=1000)
    parser.add_argument("--hits", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="keep the input here, use it if it is there")
    parser.add_argument("--output", action="store_true", help="with every table and plot")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / "hits.xml").exists():
            generate(folder, args.hours, args.terms, args.hits, args.seed)
        options = ["--output", f"{temporary}/scores"] if args.output else ["--json"]
        cpu_s, wall_s, peak_mb = measure(folder, *options)
    print(f"{args.hours:g} h, {args.terms:,} terms, {args.hits:,} hits: ", end="")
    print(f"{cpu_s:.2f} CPU s, {wall_s:.2f} s, {peak_mb:.0f} MB", end="")
    if (args.hours, args.terms, args.hits) == (10, 1000, 100_000):
        print(
            f"; NIST's scorer {REFERENCE_CPU_S} CPU s, {REFERENCE_MB} MB: "
            f"{REFERENCE_CPU_S / cpu_s:.0f} times the CPU time, "
            f"{REFERENCE_MB / peak_mb:.1f} times the memory",
            end="",
        )
    print()


if __name__ == "__main__":
    main()
