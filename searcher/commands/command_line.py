"""std-search's command line as a whole: invalid combinations, the configuration, the index.

misuse           the first invalid combination of options, of those in `WRONG`
configuration    the configuration with the command line's values
opened           the index, or those of several recognisers as one
"""

import argparse
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from std.command import tell, warn
from std.errors import STANDARD_STREAM, named
from std.numbers import counted
from std.options import configuration_of, files_of
from std.timelines import is_subtitle_file

if TYPE_CHECKING:
    from searcher import FusedIndex, Index, SearchResult  # --help needs none of what these load
    from std.config import Config

EXPLAINING = {  # options of --explain-query
    *("term", "terms", "term_column", "store", "vocabulary", "all_words", "all_matches", "bktree"),
    *("config", "set", "json", "nl", "csv", "fmt", "quiet", "explain_query"),
}


class Misuse(NamedTuple):
    """A wrong combination of options, named as in `args`, and of facts (see `misuse`)."""

    message: str  # with the fields file, stores and models
    of: tuple[str, ...] = ()  # one of these is given; none named: whatever is given
    beside: tuple[str, ...] = ()  # and one of these
    without: tuple[str, ...] = ()  # and none of these

    def holds(self, given: Collection[str]) -> bool:
        """Whether the options that are given are this combination."""
        return (
            (not self.of or any(one in given for one in self.of))
            and (not self.beside or any(one in given for one in self.beside))
            and not any(one in given for one in self.without)
        )


INPUTS = ("terms", "queries", "ecf", "alerts", "config", "examples")
OUTPUTS = (
    *("output", "probabilities", "explain", "oov_lexicon", "listen_again", "term_list"),
    *("timeline", "corrections"),
)
LISTS, BY_EXAMPLE = ("terms", "queries", "examples"), ("like", "query_audio")
BESIDE_UNIT = (
    *("not one term", *LISTS, "alerts", *BY_EXAMPLE, "output", "decide", "beta", "clips", "srt"),
    *("explain", "oov_lexicon", "inflections", "listen_again", "timeline", "markers"),
    *("corrections", "within_words"),
)
BESIDE_ALERTS = (
    *("term", *LISTS, *BY_EXAMPLE, "fuse", "where", "recording", "ecf", "output", "clips", "srt"),
    *("timeline", "markers", "corrections", "limit", "decide", "beta", "within_words", "explain"),
    *("oov_lexicon", "listen_again", "scheduler"),
)
NEEDED = {  # options that say how others do their work: without these they would say nothing
    "dialect": ("output",),
    "no_default_score": ("output",),
    "system_id": ("output",),
    "audio": ("clips", "timeline"),
    "clip_format": ("clips",),
    "clip_around": ("clips", "timeline"),
    "markers_for": ("markers",),
    "frame_rate": ("timeline", "markers"),
    "first_timecode": ("timeline", "markers"),
}


def option(name: str) -> str:
    """An option by its name in `args`."""
    return f"--{name.replace('_', '-')}"


