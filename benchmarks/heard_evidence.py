"""Learn the weights of the phones heard, and measure search with them on sets left out.

    python -m benchmarks.heard_evidence DATA SOUND [--write searcher/calibration/model.py]

DATA has the networks of `SETS` with ``ecf.xml``, ``ref.rttm`` and ``terms.xml`` beside them; SOUND
has a folder of NAME.sound for each (``std-recognise --sound-only``). Each set is searched with
weights learned from the sets of other languages; English from these and from every other recording
of its own. What words and guessed phones are worth is what is shipped. Printed for the search
without the phones heard (*words*) and with them (*both*): hits of probability .1 and more, the sum
of their probabilities and how many are right, the wrong and the right ones from .5 up; ATWV, MTWV,
OTWV (NIST 2006) and MAP, of all terms and by an attribute of the term list.

Terms to learn from are words and pairs of the transcript, the term list, and words that nobody
says (`searcher.phonetic.null_distribution`). Of the terms that the recogniser knows, `KNOCKED_OUT`
lose all places where words or guessed phones find them, and count as terms that it does not know.
Words that are written where a term is only heard explain it in search, not here: weights learned
with that trust places without such words too much (docs/phones-heard-measurements.md).
How much it counts that places sound alike is learned from the term lists.
"""

import argparse
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy.optimize import minimize

from benchmarks.calibration import LEAST, write_weights
from benchmarks.german import Data
from indexer import index_files
from scoring.evaluate import evaluate
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from searcher.calibration.model import default_model
from searcher.calibration.weights import Evidence, Weights, examples_of, fit
from searcher.evidence import calibrate, heard
from searcher.evidence.calibrate import TermEvidence
from searcher.evidence.heard import EVEN, MOST_BY_CHANCE, heard_evidence, places_alone
from searcher.evidence.pairing import pair_with_hits
from searcher.found_terms import prepare
from searcher.heard.search import HeardSound, heard_archive
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import recording_table
from searcher.output.hit_files import hit_list
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.phonetic.layout import PhoneticHits
from searcher.phonetic.null_distribution import draw_decoy_words
from searcher.phonetic.ratios import pronounced
from searcher.results.candidates import NO_CANDIDATES, Candidates, Spans, concatenate
from searcher.results.search_result import SearchResult
from searcher.search import search
from searcher.tuning.development_set import lexical_candidates
from searcher.tuning.examples import JudgedSpeech
from searcher.tuning.labels import Phrase, correct_hits, find_occurrences, make_transcript
from searcher.tuning.learning import queries
from std.config import Config
from std.files import read
from std.nist import ecf, rttm, term_list
from std.nist.ecf import speech_s
from std.store import Segment, open_store
from std.values import ECF, Bools, Float64s, Lexemes, TermList

SETS = {  # networks, language, folder of the sound, attribute of the term list
    "german/clean_v25k": ("networks.jsonl", "de", "german", "OOV"),
    "german/calibrated_v100k": ("networks.jsonl", "de", "german", "OOV"),
    "dutch/clean_v30k": ("networks.jsonl", "nl", "dutch", "OOV"),
    "english_whisper": ("whisper_json", "en", "english", "Grep"),  # the transcript
    "english_whisper/": ("hyb_sketch.jsonl", "en", "english", "Grep"),  # draws
}
SEED = 1
MOST_UNKNOWN, MOST_KNOWN = 350, 350  # terms to learn from, of each set
KNOCKED_OUT = 0.3  # of the known ones
ABSENT = 8  # terms that nobody says, of each length
UNKNOWN, KNOWN = "unknown", "known"
FIRST = 1000.0  # that what is written is taken for an occurrence, before what is heard
TELLING = -8.0  # log ratio, from which on places that were not heard teach something
MEASURES = ("ATWV", "MTWV", "OTWV", "MAP")


@dataclass(frozen=True)
class Material:
    """One set, indexed with its sound."""

    name: str
    language: str
    attribute: str
    ecf: ECF
    lexemes: Lexemes
    terms: TermList
    config: Config
    segments: Sequence[Segment]

    @property
    def data(self) -> Data:
        """Its files, for `benchmarks.calibration.rows`."""
        return Data(Path(self.name), [], self.ecf, self.lexemes, self.terms)


