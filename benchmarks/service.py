"""Load a running service: known and unknown words, many users at once, many requests, a slow term.

    python -m benchmarks.service INDEX [--requests 10000] [--users 1 20 50]
    python -m benchmarks.service INDEX --other CHECKOUT [--rounds 3]    # the two by turns, ratios
    python -m benchmarks.service INDEX --by-sound    # of any index with phones: unknown words only
    python -m benchmarks.service INDEX --slow-queries    # beside slow queries and not
    python -m benchmarks.service INDEX --think-s 1 [--other CHECKOUT]    # users who read answers

Starts `std-serve` on a free port of the loopback over an index of synthetic networks
(`benchmarks.index` makes one) and ends it. Users are asyncio tasks of this process, each with one
connection that it keeps; all is bounded in count and time. Words are drawn with a logarithmic rank
as in `benchmarks.search`, so most requests of a run are not in the service's cache (``repeated``
asks for ten words again and again). On two cores this client takes a part of what it measures:
times are upper bounds. Ratios say more than milliseconds on a shared machine: ``--other`` asks this
checkout and another one for the same words by turns, and the load of the machine is in each figure.

A user asks again at once, so 20 users wait for each other: a closed loop measures what a request
costs, 20 times over. With ``--think-s`` users read each answer for a time, exponentially
distributed, as people do.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import numpy as np

from benchmarks import synthetic
from benchmarks.search import ranks
from searcher import open_index

MOST_S = 600  # of one run
READY_S = 120
UNKNOWN_WORDS = 30
WORDS = synthetic.words()[1:6]  # frequent ones
SLOW = tuple(  # each takes the whole time that a search has
    f"({WORDS[0]} NEAR/20s {WORDS[1]}) AND ({WORDS[0]} NEAR/{n}s {WORDS[n % 3 + 2]})"
    for n in (20, 21, 22)
)
UNKNOWN = ("xylofon", "quarzmusik", "byzantin", "wykopal", "jagdhyp", "bozquef")


def main() -> None:
    """Print the figures as JSON."""
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("index", type=Path)
    parse.add_argument("--requests", type=int, default=10_000)
    parse.add_argument("--users", type=int, nargs="+", default=[1, 20, 50])
    parse.add_argument("--other", type=Path, help="a checkout whose service is loaded as well")
    parse.add_argument("--rounds", type=int, default=3, help="of --other")
    parse.add_argument("--think-s", type=float, default=0.0, help="between two words of a user")
    parse.add_argument(
        "--by-sound", action="store_true", help="words of the index two by two, found by phones"
    )
    parse.add_argument("--slow-queries", action="store_true", help="words beside slow queries")
    args = parse.parse_args()
    if args.slow_queries:
        found = beside_slow(args.index, args.rounds)
    elif args.other or args.think_s:
        checkouts = [args.other] if args.other else []
        given = args.requests, args.users, args.rounds, args.think_s
        found = compared(args.index, checkouts, *given)
    elif args.by_sound:
        found = by_sound(args.index)
    else:
        found = figures(args.index, args.requests, args.users)
    print(json.dumps(found, indent=1))


def figures(index: Path, requests: int, users: Sequence[int]) -> dict[str, Any]:
    """All figures of one index."""
    words = synthetic.words()
    known = [words[rank] for rank in ranks(2000)]
    rng = np.random.default_rng(3)
    unknown = [f"{rng.choice(UNKNOWN)}{words[rank]}" for rank in ranks(200, seed=5)]
    began = time.perf_counter()
    with served(index) as (address, process):
        found: dict[str, Any] = {"listens_after_s": time.perf_counter() - began}
        asyncio.run(wait_until(address, lambda health: health["status"] == "ready"))
        found["ready_after_s"] = time.perf_counter() - began
        note(found, "known, as soon as it is ready", run(address, process, known[-20:], 1))
        asyncio.run(wait_until(address, is_warm))
        found["warm_after_s"] = time.perf_counter() - began
        settle(process)
        each = min(1000, requests // 10)
        for count in users:
            note(found, f"known, {count} users", run(address, process, known[:each], count))
            known = known[each:] + known[:each]
        note(found, "repeated, 20 users", run(address, process, known[:10] * (each // 10), 20))
        note(found, "unknown, alone", run(address, process, unknown[:UNKNOWN_WORDS], 1))
        note(found, "known beside unknown", beside(address, known[: each // 2], unknown[-10:]))
        memory = [memory_mb(process)]
        for _ in range(4):
            words = [word for word, _ in zip(cycle(known), range(requests // 4))]
            run(address, process, words, 20)
            memory.append(memory_mb(process))
        note(found, f"memory over {requests} requests, MB", memory)
    return found


def compared(
    index: Path,
    others: Sequence[Path],
    requests: int,
    users: Sequence[int],
    rounds: int,
    think_s: float,
) -> dict[str, Any]:
    """Known words in this checkout and another one by turns, if there is one, and the ratios."""
    words = synthetic.words()
    known = [words[rank] for rank in ranks(2000)]
    each = min(1000, requests // 10)
    found: dict[str, Any] = {}
    for number in range(rounds):
        asked = known[(number * each) % 2000 :] + known
        for count in users:
            runs = {}
            checkouts = [*(("before", other) for other in others), ("after", Path.cwd())]
            for name, checkout in checkouts:
                with served(index, checkout) as (address, process):
                    asyncio.run(wait_until(address, is_warm))
                    settle(process)
                    run(address, process, asked[each : each + 50], count)  # of other words
                    runs[name] = run(address, process, asked[:each], count, think_s)
            figures = ("p50_ms", "p95_ms", "cpu_ms_per_request")
            if others:
                ratio = {name: runs["after"][name] / runs["before"][name] for name in figures}
                runs["ratio"] = {name: round(value, 2) for name, value in ratio.items()}
            note(found, f"known, {count} users, round {number + 1}", runs)
    return found


def by_sound(index: Path) -> dict[str, Any]:
    """Unknown words, found by their phones, alone and beside known ones."""
    with open_index(index) as opened:
        vocabulary = opened.vocabulary
        hours = opened.speech_s / 3600
    longer = [
        word
        for word, count in zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)
        if count > 10 and 5 <= len(word) <= 12
    ]
    words = np.random.default_rng(3).permutation(longer).tolist()
    pairs = zip(words[0::3], words[1::3], strict=False)
    unknown = [pair for first, second in pairs if (pair := first + second) not in vocabulary]
    found: dict[str, Any] = {"hours": round(hours, 1)}
    with served(index) as (address, process):
        asyncio.run(wait_until(address, is_warm))
        settle(process)
        note(found, "unknown, alone", run(address, process, unknown[:100], 1))
        note(found, "unknown, 4 users", run(address, process, unknown[100:200], 4))
        note(found, "known beside unknown", beside(address, words[2::3][:500], unknown[200:220]))
    return found


def beside_slow(index: Path, rounds: int) -> dict[str, Any]:
    """Known and unknown words, with and without three clients of slow queries, by turns."""
    words = synthetic.words()
    known = [words[rank] for rank in ranks(2000)]
    unknown = [f"{UNKNOWN[i % 6]}{words[rank]}" for i, rank in enumerate(ranks(2000, seed=5))]
    times: dict[str, list[float]] = {}
    with served(index) as (address, process):
        asyncio.run(wait_until(address, is_warm))
        settle(process)
        for _ in range(rounds):
            for name, queries in (("alone", ()), ("beside slow queries", SLOW)):
                asked = [known.pop() for _ in range(60)], [unknown.pop() for _ in range(60)]
                some = asyncio.run(_beside(address, *asked, queries))
                for kind, ms in zip(("known", "unknown"), some, strict=True):
                    times.setdefault(f"{kind}, {name}", []).extend(ms)
    found: dict[str, Any] = {"load": round(os.getloadavg()[0], 1)}
    for name, ms in sorted(times.items()):
        most = {f"p{part}_ms": round(float(np.percentile(ms, part)), 1) for part in (50, 95, 100)}
        note(found, name, most)
    return found


async def _beside(
    address: str, known: Sequence[str], unknown: Sequence[str], queries: Sequence[str]
) -> list[list[float]]:
    """Milliseconds of known and of unknown words, asked by one user each beside slow queries."""
    slow = [asyncio.create_task(ask_once(address, f"/api/search?term={quote(q)}")) for q in queries]
    await asyncio.sleep(1 if slow else 0)
    found: list[list[tuple[int, float]]] = [[], []]
    asked = zip((known, unknown), found, strict=True)
    await asyncio.gather(*(user(address, iter(words), one) for words, one in asked))
    for task in slow:
        if task.done():
            raise RuntimeError("a query was not slow: the figures mean nothing")
        task.cancel()
    return [[ms for _, ms in one] for one in found]


def note(found: dict[str, Any], name: str, figure: Any) -> None:
    """Keep a figure, and show it to who waits."""
    found[name] = figure
    print(name, figure, file=sys.stderr, flush=True)


@contextmanager
def served(
    index: Path, checkout: Path | None = None
) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A service over an index, as long as it is needed; of this checkout, or of another one."""
    store = str(index.resolve())
    command = [sys.executable, "-m", "service.cli", "--store", store, "--port", "0", "--quiet"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=checkout)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process
    finally:
        process.terminate()
        process.wait(60)


