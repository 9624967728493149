"""Query by example: stretches of recordings, searched in a set by sound, by words and by both.

    python -m benchmarks.query_by_example DATA SOUND [--set dutch german english] [--shipped]

DATA has the networks of `SETS` with ``ecf.xml`` and ``ref.rttm`` beside them, and SOUND a folder
for each set with NAME.sound of its recordings (``std-recognise --sound-only``). A query is a word
of six letters or more, or two words in a row; its example is where it is said first, by the times
of the reference. That place is no occurrence.

Printed are measures at the point of MediaEval SWS 2013, of queries that are said again, searched as
a list with its costs (beta 66.66), and the sum of the probabilities from .1 up, divided by how many
of these places are right. The words of a query are those that the recogniser wrote in the stretch
(spoken), or its own (written); the stretch itself is no hit of them. The weights of sound, and of
both, were learned from the other sets, or with
``--shipped`` are those of the package; those of words are always the package's, which have seen
these sets. The last lines have the weights learned from all sets.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from benchmarks.discover import words_of
from indexer import index_files, read_spoken_queries
from indexer.query_examples import QueryExample
from scoring.evaluate import evaluate
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from searcher import ExampleTerm, Index, SearchResult, api, open_index
from searcher.calibration.weights import LEAST_BY_ONE, UNFOUND, BothWeights
from searcher.evidence.pairing import candidates_of, each_place_once
from searcher.examples import find
from searcher.examples.example import archive_of, read_example
from searcher.examples.places import best_places, usual_at
from searcher.output.hit_files import hit_list
from searcher.results.candidates import Spans
from searcher.results.search_result import TermCandidates
from searcher.search import decide
from std.config import Config, DecisionConfig
from std.files import read
from std.nist import ecf
from std.spoken_queries import SpokenQueries
from std.values import Bools, Float64s, Lexemes, Recording, Term, TermList

SETS = {  # networks, language
    "dutch": ("dutch/clean_v30k/networks.jsonl", "nl"),
    "german": ("german/calibrated_v100k/networks.jsonl", "de"),
    "english": ("english_whisper/hyb_sketch.jsonl", "en"),
}
POINT = OperatingPoint(*(number or 0.0 for number in NAMED_POINTS["sws2013"]))
MEASURES = ("MTWV", "ATWV", "MAP", "Cnxe", "Cnxe_min")
LETTERS, PAUSE_S = 6, 0.5
SHORTEST_S, LONGEST_S = 0.25, 9.0
TOLERANCE_S = 0.5
FROM = 0.1
OF_SOUND = ("INTERCEPT", "OF_STANDING", "OF_NEARNESS")
WORDS = {"spoken": "SPOKEN", "written": "WRITTEN"}  # the names of their weights

Labelled = tuple[Float64s, Bools]  # (n, 3) figures of places, (n,) which of them are right


class Place(NamedTuple):
    """Where a query is said."""

    file: str
    begin_s: float
    end_s: float


Queries = Mapping[str, Sequence[Place]]  # the first place is the example


def queries_of(rttm: Path) -> Queries:
    """The queries of a reference that are said again."""
    said: dict[str, list[Place]] = defaultdict(list)
    words = sorted(words_of(rttm))
    for before, word in zip([None, *words], words, strict=False):
        if len(word.word) >= LETTERS:
            said[word.word].append(Place(*word[:3]))
        if before and before.file == word.file and word.begin_s - before.end_s < PAUSE_S:
            pair = Place(word.file, before.begin_s, word.end_s)
            said[f"{before.word} {word.word}"].append(pair)
    return {
        query: places
        for query, places in said.items()
        if len(query) >= LETTERS
        and len(places) > 1
        and SHORTEST_S <= places[0].end_s - places[0].begin_s <= LONGEST_S
    }


def text_of(place: Place) -> str:
    """A place as an example."""
    return f"{place.file}@{place.begin_s:.3f}-{place.end_s:.3f}"


class Asked(NamedTuple):
    """The queries of a set, and where they are searched."""

    searched: Index
    queries: Queries
    path: Path  # of the networks
    spoken: SpokenQueries  # the same queries as the recogniser wrote them

    @property
    def terms(self) -> list[Term]:
        """The queries as they were meant."""
        return [Term(query, query) for query in self.queries]

    @property
    def examples(self) -> list[ExampleTerm]:
        """Of each query where it is said first."""
        return [ExampleTerm(one, (text_of(self.queries[one.term_id][0]),)) for one in self.terms]

    def by_words(self, words: str) -> TermCandidates:
        """What words find, without the examples."""
        speech = self.searched.searched_speech(
            read(ecf.parse, self.path.parent / "ecf.xml"), None, ()
        )
        if words == "spoken":
            found = self.searched._query_candidates(self.spoken, speech)
        else:
            found = self.searched.candidates(self.terms, speech)
        table, own = found.candidates, [said[0] for said in self.queries.values()]
        columns = (table.term, table.recording, table.start_ms, table.end_ms)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        kept = [
            found.recordings[recording].file != own[term].file
            or min(end / 1000, own[term].end_s) - max(start / 1000, own[term].begin_s)
            < (end - start) / 3000
            for term, recording, start, end in rows
        ]
        some = np.array(kept, np.bool_)
        return replace(found, candidates=table.rows(some), probability=found.probability[some])

    def found(self, way: str) -> SearchResult:
        """Search by ``sound``, by ``spoken`` or ``written`` words, or by ``spoken + sound``."""
        experiment = read(ecf.parse, self.path.parent / "ecf.xml")
        if way in WORDS:
            return decide(self.by_words(way), self.searched.config)
        words: SpokenQueries | list[Term] | None = None
        if way != "sound":
            words = self.spoken if way.startswith("spoken") else self.terms
        return self.searched.find_examples(self.examples, experiment, words=words)


def asked(index: Index, queries: Queries, path: Path, language: str) -> Asked:
    """The queries of a set, with what the recogniser wrote in each."""
    cut = [
        QueryExample(query, said[0].file, 1000 * said[0].begin_s, 1000 * said[0].end_s)
        for query, said in queries.items()
    ]
    spoken = read_spoken_queries(path, examples=cut, language=language).spoken
    by_id = {one.query_id: one for one in spoken.queries}
    in_order = tuple(by_id[query] for query in queries)
    return Asked(index, queries, path, replace(spoken, queries=in_order))


def labelled_with_words(one: Asked, words: str) -> Labelled:
    """(n, 3) a one, log odds by words and by sound of all places of all queries."""
    found = one.by_words(words)
    beside = candidates_of(one.terms, found)
    segments = one.searched.segments
    _, by_examples = find.places_by_examples(one.examples, segments, found.speech, beside)
    figures, right = [], []
    for said, own, of_query in zip(one.queries.values(), beside, by_examples, strict=True):
        places, sound = each_place_once(own, of_query, found.recordings)
        by_words = np.clip(places.probability, UNFOUND, 1 - LEAST_BY_ONE)
        by_sound = np.clip(sound, LEAST_BY_ONE, 1 - LEAST_BY_ONE)
        log_odds = [np.log(p / (1 - p)) for p in (by_words, by_sound)]
        order = np.argsort(-sum(log_odds), kind="stable")
        table = np.stack([np.ones(len(sound)), *log_odds], axis=1)[order]
        figures.append(table)
        right.append(is_right(Spans.of(places.rows(order)), found.recordings, said[1:]))
    return np.concatenate(figures), np.concatenate(right)


def labelled(index: Index, queries: Queries) -> Labelled:
    """(n, 3) a one, standing and nearness of all places of all queries; (n,) which are right."""
    archive = archive_of(index.segments)
    sample = archive.sample()
    figures, right = [], []
    for example, *others in queries.values():
        ((places, cost),) = best_places([read_example(text_of(example), archive)], archive)
        stands = find.standing(cost, cost)
        nearness = usual_at(archive, places, sample) - cost
        figures.append(np.stack([np.ones(len(stands)), stands, nearness], axis=1))
        right.append(is_right(places, archive.recordings, others))
    return np.concatenate(figures), np.concatenate(right)


def is_right(places: Spans, recordings: Sequence[Recording], said: Sequence[Place]) -> Bools:
    """(n,) which places are occurrences, each the best place near it."""
    left, right = list(said), np.zeros(len(places.recording), np.bool_)
    columns = zip(*(column.tolist() for column in places), strict=True)
    for row, (number, start_ms, end_ms) in enumerate(columns):
        middle_s = (start_ms + end_ms) / 2000
        for one in left:
            near = one.begin_s - TOLERANCE_S <= middle_s <= one.end_s + TOLERANCE_S
            if near and one.file == recordings[number].file:
                left.remove(one)
                right[row] = True
                break
    return right


def learned(sets: Sequence[Labelled], start: tuple[float, ...] = (-6.0, 0.1, 50.0)) -> list[float]:
    """Logistic regression by Newton's method; an occurrence of each set weighs the same in all."""
    table = np.concatenate([figures for figures, _ in sets])
    right = np.concatenate([labels for _, labels in sets])
    weight = np.concatenate([np.full(len(one), 1 / one.sum()) for _, one in sets])
    weights = np.array(start)
    for _ in range(50):
        p = 1 / (1 + np.exp(-(table @ weights)))
        hessian = (table * (weight * p * (1 - p))[:, None]).T @ table
        weights += np.linalg.solve(hessian, table.T @ (weight * (right - p)))
    return [float(one) for one in weights]


