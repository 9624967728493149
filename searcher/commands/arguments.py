"""std-search's command line: the parser, and the configuration."""

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from std.command import ROWS, file_argument, folder_argument, number, text_argument
from std.config import PROBABILITY, SHOWN_FROM, range_of
from std.edit_lists import FRAME_RATES
from std.errors import STANDARD_STREAM
from std.options import (
    QUIET,
    add_config_options,
    add_jobs_option,
    add_progress_option,
    add_row_options,
    add_scheduler_option,
    add_selection_options,
    add_store_option,
    configuration_of,
)
from std.parser import Parser
from std.ranges import Range
from std.subtitles import is_subtitle_file

if TYPE_CHECKING:
    from std.config import Config  # --help does not need these

AROUND_S = number(Range(0, 60))
PHONES = ("words", "sound", "both")
EXAMPLE = """\
examples:
  std-search --store INDEX "polizei gewalt" burganlagen "*arbeit"
  std-search --store INDEX --inflections haus
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml
  std-search --store INDEX --terms terms.xml --ecf ecf.xml --output hits.xml \\
             --probabilities probabilities.xml
  std-search --store POCKETSPHINX --store WHISPER --fuse "polizei gewalt"
  std-search --store INDEX --where 'date >= 2024-01 and speaker = "Ada"' haushalt
  std-search --store INDEX --unit recording 'polizei AND NOT gewalt date:2013..2015'
  std-search --store INDEX --terms words.txt --csv > hits.csv
  std-search --store INDEX --since LAST --alerts names.xlsx
  std-search --store INDEX haushalt | grep -v KERSTIN_04 | cut -f 2-4
  std-search --store INDEX haushalt --clips clips --audio recordings --srt subtitles
  std-search --store INDEX --phones sound "aurora borealis"
  std-search --store INDEX --like interview@12.3-13.1
  std-search --store INDEX --queries queries.json --ecf ecf.xml --output hits.xml
  std-search --store INDEX --explain-query polizeigewalt "robo*"
  std-search --vocabulary words.tsv --set splitting.max_edits=2 --explain-query museenverwaltung
  std-search --store SHARD_1 --store SHARD_2 --scheduler tcp://host:8786 --terms terms.xml ...

exit status: 0 a batch is written, or a TERM was found; 1 no TERM, or nothing new, was found
(as grep), which is to say with --min-probability; 2 a mistake that you can mend, said in one line
"""
MOVED = {  # options that std-query had
    "-K": "--set splitting.max_edits=N",
    "-R": "--set splitting.max_ratio=R",
    "--split-method": "--set splitting.method=METHOD",
    "--min-part-length": "--set splitting.min_part_letters=N",
    "--ranking": "--set splitting.ranking=RANKING",
    "--nbest": "--set splitting.nbest=N",
    "--candidates": "--set expansion.candidates=N",
}


def parser() -> Parser:
    """Build the argument parser."""
    parse = Parser(
        prog="std-search",
        description="Find spoken terms in an index made by std-index.",
        epilog=EXAMPLE,
        moved=MOVED,
    )
    _add_input(parse)
    _add_selection(parse)
    add_row_options(parse, "hits")
    forms = parse.further("related forms, and terms inside other words")
    _add_forms(forms)
    _add_words_option(forms)
    _add_explaining(parse.further("what a term becomes (--explain-query)"))
    _add_example_options(parse.further("audio as a query"))
    _add_query_options(parse.further("spoken queries"))
    _add_list_options(parse.further("hit lists of a batch"))
    _add_hit_options(parse.further("recordings, decisions, tables, explanations"))
    _add_media_options(
        parse.further("sound and subtitles of hits, without those that are rejected")
    )
    _add_settings(parse.further("settings and workers"))
    return parse


def _add_input(parse: Parser) -> None:
    """The options of terms and stores."""
    add = parse.add_argument
    add(
        "term",
        nargs="*",
        type=text_argument,
        metavar="TERM",
        help="words to show hits of, the most probable first; * stands for any letters of a word: "
        "robo*, *arbeit, r*t. Or a query: 'polizei AND NOT gewalt', '\"burg\" NEAR/5s anlage', "
        "'haus speaker:anna date:2013..2015' (docs: search, the query language)",
    )
    add_store_option(parse, required=False)
    add(
        "--fuse",
        action="store_true",
        help="each --store is another recogniser's index of the same speech: hits at one place "
        "become one",
    )
    add(
        "--terms",
        type=file_argument,
        metavar="FILE",
        help="term list to search as a batch: XML, a term a line, or a table (CSV, TSV, XLSX) "
        "with a column called term, name, keyword, Begriff or the like",
    )
    add(
        "--ecf",
        type=file_argument,
        metavar="XML",
        help="the speech that is searched as a batch; without: all that the index has",
    )
    add(
        "--output",
        type=file_argument,
        metavar="XML",
        help="where the hit list of a batch goes; without: its hits go to stdout",
    )


