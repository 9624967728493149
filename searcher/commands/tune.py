"""std-tune: a development set or people's marks in, a model out; or a check of an archive."""

import argparse
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from searcher.commands.command_line import printed_forms
from std.command import SEED, file_argument, print_json, progress_bar, run, tell, text_argument
from std.display.rows import LINES, TABLE, Rows, form_of, print_rows
from std.errors import StdError
from std.execution.cost import Stopwatch
from std.numbers import counted
from std.options import add_config_options, add_progress_options, add_row_options, configuration_of
from std.parser import Parser

if TYPE_CHECKING:
    from searcher import ArchiveCheck

TUNE_EXAMPLE = """\
example:
  std-tune --store DEV --ecf dev.xml --rttm dev.rttm --terms dev-terms.xml --output model.json
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml --model model.json
  std-tune --store INDEX --feedback marks.jsonl --output model.json
  std-tune --store INDEX --check words.txt     # do probabilities hold in this archive?
"""

KINDS = {  # of words that --check searches
    "sibling": "with the stem of words that were written often",
    "compound": "with a part that was written often",
}


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parse = Parser(
        prog="std-tune",
        description="Learn score calibration from transcribed speech, from people's marks (right, "
        "wrong) in std-serve, or from both, and phone confusions from transcripts. Or test "
        "(--check) the probabilities of an archive that has neither.",
        epilog=TUNE_EXAMPLE,
    )
    parse.add_argument(
        "--store", required=True, action="append", help="index of the speech; once for each shard"
    )
    parse.add_argument(
        "--ecf", type=file_argument, metavar="XML", help="speech that is transcribed"
    )
    parse.add_argument("--rttm", type=file_argument, metavar="RTTM", help="its transcript")
    parse.add_argument(
        "--terms",
        type=file_argument,
        metavar="FILE",
        help="terms like yours: XML, a term a line, or CSV with id,text",
    )
    parse.add_argument(
        "--feedback", type=file_argument, metavar="JSONL",
        help="marks of hits: the file of std-serve --feedback",
    )  # fmt: skip
    parse.add_argument(
        "--check", type=file_argument, metavar="WORDS",
        help="do not learn; test the probabilities with words that probably nobody says. WORDS is "
        "the recogniser's vocabulary, one word a line. Words are searched that the recogniser "
        "never wrote, although it often wrote other words of their stem, or a part of them as a "
        "word",
    )  # fmt: skip
    parse.add_argument("--output", type=file_argument, metavar="JSON", help="file for the model")
    parse.add_argument(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="language to learn from, if the index has several",
    )
    add_row_options(parse, "figures of the model")
    add_progress_options(parse)
    settings = parse.further("settings")
    add_config_options(settings)
    settings.add_argument(
        "--seed", type=SEED, help="seed of the random choice of in-vocabulary words (1)"
    )
    settings.add_argument(
        "--even-if-worse",
        action="store_true",
        help="write the model even if it is expected to be worse than the shipped weights",
    )
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = learned, 2 = an error that the user can correct."""
    args = parser().parse_args(argv)
    return run("std-tune", lambda: check(args) if args.check else learn(args))


def check(args: argparse.Namespace) -> None:
    """Test the probabilities of an archive.

    Raises:
        StdError: options that belong to learning, or there are no words to search.
    """
    started = Stopwatch()
    learning = ("ecf", "rttm", "terms", "feedback", "output", "language", "seed")
    given = [name for name in learning if getattr(args, name) is not None]
    given += ["even-if-worse"] if args.even_if_worse else []
    if given:
        raise StdError(f"expected --check without --{given[0]}, got both")
    from searcher import check_archive
    from std.distinct import require_distinct

    inputs = {"--check": args.check, "--config": args.config}
    require_distinct(inputs, printed_forms(args), args.store)
    config = configuration_of(args)
    with progress_bar("searching", 1.0, quiet=args.quiet) as advance:
        found = check_archive(*args.store, words_path=args.check, config=config, advance=advance)
    if args.json:
        most, kinds = ([one._asdict() for one in some] for some in (found.most, found.kinds))
        document = found._asdict() | {"most": most, "kinds": kinds, "hold": found.hold}
        print_json(document | started.cost()._asdict())
    elif args.nl or args.csv or args.fmt:
        documents = (one._asdict() for one in found.most)
        columns = ("word", "siblings", "expected", "likely", "kind", "part")
        rows = Rows(columns, [list(one) for one in found.most], documents)
        print_rows(rows, form_of(args, piped=LINES))
    if not args.quiet:
        vocabulary = None if config.calibration.vocabulary else args.check
        for line in check_summary(found, vocabulary):
            tell(line)


def check_summary(found: "ArchiveCheck", vocabulary: str | None) -> list[str]:
    """The result of the test in words.

    Args:
        vocabulary: file of the recogniser's words, if the search was not given any.
    """
    lines = [
        f"{counted(found.words, 'word')} that most probably nobody says in {found.hours:,.1f} h: "
        f"the probabilities of all hits add up to {found.expected:,.1f}; "
        f"{counted(found.likely, 'hit')} from probability 0.5 up"
    ]
    for one in found.kinds if len(found.kinds) > 1 else ():
        lines.append(
            f"{counted(one.words, 'word')} {KINDS[one.kind]}: {one.expected:,.1f}; "
            f"{counted(one.likely, 'hit')}; sums above 5 for {counted(one.many, 'word')}"
        )
    if found.hold:
        lines.append("probabilities hold for words that resemble others")
    else:
        most = ", ".join(
            f"{one.word}{f' ({one.part})' if one.part else ''} {one.expected:,.1f}"
            for one in found.most[:5]
        )
        lines.append(
            "probabilities are too high where words resemble others; "
            f"sums above 5 for {counted(found.many, 'word')}; largest: {most}"
        )
        if vocabulary is not None:
            setting = shlex.quote(f"calibration.vocabulary={vocabulary}")
            lines.append(
                f"search with --set {setting}: words of this file that were never written are then "
                "less likely"
            )
    return lines


def learn(args: argparse.Namespace) -> None:
    """Learn a model and write it.

    Raises:
        StdError: there is nothing to learn from, or half of a transcript's files.
    """
    started = Stopwatch()
    from searcher import save_model, tune
    from std.distinct import require_distinct
    from std.outputs import output_name

    inputs = {"--ecf": args.ecf, "--rttm": args.rttm, "--terms": args.terms}
    if args.output is None:
        raise StdError("expected --output, or --check, got neither")
    missing = [option for option, path in inputs.items() if path is None]
    if 0 < len(missing) < len(inputs):
        raise StdError(f"expected --ecf, --rttm and --terms together, got no {missing[0]}")
    if missing and args.feedback is None:
        raise StdError("expected --rttm with --ecf and --terms, or --feedback, or all, got neither")
    inputs |= {"--feedback": args.feedback, "--config": args.config}
    require_distinct(inputs, {"--output": args.output} | printed_forms(args), args.store)
    with progress_bar("learning", 1.0, quiet=args.quiet) as advance:
        model = tune(
            *args.store,
            ecf_path=args.ecf,
            rttm_path=args.rttm,
            terms_path=args.terms,
            feedback_path=args.feedback,
            config=configuration_of(args),
            language=args.language,
            seed=1 if args.seed is None else args.seed,
            even_if_worse=args.even_if_worse,
            advance=advance,
        )
    save_model(model, args.output)
    figures = dict(model.tuned_on) | {"maker": model.pronouncer}
    if args.json:
        print_json(figures | started.cost()._asdict())
    elif (args.nl or args.csv or args.fmt) and args.fmt != TABLE:
        documents = ({"figure": name, "value": value} for name, value in figures.items())
        rows = Rows(("figure", "value"), [*figures.items()], documents)
        print_rows(rows, form_of(args, piped=LINES))
    if not args.quiet:
        tell(f"{'; '.join(summary(model.tuned_on))} -> {output_name(args.output)}")


def summary(learned: Mapping[str, float]) -> list[str]:
    """A model's examples in words."""
    lines = []
    if "words" in learned:
        lines.append(
            f"{counted(round(learned['phones_aligned']), 'phone')} of missed words aligned; "
            f"learned from {counted(int(learned['unknown_right']), 'occurrence')} of unknown and "
            f"{int(learned['known_right']):,} of known words"
        )
        lines.append(f"terms of the list that are said: {int(learned['terms_said']):,}")
        said, silent = (int(learned[name]) for name in ("recordings", "without_words"))
        if silent > said:
            lines.append(
                f"{silent:,} of {said + silent:,} recordings of the ECF have no word in the "
                "transcript: what was found there counted as wrong"
            )
        lines.append(gain_in_words(learned))
    if "marks" in learned:
        lines.append(
            f"learned from {counted(int(learned['marks']), 'mark')}, "
            f"{int(learned['marks_right']):,} of them right"
        )
        others = {0: "right", learned["marks"]: "wrong"}.get(learned["marks_right"])
        if others:
            lines.append(f"no {others} hit is marked, so probabilities may be far off")
        if learned["marks_unused"]:
            unused = counted(int(learned["marks_unused"]), "mark")
            lines.append(
                f"{unused} left out: of other recordings or of queries, or without a hit there"
            )
    return lines


def gain_in_words(learned: Mapping[str, float]) -> str:
    """The gain on speech that was not learned from."""
    if "gain" not in learned:
        return "too little speech to measure the gain of tuning"
    nats, low, high = (learned[name] for name in ("gain", "gain_low", "gain_high"))
    return (
        f"expected gain on other speech: {nats:+.3f} nats a right place ({low:+.3f} to {high:+.3f})"
    )


if __name__ == "__main__":
    sys.exit(main())
