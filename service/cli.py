"""std-serve: arguments in, a page and an API on an address."""

import argparse
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from std.command import file_argument, folder_argument, number, run, tell, text_argument
from std.errors import StdError, named
from std.imports import required
from std.numbers import counted
from std.options import add_config_options, add_jobs_option, add_store_option, configuration_of
from std.parser import Parser
from std.ranges import Range
from std.system import cores

if TYPE_CHECKING:
    from service.settings import Settings  # --help does not need the packages that these load

EXAMPLE = """\
examples:
  std-serve --store INDEX --audio recordings/
  std-serve --store INDEX --audio recordings/ --feedback marks.jsonl --metadata recordings.csv
  std-serve --store couchdb://db/news --host 0.0.0.0 --token-file token \\
      --allow-host archive.local

exit status: 0 ended by SIGTERM, 130 by Ctrl-C, 2 an error in options or input, in one line
"""
PORT = number(Range(0, 65535, whole=True))
MOST_JOBS = 4  # by default: each process opens the index
ORIGIN = re.compile(r"\*|https?://(\*\.)?[A-Za-z0-9.-]+(:\d{1,5})?", re.ASCII)
PACKAGES = ("fastapi", "uvicorn", "httptools")  # of the extra "serve"


def parser() -> argparse.ArgumentParser:
    """Build the argument parser."""
    parse = Parser(
        prog="std-serve",
        description="Serve an index: a page to search, play and judge hits, and a REST API.",
        epilog=EXAMPLE,
    )
    add_store_option(parse)
    parse.add_argument("--audio", type=folder_argument, metavar="FOLDER", help="audio files")
    parse.add_argument("--model", type=file_argument, metavar="JSON", help="model of std-tune")
    add_config_options(parse)
    parse.add_argument(
        "--metadata", type=file_argument, metavar="FILE",
        help="title, date, ... of recordings; they override those of the index",
    )  # fmt: skip
    parse.add_argument(
        "--feedback",
        type=file_argument,
        metavar="JSONL",
        help="file for the marks (right, wrong) and notes",
    )
    parse.add_argument(
        "--alerts", type=file_argument, metavar="FILE",
        help="terms to search in new recordings: XML, one a line, or a table (CSV, TSV, XLSX)",
    )  # fmt: skip
    parse.add_argument(
        "--alerts-column", type=text_argument, metavar="NAME",
        help="column of --alerts that has the terms, if its heading does not show it",
    )  # fmt: skip
    parse.add_argument(
        "--alerts-url", type=text_argument, action="append", default=[], metavar="URL",
        help="address to which new hits of these terms are posted; repeat for more",
    )  # fmt: skip
    add_jobs_option(
        parse,
        default=min(cores(), MOST_JOBS),
        meaning="processes that search known words (one for each processor, at most 4); with 1, "
        "threads of the service search them",
    )
    _add_changes(parse)
    _add_network(parse)
    parse.add_argument("--quiet", action="store_true", help="print the address only")
    return parse


def _add_changes(parse: Parser) -> None:
    """The options of changes by people."""
    uploads = parse.further("what people may change")
    uploads.add_argument(
        "--users", type=file_argument, metavar="TABLE",
        help="who may do what: name, role (read, mark, edit, admin), token",
    )  # fmt: skip
    uploads.add_argument(
        "--audit-log", type=file_argument, metavar="JSONL",
        help="file for a log of changes: who changed what",
    )  # fmt: skip
    uploads.add_argument(
        "--allow-corrections", action="store_true",
        help="people may correct words of recordings, in the index",
    )  # fmt: skip
    uploads.add_argument(
        "--allow-uploads", action="store_true",
        help="people may add recordings: sound and captions, stored in uploads/ in --audio",
    )  # fmt: skip
    uploads.add_argument(
        "--recognise", type=text_argument, default="", metavar="OPTIONS",
        help="options of std-recognise for added sound, as '--model small --language de'",
    )  # fmt: skip
    uploads.add_argument(
        "--upload-gb", type=number(Range(0, 1000, above=True)), default=2.0, metavar="N",
        help="largest size of a file (2)",
    )  # fmt: skip
    uploads.add_argument(
        "--uploads-gb", type=number(Range(0, 1_000_000, above=True)), default=100.0, metavar="N",
        help="largest size of all files together (100); 1 GB of the disk always stays free",
    )  # fmt: skip


