"""std-index: recogniser output files in, an index out."""

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from std.command import (
    JOBS,
    Parser,
    file_argument,
    folder_argument,
    number,
    peak_memory_gb,
    print_json,
    progress_bar,
    run,
    say,
    tell,
    text_argument,
    warn,
)
from std.errors import named
from std.ranges import Range

if TYPE_CHECKING:  # --help loads no array library
    from indexer import IndexReport

FRAME_S = number(Range(0.0001, 10))
SCALE = number(Range(0, 1000))
NAMED = 20  # files of a kind that are named without --verbose
EXAMPLE = """\
examples:
  std-index networks/*.mesh --store INDEX --ecf ecf.xml
  std-index interviews/*.json --store INDEX --language Danish
  std-index azure --store INDEX --name-by path
  std-index --store INDEX --delete NEWS_2011_05_01 --merge
  std-index networks --store INDEX --metadata recordings.csv
  std-index --store INDEX --list --where 'date >= 2024-01 and speaker = "Ada"'
  std-index networks --dry-run
  std-index --store INDEX --watch incoming --metadata recordings.csv
  std-index query_networks --queries-to queries.json
  std-index --store couchdb://db.example/news --clean-up
  std-index networks --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786
"""


def parser() -> argparse.ArgumentParser:
    """The options in the order in which ``--help`` lists them."""
    parse = Parser(
        prog="std-index",
        description="Index a recogniser's output, so that std-search can find spoken terms in it.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "input", nargs="*", type=file_argument, metavar="INPUT", help="files or folders"
    )
    parse.add_argument(
        "--store",
        action="append",
        help="folder, memory: or couchdb://[user@]host[:port]/database; once for each shard",
    )
    add_format_options(parse)
    add_lattice_options(parse)
    add_recording_options(parse)
    add_run_options(parse)
    add_output_options(parse)
    return parse


def add_format_options(parse: argparse.ArgumentParser) -> None:
    """What names recordings, and what an input needs beside itself to be read."""
    parse.add_argument(
        "--name-by",
        choices=["stem", "path", "content"],
        help="what names recordings: the file's name, its path, or its content (Azure's source, "
        "AWS's job name); default: the content, and where it names none the file's stem",
    )
    parse.add_argument("--format", default="auto", help="of the input; auto looks into each file")
    parse.add_argument(
        "--segments", type=file_argument, help="where utterances lie (Kaldi, or utts.tsv)"
    )
    parse.add_argument("--words", type=file_argument, help="Kaldi's words.txt")
    parse.add_argument("--times", type=file_argument, help="slot times of Kaldi sausages")
    parse.add_argument(
        "--one-best", type=file_argument, metavar="CTM", help="times for meshes that have none"
    )
    parse.add_argument(
        "--frame-shift", type=FRAME_S, default=0.01, metavar="S", help="0.03 for chain models"
    )


def add_lattice_options(parse: argparse.ArgumentParser) -> None:
    """How lattices become slots."""
    parse.add_argument("--acoustic-scale", type=SCALE, help="of lattices, instead of the file's")
    parse.add_argument("--lm-scale", type=SCALE, help="of lattices, instead of the file's")
    parse.add_argument(
        "--word-on",
        choices=["auto", "link", "source", "target"],
        default="auto",
        help="where the words of HTK lattices stand",
    )
    parse.add_argument(
        "--lattice-method",
        choices=["mbr", "pivot"],
        default="mbr",
        help="minimum Bayes risk, or the faster and rougher pivot alignment",
    )


def add_recording_options(parse: argparse.ArgumentParser) -> None:
    """Which words count, and what is known of the recordings."""
    parse.add_argument(
        "--keep-nonwords",
        action="store_true",
        help="index (laughs), [Music], %%HESITATION and the like as if they were words",
    )
    parse.add_argument(
        "--tier",
        action="append",
        default=[],
        type=text_argument,
        metavar="NAME",
        help="read these tiers of ELAN and Praat files, * stands for any letters; "
        "default: those that can be speech, which the summary names",
    )
    parse.add_argument(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="the recordings' true durations, and languages",
    )
    parse.add_argument(
        "--metadata",
        type=file_argument,
        metavar="FILE",
        help="CSV or JSON with title, date, speaker, language, audio, ... of recordings, also of "
        "those that are indexed already",
    )
    parse.add_argument(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="of all these recordings: German, de, deu; else by metadata, ECF, input, words",
    )


