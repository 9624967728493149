"""How long a term takes in the phones heard in 100 and 1,000 hours of simulated speech.

    python -m benchmarks.larger_heard INDEX TERMS [--hours 100 1000] [--number 40]

INDEX has phones heard. Its slots, in runs of 30 in any order, make segments of 100 hours. The
terms are those of TERMS whose words the recogniser does not know. Printed for each size: slots,
and of a term in all its pronunciations the CPU time, least of `RUNS`: median, and nine tenths are
below; the first term of an archive, which lays it out, and learning what chance gives, are apart.
"""

import argparse
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np

from searcher.heard.places import HeardIndex
from searcher.heard.search import HeardArchive, heard_archive
from searcher.index.stores import recording_table
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.phonetic.ratios import pronounced
from std.config import Config
from std.files import read
from std.nist import term_file
from std.phonetics.phones import Pronunciation
from std.store import open_store

RUN = 30  # slots in their order
SEGMENT_H = 100
RUNS = 3


def drawn(indexes: Sequence[HeardIndex], hours: float, seed: int) -> HeardIndex:
    """A segment of runs of slots, in recordings of an hour."""
    one = indexes[0]
    random = np.random.default_rng(seed)
    lengths_ms = one.end_ms - one.begin_ms
    n_runs = int(hours * 3_600_000 / (RUN * lengths_ms.mean()))
    first = random.integers(0, len(lengths_ms) - RUN, n_runs)
    slots = (first[:, None] + np.arange(RUN)).ravel()
    held = np.diff(one.offsets)[slots]
    offsets = np.concatenate([[0], np.cumsum(held)])
    inside = np.arange(offsets[-1]) + np.repeat(one.offsets[slots] - offsets[:-1], held)
    end_ms = np.cumsum(lengths_ms[slots], dtype=np.int64)
    hour = np.concatenate([[0], np.flatnonzero(np.diff(end_ms // 3_600_000)) + 1, [len(slots)]])
    begins_ms = np.repeat(np.concatenate([[0], end_ms])[hour[:-1]], np.diff(hour))
    end_ms = (end_ms - begins_ms).astype(np.int32)
    return HeardIndex(
        one.tokens,
        np.arange(len(hour) - 1) + seed * 1000,
        np.stack([hour[:-1], hour[1:]], axis=1),
        end_ms - lengths_ms[slots],
        end_ms,
        one.empty[slots],
        offsets,
        one.token[inside],
        one.cost[inside],
    )


def cpu_s(archive: HeardArchive, ways: Sequence[Pronunciation]) -> float:
    """CPU seconds of a search."""
    begin = time.process_time()
    archive.find(ways)
    return time.process_time() - begin


def main(argv: Sequence[str] | None = None) -> int:
    """Measure archives of the sizes that are named."""
    parse = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parse.add_argument("index")
    parse.add_argument("terms", type=Path)
    parse.add_argument("--hours", type=int, nargs="+", default=[100, 1000])
    parse.add_argument("--number", type=int, default=40, help="of terms")
    args = parse.parse_args(argv)
    config = Config()
    with closing(open_store(args.index)) as store:
        segments = store.segments()
        table = recording_table(segments)
        phonetic, _ = open_phonetic_indexes(segments, table.row_of, config, None)
        archive = heard_archive(phonetic) if phonetic else None
        if archive is None or phonetic is None:
            raise SystemExit("expected an index with phones heard")
        known = {word for segment in segments for word in segment.counts()}
        terms = read(term_file.parse, args.terms).terms
        words = [config.text.phrase(term.text) for term in terms]
        unknown = [one for one in words if not known.issuperset(one)][: args.number]
        ways = [one for one in pronounced(unknown, phonetic.lexicon) if one]
        for hours in args.hours:
            parts = range(max(1, hours // SEGMENT_H))
            indexes = tuple(drawn(archive.indexes, hours / len(parts), i) for i in parts)
            large = HeardArchive(indexes, archive.chance)
            cpu_s(archive, ways[0])  # compiled
            first_s = cpu_s(large, ways[0])
            of_terms = [min(cpu_s(large, one) for _ in range(RUNS)) for one in ways]
            slots = sum(index.slots for index in indexes)
            median, most = np.percentile(of_terms, (50, 90)) * 1000
            print(
                f"{hours} h, {slots / 1e6:.1f} million slots, {len(ways)} terms: "
                f"median {median:.0f} ms, nine tenths below {most:.0f} ms, first {first_s:.1f} s"
            )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