def _add_selection(parse: Parser) -> None:
    """The options of recordings and shown hits."""
    add = parse.add_argument
    add_selection_options(parse, ", and what a speaker said whom the index names", verb="search ")
    add(
        "--min-probability",
        type=number(PROBABILITY),
        metavar="P",
        help=f"hits that are at least so likely ({SHOWN_FROM:g} with a TERM, 0 with a list)",
    )
    add(
        "--limit",
        type=ROWS,
        metavar="N",
        help="show, cut or subtitle at most N hits: in a table (50), elsewhere all; 0 = all",
    )
    add(
        "--explain-query",
        action="store_true",
        help="search nothing: show what a TERM becomes, its splits and similar words (std-query)",
    )
    add("--quiet", action="store_true", help=QUIET)


def _add_forms(group: "argparse._ArgumentGroup") -> None:
    """The options of a TERM's words."""
    group.add_argument(
        "--inflections",
        action="store_true",
        help="also find a TERM's words in other forms (haus: hauses, häuser), behind its hits; "
        "without, they are only counted",
    )


def _add_explaining(group: "argparse._ArgumentGroup") -> None:
    """The options of --explain-query."""
    add = group.add_argument
    add(
        "--vocabulary",
        type=file_argument,
        metavar="FILE",
        help="words in place of those of a --store: lines of word[<TAB>count], UTF-8",
    )
    add("--all-words", action="store_true", help="split and expand known words as well")
    add("--all-matches", action="store_true", help="every match of every segment")
    add("--bktree", type=folder_argument, metavar="FOLDER", help="keep the BK-tree here")


def _add_example_options(group: "argparse._ArgumentGroup") -> None:
    """The options of query by example; several examples belong to one term."""
    add = group.add_argument
    add(
        "--like",
        type=text_argument,
        action="append",
        default=[],
        metavar="RECORDING@BEGIN-END",
        help="find what sounds like this stretch of the index, in seconds: a hit, for more like it "
        "(of channel 2: RECORDING/2@...)",
    )
    add(
        "--query-audio",
        type=file_argument,
        action="append",
        default=[],
        metavar="FILE[@BEGIN-END]",
        help="find what sounds like this audio, or file of frames (NAME.sound)",
    )
    add(
        "--encoder",
        type=text_argument,
        default="",
        metavar="NAME|FOLDER",
        help="of --query-audio: the model of the index's sound",
    )
    add(
        "--examples",
        type=file_argument,
        metavar="FILE",
        help="a batch: a table (CSV, TSV) with columns term and example, as above",
    )
    add("--by", choices=["sound"], default="sound", help="what --query-audio is compared by")


def _add_query_options(group: "argparse._ArgumentGroup") -> None:
    """The options of spoken queries."""
    add = group.add_argument
    add(
        "--queries",
        type=file_argument,
        metavar="JSON",
        help="spoken queries to search as a batch: std-index NETWORKS --queries-to JSON",
    )
    add(
        "--term-list",
        type=file_argument,
        metavar="XML",
        help="where the term list of --queries goes: ids, and the likeliest words",
    )


def _add_list_options(group: "argparse._ArgumentGroup") -> None:
    """The options of a batch's files and of alerts."""
    add = group.add_argument
    add(
        "--alerts",
        type=file_argument,
        metavar="FILE",
        help="tell the hits of this list of terms that were not told before, here or by std-serve; "
        "FILE.hits.jsonl keeps which were",
    )
    add(
        "--since",
        type=since_argument,
        metavar="LAST",
        help="with --alerts: since the last search (the only choice)",
    )
    add(
        "--term-column",
        type=text_argument,
        metavar="NAME",
        help="the column of --terms or --alerts that holds the terms, where its name does not "
        "say it",
    )
    add(
        "--probabilities",
        type=file_argument,
        metavar="XML",
        help="a second list of the same hits, whose score is the probability (std-score reads it)",
    )
    add("--dialect", choices=["std2006", "kws2013"], default="std2006", help="of the hit lists")
    add(
        "--no-default-score",
        action="store_true",
        help="leave out what a place without a hit is worth (kws2013): NIST's own scorer refuses "
        "an attribute that its schema lacks",
    )
    add("--system-id", type=text_argument, default="std", help="name of the system in the hit list")


def _add_hit_options(group: "argparse._ArgumentGroup") -> None:
    """The options of further values of hits."""
    add = group.add_argument
    add(
        "--unit",
        choices=["place", "recording", "turn"],
        default="place",
        help="what is found: places of the words (place), or the recordings or turns of speakers "
        "in which a query holds",
    )
    add(
        "--decide",
        action="store_true",
        help="accept or reject each hit of a TERM (YES, NO), as a batch always does",
    )
    add(
        "--beta",
        type=number(range_of("decision.beta")),
        help="cost ratio that decisions aim at (999.9); with a TERM it implies --decide",
    )
    add(
        "--columns",
        type=text_argument,
        default="date,speaker,title",
        metavar="NAMES",
        help="metadata in the table, where the recordings have them (date,speaker,title)",
    )
    add("--explain", type=file_argument, metavar="JSONL", help="why each hit is there")
    add(
        "--oov-lexicon",
        type=file_argument,
        metavar="FILE",
        help="unknown words with pronunciations, to add to the recogniser",
    )
    add(
        "--listen-again",
        type=file_argument,
        metavar="CSV",
        help="where unknown words may have been said, with probability .02 to .95: the table of "
        "std-recognise --listen-again",
    )


