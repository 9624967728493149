"""Options that several commands share.

    add_store_option      --store
    add_selection_options --where, --recording
    add_config_options    --config, --set              `configuration_of` reads both
    add_jobs_option       --jobs
    add_scheduler_option  --scheduler
    add_json_option       --json, of a command without rows
    add_row_options       --json, --nl, --csv, --fmt   `std.display.rows.form_of` reads them
    add_progress_option   --progress
    add_progress_options  --progress, --quiet

A command calls them in the order in which its ``--help`` lists its options.
"""

import argparse
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from std.command import JOBS, file_argument, text_argument
from std.display.progress import WHEN
from std.display.rows import FORMATS
from std.parser import Parser
from std.system import cores

if TYPE_CHECKING:
    from std.config import Config  # --help does not need it

    Arguments = argparse._ActionsContainer  # a command's parser, or a group of its options

STORE = "folder, memory: or couchdb://[user@]host[:port]/database"
QUIET = "no summary, no progress"
CONFIG = "configuration file; std-config show lists its keys, std-config list the shipped files"


def add_store_option(parse: "Arguments", *, required: bool = True) -> None:
    """The address of the index, or of each of its shards."""
    shards = f"{STORE}; once for each shard"
    parse.add_argument("--store", required=required, action="append", help=shards)


def add_selection_options(parse: "Arguments", where: str = "", verb: str = "") -> None:
    """The selection of recordings.

    Args:
        where: an addition to the help of ``--where``, with its separator.
        verb: the verb of the help texts, followed by a space.
    """
    parse.add_argument(
        "--where",
        type=text_argument,
        metavar="CONDITION",
        help=f"{verb}recordings whose metadata fit{where}: "
        "'date >= 2024-01 and speaker = \"Ada\"'; = != < <= > >= and ~ for a pattern with *",
    )
    parse.add_argument(
        "--recording",
        type=text_argument,
        action="append",
        default=[],
        metavar="PATTERN",
        help=f"{verb}recordings of this name, * for any letters; with a slash: of this path "
        "('radio/*')",
    )


def add_config_options(parse: "Arguments", meaning: str = CONFIG) -> None:
    """The configuration: a file and single keys."""
    parse.add_argument("--config", type=file_argument, metavar="TOML", help=meaning)
    parse.add_argument(
        "--set",
        action="append",
        default=[],
        type=text_argument,
        metavar="KEY=VALUE",
        help="set a key of the configuration; overrides --config: search.min_probability=0.1",
    )


def configuration_of(args: argparse.Namespace) -> "Config":
    """The configuration from ``--config`` and ``--set``.

    Raises:
        StdError: the file cannot be read, or a key does not exist or its value does not fit.
    """
    from std.config import load_config

    return load_config(args.config, args.set)


def files_of(config: "Config") -> dict[str, Path]:
    """The files that a configuration names, by their keys."""
    from std.config import KEYS_OF_FILES

    names = {key: attrgetter(key)(config) for key in KEYS_OF_FILES}
    return {key: Path(name) for key, name in names.items() if name}


def add_jobs_option(
    parse: "Arguments", *, default: int | None = None, meaning: str = "worker processes"
) -> None:
    """The number of processes; by default one for each processor."""
    count = cores() if default is None else default
    parse.add_argument("--jobs", type=JOBS, default=count, metavar="N", help=meaning)


def add_scheduler_option(parse: "Arguments") -> None:
    """Workers on other machines."""
    parse.add_argument("--scheduler", metavar="tcp://HOST:PORT", help="scheduler of a Dask cluster")


def add_json_option(parse: "Arguments") -> None:
    """The result for a program."""
    parse.add_argument("--json", action="store_true", help="one JSON document on stdout")


def add_row_options(
    parse: argparse.ArgumentParser, rows: str, others: str = "", *, further: bool = False
) -> None:
    """The options for the form of rows on stdout.

    Args:
        rows: name of the rows, in the plural.
        others: results that support only ``--json``.
        further: whether only ``--help-all`` shows the options (`std.parser.Parser.further`).
    """
    title = f"form of {rows} on stdout" + (f" (--json: also of {others})" if others else "")
    add_group = parse.further if further and isinstance(parse, Parser) else parse.add_argument_group
    group = add_group(title)
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON document")
    form.add_argument("--nl", action="store_true", help="JSON lines: one document a row")
    form.add_argument("--csv", action="store_true", help="CSV with a header")
    form.add_argument(
        "--fmt",
        choices=FORMATS,
        metavar="FORM",
        help=f"{', '.join(FORMATS)}; default on a terminal: table; lines: tabs between columns",
    )


def add_progress_options(parse: "Arguments", quiet: str = QUIET) -> None:
    """Add --quiet and --progress: messages on stderr while a command works, and after it."""
    add_progress_option(parse)
    parse.add_argument("--quiet", action="store_true", help=quiet)


def add_progress_option(parse: "Arguments") -> None:
    """Add --progress: messages on stderr while a command works."""
    parse.add_argument(
        "--progress",
        choices=WHEN,
        default="auto",
        metavar="WHEN",
        help="auto: a bar on a terminal; always: in a log a line every 10 s; never",
    )
