"""Search simulated archives of known truth: do probabilities hold at any size?

    python benchmarks/archives/frequencies.py de de.tsv       # in a separate environment
    python -m benchmarks.archives --words de.tsv --hours 1 10 [--recognisers exact mistaken]
    python -m benchmarks.archives --words de.tsv --text TEXT --hours 92

Words are said by their frequency in any order, or as TEXT (an utterance a line) has them; without
``--words`` it is a small language, the words of the German example. Recognisers
(`benchmarks.archives.recognisers`): ``exact`` networks with posteriors right by construction,
``mistaken`` ones with a real recogniser's mistakes (of examples/german, or of the set ``--data``),
``one-best`` of those with confidences, ``captions`` without. Terms are those of
`benchmarks.archives.terms`, each list searched with the default configuration and with
configs/plain.toml.

    n, said, right    terms; how often they are said; hits at such places
    sum               of the probabilities of all hits
    median            of the terms' own sum/right
    ECE, exact        calibration error of the hits from .1 up; of exact probabilities
    recall, false     share of what is said that has a hit from .5 up; false hits from there, a term
    largest, > 5      a term's sum less what is right, the largest; terms that have 5 and more

``--picture FILE`` draws sum/right by times said; ``--write FOLDER`` keeps networks (JSON lines),
terms and truth, so that the commands can be run on them. Archives of more than ``--part`` hours are
made in parts, each a segment of an index on disk (15 GB for 10,000 h).
"""

import argparse
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.archives import measures, slots
from benchmarks.archives.measures import HEADER, Row
from benchmarks.archives.mishearings import Heard, heard, mishearings
from benchmarks.archives.parts import (
    Parts,
    Said,
    indexed,
    networks,
    occurrences,
    of_terms,
    said_in,
)
from benchmarks.archives.real_slots import slots_of, words_of_example
from benchmarks.archives.recognisers import Blocks, Exact, Mistaken, captions, one_best
from benchmarks.archives.slots import Recognise
from benchmarks.archives.speech import drawn, of_text, with_names
from benchmarks.archives.terms import Asked, asked, times_of_names
from benchmarks.archives.words import Counted, Words, cast, of_file, of_speech
from benchmarks.simulated_recognisers import RealSlot
from benchmarks.simulated_speech import utterances
from indexer.networks.utterances import Utterances
from searcher.found_terms import prepare
from std.config import Config, load_config
from std.phonetics.lexicon import lexicon_in
from std.store import Segment

RECOGNISERS = ("exact", "mistaken", "one-best", "captions")
PART_SEEDS, FIRST_HOURS = 1000, 5000  # from a part to the next
PLAIN = Path(__file__).parents[2] / "configs/plain.toml"


