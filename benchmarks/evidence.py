"""Repeat chapter 5 of Wu's thesis (2012) on real German speech: methods for OOV terms.

    python -m benchmarks.evidence DATA [--images docs/images]

DATA has the sets ``calibrated_v100k``, ``clean_v25k`` and ``oov_added_v100k`` (the thesis's OOV_CN:
out-of-vocabulary words were added to the recogniser); each has ``networks.jsonl``, ``ecf.xml``,
``ref.rttm`` and ``terms.xml``. Half A is every second of the sorted files, half B the others. The
model that std-tune learned on one half searches the other; systems without a model learn nothing.

    tables    every system, each half searched with the model of the other, all files scored
    folds     each half alone: indexed, searched and scored without the other
    recovered (system - plain) / (plain with the words added - plain), of the ATWV
    figures   ATWV by number of candidates (5.2) and by threshold (5.3 all terms, 5.4 OOV terms)

A group is the value of the term list's attribute OOV: compound, other, or none. The measures are
computed by std-score's code, at the operating points of NIST 2006 and of MediaEval SWS 2013.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from benchmarks import calibration
from benchmarks.german import CONFIGS, POINTS, Data, cross_validated, indexed, read, tuned_on
from scoring.evaluate import evaluate
from scoring.group import Group
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from scoring.report.plot import COLOURS
from searcher.calibration.model import Model
from searcher.decisions import rule_for
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.output.hit_files import hit_list
from searcher.results.search_result import SearchResult
from searcher.search import search
from std.config import Config, ExpansionConfig, SplittingConfig, load_config
from std.nist.ecf import speech_s
from std.store.resident import ResidentSegment

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SETS, ADDED = ("calibrated_v100k", "clean_v25k"), "oov_added_v100k"
GROUPS = {"all": "all", "OOV-compound": "compound", "OOV-other": "other", "OOV-none": "known"}
COUNTS = (1, 2, 5, 10, 20, 30, 40, 50)
METHODS: tuple[Literal["levenshtein", "dice", "pronunciation"], ...] = (
    "levenshtein", "dice", "pronunciation",
)  # fmt: skip

PLAIN = load_config(CONFIGS / "plain.toml")
THESIS = load_config(CONFIGS / "thesis.toml")
DEFAULT = Config()
Groups = Mapping[str, Group]
Learned = Literal["nothing", "model", "prior"]


def split(
    method: Literal["primitive", "rules", "trie"] = "trie",
    edits: int = 2,
    ratio: float = 0.2,
    ranking: Literal["geometric", "weighted"] = "geometric",
) -> SplittingConfig:
    """Splitting of unknown words; `linear` and `bktree` find what `trie` does."""
    return SplittingConfig("unknown", method, edits, ratio, 25, ranking)


def expand(method: Literal["levenshtein", "dice", "pronunciation"], n: int = 50) -> ExpansionConfig:
    """Expansion of unknown words by one method."""
    return ExpansionConfig("unknown", (method,), n)


@dataclass(frozen=True)
class Material:
    """One set, whole or a half of it, indexed, with what was learned without each part of it.

    Models come one for all, or one for each half.
    """

    data: Data
    models: tuple[Model, ...]  # of std-tune
    priors: tuple[Model, ...]  # as untuned search has, which was itself fitted on these sets

    @cached_property
    def seconds(self) -> float:
        """Of speech."""
        return speech_s(self.data.ecf.excerpts)

    @cached_property
    def segment(self) -> ResidentSegment:
        """Index."""
        return indexed(self.data.networks, DEFAULT)

    def found(self, config: Config, learned: Learned = "nothing") -> SearchResult:
        """Search; scores are posteriors times similarities, or probabilities, not yet decided."""
        models = {"nothing": (), "model": self.models, "prior": self.priors}[learned]
        if len(models) > 1:
            return cross_validated(self.data, config, list(models))
        raw = replace(config, decision=replace(config.decision, rule="global"))
        return search(
            self.data.terms.terms,
            prepare([self.segment], raw, models[0] if models else None),
            SearchedSpeech(self.data.ecf.excerpts, self.seconds),
        )

    def decided(
        self, found: SearchResult, config: Config, point: str, learned: Learned = "nothing"
    ) -> SearchResult:
        """Rescale scores so that 0.5 is the decision at an operating point."""
        decision = replace(config.decision, beta=POINTS[point])
        rule = rule_for(decision, calibrated=config.calibration.words == "all")
        term, n = found.candidates.term, len(found.terms)
        score = rule(term, found.probability, n, self.seconds, decision)
        return replace(found, decision_score=score)

    def scored(self, found: SearchResult, point: str) -> Groups:
        """Score the decisions: the groups of terms that occur, by name."""
        false_alarm, miss, prior = NAMED_POINTS[point]
        assert prior is not None
        options = ScoringOptions(
            OperatingPoint(false_alarm, miss, prior), group_by=("attribute:OOV",)
        )
        data = self.data
        hits = hit_list(found, data.terms, "terms.xml", "evidence")
        result = evaluate(data.ecf, data.lexemes, data.terms, hits, options)
        return {GROUPS[one.name]: one for one in result.groups if one.name in GROUPS}

    def results(self, config: Config, learned: Learned = "nothing") -> dict[str, Groups]:
        """Scores by operating point."""
        found = self.found(config, learned)
        return {
            point: self.scored(self.decided(found, config, point, learned), point)
            for point in POINTS
        }


def half(data: Data, k: int) -> Data:
    """Every second file, from the first (0) or the second (1)."""
    files = set(sorted({one.recording.file for one in data.networks})[k::2])
    return replace(
        data,
        networks=[one for one in data.networks if one.recording.file in files],
        ecf=replace(
            data.ecf,
            excerpts=tuple(one for one in data.ecf.excerpts if one.recording.file in files),
        ),
    )


def materials(data: Data) -> list[Material]:
    """The whole set, half A and half B; each searched by models that did not see it."""
    halves = [half(data, k) for k in (0, 1)]
    models = tuple(tuned_on(one.networks, one, DEFAULT) for one in halves[::-1])
    priors = tuple(prior_on(one) for one in halves[::-1])
    alone = [Material(one, (models[k],), (priors[k],)) for k, one in enumerate(halves)]
    return [Material(data, models, priors), *alone]


def prior_on(data: Data) -> Model:
    """The shipped weights as they would be if learned on this half only."""
    segment = indexed(data.networks, DEFAULT)
    material = calibration.Material("half", "de", data, DEFAULT, segment)
    return calibration.learned([calibration.examples(material)])


def systems() -> Iterator[tuple[str, Config, Learned]]:
    """What is compared: name, configuration, what it learned from the other half."""
    yield "plain", PLAIN, "nothing"
    yield "primitive splitting", replace(PLAIN, splitting=split("primitive")), "nothing"
    yield "rules", replace(PLAIN, splitting=split("rules")), "nothing"
    for edits, ratio in ((1, 0.1), (2, 0.2), (3, 0.3)):
        name = f"splitting K={edits} R={ratio}"
        yield name, replace(PLAIN, splitting=split("trie", edits, ratio)), "nothing"
    weighted = replace(PLAIN, splitting=split(ranking="weighted"))
    yield "splitting K=2 R=0.2, weighted", weighted, "nothing"
    for method in METHODS:
        yield f"{method}, 50", replace(PLAIN, expansion=expand(method)), "nothing"
    for method in METHODS[:2]:
        both = replace(PLAIN, splitting=split(), expansion=expand(method))
        yield f"splitting + {method}, 50", both, "nothing"
    yield "**thesis.toml** (splitting + pronunciation, 50)", THESIS, "nothing"
    yield "default, no model, prior as shipped", DEFAULT, "nothing"
    yield "**default, no model**, prior of the other half", DEFAULT, "prior"
    yield "**default, model**", DEFAULT, "model"


def table(title: str, rows: Mapping[str, Groups]) -> None:
    """ATWV by group; mean P_miss and P_fa and counts of all terms."""
    print(f"\n**{title}**\n")
    print("| system | all | compound | other | known | P_miss | P_fa | right | false | missed |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, groups in rows.items():
        twv = " | ".join(f"{groups[one].measures['ATWV']:.3f}" for one in GROUPS.values())
        whole = groups["all"]
        counts = " | ".join(str(n) for n in tally(whole))
        p_miss, p_fa = whole.measures["P_miss"], whole.measures["P_fa"]
        print(f"| {name} | {twv} | {p_miss:.3f} | {1e5 * p_fa:.1f}e-5 | {counts} |", flush=True)


def tally(group: Group) -> tuple[int, int, int]:
    """Hits accepted and right, accepted and wrong, occurrences missed; of terms that occur."""
    counts = group.counts
    right = int(counts.corr[group.counted].sum())
    wrong = int(counts.fa[group.counted].sum())
    return right, wrong, int(counts.targets[group.counted].sum()) - right


def optima(rows: Mapping[str, Mapping[str, Groups]]) -> None:
    """How much the decisions lose: ATWV against the best thresholds."""
    names = ("ATWV", "MTWV", "OTWV", "STWV")
    print(f"\n| system | point | {' | '.join(names)} |\n|---|---|---|---|---|---|")
    for system in list(rows)[-4:]:
        for point, groups in rows[system].items():
            numbers = " | ".join(f"{groups['all'].measures[one]:.3f}" for one in names)
            print(f"| {system} | {point} | {numbers} |", flush=True)


def recovered(sets: Sequence[Material], added: Sequence[Material]) -> None:
    """Which share of the way from plain search to a recogniser that knows the words is gone."""
    print(
        "\n| tested on | point | plain | words added | no model | recovered | model | recovered |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, here, there in zip(("all", "half A", "half B"), sets, added, strict=True):
        plain, upper = here.results(PLAIN), there.results(PLAIN)
        prior, tuned = here.results(DEFAULT, "prior"), here.results(DEFAULT, "model")
        for point in POINTS:
            low, high, untuned, best = (
                one[point]["all"].measures["ATWV"] for one in (plain, upper, prior, tuned)
            )
            shares = [(one - low) / (high - low) for one in (untuned, best)]
            print(
                f"| {name} | {point} | {low:.3f} | {high:.3f} | {untuned:.3f} | {shares[0]:.0%} | "
                f"{best:.3f} | {shares[1]:.0%} |",
                flush=True,
            )


def unknown_atwv(groups: Groups) -> float:
    """ATWV of the terms with unknown words: compounds and others, each term once."""
    parts = [groups["compound"], groups["other"]]
    terms = [int(np.count_nonzero(one.counted)) for one in parts]
    return float(np.average([one.measures["ATWV"] for one in parts], weights=terms))


def draw_candidates(name: str, material: Material, folder: Path) -> None:
    """Figure 5.2: ATWV by number of candidates, each method alone and after splitting."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4), layout="constrained")
    print(f"\n| {name}: ATWV with candidates | {' | '.join(map(str, COUNTS))} |")
    print("|---|" + "---|" * len(COUNTS))
    for panel, point in zip(figure.subplots(1, 2), POINTS, strict=True):
        panel.set(xlabel="candidates per word and method", ylabel="ATWV", title=point)
        for colour, method in zip(COLOURS, METHODS, strict=False):
            for splitting, style in ((PLAIN.splitting, ":"), (split(), "-")):
                label = method if style == ":" else f"splitting + {method}"
                values = []
                for n in COUNTS:
                    config = replace(PLAIN, splitting=splitting, expansion=expand(method, n))
                    found = material.decided(material.found(config), config, point)
                    values.append(material.scored(found, point)["all"].measures["ATWV"])
                print(
                    f"| {label}, {point} | {' | '.join(f'{x:.3f}' for x in values)} |", flush=True
                )
                panel.plot(COUNTS, values, style, color=colour, marker=".", label=label)
        panel.grid(alpha=0.3)
    panel.legend(fontsize="small")
    save(figure, folder / f"evidence-candidates-{name}.svg")


