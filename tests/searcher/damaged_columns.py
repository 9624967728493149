"""Search indexes whose columns were changed; tests/searcher/test_damaged_columns.py runs it.

    python damaged_columns.py INDEX SEED

The process ends with a signal if compiled code reads where it should not. Prints the columns that
made anything but hits or one clear line, and how many indexes were refused and searched.
"""

import json
import random
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from searcher import open_index
from std.errors import StdError

TERMS = ["und", "hahnenfedern", "und *en", "der die", "xylofonquark"]


def changed(values: np.ndarray, chance: random.Random) -> Iterator[np.ndarray]:
    """The values of a column as damage or malice may leave them."""
    top = np.finfo(values.dtype).max if values.dtype.kind == "f" else np.iinfo(values.dtype).max
    low = np.finfo(values.dtype).min if values.dtype.kind == "f" else np.iinfo(values.dtype).min
    for one in {0, top, low, 1, min(len(values), top)}:
        yield np.full_like(values, one)
        some = values.copy()
        some[chance.randrange(len(values))] = one
        yield some
    yield values[::-1].copy()
    yield np.frombuffer(chance.randbytes(values.nbytes), values.dtype)
    shifted = values.copy()
    shifted[len(values) // 2 :] += values.dtype.type(1)
    yield shifted


def main(index: str, seed: str) -> None:
    """Change each column in each way, and search."""
    wrong, outcomes = [], {"refused": 0, "searched": 0}
    chance = random.Random(seed)
    for path in sorted(Path(index, "segments").rglob("*.npy")):
        whole = path.read_bytes()
        values = np.load(path)
        start = len(whole) - values.nbytes
        for number, damaged in enumerate(changed(values, chance) if len(values) else ()):
            path.write_bytes(whole[:start] + damaged.tobytes())
            try:
                with np.errstate(all="ignore"), open_index(index) as opened:
                    for term in TERMS:
                        opened.hit_columns(opened.find(term), decided=False).documents()
                    opened.words(opened.recordings()[0].recording.file, 0.0, 30.0)
                outcomes["searched"] += 1
            except StdError:
                outcomes["refused"] += 1
            except Exception:
                wrong.append([path.stem, number, traceback.format_exc().splitlines()[-16:]])
        path.write_bytes(whole)
    json.dump({"wrong": wrong, **outcomes}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