def add_run_options(parse: argparse.ArgumentParser) -> None:
    """Where the work is done, and what else is done to the index."""
    parse.add_argument("--jobs", type=JOBS, default=os.cpu_count() or 1, help="worker processes")
    parse.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="of a Dask cluster")
    parse.add_argument(
        "--delete", nargs="+", type=text_argument, default=[], metavar="FILE_ID", help="recordings"
    )
    parse.add_argument("--merge", action="store_true", help="merge all segments into one")
    parse.add_argument(
        "--clean-up",
        action="store_true",
        help="remove replaced segments at once (CouchDB keeps them for ten minutes, for readers)",
    )
    parse.add_argument(
        "--verify", action="store_true", help="read everything, name what is damaged, write nothing"
    )
    parse.add_argument(
        "--dry-run",
        action="store_true",
        help="read INPUT, name format, utterances and recordings of each file, write nothing",
    )
    parse.add_argument(
        "--watch",
        type=folder_argument,
        metavar="FOLDER",
        help="index what appears in a folder, until stopped",
    )
    add_list_options(parse)
    add_query_options(parse)


def add_query_options(parse: argparse.ArgumentParser) -> None:
    """Spoken queries, which are read and not indexed."""
    parse.add_argument(
        "--queries-to",
        type=file_argument,
        metavar="JSON",
        help="read INPUT as recogniser output of spoken queries, for std-search --queries; a "
        "recording is an example of the query of its name (tomato, tomato.1, tomato_2: one query)",
    )
    parse.add_argument(
        "--query-examples",
        type=file_argument,
        metavar="CSV",
        help="query,recording[,start_s,end_s]: which recordings, or parts, are which query",
    )


def add_list_options(parse: argparse.ArgumentParser) -> None:
    """What an index holds."""
    parse.add_argument(
        "--list",
        action="store_true",
        help="list the recordings: speech, language, words, source, metadata",
    )
    parse.add_argument(
        "--where",
        type=text_argument,
        metavar="CONDITION",
        help="list recordings whose metadata fit: 'date >= 2024-01 and speaker = \"Ada\"'",
    )
    parse.add_argument(
        "--recording",
        type=text_argument,
        action="append",
        default=[],
        metavar="PATTERN",
        help="list recordings of this name, * for any letters; with a slash: of this path",
    )


def add_output_options(parse: argparse.ArgumentParser) -> None:
    """What happens on errors, the configuration, and what is printed."""
    parse.add_argument("--keep-going", action="store_true", help="index what can be read")
    parse.add_argument(
        "--config", type=file_argument, metavar="TOML", help="see configs/default.toml"
    )
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parse.add_argument("--quiet", action="store_true", help="no summary, no progress")
    parse.add_argument(
        "--verbose", action="store_true", help="name all files that are skipped or hold no word"
    )


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if problem := misuse(args):
        parser().error(problem)
    return run("std-index", lambda: work(args))


def misuse(args: argparse.Namespace) -> str:
    """What is wrong with a combination of options; empty if nothing is."""
    if args.query_examples and not args.queries_to:
        return "--query-examples needs --queries-to"
    if not args.store and not args.dry_run and not args.queries_to:
        return "the following arguments are required: --store"
    maintains = bool(args.delete or args.merge or args.clean_up or args.verify or args.list)
    if args.queries_to:
        if not args.input or args.store or maintains or args.watch or args.dry_run:
            return "--queries-to needs INPUT files and no --store: nothing is indexed"
    elif args.dry_run:
        if not args.input or maintains or args.watch:
            return "--dry-run needs INPUT files, and nothing else to be done"
    elif args.watch:
        if args.input or maintains:
            return "--watch takes its files from its folder: no INPUT, nothing else to be done"
    elif args.verify + args.list + changes_index(args) != 1:
        return (
            "expected INPUT files, --metadata, --delete, --merge or --clean-up, or else --watch, "
            "--dry-run, --list or --verify"
        )
    if (args.where is not None or args.recording) and not args.list:
        return "--where and --recording say what to --list"
    return ""


