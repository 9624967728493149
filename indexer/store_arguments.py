"""std-store's command line: `COMMANDS` declares each command's arguments once."""

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

from indexer.reading_arguments import add_reading_options, add_recording_options
from std.command import file_argument, folder_argument, number, text_argument
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
from std.ranges import CHANNEL, TIME_S

STORE_EXAMPLE = """\
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

exit status: 0 done, 2 damage, or an error in options or input, in one line
"""


def time_argument(text: str) -> float | tuple[float, float]:
    """A time in seconds, or a start and an end: ``12.3-13.1``."""
    start, dash, end = text.partition("-")
    try:
        times = TIME_S.read(start), TIME_S.read(end or start)
    except ValueError as error:
        expected = f"seconds as 12.3 or 12.3-13.1, got {text!r}"
        raise argparse.ArgumentTypeError(f"expected {expected}") from error
    if dash and times[1] <= times[0]:
        raise argparse.ArgumentTypeError(f"expected an end after the start, got {text!r}")
    return times if dash else times[0]


class _Command(NamedTuple):
    """A command for an index: one store or several."""

    name: str
    description: str
    example: str  # the positional arguments
    options: tuple[Callable[[Parser], object], ...] = ()  # each adds its own to a parser
    quiet: bool = True  # whether it prints a summary


def _argument(*names: str, **settings: Any) -> Callable[[Parser], object]:
    def add(parse: Parser) -> object:
        return parse.add_argument(*names, **settings)

    return add


def _recording(nargs: int | str | None = None, behind: str = "") -> Callable[[Parser], object]:
    """A recording by its name, or several."""
    explained = f"its name as in list{behind}"
    return _argument(
        "recording", nargs=nargs, type=text_argument, metavar="RECORDING", help=explained
    )


def _folder(metavar: str, meaning: str) -> Callable[[Parser], object]:
    return _argument("folder", type=folder_argument, metavar=metavar, help=meaning)


def _rows(*what: str, further: bool = False) -> Callable[[Parser], object]:
    return lambda parse: add_row_options(parse, *what, further=further)


_SHARD = _argument(
    "--shard",
    action="append",
    default=[],
    metavar="STORE",
    help="a further shard of the index; repeatable",
)
_QUIET = _argument("--quiet", action="store_true", help="no summary")
_DRY_RUN = _argument("--dry-run", action="store_true", help="print the changes, make none")
_FILE: dict[str, Any] = {"type": file_argument, "metavar": "FILE"}
_THAT_NAME_RECORDINGS = (
    _argument("--feedback", help="marks of std-serve, in which recordings are renamed", **_FILE),
    _argument(
        "--alerts",
        help="a list of terms of std-serve or std-search: reported hits of renamed recordings are "
        "not reported again",
        **_FILE,
    ),
)
_CHANNEL = _argument("--channel", type=number(CHANNEL), default=1, metavar="N", help="channel (1)")

