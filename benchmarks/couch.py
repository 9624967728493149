"""Compare a CouchDB index with a folder: writing and searching, by turns in one run.

    python -m benchmarks.couch couchdb://127.0.0.1:5984/bench [--hours 100] [--server PID]

The synthetic networks are inverted once, for both stores.

    index         commits 10 hours at a time and merges everything at the end
    search        opens the store and searches the 1,000 terms of `benchmarks.search` with
                  ``configs/plain.toml``
    again         searches the same open store once more
    phrase        the phrases of `benchmarks.search`, one after the other in an open store
    first phrase  each phrase in a separate store whose vocabulary has been read

Phrases are printed in median milliseconds, with requests and kB received (mean and median). The
others are printed as best and median of the rounds: wall seconds, CPU seconds of this process, and
of the server if its process id is given. The databases URL-0, URL-1 ... must not exist; they are
dropped at the end.
"""

import argparse
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

from benchmarks import synthetic
from benchmarks.index import HOURS_AT_ONCE
from benchmarks.search import BATCH, PHRASES, find, ranks, said_phrases, timed
from indexer.maintain import upkeep
from indexer.segments.invert import invert
from std.store import Segment, Store, open_store
from std.store.columns import SegmentColumns
from std.store.couchdb.database import Database
from std.text import Normalisation
from std.values import ConfusionNetwork

FIRST_PHRASES = 40  # each opens a separate store


class Spent(NamedTuple):
    """Seconds."""

    wall: float
    cpu: float
    server_cpu: float


def main() -> None:
    """Print the figures as JSON: for each stage and store, best and median seconds."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("url")
    parse.add_argument("--hours", type=int, default=100)
    parse.add_argument("--rounds", type=int, default=5)
    parse.add_argument("--server", type=int, metavar="PID", help="the server's process")
    args = parse.parse_args()
    watch = Watch(args.server)
    parts: list[SegmentColumns] = []
    networks = list(synthetic.networks(args.hours))
    spent = {"invert": [watch(lambda: parts.extend(inverted(networks)))]}
    notes: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(args.rounds):
            urls = {"folder": str(Path(folder) / "index"), "couchdb": f"{args.url}-{number}"}
            turn = sorted(urls, reverse=number % 2 == 0)
            for kind in turn:
                spent.setdefault(f"index {kind}", []).append(
                    watch(lambda url=urls[kind]: write(parts, url))
                )
            for kind in turn:
                for stage, seconds, found in searched(urls[kind], watch):
                    spent.setdefault(f"{stage} {kind}", []).append(seconds)
                    notes[f"{stage} {kind}"] = found
            phrases = of_folder(urls["folder"])
            for kind in turn:
                for stage, figures in phrase_by_phrase(urls[kind], phrases):
                    notes.setdefault(f"{stage} {kind}", []).append(figures)
            shutil.rmtree(urls["folder"])
            drop(urls["couchdb"])
    seconds = {stage: summary(rounds) for stage, rounds in sorted(spent.items())}
    print(json.dumps({"hours": args.hours, "seconds": seconds, "found": notes}, indent=1))


def inverted(networks: Sequence[ConfusionNetwork]) -> Iterator[SegmentColumns]:
    """The segments of all commits."""
    step = HOURS_AT_ONCE * synthetic.UTTERANCES_PER_HOUR
    for begin in range(0, len(networks), step):
        yield invert(networks[begin : begin + step], Normalisation())


def write(parts: Sequence[SegmentColumns], url: str) -> None:
    """Commit by commit, then merge."""
    store = open_store(url, create=True)
    with store.writing():
        for columns in parts:
            store.commit([columns], normalisation=Normalisation())
    upkeep([store], everything=True)
    store.close()


def searched(url: str, watch: "Watch") -> list[tuple[str, Spent, dict[str, int]]]:
    """A thousand terms from a store just opened, and once more."""
    words = synthetic.words()
    batch = [words[rank] for rank in ranks(BATCH, seed=8, low=100)]
    stores = []
    found = {}

    def first() -> None:
        stores.append(open_store(url))
        ask()

    def ask() -> None:
        before = stores[0].round_trips if found else 0
        segments = stores[0].segments()
        known = {word for one in segments for word in one.words()}
        hits = find(segments, [word for word in batch if word in known])
        found.update(hits=len(hits.candidates.term), round_trips=stores[0].round_trips - before)

    rows = []
    for stage, work in (("search", first), ("again", ask)):
        seconds = watch(work)
        rows.append((stage, seconds, dict(found)))
    stores[0].close()
    return rows


def of_folder(url: str) -> list[str]:
    """The same phrases for every store."""
    with closing(open_store(url)) as store:
        return said_phrases(store.segments(), PHRASES)


def phrase_by_phrase(url: str, phrases: Sequence[str]) -> list[tuple[str, dict[str, Any]]]:
    """What a phrase costs: in one store, and as the first one of a store."""
    with closing(open_store(url)) as store:
        segments = store.segments()
        together = [one_phrase(store, segments, phrase) for phrase in phrases]
    alone = []
    for phrase in phrases[:FIRST_PHRASES]:
        with closing(open_store(url)) as store:
            segments = store.segments()
            for one in segments:
                one.words()
            alone.append(one_phrase(store, segments, phrase))
    return [("phrase", costs(together)), ("first phrase", costs(alone))]


def one_phrase(store: Store, segments: Sequence[Segment], phrase: str) -> tuple[float, int, float]:
    """Milliseconds, requests, kB received."""
    database = getattr(store, "_database", None)
    before = (database.requests, database.received_bytes) if database else (0, 0)
    took_ms = timed(lambda: find(segments, [phrase]))
    after = (database.requests, database.received_bytes) if database else (0, 0)
    return took_ms, after[0] - before[0], (after[1] - before[1]) / 1000


def costs(phrases: Sequence[tuple[float, int, float]]) -> dict[str, Any]:
    """Medians, and means of what does not depend on the machine."""
    took_ms, requests, kilobytes = zip(*phrases, strict=True)
    return {
        "p50_ms": median(took_ms),
        "requests": [mean(requests), median(requests)],
        "kB": [mean(kilobytes), median(kilobytes)],
    }


class Watch:
    """Measures how long something takes, here and on the server."""

    def __init__(self, server: int | None) -> None:
        self._stat = Path(f"/proc/{server}/stat") if server else None

    def __call__(self, work: Callable[[], Any]) -> Spent:
        wall, cpu, server = time.perf_counter(), time.process_time(), self._server_s()
        work()
        return Spent(
            time.perf_counter() - wall, time.process_time() - cpu, self._server_s() - server
        )

    def _server_s(self) -> float:
        """The server's CPU seconds so far."""
        if self._stat is None:
            return 0.0
        ticks = self._stat.read_text().rpartition(")")[2].split()[11:13]
        return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


def summary(seconds: Sequence[Spent]) -> dict[str, list[float]]:
    """Best and median."""
    columns = {name: [getattr(one, name) for one in seconds] for name in Spent._fields}
    return {name: [min(column), median(column)] for name, column in columns.items()}


def drop(url: str) -> None:
    """Remove a database."""
    database = Database(url)
    database._request("DELETE", (), None, {})
    database.close()


if __name__ == "__main__":
    main()
