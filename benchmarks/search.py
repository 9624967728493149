"""Measure search times of an index: opening, single words, phrases, a thousand terms.

    python -m benchmarks.search INDEX [--fts FTS.sqlite] [--cold]

Single words and phrases are drawn with a logarithmic rank between 10 and 50,000 of the synthetic
vocabulary, a batch between 100 and 50,000: few are very frequent, as in the term lists of
evaluations. They are searched with ``configs/plain.toml``, the batch with the defaults as well.
``lookup`` reads the postings only; ``word``, ``phrase`` and ``batch`` are the whole search, to
detections with decisions and without duplicates. Times are wall seconds, because a look-up is too
short for CPU seconds. ``--cold`` asks the kernel to drop the files from memory first; it may not.
"""

import argparse
import json
import os
import resource
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import synthetic
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.results.search_result import SearchResult
from searcher.search import search
from std.config import Config, load_config
from std.store import Segment, open_store
from std.values import Term

SINGLES, PHRASES, BATCH = 300, 200, 1000
PLAIN = load_config(Path(__file__).parent.parent / "configs" / "plain.toml")


def main() -> None:
    """Print the figures as JSON."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("index")
    parse.add_argument("--fts", type=Path, help="made by benchmarks.index")
    parse.add_argument("--cold", action="store_true")
    args = parse.parse_args()
    print(json.dumps(figures(args.index, args.fts, cold=args.cold)))


def figures(index: str, fts: Path | None = None, *, cold: bool = False) -> dict[str, Any]:
    """All figures of one index; the database of one-best text beside it where there is one."""
    words = synthetic.words()
    singles = [words[rank] for rank in ranks(SINGLES)]
    batch = [words[rank] for rank in ranks(BATCH, seed=8, low=100)]
    if cold:
        forget(Path(index))
    begin = time.perf_counter()
    store = open_store(index)
    segments = store.segments()
    opened = time.perf_counter()
    found = {"segments": len(segments), "open_ms": 1000 * (opened - begin)}
    known = {word for one in segments for word in one.words()}
    singles, batch = ([word for word in some if word in known] for some in (singles, batch))
    found["first_word_ms"] = timed(lambda: find(segments, singles[:1]))
    found |= spread("word_lookup", [timed(lambda w=w: look_up(segments, w)) for w in singles])
    found |= spread("word", [timed(lambda w=w: find(segments, [w])) for w in singles])
    phrases = said_phrases(segments, PHRASES)
    found["first_phrase_ms"] = timed(lambda: find(segments, phrases[:1]))
    found |= spread("phrase", [timed(lambda p=p: find(segments, [p])) for p in phrases])
    found["batch_first_s"] = timed(lambda: find(segments, batch)) / 1000
    found["batch_s"] = min(timed(lambda: find(segments, batch)) for _ in range(3)) / 1000
    found["batch_default_s"] = timed(lambda: find(segments, batch, Config())) / 1000
    found["batch_lookup_s"] = timed(lambda: [look_up(segments, w) for w in batch]) / 1000
    found["batch_detections"] = len(find(segments, batch).candidates.term)
    found["peak_memory_gb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return found | (of_text(fts, singles, phrases, batch) if fts else {})


def ranks(n: int, seed: int = 7, low: int = 10) -> list[int]:
    """Distinct ranks between 10 and 50,000, evenly on a logarithmic scale."""
    rng = np.random.default_rng(seed)
    drawn = np.exp(rng.uniform(np.log(low), np.log(50_000), 3 * n)).astype(np.int64)
    distinct: list[int] = list(dict.fromkeys(drawn.tolist()))
    return distinct[:n]


def find(segments: Sequence[Segment], texts: Sequence[str], config: Config = PLAIN) -> SearchResult:
    """The whole search: merged, decided detections."""
    terms = [Term(str(i), text) for i, text in enumerate(texts)]
    return search(terms, prepare(segments, config), SearchedSpeech(None, 3600.0))


def look_up(segments: Sequence[Segment], word: str) -> int:
    """Only where a word may have been said: what a look-up in other engines gives."""
    return sum(len(one.key) for s in segments for one in s.postings([word]).values())


def said_phrases(segments: Sequence[Segment], n: int) -> list[str]:
    """Three words that follow each other in the likeliest text, the middle one not very rare."""
    slots = segments[0].slots(range(len(segments[0].recordings)))
    words = segments[0].words()
    places = np.random.default_rng(3).integers(0, len(slots.word) - 3, 4 * n)
    rows = [slots.word[i : i + 3].tolist() for i in places.tolist()]
    return [" ".join(words[i] for i in row) for row in rows if min(row) >= 0][:n]


def of_text(
    path: Path, singles: Sequence[str], phrases: Sequence[str], batch: Sequence[str]
) -> dict[str, float]:
    """The same queries to SQLite FTS5 over the likeliest text."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def match(text: str) -> int:
        return len(
            database.execute("SELECT rowid FROM said WHERE said MATCH ?", (f'"{text}"',)).fetchall()
        )

    match(singles[0])
    found = spread("fts_word", [timed(lambda w=w: match(w)) for w in singles])
    found |= spread("fts_phrase", [timed(lambda p=p: match(p)) for p in phrases])
    found["fts_batch_s"] = timed(lambda: [match(w) for w in batch]) / 1000
    found["fts_batch_hits"] = sum(match(w) for w in batch)
    return found


def timed(work: Callable[[], Any]) -> float:
    """Wall milliseconds."""
    begin = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - begin)


def spread(name: str, times_ms: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile, each query asked once."""
    p50, p95 = np.percentile(times_ms, [50, 95]).tolist()
    return {f"{name}_p50_ms": p50, f"{name}_p95_ms": p95}


def forget(folder: Path) -> None:
    """Take files out of the page cache."""
    for path in (one for one in folder.rglob("*") if one.is_file()):
        handle = os.open(path, os.O_RDONLY)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


if __name__ == "__main__":
    main()
