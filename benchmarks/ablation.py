"""What each part of the theory of probabilities brings: all of it, then without one part at a time.

    python -m benchmarks.ablation DATA

DATA is that of `benchmarks.calibration`. For each line of the table the weights are learned anew,
from the shipped ones on, and each set is measured with those of other languages (leave one language
out). Printed are means of the six sets:

    loss         minus the log likelihood of the labels, nats per right place, of words of the
                 transcript and of the term list: unknown ones in the sets as they are, and in sets
                 made 41 times as large by decoys (`benchmarks.larger_archives`); known ones
    AP           average precision of all places of unknown words, in both
    ECE, ATWV    of the term lists, see `benchmarks.calibration`
    sum          of all lists together: the probabilities of hits of .1 and more, over how
                 many of these are right; of known and of unknown terms
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from unittest import mock

import numpy as np
from sklearn.metrics import average_precision_score

from benchmarks.calibration import (
    SETS,
    Material,
    Measured,
    examples,
    kinds,
    learned_elsewhere,
    material,
    rows,
    searched,
)
from searcher.calibration.model import WEIGHTS, Model
from searcher.calibration.occurrence_rate import DETECTED, GRID, Grid, rate_posterior
from searcher.calibration.resembling_words import against_all
from searcher.calibration.weights import Evidence, Examples, Weights
from searcher.evidence.features import FEATURES
from searcher.tuning.examples import KindsOfExamples
from std.values import Float64s

COLUMNS = ("without", "loss", "41 x", "known", "AP", "41 x", "ECE", "ATWV", "sum, known", "unknown")

Patch = Callable[[], AbstractContextManager[object]]
Loss = tuple[float, float]  # nats per right place; average precision


@dataclass(frozen=True)
class Part:
    """A part of the theory, and how to do without it."""

    name: str
    features: frozenset[str] = frozenset()  # that are left out, of known and of unknown terms
    patches: Sequence[Patch] = ()  # in force while weights are learned and used
    config: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    learns_from_larger: bool = True


def replaced(module: str, **values: object) -> list[Patch]:
    """Other values of a module's constants or functions."""
    return [partial(mock.patch, f"{module}.{name}", value) for name, value in values.items()]


def without_zero_truncation() -> list[Patch]:
    """The number of places is a Poisson number that may be 0."""
    log_weight = GRID.log_weight + np.log(-np.expm1(-GRID.rate))
    return _with_grid(
        GRID._replace(log_weight=log_weight, log_unsaid=np.full_like(log_weight, -np.inf))
    )


def one_rate() -> list[Patch]:
    """Each term is said once in the mean."""
    is_mean = np.abs(GRID.log_rate) == np.abs(GRID.log_rate).min()
    of_one = np.where(is_mean, -np.log(-np.expm1(-GRID.rate)) - DETECTED * GRID.rate, -1e3)
    log_weight = np.stack([of_one, of_one])
    log_unsaid = log_weight - (1 - DETECTED) * GRID.rate
    return _with_grid(GRID._replace(log_weight=log_weight, log_unsaid=log_unsaid))


def _with_grid(grid: Grid) -> list[Patch]:
    """This grid of rates for all terms."""
    return replaced("searcher.calibration.occurrence_rate", GRID=grid, MANY_PLACES=np.inf)


def all_occur(log_evidence: Float64s, nowhere: int = 0, no_places: float = 0.0) -> Float64s:
    """(terms,) in place of `searcher.calibration.occurring_terms.occurrence_probability`."""
    return np.ones(len(log_evidence))


PARTS = (
    Part("nothing"),
    Part("`log_e_rate` and `common`", frozenset({"log_e_rate", "common"})),
    *(Part(f"`{name}`", frozenset({name})) for name in sorted(FEATURES) if "spoken" not in name),
    Part(
        "words that resemble the term",
        patches=replaced("searcher.calibration.resembling_words", SLOPE=1.0, GROWTH=1.0),
    ),
    Part("larger archives in learning", learns_from_larger=False),
    Part("a rate of the term's own", patches=one_rate()),
    Part("a number of places that is not 0", patches=without_zero_truncation()),
    Part(
        "terms that were not found",
        patches=replaced("searcher.calibration.weights", FOUND=1 - 1e-9),
    ),
    Part(
        "whether a term occurs",
        patches=replaced("searcher.calibration.occurring_terms", occurrence_probability=all_occur),
    ),
    Part("phones of known terms", config={"phonetic_search": {"words": "unknown"}}),
    Part(
        "phones and calibration of known terms",
        config={"phonetic_search": {"words": "unknown"}, "calibration": {"words": "unknown"}},
    ),
)