def material(data: Path, sound: Path, name: str, store: Path) -> Material:
    """Read and index one set."""
    networks, language, of_sound, attribute = SETS[name]
    folder, path = data / name, data / name / networks
    paths = sorted(path.glob("*.json")) if path.is_dir() else [path]
    report = index_files(paths, store, language=language, sound=sound / of_sound)
    print(f"{name} {networks}: {report.heard[0].line()}", flush=True)
    config = Config()
    return Material(
        f"{name} {networks}",
        language,
        attribute,
        read(ecf.parse, folder / "ecf.xml"),
        read(rttm.parse, folder / "ref.rttm"),
        read(term_list.parse, folder / "terms.xml"),
        replace(config, pronunciation=replace(config.pronunciation, language=language)),
        open_store(str(store)).segments(),
    )


class Learned(NamedTuple):
    """A term to learn from."""

    kind: str
    evidence: Evidence
    recording: np.ndarray  # (n,) of each place, a row of the set's table
    is_right: Bools  # (n,)

    def within(self, is_there: Bools) -> "Learned":
        """Its places in some recordings."""
        return self.rows(is_there[self.recording])

    def rows(self, some: Bools) -> "Learned":
        """Some of its places."""
        rows = np.flatnonzero(some)
        features = {name: column[rows] for name, column in self.evidence.features.items()}
        weighed = np.broadcast_to(self.evidence.weighed, self.is_right.shape)[rows]
        offset, is_expected = self.evidence.offset[rows], self.evidence.is_expected
        evidence = Evidence(features, offset, weighed=weighed, is_expected=is_expected)
        return Learned(self.kind, evidence, self.recording[rows], self.is_right[rows])


def lessons(one: Material) -> list[Learned]:
    """The terms of a set with all their places."""
    table = recording_table(one.segments)
    indexes, _ = open_phonetic_indexes(one.segments, table.row_of, one.config, None)
    assert indexes is not None
    archive = heard_archive(indexes)
    assert archive is not None
    transcript = make_transcript(one.lexemes, table.recordings, one.config.text)
    listed = [one.config.text.phrase(term.text) for term in one.terms.terms]
    unknown, known = queries(transcript, indexes, listed, SEED)
    rng = random.Random(SEED)  # a sample, not a secret
    unknown = sorted(rng.sample(unknown, min(MOST_UNKNOWN, len(unknown))))
    known = sorted(rng.sample(known, min(MOST_KNOWN, len(known))))
    lost = {*rng.sample(known, round(KNOCKED_OUT * len(known)))}
    by_words = partial(lexical_candidates, segments=one.segments, config=one.config)
    speech = JudgedSpeech(indexes, by_words, table.recordings, one.ecf.excerpts)
    unknown += [(word,) for word in draw_decoy_words(speech.searched().words.counts, ABSENT)]
    asked = [(words, UNKNOWN) for words in unknown] + [(words, KNOWN) for words in known]
    phrases = [words for words, _ in asked]
    found = []
    for (words, kind), candidates, hits, ways in zip(
        asked,
        speech.found_by_words(phrases),
        speech.with_phones(phrases),
        pronounced(phrases, indexes.lexicon),
        strict=True,
    ):
        if hits is None:
            continue
        if words in lost:
            kind, hits, candidates = UNKNOWN, hits.rows(np.empty(0, np.int64)), NO_CANDIDATES
        places = places_of(words, kind, candidates, hits, speech)
        term = archive.find(ways, places.spans)
        assert term is not None
        n = len(places.log_ratio)
        term = term.rows(np.append(np.arange(n), places_alone(term, n)))
        evidence = heard_evidence(places.log_ratio, term, archive.log_slots, is_known=kind == KNOWN)
        alone, log_e = np.zeros(len(term.score) - n), term.log_e_value
        score = FIRST * np.append(places.posterior, alone) - np.clip(log_e, -FIRST / 2, FIRST / 2)
        which = np.zeros(len(score), np.int64)
        right = correct_hits(which, *term.spans, score, find_occurrences(transcript, [words]))
        telling = (np.append(places.log_ratio, alone) > TELLING) | (log_e < MOST_BY_CHANCE)
        found.append(Learned(kind, evidence, term.spans.recording, right).rows(telling))
    return found


