"""std-search: arguments in, hits out."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from std.command import peak_memory_gb, print_json, run, warn
from std.errors import ConfigError, InputError, cut

EXAMPLE = """\
examples:
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml
  std-search --store INDEX "polizei gewalt" burganlagen
"""


def parser() -> argparse.ArgumentParser:
    parse = argparse.ArgumentParser(
        prog="std-search",
        description="Find spoken terms in an index made by std-index.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parse.add_argument("term", nargs="*", metavar="TERM", help="terms to show hits of as a table")
    parse.add_argument(
        "--store", required=True, help="folder, memory: or couchdb://[user@]host[:port]/database"
    )
    parse.add_argument("--terms", type=Path, metavar="XML", help="term list to search as a batch")
    parse.add_argument("--ecf", type=Path, metavar="XML", help="the speech that is searched")
    parse.add_argument("--output", type=Path, metavar="XML", help="where the hit list goes")
    parse.add_argument(
        "--dialect", choices=["std2006", "kws2013"], default="std2006", help="of the hit list"
    )
    parse.add_argument("--explain", type=Path, metavar="JSONL", help="why each hit is there")
    parse.add_argument("--config", type=Path, metavar="TOML", help="see configs/default.toml")
    parse.add_argument("--beta", type=float, help="cost ratio that decisions aim at (999.9)")
    parse.add_argument("--system-id", default="std", help="name of the system in the hit list")
    parse.add_argument("--limit", type=int, default=50, help="rows of the table; 0 = all")
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
    return run("std-search", lambda: batch(args) if args.terms else interactive(args))


def batch(args: argparse.Namespace) -> None:
    """Search a term list and write the hit list."""
    from searcher.context import contexts
    from searcher.explain import explained, summary
    from searcher.output import std_list
    from searcher.search import search
    from std.excerpts import speech_s
    from std.formats import ecf, stdlist, termlist
    from std.formats.files import open_input, replace_file

    with open_input(args.ecf) as stream:
        experiment = ecf.parse(stream, args.ecf)
    with open_input(args.terms) as stream:
        term_list = termlist.parse(stream, args.terms)
    config, segments = opened(args)
    recorded = {one.recording for segment in segments for one in segment.recordings}
    asked = {one.recording for one in experiment.excerpts}
    if not asked & recorded:
        raise InputError(
            args.ecf, 0, f"recordings that {args.store} has", min(asked).file if asked else "none"
        )
    if missing := asked - recorded:
        some = ", ".join(f"{file}/{channel}" for file, channel in sorted(missing)[:3])
        warn("std-search", f"{len(missing)} recordings of {args.ecf} are not indexed: {some} ...")
    searched_s = speech_s(experiment.excerpts)
    found = search(
        term_list.terms, segments, config, speech_s=searched_s, excerpts=experiment.excerpts
    )
    if found.outside:
        warn("std-search", f"{found.outside} hits outside the speech of {args.ecf} left out")
    hits = std_list(found, term_list, args.terms.name, args.system_id)
    encoding = "GB2312" if term_list.encoding.lower().startswith("gb") else "UTF-8"
    if args.explain:
        with replace_file(args.explain) as sink:
            for one in explained(found, contexts(found.candidates, found.recordings, segments)):
                sink.write(json.dumps(one, ensure_ascii=False).encode() + b"\n")
    with replace_file(args.output) as sink:
        stdlist.dump(hits, sink, args.dialect, encoding)
    figures = summary(found, searched_s) | {"peak_memory_gb": peak_memory_gb()}
    if args.json:
        print_json(figures)
    if not args.quiet:
        print(
            f"{figures['terms']} terms ({figures['oov_terms']} with words the recogniser does not "
            f"know), {figures['detections']} detections, {figures['yes']} accepted, "
            f"{figures['seconds']:.2f} s -> {args.output}",
            file=sys.stderr,
        )


def interactive(args: argparse.Namespace) -> None:
    """Search terms given as arguments and show what was found."""
    from searcher.context import contexts
    from searcher.explain import explained
    from searcher.search import search
    from searcher.table import print_table
    from std.values import Term

    config, segments = opened(args)
    terms = [Term(f"TERM-{i}", text) for i, text in enumerate(args.term, start=1)]
    for term in terms:
        if not term.text.strip():
            raise InputError("TERM", 0, "a word or a phrase", term.text)
    speech_s = sum(one.speech_ms for s in segments for one in s.recordings) / 1000
    found = search(terms, segments, config, speech_s=speech_s)
    hits = list(explained(found, contexts(found.candidates, found.recordings, segments)))
    if args.json:
        print_json(hits)
        return
    for term, oov in zip(found.terms, found.oov_words, strict=True):
        if oov:
            unknown = cut(", ".join(oov))
            print(f"{cut(term.text)}: the recogniser does not know {unknown}", file=sys.stderr)
    if hits:
        print_table(hits, limit=args.limit or len(hits))
    else:
        print("no hits", file=sys.stderr)


def opened(args: argparse.Namespace):  # type: ignore[no-untyped-def]  # types load with the modules
    """The configuration and a snapshot of the store, which must fit each other."""
    from std.config import load
    from std.store import open_store
    from std.text import require_same

    config = load(args.config)
    if args.beta is not None:
        if not args.beta > 0:
            raise ConfigError(f"--beta: expected a number above zero, got {args.beta}")
        config = replace(config, decision=replace(config.decision, beta=args.beta))
    store = open_store(args.store)
    normalisation = store.normalisation()
    if normalisation is None:
        raise InputError(args.store, 0, "an index with recordings", "an empty one")
    require_same(config.text, normalisation, args.store)
    return config, store.segments()


if __name__ == "__main__":
    sys.exit(main())
