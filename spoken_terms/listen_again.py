"""std-listen-again: recognise again the places where unknown words may be, and index the result.

Each step is a command that is printed before it runs, so a reader can run each step alone. The
searcher reads only an index, the recogniser only audio and networks.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from spoken_terms.demo import introduce, step
from std.command import file_argument, folder_argument, run, tell
from std.errors import ConfigError
from std.json_fields import read_json
from std.options import STORE, add_jobs_option
from std.outputs import make_folder
from std.parser import Parser

COMMAND = "std-listen-again"
STRETCHES, HITS = "again.csv", "hits.xml"  # in the new folder
SETTINGS = "recognise.json"  # of networks, which the new ones share
EXAMPLE = """\
examples:
  std-listen-again recordings --store INDEX --terms names.txt --earlier NETWORKS --output NETWORKS_2

exit status: 0 done, 2 an error in options or input, in one line; otherwise that of a step
"""


def parser() -> argparse.ArgumentParser:
    """Build the argument parser."""
    parse = Parser(
        prog=COMMAND,
        description="Search terms with words that the recogniser did not write, recognise once "
        "more where these may have been said, with them as candidates, and index the result.",
        epilog=EXAMPLE,
    )
    add = parse.add_argument
    add("audio", nargs="+", metavar="AUDIO", help="the recordings, or their folders")
    add("--store", required=True, metavar="INDEX", help=STORE)
    add("--terms", required=True, type=file_argument, help="list of terms, as of std-search")
    networks = "folder of the networks that the index is of; it is not changed"
    add("--earlier", required=True, type=folder_argument, metavar="NETWORKS", help=networks)
    complete = f"folder for the new networks, complete, with {STRETCHES} and the hits ({HITS})"
    add("--output", required=True, type=folder_argument, metavar="NETWORKS_2", help=complete)
    add("--model", default="", metavar="NAME|FOLDER", help="as of std-recognise")
    add("--name-by", choices=["stem", "path"], default="stem", help="as of std-recognise")
    add_jobs_option(parse, meaning="recordings at once")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = done, 2 = an error that the user can correct, otherwise that of a step."""
    args = parser().parse_args(argv)
    return run(COMMAND, lambda: listen_again(args))


def listen_again(args: argparse.Namespace) -> int:
    """Run the steps; the exit status of the first that fails.

    Raises:
        StdError: the earlier networks are not those of std-recognise, or the new ones would be
            among them.
    """
    from recogniser import read_stretches

    if args.output.resolve() == args.earlier.resolve():
        raise ConfigError(f"--output: expected another folder than --earlier, got {args.output}")
    stretches, earlier, output = args.output / STRETCHES, str(args.earlier), str(args.output)
    audio = [*args.audio, "--listen-again", str(stretches), "--earlier", earlier]
    audio += [*options_of(args.earlier), "--name-by", args.name_by, "--jobs", str(args.jobs)]
    audio += ["--model", args.model] if args.model else []
    make_folder(args.output)
    listed = ["--store", args.store, "--terms", str(args.terms), "--output"]
    hits = [*listed, str(args.output / HITS), "--listen-again", str(stretches), "--quiet"]
    if status := step("where unknown words may be", ["std-search", *hits]):
        return status
    names = sorted({one.recording.file for one in read_stretches(stretches)})
    if not names:
        tell("no word is unknown, or none is found with a probability of .02 to .95")
        return 0
    if status := step("what is said there", ["std-recognise", *audio, "--output", output]):
        return status
    # std-recognise has warned of recordings that are not among the audio: they stay as they were.
    networks = {name: args.output / f"{name}.jsonl" for name in names}
    found = {name: str(path) for name, path in networks.items() if path.exists()}
    if not found:
        return 0
    replaced = [*found.values(), "--store", args.store, "--replace", *found]
    if status := step("these recordings in the index", ["std-index", *replaced]):
        return status
    introduce("what is found now", ["std-search", *listed, "hits.xml"])
    return 0


def options_of(networks: Path) -> list[str]:
    """The options by which the audio was cut; with them the new networks have the same windows.

    Raises:
        StdError: the folder has no settings of std-recognise.
    """
    settings = read_json(networks / SETTINGS)
    texts = ("channels", "language", "backend")
    options = [part for key in texts for part in (f"--{key}", settings[key].text())]
    options += ["--window", str(settings["window_s"].number())]
    return [*options, "--vad" if settings["vad"].value else "--no-vad"]


if __name__ == "__main__":
    sys.exit(main())
