"""std-search: arguments in, hits out."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from searcher.commands.alerts import tell_new_hits
from searcher.commands.arguments import configuration, parser
from searcher.commands.combinations import misuse
from searcher.commands.examples import has_examples, listed_terms, single_term, threads_of
from searcher.commands.explained_query import explain_query
from searcher.commands.hits import (
    is_decided,
    is_restricted,
    output_hits,
    prints_hits,
    tell_figures,
    tell_forms,
    tell_remarks,
    writes_hits,
)
from searcher.commands.opened import opened
from searcher.commands.units import search_units
from std.command import peak_memory_gb, print_json, progress_bar, run, tell, warn
from std.display.numbers import counted
from std.display.rows import JSON, LINES, form_of
from std.errors import InputError, StdError, named
from std.execution.cost import Cost, Stopwatch

if TYPE_CHECKING:
    from searcher import (
        ExampleTerm,
        FusedIndex,
        Hit,
        Index,
        SearchResult,
    )  # --help does not need these
    from std.config import Config
    from std.spoken_queries import SpokenQueries
    from std.values import ECF, TermList


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = done, 1 = no hit of a TERM or no new hit, 2 = a user's error."""
    parse = parser()
    args = parse.parse_args(argv)
    if problem := misuse(args, parse):
        parse.error(problem)
    is_batch = args.terms or args.queries or args.examples
    in_units = args.unit != "place"
    work = (
        explain_query
        if args.explain_query
        else tell_new_hits
        if args.alerts
        else batch
        if is_batch
        else search_units
        if in_units
        else interactive
    )
    return run("std-search", lambda: work(args))


def batch(args: argparse.Namespace) -> None:
    """Search a term list and write the hit list."""
    started = Stopwatch()
    from searcher.output.notices import cut_terms, term_warnings
    from std.execution.processes import executor
    from std.files import read
    from std.nist import ecf
    from std.nist.xml import CONTROL_CHARACTERS

    if CONTROL_CHARACTERS.search(args.system_id):
        raise StdError(f"--system-id: expected text that XML can hold, got {args.system_id!r}")
    config = configuration(args)
    experiment = read(ecf.parse, args.ecf) if args.ecf else None
    examples: list[ExampleTerm] = []
    spoken: SpokenQueries | None = None
    if args.examples:
        examples, terms = listed_terms(args)
    else:
        spoken, terms = read_terms(args)
    with opened(args, config) as index:
        if experiment:
            check_recordings(experiment, index, args)
            experiment = restricted(experiment, index, args)
        bar = progress_bar(f"searching {counted(len(terms.terms), 'term')}", 1.0, quiet=args.quiet)
        with bar as advance, executor(args.jobs, args.scheduler) as workers:
            settings = selection(args) | {"workers": workers, "advance": advance}
            if args.examples:
                settings = selection(args) | {"threads": threads_of(args), "advance": advance}
                found = cast("Index", index).find_examples(examples, experiment, **settings)
            elif spoken:
                of_one_recogniser = cast("Index", index)  # --fuse is refused
                found = of_one_recogniser.search_queries(spoken, experiment, **settings)
            else:
                found = index.search_terms(terms, experiment, **settings)
            found = outside_words(found.at_least(args.min_probability or 0.0), index, args)
        if found.outside_ecf and experiment:
            asked = " or in other recordings than asked for" if is_restricted(args) else ""
            speech = f"outside the speech of {named(args.ecf)}{asked}"
            warn("std-search", f"{counted(found.outside_ecf, 'hit')} {speech} left out")
        warn_of_phones(found)
        for warning in (*term_warnings(found), *cut_terms(found)):
            warn("std-search", warning)
        write_oov_words(args, found, index)
        if args.output:
            write_hit_lists(args, found, terms, started.cost())
        if args.term_list:
            write_term_list(args, terms)
        if writes_hits(args) or prints_hits(args):
            output_hits(args, found, index.hits(found), index)
        figures = figures_of(found, experiment, spoken, index, args)
    cost = started.cost()
    if args.json and args.output:
        print_json(figures | cost._asdict() | {"ssf": searching_speed(figures, cost)})
    if not args.quiet:
        tell_figures(found)
        tell(summary_line(figures, cost, args))
        tell_decisions(found, config, args)