def measure(name: str, way: str, one: Asked) -> None:
    """Search the queries that are said again as a list, and print a line of the table."""
    queries = one.queries
    terms = [Term(query, f"q{n}") for n, query in enumerate(queries)]
    experiment = read(ecf.parse, one.path.parent / "ecf.xml")
    listed = TermList(tuple(terms), ecf_filename="ecf.xml", language="x", version="1")
    found = one.found(way)
    reference = lexemes_of({f"q{n}": said[1:] for n, said in enumerate(queries.values())})
    hits = hit_list(found, listed, "terms.xml", "examples")
    scored = evaluate(
        experiment, reference, listed, hits, ScoringOptions(POINT, number="score")
    ).groups[0]
    likely = right = 0.0
    for term, said in enumerate(queries.values()):
        rows = np.flatnonzero(found.candidates.term == term)
        rows = rows[np.argsort(-found.candidates.probability[rows], kind="stable")]
        own = found.candidates.rows(rows)
        places = Spans.of(own)
        from_it = own.probability >= FROM
        likely += float(own.probability[from_it].sum())
        right += float(is_right(places, found.recordings, said[1:])[from_it].sum())
    cells = " | ".join(f"{scored.measures[one]:.3f}" for one in MEASURES)
    print(f"| {name} | {len(terms)} | {way} | {cells} | {likely / right:.2f} |", flush=True)