WRONG = (
    Misuse(
        "--vocabulary, --all-words, --all-matches and --bktree go with --explain-query",
        ("vocabulary", "all_words", "all_matches", "bktree"),
    ),
    Misuse("the following arguments are required: --store", without=("store",)),
    Misuse(
        "give terms in a --terms file or spoken ones in a --queries file, not both",
        ("terms",),
        beside=("queries",),
    ),
    Misuse("give terms as arguments or in a {file} file, not both", LISTS, beside=("term",)),
    *(
        Misuse(
            "--queries needs --ecf (the speech searched) and --output (the hit list)",
            ("queries",),
            without=(needed,),
        )
        for needed in ("ecf", "output")
    ),
    Misuse(
        "--probabilities goes with --output: the same hits, with another number",
        ("probabilities",),
        without=("output", "term"),
    ),
    Misuse(
        "expected --terms FILE or at least one TERM, got neither",
        without=(*LISTS, *BY_EXAMPLE, "term", "alerts"),
    ),
    Misuse(
        "--like and --query-audio are examples of one TERM; those of a list are --examples",
        BY_EXAMPLE,
        beside=("several terms", *LISTS),
    ),
    Misuse(
        "--inflections finds words: expected no --like and no --query-audio",
        BY_EXAMPLE,
        beside=("inflections",),
    ),
    Misuse(
        "--unit finds recordings or turns for one TERM, and prints them: expected no other terms, "
        "--output, --decide, --clips, --srt, --timeline, --markers, --corrections, --explain, "
        "--within-words or --inflections",
        ("unit",),
        beside=BESIDE_UNIT,
    ),
    Misuse("--encoder is the model of --query-audio", ("encoder",), without=("query_audio",)),
    Misuse(
        "examples search the index of one recogniser, without --fuse",
        (*BY_EXAMPLE, "examples"),
        beside=("fuse",),
    ),
    Misuse(
        "--output writes the hits of a list; for --like there is --json",
        BY_EXAMPLE,
        beside=("output",),
    ),
    Misuse(
        "--ecf is the speech of a list; for --like there are --recording and --where",
        BY_EXAMPLE,
        beside=("ecf",),
    ),
    Misuse(
        "--output writes the hits of a --terms file; for a TERM there is --json",
        ("term",),
        beside=("output",),
    ),
    Misuse(
        "--probabilities writes the hits of a --terms file; for a TERM there is --json",
        ("term",),
        beside=("probabilities",),
    ),
    Misuse(
        "--ecf is the speech of a --terms file; for a TERM there are --recording and --where",
        ("term",),
        beside=("ecf",),
    ),
    Misuse(
        "--inflections is for TERM; a list is searched for its terms only",
        ("inflections",),
        without=("term",),
    ),
    Misuse(
        "--term-list writes the term list of a --queries or --examples file",
        ("term_list",),
        without=("queries", "examples"),
    ),
    Misuse(
        "--queries searches the index of one recogniser, without --fuse",
        ("queries",),
        beside=("fuse",),
    ),
    Misuse(
        "--term-column names a column of --terms or --alerts",
        ("term_column",),
        without=("terms", "alerts"),
    ),
    Misuse("--since LAST goes with --alerts", ("since",), without=("alerts",)),
    Misuse(
        "--alerts searches all recordings of an index for a list, and prints hits: expected no "
        "TERM, --terms, --queries, --fuse, --where, --recording, --ecf, --output, --clips, "
        "--srt, --timeline, --markers, --corrections, --limit, --decide, --within-words, "
        "--explain, --oov-lexicon, --listen-again or --scheduler",
        ("alerts",),
        beside=BESIDE_ALERTS,
    ),
    Misuse(
        "--like and --query-audio compare sound: expected no --within-words, --corrections, "
        "--oov-lexicon or --listen-again",
        BY_EXAMPLE,
        beside=("within_words", "corrections", "oov_lexicon", "listen_again"),
    ),
    *(
        Misuse(f"{option(name)} goes with {' or '.join(map(option, of))}", (name,), without=of)
        for name, of in NEEDED.items()
    ),
    Misuse(
        "--fuse needs two --store or more, one of each recogniser", ("fuse",), without=("stores",)
    ),
    Misuse(
        "--fuse takes one --model for all, or one for each of {stores} --store, got {models}",
        ("fuse",),
        beside=("models",),
        without=("model of each",),
    ),
    Misuse("several --model are for --fuse, one for each --store", ("models",), without=("fuse",)),
)


def misuse(args: argparse.Namespace, parser: argparse.ArgumentParser) -> str:
    """The error in a combination of options; empty if it is valid."""
    if args.explain_query:
        wrong = _of_explaining(args, parser)
        return next((message for message, holds in wrong.items() if holds), "")
    stores, models = len(args.store or ()), len(args.model)
    facts = {
        "unit": args.unit != "place",
        "not one term": len(args.term) != 1,
        "several terms": len(args.term) > 1,
        "stores": stores > 1,
        "models": models > 1,
        "model of each": models == stores,
    }
    values = {name: value for name, value in vars(args).items() if value != []}  # no TERM
    given = {name for name, value in values.items() if value != parser.get_default(name)}
    given -= facts.keys()
    given |= {name for name, is_so in facts.items() if is_so}
    message = next((one.message for one in WRONG if one.holds(given)), "")
    file = next((name for name in ("queries", "examples") if name in given), "terms")
    return message.format(file=f"--{file}", stores=stores, models=models)