def tell_decisions(found: "SearchResult", config: "Config", args: argparse.Namespace) -> None:
    """Print accepted terms that are unlikely to occur."""
    from searcher.output.notices import acceptance_notice, doubt_notice, list_notice

    decision = config.decision
    for notice in (
        doubt_notice(found, decision),
        acceptance_notice(found, decision),
        list_notice(found, config) if args.probabilities else "",
    ):
        if notice:
            tell(notice)


def summary_line(figures: dict[str, Any], cost: Cost, args: argparse.Namespace) -> str:
    """The summary of a batch."""
    from std.outputs import output_name

    where = f" -> {output_name(args.output)}" if args.output else ""
    return (
        f"{counted(figures['terms'], 'term')} ({figures['oov_terms']} with words the recogniser "
        f"does not know), {counted(figures['detections'], 'detection')}, "
        f"{figures['yes']} accepted, {cost}{where}"
    )


def selection(args: argparse.Namespace) -> dict[str, Any]:
    """The searched recordings; with an ECF, `restricted` has selected them."""
    return {} if args.ecf else {"where": args.where, "recordings": args.recording}


def read_terms(args: argparse.Namespace) -> "tuple[SpokenQueries | None, TermList]":
    """Read the spoken queries, if given, and the term list."""
    from std.files import read
    from std.nist import term_file
    from std.spoken_queries import parse, term_list_of

    if not args.queries:
        terms = read(partial(term_file.parse, column=args.term_column), args.terms)
        tell_of_table(terms, args)
        return None, terms
    spoken = parse(args.queries)
    return spoken, term_list_of(spoken, args.ecf.name)


def tell_of_table(terms: "TermList", args: argparse.Namespace) -> None:
    """Print the column of the terms in a table."""
    if terms.column and not args.quiet:
        tell(f"{counted(len(terms.terms), 'term')} from {terms.column} of {named(args.terms)}")


def write_term_list(args: argparse.Namespace, terms: "TermList") -> None:
    """Write the term list of spoken queries in the dialect of the hit list."""
    from std.nist import term_list
    from std.outputs import open_output

    with open_output(args.term_list) as sink:
        term_list.dump(terms, sink, args.dialect)


def check_recordings(
    experiment: "ECF", index: "Index | FusedIndex", args: argparse.Namespace
) -> None:
    """Warn of recordings of the ECF that the index lacks.

    Raises:
        InputError: the index lacks all of them.
    """
    indexed = {recording.recording for recording in index.recordings()}
    searched = {excerpt.recording for excerpt in experiment.excerpts}
    if not searched & indexed:
        raise InputError(
            args.ecf,
            0,
            f"recordings that {', '.join(args.store)} has",
            min(searched).file if searched else "none",
        )
    if missing := searched - indexed:
        first = ", ".join(f"{file}/{channel}" for file, channel in sorted(missing)[:3])
        number, more = counted(len(missing), "recording"), " ..." if len(missing) > 3 else ""
        warn("std-search", f"{number} of {named(args.ecf)} not indexed: {first}{more}")


def restricted(experiment: "ECF", index: "Index | FusedIndex", args: argparse.Namespace) -> "ECF":
    """The searched speech: that of the selected recordings.

    Raises:
        StdError: the ECF has none of them.
    """
    if not is_restricted(args):
        return experiment
    recordings = index.recordings(where=args.where, recordings=args.recording)
    fitting = {recording.recording for recording in recordings}
    excerpts = tuple(excerpt for excerpt in experiment.excerpts if excerpt.recording in fitting)
    if not excerpts:
        raise StdError(
            f"--where, --recording: expected recordings of {named(args.ecf)}, got none of them"
        )
    return replace(experiment, excerpts=excerpts)


def write_hit_lists(
    args: argparse.Namespace, found: "SearchResult", terms: "TermList", cost: Cost
) -> None:
    """Write the hit list, and the probabilities of its hits if a file is given.

    The dialect is that of the options, the encoding that of the term list.
    """
    from searcher import write_hits
    from std.terminal import printable

    write_hits(
        found,
        args.output,
        terms=terms,
        terms_filename=printable(
            (args.terms or args.term_list or args.queries or args.examples).name
        ),
        probabilities=args.probabilities,
        system_id=args.system_id,
        dialect=args.dialect,
        cpu_s=cost.cpu_seconds,
        default_score=not args.no_default_score,
    )


