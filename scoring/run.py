"""The actions of ``std-score``: arguments to options, then the public functions of `scoring`."""

import argparse
import math
import sys
from functools import partial
from pathlib import Path

from scoring import (
    NAMED_POINTS,
    Drawing,
    Evaluation,
    OperatingPoint,
    Reader,
    ScoringOptions,
    Statistics,
    check_files,
    compare_systems,
    evaluation_rows,
    read_reference,
    read_resources,
    read_transcript,
    remarks,
    resources_document,
    score_hits,
    summary_document,
    summary_text,
    summary_warnings,
    system_names,
    write_reference,
    write_report,
)
from std.command import print_json, progress_bar, say, tell, warn
from std.display.rows import JSON, TABLE, Rows, form_of, print_rows
from std.distinct import require_distinct
from std.errors import StdError, named
from std.imports import expected, is_installed
from std.numbers import counted
from std.options import configuration_of
from std.outputs import output_name
from std.terminal import printable


def score(args: argparse.Namespace, reader: Reader | None = None) -> int:
    """Score every hit list, compare them, write and print."""
    require_distinct(inputs_of(args), {})
    resources = None
    if args.resources:
        resources = read_resources(*args.resources)
        if not args.hits:
            print_json(resources_document(resources))
            return 0
    options = _options(args)
    reference = read_reference(
        args.ecf,
        args.reference,
        args.terms,
        turns=options.segments,
        encoding=args.encoding,
        reader=reader,
    )
    if not args.quiet:
        for line in reference.remarks:
            say("std-score", line)
    progress = partial(progress_bar, quiet=args.quiet)
    second = args.probabilities or [None] * len(args.hits)
    scored = [
        score_hits(path, reference, options, probabilities_path=probabilities, progress=progress)
        for path, probabilities in zip(args.hits, second, strict=True)
    ]
    names = system_names(args.hits, [evaluation.system_id for evaluation in scored])
    evaluations = dict(zip(names, scored, strict=True))
    statistics = _resample(scored, args) if args.bootstrap else None
    for line in summary_warnings(evaluations):
        warn("std-score", line)
    if args.output:
        if not is_installed("matplotlib"):
            warn("std-score", f"no plots (det.svg, det.png, thresholds.svg): {expected('plots')}")
        write_report(
            evaluations,
            args.output,
            statistics=statistics,
            resources=resources,
            inputs=_shown_inputs(args),
            read_files=inputs_of(args),
            drawing=_drawing(args),
        )
    text = summary_text(evaluations, statistics, resources)
    form = form_of(args, piped=TABLE)
    if form == JSON:
        print_json(summary_document(evaluations, statistics, resources))
    elif form != TABLE:
        print_rows(evaluation_rows(evaluations, args.table, statistics), form)
    elif not args.output:
        print(text, end="")  # noqa: T201  # the result, printable
    elif not args.quiet:
        print(text, file=sys.stderr)  # noqa: T201  # for a person
    if args.output and not args.quiet:
        tell(_written(args.output, systems=len(evaluations)))
    return 0


def convert(args: argparse.Namespace, reader: Reader | None) -> int:
    """Write a reference as NIST's files."""
    outputs = {"--rttm-to": args.rttm_to, "--ecf-to": args.ecf_to}
    require_distinct(inputs_of(args), outputs)
    transcript = read_transcript(args.reference, args.encoding, reader=reader)
    write_reference(transcript, rttm_path=args.rttm_to, ecf_path=args.ecf_to)
    if not args.quiet:
        lexemes = transcript.lexemes
        words = counted(len(lexemes.words), "word")
        written = " and ".join(output_name(path) for path in outputs.values() if path)
        tell(f"{words} in {counted(len(lexemes.recordings), 'recording')} -> {written}")
        for line in remarks(transcript, None):
            say("std-score", line)
    return 0