def lexemes_of(said: Mapping[str, Sequence[Place]]) -> Lexemes:
    """A reference in which each query is a word."""
    rows = [(name, place) for name, places in said.items() for place in places]
    files = sorted({place.file for _, place in rows})
    return Lexemes(
        tuple(Recording(file, 1) for file in files),
        ("",),
        np.array([files.index(place.file) for _, place in rows], np.int32),
        np.zeros(len(rows), np.int32),
        np.array([place.begin_s for _, place in rows]),
        np.array([place.end_s - place.begin_s for _, place in rows]),
        tuple(name for name, _ in rows),
        ("lex",) * len(rows),
    )


def open_sets(data: Path, sound: Path, folder: Path) -> dict[str, Asked]:
    """Index all sets in a folder, and take their queries."""
    config = replace(Config(), decision=DecisionConfig(beta=POINT.beta))
    sets: dict[str, Asked] = {}
    for name, (networks, language) in SETS.items():
        path = data / networks
        index_files(path, folder / name, language=language, sound=sound / name)
        index = open_index(folder / name, config=config)
        sets[name] = asked(index, queries_of(path.parent / "ref.rttm"), path, language)
    return sets


def print_head() -> None:
    """Print the head of the table."""
    print(f"| set | queries | by | {' | '.join(MEASURES)} | sum |")
    print("|---|---|---|" + "---|" * (len(MEASURES) + 1))


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("sound", type=Path)
    parse.add_argument("--set", nargs="+", default=list(SETS), choices=SETS)
    parse.add_argument("--shipped", action="store_true")
    args = parse.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        sets = open_sets(args.data, args.sound, Path(folder))
        print_head()
        of_sound = {
            name: labelled(one.searched, one.queries)
            for name, one in sets.items()
            if not args.shipped
        }
        for name in [*args.set, *([] if args.shipped else ["all sets"])]:
            with ExitStack() as patched:
                if of_sound:
                    others = [other for other in sets if other != name]
                    told = learn({other: sets[other] for other in others}, of_sound, patched)
                if name not in sets:
                    print(told)
                    continue
                for way in ("sound", *WORDS, *(f"{words} + sound" for words in WORDS)):
                    measure(name, way, sets[name])


def learn(
    sets: Mapping[str, Asked], of_sound: Mapping[str, Labelled], patched: ExitStack
) -> dict[str, object]:
    """Learn the weights of sound, then those of both, and use them until the stack is closed."""
    sound = learned([of_sound[name] for name in sets])
    weights: dict[str, object] = dict(zip(OF_SOUND, sound, strict=True))
    patched.enter_context(mock.patch.dict(vars(find), weights))
    for words, name in WORDS.items():
        figures = [labelled_with_words(one, words) for one in sets.values()]
        weights[name] = BothWeights(*learned(figures, (0.0, 0.5, 0.5)))
        patched.enter_context(mock.patch.object(api, name, weights[name]))
    return weights


if __name__ == "__main__":
    main()
