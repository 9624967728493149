"""Run the commands of README.md and compare what they print with what the page says.

    python tools/readme.py             name the lines that differ; exit status 1 if any does
    python tools/readme.py --write     put what they print into README.md

A command is an indented line that begins with ``$``; what it prints is what follows, up to the next
command or the end of the indentation. The commands run in order, in a terminal of `WIDTH` columns,
in a folder of their own with the examples in it. Seconds, speeds and memory are those of a machine:
lines that differ in them only are left as they are.
"""

import difflib
import os
import pty
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "README.md"
WIDTH = 140
INDENT = "    "
LONGEST_S = 300
_BLOCK = re.compile(rf"^{INDENT}\S.*\n(?:{INDENT}.*\n|\n(?={INDENT}))*", re.MULTILINE)
_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MACHINE = re.compile(
    r"in [\d.,]+ s \([\d.,]+ s CPU\), [\d,]+ times real time|peak memory [\d.]+ GB"
    r"|(?<=, )[\d.]+ s(?: \([\d.,]+ s CPU\))?(?= ->)"
)
_OF_A_RUN = ("compiling the kernels", "still working (", "━")  # the first, a slow one, progress


def refreshed(page: str) -> str:
    """A page with what its commands print now."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "examples").symlink_to(ROOT / "examples")
        return _BLOCK.sub(lambda block: _block(block[0], Path(name)), page)


def _block(text: str, folder: Path) -> str:
    """A block of indented lines, refreshed if it begins with a command."""
    if not text.startswith(f"{INDENT}$ "):
        return text
    lines: list[str] = []
    for command, before in _commands(text):
        lines += command
        words = " ".join(line.strip().removesuffix("\\") for line in command).removeprefix("$ ")
        lines += _merged(before, [f"{INDENT}{one}".rstrip() for one in printed(words, folder)])
    return "".join(f"{line}\n" for line in lines)


def _commands(text: str) -> Iterator[tuple[list[str], list[str]]]:
    """Each command of a block, over several lines if they end in ``\\``, and what follows it."""
    for part in re.split(rf"^(?={re.escape(INDENT)}\$ )", text, flags=re.MULTILINE)[1:]:
        lines = part.splitlines()
        end = next(i for i, line in enumerate(lines) if not line.endswith("\\")) + 1
        yield lines[:end], lines[end:]


def _merged(before: list[str], now: list[str]) -> list[str]:
    """What is printed now; lines that say the same on another machine stay."""
    known = {_MACHINE.sub("", line): line for line in before}
    return [known.get(_MACHINE.sub("", line), line) for line in now]


def printed(command: str, folder: Path) -> list[str]:
    """The lines that a command prints on a terminal."""
    ours, theirs = pty.openpty()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "NO_COLOR": "1", "TERM": "xterm", "LC_ALL": "C.UTF-8"}
    environment["COLUMNS"] = str(WIDTH)
    with subprocess.Popen(
        command,
        shell=True,  # the page's own commands
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
    ) as process:
        os.close(theirs)
        content = b""
        with suppress(OSError):  # the terminal ends with its last user
            while more := os.read(ours, 1 << 16):
                content += more
        os.close(ours)
        if process.wait(LONGEST_S):
            raise SystemExit(f"README.md: exit status {process.returncode} of: {command}")
    lines = _CONTROLS.sub("", content.decode().replace("\r\n", "\n")).split("\n")
    shown = [line.rstrip("\r").rpartition("\r")[2] for line in lines]
    while shown and not shown[-1].strip():
        shown.pop()
    return [line for line in shown if not any(one in line for one in _OF_A_RUN)]


def main(arguments: list[str]) -> int:
    """See above."""
    before = PAGE.read_text("utf-8")
    now = refreshed(before)
    if "--write" in arguments:
        PAGE.write_text(now, "utf-8")
        return 0
    sys.stdout.writelines(
        difflib.unified_diff(
            before.splitlines(keepends=True), now.splitlines(keepends=True), "README.md", "printed"
        )
    )
    return int(before != now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
