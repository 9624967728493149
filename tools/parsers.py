"""The argument parsers of all commands, for what is made from them: manual pages, the site."""

import argparse
import importlib

from spoken_terms.start import COMMANDS


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command, which writes its usage without colours."""
    found = {}
    for command, module in COMMANDS.items():
        parser: argparse.ArgumentParser = importlib.import_module(module).parser()
        parser.color = False  # type: ignore[attr-defined]  # of Python 3.14
        found[command] = parser
    return found