READING = (  # commands that only read the index
    _Command(
        "list",
        "List the recordings: speech, language, words, source, metadata.",
        "INDEX --where 'date >= 2024-01 and speaker = \"Ada\"' --csv",
        (add_selection_options, _rows("recordings")),
    ),
    _Command(
        "show",
        "Show facts about the whole index, or all facts about some recordings.",
        "INDEX NEWS_2011_05_01",
        (
            _argument(
                "recording",
                nargs="*",
                type=text_argument,
                metavar="RECORDING",
                help="a name as in list; * stands for any letters",
            ),
            _rows("facts"),
        ),
        quiet=False,
    ),
    _Command(
        "corrections",
        "List people's corrections: time, words of the recogniser, corrected words.",
        "INDEX NEWS_2011_05_01",
        (_recording("*", "; default: all"), _rows("corrections")),
    ),
    _Command(
        "transcripts",
        "Write whole transcripts: the likeliest words of each recording, with times and speakers.",
        "INDEX captions --form vtt --recording 'news_2024*'",
        (
            _folder("FOLDER", "a file for each recording"),
            _argument(
                "--form",
                choices=["vtt", "srt", "txt", "json"],
                default="vtt",
                help="format of the files (vtt)",
            ),
            add_selection_options,
            add_json_option,
        ),
    ),
    _Command(
        "export",
        "Write the content of the index as networks that std-index reads.",
        "INDEX networks.jsonl --metadata-to recordings.csv",
        (
            _argument(
                "networks",
                type=file_argument,
                metavar="NETWORKS",
                help="JSON lines; - is standard output",
            ),
            add_selection_options,
            _argument(
                "--metadata-to", type=file_argument, metavar="CSV", help="write their metadata, too"
            ),
            add_json_option,
        ),
    ),
    _Command(
        "verify",
        "Read the whole index and report all damage; write nothing.",
        "INDEX --json",
        (add_json_option,),
    ),
)
WRITING = (  # commands that change the index
    _Command(
        "delete",
        "Delete recordings, with their metadata.",
        "INDEX NEWS_2011_05_01",
        (
            _recording("+", "; a name that begins with a dash goes after --"),
            add_config_options,
            add_json_option,
        ),
    ),
    _Command(
        "rename",
        "Give a recording another name; its channels and metadata go with it.",
        "INDEX NEWS_2011_05_01 news-2011-05-01 --feedback marks.jsonl",
        (
            _argument("old", type=text_argument, metavar="OLD", help="its name as in list"),
            _argument("new", type=text_argument, metavar="NEW", help="an unused name"),
            *_THAT_NAME_RECORDINGS,
            add_json_option,
        ),
    ),
    _Command(
        "correct",
        "Correct the words of a recording: at a time, or by a whole transcript.",
        "INDEX NEWS_2011_05_01 --at 12.3 --words 'Emmanuel Macron'",
        (
            _recording("?", "; not with --table"),
            _argument(
                "--table",
                type=file_argument,
                metavar="FILE",
                help="a table of corrections, as std-search --corrections writes it; rows with "
                "'no' in the column 'right' are skipped",
            ),
            _argument(
                "--at",
                type=time_argument,
                metavar="S|S-S",
                help="time in the recording, in seconds: a time, or start and end",
            ),
            _argument(
                "--words",
                metavar="TEXT",
                help="the correct words, which replace the words that sound most like them; '': "
                "nothing was said",
            ),
            _argument(
                "--transcript",
                type=file_argument,
                metavar="FILE",
                help="the correct transcript of the whole recording: captions, a recogniser's "
                "output or a text; differences from the index become corrections",
            ),
            _argument(
                "--undo",
                action="store_true",
                help="undo corrections: those at the time of --at, or all of the recording",
            ),
            _argument(
                "--channel", type=number(CHANNEL), metavar="N", help="channel (1; with --undo, all)"
            ),
            _DRY_RUN,
            add_config_options,
            _rows("corrections"),
        ),
    ),
    _Command(
        "rewrite",
        "Write a transcript of a recording again, with its corrections and nothing else changed.",
        "INDEX NEWS_2011_05_01 captions.srt --output corrected.srt",
        (
            _recording(),
            _argument(
                "transcript",
                type=file_argument,
                metavar="FILE",
                help="the indexed file: captions, a text, a service's JSON, a Word document",
            ),
            _argument(
                "--output",
                type=file_argument,
                required=True,
                metavar="FILE",
                help="the new file; may be the same",
            ),
            _CHANNEL,
            add_json_option,
        ),
    ),
    _Command(
        "sync",
        "Make the index match a folder: index new and changed files, delete recordings of missing "
        "files.",
        "INDEX networks --dry-run",
        (
            _folder("FOLDER", "a folder of recogniser output"),
            _DRY_RUN,
            _argument(
                "--watch",
                action="store_true",
                help="keep running, and apply each change of the folder",
            ),
            _argument(
                "--allow-gone",
                action="store_true",
                help="also delete more than half of the recordings from this folder",
            ),
            *_THAT_NAME_RECORDINGS,
            add_recording_options,
            add_reading_options,
            add_jobs_option,
            lambda parse: add_scheduler_option(parse.further("settings")),
            add_config_options,
            _rows("changes", "everything else", further=True),
        ),
    ),
    _Command(
        "relink",
        "Store the new paths of inputs of the index that were moved.",
        "INDEX /archive/networks",
        (
            _folder(
                "FOLDER", "the folder in which the inputs are now; the ends of paths are compared"
            ),
            _DRY_RUN,
            _rows("inputs"),
        ),
    ),
    _Command(
        "move-audio",
        "Find the audio of the recordings by content, path or name, and store its path.",
        "INDEX /archive/audio",
        (_folder("ROOT", "the folder of all audio files"), _DRY_RUN, _rows("recordings")),
    ),
    _Command(
        "merge",
        "Merge all segments into one for each language.",
        "INDEX --jobs 2",
        (add_config_options, add_jobs_option, add_scheduler_option, add_json_option),
    ),
    _Command(
        "clean-up",
        "Remove replaced segments at once (in CouchDB they otherwise stay for ten minutes).",
        "couchdb://db.example/news",
        (add_json_option,),
    ),
)


def parser() -> Parser:
    """The commands in the order in which ``--help`` lists them."""
    parse = Parser(
        prog="std-store",
        description="Look after an index: list, delete and rename its recordings, merge its "
        "segments, verify it.",
        epilog=STORE_EXAMPLE,
    )
    commands = parse.subcommands()
    for one in (*READING, *WRITING):
        command = commands.add_parser(
            one.name,
            help=one.description[:1].lower() + one.description[1:].rstrip("."),
            description=one.description,
            epilog=f"example:\n  std-store {one.name} {one.example}",
        )
        command.add_argument("index", metavar="INDEX", help=STORE)
        for add in (*one.options, _SHARD, *([_QUIET] if one.quiet else [])):
            add(command)
    return parse
