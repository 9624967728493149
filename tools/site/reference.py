"""Reference pages that are made from the code: commands, configuration, Python interfaces.

    command_pages        a page for each command, from its argument parser
    configuration_page   keys, types and ranges of `std.config.Config`; the meaning of a key is its
                         comment in `configs/default.toml` (a test holds the two together)
    python_pages         what each package names in `__all__`; Sphinx's autodoc and napoleon render
                         signatures and docstrings

`tools.site.rest` makes the page of the REST API.
"""

import argparse
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from std.config import Config
from std.ranges import ranges
from tools.parsers import parsers, subcommands
from tools.site.markdown import cell, fenced, plain, prose


def command_pages() -> Mapping[str, str]:
    """A page for each command, and the list that follows the words of `command-line`.

    By address below ``reference/``.
    """
    found = parsers()
    about = {name: plain(parser.description or "") for name, parser in found.items()}
    return {
        "command-line": _listed("command-line", about),
        **{f"command-line/{name}": command_page(parser) for name, parser in found.items()},
    }


def _listed(folder: str, about: Mapping[str, str]) -> str:
    """A list of the pages in a folder, with what they are about; the navigation has them, too."""
    lines = ["", *(f"* [`{name}`]({folder}/{name}.md): {text}" for name, text in about.items())]
    pages = [f"{folder}/{name}" for name in about]
    return "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *pages, "```"]) + "\n"


def command_page(parser: argparse.ArgumentParser) -> str:
    """A command: what it does, usage, arguments by group, examples."""
    parts = [f"# {parser.prog}", plain(parser.description or "")]
    parts.append(fenced(_usage(parser)))
    parts += _groups(parser)
    for command in subcommands(parser).values():
        parts += [f"## {command.prog}", plain(command.description or ""), fenced(_usage(command))]
        parts += _groups(command, level=3)
        parts.append(prose(command.epilog or ""))
    if parser.epilog:
        parts += ["## Examples and exit status", prose(parser.epilog)]
    return "\n\n".join(parts) + "\n"


def _groups(parser: argparse.ArgumentParser, level: int = 2) -> Iterator[str]:
    """The arguments of a command, by group, below titles of this level."""
    for group in parser._action_groups:
        actions = [
            action for action in group._group_actions
            if action.help != argparse.SUPPRESS
            and not isinstance(action, argparse._SubParsersAction)
        ]  # fmt: skip
        if not actions:
            continue
        yield f"{'#' * level} {(group.title or 'options').capitalize()}"
        if group.description:
            yield plain(group.description)
        yield from _definitions(parser, actions)


def _usage(parser: argparse.ArgumentParser) -> str:
    usage = parser.format_usage().strip()
    return usage.removeprefix("usage: ")


def _definitions(parser: argparse.ArgumentParser, actions: list[argparse.Action]) -> Iterator[str]:
    formatter = parser._get_formatter()
    for action in actions:
        names = formatter._format_action_invocation(action)
        text = formatter._expand_help(action) if action.help else ""
        needed = " (required)" if action.required and action.option_strings else ""
        yield f"`{names}`{needed}\n: {plain(text) or '.'}"


KEY = re.compile(r"^(\w+) = .*?#\s*(.*)$")


def configuration_page(root: Path) -> str:
    """A table for each section, to follow the page's own words."""
    meanings = comments((root / "configs" / "default.toml").read_text())
    parts = [""]
    hints = get_type_hints(Config)
    for section in fields(Config):
        kind = hints[section.name]
        about = meanings.get((section.name, ""), "")
        parts.append(f"## [{section.name}]\n" + (f"\n{plain(about)}\n" if about else ""))
        rows = ["| key | default | values | meaning |", "|---|---|---|---|"]
        spans = ranges(kind)
        for key in fields(kind):
            values = _values(get_type_hints(kind)[key.name], spans.get(key.name))
            meaning = meanings.get((section.name, key.name), "").removeprefix(f"{values}; ")
            shown = f"`{_toml(_default(key))}`"
            rows.append(f"| `{key.name}` | {shown} | {cell(values)} | {cell(meaning)} |")
        parts.append("\n".join(rows) + "\n")
    return "\n".join(parts)


def comments(toml: str) -> dict[tuple[str, str], str]:
    """The comment of each (section, key); of a section itself, the key is empty."""
    found: dict[tuple[str, str], str] = {}
    section, place = "", None
    for line in toml.splitlines():
        if header := re.match(r"^\[(\w+)\]\s*(?:#\s*(.*))?$", line):
            section, place = header[1], (header[1], "")
            found[place] = header[2] or ""
        elif key := KEY.match(line):
            place = (section, key[1])
            found[place] = key[2]
        elif place and (more := re.match(r"^\s+#\s*(.*)$", line)):
            found[place] += f" {more[1]}"
        else:
            place = None
    return found


def _default(key: Any) -> Any:
    return key.default if key.default is not MISSING else key.default_factory()


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _values(hint: Any, span: Any) -> str:
    """What a key may be, in words."""
    if span is not None:
        return str(span)
    choices = get_args(hint)
    if get_origin(hint) is Literal:
        return ", ".join(map(str, choices))
    if get_origin(hint) is tuple:
        return f"list of: {_values(choices[0], None)}"
    return "true, false" if hint is bool else "text"


OPTIONS = ("members:", "imported-members:", "inherited-members: object, tuple, BaseException")
PACKAGES = (
    "spoken_terms",
    "indexer",
    "searcher",
    "scoring",
    "scoring.discovery",
    "recogniser",
    "service",
    "std",
)


def python_pages() -> Mapping[str, str]:
    """A page for each package, and the list that follows the words of `python`.

    By address below ``reference/``.
    """
    docs = {name: importlib.import_module(name).__doc__ or "" for name in PACKAGES}
    about = {name: doc.partition("\n")[0] for name, doc in docs.items()}
    return {
        "python": _listed("python", about),
        **{f"python/{name}": package_page(name) for name in PACKAGES},
    }


def package_page(name: str) -> str:
    """A package: its docstring, then its names; autodoc passes over values without a docstring."""
    package = importlib.import_module(name)
    described = {one: home for one in package.__all__ if (home := home_of(package, one)) != name}
    options = "".join(f"   :{option}\n" for option in OPTIONS)
    if described:
        options += f"   :exclude-members: {', '.join(described)}\n"
    directives = [f".. automodule:: {name}\n{options}"]
    for attribute in package.__all__:
        value = getattr(package, attribute)
        if not (inspect.isclass(value) or inspect.isroutine(value)):
            keys = f", with the keys {', '.join(value)}" if isinstance(value, Mapping) else ""
            about = f"   :module: {name}\n\n   A {type(value).__name__}{keys}."
            directives.append(f".. py:data:: {attribute}\n{about}")
    also = "".join(f"* `{one}`: see [{home}]({home}.md)\n" for one, home in described.items())
    return f"# {name}\n\n{prose(package.__doc__ or '')}\n\n{also}\n" + "\n".join(
        f"```{{eval-rst}}\n{directive}\n```\n" for directive in directives
    )


def home_of(package: ModuleType, name: str) -> str:
    """The package whose page describes a name that this one offers."""
    module = getattr(getattr(package, name), "__module__", package.__name__)
    return module.partition(".")[0] if package.__name__ == "spoken_terms" else package.__name__
