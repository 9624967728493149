"""Blocks of a page that readers run or copy: shell sessions, scripts, Python, small files.

A comment before a block says what the tests do with it:

    <!-- file: NAME -->          the block is the content of this file
    <!-- background: PORT -->    a server: started, and ended with the page
    <!-- background: WORDS -->   the same of a command that prints a line which begins like this
    <!-- not run: REASON -->     cannot run in the tests; its options are checked

Every other block with a command or with Python is run, in the order of the page.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from tools.site.markdown import FENCE

MARKER = re.compile(r"^<!-- (file|background|not run): (.*?) -->$")
COMMAND = re.compile(r"^(?:\$ )?(?:\w+=\S+ )*(std-[a-z]+)(?= |$)")
SHELL = ("console", "bash", "sh")
BEGINS_SHELL = re.compile(
    r"^(?:\$ |\w+=\S+ |std-[a-z]+ |python3? |pip |dask |make |docker |curl |zcat |export )"
)
BEGINS_PYTHON = re.compile(r"^(?:from \w+ import |import \w)")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code.

    Attributes:
        line: of its first line in the page, from 1.
        language: ``console`` (commands after ``$``, and what they print), ``bash``, ``python``,
            or any other word.
        code: its text.
        marker: ``file``, ``background``, ``not run`` or nothing.
        note: of the marker.
    """

    line: int
    language: str
    code: str
    marker: str = ""
    note: str = ""


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a page, fenced or indented, in order."""
    lines = [*text.splitlines(), ""]
    marker, note, n = "", "", 0
    while n < len(lines):
        line = lines[n]
        if found := MARKER.match(line):
            marker, note = found.groups()
            n += 1
            continue
        if fence := FENCE.match(line):
            end = next(m for m in range(n + 1, len(lines)) if lines[m].startswith(fence[1]))
            language = line.strip().strip("`~").strip()
            yield Block(n + 2, language, "\n".join(lines[n + 1 : end]), marker, note)
            marker, note, n = "", "", end + 1
            continue
        if line.startswith("    ") and (n == 0 or not lines[n - 1].strip() or marker):
            end = n
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            code = "\n".join(indented[4:] for indented in lines[n:end]).rstrip()
            yield Block(n + 1, _language(code), code, marker, note)
            marker, note, n = "", "", end
            continue
        if line.strip():
            marker, note = "", ""
        n += 1


def _language(code: str) -> str:
    """The language of an indented block."""
    if BEGINS_PYTHON.match(code):
        return "python"
    if re.search(r"^\$ ", code, re.MULTILINE):
        return "console"
    return "bash" if BEGINS_SHELL.match(code) else ""


def session(code: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with what it prints."""
    command, printed, continues = "", [], False
    for line in code.splitlines():
        if line.startswith("$ "):
            if command:
                yield command, "\n".join(printed)
            command, printed = line[2:], []
        elif continues:
            command += f"\n{line}"
        else:
            printed.append(line)
            continue
        continues = line.endswith("\\")
    if command:
        yield command, "\n".join(printed)


def commands(code: str) -> Iterator[list[str]]:
    """The calls of this project's commands in a block, as lists of arguments.

    A synopsis (``[--json]``, ``HITS...``) is read as a call with everything in it.
    """
    for line in code.replace("\\\n", " ").splitlines():
        for part in re.split(r" \| | && | & |; ", line):
            if found := COMMAND.match(part.strip()):
                call = part.strip()[found.start(1) :]
                if re.search(r" \[--|\.\.\.( |$)", call):
                    call = re.sub(r"\.\.\.|[\[\]]", " ", call)
                call = re.sub(r"\s(?:[12]?>>? ?\S+|< ?\S+|&)(?=\s|$)", " ", call)
                yield shlex.split(call, comments=True)
