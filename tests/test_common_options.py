"""What every command has: --version, completion in a shell, progress that can be turned off."""

import argparse
import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import indexer.cli
import searcher.commands.search
import std
import std.config_cli
from indexer import index_files
from spoken_terms.start import COMMANDS
from tools.parsers import parsers, subcommands

ROOT = Path(__file__).parent.parent
WITH_PROGRESS = {"std-recognise", "std-index", "std-search", "std-tune", "std-score"}
WITH_PROGRESS |= {"std-discover", "std-discovery"}
WITH_ROWS = {"std-index", "std-search", "std-tune", "std-score", "std-discovery"}
WITH_ROWS |= {"std-discover", "std-config"}


def main_of(command):
    return importlib.import_module(COMMANDS[command]).main


def parser_of(command):
    return importlib.import_module(COMMANDS[command]).parser()


@pytest.mark.parametrize("command", COMMANDS)
def test_version(command, capsys):
    with pytest.raises(SystemExit) as end:
        main_of(command)(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"{command} {std.__version__}\n"


@pytest.mark.parametrize(
    "line",
    [
        "std-recognise a --output o b --sound --quiet -- -c",
        "std-index --store s a --quiet b -- -c",
        "std-search a --store s b --fuse -- -c",
        "std-score --resources r --table terms a --reference f b -- -c",
        "std-config show --changed a b --set -1 -- -c",
    ],
)
def test_arguments_may_stand_between_options(line):
    command, *rest = line.split()
    parser = parser_of(command)
    dest = [one.dest for one in parser._actions if not one.option_strings][-1]
    assert [*map(str, getattr(parser.parse_args(rest), dest))] == ["a", "b", "-c"]


@pytest.mark.parametrize("command", COMMANDS)
def test_options_have_one_meaning_everywhere(command):
    options = {
        name: action for action in parser_of(command)._actions for name in action.option_strings
    }
    assert ("--progress" in options) == (command in WITH_PROGRESS)
    forms = {"--nl", "--csv", "--fmt"}
    assert forms & {*options} == (forms if command in WITH_ROWS else set())
    assert ("--set" in options) == ("--config" in options)
    others = ("std-serve", "std-store", "std-demo", "std-listen-again")
    assert ("--json" in options) == (command not in others)
    others = {
        name: action
        for other in COMMANDS
        for action in parser_of(other)._actions
        for name in action.option_strings
    }
    for name in ("--progress", "--nl", "--csv", "--fmt", "--set", "--scheduler", "--store"):
        if name in options:
            assert options[name].help == others[name].help or name == "--store"


MOST_SHOWN = 18  # options on the first screen of a help
HELPS = [
    (name, parser)
    for command, whole in parsers().items()
    for name, parser in {
        command: whole,
        **{one.prog: one for one in subcommands(whole).values()},
    }.items()
]


@pytest.mark.parametrize(("name", "parser"), HELPS, ids=[name for name, _ in HELPS])
def test_a_help_fits_a_screen_and_names_the_rest(name, parser):
    shown = re.findall(r"^  (-[^\s,]+)", parser.format_help(), re.MULTILINE)
    assert len(shown) <= MOST_SHOWN
    everything = parser.format_help_all()
    options = [
        action.option_strings[0]
        for action in parser._actions
        if action.option_strings and action.help != argparse.SUPPRESS
    ]
    assert sorted(re.findall(r"^  (-[^\s,]+)", everything, re.MULTILINE)) == sorted(options)
    more = " ".join(
        parser.format_help().partition("more with --help-all: ")[2].split("\n\n")[0].split()
    )
    assert len(shown) + sum(map(int, re.findall(r"\((\d+)\)(?:;|$)", more))) == len(options)
    assert ("--help-all" in options) == (len(shown) < len(options))


@pytest.mark.parametrize(("name", "parser"), HELPS, ids=[name for name, _ in HELPS])
@pytest.mark.parametrize("columns", [40, 80])
def test_prose_of_a_help_fits_the_terminal(name, parser, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    for text in (parser.format_help(), parser.format_help_all()):
        after_options = text.partition("\nexample")[2]
        lines = text.splitlines()
        prose = [line for line in lines if not line.startswith("  ") and line[-1:] != ":"]
        assert [line for line in prose if len(line) > columns] == []
        assert after_options.splitlines()[1].startswith(f"  {name}")  # as written, to be copied


@pytest.mark.parametrize("command", COMMANDS)
def test_usage_names_the_options_that_the_help_lists(command, capsys):
    usages = []
    for option in ("--help", "--help-all"):
        with pytest.raises(SystemExit):
            main_of(command)([option])
        out, _ = capsys.readouterr()
        usage, _, rest = out.partition("\n\n")
        usages.append(usage)
        listed = re.findall(r"^  (--[\w-]+)(?:, (--no-[\w-]+))?", rest, re.MULTILINE)
        named = re.findall(r"(?<=\[)--[\w-]+|(?<=[\s|])--[\w-]+", usage)
        assert {*named} == {name for names in listed for name in names if name}
    positional = [one for one in parser_of(command)._actions if not one.option_strings]
    assert all(str(one.metavar) in usage for one in positional for usage in usages)


@pytest.mark.parametrize("line", ["std-config --help-all", "std-store list x --help-all"])
def test_all_options_may_be_asked_for_where_all_are_shown(line, capsys):
    command, *arguments = line.split()
    with pytest.raises(SystemExit) as end:
        main_of(command)(arguments)
    assert end.value.code == 0
    out, _ = capsys.readouterr()
    assert "--json" in out
    assert "--help-all" not in out


def test_all_options_are_shown_when_asked_for(capsys):
    with pytest.raises(SystemExit) as end:
        main_of("std-index")(["--help-all"])
    assert end.value.code == 0
    out, _ = capsys.readouterr()
    assert "  --lattice-method" in out
    assert "more with" not in out


def completions(command, line):
    """What bash would offer: argcomplete writes it to descriptor 8."""
    reader, writer = os.pipe()
    code = (
        f"import os; os.dup2({writer}, 8); os.dup2(2, 9); "
        f"from {COMMANDS[command].partition(':')[0]} import main; main()"
    )
    environment = {
        **os.environ,
        **{"_ARGCOMPLETE": "1", "_ARGCOMPLETE_IFS": "\n", "_ARGCOMPLETE_SHELL": "bash"},
        **{"COMP_LINE": line, "COMP_POINT": str(len(line)), "COMP_TYPE": "9"},
        "PYTHONPATH": str(ROOT),
    }
    subprocess.run(
        [sys.executable, "-c", code], env=environment, pass_fds=[writer], timeout=120, check=False
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        return {one.strip() for one in stream.read().decode().split("\n")}


@pytest.mark.parametrize(("command", "line", "expected"), [
    ("std-search", "std-search --cli", {"--clips", "--clip-format", "--clip-around"}),
    ("std-search", "std-search --dialect ", {"std2006", "kws2013"}),
    ("std-score", "std-score --boot", {"--bootstrap"}),
    ("std-config", "std-config ", {"show", "list", "path"}),
    ("std-store", "std-store ", {"list", "show", "export", "delete", "rename", "merge", "verify"}),
    ("std-store", "std-store list --w", {"--where"}),
])  # fmt: skip
def test_a_shell_completes(command, line, expected):
    pytest.importorskip("argcomplete")
    assert expected <= completions(command, line)


def test_nothing_is_loaded_for_completion_unless_a_shell_asks():
    code = (
        "import sys\nfrom searcher.commands.search import parser\n"
        "parser().parse_args(['--store', 'x', 'y'])\n"
        "print({'argcomplete', 'tabulate', 'numpy', 'av'} & {*sys.modules})"
    )
    line = [sys.executable, "-c", code]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(line, capture_output=True, text=True, env=environment, check=True)
    assert done.stdout == "set()\n"


@pytest.mark.parametrize(("variable", "coloured"), [("NO_COLOR", False), ("FORCE_COLOR", True)])
def test_messages_are_coloured_where_it_is_allowed(variable, coloured, monkeypatch, capsys):
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(variable, "1")
    head = "\x1b[1;31mstd-config: \x1b[0m" if coloured else "std-config: "
    assert main_of("std-config")(["path", "nothing"]) == 2
    assert capsys.readouterr().err.startswith(head)
    with pytest.raises(SystemExit, match="2"):
        main_of("std-config")(["show", "x\x1b[2J"])
    err = capsys.readouterr().err
    assert err.startswith(head)
    assert "\x1b[2J" not in err
    assert main_of("std-config")(["show", "search", "--fmt", "table"]) == 0
    assert ("\x1b[1m" in capsys.readouterr().out) == coloured


def test_the_help_names_its_forms(capsys):
    with pytest.raises(SystemExit):
        main_of("std-search")(["--help-all"])
    out = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "auto: a bar on a terminal; always: in a log a line every 10 s; never" in out


NETWORKS = str(Path(__file__).parent.parent / "examples" / "german" / "mesh")


@pytest.fixture(scope="module")
def store(german, tmp_path_factory):
    url = str(tmp_path_factory.mktemp("misspelt") / "index")
    index_files(german / "mesh" / "KERSTIN_00.mesh", url)
    return url


@pytest.mark.parametrize(
    ("command", "arguments", "told"),
    [
        (indexer.cli, ["--stroe=x"], "there is no option --stroe; is '--store' meant?"),
        (
            searcher.commands.search,
            ["und", "--limt", "3"],
            "there is no option --limt; is '--limit' meant?",
        ),
        (searcher.commands.search, ["und", "--xyzzy"], "there is no option --xyzzy ("),
        (indexer.cli, ["x", "-j", "2"], "there is no option -j; is --jobs or --json meant?"),
        (indexer.cli, ["x", "--format=kaldi"], "got 'kaldi'; is 'kaldi-lattice' meant?"),
        (
            indexer.cli,
            [NETWORKS, "--replace=KRESTIN_00"],
            "got 'KRESTIN_00'; is 'KERSTIN_00' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--recording=KERSTN"],
            "got 'KERSTN'; is 'KERSTIN_00' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--where=langage=de"],
            "got 'langage'; is 'language' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--set=serach.min_probability=0"],
            "got 'serach'; is 'search' meant?",
        ),
        (
            searcher.commands.search,
            ["und", "--set=search.min_probabilit=0"],
            "is 'min_probability' meant?",
        ),
    ],
)
def test_the_nearest_name_is_asked_for(command, arguments, told, store, capsys):
    try:
        status = command.main([*arguments, "--store", store])
    except SystemExit as end:
        status = end.code
    (line,) = capsys.readouterr().err.splitlines()
    assert status == 2
    assert told in line


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [(["show", "serach"], "search"), (["path", "thesi"], "thesis"), (["show", "xyzzy"], "")],
)
def test_std_config(arguments, meant, capsys):
    assert std.config_cli.main(arguments) == 2
    told = capsys.readouterr().err
    assert f"; is '{meant}' meant?\n" in told if meant else "meant" not in told


@pytest.mark.parametrize(
    ("text", "got"),
    [("<termlist/>", "XML"), ('{"search": {}}', "JSON"), ("<a>" + "x" * 70_000, "XML")],
)
def test_a_configuration_that_is_no_toml(text, got, store, tmp_path, capsys):
    path = tmp_path / "terms.xml"
    path.write_text(text)
    assert searcher.commands.search.main(["und", "--store", store, "--config", str(path)]) == 2
    expected = f"{path}:1: expected a configuration in TOML, got {got!r}\n"
    assert capsys.readouterr().err == f"std-search: {expected}"