def validate(args: argparse.Namespace, reader: Reader | None = None) -> int:
    """Check each file by itself and print its contents; status 2 if one is refused."""
    require_distinct(inputs_of(args), {})
    files = check_files(
        hits=[*args.hits, *args.probabilities],
        ecf_path=args.ecf,
        rttm_path=args.reference,
        terms_path=args.terms,
        encoding=args.encoding,
        reader=reader,
        progress=partial(progress_bar, quiet=args.quiet),
    )
    form = form_of(args, piped=TABLE)
    documents = [
        {"file": checked.file, "kind": checked.kind, "valid": checked.error is None}
        | ({"holds": checked.contents} if checked.error is None else {"error": checked.error})
        for checked in files
    ]
    if form == JSON:
        print_json({"files": documents})
    elif form != TABLE:
        header = ("file", "kind", "valid", "holds", "error")
        cells = [[*row[:2], "no" if row.error else "yes", *row[2:]] for row in files]
        print_rows(Rows(header, cells, documents), form)
    for checked in files:
        if checked.error is not None:
            say("std-score", checked.error)
        elif form == TABLE:
            line = f"{checked.file}: valid {checked.kind}, {checked.contents}"
            print(printable(line))  # noqa: T201  # the result
    return 2 if any(checked.error is not None for checked in files) else 0


def inputs_of(args: argparse.Namespace) -> dict[str, Path | list[Path] | None]:
    """The files that a command line names as inputs, by option."""
    return {
        "HITS": args.hits,
        "--probabilities": args.probabilities,
        "--ecf": args.ecf,
        "--reference": args.reference,
        "--terms": args.terms,
        "--config": args.config,
        "--resources": args.resources,
    }


def _shown_inputs(args: argparse.Namespace) -> dict[str, str]:
    """The inputs as the HTML report lists them."""
    second = ", ".join(printable(named(path)) for path in args.probabilities)
    return {
        "hit list": ", ".join(printable(named(path)) for path in args.hits),
        **({"probabilities": second} if second else {}),
        "reference": ", ".join(printable(named(path)) for path in args.reference),
        "term list": printable(named(args.terms)),
        **({"ECF": printable(named(args.ecf))} if args.ecf else {}),
    }


def _options(args: argparse.Namespace) -> ScoringOptions:
    return ScoringOptions(
        point=_operating_point(args),
        scores=args.scores,
        number=args.number,
        max_gap_s=args.gap,
        tolerance_s=args.tolerance,
        trials_per_second=args.trials_per_second,
        all_terms=args.all_terms,
        searched_terms_only=args.searched_terms_only,
        pooled=args.pooled,
        segments=args.segments,
        characters=args.characters or args.keep_ascii or args.delete_hyphens,
        keep_ascii=args.keep_ascii,
        delete_hyphens=args.delete_hyphens,
        recordings=tuple(args.recordings),
        group_by=tuple(args.group_by),
    )


def _operating_point(args: argparse.Namespace) -> OperatingPoint | None:
    """Costs and prior: by option, else by beta of the configuration, else by name."""
    cost_fa, cost_miss, prior = NAMED_POINTS[args.operating_point]
    if args.config or args.set:
        beta = configuration_of(args).decision.beta
        if prior is not None and not math.isclose(beta, 999.9):
            cost_fa = beta / (1 / prior - 1) * cost_miss
    cost_fa = args.cost_fa if args.cost_fa is not None else cost_fa
    cost_miss = args.cost_miss if args.cost_miss is not None else cost_miss
    prior = args.prior if args.prior is not None else prior
    if prior is None:
        if args.cost_fa is not None or args.cost_miss is not None:
            raise StdError(
                "sws2012: expected its own costs of 1 and 1, got others; name a --prior too"
            )
        return None
    return OperatingPoint(cost_fa, cost_miss, prior)


def _drawing(args: argparse.Namespace) -> Drawing:
    drawing = Drawing(articulated=args.articulated, standard_errors=args.standard_errors)
    return drawing._replace(iso_ratios=tuple(args.iso_ratio)) if args.iso_ratio else drawing


def _resample(evaluations: list[Evaluation], args: argparse.Namespace) -> Statistics:
    groups = {group.name for evaluation in evaluations for group in evaluation.groups}
    with progress_bar("intervals", len(groups), quiet=args.quiet) as advance:
        return compare_systems(
            evaluations,
            replicates=args.bootstrap,
            seed=args.seed,
            confidence=args.confidence,
            advance=advance,
        )


def _written(folder: Path, *, systems: int) -> str:
    """The main files of the output folder, for the last line."""
    line = f"report {folder / 'report.html'}"
    if is_installed("matplotlib"):
        line += f", DET plot {folder / 'det.png'}"
    return line if systems > 1 else f"{line}, per-term table {folder / 'terms.csv'}"