def _add_network(parse: Parser) -> None:
    """The options of address and access."""
    network = parse.further("network")
    network.add_argument(
        "--host", type=text_argument, default="127.0.0.1", help="address (127.0.0.1)"
    )
    network.add_argument("--port", type=PORT, default=8000, help="(8000); 0 = any that is free")
    network.add_argument(
        "--allow-host", action="append", default=[], type=text_argument, metavar="NAME",
        help="a name under which browsers reach the service; repeat for more",
    )  # fmt: skip
    network.add_argument(
        "--token-file", type=file_argument, metavar="FILE",
        help="a secret that clients must send; required unless --host is a loopback address",
    )  # fmt: skip
    network.add_argument(
        "--alerts-secret-file", type=file_argument, metavar="FILE",
        help="a secret that signs what is posted to --alerts-url",
    )  # fmt: skip
    network.add_argument(
        "--user-header", type=text_argument, default="", metavar="NAME",
        help="header in which a reverse proxy names the user (X-Forwarded-User); stored with marks",
    )  # fmt: skip
    network.add_argument(
        "--root-path", type=text_argument, default="", metavar="/PATH",
        help="path under which a reverse proxy serves the pages",
    )  # fmt: skip
    network.add_argument(
        "--allow-frame", action="append", default=[], type=text_argument, metavar="ORIGIN",
        help="pages of this origin, as https://blog.example, may show hits in a frame; * = any",
    )  # fmt: skip
    network.add_argument(
        "--access-log", type=file_argument, metavar="FILE",
        help="write a line of JSON for each request; - is standard output",
    )  # fmt: skip


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = ended, 2 = an error that the user can correct."""
    args = parser().parse_args(argv)
    return run("std-serve", lambda: serve(args))


def _secret(path: Path | None) -> str:
    """The secret in a file; empty without one.

    Raises:
        StdError: it is too short, or has other letters.
    """
    from service.users import MIN_TOKEN, is_secret
    from std.files import read_text

    secret = read_text(path, 4096).strip() if path else ""
    if path and not is_secret(secret):
        raise StdError(f"{path}: expected a token of at least {MIN_TOKEN} ASCII letters")
    return secret


def _require_values(args: argparse.Namespace) -> None:
    """Refuse values that are no paths, folders or addresses, or that need another option.

    Raises:
        StdError: the first of them.
    """
    if args.root_path and not args.root_path.startswith("/"):
        raise StdError(f"--root-path: expected a path as /std, got {args.root_path!r}")
    if args.audio and not Path(args.audio).is_dir():
        raise StdError(f"--audio {args.audio}: expected a folder")
    if args.allow_uploads and not args.audio:
        raise StdError("--allow-uploads: --audio FOLDER says where recordings are kept")
    if args.alerts_column and not args.alerts:
        raise StdError("--alerts-column names a column of --alerts")
    for url in args.alerts_url:
        if not url.startswith(("http://", "https://")):
            raise StdError(f"--alerts-url: expected an address as https://..., got {url!r}")
    if args.alerts_url and not args.alerts:
        raise StdError("--alerts-url gets the new hits of --alerts")
    for origin in args.allow_frame:
        if not ORIGIN.fullmatch(origin):
            raise StdError(f"--allow-frame: expected https://NAME or *, got {origin!r}")


def settings_of(args: argparse.Namespace) -> "Settings":
    """The settings of a command line.

    Raises:
        StdError: the service would be open to everybody, or the token is too short.
    """
    from service.middleware import is_loopback
    from service.settings import Limits, Settings
    from service.users import Users, read_users
    from std.distinct import require_distinct

    inputs = {"--config": args.config, "--model": args.model, "--metadata": args.metadata}
    inputs |= {"--alerts": args.alerts, "--token-file": args.token_file, "--users": args.users}
    inputs |= {"--alerts-secret-file": args.alerts_secret_file}
    outputs = {"--feedback": args.feedback, "--access-log": args.access_log}
    require_distinct(inputs, outputs | {"--audit-log": args.audit_log}, args.store)
    _require_values(args)
    users = read_users(args.users) if args.users else Users()
    token, signing = map(_secret, (args.token_file, args.alerts_secret_file))
    if not (token or users.tokens) and not is_loopback(args.host):
        raise StdError(
            f"--host {args.host}: others could search and hear everything; --token-file names a "
            "secret that they must know"
        )
    if users.by_name and not (users.tokens or args.user_header):
        raise StdError(f"{args.users}: users need tokens there, or --user-header names them")
    try:
        recognise = tuple(shlex.split(args.recognise))
    except ValueError as error:
        raise StdError(f"--recognise: {error}".lower()) from error
    if recognise and not args.allow_uploads:
        raise StdError("--recognise has options for the sound of --allow-uploads")
    if signing and not args.alerts_url:
        raise StdError("--alerts-secret-file signs what is posted to --alerts-url")
    return Settings(
        tuple(args.store), configuration_of(args), args.model, args.audio, args.metadata,
        args.feedback, args.alerts, tuple(args.alerts_url), signing,
        args.alerts_column, args.host, int(args.port), tuple(args.allow_host),
        token, args.root_path.rstrip("/"), args.jobs,
        user_header=args.user_header,
        frames=tuple(args.allow_frame),
        users=args.users,
        audit=args.audit_log,
        allow_corrections=args.allow_corrections,
        allow_uploads=args.allow_uploads,
        recognise=recognise,
        limits=Limits(
            upload_bytes=round(1e9 * args.upload_gb), uploads_bytes=round(1e9 * args.uploads_gb)
        ),
    )  # fmt: skip


def serve(args: argparse.Namespace) -> int:
    """Serve until a signal."""
    for module in PACKAGES:
        required(module, "serve")
    settings = settings_of(args)
    from service.app import create_app
    from service.server import Server, bound_socket, server_config
    from service.state import Service

    with bound_socket(settings.host, settings.port) as listener:
        service = Service(settings)
        app = create_app(service, access_log(args.access_log))
        config = server_config(app, settings.root_path, settings.limits.connections)
        host, port = listener.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        print(f"http://{shown}:{port}{settings.root_path}/", flush=True)
        if not args.quiet:
            recordings = len(service.snapshot.recordings.entries)
            heard = sum(1 for one in service.snapshot.recordings.entries if one.audio)
            tell(f"{counted(recordings, 'recording')}, {heard} with audio; Ctrl-C ends")
            if service.alerts:
                terms = counted(len(service.alerts.terms), "term")
                column = service.alerts.searched.column
                source = f" from {column}" if column else ""
                tell(f"{terms} of {named(args.alerts)} watched{source}")
            if args.feedback is None:
                tell("marks are not kept: --feedback FILE keeps them")
        return Server(config).serve_on(listener)


def access_log(path: Path | None):  # type: ignore[no-untyped-def]  # set below
    """The function that writes a line of the access log; None without a log."""
    if path is None:
        return None
    from std.errors import STANDARD_STREAM

    if path == STANDARD_STREAM:
        return lambda line: print(line, flush=True)
    stream = path.open("a", encoding="utf-8", buffering=1)
    return lambda line: stream.write(line + "\n")


if __name__ == "__main__":
    sys.exit(main())
