"""Measure phonetic search of a word in a large archive: time, size, and recall of its seeds.

    python -m benchmarks.phonetic_speed WORDS [--hours 100 1000] [--alternatives 2.6]
        [--speech FOLDER]

WORDS has one word a line, frequent words first (gzip or plain), as a recogniser's vocabulary.
Networks are drawn from it with probability 1/(rank + 10), 9,000 slots an hour, word durations
proportional to their letters. They measure time and size, not accuracy. Times are CPU milliseconds
of searching one word in all networks, after loading and compiling: seeds, extension scores, and the
alignment of the best places.

With ``--speech`` (a folder as for `benchmarks.german`) real networks are inserted into the drawn
ones. The words said there that WORDS lacks are searched twice: near seeds, and by aligning
everything. Printed are the number of true places among the best hits, and the time of each.
"""

import argparse
import gzip
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np

import searcher.phonetic.search
from benchmarks.german import Data, read
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.segments.phone_columns import phone_columns
from searcher.phonetic.index import open_phonetic_index
from searcher.phonetic.ratios import MIN_PHONES, confusion_log_ratios
from searcher.phonetic.search import search_phones
from searcher.tuning.labels import correct_hits, find_occurrences, make_transcript
from std.config import Config
from std.phonetics.confusion import empty
from std.phonetics.g2p import converter
from std.phonetics.lexicon import Lexicon
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


def recall(drawn: SegmentColumns, data: Data, ranked: list[str], lexicon: Lexicon) -> None:
    """Print how many true places of unknown words are among the best 1, 5 and 60 hits."""
    parts = [ResidentSegment(str(i), one) for i, one in enumerate((invert(data.networks), drawn))]
    index = open_phonetic_index(
        ResidentSegment("all", merged(parts, partial(phone_columns, lexicon=lexicon)))
    )
    assert index is not None
    recordings = [one.recording for one in index.columns.recordings]
    said = make_transcript(data.lexemes, recordings, Config().text)
    unknown = sorted({*said.words}.difference(ranked, index.words))
    ways = dict(zip(unknown, lexicon.pronunciations(unknown), strict=True))
    queries = {word: some[0] for word, some in ways.items() if some and len(some[0]) >= MIN_PHONES}
    confusion = confusion_log_ratios(empty([]), [index], list(queries.values()))
    places = sum(len(find_occurrences(said, [[word]])) for word in queries)
    for name, limit in (("near seeds", 0), ("everything", 10**12)):
        with mock.patch.object(searcher.phonetic.search, "FULL_SCAN_ARCS", limit):
            found = np.zeros(3, int)
            begin = time.process_time()
            for word, phones in queries.items():
                hits = search_phones([phones], [index], confusion)[phones]
                right = correct_hits(
                    np.zeros_like(hits.recording), hits.recording, hits.start_ms, hits.end_ms,
                    hits.measures[:, 0], find_occurrences(said, [[word]]),
                )  # fmt: skip
                found += [np.count_nonzero(right[:n]) for n in (1, 5, 60)]
            spent_ms = 1000 * (time.process_time() - begin) / len(queries)
        print(
            f"{name}: of {places} places {found.tolist()} among 1, 5, 60; {spent_ms:.0f} ms a word"
        )


def main() -> None:
    """Print a table."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("words", type=Path)
    parse.add_argument("--hours", type=float, nargs="+", default=[100.0])
    parse.add_argument("--alternatives", type=float, default=2.6)
    parse.add_argument("--speech", type=Path)
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
        index = open_phonetic_index(ResidentSegment("all", replace(plain, extra=extra)))
        assert index is not None
        queries = [ways[0] for ways in lexicon.pronunciations(QUERIES)]
        confusion = confusion_log_ratios(empty([]), [index], queries)
        search_phones(queries[:1], [index], confusion)  # compiles
        times = []
        for query in queries:
            begin = time.process_time()
            search_phones([query], [index], confusion)
            times.append(1000 * (time.process_time() - begin))
        size = sum(column.nbytes for column in extra.values()) / 1e6
        print(
            f"| {hours:g} | {len(plain.posting_start_ms):,} | {size:.0f} MB | {made_s:.1f} s | "
            f"{np.median(times):.0f} ms | {max(times):.0f} ms |"
        )
        if args.speech:
            recall(plain, read(args.speech), ranked, lexicon)


if __name__ == "__main__":
    main()
