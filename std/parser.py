"""A command's arguments: help that fits a screen, subcommands, and one line for an error.

    Parser               of a command, or of a subcommand
    Parser.further       a group of options that only --help-all shows
    Parser.subcommands   the commands of a command, by its first argument

For an option that has moved to another command, the error names this command.
"""

import argparse
import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import groupby, takewhile
from types import MappingProxyType
from typing import Any, NoReturn

import std
from std.command import announce, finished, run
from std.display.progress import set_progress
from std.errors import cut, meant, quoted
from std.terminal import coloured, printable

ABOUT_FILES = """\
Files to read may be compressed with gzip and may be pipes; - is standard input. Files to write may
be devices, pipes and links, which are not replaced; - is standard output.
"""

EMPTY_VALUE = re.compile(r"(--[\w-]+=|-\w)--")  # of an option
OPTION = re.compile(r"--[^\s=]+|-[A-Z]")
DASHED = re.compile(r"-[^-].*", re.DOTALL)  # texts that argparse takes for an option
MISSED = ("unrecognized arguments: ", "the following arguments are required: ")  # argparse's words
MOST_MEANT = 3  # options that begin with a given letter
MAX_USAGE = 1000  # letters of a message about the command line


class HelpAll(argparse.Action):
    """``--help-all``: print the help with all options, and end."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        parser.print_help_all()
        parser.exit()


class HelpText(argparse.RawDescriptionHelpFormatter):
    """Help with prose wrapped to the terminal; indented lines (examples, tables) stay."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        lines: list[str] = []
        for is_prose, group in groupby(text.splitlines(), lambda line: line[:1].strip() != ""):
            here = [*group]
            lines += self._split_lines(" ".join(here), width) if is_prose else here
        return "\n".join(f"{indent}{line}" for line in lines)

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class Parser(argparse.ArgumentParser):
    """Arguments of a command, with one line for an error.

    Args:
        epilog: examples and other text at the end of the help.
        moved: former options of this command, with their replacements.
        settings: the settings of argparse.
    """

    def __init__(
        self, *, epilog: str, moved: Mapping[str, str] = MappingProxyType({}), **settings: Any
    ) -> None:
        super().__init__(formatter_class=HelpText, **settings)
        self._further: list[argparse._ArgumentGroup] = []
        self._moved = moved
        self._given: list[str] = []  # up to --
        self._subcommands: argparse._SubParsersAction[Parser] | None = None
        self._help_all = self.add_argument(  # shown if the command has further options
            "--help-all", action=HelpAll, nargs=0, help=argparse.SUPPRESS
        )
        self.epilog = epilog.rstrip()
        if " " in self.prog:  # a subcommand: the command has version and files
            return
        self.epilog += f"\n\n{ABOUT_FILES}"
        version = f"%(prog)s {std.__version__}"
        self.add_argument(
            "--version", action="version", version=version, help="name and version, nothing else"
        )

    def further(self, title: str) -> "argparse._ArgumentGroup":
        """A group of rare options: ``--help`` names it, ``--help-all`` lists it."""
        self._help_all.help = "show all options"
        group = self.add_argument_group(title)
        self._further.append(group)
        return group

    def subcommands(self) -> "argparse._SubParsersAction[Parser]":
        """The subcommands, chosen by the first argument; ``add_parser`` adds one."""
        self.epilog = str(self.epilog).removesuffix(f"\n\n{ABOUT_FILES}")  # they have files
        self._subcommands = self.add_subparsers(
            dest="subcommand", metavar="COMMAND", required=True, parser_class=Parser,
            title="commands (COMMAND --help explains each)",
        )  # fmt: skip
        return self._subcommands

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse, but ``--`` may be a value.

        The error names an unknown option first, with the nearest known one.
        """
        given = sys.argv[1:] if args is None else [*args]
        for argument in takewhile("--".__ne__, given):
            if self._subcommands and not argument.startswith("-"):
                self._require_subcommand(argument)
                break  # the rest belongs to the subcommand
            if EMPTY_VALUE.fullmatch(argument):
                self.error(f"argument {argument.removesuffix('--').removesuffix('=')}: got '--'")
            name = argument.partition("=")[0]
            if OPTION.fullmatch(name) and not self._begins_an_option(name):
                self._refuse_moved(name)
                near = meant(name, filter(OPTION.fullmatch, self._option_string_actions))
                self.error(f"there is no option {cut(name)}{near}")
        if not self._subcommands:  # else the arguments belong to the subcommand
            given = self._in_order(given)
        self._given = [*takewhile("--".__ne__, given)]
        return super().parse_known_args(given, namespace)

    def _require_subcommand(self, name: str) -> None:
        known = self._subcommands.choices if self._subcommands else ()
        if name not in known:
            near = meant(name, known)
            self.error(f"expected one of {', '.join(known)}, got {quoted(name)}{near}")

    def _refuse_moved(self, name: str) -> None:
        """Name the command of a moved option, also if the option is abbreviated."""
        for option, now in self._moved.items():
            if option == name or (name.startswith("--") and option.startswith(name)):
                head = coloured(f"{self.prog} {option} is now: ", "red", sys.stderr)
                self.exit(2, f"{head}{now}\n")

    def _in_order(self, given: Sequence[str]) -> list[str]:
        """The options and then the arguments, which argparse else expects in one place.

        A value that begins with a dash, as a recording's name, is not an option. If one value of
        an option with several values begins with a dash, all are values.
        """
        options: list[str] = []
        words: list[str] = []
        rest = [*given]
        while rest:
            option = rest.pop(0)
            if option == "--":
                words += rest
                break
            if self._parse_optional(option) is None:
                words.append(option)
                continue
            n = self._n_values(option, rest)
            values, rest = rest[:n], rest[n:]
            if any(value.startswith("-") for value in values):
                options += [f"{option}={value}" for value in values]
            else:
                options += [option, *values]
        return [*options, "--", *words] if words else options

    def _n_values(self, option: str, rest: Sequence[str]) -> int:
        """How many of the next arguments are values of an option."""
        action = self._option(option)
        if action is None or action.nargs not in (None, "?", "+"):
            return 0
        most = len(rest) if action.nargs == "+" else 1
        return sum(1 for _ in takewhile(self._is_value, rest[:most]))

    def _option(self, name: str) -> argparse.Action | None:
        """The option with a name, or the only one that begins so."""
        actions = self._option_string_actions
        if name in actions or not name.startswith("--"):
            return actions.get(name)
        found = [option for option in actions if option.startswith(name)]
        return actions[found[0]] if len(found) == 1 else None

    def _is_value(self, argument: str) -> bool:
        """Whether an argument is a value of the last option; ``-x`` may be one, ``--x`` not.

        No option has a space in its name, so options for another command, in one text, are a value.
        """
        name = argument.partition("=")[0]
        is_option = " " not in name and (
            argument[:2] in self._option_string_actions or argument.startswith("--")
        )
        return not (argument.startswith("-") and is_option)

    def _begins_an_option(self, name: str) -> bool:
        if not name.startswith("--"):
            return name in self._option_string_actions or name not in self._moved
        return any(option.startswith(name) for option in self._option_string_actions)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse; unless --quiet, notices are shown to a person who waits."""
        self._complete()
        return self._watched(super().parse_args(args, namespace))

    def _complete(self) -> None:
        """Complete a command line for a shell and exit; otherwise do nothing."""
        if "_ARGCOMPLETE" in os.environ:  # argcomplete's script asks for completions
            with suppress(ModuleNotFoundError):  # the shell's argcomplete is in another environment
                import argcomplete

                argcomplete.autocomplete(self)

    def _watched(self, given: Any) -> Any:
        """Apply the options of notices and progress; return the parsed line."""
        announce(self.prog, quiet=getattr(given, "quiet", False))
        set_progress(getattr(given, "progress", "auto"))
        return given

    def error(self, message: str) -> NoReturn:
        dashed = next(filter(DASHED.fullmatch, self._given), None)
        if dashed and message.startswith(MISSED):
            begin_alike = [name for name in self._option_string_actions if name[1:3] == dashed]
            if begin_alike:
                meant_names = " or ".join(begin_alike[:MOST_MEANT])
                message = f"there is no option {dashed}; is {meant_names} meant?"
            else:
                message += f"; a name that begins with a dash goes behind --: -- {dashed}"
        head = coloured(f"{self.prog}: ", "red", sys.stderr)
        self.exit(2, f"{head}{printable(cut(message, MAX_USAGE))} (--help explains)\n")

    def format_help(self) -> str:
        """The help without further options; it names their groups."""
        further = [f"{group.title} ({len(group._group_actions)})" for group in self._further]
        more = f"more with --help-all: {'; '.join(further)}" if further else None
        return self._formatted(more, all_options=False)

    def format_help_all(self) -> str:
        return self._formatted(None, all_options=True)

    def _formatted(self, more: str | None, *, all_options: bool) -> str:
        formatter = self._get_formatter()
        formatter.add_text(self.description)
        for group in self._groups(all_options):
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        formatter.add_text(more)
        formatter.add_text(self.epilog)
        return f"{self._usage(all_options)}\n{formatter.format_help()}"

    def _usage(self, all_options: bool) -> str:
        formatter = self._get_formatter()
        actions = [action for group in self._groups(all_options) for action in group._group_actions]
        exclusive = [
            group for group in self._mutually_exclusive_groups
            if all(action in actions for action in group._group_actions)
        ]  # fmt: skip
        formatter.add_usage(self.usage, actions, exclusive)
        return formatter.format_help()

    def _groups(self, all_options: bool) -> "list[argparse._ArgumentGroup]":
        return [one for one in self._action_groups if all_options or one not in self._further]

    def print_help(self, file: Any = None) -> None:
        self._print(self.format_help, file)

    def print_help_all(self) -> None:
        self._print(self.format_help_all, None)

    def _print(self, text: Any, file: Any) -> None:
        def work() -> None:
            print(text(), end="", file=file)  # the help

        if status := run(self.prog, work):
            self.exit(status)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        super().exit(finished(self.prog, status), message)