async def wait_until(address: str, is_so: Callable[[dict[str, Any]], bool]) -> None:
    """Until the health of the service is as wanted."""
    async with asyncio.timeout(READY_S):
        while not is_so(json.loads((await ask_once(address, "/healthz"))[1])):
            await asyncio.sleep(0.02)


def is_warm(health: dict[str, Any]) -> bool:
    """Whether nothing is loaded in the background; version 1.0 has no list of it."""
    return health["status"] == "ready" and not health.get("warming")


def settle(process: subprocess.Popen[str]) -> None:
    """Wait until the service has nothing to do: all its processes have started."""
    end_s = time.monotonic() + READY_S
    before_s = -1.0
    while (now_s := processor_s(process)) > before_s + 0.05 and time.monotonic() < end_s:
        before_s = now_s
        time.sleep(2)


async def ask_once(address: str, path: str) -> tuple[int, bytes]:
    """One request on a separate connection."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        return await ask(reader, writer, path)
    finally:
        writer.close()


async def ask(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str
) -> tuple[int, bytes]:
    """One request; returns status and body."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    head = await reader.readuntil(b"\r\n\r\n")
    (length,) = re.findall(rb"content-length: (\d+)", head)
    return int(head[9:12]), await reader.readexactly(int(length))


async def user(
    address: str, words: Iterator[str], found: list[tuple[int, float]], think_s: float = 0.0
) -> None:
    """Ask for words as long as there are some; note status and milliseconds."""
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    for word in words:
        if think_s:
            await asyncio.sleep(random.expovariate(1 / think_s))
        began = time.perf_counter()
        if reader.at_eof():  # the service keeps no connection for long; a browser opens another one
            writer.close()
            reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        status, _ = await ask(reader, writer, f"/api/search?term={quote(word)}")
        found.append((status, 1000 * (time.perf_counter() - began)))
    writer.close()


