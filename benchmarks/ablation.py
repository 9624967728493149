"""What each part of the theory of probabilities brings: all of it, then without one part at a time.

    python -m benchmarks.ablation DATA [--sound SOUND] [--only PART ...]

DATA is that of `benchmarks.calibration`. For each line of the first table the weights are learned
anew, from the shipped ones on, and each set is measured with those of other languages (leave one
language out). Printed are means of the six sets:

    loss         minus the log likelihood of the labels, nats per right place, of words of the
                 transcript and of the term list: unknown ones in the sets as they are, and in sets
                 made 41 times as large by decoys (`benchmarks.larger_archives`); known ones
    AP           average precision of all places of unknown words, in both
    ECE, ATWV    of the term lists, see `benchmarks.calibration`
    sum          of all lists together: the probabilities of hits of .1 and more, over how
                 many of these are right; of known and of unknown terms

The second table has spoken queries, as `benchmarks.spoken_queries` makes them of one example (SWS
2013): means of its seven sets. The third, with ``--sound``, has the term lists of the five sets of
`benchmarks.heard_evidence` with the phones heard. Both are measured with the shipped weights.
``--only`` prints the lines of these parts.
"""

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import average_precision_score

from benchmarks import heard_evidence, spoken_queries
from benchmarks.calibration import (
    SETS,
    Listed,
    Material,
    Measured,
    examples,
    kinds,
    learned_elsewhere,
    material,
    rows,
    searched,
)
from searcher.calibration.model import WEIGHTS
from searcher.calibration.occurrence_rate import DETECTED, GRID, Grid, rate_posterior
from searcher.calibration.resembling_words import against_all
from searcher.calibration.weights import Evidence, Examples, Features, Weights
from searcher.evidence.features import FEATURES
from searcher.results.search_result import SearchResult
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
    rejects: bool = True  # whether phones of known terms count less where other words stand
    changes_examples: bool = False  # whether places have other evidence without it


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


def without_intercept() -> list[Patch]:
    """The constant part of u stays at 0 while all weights are learned."""

    def standardised(
        features: Features, names: Sequence[str]
    ) -> tuple[Float64s, Float64s, Float64s]:
        table = np.stack([features[name] for name in names], axis=1)
        deviation = table.std(axis=0)
        deviation[deviation == 0] = 1.0
        return table / deviation, np.zeros(len(names)), deviation

    def at_zero(loss: Callable[..., Any], start: Float64s, **options: Any) -> Any:
        bounds = [(0.0, 0.0), *[(None, None)] * (len(start) - 1)]
        return minimize(loss, np.append(0.0, start[1:]), bounds=bounds, **options)

    return [
        *replaced("searcher.calibration.weights", _standardised=standardised),
        *replaced("scipy.optimize", minimize=at_zero),
    ]


def no_words_explain(term: Sequence[str], paths: Sequence[object], *further: object) -> Float64s:
    """(n,) in place of `searcher.phonetic.path_words.explained`."""
    return np.zeros(len(paths))


def all_occur(log_evidence: Float64s, nowhere: int = 0, no_places: float = 0.0) -> Float64s:
    """(terms,) in place of `searcher.calibration.occurring_terms.occurrence_probability`."""
    return np.ones(len(log_evidence))


