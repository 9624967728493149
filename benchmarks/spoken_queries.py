"""Spoken queries: cut from the networks of some recordings, searched in those of others.

    python -m benchmarks.spoken_queries DATA [--examples 1 3] [--set NAME ...] [--sound SOUND]
        [--write searcher/calibration/model.py | --shipped]

DATA has the networks of `SETS` and `UNSEEN`, and beside them ``ecf.xml`` and ``ref.rttm``. Each set
is cut into two halves, by speakers where it has several. A query is a word of at least
`MIN_LETTERS` letters that is said in both halves: the slots where it is said in one half (its first
``--examples`` places), searched in the other half, and the other way round. Printed are means of
both directions, at the points of MediaEval SWS 2013 and 2012, of three ways:

    written    the word itself, default search: the upper bound
    spoken     the query, as `std-search --queries` searches it
    one-best   the likeliest words of the query, exact match: the lower bound

and the share of the way from the lower to the upper bound that spoken queries go. Spoken queries of
each set are searched with weights that were learned from the sets of other languages (leave one
language out), or with ``--shipped`` by those of the package, which have seen `SETS`. What
phones and words are worth is what it is for written terms; learned is only what a place of phones
is worth whose query is none of the alternatives.
With ``--sound``, the searched half has phones heard of the recordings that have NAME.sound in a
folder of SOUND, too; the query is cut from the networks as before.
``--write`` puts the weights of all sets together among the shipped ones.
"""

import argparse
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np

from benchmarks.calibration import write_weights
from benchmarks.german import indexed
from indexer import index_files, read_spoken_queries
from indexer.query_examples import QueryExample
from scoring.evaluate import evaluate
from scoring.measures.twv import empirical_prior
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from searcher import found_terms
from searcher.calibration.model import default_model
from searcher.calibration.weights import Examples, Weights, examples_of, fit, together
from searcher.evidence.calibrate import calibrate
from searcher.evidence.pairing import pair_with_hits
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.output.hit_files import hit_list
from searcher.results.candidates import NO_CANDIDATES
from searcher.results.search_result import SearchResult
from searcher.search import search
from searcher.tuning.labels import correct_hits, find_occurrences, make_transcript
from std.config import Config, load_config
from std.files import read
from std.networks import dump
from std.nist import ecf, rttm
from std.nist.ecf import speech_s
from std.spoken_queries import SpokenQueries, term_list_of
from std.store import Segment, open_store
from std.values import ECF, ConfusionNetwork, Lexemes, Term, TermList
from tests.networks import networks_of

SETS = {  # networks, language
    "german/clean_v25k/networks.jsonl": "de",
    "german/calibrated_v100k/networks.jsonl": "de",
    "dutch/clean_v30k/networks.jsonl": "nl",
    "dutch/oov_added_v30k/networks.jsonl": "nl",
    "english_whisper/hyb_sketch.jsonl": "en",
    "spanish/clean_v30k/networks.jsonl": "es",
}
UNSEEN = {"english/networks.jsonl": "en"}  # no weights are learned from it
MIN_LETTERS, MAX_QUERIES = 5, 100  # of what is measured, in each direction
MIN_LETTERS_LEARNED, MAX_QUERIES_LEARNED = 4, 120
POINTS = ("sws2013", "sws2012")
WAYS = ("written", "spoken", "one-best")
MEASURES = ("ATWV", "MTWV", "Cnxe", "Cnxe_min", "STWV")
BOUNDED = ("ATWV", "MTWV", "Cnxe")  # of which the share of the way is printed
PLAIN = Path(__file__).parent.parent / "configs" / "plain.toml"


class Direction(NamedTuple):
    """Queries of one half, and what they are searched in."""

    spoken: SpokenQueries  # ids are the words that were said
    segments: Sequence[Segment]  # of the other half
    ecf: ECF
    lexemes: Lexemes
    config: Config

    @property
    def written(self) -> TermList:
        """The queries as they were meant."""
        terms = tuple(Term(one.query_id, one.query_id) for one in self.spoken.queries)
        return TermList(terms, ecf_filename="ecf.xml", language=self.spoken.language, version="1")

    def phrases(self) -> list[tuple[str, ...]]:
        """The words of each query."""
        return [self.config.text.phrase(one.query_id) for one in self.spoken.queries]


