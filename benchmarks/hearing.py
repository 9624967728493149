"""How fast an unknown word is heard in a large archive.

    python -m benchmarks.hearing WORDS [--hours 100 1000] [--alternatives 2.6]

WORDS has one word a line, the frequent first (gzip or plain), as a recogniser's vocabulary does.
Networks are drawn from it with probability 1/(rank + 10), 9,000 slots an hour, words as long as
their letters; nothing is recognised here, so this measures time and size, never accuracy. Times
are CPU milliseconds of hearing one word in all the networks, once they are loaded and the kernels
compiled: seeds, their outlook, and the alignment of the best places.
"""

import argparse
import gzip
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from indexer.phones import phone_columns
from searcher.sound import hear, listening, open_sound
from std.confusion import empty
from std.g2p import converter
from std.lexicon import Lexicon
from std.store.columns import (
    KEY_SHIFT,
    IndexedRecording,
    SegmentColumns,
    first_slots,
    pack_vocabulary,
)
from std.store.resident import ResidentSegment
from std.values import Recording

SLOTS_PER_HOUR, SLOTS_PER_RECORDING, LETTER_MS = 9000, 900, 70
QUERIES = [
    "hahnenfedern",
    "salzach",
    "böotien",
    "radiohörspiel",
    "ungleichung",
    "polizeigewalt",
    "gesellschaftsabend",
    "kelchröhre",
    "hjalmar",
    "strumpfband",
    "skigebiets",
    "kuppelachse",
]


def columns(ranked: list[str], hours: float, alternatives: float, seed: int = 1) -> SegmentColumns:
    """A segment of so many hours."""
    rng = np.random.default_rng(seed)
    words = sorted(set(ranked))
    rank = {word: i for i, word in reversed(list(enumerate(ranked)))}
    cumulative = np.cumsum([1 / (rank[word] + 10) for word in words])
    letters = np.array([len(word) for word in words])
    n, v = int(hours * SLOTS_PER_HOUR), len(words)
    slot = np.repeat(np.arange(n), 1 + rng.poisson(alternatives - 1, n))
    word = np.minimum(np.searchsorted(cumulative, rng.random(len(slot)) * cumulative[-1]), v - 1)
    slot, word = np.divmod(np.unique(slot * v + word), v)
    first = np.r_[True, slot[1:] != slot[:-1]]
    duration = np.clip(letters[word[first]] * LETTER_MS, 80, 1500)
    recording = np.arange(n) // SLOTS_PER_RECORDING
    begin = np.cumsum(duration) - duration
    start = begin - begin[recording * SLOTS_PER_RECORDING]
    slot_key = (recording.astype(np.uint64) << KEY_SHIFT) | (start + duration // 2).astype(
        np.uint64
    )
    recordings = int(recording[-1]) + 1
    weight = rng.random(len(slot))
    order = np.argsort(word * n + slot, kind="stable")
    return SegmentColumns(
        tuple(
            IndexedRecording(Recording(f"TAPE_{i:05d}", 1), 360_000, 1) for i in range(recordings)
        ),
        pack_vocabulary(words),
        np.concatenate([[0], np.cumsum(np.bincount(word, minlength=v))]).astype(np.int64),
        start[slot][order].astype(np.uint32),
        duration[slot][order].astype(np.uint16),
        (weight / np.bincount(slot, weight)[slot])[order].astype(np.float32),
        slot[order].astype(np.int32),
        first_slots(slot_key, recordings),
        slot_key,
        np.zeros(n, np.float32),
        word[first].astype(np.int32),
    )


def main() -> None:
    """Print a table."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("words", type=Path)
    parse.add_argument("--hours", type=float, nargs="+", default=[100.0])
    parse.add_argument("--alternatives", type=float, default=2.6)
    args = parse.parse_args()
    opened = gzip.open if args.words.suffix == ".gz" else open
    with opened(args.words, "rt", encoding="utf-8") as stream:
        ranked = [line.split()[0] for line in stream if line.strip()]
    lexicon = Lexicon(converter("de"))
    print("| hours | alternatives | sound columns | made in | word: median | slowest |")
    print("|---|---|---|---|---|---|")
    for hours in args.hours:
        plain = columns(ranked, hours, args.alternatives)
        begin = time.process_time()
        extra = phone_columns(plain, lexicon)
        made_s = time.process_time() - begin
        index = open_sound(ResidentSegment("all", replace(plain, extra=extra)))
        assert index is not None
        queries = [ways[0] for ways in lexicon.pronunciations(QUERIES)]
        confusion = listening(empty([]), [index], queries)
        hear(queries[:1], [index], confusion)  # compiles
        times = []
        for query in queries:
            begin = time.process_time()
            hear([query], [index], confusion)
            times.append(1000 * (time.process_time() - begin))
        size = sum(column.nbytes for column in extra.values()) / 1e6
        print(
            f"| {hours:g} | {len(plain.posting_start_ms):,} | {size:.0f} MB | {made_s:.1f} s | "
            f"{np.median(times):.0f} ms | {max(times):.0f} ms |"
        )


if __name__ == "__main__":
    main()
