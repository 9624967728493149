"""std-store's command line: a parser for each of its commands."""

import argparse

from indexer.arguments import add_reading_options, add_recording_options
from std.command import file_argument, folder_argument, number, text_argument
from std.limits import CHANNEL, MAX_TIME_S
from std.options import (
    STORE,
    add_config_options,
    add_jobs_option,
    add_json_option,
    add_row_options,
    add_scheduler_option,
    add_selection_options,
)
from std.parser import Parser
from std.ranges import Range

TIME_S = Range(0, MAX_TIME_S)
EXAMPLE = """\
examples:
  std-store list INDEX --where 'date >= 2024-01 and speaker = "Ada"'
  std-store show INDEX
  std-store delete INDEX NEWS_2011_05_01
  std-store rename INDEX NEWS_2011_05_01 news-2011-05-01
  std-store correct INDEX NEWS_2011_05_01 --at 12.3 --words 'Emmanuel Macron'
  std-store correct INDEX NEWS_2011_05_01 --transcript corrected.srt --dry-run
  std-store sync INDEX networks --dry-run
  std-store move-audio INDEX /archive/audio
  std-store merge INDEX
  std-store export INDEX networks.jsonl --metadata-to recordings.csv
  std-store verify INDEX --json
  std-store clean-up couchdb://db.example/news

exit status: 0 done, 2 damage, or a mistake that you can correct, said in one line
"""


def time_argument(text: str) -> float | tuple[float, float]:
    """A time in seconds, or from when to when."""
    start, dash, end = text.partition("-")
    try:
        times = TIME_S.read(start), TIME_S.read(end or start)
    except ValueError as error:
        expected = f"seconds as 12.3 or 12.3-13.1, got {text!r}"
        raise argparse.ArgumentTypeError(f"expected {expected}") from error
    if dash and times[1] <= times[0]:
        raise argparse.ArgumentTypeError(f"expected an end after the start, got {text!r}")
    return times if dash else times[0]


def parser() -> Parser:
    """The commands in the order in which ``--help`` lists them."""
    parse = Parser(
        prog="std-store",
        description="Look after an index: list, delete and rename its recordings, merge its "
        "segments, verify it.",
        epilog=EXAMPLE,
    )
    commands = parse.subcommands()
    _add_reading(commands)
    _add_writing(commands)
    return parse


def _command(
    commands: "argparse._SubParsersAction[Parser]", name: str, description: str, example: str
) -> Parser:
    """A command of an index, one store or several."""
    parse = commands.add_parser(
        name,
        help=description[:1].lower() + description[1:].rstrip("."),
        description=description,
        epilog=f"example:\n  std-store {name} {example}",
    )
    parse.add_argument("index", metavar="INDEX", help=STORE)
    return parse


def _add_shards(parse: Parser) -> None:
    parse.add_argument(
        "--shard",
        action="append",
        default=[],
        metavar="STORE",
        help="a further shard of the index; repeatable",
    )


def _add_quiet(parse: Parser) -> None:
    parse.add_argument("--quiet", action="store_true", help="no summary")


def _add_reading(commands: "argparse._SubParsersAction[Parser]") -> None:
    """What writes nothing."""
    parse = _command(
        commands,
        "list",
        "List the recordings: speech, language, words, source, metadata.",
        "INDEX --where 'date >= 2024-01 and speaker = \"Ada\"' --csv",
    )
    _add_shards(parse)
    add_selection_options(parse)
    add_row_options(parse, "recordings")
    _add_quiet(parse)

    parse = _command(
        commands,
        "show",
        "Show what the index holds as a whole, or all that it knows of some recordings.",
        "INDEX NEWS_2011_05_01",
    )
    parse.add_argument(
        "recording",
        nargs="*",
        type=text_argument,
        metavar="RECORDING",
        help="a name, as list shows it; * for any letters",
    )
    _add_shards(parse)
    add_row_options(parse, "facts")

    _add_corrections(commands)
    _add_transcripts(commands)

    parse = _command(
        commands,
        "export",
        "Write what the index holds as networks that std-index reads.",
        "INDEX networks.jsonl --metadata-to recordings.csv",
    )
    parse.add_argument(
        "networks", type=file_argument, metavar="NETWORKS", help="JSON lines; - is standard output"
    )
    _add_shards(parse)
    add_selection_options(parse)
    parse.add_argument(
        "--metadata-to", type=file_argument, metavar="CSV", help="write their metadata, too"
    )
    add_json_option(parse)
    _add_quiet(parse)

    parse = _command(
        commands,
        "verify",
        "Read everything, name what is damaged, write nothing.",
        "INDEX --json",
    )
    _add_shards(parse)
    add_json_option(parse)
    _add_quiet(parse)