def figures_of(
    found: "SearchResult",
    experiment: "ECF | None",
    spoken: "SpokenQueries | None",
    index: "Index | FusedIndex",
    args: argparse.Namespace,
) -> dict[str, Any]:
    """The figures of a batch for --json, without its cost."""
    from searcher.output.explain import summary
    from std.ecf_filter import speech_s
    from std.spoken_queries import RecognitionCost

    if experiment:
        searched_s = speech_s(experiment.excerpts)
    else:
        searched = index.recordings(**selection(args))
        searched_s = sum(recording.speech_ms for recording in searched) / 1000
    recognition = (spoken.recognition if spoken else None) or RecognitionCost()
    return summary(found) | {
        "searched_seconds": searched_s,
        "list": index.config.calibration.list,
        "query_seconds": spoken.duration_s if spoken else float(len(found.terms)),
        "query_cpu_seconds": recognition.cpu_seconds,
        "round_trips": index.round_trips,
        "peak_memory_gb": max(peak_memory_gb(workers=args.jobs), recognition.peak_memory_gb),
    }


def searching_speed(figures: Mapping[str, Any], cost: Cost) -> float | None:
    """SSF per second (MediaEval 2013 SWS, equation 46): a written query counts as one second."""
    searched = (figures["query_seconds"] or 0.0) * float(figures["searched_seconds"])
    return (cost.cpu_seconds + figures["query_cpu_seconds"]) / searched if searched else None


def interactive(args: argparse.Namespace) -> int:
    """Search the terms of the command line and show their hits; 1 if there are none."""
    from std.config import SHOWN_FROM
    from std.execution.processes import executor

    with opened(args, configuration(args)) as index:
        least = SHOWN_FROM if args.min_probability is None else args.min_probability
        forms = None
        if has_examples(args):
            with single_term(args) as term:
                settings = selection(args) | {"threads": threads_of(args), "mode": "adhoc"}
                found = cast("Index", index).find_examples([term], **settings).at_least(least)
        else:
            with executor(args.jobs, args.scheduler) as workers:
                settings = selection(args) | {"min_probability": least, "workers": workers}
                found = outside_words(index.find(*args.term, **settings), index, args)
                if args.inflections or not args.quiet:
                    forms = index.find_forms(*args.term, **settings)
        warn_of_phones(found)
        write_oov_words(args, found, index)
        hits = ranked_hits(found, index, args)
        if forms and args.inflections:
            hits += ranked_hits(forms, index, args)
        if form_of(args, piped=LINES) != JSON:
            tell_remarks(found, has_hits=bool(hits), args=args)
        else:
            warn_of_cuts(found)
        output_hits(args, found, hits, index)
    if not args.quiet:
        if hits:
            tell_figures(found)
        if forms:
            tell_forms(forms, args)
    return 0 if hits else 1


def outside_words(
    found: "SearchResult", index: "Index | FusedIndex", args: argparse.Namespace
) -> "SearchResult":
    """The detections that are not inside other words, or inside words of permitted kinds."""
    return found if args.within_words is None else index.outside_words(found, args.within_words)


def ranked_hits(
    found: "SearchResult", index: "Index | FusedIndex", args: argparse.Namespace
) -> "list[Hit]":
    """Hits, the most probable first."""
    return sorted(index.hits(found, decided=is_decided(args)), key=lambda hit: -hit.probability)


def write_oov_words(
    args: argparse.Namespace, found: "SearchResult", index: "Index | FusedIndex"
) -> None:
    """Write files for the recogniser: a lexicon of unknown words, places to recognise again."""
    from searcher.output.oov_lexicon import write_oov_lexicon, write_stretches

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


def warn_of_cuts(found: "SearchResult") -> None:
    """Warn of terms that were not searched everywhere; for a person, the notes say it."""
    from searcher.output.notices import cut_terms, cut_wildcards

    for warning in (*cut_wildcards(found), *cut_terms(found)):
        warn("std-search", warning)


def warn_of_phones(found: "SearchResult") -> None:
    """Warn of segments that were not searched by phones, or without the model."""
    from searcher.output.notices import phonetic_warnings

    for warning in phonetic_warnings(found):
        warn("std-search", warning)


if __name__ == "__main__":
    sys.exit(main())
