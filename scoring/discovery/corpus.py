"""The corpus and the classes discovered in it: the values every measure works on.

    Corpus       phone and word tiers over one table of files, and the talker of each file
    Discovery    the distinct fragments of a class file, and the members of each class

A *fragment* is a stretch of time; its *run* is the half-open range ``lo:hi`` of rows of a tier
that it transcribes to (`scoring.discovery.transcription`). Order within a file is compared by
exact ranks of the times, never by sums of floats.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scoring.discovery.formats import AlignmentTier, Classes
from std.errors import InputError
from std.values import Bools, Float64s, Integers, freeze

Times = npt.NDArray[np.number[Any]]  # ticks or seconds

SILENCE = "SIL"
SPOKEN_NOISE = "SPN"


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """A tier as arrays, sorted by file and time; onsets and offsets ascend within a file."""

    file: Integers  # (n,) index into Corpus.files
    onset_s: Float64s  # (n,)
    offset_s: Float64s  # (n,)
    label: Integers  # (n,) index into labels
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.label)

    def labelled(self, *names: str) -> Bools:
        """Which rows carry one of these labels; shape (n,)."""
        codes = [i for i, label in enumerate(self.labels) if label in names]
        return np.isin(self.label, codes)

    def where(self, keep: Bools) -> "Track":
        """Only these rows."""
        return Track(
            self.file[keep], self.onset_s[keep], self.offset_s[keep], self.label[keep], self.labels
        )

    def text(self) -> str:
        """One character per row, equal characters for equal labels."""
        return "".join(map(chr, (self.label + FIRST_CHARACTER).tolist()))


FIRST_CHARACTER = 0xF0000  # a private plane: no surrogates among the 65,534 labels that fit


@dataclass(frozen=True, slots=True, eq=False)
class Corpus:
    """The gold annotation."""

    files: tuple[str, ...]
    phones: Track
    words: Track
    talker: Integers  # (number of files,) index into talkers; all zero when none are known
    talkers: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Discovery:
    """Distinct fragments, sorted by (file, onset, offset), and class membership as listed."""

    file: Integers  # (f,) index into Corpus.files
    onset_s: Float64s  # (f,)
    offset_s: Float64s  # (f,)
    member_of: Integers  # (m,) class of each listed member
    member: Integers  # (m,) index of its fragment
    classes: int  # classes listed, empty ones included

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.file)

    def where(self, keep: Bools) -> "Discovery":
        """Only these fragments, with their memberships; shape of ``keep``: (f,)."""
        new_index = np.cumsum(keep, dtype=np.int32) - 1
        stays = keep[self.member]
        return Discovery(
            self.file[keep],
            self.onset_s[keep],
            self.offset_s[keep],
            self.member_of[stays],
            new_index[self.member[stays]],
            self.classes,
        )


def make_corpus(
    phones: AlignmentTier, words: AlignmentTier, talkers: Mapping[str, str] | None = None
) -> Corpus:
    """Bring phones and words to one table of files and name the talkers.

    Args:
        phones, words: the tiers; files of words without phones are kept.
        talkers: see `with_talkers`.
    """
    files = tuple(sorted({*phones.spans.files, *words.spans.files}))
    nobody = np.zeros(len(files), dtype=np.int32)
    corpus = Corpus(files, _track(phones, files), _track(words, files), nobody, ("",))
    return with_talkers(corpus, talkers or {})


def with_talkers(corpus: Corpus, talkers: Mapping[str, str]) -> Corpus:
    """The corpus with the talker of each file.

    Args:
        corpus: with other talkers, or with none.
        talkers: talker of each file; a file that is not there has the talker ``""``.
    """
    names = [talkers.get(file, "") for file in corpus.files]
    table = tuple(sorted(set(names)))
    index = {name: i for i, name in enumerate(table)}
    talker = np.array([index[name] for name in names], dtype=np.int32)
    return replace(corpus, talker=talker, talkers=table)


def _track(tier: AlignmentTier, files: tuple[str, ...]) -> Track:
    """A tier over the corpus's table of files."""
    rows = tier.spans
    index = {file: i for i, file in enumerate(files)}
    remap = np.array([index[file] for file in rows.files], dtype=np.int32)
    return Track(remap[rows.file], rows.onset_s, rows.offset_s, tier.label, tier.labels)


def make_discovery(classes: Classes, corpus: Corpus, path: Path | str = "<classes>") -> Discovery:
    """Find the distinct fragments of a class file.

    Raises:
        InputError: a member lies in a recording that has no phones.
    """
    rows = classes.spans
    known = {corpus.files[i]: i for i in np.unique(corpus.phones.file).tolist()}
    remap = np.array([known.get(file, -1) for file in rows.files], dtype=np.int32)
    file = remap[rows.file] if len(rows) else np.empty(0, np.int32)
    unknown = np.flatnonzero(file < 0)
    if len(unknown):
        first = unknown[0]
        raise InputError(
            path, int(rows.line[first]), "a recording of the phones", rows.files[rows.file[first]]
        )
    order = np.lexsort((rows.offset_s, rows.onset_s, file))
    changed = np.zeros(max(len(order) - 1, 0), np.bool_)
    file_, onset_s, offset_s = file[order], rows.onset_s[order], rows.offset_s[order]
    for column in (file_, onset_s, offset_s):
        changed |= column[1:] != column[:-1]
    new = np.append(True, changed)[: len(order)]
    member = np.empty(len(order), np.int32)
    member[order] = np.cumsum(new, dtype=np.int32) - 1
    return Discovery(
        file_[new], onset_s[new], offset_s[new], classes.member_of, member, len(classes.ids)
    )


def order_keys(*times: tuple[Integers, Times]) -> list[Integers]:
    """Turn (file, time) columns into integers that compare as the pairs do, exactly.

    ``time`` may be of any one kind of number; the keys of all columns are comparable.
    """
    table, ranks = np.unique(np.concatenate([time for _, time in times]), return_inverse=True)
    bounds = np.cumsum([len(time) for _, time in times])[:-1]
    return [
        file.astype(np.int64) * len(table) + rank
        for (file, _), rank in zip(times, np.split(ranks, bounds), strict=True)
    ]
