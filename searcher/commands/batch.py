"""std-search with a list of terms: its hits, hit list and figures.

batch            the whole list
tell_new_hits    ``--alerts``: the hits of the list that were not reported yet
"""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from searcher.commands.command_line import (
    configuration,
    opened,
    outside_words,
    selection,
    warn_of_phones,
    write_oov_words,
)
from searcher.commands.examples import comparing, examples_beside, listed_terms
from searcher.commands.hits import (
    is_restricted,
    output_hits,
    prints_hits,
    tell_figures,
    writes_hits,
)
from std.command import peak_memory_gb, print_json, progress_bar, tell, warn
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.errors import NONE, InputError, StdError, named
from std.execution.cost import Cost, Stopwatch
from std.numbers import counted

if TYPE_CHECKING:
    from searcher import ExampleTerm, FusedIndex, Index, SearchResult
    from std.config import Config
    from std.spoken_queries import SpokenQueries
    from std.values import ECF, TermList

ALERT_HEADER = (
    *("term", "file", "channel", "start_s", "end_s", "probability"),
    *("before", "found", "after", "time"),
)


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
    if args.terms or args.queries:
        spoken, terms = read_terms(args)
        examples = examples_beside(args, terms, spoken) if args.examples else []
    else:
        examples, terms = listed_terms(args)
    words = (spoken or terms) if args.terms or args.queries else None
    with opened(args, config) as index:
        if experiment:
            check_recordings(experiment, index, args)
            experiment = restricted(experiment, index, args)
        bar = progress_bar(f"searching {counted(len(terms.terms), 'term')}", 1.0, quiet=args.quiet)
        executing = comparing(args) if args.examples else executor(args.jobs, args.scheduler)
        with bar as advance, executing as workers:
            settings = selection(args) | {"workers": workers, "advance": advance}
            if args.examples:
                by_sound = cast("Index", index)  # --fuse is refused
                found = by_sound.find_examples(examples, experiment, words=words, **settings)
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


def read_terms(args: argparse.Namespace) -> "tuple[SpokenQueries | None, TermList]":
    """Read the spoken queries, if given, and the term list."""
    from std.files import read
    from std.nist import term_file
    from std.spoken_queries import parse, term_list_of

    if not args.queries:
        terms = read(partial(term_file.parse, column=args.term_column), args.terms)
        tell_of_table(len(terms.terms), terms.column, args.terms, args)
        return None, terms
    spoken = parse(args.queries)
    return spoken, term_list_of(spoken, args.ecf.name)


def tell_of_table(terms: int, column: str, path: Path, args: argparse.Namespace) -> None:
    """Print the column of the terms, if they are from a table."""
    if column and not args.quiet:
        tell(f"{counted(terms, 'term')} from {column} of {named(path)}")


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
            min(searched).file if searched else NONE,
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


def write_term_list(args: argparse.Namespace, terms: "TermList") -> None:
    """Write the term list of spoken queries in the dialect of the hit list."""
    from std.nist import term_list
    from std.outputs import open_output

    with open_output(args.term_list) as sink:
        term_list.dump(terms, sink, args.dialect)


def figures_of(
    found: "SearchResult",
    experiment: "ECF | None",
    spoken: "SpokenQueries | None",
    index: "Index | FusedIndex",
    args: argparse.Namespace,
) -> dict[str, Any]:
    """The figures of a batch for --json, without its cost."""
    from searcher.output.explain import summary
    from std.nist.ecf import speech_s
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


def summary_line(figures: dict[str, Any], cost: Cost, args: argparse.Namespace) -> str:
    """The summary of a batch."""
    from std.outputs import output_name

    where = f" -> {output_name(args.output)}" if args.output else ""
    return (
        f"{counted(figures['terms'], 'term')} ({figures['oov_terms']} with words the recogniser "
        f"does not know), {counted(figures['detections'], 'detection')}, "
        f"{figures['yes']} accepted, {cost}{where}"
    )


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


def tell_new_hits(args: argparse.Namespace) -> int:
    """Search the list and print new hits.

    Returns:
        0 if there are new hits, else 1.

    Raises:
        StdError: a file cannot be read or written, or another process has it open.
    """
    from searcher import StandingSearch

    config = configuration(args)
    least = {} if args.min_probability is None else {"min_probability": args.min_probability}
    with (
        opened(args, config) as index,
        StandingSearch(args.alerts, args.term_column, **least) as search,
    ):
        tell_of_table(len(search.terms), search.column, args.alerts, args)
        is_first = search.is_first
        are_posted = search.posted == len(search.lines)
        lines = search.look(cast("Index", index))  # --fuse is refused
        if lines and not is_first and are_posted:
            search.note_posted()  # reported here, so a service does not post them again
        if is_first and not args.quiet:
            tell(
                f"first search of this list: {counted(len(lines), 'hit')} written to {search.path} "
                "as known; the next search tells what is new"
            )
    new = [] if is_first else lines
    show_new_hits(new, args)
    if not args.quiet and not is_first:
        tell(counted(len(new), "new hit"))
    return 0 if new else 1


def show_new_hits(lines: Sequence[Mapping[str, Any]], args: argparse.Namespace) -> None:
    """Print hits in the requested form."""
    form = form_of(args, piped=LINES)
    if form == JSON:
        print_json(lines)
    elif form != TABLE:
        print_rows(_rows_of(lines), form, header=False)
    elif lines:
        from std.display.rows import print_table

        print_table(_rows_of(lines), right=("start", "probability"), whole=("term", "file"))


def _rows_of(lines: Sequence[Mapping[str, Any]]) -> Rows:
    """Hits as rows, the likeliest first."""
    ordered = sorted(lines, key=lambda line: -line["probability"])
    return Rows(
        header=ALERT_HEADER,
        cells=[
            (
                *(line["term"], line["file"], line["channel"], f"{line['start_s']:.3f}"),
                f"{line['start_s'] + line['duration_s']:.3f}",
                *(f"{line['probability']:.4f}", *line["context"], line["time"]),
            )
            for line in ordered
        ],
        documents=ordered,
        brief_header=("term", "file", "start", "probability", "text"),
        brief=[
            (
                line["term"],
                line["file"] if line["channel"] == 1 else f"{line['file']} ({line['channel']})",
                *(f"{line['start_s']:.3f}", f"{line['probability']:.3f}"),
                " ".join(part for part in line["context"] if part),
            )
            for line in ordered
        ],
    )