def with_sound(networks: Sequence[ConfusionNetwork], language: str, sound: Path) -> list[Segment]:
    """Segments with the phones that are heard in some recordings."""
    with tempfile.TemporaryDirectory() as folder:
        path, store = Path(folder) / "networks.jsonl", Path(folder) / "index"
        with path.open("wb") as stream:
            dump(networks, stream)
        files = {network.recording.file for network in networks}
        sounds = [one for one in sorted(sound.glob("*/*.sound")) if one.stem in files]
        report = index_files([path, *sounds], store, language=language)
        if not any(one.recordings for one in report.heard):
            raise SystemExit(f"no phones heard in {', '.join(sorted(files))}")
        return list(open_store(str(store)).segments())


def directions(
    path: Path,
    language: str,
    examples: int,
    min_letters: int,
    max_queries: int,
    sound: Path | None = None,
) -> Iterator[Direction]:
    """The first half's queries in the second half, then the other way round.

    Args:
        path: networks of a set.
        language: code.
        examples: of a query, at most.
        min_letters: of a query.
        max_queries: drawn evenly from the words in alphabetical order.
        sound: where NAME.sound of the recordings are; None: without phones heard.
    """
    config = Config()
    config = replace(config, pronunciation=replace(config.pronunciation, language=language))
    networks = list(networks_of(path))
    experiment = read(ecf.parse, path.parent / "ecf.xml")
    lexemes = read(rttm.parse, path.parent / "ref.rttm")
    recordings = sorted({network.recording for network in networks})
    files = sorted({recording.file for recording in recordings})
    halves = set(files[::2]), set(files[1::2])
    transcript = make_transcript(lexemes, recordings, config.text)
    places: tuple[dict[str, list[QueryExample]], ...] = ({}, {})
    columns = transcript.recording, transcript.start_ms, transcript.end_ms
    for word, row, start_ms, end_ms in zip(
        transcript.words, *(column.tolist() for column in columns), strict=True
    ):
        file = recordings[row].file
        example = QueryExample(word, file, start_ms, end_ms)
        places[file in halves[1]].setdefault(word, []).append(example)
    both = sorted(word for word in places[0].keys() & places[1].keys() if len(word) >= min_letters)
    n = min(len(both), max_queries)
    words = [both[i * len(both) // n] for i in range(n)]
    for own, other in ((0, 1), (1, 0)):
        cut = [example for word in words for example in places[own][word][:examples]]
        spoken = read_spoken_queries(path, examples=cut, language=language).spoken
        searched = [one for one in networks if one.recording.file in halves[other]]
        excerpts = tuple(one for one in experiment.excerpts if one.recording.file in halves[other])
        half = replace(experiment, excerpts=excerpts)
        segments: Sequence[Segment] = (
            with_sound(searched, language, sound) if sound else [indexed(searched, config)]
        )
        yield Direction(spoken, segments, half, lexemes, config)


def searched(one: Direction, way: str, point: str, weights: Weights | None = None) -> SearchResult:
    """Search the queries of a direction in one of the `WAYS`, decided at a point's costs."""
    config = load_config(PLAIN) if way == "one-best" else one.config
    config = replace(
        config, decision=replace(config.decision, beta=operating_point(one, point).beta)
    )
    terms = {
        "written": one.written.terms,
        "spoken": (),
        "one-best": term_list_of(one.spoken, "").terms,
    }[way]
    return search(
        terms,
        prepare(
            one.segments,
            config,
            replace(default_model(), weights=weights) if weights else None,
        ),
        SearchedSpeech(one.ecf.excerpts, speech_s(one.ecf.excerpts)),
        spoken=one.spoken.queries if way == "spoken" else (),
    )


def operating_point(one: Direction, name: str) -> OperatingPoint:
    """A point by its name; that of SWS 2012 takes its prior from the reference."""
    miss, alarm, prior = NAMED_POINTS[name]
    if prior is None:
        recordings = [excerpt.recording for excerpt in one.ecf.excerpts]
        transcript = make_transcript(one.lexemes, recordings, one.config.text)
        targets = len(find_occurrences(transcript, one.phrases()).term)
        prior = empirical_prior(targets, speech_s(one.ecf.excerpts))
    return OperatingPoint(miss, alarm, prior)


def measured(one: Direction, found: SearchResult, point: str) -> Mapping[str, float]:
    """The measures of a search."""
    options = ScoringOptions(operating_point(one, point))
    hits = hit_list(found, one.written, "terms.xml", "spoken")
    return evaluate(one.ecf, one.lexemes, one.written, hits, options).groups[0].measures


def labelled(one: Direction) -> Examples:
    """The places that phones find of queries that are none of their alternatives, with labels."""
    calls: list[tuple[Any, ...]] = []

    def noted(*args: Any) -> Any:
        calls.append(args)
        return calibrate(*args)

    with mock.patch.object(found_terms, "calibrate", noted):
        found = searched(one, "spoken", POINTS[0])
    ((request, _, _, phonetic, _),) = calls
    evidence, places, scores = [], [], []
    for row, (phrase, alternatives) in enumerate(zip(one.phrases(), request.spoken, strict=True)):
        hits = phonetic.of_term[len(request.written) + row]
        if hits is None or any(words == phrase for words, _ in alternatives):
            continue
        paired = pair_with_hits((), NO_CANDIDATES, hits, phonetic.searched)
        alone = hits.rows(paired.unpaired)
        evidence.append(paired.spoken_evidence())
        spans = [alone.recording, alone.start_ms, alone.end_ms]
        places.append((np.full(len(paired.score), row), *spans))
        scores.append(paired.score)
    if not places:
        return examples_of([], [])
    term, recording, start_ms, end_ms = (np.concatenate(one) for one in zip(*places, strict=True))
    transcript = make_transcript(one.lexemes, found.recordings, one.config.text)
    occurrences = find_occurrences(transcript, one.phrases())
    score = np.concatenate(scores)
    right = correct_hits(term, recording, start_ms, end_ms, score, occurrences)
    ends = np.cumsum([len(of_query) for of_query in scores])[:-1]
    return examples_of(evidence, np.split(right, ends))


def learned(of_sets: Sequence[Examples]) -> Weights:
    """The shipped weights with that of spoken queries learned from several sets."""
    every, shipped = together(of_sets), default_model().weights
    others = {name: value for name, value in shipped.coefficients.items() if name != "spoken"}
    found = fit(every, ["spoken"], beside=replace(shipped, coefficients=others))
    spoken = found.intercept + found.coefficients["spoken"]
    return replace(shipped, coefficients={**others, "spoken": spoken})


def table(title: str, ones: Sequence[Direction], weights: Weights | None) -> None:
    """Print the lines of one set."""
    for point in POINTS:
        means = {}
        for way in WAYS:
            of_way = weights if way == "spoken" else None
            both = [measured(one, searched(one, way, point, of_way), point) for one in ones]
            means[way] = {name: float(np.mean([one[name] for one in both])) for name in MEASURES}
            figures = " | ".join(f"{means[way][name]:.3f}" for name in MEASURES)
            print(f"| {title} | {point} | {way} | {figures} |", flush=True)
        cells = " | ".join(_share(name, means) for name in MEASURES)
        print(f"| {title} | {point} | of the way | {cells} |", flush=True)


def _share(name: str, means: Mapping[str, Mapping[str, float]]) -> str:
    """The share of the way of a measure; none where the lower bound is not below the upper one."""
    sign = -1 if name == "Cnxe" else 1
    way = sign * (means["written"][name] - means["one-best"][name])
    if name not in BOUNDED or way <= 0:
        return ""
    return f"{sign * (means['spoken'][name] - means['one-best'][name]) / way:.0%}"


def main() -> None:
    """Print the tables; write the weights if asked to."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--examples", type=int, nargs="+", default=[1, 3])
    parse.add_argument("--set", nargs="+", default=list(SETS | UNSEEN), choices=SETS | UNSEEN)
    parse.add_argument("--sound", type=Path)
    parse.add_argument("--shipped", action="store_true")
    parse.add_argument("--write", type=Path, metavar="FILE")
    args = parse.parse_args()
    of_sets: dict[str, Examples] = {}
    for name, language in ({} if args.shipped else SETS).items():
        limits = MIN_LETTERS_LEARNED, MAX_QUERIES_LEARNED
        both = directions(args.data / name, language, 1, *limits)
        of_sets[name] = together([labelled(one) for one in both])
    if args.write:
        write_weights(args.write, "WEIGHTS", learned(list(of_sets.values())))
    print(f"| set | point | query | {' | '.join(MEASURES)} |")
    print("|---|---|---|" + "---|" * len(MEASURES))
    for name in args.set:
        language = (SETS | UNSEEN)[name]
        others = [of_sets[other] for other in of_sets if SETS[other] != language]
        weights = learned(others) if others else None
        for examples in args.examples:
            path = args.data / name
            limits = MIN_LETTERS, MAX_QUERIES
            halves = list(directions(path, language, examples, *limits, args.sound))
            n = len(halves[0].spoken.queries)
            title = f"{name.rpartition('/')[0]}, {n} queries, {examples} examples"
            table(title, halves, weights)


if __name__ == "__main__":
    main()
