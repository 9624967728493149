"""std-index: recogniser output files in, an index out."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from std.command import Parser, peak_memory_gb, print_json, progress_bar, run, say, warn
from std.errors import InputError

if TYPE_CHECKING:
    from indexer.pronounce import Pronouncer
    from std.config import Config
    from std.store import Store
    from std.values import ECF

EXAMPLE = """\
examples:
  std-index networks/*.mesh --store INDEX --ecf ecf.xml
  std-index interviews/*.json --store INDEX --language Danish
  std-index --store INDEX --delete NEWS_2011_05_01 --merge
  std-index networks --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786
"""


def parser() -> argparse.ArgumentParser:
    parse = Parser(
        prog="std-index",
        description="Index a recogniser's output, so that std-search can find spoken terms in it.",
        epilog=EXAMPLE,
    )
    parse.add_argument("input", nargs="*", type=Path, metavar="INPUT", help="files or folders")
    parse.add_argument(
        "--store",
        required=True,
        action="append",
        help="folder, memory: or couchdb://[user@]host[:port]/database; once for each shard",
    )
    parse.add_argument("--format", default="auto", help="of the input; auto looks into each file")
    parse.add_argument("--segments", type=Path, help="where utterances lie (Kaldi, or utts.tsv)")
    parse.add_argument("--words", type=Path, help="Kaldi's words.txt")
    parse.add_argument("--times", type=Path, help="slot times of Kaldi sausages")
    parse.add_argument("--one-best", type=Path, metavar="CTM", help="lends its times to meshes")
    parse.add_argument(
        "--frame-shift", type=float, default=0.01, metavar="S", help="0.03 for chain models"
    )
    parse.add_argument("--acoustic-scale", type=float, help="of lattices, instead of the file's")
    parse.add_argument("--lm-scale", type=float, help="of lattices, instead of the file's")
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
        "--ecf", type=Path, metavar="XML", help="the recordings' true durations, and languages"
    )
    parse.add_argument(
        "--language",
        metavar="NAME",
        help="of all these recordings: German, de, deu; else by ECF, input or their words",
    )
    parse.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="worker processes")
    parse.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="of a Dask cluster")
    parse.add_argument("--delete", nargs="+", default=[], metavar="FILE_ID", help="recordings")
    parse.add_argument("--merge", action="store_true", help="merge all segments into one")
    parse.add_argument(
        "--verify", action="store_true", help="read everything, name what is damaged, write nothing"
    )
    parse.add_argument("--keep-going", action="store_true", help="index what can be read")
    parse.add_argument("--config", type=Path, metavar="TOML", help="see configs/default.toml")
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parse.add_argument("--quiet", action="store_true", help="no summary, no progress")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.verify == bool(args.input or args.delete or args.merge):
        parser().error("expected INPUT files, --delete or --merge, or else --verify")
    if args.jobs < 1:
        parser().error(f"--jobs: expected at least 1, got {args.jobs}")
    return run("std-index", lambda: (verify if args.verify else index)(args))


def index(args: argparse.Namespace) -> int:
    """Index, delete, merge: in this order, one writer at a time."""
    from indexer.build import BuildReport, build, worthwhile_jobs
    from indexer.language_report import doubts, found_languages, in_words
    from indexer.maintain import delete, upkeep
    from std.cluster import executor
    from std.config import load
    from std.excerpts import speech_s
    from std.formats import ecf
    from std.formats.audio_names import recording_name
    from std.formats.context import Context
    from std.formats.context import load as load_context
    from std.formats.files import read
    from std.store import open_store

    config = load(args.config)
    if args.language:
        config = replace(
            config, pronunciation=replace(config.pronunciation, language=args.language)
        )
    experiment = None
    if args.ecf:
        experiment = read(ecf.parse, args.ecf)
    paths = input_files(args.input)
    if args.scheduler:  # workers may stand in other folders
        paths = [path.absolute() for path in paths]
    context = load_context(
        Context(
            times=args.times,
            frame_s=args.frame_shift,
            word_on=args.word_on,
            acoustic_scale=args.acoustic_scale,
            lm_scale=args.lm_scale,
            lattice_method=args.lattice_method,
        ),
        segments=args.segments,
        symbols=args.words,
        one_best=args.one_best,
    )
    size = sum(path.stat().st_size for path in paths)
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
                        paths,
                        stores,
                        config,
                        input_format=args.format,
                        context=context,
                        workers=workers,
                        keep_going=args.keep_going,
                        progress=lambda path, n_bytes: advance(n_bytes),
                        pronouncer=pronouncer,
                    )
        upkeep(stores, workers, everything=args.merge, sounds=pronouncer.sounds)
    for store in stores:
        store.close()
    for doubt in doubts(pronouncer):
        warn("std-index", doubt)
    for failure in report.failures:
        say("std-index", str(failure))
    audio_s = report.speech_s
    if experiment:
        audio_s = speech_s(experiment.excerpts)
        if strange := sorted(report.recordings - {one.recording for one in experiment.excerpts}):
            some = f"{strange[0].file}/{strange[0].channel}"
            warn("std-index", f"{len(strange)} recordings are not in {args.ecf}: {some} ...")
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
    }
    if args.json:
        print_json(figures)
    if deleted and not args.quiet:
        print(f"{deleted} files deleted from {', '.join(args.store)}", file=sys.stderr)
    if not args.quiet and paths:
        speed = audio_s / report.seconds if report.seconds else 0.0
        print(
            f"{figures['files']} files, {report.utterances} utterances, {report.postings} postings "
            f"of {len(report.words)} words; {audio_s:.0f} s of speech in {report.seconds:.2f} s "
            f"({speed:,.0f} times real time), peak memory {figures['peak_memory_gb']:.2f} GB "
            f"-> {', '.join(args.store)}",
            file=sys.stderr,
        )
        if any(one["language"] for one in languages):
            print(in_words(languages), file=sys.stderr)
    return 2 if report.failures else 0


def pronouncer_of(config: "Config", experiment: "ECF | None") -> "Pronouncer":
    """Who tells the recordings' languages and pronounces their words.

    Raises:
        ConfigError: the language that the user names has no converter.
    """
    from indexer.language import Told
    from indexer.phones import Sounds
    from indexer.pronounce import Pronouncer
    from std.g2p import converter

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
    from indexer.language_report import in_words, indexed_languages, pronounced_wrongly
    from std.store import open_store

    found: dict[str, list[str]] = {}
    languages = {}
    for url in args.store:
        store = open_store(url)
        found[url] = []
        for line in store.damage():
            say("std-index", line)
            found[url].append(line)
        if not found[url]:
            segments = store.segments()
            languages[url] = indexed_languages(segments)
            for doubt in pronounced_wrongly(segments):
                warn("std-index", doubt)
            if not args.quiet:
                print(f"{url}: {len(segments)} segments, no damage", file=sys.stderr)
                if any(one["language"] for one in languages[url]):
                    print(f"{url}: {in_words(languages[url])}", file=sys.stderr)
        store.close()
    if args.json:
        print_json({"damage": found, "languages": languages})
    return 2 if any(found.values()) else 0


def input_files(inputs: Sequence[Path]) -> list[Path]:
    """The files named, and all files in the folders named, in order; hidden ones left out."""
    from std.formats.context import lies_beside

    paths: list[Path] = []
    for one in inputs:
        if one.is_dir():
            found = (p for p in one.rglob("*") if p.is_file() and p.name[0] != ".")
            inside = sorted(p for p in found if not lies_beside(p))
            if not inside:
                raise InputError(one, 0, "a folder with recogniser output", "an empty folder")
            paths += inside
        elif one.exists():
            paths.append(one)
        else:
            raise InputError(one, 0, "a file or a folder", "nothing of that name")
    return paths


if __name__ == "__main__":
    sys.exit(main())
