"""Make synthetic networks for benchmarks: a Zipf vocabulary at the density of real output.

150 words a minute, 4.9 alternatives a slot, word ranks drawn with probability 1/rank. Use them for
time, memory and size, not for accuracy.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from std.values import ConfusionNetwork, Recording

SLOTS_PER_HOUR = 9000
ALTERNATIVES_PER_SLOT = 4.87
VOCABULARY = 100_000
SLOT_MS = 400
SLOTS_PER_UTTERANCE = 30
UTTERANCES_PER_HOUR = SLOTS_PER_HOUR // SLOTS_PER_UTTERANCE


def words(size: int = VOCABULARY) -> list[str]:
    """Distinct words, most frequent first; longer ones are rarer, as in speech."""
    letters = "etaoinshrdlu"
    made = []
    for rank in range(size):
        word, rest = "", rank
        while rest >= 0:
            word += letters[rest % 12] + "aeiou"[rest % 5]
            rest = rest // 12 - 1
        made.append(f"{word}{'' if rank < 12 else 'n'}")
    return list(dict.fromkeys(made))


def networks(
    hours: float, *, seed: int = 1, vocabulary: int = VOCABULARY
) -> Iterator[ConfusionNetwork]:
    """Utterances of 12 s, an hour to a recording.

    Their last words end a little early, so that recordings of an hour differ in how much speech
    they have, as real ones do: an index compares those that do not, in search of copies.
    """
    rng = np.random.default_rng(seed)
    n = round(hours * UTTERANCES_PER_HOUR)
    early_ms = np.random.default_rng((seed, 1)).integers(SLOT_MS // 2, size=n)
    table = np.array(words(vocabulary))
    cumulative = np.cumsum(1 / np.arange(1, len(table) + 1))
    for i in range(n):
        hour, place = divmod(i, UTTERANCES_PER_HOUR)
        yield _utterance(rng, table, cumulative, f"TAPE_{hour:05d}", place, int(early_ms[i]))


def _utterance(
    rng: np.random.Generator,
    table: np.ndarray,
    cumulative: np.ndarray,
    file: str,
    place: int,
    early_ms: int,
) -> ConfusionNetwork:
    n, size = SLOTS_PER_UTTERANCE, len(table)
    width = 1 + rng.poisson(ALTERNATIVES_PER_SLOT - 1, n)
    rank = np.searchsorted(cumulative, rng.random(width.sum()) * cumulative[-1])
    distinct = np.unique(np.repeat(np.arange(n), width) * size + rank)  # a word once in a slot
    slot, rank = np.divmod(distinct, size)
    weight = rng.exponential(size=len(slot)) ** 2 + 1e-3
    total = np.bincount(slot, weights=weight) * (1 + rng.random(n) * 0.1)
    posterior = (weight / total[slot]).astype(np.float32)
    start = (place * n + np.arange(n)) * SLOT_MS
    spans = np.stack([start, start + SLOT_MS], axis=1)
    spans[-1, 1] -= early_ms
    own = np.maximum(0, spans[slot] + rng.integers(-30, 30, (len(slot), 2)))
    return ConfusionNetwork(
        Recording(file, 1),
        f"{file}-{place:04d}",
        int(spans[0, 0]),
        int(spans[-1, 1]),
        spans.astype(np.int32),
        np.maximum(0, 1 - np.bincount(slot, weights=posterior)).astype(np.float32),
        np.searchsorted(slot, np.arange(n + 1)).astype(np.int32),
        tuple(table[rank].tolist()),
        posterior,
        own.astype(np.int32),
    )


def write(hours: float, folder: Path, file_format: str, *, seed: int = 1) -> list[Path]:
    """Write recordings of an hour each as files of a format that has ``dump``."""
    from importlib import import_module

    dump = import_module(f"indexer.formats.readers.{file_format}").dump
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    by_file: dict[str, list[ConfusionNetwork]] = {}
    for one in networks(hours, seed=seed):
        by_file.setdefault(one.recording.file, []).append(one)
    for file, some in by_file.items():
        path = folder / f"{file}.{file_format}"
        with path.open("wb") as stream:
            dump(some, stream)
        paths.append(path)
    return paths
