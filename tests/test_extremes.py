"""Extreme options, streams and texts: one line and status 2 from every command, or a result."""

import os
import shlex
import subprocess
import sys

import pytest

import indexer.cli
import scoring.cli
import scoring.discovery.cli
import searcher.commands.discover
import searcher.commands.search
import searcher.commands.tune

COMMANDS = {
    "std-index": indexer.cli,
    "std-search": searcher.commands.search,
    "std-tune": searcher.commands.tune,
    "std-discover": searcher.commands.discover,
    "std-score": scoring.cli,
    "std-discovery": scoring.discovery.cli,
}
OPTIONS = [
    (command, action.option_strings[0])
    for command, module in COMMANDS.items()
    for action in module.parser()._actions
    if getattr(action.type, "__qualname__", "") == "number.<locals>.read"
]
# Outside every range there is, and what `int` and `float` read as numbers though nobody means one.
NO_NUMBER = [
    *("nan", "inf", "-inf", "1e400", "-1e308", "1" + "0" * 400, "9" * 5000, "-9" + "0" * 30),
    *("", "x", "true", "[]", "0x10", "1_0", "५", "1e", ".", "1,5", "\x1b[2J", "\udcff", "--"),
]


def parsed(command, argument, capsys):
    """The message of a command line that is refused."""
    with pytest.raises(SystemExit) as end:
        COMMANDS[command].parser().parse_args([argument])
    assert end.value.code == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert len(err) < 300
    assert "\x1b" not in err
    return err


def test_no_option_takes_any_number():
    assert len(OPTIONS) >= 21
    for module in COMMANDS.values():
        kinds = {action.type for action in module.parser()._actions}
        assert not kinds & {int, float, complex}


@pytest.mark.parametrize(("command", "option"), OPTIONS)
def test_a_number_out_of_range_is_one_line(command, option, capsys):
    for value in NO_NUMBER:
        glue = "=" if option.startswith("--") else ""
        err = parsed(command, f"{option}{glue}{value}", capsys)
        assert err.startswith(f"{command}: argument {option}")


@pytest.mark.parametrize("argument", ["--store=--", "--terms=--", "--limit=--"])
def test_two_hyphens_are_no_value(argument, capsys):
    assert "got '--'" in parsed("std-search", argument, capsys)


def test_two_hyphens_end_the_options():
    args = searcher.commands.search.parser().parse_args(["--store=x", "--", "--limit=--", "b"])
    assert args.term == ["--limit=--", "b"]


@pytest.mark.parametrize("argument", ["a\0", "\udcff", "\ufffe", "\x1b[2J"])
def test_terms_and_names_are_text(argument, capsys):
    for given in (argument, f"--system-id={argument}"):
        err = parsed("std-search", given, capsys)
        assert "expected UTF-8 text without control characters" in err


def test_a_long_argument_is_cut(capsys):
    assert "there is no option --xxx" in parsed_long("--" + "x" * 100_000, capsys)


def parsed_long(argument, capsys):
    with pytest.raises(SystemExit):
        searcher.commands.search.parser().parse_args(["--store=x", "term", argument])
    err = capsys.readouterr().err
    assert len(err) < 2000
    return err


# What happens around a command's work, without the second that most commands take to begin.
WORK = """
import sys
from std.command import run, warn
from std.errors import StdError
def work():
    warn("std-x", "odd")
    if "fail" in sys.argv:
        raise StdError("no")
    print("result" * 9999, end="")
sys.exit(run("std-x", work))
"""
CLOSED = "std-x: stdout: expected an open file or pipe, got a closed one\n"
FULL = "std-x: standard output: No space left on device\n"
CUT = "std-x: standard output: File too large\n"  # a limit stands for a disk
ODD = "std-x: warning: odd\n"
STREAMS = [
    # how the shell starts it, status, what is on stderr where that is kept
    ("{} >&-", 2, CLOSED),
    ("{} >&- 2>&-", 2, ""),
    ("{} >/dev/null 2>&-", 0, ""),
    ("{} <&- >/dev/null", 0, ODD),
    ("{} <&- >&- 2>&-", 2, ""),
    ("{} >/dev/full", 2, ODD + FULL),
    ("{} >/dev/full 2>/dev/full", 2, ""),
    # A part fits. Modules that Python compiles would be cut, too.
    ("export PYTHONDONTWRITEBYTECODE=1; cd $(mktemp -d); ulimit -f 1; {} >file", 2, ODD + CUT),
    ("{} >/dev/null 2>/dev/full", 0, ""),
    ("{} fail >/dev/full 2>/dev/full", 2, ""),
    ("{} fail >/dev/full", 2, ODD + "std-x: no\n"),
    ("{} 2>/dev/null | head -c 0; exit ${{PIPESTATUS[0]}}", 0, ""),
    ("{} 2>&1 >/dev/null | head -c 0; exit ${{PIPESTATUS[0]}}", 0, ""),
]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize(("line", "status", "message"), STREAMS)
def test_closed_and_full_streams(line, status, message, unbuffered, monkeypatch):
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    command = line.format(f"{shlex.quote(sys.executable)} -c '{WORK.replace(chr(39), chr(34))}'")
    done = subprocess.run(
        ["bash", "-c", command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False
    )
    assert (done.returncode, done.stderr.decode()) == (status, message)


@pytest.mark.parametrize("stdout", [">&-", ">/dev/full"])
def test_help_that_nobody_can_read_is_one_line(stdout):
    command = f"{shlex.quote(sys.executable)} -m searcher.commands.search --help {stdout}"
    done = subprocess.run(["bash", "-c", command], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("std-search: ")
    assert done.stderr.count("\n") == 1


def test_letters_that_a_terminal_cannot_show_are_escaped(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    work = "from std.command import run; run('x', lambda: print('\\u00f6\\udcff'))"
    done = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=True)
    assert done.stdout == "\\xf6\\udcff\n"


def test_a_table_for_a_reader_who_went_away():
    """Status 1 would mean something else."""
    work = "import sys; from std.command import run; from std.display import rows; "
    work += "sys.exit(run('x', lambda: rows.print_columns([rows.PrintedColumn('a')], [['b']])))"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", work], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")
