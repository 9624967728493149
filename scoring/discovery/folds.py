"""Folds: measure parts of the corpus one by one, then mean, deviation, minimum and maximum.

A fragment, word, phone or n-gram belongs to a fold iff one of the fold's intervals contains it.
"""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scoring.discovery.corpus import Corpus, order_keys
from scoring.discovery.formats import FileSpans, Folds
from scoring.discovery.scores import PARTS, RATES, ProfileName, Scores, Spread
from scoring.discovery.transcription import ticks
from std.errors import InputError
from std.values import Bools, Float64s, Integers


class Intervals:
    """The intervals of one fold, laid out for look-ups."""

    def __init__(self, file: Integers, onset_s: Float64s, offset_s: Float64s) -> None:
        order = np.lexsort((onset_s, file))
        self._file, self._onset, self._offset = file[order], onset_s[order], offset_s[order]

    def contain(self, file: Integers, onset_s: Float64s, offset_s: Float64s) -> Bools:
        """Which spans lie inside one interval, edges included; shape (n,)."""
        if not len(self._file):
            return np.zeros(len(file), np.bool_)
        begin, end, onset, offset = order_keys(
            (self._file, self._onset), (self._file, self._offset), (file, onset_s), (file, offset_s)
        )
        reach = np.maximum.accumulate(end)  # keys rise with the file, so files stay apart
        at = np.searchsorted(begin, onset, side="right") - 1
        inside: Bools = (at >= 0) & (reach[np.maximum(at, 0)] >= offset)
        return inside


def intervals(folds: Folds, corpus: Corpus) -> list[Intervals]:
    """One `Intervals` per fold, over the corpus's table of files."""
    index = {name: i for i, name in enumerate(corpus.files)}
    remap = np.array([index.get(name, -1) for name in folds.spans.files], dtype=np.int32)
    file = remap[folds.spans.file]
    return [
        Intervals(file[in_fold], folds.spans.onset_s[in_fold], folds.spans.offset_s[in_fold])
        for in_fold in (folds.fold == fold for fold in range(folds.count))
    ]


def require_known(folds: Folds, corpus: Corpus, path: Path | str) -> None:
    """Refuse folds with an interval in a recording that the corpus lacks.

    Raises:
        InputError: naming the first such line.
    """
    rows = folds.spans
    known = np.isin(rows.files, corpus.files)[rows.file]
    if not known.all():
        first = int(np.argmin(known))
        name = rows.files[rows.file[first]]
        raise InputError(path, int(rows.line[first]), "a recording of the phones", name)


def equal_parts(corpus: Corpus, count: int) -> Folds:
    """Cut the corpus, its recordings laid end to end, into parts of equal annotated time.

    A cut moves to the nearest end of a word (of a phone in a recording without words), so every
    word is in exactly one part; only fragments across a cut are in none. The same corpus always
    gives the same parts.

    Args:
        corpus: with words, or phones only.
        count: the number of parts, at least 2.

    Raises:
        ValueError: ``count`` is less than 2, or more than there are words to cut between.
    """
    phones, words = corpus.phones, corpus.words
    if count < 2:
        raise ValueError(f"{count} parts: at least 2 are needed")
    ends = np.cumsum(ticks(phones.offset_s) - ticks(phones.onset_s))
    phone_end, word_on, word_off = order_keys(
        (phones.file, phones.offset_s), (words.file, words.onset_s), (words.file, words.offset_s)
    )
    after = np.searchsorted(word_on, phone_end, side="left") - 1  # last word begun before
    inside_word = (after >= 0) & (word_off[np.maximum(after, 0)] > phone_end)
    allowed = np.flatnonzero(~inside_word) if len(words) else np.arange(len(phones))
    targets = ends[-1] * np.arange(1, count) / count
    right = np.clip(np.searchsorted(ends[allowed], targets), 1, max(len(allowed) - 1, 1))
    nearer = np.abs(ends[allowed[right - 1]] - targets) <= np.abs(
        ends[allowed[np.minimum(right, len(allowed) - 1)]] - targets
    )
    cuts = allowed[np.minimum(right - nearer, len(allowed) - 1)] + 1
    bounds = [0, *cuts.tolist(), len(phones)]
    if len(set(bounds)) < len(bounds):
        raise ValueError(f"{count} parts: the corpus has too few words to cut between")
    return _as_folds(corpus, bounds)


def _as_folds(corpus: Corpus, bounds: Sequence[int]) -> Folds:
    """Parts of consecutive phone rows as intervals, one per recording and part."""
    phones = corpus.phones
    part = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    change = (np.diff(part) > 0) | (np.diff(phones.file) > 0)
    first = np.append(0, np.flatnonzero(change) + 1)
    last = np.append(first[1:], len(phones)) - 1
    onset = phones.onset_s[first].copy()
    offset = phones.offset_s[last].copy()
    rows = FileSpans(
        corpus.files, phones.file[first], onset, offset, np.zeros(len(first), np.int32)
    )
    return Folds(len(bounds) - 1, part[first].astype(np.int32), rows)


def spread(folds: Sequence[Scores], profile: ProfileName) -> dict[tuple[str, str], Spread]:
    """Mean, population standard deviation, minimum and maximum of every measure over folds.

    A fold whose precision or recall is NaN is left out of both, and of the F-score, which is
    computed per fold and then averaged. When no fold is left the value is NaN; in zrc2015 it is
    0, and 1 for NED, as that toolkit prints.

    Source: behaviour of tde 0.2.1.
    """
    result: dict[tuple[str, str], Spread] = {}
    fallback = 0.0 if profile == "zrc2015" else math.nan
    for measure in RATES:
        rates = [getattr(scores, measure) for scores in folds]
        defined = [rates_of_fold for rates_of_fold in rates if not math.isnan(sum(rates_of_fold))]
        for part in PARTS:
            values = [getattr(rates_of_fold, part) for rates_of_fold in defined]
            result[measure, part] = _spread(values, fallback)
    for measure in ("coverage", "ned"):
        values = [getattr(scores, measure) for scores in folds]
        empty = 1.0 if measure == "ned" and profile == "zrc2015" else fallback
        result[measure, ""] = _spread([value for value in values if not math.isnan(value)], empty)
    return result


def _spread(values: Sequence[float], empty: float) -> Spread:
    if not values:
        return Spread(empty, 0.0 if empty == empty else math.nan, empty, empty)
    mean = math.fsum(values) / len(values)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))
    return Spread(mean, deviation, min(values), max(values))