def _add_words_option(group: "argparse._ArgumentGroup") -> None:
    """The option of hits inside other words."""
    group.add_argument(
        "--within-words",
        type=kinds_argument,
        metavar="KINDS",
        help="hits inside other words that are kept: form (jünglings, of jüngling), part "
        "(internacionales, of nacional), apart (hier door, of hierdoor), or none; an evaluation by "
        "words counts form and part as false alarms (form,part,apart)",
    )


def _add_media_options(group: "argparse._ArgumentGroup") -> None:
    """The options of clips, subtitles and edits."""
    add = group.add_argument
    add("--clips", type=folder_argument, metavar="FOLDER", help="cut each hit's sound to a file")
    add(
        "--audio",
        type=folder_argument,
        metavar="FOLDER",
        help="of the recordings' audio files; without: where their metadata say",
    )
    add("--clip-format", choices=["ogg", "wav"], default="ogg", help="(ogg)")
    add("--clip-around", type=AROUND_S, default=0.5, metavar="S", help="before and after (0.5)")
    add(
        "--srt",
        type=file_argument,
        metavar="FOLDER|FILE.srt",
        help="hits as subtitles: a file for each recording, or one for hits in one recording",
    )
    add(
        "--corrections",
        type=file_argument,
        metavar="CSV",
        help="places where a term was said and the recogniser wrote something else, from "
        "probability .9 or --min-probability up, for std-store correct --table",
    )
    add(
        "--timeline",
        type=timeline_argument,
        metavar="FILE.edl|FILE.fcpxml",
        help="hits one after another, for editing programs: CMX 3600, or Final Cut's XML",
    )
    add(
        "--markers",
        type=folder_argument,
        metavar="FOLDER",
        help="hits as markers, a file for each recording",
    )
    add(
        "--markers-for",
        choices=["premiere", "resolve", "avid"],
        default="premiere",
        help="which program reads the markers: CSV, EDL or text (premiere)",
    )
    add("--frame-rate", choices=[*FRAME_RATES], default="25", help="of timeline and markers (25)")
    add(
        "--first-timecode",
        default="00:00:00:00",
        metavar="HH:MM:SS:FF",
        help="at which the timeline, or each recording with markers, begins (00:00:00:00)",
    )


def _add_settings(group: "argparse._ArgumentGroup") -> None:
    """The options of methods and processes."""
    add_config_options(group)
    group.add_argument(
        "--phones",
        choices=PHONES,
        help="that terms are found by: guessed from the recogniser's words, heard in the sound "
        "(where the index has them), or both (both)",
    )
    group.add_argument(
        "--model",
        action="append",
        default=[],
        type=file_argument,
        metavar="JSON",
        help="what std-tune learned; with --fuse once for all, or once for each --store",
    )
    add_jobs_option(group, default=1)
    add_scheduler_option(group)
    add_progress_option(group)


def timeline_argument(text: str) -> Path:
    """A file of edits.

    Raises:
        argparse.ArgumentTypeError: its extension is not that of a format.
    """
    path = file_argument(text)
    if path.suffix.lower() not in (".edl", ".fcpxml"):
        raise argparse.ArgumentTypeError(
            f"expected a name that ends in .edl or .fcpxml, got {text!r}"
        )
    return path


def kinds_argument(text: str) -> frozenset[str]:
    """Kinds of words that contain hits.

    Raises:
        argparse.ArgumentTypeError: there is no such kind.
    """
    kinds = frozenset(one.strip() for one in text.split(",")) - {"none"}
    if unknown := kinds - {"form", "part", "apart"}:
        raise argparse.ArgumentTypeError(
            f"expected none, or some of form,part,apart, got {min(unknown)!r}"
        )
    return kinds


def since_argument(text: str) -> str:
    """The word LAST.

    Raises:
        argparse.ArgumentTypeError: it is another word.
    """
    if text.upper() != "LAST":
        raise argparse.ArgumentTypeError(f"expected LAST, got {text!r}")
    return "LAST"


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
    if config.pronunciation.lexicon:
        lexicon = {"pronunciation.lexicon": Path(config.pronunciation.lexicon)}
        require_distinct(lexicon, outputs)
    if args.phones:
        phonetic_search = replace(config.phonetic_search, phones=args.phones)
        config = replace(config, phonetic_search=phonetic_search)
    if args.beta is None:
        return config
    return replace(config, decision=replace(config.decision, beta=args.beta))
