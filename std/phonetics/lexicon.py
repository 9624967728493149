"""A pronunciation lexicon: the user's words, and a converter for the others.

File formats (recognised line by line, so a file may mix them):

    CMU     WORD  P R AH0 N      WORD(2)  another pronunciation       ;;; comment
    Kaldi   word p r ə n         word 0.7 p r ə n   (with a probability, as lexiconp.txt, or
                                 with more numbers, as lexiconp_silprob.txt)

Symbols are ARPAbet or IPA, possibly mixed (`std.phonetics.phones.canonical`).

Converting 300,000 words takes seconds, so `cached` stores a `PhoneTable` in the user's cache folder
(``XDG_CACHE_HOME``, else ``~/.cache``), named by a digest of words and pronouncer. If the cache
cannot be written or read, the table is computed again.
"""

import hashlib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path
from typing import IO

import numpy as np

from std.config import PronunciationConfig
from std.errors import ConfigError, InputError
from std.files import read_text
from std.languages.detection import guess_language
from std.outputs import open_output
from std.phonetics.g2p import Converter, converter, named_or_other
from std.phonetics.phones import Pronunciation, canonical
from std.text import Normalisation
from std.values import Int64s, UInt8s, freeze

_VARIANT = re.compile(r"\(\d+\)$")
_NUMBER = re.compile(r"(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$", re.ASCII | re.IGNORECASE)


class NoLanguageError(ConfigError):
    """No language is configured, and none is recognised in the vocabulary."""


Entries = Mapping[str, tuple[Pronunciation, ...]]


class Lexicon:
    """Word -> its pronunciations, the likeliest first; empty for words without phones."""

    def __init__(self, converter: Converter | None, entries: Entries | None = None) -> None:
        self._converter = converter
        self._known: dict[str, tuple[Pronunciation, ...]] = dict(entries or {})
        self.reproducible = not self._known  # whether its name determines its pronunciations

    @property
    def name(self) -> str:
        """The pronouncer's name in an index; phones of different pronouncers are not compared."""
        return self._converter.name if self._converter else "lexicon"

    def pronunciations(self, words: Sequence[str]) -> list[tuple[Pronunciation, ...]]:
        """All pronunciations of each word; unknown words go to the converter in one batch."""
        new = [word for word in dict.fromkeys(words) if word not in self._known]
        made = self._converter.pronounce(new) if self._converter else [()] * len(new)
        for word, phones in zip(new, made, strict=True):
            self._known[word] = (phones,) if phones else ()
        return [self._known[word] for word in words]


def lexicon_for(
    config: PronunciationConfig,
    normalisation: Normalisation,
    counts: Callable[[], Mapping[str, int]],
) -> Lexicon:
    """The lexicon of a configuration.

    Args:
        counts: the vocabulary whose language is guessed if it is ``auto``.

    Raises:
        ConfigError: the language is not known, or its converter is not installed.
        InputError: the lexicon file cannot be read.
    """
    language = config.language
    if language == "auto":
        language = guess_language(counts())
    if not language:
        raise NoLanguageError(
            "pronunciation.language: expected a language, as none is recognisable, got 'auto'"
        )
    return lexicon_in(language, config, normalisation)


def lexicon_in(language: str, config: PronunciationConfig, normalisation: Normalisation) -> Lexicon:
    """The lexicon of a language: the user's words, then its converter.

    Args:
        language: its code (``de``).
        config: the user's lexicon and converter.
        normalisation: the normalisation of the words that are looked up.

    Raises:
        ConfigError: the language is not known, or its converter is not installed.
        InputError: the lexicon file cannot be read.
    """
    entries = read(Path(config.lexicon), normalisation) if config.lexicon else None
    return Lexicon(converter(language), entries)


def lexicon_of(
    pronouncer: str, config: PronunciationConfig, normalisation: Normalisation
) -> Lexicon | None:
    """The lexicon with the pronouncer of an index, ``espeak-ng:de``, or with another one.

    Args:
        pronouncer: converter and language, as the index names them.
        config: the user's lexicon.
        normalisation: the normalisation of the words that are looked up.

    Returns:
        the lexicon; None if no installed converter has the language. Warnings report missing ones.

    Raises:
        InputError: the lexicon file cannot be read.
    """
    chosen = named_or_other(pronouncer)
    entries = read(Path(config.lexicon), normalisation) if config.lexicon else None
    return Lexicon(chosen, entries) if chosen else None


def read(path: Path, normalisation: Normalisation) -> dict[str, tuple[Pronunciation, ...]]:
    """Read a lexicon file; a word's pronunciations keep the file's order.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or a line has a word and no phones.
    """
    text = read_text(path)
    entries: dict[str, tuple[Pronunciation, ...]] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        fields = line.split()
        if not fields or line.startswith((";;;", "#")):
            continue
        word, *symbols = fields
        said = dropwhile(_NUMBER.match, symbols)
        phones = tuple(phone for symbol in said if (phone := canonical(symbol)))
        if not phones:
            raise InputError(path, number, "a word and its phones", line)
        word = normalisation.word(_VARIANT.sub("", word))
        known = entries.get(word, ())
        entries[word] = known if phones in known else (*known, phones)
    return entries


def dump(entries: Iterable[tuple[str, Sequence[Pronunciation]]], sink: IO[bytes]) -> None:
    """Write ``word phone phone ...`` lines (Kaldi's form), one per pronunciation."""
    for word, pronunciations in entries:
        for phones in pronunciations:
            sink.write(f"{word} {' '.join(phones)}\n".encode())


MAX_PHONE_IDS = 255  # numbered in one byte
WORTH_KEEPING = 20_000  # words; fewer are pronounced faster than a file is checked


@dataclass(frozen=True, slots=True, eq=False)
class PhoneTable:
    """The likeliest pronunciation of each word; empty for words without phones."""

    inventory: tuple[str, ...]  # (P,) ascending
    offsets: Int64s  # (V + 1,)
    phones: UInt8s  # (total,) rows of the inventory

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