async def users(
    address: str, words: Sequence[str], count: int, think_s: float = 0.0
) -> dict[str, Any]:
    """Several users share words; the figures of all, and of the one who was served worst."""
    shared, found = iter(words), [[] for _ in range(count)]
    began = time.perf_counter()
    async with asyncio.timeout(MOST_S):
        await asyncio.gather(*(user(address, shared, one, think_s) for one in found))
    seconds = time.perf_counter() - began
    every = [one for some in found for one in some]
    times = np.array([ms for _, ms in every])
    return {
        "requests": len(every),
        "errors": sum(status != 200 for status, _ in every),
        "per_second": round(len(every) / seconds, 1),
        "p50_ms": round(float(np.percentile(times, 50)), 2),
        "p95_ms": round(float(np.percentile(times, 95)), 2),
        "max_ms": round(float(times.max()), 2),
        "fewest_answers_of_a_user": min(map(len, found)),
        "load": round(os.getloadavg()[0], 1),
    }


def run(
    address: str,
    process: subprocess.Popen[str],
    words: Sequence[str],
    count: int,
    think_s: float = 0.0,
) -> dict[str, Any]:
    """Some users, until all words are asked for; with the processor time of service and client."""
    before_s = processor_s(process), time.process_time()
    found = asyncio.run(users(address, words, count, think_s))
    spent_s = processor_s(process) - before_s[0], time.process_time() - before_s[1]
    names = "cpu_ms_per_request", "cpu_ms_of_client"
    each_ms = (round(1000 * one / found["requests"], 2) for one in spent_s)
    return found | dict(zip(names, each_ms, strict=True))


def processes_of(process: subprocess.Popen[str]) -> list[int]:
    """The ids of a process and of those that it started."""
    found = [process.pid]
    for pid in found:
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            found += map(int, children.read_text().split())
    return found


def processor_s(process: subprocess.Popen[str]) -> float:
    """Processor time of the service so far, which other programs do not lengthen much."""
    ticks = 0
    for pid in processes_of(process):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def beside(address: str, known: Sequence[str], unknown: Sequence[str]) -> dict[str, Any]:
    """Known words while others ask for unknown ones."""

    async def both() -> dict[str, Any]:
        slow = asyncio.create_task(users(address, unknown, 2))
        fast = await users(address, known, 1)
        return {"known": fast, "unknown": await slow}

    return asyncio.run(both())


def memory_mb(process: subprocess.Popen[str]) -> float:
    """Memory of the service now; what its processes share is counted once."""
    kilobytes = 0
    for pid in processes_of(process):
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        (proportional,) = re.findall(r"^Pss:\s+(\d+) kB", rollup, re.MULTILINE)
        kilobytes += int(proportional)
    return round(kilobytes / 1024, 1)


if __name__ == "__main__":
    main()
