"""What the intervals of std-score cover: corpora drawn from a known truth, again and again.

    python -m benchmarks.coverage [--corpora 1000] [--jobs 1]

A truth is a list of terms, each with a rate (occurrences per recording), a probability of being
found and a rate of false alarms. A corpus is so many recordings of unequal length and difficulty;
two systems search it. The measure that an interval should cover is its mean over corpora of that
size. Results are in docs/scoring.md.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from scoring.measures import WEIGHED, cnxe
from scoring.statistics.jackknife import deviations, intervals
from scoring.statistics.sample import Sample, SampleHits, SampleTargets, prepare
from scoring.statistics.significance import DIFFERENCES
from std.values import Float64s

FILES = (5, 10, 30, 100)
RATES = {"rare": 1.0, "mixed": 5.0, "frequent": 40.0}  # mean occurrences of a term in a corpus
TERMS = 60
SECONDS = 600.0
BETA, P_TAR = 20.0, 0.05
CONFIDENCE = 0.95


class Truth(NamedTuple):
    """A list of terms, and what two systems do with it."""

    rate: Float64s  # (T,) occurrences in a recording of mean length
    ease: Float64s  # (T,) log odds of being found
    alarms: Float64s  # (T,) false alarms in a recording of mean length
    gain: float  # of the second system, in log odds


def truth(files: int, occurrences: float, seed: int) -> Truth:
    """Draw terms; rates of terms vary by an order of magnitude."""
    random = np.random.default_rng(seed)
    rate = random.lognormal(0, 1, TERMS)
    return Truth(
        rate / rate.mean() * occurrences / files,
        random.normal(0.8, 1, TERMS),
        random.gamma(0.5, 2 * 3 / files, TERMS),
        0.5,
    )


def corpus(drawn_from: Truth, files: int, random: np.random.Generator) -> list[Sample]:
    """The two systems on one corpus."""
    length = random.lognormal(-0.08, 0.4, files)
    hard = random.normal(0, 0.6, files)
    said = random.poisson(np.outer(drawn_from.rate, length))
    term, file = (np.repeat(index, said.ravel()) for index in np.indices(said.shape).reshape(2, -1))
    luck = random.logistic(size=len(term))  # of an occurrence, for both systems
    samples = []
    for gain in (0.0, drawn_from.gain):
        own = luck + 0.7 * random.logistic(size=len(term))
        paired = own + drawn_from.ease[term] + gain - hard[file] > 0
        wrong = random.poisson(np.outer(drawn_from.alarms, length * np.exp(hard)))
        wrong_term, wrong_file = (
            np.repeat(index, wrong.ravel()) for index in np.indices(wrong.shape).reshape(2, -1)
        )
        llr = np.append(
            random.normal(3.0 + gain, 1.5, paired.sum()), random.normal(0.5, 1.5, len(wrong_term))
        )
        is_hit = np.arange(len(llr)) < paired.sum()
        counted = said.sum(axis=1) > 0
        hits = SampleHits(
            np.append(term[paired], wrong_term).astype(np.int32),
            np.append(file[paired], wrong_file).astype(np.int32),
            llr,
            is_hit,
            llr > 1.0,
        )
        targets = SampleTargets(term.astype(np.int32), file.astype(np.int32), paired)
        floor = -4.0  # what the systems say of a place without a hit
        entropy = cnxe.cross_entropy(
            llr[counted[hits.term]],
            is_hit[counted[hits.term]],
            len(term),
            counted.sum() * length.sum() * SECONDS,
            P_TAR,
            lowest=floor,
        )
        samples.append(
            prepare(
                tuple(map(str, range(files))),
                length * SECONDS,
                hits,
                targets,
                beta=BETA,
                p_tar=P_TAR,
                counted=counted,
                llr=llr,
                entropy=entropy,
                unlisted_llr=floor,
            )
        )
    return samples


def simulated(files: int, occurrences: float, corpora: int, seed: int) -> tuple[Float64s, Float64s]:
    """(C, 3, measures) values of A, B and A - B, and (C, 3, measures, 2) their intervals."""
    random = np.random.default_rng([seed, files])
    drawn_from = truth(files, occurrences, seed)
    values, ends = [], []
    for _ in range(corpora):
        one, two = (
            deviations(system, "recordings", files, 1)
            for system in corpus(drawn_from, files, random)
        )
        three = (one, two, one.minus(two))
        values.append([found.values for found in three])
        ends.append(
            [
                list(intervals(found, CONFIDENCE, measures).values())
                for found, measures in zip(three, (WEIGHED, WEIGHED, DIFFERENCES), strict=True)
            ]
        )
    return np.array(values), np.array(ends)


def coverage(files: int, occurrences: float, corpora: int, seed: int = 1) -> Float64s:
    """(3, measures) share of the intervals of A, B and A - B that have the mean over corpora."""
    values, ends = simulated(files, occurrences, corpora, seed)
    target = values.mean(axis=0)
    inside: Float64s = ((ends[..., 0] <= target) & (target <= ends[..., 1])).mean(axis=0)
    return inside


def _row(case: tuple[int, str], corpora: int) -> str:
    files, name = case
    found = 100 * coverage(files, RATES[name], corpora)
    cells = [f"{min(a, b):.1f} / {d:.1f}" for a, b, d in found.T]
    return " | ".join(["", str(files), name, *cells, ""]).strip()


def main() -> None:
    """Print the table of docs/scoring.md: A or B, the lower, / A - B."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    print(" | ".join(["", "recordings", "terms", *WEIGHED, ""]).strip())
    print("|---" * (2 + len(WEIGHED)) + "|")
    with ProcessPoolExecutor(args.jobs) as pool:
        for row in pool.map(partial(_row, corpora=args.corpora), product(FILES, RATES)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
