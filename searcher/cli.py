"""std-search: arguments in, hits out."""

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from std.command import (
    JOBS,
    ROWS,
    Parser,
    file_argument,
    number,
    peak_memory_gb,
    print_json,
    progress_bar,
    run,
    tell,
    text_argument,
    warn,
)
from std.config import range_of
from std.errors import STANDARD_STREAM, ConfigError, InputError, StdError, cut, named

if TYPE_CHECKING:
    from searcher.calibration.model import Model  # --help needs none of what these load
    from searcher.search import SearchResult
    from std.config import Config
    from std.store import Segment

EXAMPLE = """\
examples:
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml
  std-search --store INDEX "polizei gewalt" burganlagen "*arbeit"
  std-search --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786 --terms terms.xml ...

exit status: 0 a batch is written, or a TERM was found; 1 no TERM was found (as grep);
2 a mistake that you can mend, said in one line
"""


def parser() -> argparse.ArgumentParser:
    parse = Parser(
        prog="std-search",
        description="Find spoken terms in an index made by std-index.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "term",
        nargs="*",
        type=text_argument,
        metavar="TERM",
        help="words to show hits of, the most probable first; * stands for any letters of a word: "
        "robo*, *arbeit, r*t",
    )
    parse.add_argument(
        "--store",
        required=True,
        action="append",
        help="folder, memory: or couchdb://[user@]host[:port]/database; once for each shard",
    )
    parse.add_argument(
        "--terms", type=file_argument, metavar="XML", help="term list to search as a batch"
    )
    parse.add_argument(
        "--ecf", type=file_argument, metavar="XML", help="the speech that is searched"
    )
    parse.add_argument(
        "--output", type=file_argument, metavar="XML", help="where the hit list goes"
    )
    parse.add_argument(
        "--dialect", choices=["std2006", "kws2013"], default="std2006", help="of the hit list"
    )
    parse.add_argument("--jobs", type=JOBS, default=1, help="worker processes")
    parse.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="of a Dask cluster")
    parse.add_argument(
        "--explain", type=file_argument, metavar="JSONL", help="why each hit is there"
    )
    parse.add_argument(
        "--config", type=file_argument, metavar="TOML", help="see configs/default.toml"
    )
    parse.add_argument("--model", type=file_argument, metavar="JSON", help="what std-tune learned")
    parse.add_argument(
        "--oov-lexicon",
        type=file_argument,
        metavar="FILE",
        help="unknown words with pronunciations, to add to the recogniser",
    )
    parse.add_argument(
        "--decide",
        action="store_true",
        help="accept or reject each hit of a TERM (YES, NO), as a batch always does",
    )
    parse.add_argument(
        "--beta",
        type=number(range_of("decision.beta")),
        help="cost ratio that decisions aim at (999.9); with a TERM it implies --decide",
    )
    parse.add_argument(
        "--system-id", type=text_argument, default="std", help="name of the system in the hit list"
    )
    parse.add_argument("--limit", type=ROWS, default=50, help="rows of the table (50); 0 = all")
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parse.add_argument("--quiet", action="store_true", help="no summary, no progress")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    if args.terms and args.term:
        parser().error("give terms as arguments or in a --terms file, not both")
    if args.terms and not (args.ecf and args.output):
        parser().error("--terms needs --ecf (the speech searched) and --output (the hit list)")
    if not args.terms and not args.term:
        parser().error("expected --terms FILE or at least one TERM, got neither")
    if args.term and args.output:
        parser().error("--output writes the hits of a --terms file; for a TERM there is --json")
    return run("std-search", lambda: batch(args) if args.terms else interactive(args))


