"""std-tune: a development set in, a model out."""

import argparse
import sys
from collections.abc import Sequence

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
from std.errors import STANDARD_STREAM

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
    from searcher import save_model, tune
    from std.distinct import require_distinct
    from std.outputs import output_name

    inputs = {"--ecf": args.ecf, "--rttm": args.rttm, "--terms": args.terms}
    outputs = {"--output": args.output} | ({"--json": STANDARD_STREAM} if args.json else {})
    require_distinct(inputs | {"--config": args.config}, outputs, args.store)
    with progress_bar("learning", 1.0, quiet=args.quiet) as advance:
        model = tune(
            *args.store,
            ecf_path=args.ecf,
            rttm_path=args.rttm,
            terms_path=args.terms,
            config=args.config,
            language=args.language,
            seed=args.seed,
            advance=advance,
        )
    save_model(model, args.output)
    if args.json:
        print_json(dict(model.tuned_on) | {"maker": model.pronouncer})
    if not args.quiet:
        learned = model.tuned_on
        tell(
            f"{learned['phones_aligned']:.0f} phones of missed words aligned, "
            f"{learned['unknown_right']} occurrences of unknown and {learned['known_right']} of "
            f"known words learned from -> {output_name(args.output)}"
        )


if __name__ == "__main__":
    sys.exit(main())