class Places(NamedTuple):
    """Where words and guessed phones found a term."""

    spans: Spans
    posterior: Float64s  # (n,)
    log_ratio: Float64s  # (n,) with the shipped weights


def places_of(
    words: Phrase, kind: str, candidates: Candidates, hits: PhoneticHits, speech: JudgedSpeech
) -> Places:
    """The places of a term."""
    paired = pair_with_hits(words, candidates, hits, speech.searched())
    spans = Spans.of(candidates, hits.rows(paired.unpaired))
    model, letters = default_model(), sum(map(len, words))
    if kind == KNOWN:
        evidence = paired.iv_evidence(len(words), letters, speech.part.speech_s)
        return Places(spans, paired.posterior, model.weights.log_ratios(evidence).all_false_alarms)
    ratio = model.weights.log_ratios(paired.oov_evidence()).all_false_alarms
    return Places(spans, np.zeros(len(ratio)), ratio)


def learned(terms: Sequence[Learned]) -> Weights:
    """The weights that terms teach."""
    some = [one for one in terms if len(one.is_right)]
    examples = examples_of([one.evidence for one in some], [one.is_right for one in some])
    return fit(examples, sorted(examples.features))


def searched(one: Material, phones: str, weights: Weights | None = None) -> SearchResult:
    """Search the term list."""
    phonetic_search = replace(one.config.phonetic_search, phones=phones)
    index = prepare(one.segments, replace(one.config, phonetic_search=phonetic_search))
    excerpts = one.ecf.excerpts
    speech = SearchedSpeech(excerpts, speech_s(index.copies.searched(excerpts)))
    if weights is None:
        return search(one.terms.terms, index, speech)
    with mock.patch.object(calibrate, "HEARD_WEIGHTS", weights):
        return search(one.terms.terms, index, speech)


class Pairs(NamedTuple):
    """The places of a term that were compared with each other in the sound."""

    probability: Float64s  # (n,) without the comparison, the likeliest first
    nearness: Float64s  # (n,) of each and the first
    is_right: Bools  # (n,)


def compared(one: Material) -> list[Pairs]:
    """The places that a search of the term list compares; shipped weights, but nothing is moved."""
    asked: list[tuple[Spans, Float64s, Float64s] | None] = []
    calibrated, of_rows = calibrate._compared, heard.nearness_of

    def of_term(*args: Any) -> TermEvidence:
        asked.append(None)
        return calibrated(*args)

    def noted(places: Spans, probability: Float64s, sound: HeardSound) -> Float64s:
        nearness = of_rows(places, probability, sound)
        asked[-1] = places, probability, nearness
        return np.full(len(nearness), EVEN)

    with (
        mock.patch.object(calibrate, "_compared", of_term),
        mock.patch.object(heard, "nearness_of", noted),
    ):
        result = searched(one, "both")
    transcript = make_transcript(one.lexemes, result.recordings, one.config.text)
    found = []
    for words, of_places in zip(result.words, asked, strict=True):
        if of_places is not None:
            places, p, nearness = of_places
            said = find_occurrences(transcript, [words])
            right = correct_hits(np.zeros(len(p), np.int64), *places, p, said)
            found.append(Pairs(p, nearness, right))
    return found


def learned_nearness(pairs: Sequence[Pairs]) -> tuple[float, float]:
    """`OF_NEARNESS` and `EVEN` with the least log loss of places that were compared."""

    def log_loss(values: Float64s) -> float:
        loss = 0.0
        for p, nearness, is_right in pairs:
            kept = np.clip(p, 1e-6, 1 - 1e-6)
            shift = heard.log_ratio_of(nearness, kept, values[0], values[1])
            log_odds = np.log(kept / (1 - kept)) + shift
            loss += float(np.logaddexp(0, np.where(is_right, -log_odds, log_odds)).sum())
        return loss

    least = minimize(log_loss, [20.0, 0.05], method="Nelder-Mead")
    print(f"{log_loss(np.zeros(2)):.1f} -> {least.fun:.1f}: {least.x.round(3).tolist()}")
    return float(least.x[0]), float(least.x[1])


