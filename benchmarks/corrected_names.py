"""Measure how many names of a list are put right in transcripts, and how many corrections are.

    python -m benchmarks.corrected_names SET [SET ...] [--sound FOLDER] [--jobs N]

A set is a folder with recogniser output (``mesh/`` or ``*.jsonl``), ``ref.rttm`` and ``terms.xml``;
its list of terms stands for the list of names. What `std-search --corrections` would write is
compared with the reference.

    corrections  places from a probability on where something else is written, and right ones: a
                 reference occurrence of the term is within half a second
    misspelt     reference occurrences of terms where the likeliest words of the index do not have
                 the term
    mended       misspelt ones that a right correction would put right
"""

import argparse
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from indexer import index_files
from searcher import open_index
from searcher.output.table import misspelt
from searcher.results.hits import Hit
from std.files import read
from std.matching.occurrences import Occurrences, find
from std.nist import term_file
from std.nist.rttm import parse
from std.values import TermList

TOLERANCE_S = 0.5
LEASTS = (0.9, 0.95, 0.8, 0.5)
MARGIN_S = 0.15  # around an occurrence, within which its words are


def measure(folder: Path, sound: Path | None, jobs: int) -> None:
    """Print a line for each least probability."""
    inputs = [folder / "mesh"] if (folder / "mesh").is_dir() else sorted(folder.glob("*.jsonl"))
    terms, said = read(term_file.parse, folder / "terms.xml"), read(parse, folder / "ref.rttm")
    occurrences = find(terms, said)
    with tempfile.TemporaryDirectory() as store:
        report = index_files(inputs, store, jobs=jobs, sound=sound)
        indexed = {one.file for one in report.recordings}
        with open_index(store) as index:
            hits = index.hits(index.search_terms(terms))
            rows = [
                row
                for row in range(len(occurrences))
                if occurrences.recordings[occurrences.recording[row]].file in indexed
            ]
            wrong = [row for row in rows if not _is_written(index, terms, occurrences, row)]
    for least in LEASTS:
        found = misspelt(hits, least)
        right = [_occurrence(hit, terms, occurrences) for hit in found]
        mended = len({row for row in right if row is not None} & {*wrong})
        n_right = sum(row is not None for row in right)
        print(
            f"{folder.parent.name}/{folder.name}  from {least:g}: {n_right} of {len(found)} "
            f"corrections right; {mended} of {len(wrong)} misspelt mended ({len(rows)} said)"
        )
        if least == LEASTS[0]:
            for hit, row in zip(found, right, strict=True):
                if row is None:
                    print(f"    {hit.file} {hit.start_s:.2f} {hit.likeliest} -> {hit.term}")


def _occurrence(hit: Hit, terms: TermList, all_of: Occurrences) -> int | None:
    """The reference occurrence of a hit's term at its place."""
    number = next(row for row, term in enumerate(terms.terms) if term.term_id == hit.term_id)
    middle_s = (all_of.start_s + all_of.end_s) / 2
    near = np.abs(middle_s - (hit.start_s + hit.duration_s / 2)) <= TOLERANCE_S
    file = np.array([one.file == hit.file for one in all_of.recordings])
    rows = np.flatnonzero(near & (all_of.term == number) & file[all_of.recording])
    return int(rows[0]) if len(rows) else None


def _is_written(index: object, terms: TermList, all_of: Occurrences, row: int) -> bool:
    """Whether the likeliest words at an occurrence have the term in them."""
    recording = all_of.recordings[all_of.recording[row]]
    begin_s, end_s = all_of.start_s[row] - MARGIN_S, all_of.end_s[row] + MARGIN_S
    words = index.words(recording.file, max(0.0, begin_s), end_s)  # type: ignore[attr-defined]
    written = "".join(word.word for word in words)
    return "".join(terms.terms[all_of.term[row]].text.lower().split()) in written


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the sets that are named."""
    parse = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parse.add_argument("sets", nargs="+", type=Path)
    parse.add_argument("--sound", type=Path, help="a folder with NAME.sound")
    parse.add_argument("--jobs", type=int, default=1)
    args = parse.parse_args(argv)
    for one in args.sets:
        measure(one, args.sound, args.jobs)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