def batch(args: argparse.Namespace) -> None:
    """Search a term list and write the hit list."""
    from searcher.output.context import contexts
    from searcher.output.explain import explained, summary
    from searcher.output.std_list import hit_list
    from searcher.search import search
    from searcher.snapshot import adapted, index_folder, open_stores, snapshot, speech_ms
    from std.ecf_filter import speech_s
    from std.execution.processes import executor
    from std.files import read
    from std.nist import ecf, std_list
    from std.nist import term_list as termlist
    from std.nist.xml import CONTROL_CHARACTERS
    from std.outputs import open_output, output_name
    from std.terminal import printable

    if CONTROL_CHARACTERS.search(args.system_id):
        raise StdError(f"--system-id: expected text that XML can hold, got {args.system_id!r}")
    config = configuration(args)
    experiment = read(ecf.parse, args.ecf)
    term_list = read(termlist.parse, args.terms)
    stores = open_stores(args.store)
    config = adapted(config, stores)
    segments = snapshot(stores, config)
    recorded = speech_ms(segments).keys()
    asked = {one.recording for one in experiment.excerpts}
    if not asked & recorded:
        raise InputError(
            args.ecf,
            0,
            f"recordings that {', '.join(args.store)} has",
            min(asked).file if asked else "none",
        )
    if missing := asked - recorded:
        some = ", ".join(f"{file}/{channel}" for file, channel in sorted(missing)[:3])
        warn(
            "std-search",
            f"{len(missing)} recordings of {named(args.ecf)} are not indexed: {some} ...",
        )
    searched_s = speech_s(experiment.excerpts)
    waiting = progress_bar(f"searching {len(term_list.terms)} terms", None, quiet=args.quiet)
    with waiting, executor(args.jobs, args.scheduler) as workers:
        found = search(
            term_list.terms,
            segments,
            config,
            speech_s=searched_s,
            excerpts=experiment.excerpts,
            workers=workers,
            model=model_of(args),
            index_folder=index_folder(args.store),
        )
    if found.outside_ecf:
        warn(
            "std-search",
            f"{found.outside_ecf} hits outside the speech of {named(args.ecf)} left out",
        )
    deaf(found)
    odd_terms(found)
    write_unknown_words(args.oov_lexicon, found, segments, config)
    hits = hit_list(found, term_list, printable(args.terms.name), args.system_id)
    encoding = "GB2312" if term_list.encoding.lower().startswith("gb") else "UTF-8"
    if args.explain:
        hits_around = contexts(found.candidates, found.recordings, segments)
        write_lines(args.explain, explained(found, hits_around))
    with open_output(args.output) as sink:
        std_list.dump(hits, sink, args.dialect, encoding)
    figures = summary(found, searched_s) | {
        "round_trips": sum(store.round_trips for store in stores),
        "peak_memory_gb": peak_memory_gb(),
    }
    for store in stores:
        store.close()
    if args.json:
        print_json(figures)
    if not args.quiet:
        tell(
            f"{figures['terms']} terms ({figures['oov_terms']} with words the recogniser does not "
            f"know), {figures['detections']} detections, {figures['yes']} accepted, "
            f"{figures['seconds']:.2f} s -> {output_name(args.output)}"
        )


def interactive(args: argparse.Namespace) -> int:
    """Search terms given as arguments and show what was found; 1 if nothing was."""
    from searcher.output.context import contexts
    from searcher.output.explain import explained
    from searcher.output.table import print_table
    from searcher.query import words_of
    from searcher.search import search
    from searcher.snapshot import adapted, index_folder, open_stores, snapshot, speech_ms
    from std.execution.processes import executor
    from std.values import Term

    config = configuration(args)  # a person may ask for a term that was never said
    config = replace(config, decision=replace(config.decision, terms="any"))
    stores = open_stores(args.store)
    config = adapted(config, stores)
    segments = snapshot(stores, config)
    terms = [Term(f"TERM-{i}", text) for i, text in enumerate(args.term, start=1)]
    for term in terms:
        words_of(term.text, config.text)  # refuse what cannot be searched for
    speech_s = sum(speech_ms(segments).values()) / 1000
    with executor(args.jobs, args.scheduler) as workers:
        found = search(
            terms,
            segments,
            config,
            speech_s=speech_s,
            workers=workers,
            model=model_of(args),
            index_folder=index_folder(args.store),
            wildcards=True,
        )
    deaf(found)
    write_unknown_words(args.oov_lexicon, found, segments, config)
    decided = args.decide or args.beta is not None
    hits_around = contexts(found.candidates, found.recordings, segments)
    hits = list(explained(found, hits_around, decided=decided))
    hits.sort(key=lambda hit: -hit["probability"])
    if args.explain:
        write_lines(args.explain, hits)
    if args.json:
        print_json(hits)
    else:
        for line in remarks(found):
            tell(line)
        if hits:
            several = len({*found.languages} - {""}) > 1
            limit = args.limit or len(hits)
            print_table(hits, limit=limit, decided=decided, languages=several)
        else:
            tell("no hits")
    return 0 if hits else 1