def _add_writing(commands: "argparse._SubParsersAction[Parser]") -> None:
    """What changes the index."""
    parse = _command(
        commands, "delete", "Delete recordings, with their metadata.", "INDEX NEWS_2011_05_01"
    )
    parse.add_argument(
        "recording",
        nargs="+",
        type=text_argument,
        metavar="RECORDING",
        help="its name, as list shows it; behind -- it may begin with a dash",
    )
    _add_shards(parse)
    add_config_options(parse)
    add_json_option(parse)
    _add_quiet(parse)

    _add_rename(commands)
    _add_correct(commands)
    _add_rewrite(commands)
    _add_sync(commands)

    _add_places(commands)

    parse = _command(
        commands, "merge", "Merge all segments into one for each language.", "INDEX --jobs 2"
    )
    _add_shards(parse)
    add_config_options(parse)
    add_jobs_option(parse)
    add_scheduler_option(parse)
    add_json_option(parse)
    _add_quiet(parse)

    parse = _command(
        commands,
        "clean-up",
        "Remove replaced segments at once (CouchDB keeps them for ten minutes, for readers).",
        "couchdb://db.example/news",
    )
    _add_shards(parse)
    add_json_option(parse)
    _add_quiet(parse)


def _add_dry_run(parse: Parser) -> None:
    parse.add_argument("--dry-run", action="store_true", help="say what would be done")


def _add_sync(commands: "argparse._SubParsersAction[Parser]") -> None:
    parse = _command(
        commands,
        "sync",
        "Make the index hold what a folder holds: index what is new or changed, delete what is "
        "gone.",
        "INDEX networks --dry-run",
    )
    parse.add_argument(
        "folder", type=folder_argument, metavar="FOLDER", help="a folder of recogniser output"
    )
    _add_shards(parse)
    _add_dry_run(parse)
    parse.add_argument(
        "--watch", action="store_true", help="go on with what appears, changes or goes"
    )
    parse.add_argument(
        "--allow-gone",
        action="store_true",
        help="also delete more than half of the recordings from this folder",
    )
    add_recording_options(parse)
    add_reading_options(parse)
    add_jobs_option(parse)
    add_scheduler_option(parse.further("settings"))
    add_config_options(parse)
    add_row_options(parse, "changes", "everything else", further=True)
    _add_quiet(parse)


def _add_places(commands: "argparse._SubParsersAction[Parser]") -> None:
    """What notes where files are now."""
    parse = _command(
        commands,
        "relink",
        "Note where the inputs of the index are that are not where they were.",
        "INDEX /archive/networks",
    )
    parse.add_argument(
        "folder",
        type=folder_argument,
        metavar="FOLDER",
        help="where they are looked for, by the ends of their paths",
    )
    _add_shards(parse)
    _add_dry_run(parse)
    add_row_options(parse, "inputs")
    _add_quiet(parse)

    parse = _command(
        commands,
        "move-audio",
        "Note where the audio of the recordings is, by content, path or name.",
        "INDEX /archive/audio",
    )
    parse.add_argument(
        "folder", type=folder_argument, metavar="ROOT", help="the folder of all audio files"
    )
    _add_shards(parse)
    add_json_option(parse)
    _add_quiet(parse)