def archive(args: argparse.Namespace, counted: Counted, hours: float, config: Config) -> Parts:
    """What is said and heard in an archive of so many hours."""
    spoken = utterances(args.text, hours) if args.text else []
    if spoken:
        counted = _of_both(of_speech(spoken), counted)
    names = 4 * args.terms
    words = cast(counted, args.vocabulary, args.terms, names, args.seed)
    found = mishearings(words, lexicon_in(args.language, config.pronunciation, config.text))
    n_parts = 1 if spoken else math.ceil(hours / args.part)

    def part(number: int) -> Heard:
        seed = args.seed + PART_SEEDS * number
        speech = of_text(words, spoken, seed) if spoken else drawn(words, hours / n_parts, seed)
        times = times_of_names(len(speech.word) * n_parts, len(words.names))
        own = [(n + number) // n_parts for n in times]  # of each part as many as of the others
        speech = replace(speech, first_hour=number * FIRST_HOURS)
        return heard(with_names(speech, own, seed), found, seed)

    if n_parts > 1:
        return Parts(words, [partial(part, number) for number in range(n_parts)])
    one = part(0)
    return Parts(words, [lambda: one])


def _of_both(text: Counted, counted: Counted) -> Counted:
    """Words of the text as it has them; others of the language are never said."""
    own = set(text.words)
    others = [word for word in counted.words if word not in own]
    return Counted([*text.words, *others], np.append(text.counts, np.zeros(len(others))))


def recogniser(
    name: str, words: Words, real: Sequence[tuple[str, RealSlot]], seed: int
) -> Recognise:
    """A recogniser by its name."""
    blocks = Blocks.of(words, seed)
    if name == "exact":
        return Exact(blocks)
    if name == "captions":
        return captions(blocks)
    known = frozenset(
        word for word, is_known in zip(words.words, words.known, strict=True) if is_known
    )
    mistaken = Mistaken.of(blocks, real, known)
    return one_best(mistaken) if name == "one-best" else mistaken


def measured(
    listed: Sequence[Asked],
    parts: Parts,
    said: Said,
    segments: Sequence[Segment],
    config: Config,
) -> Iterator[tuple[Row, Row]]:
    """A row for each class, with the configuration and with plain.toml."""
    plain = load_config(PLAIN)
    indexes = [
        prepare(segments, replace(some, pronunciation=config.pronunciation))
        for some in (config, plain)
    ]
    places = occurrences([term.phrase for term in listed], parts)
    kinds = [term.kind for term in listed]
    for kind in dict.fromkeys(kinds):
        terms = range(kinds.index(kind), kinds.index(kind) + kinds.count(kind))
        some = [listed[row] for row in terms]
        own, other = (measures.find(some, said, of_terms(places, terms), one) for one in indexes)
        print(f"{kind}: {len(terms)} terms, {own.cpu_s:.1f} s of CPU", file=sys.stderr)
        yield from zip(measures.rows(own), measures.rows(other), strict=True)


def write(folder: Path, parts: Parts, made: Iterable[Utterances], listed: Sequence[Asked]) -> None:
    """Keep networks, a list of terms for each kind, and where each term is said."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, one in enumerate(made):
        slots.dumped(one, folder / f"networks-{number}.jsonl")
    texts = [" ".join(parts.words.words[row] for row in term.phrase) for term in listed]
    for term, text in zip(listed, texts, strict=True):
        with (folder / f"{term.kind}.txt").open("a", encoding="utf-8") as terms:
            terms.write(f"{text}\n")
    places = occurrences([term.phrase for term in listed], parts)
    columns = (places.term.tolist(), places.recording.tolist(), places.start_s.tolist())
    with (folder / "truth.tsv").open("w", encoding="utf-8") as sink:
        for term, recording, start_s in zip(*columns, strict=True):
            sink.write(f"{texts[term]}\t{places.recordings[recording].file}\t{start_s:.3f}\n")


def arguments() -> argparse.Namespace:
    """The command line."""
    parse = argparse.ArgumentParser(
        prog="python -m benchmarks.archives",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parse.add_argument("--words", type=Path, metavar="TSV", help="words with their counts")
    parse.add_argument("--text", type=Path, help="real text, an utterance a line")
    parse.add_argument("--data", type=Path, metavar="NETWORKS", help="of a set, for mistakes")
    parse.add_argument("--language", default="de")
    parse.add_argument("--hours", type=float, nargs="+", default=[1.0])
    parse.add_argument("--part", type=int, default=1000, metavar="HOURS", help="made at a time")
    parse.add_argument("--recognisers", nargs="+", choices=RECOGNISERS, default=RECOGNISERS)
    parse.add_argument("--vocabulary", type=int, default=100_000, help="words that are known")
    parse.add_argument("--terms", type=int, default=50, help="of a class, at most")
    parse.add_argument("--seed", type=int, default=1)
    parse.add_argument("--picture", type=Path, metavar="SVG")
    parse.add_argument("--write", type=Path, metavar="FOLDER")
    parse.add_argument("--json", action="store_true")
    return parse.parse_args()


def main() -> None:
    """Print the table."""
    args = arguments()
    config = Config()
    config = replace(config, pronunciation=replace(config.pronunciation, language=args.language))
    counted = of_file(args.words) if args.words else words_of_example()
    if not args.words:
        args.vocabulary = min(args.vocabulary, len(counted.words) // 2)
    real = slots_of(args.data, args.language)
    found = []
    if not args.json:
        print(HEADER + "\n|" + "---|" * (HEADER.count("|") - 1))
    for hours in args.hours:
        parts = archive(args, counted, hours, config)
        said = said_in(parts)
        listed = list(asked(said, args.terms, args.seed, args.language))
        for name in args.recognisers:
            begin = time.process_time()
            recognise = recogniser(name, said.words, real, args.seed)
            made = partial(
                networks, parts, recognise, args.seed, times_estimated=name == "captions"
            )
            with tempfile.TemporaryDirectory() as folder:
                segments = indexed(made(), len(parts.make), config, Path(folder) / "index")
                cpu_s = time.process_time() - begin
                print(f"{name}, {hours:g} h: indexed in {cpu_s:.1f} s of CPU", file=sys.stderr)
                if args.write:
                    write(args.write / f"{name}-{hours:g}", parts, made(), listed)
                for row, plain in measured(listed, parts, said, segments, config):
                    found.append((hours, name, row, plain))
                    if not args.json:
                        print(measures.line(*found[-1]), flush=True)
    if args.json:
        print(json.dumps([as_object(*one) for one in found], indent=1))
    if args.picture:
        from benchmarks.archives.picture import draw

        draw([(hours, name, row) for hours, name, row, _ in found], args.picture)


def as_object(hours: float, name: str, row: Row, plain: Row) -> dict[str, Any]:
    """A line of the table, for programs."""
    return {"hours": hours, "recogniser": name, **row._asdict(), "plain": plain._asdict()}


if __name__ == "__main__":
    main()
