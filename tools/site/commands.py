"""Reference of the commands, from their own argument parsers."""

import argparse
from collections.abc import Iterator, Mapping

from tools.parsers import parsers, subcommands
from tools.site.markdown import fenced, plain, prose


def pages() -> Mapping[str, str]:
    """A page for each command, and the list that follows the words of `command-line`.

    By address below ``reference/``.
    """
    found = parsers()
    lines = [""]
    lines += [
        f"* [`{name}`](command-line/{name}.md): {plain(parser.description or '')}"
        for name, parser in found.items()
    ]
    lines += [
        "",
        "```{toctree}",
        ":hidden:",
        "",
        *(f"command-line/{name}" for name in found),
        "```",
    ]
    made = {"command-line": "\n".join(lines) + "\n"}
    return made | {f"command-line/{name}": page(parser) for name, parser in found.items()}


def page(parser: argparse.ArgumentParser) -> str:
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