def of_part(of_set: KindsOfExamples, part: Part) -> KindsOfExamples:
    """The examples without its features."""

    def without(one: Examples) -> Examples:
        kept = {name: column for name, column in one.features.items() if name not in part.features}
        return one._replace(features=kept)

    oov, iv = map(without, of_set)
    if not part.learns_from_larger:
        oov = at_size(oov, larger=False)
    return KindsOfExamples(oov, iv)


def at_size(oov: Examples, *, larger: bool) -> Examples:
    """Those of a set as it is, or as an archive larger by decoys would have them."""
    here = (oov.enlarged > 0) == larger
    return Examples(
        {name: column[here] for name, column in oov.features.items()},
        oov.offset[here],
        oov.term[here],
        oov.n_terms,
        oov.is_right[here],
        oov.is_known[here],
        oov.enlarged[here],
        by_phones=True,
        of_expected=False,
    )  # weighed in full


def loss(of_weights: Weights, some: Examples) -> Loss:
    """How well weights tell right places of words from wrong ones."""
    evidence = Evidence(some.features, some.offset, weighed=some.weighed)
    against_chance = of_weights.against_chance(evidence)
    against_words = against_all(against_chance, -some.offset, some.enlarged)
    ratio = np.where(some.by_phones, against_words, against_chance)
    probability = rate_posterior(
        ratio, some.term, some.n_terms, is_expected=some.is_expected
    ).probability
    right = some.is_right
    per_right = float(some.errors(of_weights).sum()) / max(1, int(right.sum()))
    return per_right, float(average_precision_score(right, probability))


def line(part: Part, sets: Sequence[Material], of_sets: Sequence[KindsOfExamples]) -> str:
    """A line of the table."""
    losses: list[tuple[Loss, Loss, Loss]] = []
    lists: list[dict[str, Measured]] = []
    with ExitStack() as stack:
        for patch in part.patches:
            stack.enter_context(patch())
        of_parts = [of_part(of_set, part) for of_set in of_sets]
        models = learned_elsewhere(sets, of_parts, begin=WEIGHTS)
        for one, of_set in zip(sets, of_sets, strict=True):
            model = models[one.language]
            losses.append(
                (
                    loss(model.weights, at_size(of_set.oov, larger=False)),
                    loss(model.weights, at_size(of_set.oov, larger=True)),
                    loss(model.weights, of_set.iv),
                )
            )
            lists.append(measured(configured(one, part), model))
    of_unknown, of_larger, of_known = np.array(losses).mean(axis=0)
    error, value = np.mean(
        [(of_set["all"].error, of_set["all"].measures["ATWV"]) for of_set in lists], axis=0
    )
    known, unknown = (
        sum(of_set[kind].total for of_set in lists) / sum(of_set[kind].right for of_set in lists)
        for kind in ("known", "unknown")
    )
    cells = (
        *(of_unknown[0], of_larger[0], of_known[0], of_unknown[1], of_larger[1]),
        *(error, value, known, unknown),
    )
    digits = (2, 2, 3, 3, 3, 3, 3, 2, 2)
    values = " | ".join(f"{cell:.{n}f}" for cell, n in zip(cells, digits, strict=True))
    return f"| {part.name} | {values} |"


def configured(one: Material, part: Part) -> Material:
    """The set, to be searched without it."""
    tables = {
        table: replace(getattr(one.config, table), **keys) for table, keys in part.config.items()
    }
    return replace(one, config=replace(one.config, **tables))


def measured(one: Material, model: Model) -> dict[str, Measured]:
    """The measures of all terms of its list, and of each kind."""
    result = searched(one, model)
    return {of_kind.kind: of_kind for of_kind in rows(one, result, kinds(result))}


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    args = parse.parse_args()
    sets = [material(args.data, name, language) for name, language in SETS.items()]
    of_sets = [examples(one) for one in sets]
    print(f"| {' | '.join(COLUMNS)} |\n|{len(COLUMNS) * '---|'}", flush=True)
    for part in PARTS:
        print(line(part, sets, of_sets), flush=True)


if __name__ == "__main__":
    main()
