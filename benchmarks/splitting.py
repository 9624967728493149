"""Repeat table 5.4 of the thesis: time and correct splits of all splitters, on its 65 compounds.

    .venv/bin/python benchmarks/splitting.py /tmp/vocabularies/v24k.tsv [--words N] [--slow]

`benchmarks/vocabularies.py` makes the vocabularies. Times are CPU milliseconds per word, the best
of three passes. A split is correct if its parts are one of the accepted splits of
tests/data/compounds/thesis-65.tsv, in any of the accepted forms, ignoring case:

    reachable   the matches contain a correct split (the thesis's "split" column)
    in 25       it is among the 25 best of the ranking
    first       it is the best
"""

import argparse
import csv
import time
from itertools import product
from pathlib import Path

from searcher.terms.splitting import Splitter, make_splitter
from searcher.terms.splitting.matches import MatchLimits
from searcher.terms.vocabulary import read

COMPOUNDS = Path(__file__).parent.parent / "tests/data/compounds/thesis-65.tsv"
THESIS_LIMITS = [(1, 0.1), (1, 0.2), (2, 0.2), (2, 0.4), (3, 0.3), (3, 0.6)]


def compounds() -> dict[str, set[tuple[str, ...]]]:
    """Accepted splits of each compound, lower case."""
    accepted = {}
    with COMPOUNDS.open(encoding="utf-8") as file:
        for row in csv.reader(file, delimiter="\t"):
            if not row[0].startswith("#"):
                options = (split.lower().split("+") for split in row[2].split(";"))
                accepted[row[0].lower()] = {
                    parts
                    for option in options
                    for parts in product(*(lemma.split("/") for lemma in option))
                }
    return accepted


def reachable(splitter: Splitter, word: str, accepted: set[tuple[str, ...]]) -> bool:
    """Whether the matches spell an accepted split from begin to end."""
    found = splitter.matches(word)
    names = [splitter.vocabulary.words[i] for i in found.id]
    edges: dict[tuple[int, str], list[int]] = {}
    for start, end, name in zip(found.start.tolist(), found.end.tolist(), names, strict=True):
        edges.setdefault((start, name), []).append(end)
    for parts in accepted:
        ends = {0}
        for part in parts:
            ends = {end for start in ends for end in edges.get((start, part), [])}
        if len(word) in ends:
            return True
    return False


def cpu_ms(splitter: Splitter, words: list[str], *, ranked: bool) -> float:
    """CPU milliseconds per word, the best of three passes."""
    work = splitter.splits if ranked else splitter.matches
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        for word in words:
            work(word)
        best = min(best, time.process_time() - began)
    return 1000 * best / len(words)


def main() -> None:
    """Print the table for one vocabulary."""
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("vocabulary", type=Path)
    parse.add_argument("--words", type=int, default=65, help="how many words are timed")
    parse.add_argument("--slow", action="store_true", help="linear and bktree as well")
    args = parse.parse_args()
    vocabulary, accepted = read(args.vocabulary), compounds()
    words = list(accepted)[: args.words]
    print(f"{len(vocabulary)} words of {args.vocabulary}, {len(words)} compounds timed")
    print(
        "method     K  R    build s  match ms  split ms  reachable  weighted:in25 first"
        "  geometric:in25 first"
    )
    runs = [("primitive", 0, 0.0), ("rules", 0, 0.0)]
    methods = ["trie", "bktree", "linear"] if args.slow else ["trie"]
    runs += [(method, *limits) for method in methods for limits in THESIS_LIMITS]
    for method, k, r in runs:
        make_splitter(read_small(), method, MatchLimits(k, r)).warm_up()
        began = time.process_time()
        splitter = make_splitter(vocabulary, method, MatchLimits(k, r))
        build = time.process_time() - began
        splitter.warm_up()
        row = f"{method:9} {k:2} {r:4.1f} {build:8.2f}"
        row += f"{cpu_ms(splitter, words, ranked=False):10.3f}"
        row += f"{cpu_ms(splitter, words, ranked=True):10.3f}"
        if method in ("trie", "rules", "primitive"):
            row += f"{sum(reachable(splitter, *one) for one in accepted.items()):9}"
            for ranking in ("weighted", "geometric"):
                ranker = Splitter(vocabulary, splitter.index, splitter.limits, ranking)
                ranked = {word: [one.parts for one in ranker.splits(word)] for word in accepted}
                row += f"{sum(bool(accepted[w] & set(s)) for w, s in ranked.items()):15}"
                row += f"{sum(bool(s) and s[0] in accepted[w] for w, s in ranked.items()):8}"
        print(row, flush=True)


def read_small():  # type: ignore[no-untyped-def]  # a vocabulary
    """A vocabulary to compile the kernels with."""
    from searcher.terms.vocabulary import of_counts

    return of_counts({"abc": 1, "abd": 1})


if __name__ == "__main__":
    main()
