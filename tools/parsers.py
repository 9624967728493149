"""The argument parsers of all commands, for what is made from them: manual pages, the site."""

import argparse
import importlib
from collections.abc import Mapping

from spoken_terms.start import COMMANDS


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, which writes its usage without colours."""
    found = {}
    for command, module in COMMANDS.items():
        parser: argparse.ArgumentParser = importlib.import_module(module).parser()
        for one in (parser, *subcommands(parser).values()):
            one.color = False  # type: ignore[attr-defined]  # of Python 3.14
        found[command] = parser
    return found


def subcommands(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    """The parsers of a command's subcommands, by their names; empty if it has none."""
    for action in parser._actions:  # argparse has no public way
        if isinstance(action, argparse._SubParsersAction):
            return dict(action.choices)
    return {}
