"""std-index: recogniser output files in, an index out."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from std.command import (
    JOBS,
    Parser,
    file_argument,
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
from std.errors import InputError, named
from std.ranges import Range

if TYPE_CHECKING:  # --help loads no array library
    from indexer.build import BuildReport
    from indexer.formats.context import Names
    from indexer.languages.pronounce import Pronouncer
    from std.config import Config
    from std.store import Store
    from std.values import ECF

FRAME_S = number(Range(0.0001, 10))
SCALE = number(Range(0, 1000))
NAMES: dict[str | None, "Names"] = {
    None: "any",
    "content": "content",
    "stem": "file",
    "path": "file",
}
NAMED = 20  # files of a kind that are named without --verbose
EXAMPLE = """\
examples:
  std-index networks/*.mesh --store INDEX --ecf ecf.xml
  std-index interviews/*.json --store INDEX --language Danish
  std-index azure --store INDEX --name-by path
  std-index --store INDEX --delete NEWS_2011_05_01 --merge
  std-index --store couchdb://db.example/news --clean-up
  std-index networks --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786
"""


def parser() -> argparse.ArgumentParser:
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
        required=True,
        action="append",
        help="folder, memory: or couchdb://[user@]host[:port]/database; once for each shard",
    )
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
        "--one-best", type=file_argument, metavar="CTM", help="lends its times to meshes"
    )
    parse.add_argument(
        "--frame-shift", type=FRAME_S, default=0.01, metavar="S", help="0.03 for chain models"
    )
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
    parse.add_argument(
        "--keep-nonwords",
        action="store_true",
        help="index (laughs), [Music], %%HESITATION and the like as if they were words",
    )
    parse.add_argument(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="the recordings' true durations, and languages",
    )
    parse.add_argument(
        "--language",
        type=text_argument,
        metavar="NAME",
        help="of all these recordings: German, de, deu; else by ECF, input or their words",
    )
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
    parse.add_argument("--keep-going", action="store_true", help="index what can be read")
    parse.add_argument(
        "--config", type=file_argument, metavar="TOML", help="see configs/default.toml"
    )
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parse.add_argument("--quiet", action="store_true", help="no summary, no progress")
    parse.add_argument(
        "--verbose", action="store_true", help="name all files that are skipped or hold no word"
    )
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.verify == bool(args.input or args.delete or args.merge or args.clean_up):
        parser().error("expected INPUT files, --delete, --merge or --clean-up, or else --verify")
    return run("std-index", lambda: work(args))


def work(args: argparse.Namespace) -> int:
    """Verify; or index, delete and merge, and clean up after that."""
    if args.verify:
        return verify(args)
    changes = bool(args.input or args.delete or args.merge)
    status = index(args) if changes else 0
    if args.clean_up:
        clean_up(args.store, as_json=args.json and not changes, quiet=args.quiet)
    return status


def index(args: argparse.Namespace) -> int:
    """Index, delete, merge: in this order, one writer at a time."""
    from indexer.build import BuildReport, build, worthwhile_jobs
    from indexer.formats.context import Context
    from indexer.formats.context import load as load_context
    from indexer.formats.ctm import timed_words
    from indexer.formats.sausage import read_times
    from indexer.inputs import input_files
    from indexer.languages.report import doubts, found_languages, in_words
    from indexer.maintain import delete, keep_few_segments, upkeep, worth_workers
    from indexer.networks.nonwords import Nonwords
    from std.config import load_config
    from std.distinct import require_distinct
    from std.ecf_filter import speech_s
    from std.execution.processes import executor
    from std.files import is_regular, read, size_bytes
    from std.nist import ecf
    from std.nist.audio_names import recording_name
    from std.store import open_store, require_different

    options = {"INPUT": args.input, "--segments": args.segments, "--words": args.words}
    options |= {"--times": args.times, "--one-best": args.one_best, "--ecf": args.ecf}
    require_distinct(options | {"--config": args.config}, {})
    require_different(args.store)
    config = load_config(args.config)
    if args.language:
        config = replace(
            config, pronunciation=replace(config.pronunciation, language=args.language)
        )
    experiment = None
    if args.ecf:
        experiment = read(ecf.parse, args.ecf)
    inputs = input_files(args.input, args.name_by, args.store)
    files = list(inputs.files)
    if args.scheduler:  # workers may stand in other folders
        files = [
            replace(one, path=one.path.absolute()) if is_regular(one.path) else one for one in files
        ]
    paths = [one.path for one in files]
    context = load_context(
        Context(
            frame_s=args.frame_shift,
            word_on=args.word_on,
            acoustic_scale=args.acoustic_scale,
            lm_scale=args.lm_scale,
            lattice_method=args.lattice_method,
            names=NAMES[args.name_by],
            nonwords=Nonwords(args.keep_nonwords),
            one_best=read(timed_words, args.one_best) if args.one_best else None,
            times=args.times,
            slot_times=read_times(args.times, args.frame_shift) if args.times else None,
        ),
        segments=args.segments,
        symbols=args.words,
    )
    size = sum(map(size_bytes, paths))
    report, pronouncer, deleted = BuildReport(), pronouncer_of(config, experiment), 0
    stores = [open_store(url, create=bool(paths)) for url in args.store]
    with executor(worthwhile_jobs(paths, args.jobs), args.scheduler) as workers:
        with ExitStack() as locks:
            for store in stores:
                locks.enter_context(store.writing())
            if args.delete:
                try:
                    deleted = delete([*dict.fromkeys(map(recording_name, args.delete))], stores)
                except InputError as error:  # deleted by a run that was killed before it merged?
                    if paths or not args.merge:
                        raise
                    report.failures.append(error)
            for store in stores:
                config = continued(config, store)
            if paths:
                with progress_bar("indexing", size, quiet=args.quiet) as advance:
                    report = build(
                        files,
                        stores,
                        config,
                        input_format=args.format,
                        context=context,
                        workers=workers,
                        keep_going=args.keep_going,
                        progress=lambda path, n_bytes: advance(n_bytes),
                        pronouncer=pronouncer,
                    )
            sounds = pronouncer.sounds
            if not (later := worth_workers(stores, workers)):
                # With the right to write that we have: whoever takes it next waits for us.
                for store in stores:
                    keep_few_segments(store, everything=args.merge, sounds=sounds)
        for busy in upkeep(stores, workers, everything=args.merge, sounds=sounds) if later else ():
            report.unmerged.append(f"{busy}; its segments were not merged, all else is done")
    for store in stores:
        store.close()
    for doubt in doubts(pronouncer):
        warn("std-index", doubt)
    for line in report.unmerged:
        (say if args.merge else warn)("std-index", line)
    skipped = [(one.path, one.what) for one in report.skipped]
    skipped += [(path, "a hidden file") for path in inputs.hidden]
    tell_of_inputs(report, skipped, args)
    for failure in report.failures:
        say("std-index", str(failure))
    audio_s = report.speech_s
    if experiment:
        audio_s = speech_s(one for one in experiment.excerpts if one.recording in report.recordings)
        if strange := sorted(report.recordings - {one.recording for one in experiment.excerpts}):
            some = f"{strange[0].file}/{strange[0].channel}"
            warn("std-index", f"{len(strange)} recordings are not in {named(args.ecf)}: {some} ...")
    languages = found_languages(pronouncer)
    figures = {
        "files": len({one.file for one in report.recordings}),
        "utterances": report.utterances,
        "slots": report.slots,
        "postings": report.postings,
        "words": len(report.words),
        "languages": languages,
        "speech_seconds": audio_s,
        "seconds": report.seconds,
        "isf": report.seconds / audio_s if audio_s else None,
        "peak_memory_gb": peak_memory_gb(workers=args.jobs),
        "skipped": [str(path) for path, _ in skipped],
        "nonwords": dict(report.nonwords.most_common()),
        "wordless": [str(path) for path in report.wordless],
    }
    if args.json:
        print_json(figures)
    if deleted and not args.quiet:
        tell(f"{deleted} files deleted from {', '.join(args.store)}")
    if not args.quiet and paths:
        speed = audio_s / report.seconds if report.seconds else 0.0
        dropped = report.nonwords.total()
        tell(
            f"{figures['files']} files, {report.utterances} utterances, {report.postings} postings "
            f"of {len(report.words)} words{f', {dropped} non-words dropped' if dropped else ''}; "
            f"{audio_s:.0f} s of speech in {report.seconds:.2f} s "
            f"({speed:,.0f} times real time), peak memory {figures['peak_memory_gb']:.2f} GB "
            f"-> {', '.join(args.store)}"
        )
        if any(one["language"] for one in languages):
            tell(in_words(languages))
    return 2 if report.failures or (args.merge and report.unmerged) else 0


def tell_of_inputs(
    report: "BuildReport", skipped: Sequence[tuple[Path, str]], args: argparse.Namespace
) -> None:
    """Name what was passed over, and what the user should look at."""
    if args.verbose:
        for path, what in skipped:
            say("std-index", f"skipped {path}: {what}")
    elif skipped and not args.quiet:
        say("std-index", f"{len(skipped)} files skipped that are no recogniser output (--verbose)")
    for warning in report.warnings:
        warn("std-index", warning)
    shown = report.wordless if args.verbose else report.wordless[:NAMED]
    for path in shown:
        warn("std-index", f"{named(path)}: no word in it")
    if more := len(report.wordless) - len(shown):
        warn("std-index", f"{more} more files without a word (--verbose names them)")


def clean_up(urls: Sequence[str], *, as_json: bool, quiet: bool) -> None:
    """Remove replaced segments at once."""
    from std.store import open_store, require_different

    require_different(urls)
    removed = {}
    for url in urls:
        with closing(open_store(url)) as store:
            removed[url] = store.clean_up()
        if not quiet:
            tell(f"{url}: {removed[url]} replaced segments removed")
    if as_json:
        print_json({"removed_segments": removed})


def pronouncer_of(config: "Config", experiment: "ECF | None") -> "Pronouncer":
    """Who tells the recordings' languages and pronounces their words.

    Raises:
        ConfigError: the language that the user names has no converter.
    """
    from indexer.languages.precedence import Told
    from indexer.languages.pronounce import Pronouncer
    from indexer.segments.phone_columns import Sounds
    from std.phonetics.g2p import converter

    language = config.pronunciation.language
    sounds = Sounds(config)
    if language != "auto" and sounds.wanted:
        converter(language)  # a misspelt name is refused before any work
    by_ecf = {}
    if experiment:
        by_ecf = {one.recording: one.language or experiment.language for one in experiment.excerpts}
    return Pronouncer(sounds, Told("" if language == "auto" else language, by_ecf))


def continued(config: "Config", store: "Store") -> "Config":
    """The configuration with which a store is added to, with a warning if it is an older one."""
    from std.text import as_indexed

    text = as_indexed(config.text, store.normalisation())
    if text == config.text:
        return config
    warn(
        "std-index",
        f"{store.url} was made with text.punctuation = 'keep' and goes on so: "
        "foto’s and foto's differ in it until its recordings are indexed into a new store",
    )
    return replace(config, text=text)


def verify(args: argparse.Namespace) -> int:
    """Name what is damaged in an index, one line each; say which languages it has."""
    from indexer.languages.report import in_words, indexed_languages, pronounced_wrongly
    from indexer.origins import origins
    from std.store import open_store, require_different

    require_different(args.store)
    found: dict[str, list[str]] = {}
    inputs: dict[str, dict[str, list[str]]] = {}
    languages = {}
    for url in args.store:
        store = open_store(url)
        found[url] = []
        for line in store.damage():
            say("std-index", line)
            found[url].append(line)
        if not found[url]:
            inputs[url] = {file: sorted(some) for file, some in sorted(origins([store]).items())}
            segments = store.segments()
            languages[url] = indexed_languages(segments)
            for doubt in pronounced_wrongly(segments):
                warn("std-index", doubt)
            if not args.quiet:
                tell(f"{url}: {len(segments)} segments, no damage")
                if any(one["language"] for one in languages[url]):
                    tell(f"{url}: {in_words(languages[url])}")
        store.close()
    if args.json:
        print_json({"damage": found, "inputs": inputs, "languages": languages})
    return 2 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