def draw_thresholds(name: str, material: Material, folder: Path) -> None:
    """Figures 5.3 and 5.4: ATWV by threshold, NIST 2006, for all and for unknown terms."""
    from matplotlib.figure import Figure

    def ruled(config: Config, rule: Literal["global", "term-specific"]) -> Config:
        return replace(config, decision=replace(config.decision, rule=rule))

    point = "nist2006"
    lines: dict[str, tuple[Config, Learned]] = {
        "thesis.toml, global threshold": (ruled(THESIS, "global"), "nothing"),
        "thesis.toml, term-specific": (THESIS, "nothing"),
        "default with model, global threshold": (ruled(DEFAULT, "global"), "model"),
        "default with model, term-specific": (ruled(DEFAULT, "term-specific"), "model"),
        "default with model, exact": (DEFAULT, "model"),
    }
    thresholds = np.array([0.01, 0.02, 0.05, *np.arange(0.1, 0.95, 0.1), 0.95, 0.98, 0.99])
    figure = Figure(figsize=(9, 4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for colour, (label, (config, learned)) in zip(COLOURS, lines.items(), strict=False):
        found = material.decided(material.found(config, learned), config, point, learned)
        whole, unknown = [], []
        for threshold in thresholds:
            yes = (found.decision_score >= threshold).astype(np.float64)
            at = replace(found, decision_score=yes)
            groups = material.scored(at, point)
            whole.append(groups["all"].measures["ATWV"])
            unknown.append(unknown_atwv(groups))
        for panel, values in zip(panels, (whole, unknown), strict=True):
            panel.plot(thresholds, values, color=colour, label=label, marker=".")
    for panel, title in zip(panels, ("all terms", "terms with unknown words"), strict=True):
        panel.set(xlabel="threshold of the decided score", ylabel="ATWV", title=title, ylim=(0, 1))
        panel.grid(alpha=0.3)
    panels[0].legend(fontsize="small", loc="lower center")
    save(figure, folder / f"evidence-thresholds-{name}.svg")


def save(figure: "Figure", path: Path) -> None:
    """Write a drawing: the same bytes for the same numbers."""
    import matplotlib as mpl

    mpl.rcParams.update({"svg.hashsalt": "std", "svg.fonttype": "none"})
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print tables, draw figures."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--images", type=Path, metavar="FOLDER", help="draw the figures here")
    args = parse.parse_args()
    added = materials(read(args.data / ADDED))
    for name in SETS:
        sets = materials(read(args.data / name))
        rows = {title: sets[0].results(config, learned) for title, config, learned in systems()}
        for point in POINTS:
            table(f"{name}, {point}", {title: found[point] for title, found in rows.items()})
        optima(rows)
        if name.endswith("v100k"):
            reference = {
                "plain": added[0].results(PLAIN),
                "splitting K=2 R=0.2": added[0].results(replace(PLAIN, splitting=split())),
                "pronunciation, 50": added[0].results(
                    replace(PLAIN, expansion=expand("pronunciation"))
                ),
                "thesis.toml": added[0].results(THESIS),
                "default, no model": added[0].results(DEFAULT, "prior"),
                "default, model": added[0].results(DEFAULT, "model"),
            }
            for point in POINTS:
                title = f"{ADDED}, {point}: the words are in the recogniser"
                table(title, {system: found[point] for system, found in reference.items()})
            recovered(sets, added)
        if args.images:
            args.images.mkdir(parents=True, exist_ok=True)
            draw_thresholds(name, sets[0], args.images)
            draw_candidates(name, sets[0], args.images)


if __name__ == "__main__":
    main()
