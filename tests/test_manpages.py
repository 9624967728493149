"""Manual pages from the parsers: every option is there, and roff has nothing to complain about."""

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from spoken_terms.start import ALIASES, COMMANDS
from tools.parsers import parsers, subcommands

ROOT = Path(__file__).parent.parent
SPEC = importlib.util.spec_from_file_location("manpages", ROOT / "tools" / "manpages.py")
manpages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(manpages)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("man")
    manpages.main(str(target))
    return target


def test_every_command_has_a_page(folder):
    assert {path.name for path in folder.iterdir()} == {
        f"{one}.1" for one in (*COMMANDS, *ALIASES)
    } | {"std.7"}


def test_pages_are_made_where_nothing_is_installed(folder, tmp_path):
    """A wheel is built in a separate environment, which has no package of ours."""
    code = f"import sys; sys.path[:0] = {[str(ROOT), str(ROOT / 'tools')]!r}; import manpages"
    subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{code}; manpages.main({str(tmp_path)!r})"], check=True
    )
    made = {path.name: path.read_text() for path in folder.iterdir()}
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == made


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_on_the_page(command, folder):
    parser = parsers()[command]
    text = (folder / f"{command}.1").read_text().replace("\\-", "-")
    for one in (parser, *subcommands(parser).values()):
        assert one is parser or f".SS {one.prog}\n" in text
        for action in one._actions:
            if action.help == argparse.SUPPRESS:
                continue
            names = ", ".join(action.option_strings) or str(action.metavar or action.dest)
            shown = re.search(rf"^\\f[BI]{re.escape(names)}\\fR", text, re.MULTILINE)
            assert shown or names == "COMMAND", names
    assert f"  {command} " in text.split(".SH EXAMPLE")[1]
    assert "{" not in text.split(".SH SYNOPSIS")[0]


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
@pytest.mark.parametrize("page", [*(f"{one}.1" for one in COMMANDS), "std.7"])
def test_roff_does_not_complain(page, folder):
    line = ["groff", "-man", "-Tutf8", "-ww", "-z", str(folder / page)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not shutil.which("mandoc"), reason="mandoc is not installed")
@pytest.mark.parametrize("page", [*(f"{one}.1" for one in COMMANDS), "std.7"])
def test_mandoc_finds_no_errors(page, folder):
    line = ["mandoc", "-T", "lint", "-W", "error", str(folder / page)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(not shutil.which("groff"), reason="groff is not installed")
def test_what_a_person_reads(folder):
    line = ["groff", "-man", "-Tascii", "-P-cbou", str(folder / "std-search.1")]
    shown = subprocess.run(line, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "std-search - find spoken terms in an index made by std-index" in shown
    assert re.search(r"--set KEY=VALUE\n +set +a +key +of +the +configuration", shown)
    assert "--where 'date >= 2024-01 and speaker = \"Ada\"' haushalt" in shown


@pytest.mark.parametrize(("text", "roff"), [
    (".x", "\\&.x"), ("'x", "\\(aqx"), ("a\n.b", "a\n\\&.b"), ("a-b\\n", "a\\-b\\en"),
    ("~", "\\(ti"),
])  # fmt: skip
def test_text_is_no_request(text, roff):
    assert manpages.escaped(text) == roff
