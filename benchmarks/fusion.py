"""Compare ways to fuse several recognisers of the same speech.

    python -m benchmarks.fusion DATA [--leave-out]

DATA has the folders of `RECOGNISERS`, each with ``networks.jsonl``, ``ecf.xml``, ``ref.rttm`` and
``terms.xml``; ``slf/NAME`` are lattices and ``whisper_json`` transcripts, which `std-index` makes
networks of. The German folders
are searched for the terms of both lists. With ``--leave-out`` probabilities come from weights that
were learned on the sets of other languages; otherwise from the shipped ones. Ways:

    alone                    one recogniser
    max, noisy-or, mean      of the probabilities; 0 where one has no candidate
    logit mean               mean of the log odds, probabilities of at least `FLOOR`
    ratios                   log likelihood ratios, weighted and added up, then one rate posterior
                             per term; weight and penalty for a missing candidate tuned on the
                             other language
    quadratic mean, equal    root of the mean square
    quadratic mean           the same, weighted by how sure each recogniser is: what `--fuse` does
    with models              weighted by how much of what was spoken each recogniser has, measured
                             in the other half of the recordings: what `--fuse` does with a model
                             of each

Printed for each pair: ATWV and MTWV (NIST 2006), MAP, sum of the probabilities from .1 up over the
right ones among these hits, expected calibration error of these. Then how much more ATWV
``--fuse`` has than the better recogniser, without and with models, with 95 % intervals and the
p-value of a permutation of terms.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from benchmarks.calibration import (
    LEAST,
    SETS,
    Material,
    calibration_error,
    examples,
    labels,
    learned_elsewhere,
    material,
)
from indexer import index_files
from scoring.evaluate import Evaluation, evaluate
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from scoring.statistics.jackknife import UNITS
from scoring.statistics.significance import compare_systems
from searcher.calibration.model import Model, default_model
from searcher.calibration.occurrence_rate import (
    DETECTED,
    DEVIATION,
    rate_posterior,
)
from searcher.calibration.weights import Examples, Weights, fit
from searcher.found_terms import find_terms, prepare
from searcher.fusion.fused_candidates import FusedRecogniser, fuse
from searcher.fusion.pooling import MEASURED_SURENESS, measured, pool, weights
from searcher.index.searched_speech import SearchedSpeech, doubt
from searcher.output.hit_files import hit_list
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.results.hits import FusedVariant
from searcher.results.search_result import TermCandidates
from searcher.search import decide, judge
from searcher.tuning.confusion import spoken_doubt
from searcher.tuning.labels import make_transcript
from std.config import Config
from std.files import read
from std.nist import term_list
from std.nist.ecf import speech_s
from std.store import Segment, open_store
from std.values import Float64s, Int64s, Recording, TermList

RECOGNISERS = {  # name: folder, language
    "clean_v25k": ("german/clean_v25k", "de"),
    "calibrated_v100k": ("german/calibrated_v100k", "de"),
    "oov_added_v100k": ("german/oov_added_v100k", "de"),
    "lattices of clean_v25k": ("german/clean_v25k", "de"),
    "lattices of calibrated_v100k": ("german/calibrated_v100k", "de"),
    "clean_v30k": ("dutch/clean_v30k", "nl"),
    "oov_added_v30k": ("dutch/oov_added_v30k", "nl"),
    "draws of Whisper": ("english_whisper", "en"),
    "transcripts of Whisper": ("english_whisper", "en"),
}
NETWORKS = {"english_whisper": "hyb_sketch.jsonl"}  # by folder, where it is not networks.jsonl
LATTICES, TRANSCRIPTS = "lattices of ", "transcripts of "
PAIRS = (
    ("clean_v25k", "calibrated_v100k"),
    ("clean_v30k", "oov_added_v30k"),
    ("clean_v25k", "oov_added_v100k"),
    ("calibrated_v100k", "oov_added_v100k"),
    ("lattices of clean_v25k", "calibrated_v100k"),
    ("clean_v25k", "lattices of clean_v25k"),
    ("calibrated_v100k", "lattices of calibrated_v100k"),
    ("draws of Whisper", "transcripts of Whisper"),
)
TUNED_ON = {"de": PAIRS[1], "nl": PAIRS[0], "en": PAIRS[0]}  # the ratios' weights, by language
FLOOR = 1e-3
FUSE, WITH_MODELS = "**quadratic mean** (`--fuse`)", "**with models** (`--fuse --model`)"
RATIO_FEATURES = ("ratio", "missing")


class Fused(NamedTuple):
    """A pair of recognisers, fused."""

    one: Material
    found: TermCandidates
    probability: Float64s  # (places, 2) of each recogniser, 0 where it has none
    weight: Float64s  # (places, 2)
    by_transcript: Float64s  # (places, 2) weights that transcripts say

    @property
    def term(self) -> Int64s:
        """(places,) ascending."""
        return self.found.candidates.term


class Searched(NamedTuple):
    """One recogniser of a set."""

    one: Material
    recogniser: FusedRecogniser
    measured: Mapping[Recording, float]  # the doubt of each recording, by the other half


def recogniser(data: Path, name: str, terms: TermList, model: Model) -> Searched:
    """Index and search one."""
    folder, language = RECOGNISERS[name]
    one = material(data, f"{folder}/{NETWORKS.get(folder, 'networks.jsonl')}", language)
    one = replace(one, data=replace(one.data, terms=terms))
    with tempfile.TemporaryDirectory() as temporary:
        segments: tuple[Segment, ...] = (one.segment,)
        if name.startswith(LATTICES):
            lattices = data / "german" / "slf" / name.removeprefix(LATTICES)
            utterances = data / folder / "utts.tsv"
            index_files([lattices], temporary, segments=utterances, ecf=data / folder / "ecf.xml")
            segments = open_store(temporary).segments()
        elif name.startswith(TRANSCRIPTS):
            source = data / folder / "whisper_json"
            index_files([source], temporary, ecf=data / folder / "ecf.xml", language="English")
            segments = open_store(temporary).segments()
        with mock.patch("searcher.evidence.calibrate.default_model", return_value=model):
            index = prepare(segments, one.config)
            speech = SearchedSpeech(one.excerpts, speech_s(one.excerpts))
            (found,) = judge([find_terms(terms.terms, index, speech)], index)
        said = doubt(segments)
        by_half = measured_by_halves(one, segments, said)
        return Searched(one, FusedRecogniser(name, found, said), by_half)


def measured_by_halves(
    one: Material, segments: Sequence[Segment], said: Mapping[Recording, float]
) -> dict[Recording, float]:
    """The doubt of each recording, as the transcript of the other half of them says."""
    recordings = tuple(sorted({each.recording for of in segments for each in of.recordings}))
    rows = {recording: row for row, recording in enumerate(recordings)}
    indexes, _ = open_phonetic_indexes(segments, rows, one.config, None)
    assert indexes is not None
    transcript = make_transcript(one.data.lexemes, recordings, one.config.text)
    files = sorted({recording.file for recording in recordings})
    found: dict[Recording, float] = {}
    for half, other in ((files[::2], files[1::2]), (files[1::2], files[::2])):
        in_other = [row for recording, row in rows.items() if recording.file in other]
        of_half = measured(said, spoken_doubt(transcript.within(in_other), indexes))
        found |= {recording: of_half[recording] for recording in said if recording.file in half}
    return found


def fused(first: Searched, second: Searched) -> Fused:
    """The places of two recognisers."""
    pair = first.recogniser, second.recogniser
    found = fuse(pair)
    rows = []
    for variant in found.variants:
        assert isinstance(variant, FusedVariant)
        of_store = {finding.store: finding for finding in variant.found_by}
        rows.append([(of_store[r.store].probability, of_store[r.store].weight) for r in pair])
    table = np.array(rows)[found.candidates.variant]
    doubts = np.array(
        [[one.measured.get(each, np.inf) for one in (first, second)] for each in found.recordings]
    )
    by_transcript = weights(doubts[found.candidates.recording], MEASURED_SURENESS)
    return Fused(first.one, found, table[:, :, 0], table[:, :, 1], by_transcript)


def log_ratios(places: Fused) -> dict[str, Float64s]:
    """Of each place the mean log likelihood ratio of those that found it, and who did not.

    A recogniser's log ratio is about the log odds of its probability less the log of the term's
    rate, which is put where it is likeliest under the prior of rates, given the sum of the term's
    probabilities.
    """
    ratio = np.zeros_like(places.probability)
    for k, column in enumerate(places.probability.T):
        total = np.bincount(places.term, column, minlength=len(places.found.terms))
        log_rate = np.zeros_like(total)
        for _ in range(50):  # Newton
            slope = 1 / DEVIATION**2 + DETECTED * np.exp(log_rate)
            excess = log_rate / DEVIATION**2 + DETECTED * np.exp(log_rate)
            log_rate -= (excess - total) / slope
        found = column > 0
        ratio[found, k] = log_odds(column[found]) - log_rate[places.term[found]]
    return {"ratio": ratio.mean(axis=1), "missing": (places.probability == 0).mean(axis=1)}


def log_odds(probability: Float64s) -> Float64s:
    """(n,) finite."""
    clipped = np.clip(probability, 1e-12, 1 - 1e-9)
    odds: Float64s = np.log(clipped) - np.log1p(-clipped)
    return odds


def tuned(places: Fused) -> Weights:
    """Weights of the log ratios, learned from places that are right or wrong."""
    result = decide(places.found, lenient(places.one))
    right = labels(places.one, result)
    n = len(right)
    assert n == len(places.term)
    n_terms, known = len(places.found.terms), np.ones(n, dtype=bool)
    zeros = np.zeros(n)
    examples = Examples(log_ratios(places), zeros, places.term, n_terms, right, known, zeros)
    return fit(examples, RATIO_FEATURES)


def lenient(one: Material) -> Config:
    """The configuration, leaving out nothing."""
    return replace(
        one.config, search=replace(one.config.search, min_posterior=0.0, min_probability=0.0)
    )


def ways(places: Fused, ratio_weights: Weights) -> Iterator[tuple[str, Float64s]]:
    """Name and probabilities, if the term occurs, of each way to fuse."""
    p, occurs = places.probability, places.found.occurs[places.term]

    def if_occurring(fused: Float64s) -> Float64s:
        """As `searcher.fusion.fused_candidates.fuse`: what is fused has the doubt that it does."""
        return np.minimum(fused / occurs, 1.0)

    yield "max", if_occurring(p.max(axis=1))
    yield "noisy-or", if_occurring(1 - (1 - p).prod(axis=1))
    yield "mean", if_occurring(p.mean(axis=1))
    mean_odds = log_odds(np.maximum(p, FLOOR)).mean(axis=1)
    yield "logit mean", if_occurring(1 / (1 + np.exp(-mean_odds)))
    ratio = ratio_weights.intercept + sum(
        ratio_weights.coefficients[name] * column for name, column in log_ratios(places).items()
    )
    n_terms = len(places.found.terms)
    yield (
        "ratios, tuned on the other language",
        rate_posterior(
            ratio, places.term, n_terms, is_expected=np.ones(n_terms, dtype=bool)
        ).probability,
    )
    yield "quadratic mean, equal weights", if_occurring(np.sqrt((p**2).mean(axis=1)))
    yield FUSE, places.found.candidates.probability
    yield WITH_MODELS, if_occurring(pool(p, places.by_transcript))


class Measured(NamedTuple):
    """What one way brought."""

    evaluation: Evaluation
    cells: str  # of its row


def measures(one: Material, found: TermCandidates, probability: Float64s) -> Measured:
    """Decide and evaluate.

    Args:
        one: the speech.
        found: the places.
        probability: (places,) if the term occurs.
    """
    found = replace(found, candidates=found.candidates._replace(probability=probability))
    result = decide(found, one.config)
    right = labels(one, result)
    miss, alarm, prior = NAMED_POINTS["nist2006"][:3]
    assert prior is not None
    hits = hit_list(result, one.data.terms, "terms.xml", "fusion")
    options = ScoringOptions(OperatingPoint(miss, alarm, prior))
    scored = evaluate(one.data.ecf, one.data.lexemes, one.data.terms, hits, options)
    of_all = scored.groups[0].measures
    counted = result.probability >= LEAST
    p, y = result.probability[counted], right[counted]
    cells = (of_all["ATWV"], of_all["MTWV"], of_all["MAP"])
    row = " | ".join(
        [*(f"{cell:.3f}" for cell in cells), f"{p.sum() / max(y.sum(), 1):.2f}",
         f"{calibration_error(p, y):.3f}"]
    )  # fmt: skip
    return Measured(scored, row)


def against_better(fused: Measured, alone: Sequence[Measured]) -> str:
    """The cells of a row: ATWV of ``--fuse`` less that of the better recogniser, with intervals."""
    better = max(alone, key=lambda one: one.evaluation.groups[0].measures["ATWV"])
    compared = compare_systems([fused.evaluation, better.evaluation]).comparisons[0]
    difference = compared.differences["ATWV"]
    intervals = (difference.intervals[unit] for unit in UNITS)
    return " | ".join(
        [f"{difference.value:+.3f}", *(f"{one.low:+.3f} to {one.high:+.3f}" for one in intervals),
         f"{compared.p_value:.2f}"]
    )  # fmt: skip


def term_lists(data: Path) -> dict[str, TermList]:
    """By language: the German lists together."""
    lists = [
        read(term_list.parse, data / "german" / name / "terms.xml")
        for name in ("clean_v25k", "calibrated_v100k")
    ]
    by_text = {term.text: term for one in lists for term in one.terms}
    german = tuple(replace(term, term_id=f"DE-{i}") for i, term in enumerate(by_text.values()))
    return {
        "de": replace(lists[0], terms=german),
        "nl": read(term_list.parse, data / "dutch" / "clean_v30k" / "terms.xml"),
        "en": read(term_list.parse, data / "english_whisper" / "terms.xml"),
    }


def models(data: Path, *, leave_out: bool) -> Mapping[str, Model]:
    """By language: the shipped weights, or those learned on sets of other languages."""
    if not leave_out:
        return dict.fromkeys(("de", "nl", "en"), default_model())
    sets = [material(data, name, language) for name, language in SETS.items()]
    return learned_elsewhere(sets, [examples(one) for one in sets])


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--leave-out", action="store_true")
    args = parse.parse_args()
    terms = term_lists(args.data)
    of_language = models(args.data, leave_out=args.leave_out)
    known = {
        name: recogniser(args.data, name, terms[language], of_language[language])
        for name, (_, language) in RECOGNISERS.items()
    }
    places = {pair: fused(known[pair[0]], known[pair[1]]) for pair in PAIRS}
    of_ratios = {language: tuned(places[pair]) for language, pair in TUNED_ON.items()}
    print(
        "| recognisers | way | ATWV | MTWV | MAP | sum/right | ECE |\n|---|---|---|---|---|---|---|"
    )
    differences = []
    for pair, of_pair in places.items():
        one, alone = of_pair.one, []
        for i, name in enumerate(pair):
            found = known[name].recogniser.found
            alone.append(measures(one, found, found.candidates.probability))
            both = "" if i else f"{' + '.join(pair)} "
            print(f"| {both}| {name} alone | {alone[-1].cells} |", flush=True)
        for way, probability in ways(of_pair, of_ratios[one.language]):
            of_way = measures(one, of_pair.found, probability)
            print(f"| | {way} | {of_way.cells} |", flush=True)
            if way in (FUSE, WITH_MODELS):
                named = " + ".join(pair) if way == FUSE else "with models"
                differences.append(f"| {named} | {against_better(of_way, alone)} |")
    print("\n| recognisers | ATWV more | by terms | by recordings | p |\n|---|---|---|---|---|")
    print("\n".join(differences))


if __name__ == "__main__":
    main()