def _add_rename(commands: "argparse._SubParsersAction[Parser]") -> None:
    parse = _command(
        commands,
        "rename",
        "Give a recording another name; its channels and metadata go with it.",
        "INDEX NEWS_2011_05_01 news-2011-05-01 --feedback marks.jsonl",
    )
    parse.add_argument("old", type=text_argument, metavar="OLD", help="its name, as list shows it")
    parse.add_argument("new", type=text_argument, metavar="NEW", help="a name that none has")
    _add_shards(parse)
    parse.add_argument(
        "--feedback",
        type=file_argument,
        metavar="FILE",
        help="marks of std-serve --feedback, in which it gets its new name, too",
    )
    parse.add_argument(
        "--alerts",
        type=file_argument,
        metavar="FILE",
        help="a list of terms of std-serve or std-search --alerts: what was told of this recording "
        "is not told again",
    )
    add_json_option(parse)
    _add_quiet(parse)


def _add_corrections(commands: "argparse._SubParsersAction[Parser]") -> None:
    parse = _command(
        commands,
        "corrections",
        "List what people have corrected: time, what the recogniser wrote, what was said.",
        "INDEX NEWS_2011_05_01",
    )
    parse.add_argument(
        "recording",
        nargs="*",
        type=text_argument,
        metavar="RECORDING",
        help="its name, as list shows it; default: all",
    )
    _add_shards(parse)
    add_row_options(parse, "corrections")
    _add_quiet(parse)


def _add_correct(commands: "argparse._SubParsersAction[Parser]") -> None:
    parse = _command(
        commands,
        "correct",
        "Say what was said in a recording: words at a time, or a corrected transcript.",
        "INDEX NEWS_2011_05_01 --at 12.3 --words 'Emmanuel Macron'",
    )
    parse.add_argument(
        "recording",
        nargs="?",
        type=text_argument,
        metavar="RECORDING",
        help="its name, as list shows it; not with --table",
    )
    parse.add_argument(
        "--table",
        type=file_argument,
        metavar="FILE",
        help="a table of corrections, as std-search --corrections writes it; rows with no in a "
        "column right are left out",
    )
    parse.add_argument(
        "--at",
        type=time_argument,
        metavar="S|S-S",
        help="when it was said, in seconds: a time, or from when to when",
    )
    parse.add_argument(
        "--words",
        metavar="TEXT",
        help="what was said, in place of the words that sound most like it; '' is nothing",
    )
    parse.add_argument(
        "--transcript",
        type=file_argument,
        metavar="FILE",
        help="what was said in all of it: captions, a recogniser's output or a text; where it "
        "differs from the index, it is right",
    )
    parse.add_argument(
        "--undo",
        action="store_true",
        help="take corrections back: those at the time of --at, or all of the recording",
    )
    parse.add_argument(
        "--channel", type=number(CHANNEL), default=1, metavar="N", help="of the audio file"
    )
    _add_dry_run(parse)
    _add_shards(parse)
    add_config_options(parse)
    add_row_options(parse, "corrections")
    _add_quiet(parse)


def _add_transcripts(commands: "argparse._SubParsersAction[Parser]") -> None:
    parse = _command(
        commands,
        "transcripts",
        "Write whole transcripts: the likeliest words of each recording, with times and speakers.",
        "INDEX captions --form vtt --recording 'news_2024*'",
    )
    parse.add_argument(
        "folder", type=folder_argument, metavar="FOLDER", help="a file for each recording"
    )
    parse.add_argument(
        "--form", choices=["vtt", "srt", "txt", "json"], default="vtt", help="of the files (vtt)"
    )
    _add_shards(parse)
    add_selection_options(parse)
    add_json_option(parse)
    _add_quiet(parse)


def _add_rewrite(commands: "argparse._SubParsersAction[Parser]") -> None:
    parse = _command(
        commands,
        "rewrite",
        "Write a transcript of a recording again, with its corrections and nothing else changed.",
        "INDEX NEWS_2011_05_01 captions.srt --output corrected.srt",
    )
    parse.add_argument(
        "recording", type=text_argument, metavar="RECORDING", help="its name, as list shows it"
    )
    parse.add_argument(
        "transcript",
        type=file_argument,
        metavar="FILE",
        help="captions, a text, a service's JSON, a Word document: what was indexed",
    )
    parse.add_argument(
        "--output", type=file_argument, required=True, metavar="FILE", help="it may be the same"
    )
    parse.add_argument(
        "--channel", type=number(CHANNEL), default=1, metavar="N", help="of the audio file"
    )
    _add_shards(parse)
    add_json_option(parse)
    _add_quiet(parse)
