"""Query by example: stretches of recordings, searched in all others of a set.

    python -m benchmarks.query_by_example DATA SOUND [--set dutch german english] [--shipped]

DATA has the networks of `SETS` with ``ecf.xml`` and ``ref.rttm`` beside them, and SOUND a folder
for each set with NAME.sound of its recordings (``std-recognise --sound-only``). A query is a word
of six letters or more, or two words in a row; its example is where it is said first, by the times
of the reference. That place is no occurrence.

Printed are measures at the point of MediaEval SWS 2013, of queries that are said again, searched as
a list with its costs (beta 66.66), and the sum of the probabilities from .1 up, divided by how many
of these places are right. The weights of a set were learned from the others, or with ``--shipped``
are those of the package. The last lines have the weights learned from all sets.
"""

import argparse
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import numpy as np

from benchmarks.discover import words_of
from indexer import index_files
from scoring.evaluate import evaluate
from scoring.options import NAMED_POINTS, OperatingPoint, ScoringOptions
from searcher import ExampleTerm, Index, open_index
from searcher.examples import find
from searcher.examples.example import archive_of, read_example
from searcher.examples.places import best_places, usual_at
from searcher.output.hit_files import hit_list
from searcher.results.candidates import Spans
from std.config import Config, DecisionConfig
from std.files import read
from std.nist import ecf
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


def labelled(index: Index, queries: Queries) -> tuple[Float64s, Bools]:
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


def learned(sets: Sequence[tuple[Float64s, Bools]]) -> dict[str, float]:
    """Logistic regression by Newton's method; an occurrence of each set weighs the same in all."""
    table = np.concatenate([figures for figures, _ in sets])
    right = np.concatenate([labels for _, labels in sets])
    weight = np.concatenate([np.full(len(one), 1 / one.sum()) for _, one in sets])
    weights = np.array([-6.0, 0.1, 50.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-(table @ weights)))
        hessian = (table * (weight * p * (1 - p))[:, None]).T @ table
        weights += np.linalg.solve(hessian, table.T @ (weight * (right - p)))
    names = ("INTERCEPT", "OF_STANDING", "OF_NEARNESS")
    return dict(zip(names, weights.tolist(), strict=True))


def measure(name: str, index: Index, path: Path, queries: Queries) -> None:
    """Search the queries that are said again as a list, and print a line of the table."""
    terms = [Term(query, f"q{n}") for n, query in enumerate(queries)]
    asked = [ExampleTerm(one, (text_of(queries[one.term_id][0]),)) for one in terms]
    experiment = read(ecf.parse, path.parent / "ecf.xml")
    listed = TermList(tuple(terms), ecf_filename="ecf.xml", language="x", version="1")
    found = index.find_examples(asked, experiment)
    reference = lexemes_of({f"q{n}": said[1:] for n, said in enumerate(queries.values())})
    hits = hit_list(found, listed, "terms.xml", "examples")
    scored = evaluate(
        experiment, reference, listed, hits, ScoringOptions(POINT, number="score")
    ).groups[0]
    archive = archive_of(index.segments)
    likely = right = 0.0
    for term, said in enumerate(queries.values()):
        rows = np.flatnonzero(found.candidates.term == term)
        rows = rows[np.argsort(-found.candidates.probability[rows], kind="stable")]
        own = found.candidates.rows(rows)
        places = Spans.of(own)
        from_it = own.probability >= FROM
        likely += float(own.probability[from_it].sum())
        right += float(is_right(places, archive.recordings, said[1:])[from_it].sum())
    cells = " | ".join(f"{scored.measures[one]:.3f}" for one in MEASURES)
    print(f"| {name} | {len(terms)} | {cells} | {likely / right:.2f} |", flush=True)


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
    config = replace(Config(), decision=DecisionConfig(beta=POINT.beta))
    with tempfile.TemporaryDirectory() as folder:
        queries, indexes, of_sets = {}, {}, {}
        for name, (networks, language) in SETS.items():
            path = args.data / networks
            queries[name] = queries_of(path.parent / "ref.rttm")
            store = Path(folder) / name
            index_files(path, store, language=language, sound=args.sound / name)
            indexes[name] = open_index(store, config=config)
            if not args.shipped:
                of_sets[name] = labelled(indexes[name], queries[name])
        print(f"| set | queries | {' | '.join(MEASURES)} | sum |")
        print("|---|---|" + "---|" * (len(MEASURES) + 1))
        for name in args.set:
            path = args.data / SETS[name][0]
            others = [of_sets[other] for other in of_sets if other != name]
            weights = learned(others) if others else {}
            with mock.patch.dict(vars(find), weights):
                measure(name, indexes[name], path, queries[name])
        if of_sets:
            print(learned(list(of_sets.values())))


if __name__ == "__main__":
    main()
