"""std-search's command line as a whole: invalid combinations, the configuration, the index.

misuse           the first invalid combination of options
configuration    the configuration with the command line's values
opened           the index, or those of several recognisers as one
"""

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from std.command import tell, warn
from std.display.numbers import counted
from std.errors import STANDARD_STREAM, named
from std.options import configuration_of, files_of
from std.timelines import is_subtitle_file

if TYPE_CHECKING:
    from searcher import FusedIndex, Index, SearchResult  # --help needs none of what these load
    from std.config import Config

EXPLAINING = {  # options of --explain-query
    *("term", "terms", "term_column", "store", "vocabulary", "all_words", "all_matches", "bktree"),
    *("config", "set", "json", "nl", "csv", "fmt", "quiet", "explain_query"),
}


def misuse(args: argparse.Namespace, parser: argparse.ArgumentParser) -> str:
    """The error in a combination of options; empty if it is valid.

    Args:
        args: the command line.
        parser: the parser that parsed it, and knows what options are by default.
    """
    wrong = _of_explaining(args, parser) if args.explain_query else _of_searching(args)
    return next((message for message, holds in wrong.items() if holds), "")


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


def _of_searching(args: argparse.Namespace) -> Mapping[str, object]:
    batch = args.terms or args.queries or args.examples
    file = "--queries" if args.queries else "--examples" if args.examples else "--terms"
    single = args.like or args.query_audio
    by_example = single or args.examples
    explaining = args.vocabulary or args.all_words or args.all_matches or args.bktree
    return {
        "--vocabulary, --all-words, --all-matches and --bktree go with --explain-query": explaining,
        "the following arguments are required: --store": not args.store,
        "give terms in a --terms file or spoken ones in a --queries file, not both": (
            args.terms and args.queries
        ),
        f"give terms as arguments or in a {file} file, not both": batch and args.term,
        "--queries needs --ecf (the speech searched) and --output (the hit list)": (
            args.queries and not (args.ecf and args.output)
        ),
        "--probabilities goes with --output: the same hits, with another number": (
            args.probabilities and not args.output and not args.term
        ),
        "expected --terms FILE or at least one TERM, got neither": (
            not batch and not args.term and not by_example and not args.alerts
        ),
        "give examples (--like, --query-audio, --examples) or terms, not both": (
            by_example and (args.term or args.terms or args.queries)
        ),
        "give the examples of one term, or a file of --examples, not both": (
            single and args.examples
        ),
        "--unit finds recordings or turns for one TERM, and prints them: expected no other terms, "
        "--output, --decide, --clips, --srt, --explain or --inflections": args.unit != "place"
        and _beside_unit(args),
        "--encoder is the model of --query-audio": args.encoder and not args.query_audio,
        "examples search the index of one recogniser, without --fuse": by_example and args.fuse,
        "--output writes the hits of a list; for --like there is --json": single and args.output,
        "--ecf is the speech of a list; for --like there are --recording and --where": (
            single and args.ecf
        ),
        "--output writes the hits of a --terms file; for a TERM there is --json": (
            args.term and args.output
        ),
        "--probabilities writes the hits of a --terms file; for a TERM there is --json": (
            args.term and args.probabilities
        ),
        "--ecf is the speech of a --terms file; for a TERM there are --recording and --where": (
            args.term and args.ecf
        ),
        "--inflections is for TERM; a list is searched for its terms only": (
            args.inflections and not args.term
        ),
        "--term-list writes the term list of a --queries or --examples file": (
            args.term_list and not (args.queries or args.examples)
        ),
        "--queries searches the index of one recogniser, without --fuse": (
            args.queries and args.fuse
        ),
        **_of_alerts(args),
        **_of_stores(args),
    }


def _beside_unit(args: argparse.Namespace) -> bool:
    """Whether --unit is combined with an option about places."""
    others = (
        *(args.terms, args.queries, args.examples, args.alerts, args.like, args.query_audio),
        *(args.output, args.decide, args.beta, args.clips, args.srt, args.explain),
        *(args.oov_lexicon, args.inflections, args.listen_again),
    )
    return args.unit != "place" and (len(args.term) != 1 or any(others))


def _of_alerts(args: argparse.Namespace) -> Mapping[str, object]:
    """Errors in the options of a standing search."""
    others = (
        *(args.term, args.terms, args.queries, args.examples, args.like, args.query_audio),
        *(args.fuse, args.where, args.recording, args.output, args.clips, args.srt),
        *(args.timeline, args.markers, args.corrections),
    )
    return {
        "--term-column names a column of --terms or --alerts": (
            args.term_column and not (args.terms or args.alerts)
        ),
        "--since LAST goes with --alerts": args.since and not args.alerts,
        "--alerts searches all recordings of an index for a list, and prints hits: expected no "
        "TERM, --terms, --queries, --fuse, --where, --recording, --output, --clips, "
        "--srt, --timeline, --markers or --corrections": (args.alerts and any(others)),
    }


def _of_stores(args: argparse.Namespace) -> Mapping[str, object]:
    """Errors in the numbers of stores and models."""
    stores, models = len(args.store or ()), len(args.model)
    return {
        "--fuse needs two --store or more, one of each recogniser": args.fuse and stores < 2,
        f"--fuse takes one --model for all, or one for each of {stores} --store, got {models}": (
            args.fuse and models not in (0, 1, stores)
        ),
        "several --model are for --fuse, one for each --store": not args.fuse and models > 1,
    }


def configuration(args: argparse.Namespace) -> "Config":
    """The configuration file, with changes by other options.

    Raises:
        StdError: two outputs are one file.
    """
    from std.distinct import require_distinct

    inputs = {"--terms": args.terms, "--queries": args.queries, "--ecf": args.ecf}
    inputs |= {"--alerts": args.alerts}
    inputs |= {"--config": args.config, "--examples": args.examples}
    inputs |= {f"--model {i}" if i > 1 else "--model": path for i, path in enumerate(args.model, 1)}
    outputs = {"--output": args.output, "--probabilities": args.probabilities}
    outputs |= {"--explain": args.explain, "--oov-lexicon": args.oov_lexicon}
    outputs |= {"--listen-again": args.listen_again}
    outputs |= {"--term-list": args.term_list}
    outputs |= {"--timeline": args.timeline, "--corrections": args.corrections}
    if args.srt and is_subtitle_file(args.srt):
        outputs["--srt"] = args.srt
    for form in ("json", "nl", "csv", "fmt"):
        if getattr(args, form):
            outputs[f"--{form}"] = STANDARD_STREAM
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
                "listens to them again"
            )
