"""Markdown of pages: links, cells of tables, text of docstrings, markers of the tests."""

import re
import textwrap
from collections.abc import Callable, Iterator

FENCE = re.compile(r"^ {0,3}(```+|~~~+)")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
MARKER = re.compile(r"^<!-- (?:not run|background|file):.*-->\n", re.MULTILINE)  # for the tests


def with_links(text: str, target_of: Callable[[str], str | None]) -> str:
    """Replace the targets of links; where there is none, the words of the link stay.

    Links in code are left alone.
    """

    def replaced(link: re.Match[str]) -> str:
        image, words, target = link.groups()
        new = target_of(target)
        return words if new is None else f"{image}[{words}]({new})"

    return "".join(
        part if is_code else LINK.sub(replaced, part) for part, is_code in _code_or_not(text)
    )


def _code_or_not(text: str) -> Iterator[tuple[str, bool]]:
    """The parts of a page, and whether each is a fenced or indented block of code."""
    fence, after_blank, in_indented = "", True, False
    for line in text.splitlines(keepends=True):
        mark = FENCE.match(line)
        if fence:
            yield line, True
            if mark and mark[1].startswith(fence):
                fence = ""
            continue
        if mark:
            fence = mark[1]
            yield line, True
            continue
        in_indented = line.startswith("    ") and (after_blank or in_indented)
        yield line, in_indented
        after_blank = not line.strip()


def without_markers(text: str) -> str:
    """A page without the comments that tell the tests how to run its blocks."""
    return MARKER.sub("", text)


def cell(text: str) -> str:
    """Text as a cell of a table."""
    return plain(text).replace("|", "\\|").replace("\n", " ")


def plain(text: str) -> str:
    """Text of which Markdown makes nothing else; code in single or double backticks stays code."""
    parts = re.split(r"(``.+?``|`[^`]*`)", text)
    return "".join(
        f"`{part.strip('`')}`" if part.startswith("`") else re.sub(r"([*_<\[\]#\\])", r"\\\1", part)
        for part in parts
    )


def prose(text: str) -> str:
    """A docstring, a help text: paragraphs stay, indented blocks become code."""
    parts: list[str] = []
    paragraph: list[str] = []
    code: list[str] = []
    for line in [*text.strip("\n").splitlines(), ""]:
        if line.startswith(" ") or (code and not line.strip()):
            code.append(line)
            continue
        if code:
            parts += [_paragraph(paragraph), _dedented(code)]
            paragraph, code = [], []
        if line.strip():
            paragraph.append(line)
        else:
            parts.append(_paragraph(paragraph))
            paragraph = []
    parts += [_paragraph(paragraph), _dedented(code)]
    return "\n\n".join(part for part in parts if part)


def _paragraph(lines: list[str]) -> str:
    return plain("\n".join(lines)).replace("::", ":")


def _dedented(lines: list[str]) -> str:
    code = textwrap.dedent("\n".join(lines)).strip("\n")
    language = "python" if code.startswith(("from ", "import ", ">>> ")) else "text"
    return fenced(code, language) if code else ""


def fenced(code: str, language: str = "text") -> str:
    """A block of code."""
    ticks = "````" if "```" in code else "```"
    return f"{ticks}{language}\n{code}\n{ticks}"