def changes_index(args: argparse.Namespace) -> bool:
    """Whether an index is to be changed, now and not by watching."""
    return bool(args.input or args.delete or args.merge or args.clean_up or args.metadata)


def work(args: argparse.Namespace) -> int:
    """Verify, list, preview or watch; or index, delete and merge, and clean up after that."""
    if args.verify:
        return verify(args)
    if args.queries_to or args.list or args.dry_run or args.watch:
        from indexer import cli_actions

        if args.queries_to:
            return cli_actions.write_queries(args)
        action = cli_actions.list_index if args.list else cli_actions.watch_inputs
        return (cli_actions.preview if args.dry_run else action)(args)
    changes = bool(args.input or args.delete or args.merge or args.metadata)
    status = index(args) if changes else 0
    if args.clean_up:
        clean_up(args.store, as_json=args.json and not changes, quiet=args.quiet)
    return status


def index(args: argparse.Namespace) -> int:
    """Delete, index, merge: in this order, one writer at a time."""
    from indexer import index_files
    from indexer.arguments import input_options, require_each_once

    require_each_once(args)
    report = index_files(
        args.input,
        args.store,
        ecf=args.ecf,
        metadata=args.metadata,
        config=args.config,
        language=args.language,
        options=input_options(args),
        jobs=args.jobs,
        scheduler=args.scheduler,
        delete=args.delete,
        merge=args.merge,
        keep_going=args.keep_going,
        progress=lambda n_bytes: progress_bar("indexing", n_bytes, quiet=args.quiet),
    )
    tell_of_problems(report, args)
    if args.json:
        described = {"metadata": asdict(report.described)} if args.metadata else {}
        print_json(figures(report, args.jobs) | described)
    if not args.quiet:
        tell_summary(report, args)
    return 2 if report.failures or (args.merge and report.unmerged) else 0


def figures(report: "IndexReport", jobs: int) -> dict[str, Any]:
    """What ``--json`` prints."""
    return {
        "files": audio_files(report),
        "utterances": report.utterances,
        "slots": report.slots,
        "postings": report.postings,
        "words": report.words,
        "languages": report.languages,
        "speech_seconds": report.speech_s,
        "seconds": report.seconds,
        "isf": report.seconds / report.speech_s if report.speech_s else None,
        "peak_memory_gb": peak_memory_gb(workers=jobs),
        "skipped": [str(file.path) for file in report.skipped],
        "nonwords": report.nonwords,
        "tiers": report.tiers,
        "tiers_left_out": report.tiers_left_out,
        "times_estimated": len(report.estimated),
        "wordless": [str(path) for path in report.wordless],
    }


def audio_files(report: "IndexReport") -> int:
    """How many audio files were indexed, whatever their channels."""
    return len({recording.file for recording in report.recordings})


def tell_summary(report: "IndexReport", args: argparse.Namespace) -> None:
    """What was deleted and indexed, a line each."""
    from indexer import languages_line

    stores = ", ".join(args.store)
    if report.deleted:
        tell(f"{report.deleted} files deleted from {stores}")
    if args.metadata:
        again = report.described.pronounced_again
        spoken = f", {again} pronounced in another language than before" if again else ""
        tell(f"metadata of {report.described.recordings} files{spoken} -> {stores}")
    if not args.input:
        return
    speed = report.speech_s / report.seconds if report.seconds else 0.0
    dropped = sum(report.nonwords.values())
    tell(
        f"{audio_files(report)} files, {report.utterances} utterances, {report.postings} postings "
        f"of {report.words} words{f', {dropped} non-words dropped' if dropped else ''}; "
        f"{report.speech_s:.0f} s of speech in {report.seconds:.2f} s "
        f"({speed:,.0f} times real time), peak memory {peak_memory_gb(workers=args.jobs):.2f} GB "
        f"-> {stores}"
    )
    if any(one["language"] for one in report.languages):
        tell(languages_line(report.languages))
    if n := len(report.estimated):
        tell(f"times of words are estimated in {n} of {len(report.recordings)} recordings")
    if report.tiers:
        left_out = f"; left out: {listed(report.tiers_left_out)}" if report.tiers_left_out else ""
        tell(f"tiers read: {listed(report.tiers)}{left_out}")