def _of_explaining(
    args: argparse.Namespace, parser: argparse.ArgumentParser
) -> Mapping[str, object]:
    others = [
        action.option_strings[-1]
        for action in parser._actions
        if action.dest not in EXPLAINING
        and getattr(args, action.dest, action.default) != action.default
    ]
    given = "both" if args.term else "neither"
    sources = "both" if args.store else "neither"
    return {
        "--term-column names a column of --terms": args.term_column and not args.terms,
        f"--explain-query searches nothing: expected no {', '.join(others)}": others,
        f"expected at least one TERM or --terms FILE, got {given}": (
            bool(args.term) == bool(args.terms)
        ),
        f"expected --store or --vocabulary, got {sources}": (
            bool(args.store) == bool(args.vocabulary)
        ),
    }


def printed_forms(args: argparse.Namespace) -> dict[str, Path]:
    """The options that print rows in a form, as outputs of `std.distinct.require_distinct`."""
    forms = ("json", "nl", "csv", "fmt")
    return {option(form): STANDARD_STREAM for form in forms if getattr(args, form)}


def configuration(args: argparse.Namespace) -> "Config":
    """The configuration file, with changes by other options.

    Raises:
        StdError: two outputs are one file.
    """
    from std.distinct import require_distinct

    inputs = {option(name): getattr(args, name) for name in INPUTS}
    inputs |= {f"--model {i}" if i > 1 else "--model": path for i, path in enumerate(args.model, 1)}
    outputs = {option(name): getattr(args, name) for name in OUTPUTS}
    if args.srt and is_subtitle_file(args.srt):
        outputs["--srt"] = args.srt
    outputs |= printed_forms(args)
    if not args.output and STANDARD_STREAM not in outputs.values():
        outputs["the table"] = STANDARD_STREAM
    require_distinct(inputs, outputs, args.store)
    config = configuration_of(args)
    require_distinct(files_of(config), outputs)
    if args.phones:
        phonetic_search = replace(config.phonetic_search, phones=args.phones)
        config = replace(config, phonetic_search=phonetic_search)
    if args.beta is None:
        return config
    return replace(config, decision=replace(config.decision, beta=args.beta))


def opened(args: argparse.Namespace, config: "Config") -> "Index | FusedIndex":
    """The index, or those of several recognisers as one."""
    from searcher import open_fused, open_index
    from searcher.output.notices import fusion_warning

    if args.fuse:
        fused = open_fused(*args.store, config=config, model=args.model or None)
        if warning := fusion_warning(fused.recordings_of_each):
            warn("std-search", warning)
        return fused
    return open_index(*args.store, config=config, model=args.model[0] if args.model else None)


def selection(args: argparse.Namespace) -> dict[str, Any]:
    """The searched recordings; with an ECF, `restricted` has selected them."""
    return {} if args.ecf else {"where": args.where, "recordings": args.recording}


def outside_words(
    found: "SearchResult", index: "Index | FusedIndex", args: argparse.Namespace
) -> "SearchResult":
    """The detections that are not inside other words, or inside words of permitted kinds."""
    return found if args.within_words is None else index.outside_words(found, args.within_words)


def warn_of_phones(found: "SearchResult") -> None:
    """Warn of segments that were not searched by phones, or without the model."""
    from searcher.output.notices import phonetic_warnings

    for warning in phonetic_warnings(found):
        warn("std-search", warning)


def write_oov_words(
    args: argparse.Namespace, found: "SearchResult", index: "Index | FusedIndex"
) -> None:
    """Write files for the recogniser: a lexicon of unknown words, places to recognise again."""
    if not (args.oov_lexicon or args.listen_again):
        return  # without the XML of hit lists
    from searcher.output.hit_files import write_oov_lexicon, write_stretches

    if args.oov_lexicon:
        words = sorted({word for words in found.oov_words for word in words})
        for warning in write_oov_lexicon(args.oov_lexicon, words, index.segments, index.config):
            warn("std-search", warning)
    if args.listen_again:
        n = write_stretches(args.listen_again, found)
        if not args.quiet:
            tell(
                f"{counted(n, 'place')} -> {named(args.listen_again)}; std-recognise AUDIO "
                f"--listen-again {named(args.listen_again)} --earlier NETWORKS --output NETWORKS_2 "
                "recognises them again"
            )
