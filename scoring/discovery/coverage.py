"""Coverage: how much of the corpus the discovered fragments cover.

    coverage = |cover(P_disc)| / |cover(P_all)|        cover(P) = union of the spans in flat(P)

Counted in phones by zrc2017, in seconds by zrc2015, in seconds shared by both covers by the
definition.
"""

import math

import numpy as np

from scoring.discovery.scores import ratio
from std.values import Bools, Float64s, Integers


def covered_rows(length: int, lo: Integers, hi: Integers) -> Bools:
    """Which of ``length`` rows lie in at least one range lo:hi."""
    steps = np.bincount(lo, minlength=length + 1) - np.bincount(hi, minlength=length + 1)
    covered: Bools = np.cumsum(steps)[:length] > 0
    return covered


def phones_covered(countable: Bools, lo: Integers, hi: Integers) -> float:
    """Coverage of zrc2017: share of the countable phones that lie in some fragment.

    Args:
        countable: (N,) phones that are neither SIL nor SPN.
        lo, hi: (f,) the fragments' runs, those of singletons included.

    Source: behaviour of zerospeech-tde 2.0.3.
    """
    covered = covered_rows(len(countable), lo, hi)
    return ratio(int((covered & countable).sum()), int(countable.sum()))


def seconds_covered(disc_s: float, gold_s: float) -> float:
    """Coverage of zrc2015: seconds of the fragments over seconds of repeated n-grams.

    The two are not intersected, so it can exceed 1. NaN where either is zero.

    Source: behaviour of tde 0.2.1.
    """
    return ratio(disc_s, gold_s) if disc_s > 0 else math.nan


def union_seconds(file: Integers, onset_s: Float64s, offset_s: Float64s) -> float:
    """Total length of the union of spans; spans that touch within 1e-8 + 1e-5 * onset merge.

    Args:
        file: (n,) index into Corpus.files.
        onset_s, offset_s: (n,) seconds.
    """
    total = 0.0
    order = np.lexsort((onset_s, file))
    file_so_far, start, end = -1, 0.0, 0.0
    columns = (file[order].tolist(), onset_s[order].tolist(), offset_s[order].tolist())
    for fragment_file, a, b in zip(*columns, strict=True):
        if fragment_file == file_so_far and a <= end + 1e-8 + 1e-5 * abs(a):
            end = max(end, b)
        else:
            total += end - start
            file_so_far, start, end = fragment_file, a, b
    return total + (end - start)


def shared_ticks(disc: Bools, gold: Bools, ticks_of: Integers) -> float:
    """Coverage of the definition: share of the discoverable time that is also discovered.

    Open choices: fragments cover the phones they transcribe to; the cover of the system counts
    only where the corpus is discoverable ("the fraction of the discoverable part of the corpus
    that is covered"), so it never exceeds 1; only fragments with a partner in ``P_disc`` cover.

    Args:
        disc, gold: (N,) phones in flat(P_disc), in flat(P_all).
        ticks_of: (N,) durations.

    Source: ZeroSpeech task description, "Matching scores".
    """
    return ratio(int(ticks_of[disc & gold].sum()), int(ticks_of[gold].sum()))