FOUND = "searcher.evidence"
PARTS = (
    Part("nothing"),
    Part("`log_e_rate` and `common`", frozenset({"log_e_rate", "common"})),
    *(Part(f"`{name}`", frozenset({name})) for name in sorted(FEATURES) if "spoken" not in name),
    Part("intercept", patches=without_intercept()),
    Part("rejected", patches=replaced(f"{FOUND}.features", REJECTED=1.0), rejects=False),
    Part("slope", patches=replaced("searcher.calibration.resembling_words", SLOPE=1.0)),
    Part("growth", patches=replaced("searcher.calibration.resembling_words", GROWTH=1.0)),
    Part(
        "words that resemble the term",
        patches=replaced("searcher.calibration.resembling_words", SLOPE=1.0, GROWTH=1.0),
    ),
    Part(
        "words that explain a place",
        patches=replaced(f"{FOUND}.pairing", explained=no_words_explain),
        changes_examples=True,
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

OF_SPOKEN_QUERIES = (
    Part("nothing"),
    Part("`spoken`", frozenset({"spoken"})),
    Part("confidence", patches=replaced("searcher.terms.variants", CONFIDENCE=1.0)),
    Part("unlisted", patches=replaced("searcher.terms.variants", UNLISTED=0.0)),
)
OF_SOUND = (
    Part("nothing"),
    Part("places that were only heard", patches=replaced(f"{FOUND}.heard", MOST_ALONE=0)),
    Part(
        "places compared in the sound",
        patches=replaced(f"{FOUND}.calibrate", alike=lambda p, *_: np.zeros(len(p))),
    ),
    Part(
        "words that explain a place that was only heard",
        patches=replaced(f"{FOUND}.calibrate", explained=no_words_explain),
    ),
    Part("phones heard", config={"phonetic_search": {"phones": "words"}}),
)


def of_part(of_set: KindsOfExamples, part: Part) -> KindsOfExamples:
    """The examples without its features."""

    def without(one: Examples) -> Examples:
        kept = {name: column for name, column in one.features.items() if name not in part.features}
        return one._replace(features=kept)

    oov, iv = map(without, of_set)
    if not part.rejects:
        iv = iv._replace(weighed=np.where(iv.by_phones, 1.0, iv.weighed))
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
    """A line of the table, while the part's patches are in force."""
    losses: list[tuple[Loss, Loss, Loss]] = []
    lists: list[dict[str, Measured]] = []
    if part.changes_examples:
        of_sets = [examples(one) for one in sets]
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
        lists.append(of_kinds(one, searched(configured(one, part), model)))
    of_unknown, of_larger, of_known = np.array(losses).mean(axis=0)
    error, value = np.mean(
        [(of_set["all"].error, of_set["all"].measures["ATWV"]) for of_set in lists], axis=0
    )
    known, unknown = (over_right(lists, kind) for kind in ("known", "unknown"))
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


def of_kinds(one: Listed, result: SearchResult) -> dict[str, Measured]:
    """The measures of all terms of its list, and of each kind."""
    return {of_kind.kind: of_kind for of_kind in rows(one, result, kinds(result))}


def over_right(lists: Sequence[Mapping[str, Measured]], kind: str) -> float:
    """The sum of the probabilities of all lists' terms of a kind, over how many are right."""
    of_kind = [of_set[kind] for of_set in lists if kind in of_set]
    return sum(one.total for one in of_kind) / sum(one.right for one in of_kind)


def without_each(parts: Sequence[Part], only: Sequence[str]) -> Iterator[Part]:
    """The parts that are asked for, each left out while its turn lasts."""
    for part in parts:
        if not only or part.name in only:
            with ExitStack() as stack:
                for patch in part.patches:
                    stack.enter_context(patch())
                yield part


def of_lists(data: Path, only: Sequence[str]) -> None:
    """Print the table of the sets' lists."""
    sets = [material(data, name, language) for name, language in SETS.items()]
    of_sets = [examples(one) for one in sets]
    headed(COLUMNS)
    for part in without_each(PARTS, only):
        print(line(part, sets, of_sets), flush=True)


def of_spoken_queries(data: Path, only: Sequence[str]) -> None:
    """Print the table of spoken queries."""
    limits = spoken_queries.MIN_LETTERS, spoken_queries.MAX_QUERIES
    point, names = spoken_queries.POINTS[0], spoken_queries.MEASURES
    queries = [
        one
        for name, language in (spoken_queries.SETS | spoken_queries.UNSEEN).items()
        for one in spoken_queries.directions(data / name, language, 1, *limits)
    ]
    headed(("without", *names))
    for part in without_each(OF_SPOKEN_QUERIES, only):
        coefficients = {
            name: 0.0 if name in part.features else value
            for name, value in WEIGHTS.coefficients.items()
        }
        weights = replace(WEIGHTS, coefficients=coefficients)
        found = [
            spoken_queries.measured(
                one, spoken_queries.searched(one, "spoken", point, weights), point
            )
            for one in queries
        ]
        means = (f"{np.mean([one[name] for one in found]):.3f}" for name in names)
        print(f"| {part.name} | {' | '.join(means)} |", flush=True)


def of_sound(data: Path, sound: Path, only: Sequence[str]) -> None:
    """Print the table of the phones heard."""
    with TemporaryDirectory() as folder:
        sets = [
            heard_evidence.material(data, sound, name, Path(folder) / str(number))
            for number, name in enumerate(heard_evidence.SETS)
        ]
        headed(("without", "ECE", "ATWV", "MTWV", "sum, known", "unknown"))
        for part in without_each(OF_SOUND, only):
            phones = part.config.get("phonetic_search", {}).get("phones", "both")
            lists = [of_kinds(one, heard_evidence.searched(one, phones)) for one in sets]
            everything = [of_set["all"] for of_set in lists]
            cells = np.mean(
                [(one.error, one.measures["ATWV"], one.measures["MTWV"]) for one in everything],
                axis=0,
            )
            print(
                f"| {part.name} | {cells[0]:.3f} | {cells[1]:.3f} | {cells[2]:.3f} | "
                f"{over_right(lists, 'known'):.2f} | {over_right(lists, 'unknown'):.2f} |",
                flush=True,
            )


def headed(columns: Sequence[str]) -> None:
    """Print the head of a table."""
    print(f"\n| {' | '.join(columns)} |\n|{len(columns) * '---|'}", flush=True)


def main() -> None:
    """Print the tables."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--sound", type=Path)
    parse.add_argument("--only", nargs="+", metavar="PART", default=[])
    args = parse.parse_args()
    of_lists(args.data, args.only)
    of_spoken_queries(args.data, args.only)
    if args.sound:
        of_sound(args.data, args.sound, args.only)


if __name__ == "__main__":
    main()