def listed(counts: Mapping[str, int]) -> str:
    """The most frequent names of a count, with their numbers."""
    from std.terminal import printable

    shown = [f"{printable(name) or '(no name)'} ({n})" for name, n in counts.items()]
    more = [f"{len(shown) - NAMED} more"] if len(shown) > NAMED else []
    return ", ".join([*shown[:NAMED], *more])


def tell_of_problems(report: "IndexReport", args: argparse.Namespace) -> None:
    """Warnings and errors, one line each."""
    for doubt in report.language_warnings:
        warn("std-index", doubt)
    for line in report.unmerged:
        (say if args.merge else warn)("std-index", line)
    tell_of_inputs(report, args)
    if missing := report.described.not_indexed:
        n = len(missing)
        example = f"{missing[0]}{' ...' if n > 1 else ''}"
        metadata = named(args.metadata)
        warn("std-index", f"{n} recordings of {metadata} are not in the index: {example}")
    for failure in report.failures:
        say("std-index", str(failure))
    if report.not_in_ecf:
        n, first = len(report.not_in_ecf), report.not_in_ecf[0]
        example = f"{first.file}/{first.channel}"
        warn("std-index", f"{n} recordings are not in {named(args.ecf)}: {example} ...")


def tell_of_inputs(report: "IndexReport", args: argparse.Namespace) -> None:
    """Name what was passed over, and what the user should look at."""
    if args.verbose:
        for file in report.skipped:
            say("std-index", f"skipped {file.path}: {file.what}")
    elif report.skipped and not args.quiet:
        say(
            "std-index",
            f"{len(report.skipped)} files skipped that are no recogniser output (--verbose)",
        )
    for warning in report.warnings:
        warn("std-index", warning)
    shown = report.wordless if args.verbose else report.wordless[:NAMED]
    for path in shown:
        warn("std-index", f"{named(path)}: no word in it")
    if more := len(report.wordless) - len(shown):
        warn("std-index", f"{more} more files without a word (--verbose names them)")


def clean_up(stores: Sequence[str], *, as_json: bool, quiet: bool) -> None:
    """Remove replaced segments at once."""
    from indexer import clean_up

    removed = {}
    for url, segments in clean_up(stores):
        removed[url] = segments
        if not quiet:
            tell(f"{url}: {segments} replaced segments removed")
    if as_json:
        print_json({"removed_segments": removed})


def verify(args: argparse.Namespace) -> int:
    """Name what is damaged in an index, one line each; say which languages it has."""
    from indexer import languages_line, verify_index

    checks = []
    for check in verify_index(args.store):
        checks.append(check)
        for line in check.damage:
            say("std-index", line)
        for doubt in check.warnings:
            warn("std-index", doubt)
        if not check.damage and not args.quiet:
            tell(f"{check.store}: {check.segments} segments, no damage")
            if any(one["language"] for one in check.languages):
                tell(f"{check.store}: {languages_line(check.languages)}")
    if args.json:
        intact = [check for check in checks if not check.damage]
        print_json(
            {
                "damage": {check.store: check.damage for check in checks},
                "inputs": {check.store: check.inputs for check in intact},
                "languages": {check.store: check.languages for check in intact},
            }
        )
    return 2 if any(check.damage for check in checks) else 0


if __name__ == "__main__":
    sys.exit(main())