def remarks(found: "SearchResult") -> Iterator[str]:
    """What a person should know of the terms: their wildcards and unknown words, one line each."""
    from searcher.lexical.wildcards import described

    for term, words, oov in zip(found.terms, found.words, found.oov_words, strict=True):
        if unknown := [word for word in oov if word not in found.wildcards]:
            starred = not found.wildcards.keys().isdisjoint(words)
            limit = "; a term with * is looked up only as written" if starred else ""
            yield f"{cut(term.text)}: the recogniser does not know {cut(', '.join(unknown))}{limit}"
    for pattern, expansion in found.wildcards.items():
        yield f"{cut(pattern)}: {described(expansion)}"


def write_lines(path: Path, documents: Iterable[Any]) -> None:
    """One JSON document per line."""
    from std.outputs import open_output
    from std.terminal import json_text

    with open_output(path) as sink:
        for one in documents:
            sink.write(json_text(one).encode() + b"\n")


def odd_terms(found: "SearchResult") -> None:
    """Say which terms of a list can hardly be found, and why."""
    from searcher.lexical.wildcards import is_wildcard
    from searcher.splitting.matches import MAX_LETTERS

    silent = [one for one in found.terms if not any(c.isalnum() for c in one.text)]
    starred = [one for one in found.terms if is_wildcard(one.text) and one not in silent]
    long = [
        term
        for term, words in zip(found.terms, found.words, strict=True)
        if any(len(word) > MAX_LETTERS for word in words)
    ]
    for some, problem in (
        (starred, "with a *, which a list does not expand, are looked up as written"),
        (silent, "without a letter or a digit: nothing can be found"),
        (long, f"with a word of more than {MAX_LETTERS} letters: looked up only as written"),
    ):
        if some:
            first = f"{some[0].term_id} {cut(some[0].text)!r}"
            warn("std-search", f"{len(some)} terms {problem} ({first} ...)")


def model_of(args: argparse.Namespace) -> "Model | None":
    """The model that the command line names."""
    if not args.model:
        return None
    from searcher.calibration.model import load

    return load(args.model)


def write_unknown_words(
    path: Path | None, found: "SearchResult", segments: "Sequence[Segment]", config: "Config"
) -> None:
    """Write the words that the index does not know as a lexicon, if a file is named."""
    if not path:
        return
    from searcher.languages import by_language
    from searcher.phonetic_candidates import lexicon_of_index
    from std.outputs import open_output
    from std.phonetics.lexicon import dump

    unknown = sorted({word for words in found.oov_words for word in words})
    groups = by_language(segments)
    with open_output(path) as sink:
        for group in groups:
            try:
                lexicon = lexicon_of_index(group.segments, group.configured(config))
            except ConfigError as error:
                if len(groups) == 1:
                    raise
                warn("std-search", f"{path} is without language {group.language!r}: {error}")
                continue
            if len(groups) > 1:
                sink.write(f";;; {group.language}\n".encode())
            dump(zip(unknown, lexicon.pronunciations(unknown), strict=True), sink)


def deaf(found: "SearchResult") -> None:
    """Say where unknown words were not searched by sound, and where without the model."""
    if found.without_phones:
        reasons = ""
        if named := sorted({*found.without_phones} - {""}):
            reasons = f"; they are in {', '.join(named)}, for which std-index had no pronunciations"
        elif "" in found.without_phones:
            reasons = "; std-index --language says which language they are in"
        warn(
            "std-search",
            f"{len(found.without_phones)} segments were indexed without sounds, "
            f"unknown words are not heard there{reasons}",
        )
    for maker in found.without_model:
        warn(
            "std-search",
            f"the model is not about {maker}: what was pronounced so is searched without it",
        )


def configuration(args: argparse.Namespace) -> "Config":
    """The configuration file, with what the command line says otherwise.

    Raises:
        StdError: the command line names one file twice, to write it.
    """
    from std.config import load
    from std.distinct import require_distinct

    inputs = {"--terms": args.terms, "--ecf": args.ecf, "--config": args.config}
    inputs |= {"--model": args.model}
    outputs = {"--output": args.output, "--explain": args.explain}
    outputs |= {"--oov-lexicon": args.oov_lexicon}
    if args.json or args.term:
        outputs["--json" if args.json else "the table"] = STANDARD_STREAM
    require_distinct(inputs, outputs, args.store)
    config = load(args.config)
    if config.pronunciation.lexicon:
        lexicon = {"pronunciation.lexicon": Path(config.pronunciation.lexicon)}
        require_distinct(lexicon, outputs)
    if args.beta is None:
        return config
    return replace(config, decision=replace(config.decision, beta=args.beta))


if __name__ == "__main__":
    sys.exit(main())
