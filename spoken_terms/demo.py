"""std-demo: index, search and score the installed sample, and open the page to listen.

The sample is two minutes of English speech (CC0) with Whisper's output. Each step is a command that
is printed before it runs, so that a reader can repeat it with other recordings.
"""

import argparse
import shlex
import shutil
import socket
import sys
import threading
import time
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from std.command import folder_argument, run, tell
from std.errors import StdError
from std.imports import is_installed
from std.outputs import make_folder
from std.parser import Parser

COMMAND = "std-demo"
FOLDER = Path("std-demo")
HERE = Path(__file__).resolve().parent
SAMPLES = (HERE / "sample", HERE.parent / "examples" / "english")  # installed; in a checkout
FILES = ("kathleen.ogg", "whisper/kathleen.jsonl", "terms.xml", "ecf.xml", "ref.rttm")
TERM = "whittemore"  # the recogniser has another word there
SERVE = ("fastapi", "uvicorn", "jinja2", "av")  # of the extra "serve"
STARTING_S = 60.0  # for the page to answer, at most
ASK_S = 0.1
EXAMPLE = """\
examples:
  std-demo
  std-demo my-folder --no-page

exit status: 0 done, 2 an error in options or input, in one line
"""


def parser() -> argparse.ArgumentParser:
    """Build the argument parser."""
    parse = Parser(
        prog=COMMAND,
        description="Try std on two minutes of English speech, which are installed with it: index, "
        "search, score, and open the page to listen.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "folder",
        nargs="?",
        type=folder_argument,
        default=FOLDER,
        metavar="FOLDER",
        help=f"where the sample and the results go ({FOLDER})",
    )
    parse.add_argument(
        "--no-page",
        action="store_true",
        help="do not open the page; print the command that opens it",
    )
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = done, 2 = an error that the user can correct."""
    args = parser().parse_args(argv)
    return run(COMMAND, lambda: demonstrate(args.folder, page=not args.no_page))


def demonstrate(folder: Path, *, page: bool) -> int:
    """Run the steps; the exit status of the first that fails.

    Args:
        folder: where the sample and the results go.
        page: whether to open the page, if it can be seen.

    Raises:
        StdError: the sample is not there, or the folder cannot be written.
    """
    if str(folder).startswith("-"):
        folder = folder.absolute()  # no command takes its files for options
    unpack(folder)
    index, hits = str(folder / "index"), str(folder / "hits.xml")
    terms, ecf = str(folder / "terms.xml"), str(folder / "ecf.xml")
    rttm = str(folder / "ref.rttm")
    networks = str(folder / "whisper" / "kathleen.jsonl")
    steps = (
        ("what a recogniser wrote becomes an index", ["std-index", networks, "--store", index]),
        (
            f"a name that the recogniser did not write: {TERM}",
            ["std-search", "--store", index, TERM, "--limit", "1", "--fmt", "table"],
        ),
        (
            "a list of terms, as an evaluation searches it",
            ["std-search", "--store", index, "--terms", terms, "--ecf", ecf, "--output", hits],
        ),
        ("how good that is", ["std-score", hits, "--ecf", ecf, "--rttm", rttm, "--terms", terms]),
    )
    for what, words in steps:
        if status := step(what, words):
            return status
    return listen(folder, index, page=page)


def unpack(folder: Path) -> None:
    """Create a folder and copy the sample into it.

    Raises:
        StdError: it is not there, or the folder cannot be written.
    """
    source = next((one for one in SAMPLES if (one / FILES[0]).is_file()), None)
    if source is None:
        raise StdError(f"expected the sample in {SAMPLES[0]}, got none; install spoken-terms again")
    for name in FILES:
        target = folder / name
        make_folder(target.parent)
        try:
            shutil.copyfile(source / name, target)
        except OSError as error:
            raise StdError(f"{target}: expected a file that can be written, got {error}") from error


def step(what: str, words: Sequence[str]) -> int:
    """Print a description and the command; run it and return its exit status."""
    from spoken_terms.start import start

    introduce(what, words)
    return start(words[0], words[1:])


def introduce(what: str, *commands: Sequence[str]) -> None:
    """Print a description and the commands."""
    for line in ("", f"# {what}", *(f"$ {shlex.join(words)}" for words in commands)):
        tell(line)


def listen(folder: Path, index: str, *, page: bool) -> int:
    """Open the page, or print the command that opens it."""
    words = ["std-serve", "--store", index, "--audio", str(folder)]
    missing = [module for module in SERVE if not is_installed(module)]
    if not page or missing or not sys.stdout.isatty():
        extra = [["pip", "install", "spoken-terms[serve]"]] if missing else []
        introduce("a page to search, and to hear the hits", *extra, words)
        return 0
    port = free_port()
    address = f"http://127.0.0.1:{port}/?term={TERM}"
    threading.Thread(target=show, args=(address, port), daemon=True).start()
    return step(f"the page: {address}", [*words, "--port", str(port)])


def show(address: str, port: int) -> None:
    """Open a page in a browser as soon as it answers."""
    end_s = time.monotonic() + STARTING_S
    while time.monotonic() < end_s:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), STARTING_S):
            break
        time.sleep(ASK_S)
    webbrowser.open(address)


def free_port() -> int:
    """A free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


if __name__ == "__main__":
    sys.exit(main())