def merged(results: Sequence[SearchResult], is_of: Sequence[Bools]) -> SearchResult:
    """The hits of several searches of the same terms, each of its own recordings."""
    rows = [
        np.flatnonzero(here[one.candidates.recording])
        for one, here in zip(results, is_of, strict=True)
    ]
    parts = [one.rows(which) for one, which in zip(results, rows, strict=True)]
    candidates = concatenate([one.candidates for one in parts])
    order = np.lexsort((candidates.start_ms, candidates.recording, candidates.term))
    return replace(
        parts[0],
        candidates=candidates.rows(order),
        probability=np.concatenate([one.probability for one in parts])[order],
        decision_score=np.concatenate([one.decision_score for one in parts])[order],
    )


def table(one: Material, title: str, result: SearchResult) -> None:
    """Print the lines of one search."""
    transcript = make_transcript(one.lexemes, result.recordings, one.config.text)
    candidates = result.candidates
    right = correct_hits(
        candidates.term, candidates.recording, candidates.start_ms, candidates.end_ms,
        result.probability, find_occurrences(transcript, result.words),
    )  # fmt: skip
    miss, alarm, prior = NAMED_POINTS["nist2006"]
    assert prior is not None
    options = ScoringOptions(
        OperatingPoint(miss, alarm, prior), group_by=(f"attribute:{one.attribute}",)
    )
    hits = hit_list(result, one.terms, "terms.xml", "heard")
    kinds = [term.attributes.get(one.attribute, "") for term in one.terms.terms]
    for group in evaluate(one.ecf, one.lexemes, one.terms, hits, options).groups:
        of_group = group.name.removeprefix(f"{one.attribute}-")
        mine = np.array([of_group in ("all", kind) for kind in kinds])[candidates.term]
        p, y = result.probability[mine], right[mine]
        counted, likely = p >= LEAST, p >= 0.5
        total, n = p[counted].sum(), int(y[counted].sum())
        wrong, found = int((~y[likely]).sum()), int(y[likely].sum())
        measures = " | ".join(f"{group.measures[name]:.3f}" for name in MEASURES)
        ratio = total / n if n else np.nan
        print(
            f"| {one.name} | {title} | {of_group} | {total:.1f} | {n} | {ratio:.2f} | {wrong} "
            f"| {found} | {measures} |",
            flush=True,
        )


def left_out(
    one: Material,
    terms: Mapping[str, Sequence[Learned]],
    pairs: Mapping[str, Sequence[Pairs]],
    sets: Sequence[Material],
) -> SearchResult:
    """Search a set with weights that were not learned on it."""
    of_others = [x for other in sets if other.language != one.language for x in pairs[other.name]]
    of_nearness, even = learned_nearness(of_others)
    with mock.patch.multiple(heard, OF_NEARNESS=of_nearness, EVEN=even):
        return _left_out(one, terms, sets)


def _left_out(
    one: Material, terms: Mapping[str, Sequence[Learned]], sets: Sequence[Material]
) -> SearchResult:
    others = [
        term for other in sets if other.language != one.language for term in terms[other.name]
    ]
    own = [term for other in sets if other.language == one.language for term in terms[other.name]]
    if one.language != "en":
        return searched(one, "both", learned(others))
    is_even = np.arange(len(recording_table(one.segments).recordings)) % 2 == 0
    halves = (is_even, ~is_even)
    found = [
        searched(one, "both", learned([*others, *(term.within(~half) for term in own)]))
        for half in halves
    ]
    return merged(found, halves)


def main() -> None:
    """Print the table; write the weights if asked to."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("sound", type=Path)
    parse.add_argument("--write", type=Path, metavar="FILE")
    args = parse.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = [
            material(args.data, args.sound, name, Path(folder) / str(number))
            for number, name in enumerate(SETS)
        ]
        terms = {one.name: lessons(one) for one in sets}
        pairs = {one.name: compared(one) for one in sets}
        heads = ("set", "phones", "terms", "sum", "right", "sum/right", "wrong from .5", "right")
        print(f"| {' | '.join((*heads, *MEASURES))} |\n|{'---|' * (len(heads) + len(MEASURES))}")
        for one in sets:
            table(one, "words", searched(one, "words"))
            table(one, "both", left_out(one, terms, pairs, sets))
    print("OF_NEARNESS, EVEN of all sets:")
    learned_nearness([one for of_set in pairs.values() for one in of_set])
    weights = learned([term for of_set in terms.values() for term in of_set])
    if args.write:
        write_weights(args.write, "HEARD_WEIGHTS", weights)


if __name__ == "__main__":
    main()
