"""The pronunciations of a vocabulary as columns, made once per vocabulary and kept.

Converting 300,000 words takes seconds, so `cached` stores tables in the user's cache folder
(``XDG_CACHE_HOME``, else ``~/.cache``), named by a digest of words and pronouncer. If the cache
cannot be written or read, the table is computed again.
"""

import hashlib
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from std.errors import InputError
from std.outputs import open_output
from std.phonetics.lexicon import Lexicon
from std.values import freeze

MAX_PHONE_IDS = 255  # numbered in one byte
WORTH_KEEPING = 20_000  # words; fewer are pronounced faster than a file is checked


@dataclass(frozen=True, slots=True, eq=False)
class PhoneTable:
    """The likeliest pronunciation of each word; empty for words without phones."""

    inventory: tuple[str, ...]  # (P,) ascending
    offsets: npt.NDArray[np.int64]  # (V + 1,)
    phones: npt.NDArray[np.uint8]  # (total,) rows of the inventory

    def __post_init__(self) -> None:
        freeze(self)


def made(words: Sequence[str], lexicon: Lexicon) -> PhoneTable:
    """Pronounce every word.

    Raises:
        ValueError: the pronunciations use more than 255 different phones.
    """
    spoken = [ways[0] if ways else () for ways in lexicon.pronunciations(words)]
    inventory = sorted({phone for phones in spoken for phone in phones})
    if len(inventory) > MAX_PHONE_IDS:
        raise ValueError(f"{len(inventory)} different phones, at most {MAX_PHONE_IDS} fit")
    number = {phone: i for i, phone in enumerate(inventory)}
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(phones) for phones in spoken], out=offsets[1:])
    flat = np.fromiter((number[p] for phones in spoken for p in phones), np.uint8, int(offsets[-1]))
    return PhoneTable(tuple(inventory), offsets, flat)


def cached(words: Sequence[str], lexicon: Lexicon) -> PhoneTable:
    """Pronounce every word, or read the stored pronunciations of the same words."""
    if len(words) < WORTH_KEEPING or not lexicon.reproducible:
        return made(words, lexicon)
    key = hashlib.sha256("\n".join((lexicon.name, *words)).encode()).hexdigest()[:32]
    path = _folder() / f"phones-{key}.npz"
    with suppress(Exception):  # a damaged file raises any exception; it is replaced
        return _read(path, len(words))
    table = made(words, lexicon)
    with suppress(OSError, InputError):
        _write(path, table)
    return table


def _folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()
    return Path(home) / "spoken-terms"


def _read(path: Path, n_words: int) -> PhoneTable:
    with np.load(path, allow_pickle=False) as archive:
        inventory = tuple(str(phone) for phone in archive["inventory"].tolist())
        offsets, phones = archive["offsets"], archive["phones"]
    if (
        (offsets.dtype, phones.dtype, len(offsets)) != (np.int64, np.uint8, n_words + 1)
        or offsets[0] != 0
        or offsets[-1] != len(phones)
        or (offsets[1:] < offsets[:-1]).any()
        or int(phones.max(initial=0)) >= max(1, len(inventory))
    ):
        raise ValueError(f"{path} is not a table of {n_words} pronunciations")
    return PhoneTable(inventory, offsets, phones)


def _write(path: Path, table: PhoneTable) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open_output(path) as sink:
        np.savez(
            sink, inventory=np.array(table.inventory), offsets=table.offsets, phones=table.phones
        )
