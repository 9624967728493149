"""Learn the shipped weights, and measure probabilities on sets that they were not learned on.

    python -m benchmarks.calibration DATA [--write searcher/calibration/model.py]

DATA has the networks of `SETS` and `MEASURED`, and beside them ``ecf.xml``, ``ref.rttm`` and
``terms.xml``. The weights are learned from `SETS` together; in the table each set is searched with
weights learned from those of other languages (leave one language out), then with those of all
(*seen*). Printed for all, known and unknown terms of the term list:

    hits, sum, right   hits of probability .1 and more, the sum of their probabilities, and how
                       many are right
    ece                expected calibration error of these hits, ten bins
    exact              the same if all probabilities were exact: mean of draws of what is right
    ATWV, MTWV, OTWV   NIST 2006, of all terms of the kind
    MAP                mean average precision of the terms that occur
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from unittest import mock

import numpy as np
from scipy.optimize import minimize

from benchmarks.german import Data, indexed
from benchmarks.larger_archives import with_false_alarms
from indexer.formats.readers import jsonl
from scoring.evaluate import evaluate
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from searcher.calibration.model import WEIGHTS, Model
from searcher.calibration.weights import Examples, Weights, fit, together
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.output.hit_files import hit_list
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.results.search_result import SearchResult
from searcher.search import search
from searcher.tuning.development_set import lexical_candidates
from searcher.tuning.examples import (
    JudgedSpeech,
    KindsOfExamples,
    by_transcript,
    examples_of_phrases,
)
from searcher.tuning.labels import correct_hits, find_occurrences, make_transcript
from searcher.tuning.learning import queries
from std.config import Config
from std.files import read
from std.nist import ecf, rttm, term_list
from std.nist.ecf import speech_s
from std.phonetics.confusion import empty
from std.store.resident import ResidentSegment
from std.values import Bools, Float64s
from tests.networks import networks_in

SETS = {  # folder and file of the networks, language
    "german/clean_v25k/networks.jsonl": "de",
    "german/calibrated_v100k/networks.jsonl": "de",
    "dutch/clean_v30k/networks.jsonl": "nl",
    "english/networks.jsonl": "en",
    "english_whisper/hyb_sketch.jsonl": "en",
    "spanish/clean_v30k/networks.jsonl": "es",
}
MEASURED = {  # of the same speech and list, after its unknown words were added or its model adapted
    "german/oov_added_v100k/networks.jsonl": "de",
    "dutch/oov_added_v30k/networks.jsonl": "nl",
    "spanish/adapted_v30k/networks.jsonl": "es",
    "spanish/oov_added_v30k/networks.jsonl": "es",
}
KNOWN = ("known", "expected")  # weights of a known term's places where other words stand
LEAST = 0.1  # probability of the hits that are counted
BINS = 10
SEED = 1
DRAWS = 300


@dataclass(frozen=True)
class Material:
    """One set, indexed."""

    name: str
    language: str
    data: Data
    config: Config
    segment: ResidentSegment

    @property
    def excerpts(self) -> Any:
        """The searched speech."""
        return self.data.ecf.excerpts


class Listed(Protocol):
    """A set with a list of terms."""

    @property
    def data(self) -> Data:
        """Its files."""

    @property
    def config(self) -> Config:
        """How it is searched."""


def material(data: Path, name: str, language: str) -> Material:
    """Read and index one set."""
    path = data / name
    folder = path.parent
    with path.open("rb") as stream:
        networks = list(networks_in(jsonl.parse(stream, path)))
    content = Data(
        folder,
        networks,
        read(ecf.parse, folder / "ecf.xml"),
        read(rttm.parse, folder / "ref.rttm"),
        read(term_list.parse, folder / "terms.xml"),
    )
    config = Config()
    config = replace(config, pronunciation=replace(config.pronunciation, language=language))
    return Material(name, language, content, config, indexed(networks, config))


def examples(one: Material) -> KindsOfExamples:
    """Labelled candidates of words of the transcript and of the term list."""
    recordings = tuple(indexed.recording for indexed in one.segment.recordings)
    indexes, _ = open_phonetic_indexes(
        [one.segment], {recording: i for i, recording in enumerate(recordings)}, one.config, None
    )
    assert indexes is not None
    transcript = make_transcript(one.data.lexemes, recordings, one.config.text)
    terms = [one.config.text.phrase(term.text) for term in one.data.terms.terms]
    oov, in_vocabulary = queries(transcript, indexes, terms, SEED)
    search_by_words = partial(lexical_candidates, segments=[one.segment], config=one.config)
    speech = JudgedSpeech(indexes, search_by_words, recordings, one.excerpts)
    found = examples_of_phrases(by_transcript(transcript), speech, oov, in_vocabulary)
    return found._replace(oov=with_false_alarms(found.oov, oov, speech))


def learned(of_sets: Sequence[KindsOfExamples], begin: Weights | None = None) -> Model:
    """The weights of several sets together; those of spoken queries stay.

    What phones say is learned as if it counted in full everywhere. Where other words stand for a
    known term it counts less (`REJECTED`), and weights of such places are learned again.

    Args:
        of_sets: the examples of each set.
        begin: where the search for weights begins; None: at 0.
    """
    every = together([kind for of_set in of_sets for kind in of_set])
    is_unwritten = np.logical_and(every.by_phones, every.of_expected)
    in_full = np.where(is_unwritten, 1.0, every.weighed)
    weights = of_known_terms(
        fit(every._replace(weighed=in_full), sorted(every.features), begin=begin),
        together([of_set.iv for of_set in of_sets]),
    )
    spoken = {
        name: value for name, value in WEIGHTS.coefficients.items() if name.startswith("spoken")
    }
    return Model("", empty([]), replace(weights, coefficients={**weights.coefficients, **spoken}))


def learned_elsewhere(
    sets: Sequence[Material], of_sets: Sequence[KindsOfExamples], begin: Weights | None = None
) -> dict[str, Model]:
    """For each language, the weights of the sets of all others.

    Args:
        sets: in any languages.
        of_sets: the examples of each.
        begin: see `learned`.
    """
    both = list(zip(sets, of_sets, strict=True))
    return {
        language: learned([of_set for one, of_set in both if one.language != language], begin)
        for language in sorted({one.language for one in sets})
    }


def of_known_terms(weights: Weights, examples: Examples) -> Weights:
    """The weights with `KNOWN` learned again, and all others as they are."""

    names = [name for name in KNOWN if name in weights.coefficients]

    def of_values(values: Float64s) -> Weights:
        own = dict(zip(names, values.tolist(), strict=True))
        return replace(weights, coefficients={**weights.coefficients, **own})

    def loss(values: Float64s) -> float:
        return float(examples.errors(of_values(values)).sum())

    begin = np.array([weights.coefficients[name] for name in names])
    found = minimize(loss, begin, method="Nelder-Mead", options={"xatol": 1e-3, "fatol": 1e-2})
    return of_values(found.x)


def searched(one: Material, model: Model, **options: Any) -> SearchResult:
    """Search the term list without a tuned model, with these weights as the shipped ones."""
    index = prepare([one.segment], one.config)
    with mock.patch("searcher.evidence.calibrate.default_model", return_value=model):
        return search(
            one.data.terms.terms,
            index,
            SearchedSpeech(one.excerpts, speech_s(index.copies.searched(one.excerpts))),
            **options,
        )


def labels(one: Listed, result: SearchResult) -> Bools:
    """(n,) which hits are right."""
    transcript = make_transcript(one.data.lexemes, result.recordings, one.config.text)
    candidates = result.candidates
    return correct_hits(
        candidates.term,
        candidates.recording,
        candidates.start_ms,
        candidates.end_ms,
        result.probability,
        find_occurrences(transcript, result.words),
    )


def calibration_error(probability: Float64s, right: Bools) -> float:
    """Expected calibration error: mean distance of probability and share of right ones, by bin."""
    bins = np.minimum((BINS * probability).astype(int), BINS - 1)
    distance = np.bincount(bins, probability) - np.bincount(bins, right)
    return float(np.abs(distance).sum() / max(1, len(right)))


def error_of_exact(probability: Float64s) -> float:
    """Mean calibration error of so many hits whose probabilities are exact."""
    draws = np.random.default_rng(SEED).random((DRAWS, len(probability))) < probability
    return float(np.mean([calibration_error(probability, right) for right in draws]))


class Measured(NamedTuple):
    """What a search is worth, for terms of one kind; see the module."""

    kind: str
    hits: int
    total: float  # sum of the probabilities
    right: int
    error: float  # calibration error
    exact: float  # that of exact probabilities
    measures: Mapping[str, float]

    def cells(self, *names: str) -> str:
        """A part of a line of a table: the columns above, then the measures named."""
        ratio = self.total / self.right if self.right else float("nan")
        counts = f"{self.kind} | {self.hits} | {self.total:.1f} | {self.right} | {ratio:.2f}"
        values = " | ".join(f"{self.measures[name]:.3f}" for name in names)
        return f"{counts} | {self.error:.3f} | {self.exact:.3f} | {values}"


def kinds(result: SearchResult) -> list[str]:
    """Of each term: known, or unknown with a word that the recogniser did not write."""
    return ["unknown" if words else "known" for words in result.oov_words]


def rows(one: Listed, result: SearchResult, kind_of: Sequence[str]) -> Iterator[Measured]:
    """The measures of all terms, then of each kind."""
    right = labels(one, result)
    miss, alarm = NAMED_POINTS["nist2006"][:2]
    prior = NAMED_POINTS["nist2006"][2]
    assert prior is not None
    options = ScoringOptions(OperatingPoint(miss, alarm, prior), group_by=("attribute:Kind",))
    terms = replace(
        one.data.terms,
        terms=tuple(
            replace(term, attributes={"Kind": kind})
            for term, kind in zip(one.data.terms.terms, kind_of, strict=True)
        ),
    )
    hits = hit_list(result, terms, "terms.xml", "calibration")
    scored = evaluate(one.data.ecf, one.data.lexemes, terms, hits, options).groups
    for group in scored:
        kind = group.name.removeprefix("Kind-")
        of_kind = np.array([kind in ("all", of_term) for of_term in kind_of])
        here = of_kind[result.candidates.term] & (result.probability >= LEAST)
        p, y = result.probability[here], right[here]
        error, exact = calibration_error(p, y), error_of_exact(p)
        yield Measured(kind, len(p), float(p.sum()), int(y.sum()), error, exact, group.measures)


def table(title: str, one: Material, result: SearchResult) -> None:
    """Print the lines of one set."""
    for row in rows(one, result, kinds(result)):
        print(f"| {title} | {row.cells('ATWV', 'MTWV', 'OTWV', 'MAP')} |", flush=True)


def write_weights(path: Path, name: str, weights: Weights) -> None:
    """Write weights into a module, in place of those of its constant.

    Args:
        path: such as searcher/calibration/model.py.
        name: of the constant.
        weights: ordered by their names there.
    """
    lines = "".join(
        f'        "{key}": {value:.4g},\n' for key, value in sorted(weights.coefficients.items())
    )
    source = f"{name} = Weights(\n    {weights.intercept:.4g},\n    {{\n{lines}    }},\n)\n"
    former = re.compile(rf"^{name} = Weights\(\n.*?^\)\n", re.DOTALL | re.MULTILINE)
    path.write_text(former.sub(source, path.read_text("utf-8")), encoding="utf-8")


def main() -> None:
    """Print the table; write the weights if asked to."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--write", type=Path, metavar="FILE")
    args = parse.parse_args()
    sets, further = (
        [material(args.data, name, language) for name, language in some.items()]
        for some in (SETS, MEASURED)
    )
    of_sets = [examples(one) for one in sets]
    print(
        "| set | terms | hits | sum | right | sum/right | ece | exact | ATWV | MTWV | OTWV | MAP |"
    )
    print("|" + 12 * "---|")
    of_others = learned_elsewhere(sets, of_sets)
    for one in (*sets, *further):
        table(one.name.rpartition("/")[0], one, searched(one, of_others[one.language]))
    model = learned(of_sets)
    for one in (*sets, *further):
        table(f"{one.name.rpartition('/')[0]}, seen", one, searched(one, model))
    if args.write:
        write_weights(args.write, "WEIGHTS", model.weights)


if __name__ == "__main__":
    main()
