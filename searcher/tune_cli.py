"""std-tune: a development set in, a model out."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from std.command import (
    SEED,
    Parser,
    file_argument,
    print_json,
    progress_bar,
    run,
    tell,
    text_argument,
)
from std.errors import STANDARD_STREAM, InputError

if TYPE_CHECKING:
    from searcher.candidates import Candidates  # --help needs none of what these load
    from std.config import Config
    from std.store import Segment

EXAMPLE = """\
example:
  std-tune --store DEV --ecf dev.xml --rttm dev.rttm --terms dev-terms.xml --output model.json
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml --model model.json
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = Parser(
        prog="std-tune",
        description="Learn phone confusions and score calibration from transcribed speech.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "--store", required=True, action="append", help="index of the development set"
    )
    parse.add_argument("--ecf", required=True, type=file_argument, metavar="XML", help="its speech")
    parse.add_argument(
        "--rttm", required=True, type=file_argument, metavar="RTTM", help="its transcript"
    )
    parse.add_argument(
        "--terms", required=True, type=file_argument, metavar="XML", help="terms like yours"
    )
    parse.add_argument(
        "--output", required=True, type=file_argument, metavar="JSON", help="the model"
    )
    parse.add_argument(
        "--config", type=file_argument, metavar="TOML", help="see configs/default.toml"
    )
    parse.add_argument(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="to learn of, where the index has several",
    )
    parse.add_argument(
        "--seed", type=SEED, default=1, help="draws the in-vocabulary words learned from (1)"
    )
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parse.add_argument("--quiet", action="store_true", help="no summary, no progress")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 learned, 2 the user can mend it."""
    args = parser().parse_args(argv)
    return run("std-tune", lambda: learn(args))


def learn(args: argparse.Namespace) -> None:
    """Learn a model and write it."""
    from searcher.calibration.model import save
    from searcher.lexical.lookup import inside_ecf
    from searcher.phonetic_candidates import open_phonetic_indexes
    from searcher.snapshot import adapted, open_stores, snapshot
    from searcher.tuning.reference import make_transcript
    from searcher.tuning.tune import tune
    from std.config import load_config
    from std.distinct import require_distinct
    from std.files import read
    from std.nist import ecf, rttm
    from std.nist import term_list as termlist
    from std.outputs import output_name

    inputs = {"--ecf": args.ecf, "--rttm": args.rttm, "--terms": args.terms}
    outputs = {"--output": args.output} | ({"--json": STANDARD_STREAM} if args.json else {})
    require_distinct(inputs | {"--config": args.config}, outputs, args.store)
    stores = open_stores(args.store)
    config = adapted(load_config(args.config), stores)
    excerpts = read(ecf.parse, args.ecf).excerpts
    term_list = read(termlist.parse, args.terms)
    lexemes = read(partial(rttm.parse, encoding=term_list.encoding), args.rttm)
    segments = in_one_language(snapshot(stores, config), args)
    recordings = tuple(sorted({one.recording for s in segments for one in s.recordings}))
    row_of = {recording: i for i, recording in enumerate(recordings)}
    indexes, _ = open_phonetic_indexes(segments, row_of, config, None)
    if indexes is None:
        raise InputError(args.store[0], 0, "an index with sounds", "one made without a converter")
    searched = {excerpt.recording for excerpt in excerpts}
    spoken = make_transcript(lexemes, recordings, config.text)
    spoken = spoken.within([row_of[recording] for recording in searched if recording in row_of])
    if not spoken.words:
        raise InputError(args.rttm, 0, "words of the recordings in the ECF", "none")
    with progress_bar("learning", 1.0, quiet=args.quiet) as advance:
        done = [0.0]

        def progress(share: float) -> None:
            advance(share - done[0])
            done[0] = share

        model = tune(
            spoken,
            indexes,
            partial(written, segments=segments, config=config),
            [config.text.phrase(term.text) for term in term_list.terms],
            partial(inside_ecf, recordings=recordings, excerpts=excerpts),
            seed=args.seed,
            progress=progress,
        )
    save(model, args.output)
    if args.json:
        print_json(dict(model.tuned_on) | {"maker": model.pronouncer})
    if not args.quiet:
        learned = model.tuned_on
        tell(
            f"{learned['phones_aligned']:.0f} phones of missed words aligned, "
            f"{learned['unknown_right']} occurrences of unknown and {learned['known_right']} of "
            f"known words learned from -> {output_name(args.output)}"
        )


def in_one_language(
    segments: "tuple[Segment, ...]", args: argparse.Namespace
) -> "tuple[Segment, ...]":
    """The segments of the language that is learned.

    Raises:
        InputError: there are several and none is named, or another one.
    """
    from searcher.languages import by_language
    from std.languages.detection import language_code

    groups = by_language(segments)
    if not args.language:
        if len(groups) == 1:
            return segments
        found = ", ".join(group.language for group in groups)
        raise InputError(args.store[0], 0, "one language, or --language to choose one", found)
    for group in groups:
        if group.language == language_code(args.language):
            return group.segments
    found = ", ".join(group.language or "none that is known" for group in groups)
    raise InputError(args.store[0], 0, f"recordings in {args.language!r}", found)


def written(
    phrases: Sequence[tuple[str, ...]], *, segments: "Sequence[Segment]", config: "Config"
) -> "list[Candidates]":
    """Where phrases are written: candidates with their posteriors, one list per phrase."""
    import numpy as np

    from searcher.search import find_candidates
    from std.values import Term

    config = replace(config, sound=replace(config.sound, words="none"))
    terms = [Term(str(i), " ".join(words)) for i, words in enumerate(phrases)]
    candidates = find_candidates(terms, segments, config).candidates
    candidates = candidates.rows(candidates.score >= config.search.min_score)
    bounds = np.searchsorted(candidates.term, np.arange(len(terms) + 1)).tolist()
    return [candidates.rows(slice(bounds[i], bounds[i + 1])) for i in range(len(terms))]


if __name__ == "__main__":
    sys.exit(main())
