"""Query by example on the command line: the examples and their frames.

has_examples     whether the command line has examples
single_term      --like, --query-audio: examples of one term
listed_terms     --examples: a table of terms and examples
examples_beside  --examples beside --terms or --queries: examples of these
comparing        the workers that compare them

The command std-recognise converts audio to frames in a separate process, so searching needs no
recogniser.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from std.command import warn
from std.errors import NONE, ConfigError, InputError, StdError, Unquoted, cut, named
from std.numbers import counted

if TYPE_CHECKING:
    from searcher import ExampleTerm
    from std.execution.workers import Executor
    from std.spoken_queries import SpokenQueries
    from std.values import TermList

SOUND = ".sound"
COLUMNS = ("term", "example")
_STRETCH = re.compile(r"(?P<path>.+)(?P<stretch>@\d+(\.\d+)?-\d+(\.\d+)?)")


def has_examples(args: argparse.Namespace) -> bool:
    """Whether terms are searched by examples."""
    return bool(args.like or args.query_audio or args.examples)


@contextmanager
def single_term(args: argparse.Namespace) -> Iterator["ExampleTerm"]:
    """The examples of the command line, as those of one term.

    Raises:
        StdError: audio cannot be encoded.
    """
    from searcher import ExampleTerm
    from std.values import Term

    with ExitStack() as folders:
        stretches = [_as_frames(str(path), args, folders) for path in args.query_audio]
        names = (*args.like, *(path.name for path in args.query_audio))
        term = Term("TERM-1", args.term[0] if args.term else names[0])
        yield ExampleTerm(term, (*args.like, *stretches), names)


def listed_terms(args: argparse.Namespace) -> "tuple[list[ExampleTerm], TermList]":
    """Read --examples: CSV, TSV or a workbook; rows of one term are its examples.

    Raises:
        InputError: the table lacks a column, or has no row.
    """
    from searcher import ExampleTerm
    from std.values import Term, TermList

    examples = {term: texts for term, (_, texts) in _table(args.examples).items()}
    terms = [Term(f"TERM-{i}", text) for i, text in enumerate(examples, start=1)]
    found = [ExampleTerm(term, tuple(examples[term.text])) for term in terms]
    return found, TermList(tuple(terms), ecf_filename=args.ecf.name if args.ecf else "")


def examples_beside(
    args: argparse.Namespace, terms: "TermList", spoken: "SpokenQueries | None"
) -> "list[ExampleTerm]":
    """Read --examples of terms that are searched by their words, too.

    Raises:
        InputError: a table has another term; a folder has no sound of the queries.
    """
    from searcher import ExampleTerm
    from std.sound.files import sounds_of

    path = args.examples
    if spoken and path.is_dir():
        pairs = [(query.term, sounds_of(query.stretches, path)) for query in spoken.queries]
        found = [ExampleTerm(term, sounds) for term, sounds in pairs if sounds]
        if not found:
            is_old = not any(query.stretches for query in spoken.queries)
            again = "; std-index --queries-to of this version says where they are" if is_old else ""
            raise InputError(path, 0, f"NAME{SOUND} of the queries", Unquoted(f"none{again}"))
        if without := [term.term_id for term, sounds in pairs if not sounds]:
            many = f"{counted(len(without), 'query')} ({cut(without[0])})"
            warn("std-search", f"{many} without sound in {named(path)}: searched by words alone")
        return found
    of_name = {term.text: term for term in reversed(terms.terms)}
    of_name |= {term.term_id: term for term in terms.terms}
    examples: dict[str, list[str]] = {}  # by id
    for name, (line, texts) in _table(path).items():
        if name not in of_name:
            known = named(args.queries or args.terms)
            raise InputError(path, line, f"the id or the text of a term of {known}", name)
        examples.setdefault(of_name[name].term_id, []).extend(texts)
    return [ExampleTerm(of_name[one], tuple(texts)) for one, texts in examples.items()]


def _table(path: Path) -> dict[str, tuple[int, list[str]]]:
    """The examples of each term in a table, and the line of the first."""
    from std.files import content_of, read
    from std.tables import read_table

    content = read(content_of, path)
    table = read_table(content, path, lambda name: name.casefold() in COLUMNS)
    names = [name.casefold() for name in table.columns]
    if not set(COLUMNS) <= set(names):
        got = ", ".join(table.columns)
        raise InputError(path, table.line, "columns term and example", got)
    places = [names.index(name) for name in COLUMNS]
    examples: dict[str, tuple[int, list[str]]] = {}
    for line, fields in table.rows:
        term, example = (fields[place].strip() for place in places)
        if not (term and example):
            raise InputError(path, line, "a term and an example", ", ".join(fields))
        examples.setdefault(term, (line, []))[1].append(example)
    if not examples:
        raise InputError(path, 0, "at least one example", NONE)
    return examples


@contextmanager
def comparing(args: argparse.Namespace) -> Iterator["Executor"]:
    """What compares examples: a cluster, or as many threads as ``--jobs``; 1: on all cores."""
    from std.execution.processes import cluster
    from std.execution.workers import IN_PROCESS, Threads

    if args.scheduler is not None:
        with cluster(args.scheduler) as workers:
            yield workers
    else:
        yield Threads(args.jobs) if args.jobs > 1 else IN_PROCESS


def _as_frames(given: str, args: argparse.Namespace, folders: ExitStack) -> str:
    """A file of frames or a stretch of it, given directly or made from given audio."""
    match = _STRETCH.fullmatch(given)
    path, stretch = (Path(match["path"]), match["stretch"]) if match else (Path(given), "")
    if path.suffix == SOUND:
        return given
    if not args.encoder:
        raise ConfigError(
            f"--query-audio {path}: expected --encoder MODEL beside audio, the one of the index's "
            f"sound, or a file of frames (NAME{SOUND})"
        )
    if not path.is_file():
        got = "a folder, a pipe or a device" if path.exists() else "nothing of that name"
        raise InputError(path, 0, "an audio file", Unquoted(got))
    folder = folders.enter_context(TemporaryDirectory(prefix="std-example-"))
    command = [
        *(sys.executable, "-m", "recogniser.cli", str(path.absolute())),
        *("--output", folder, "--sound-only", "--encoder", args.encoder, "--quiet"),
    ]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    found = sorted(Path(folder).glob(f"*{SOUND}"))
    if done.returncode or not found:
        said = (done.stderr.strip() or f"exit status {done.returncode}").splitlines()[-1]
        raise StdError(cut(said.removeprefix("std-recognise: "), 400))
    return f"{found[0]}{stretch}"
