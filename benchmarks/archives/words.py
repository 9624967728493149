"""The words of a simulated archive: how often each is said, and which the recogniser knows.

    of_file     word<TAB>count lines, as `benchmarks.archives.frequencies` writes them
    of_speech   what a text has
    cast        the words, and among them those that are asked for as never said or as names

A recogniser knows the most frequent words. Two kinds of words are never said and never written,
though others of their stem or sound are: usual ones that the recogniser knows, and rare ones.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from std.values import Bools, Float64s

Ints = npt.NDArray[np.int64]

USUAL_LETTERS, RARE_LETTERS = 8, 4  # at least
USUAL = 0.06  # share of the known words, most frequent first, that absent usual words are drawn of


class Counted(NamedTuple):
    """Words with their counts, most frequent first."""

    words: Sequence[str]
    counts: Float64s  # (words,)


@dataclass(frozen=True, eq=False)
class Words:
    """The words of an archive; what is asked for points into them."""

    words: Sequence[str]
    share: Float64s  # (words,) of the words said; 0: never said, or only where it is put
    known: Bools  # (words,) to the recogniser, which may write it
    absent_usual: Ints  # would be known, never said
    absent_rare: Ints  # not known, never said
    names: Ints  # not known, said as often as is asked for


def of_file(path: Path) -> Counted:
    """Read ``word<TAB>count`` lines.

    Raises:
        SystemExit: a line is not like that.
    """
    words, counts = [], []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        word, _, count = line.partition("\t")
        if not word.isalpha() or not count.isdigit():
            raise SystemExit(f"{path}:{number}: expected a word, a tab and a count, got {line!r}")
        words.append(word)
        counts.append(float(count))
    return Counted(words, np.array(counts))


def of_speech(utterances: Sequence[Sequence[str]]) -> Counted:
    """Count the words of a text."""
    counts = Counter(word for words in utterances for word in words)
    ranked = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return Counted([word for word, _ in ranked], np.array([float(n) for _, n in ranked]))


def cast(counted: Counted, n_known: int, n_absent: int, n_names: int, seed: int) -> Words:
    """Say which words are known, absent and names.

    Args:
        counted: words and how often they are said.
        n_known: so many of the most frequent are known.
        n_absent: words of each kind that are never said.
        n_names: unknown words that are said as often as is asked for.
    """
    rng = np.random.default_rng((seed, 1))
    letters = np.array([len(word) for word in counted.words])
    rank = np.arange(len(letters))
    known = (rank < n_known) & (counted.counts > 0)
    usual = np.flatnonzero((rank < USUAL * n_known) & (letters >= USUAL_LETTERS))
    rare = rng.permutation(np.flatnonzero(~known & (letters >= RARE_LETTERS)))
    absent_usual = np.sort(rng.permutation(usual)[:n_absent])
    absent_rare, names = np.sort(rare[:n_absent]), rare[n_absent : n_absent + n_names]
    share = counted.counts.copy()
    for some in (absent_usual, absent_rare, names):
        share[some] = 0
        known[some] = False
    return Words(counted.words, share / share.sum(), known, absent_usual, absent_rare, names)
