"""Write the manual pages of all commands, from their parsers.

    python tools/manpages.py FOLDER      FOLDER/std-index.1 ...; FOLDER/std.7 names the commands

Needs the standard library only, so that building a wheel can call it (`hatch_build.py`). The pages
use the macros of man(7).
"""

import argparse
import importlib
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
STATUS = "0 done; 2 an error in options or input, in one line"
ENVIRONMENT = """\
.SH ENVIRONMENT
.TP
.B NO_COLOR
not empty: no colours and no bold letters.
.TP
.B FORCE_COLOR
not empty: colours also where the output is no terminal.
.TP
.B TERM
dumb: no colours, and no progress bar.
"""


def main(folder: str) -> int:
    """Write the pages."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (target / name).write_text(text, "utf-8")
    return 0


def pages() -> dict[str, str]:
    """File names and contents of all pages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    parsers = dict(sorted(importlib.import_module("tools.parsers").parsers().items()))
    found = {
        f"{command}.1": page(parser, [other for other in parsers if other != command])
        for command, parser in parsers.items()
    }
    found |= {f"{alias}.1": f".so man1/{of}.1\n" for alias, (of, _) in aliases().items()}
    descriptions = {command: str(parser.description) for command, parser in parsers.items()}
    return found | {"std.7": overview(project["description"], descriptions)}


def aliases() -> dict[str, tuple[str, str]]:
    """Other names of commands: of which command, and with which option."""
    return dict(importlib.import_module("spoken_terms.start").ALIASES)


def version() -> str:
    """The version of the package."""
    return str(importlib.import_module("std").__version__)


def page(parser: argparse.ArgumentParser, others: list[str]) -> str:
    """The page of one command.

    Args:
        parser: of the command.
        others: commands to see also.
    """
    return "".join(
        [
            *head(parser.prog, 1, str(parser.description)),
            ".SH SYNOPSIS\n",
            *synopsis(parser),
            f".SH DESCRIPTION\n{escaped(str(parser.description))}\n",
            *options(parser),
            *subcommands(parser),
            *epilog(str(parser.epilog)),
            ENVIRONMENT,
            ".SH SEE ALSO\n",
            ",\n".join(f".BR {escaped(other)} (1)" for other in others).replace("),\n", ") ,\n"),
            " ,\n.BR std (7)\n",
        ]
    )


def overview(description: str, commands: dict[str, str]) -> str:
    """The page that names the commands."""
    lines = [
        *head("std", 7, description),
        f".SH DESCRIPTION\n{escaped(description)}.\n",
        ".SH COMMANDS\n",
    ]
    for command, about in commands.items():
        lines.append(f".TP\n.BR {escaped(command)} (1)\n{escaped(about)}\n")
    return "".join([*lines, ENVIRONMENT])


def head(name: str, section: int, description: str) -> Iterator[str]:
    """Title and name; the first sentence of the description is what `whatis` shows."""
    yield f'.TH {escaped(name.upper())} {section} "" "spoken-terms {version()}" "User Commands"\n'
    about = re.split(r"[.:] ", description)[0].rstrip(".")
    yield f".SH NAME\n{escaped(name)} \\- {escaped(about[:1].lower() + about[1:])}\n"


def synopsis(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The usage line of argparse; the name bold, the rest as it is."""
    usage = " ".join(parser.format_usage().split()).removeprefix(f"usage: {parser.prog} ")
    yield f".nh\n.ad l\n.B {escaped(parser.prog)}\n{escaped(usage)}\n.ad b\n.hy\n"


def subcommands(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The commands of a command, each with its arguments, options and example."""
    found = importlib.import_module("tools.parsers").subcommands(parser)
    if found:
        yield ".SH COMMANDS\n"
    for command in found.values():
        yield f".SS {escaped(command.prog)}\n{escaped(str(command.description))}\n.PP\n"
        yield from synopsis(command)
        yield from options(command, titles=False)
        yield from (f".PP\n.nf\n{escaped(str(command.epilog))}\n.fi\n",)


def options(parser: argparse.ArgumentParser, *, titles: bool = True) -> Iterator[str]:
    """Arguments and options, by group.

    Args:
        parser: of the command.
        titles: whether the groups have titles; those of subcommands have none.
    """
    formatter = parser.formatter_class(prog=parser.prog)
    for group in parser._action_groups:  # argparse has no public way
        actions = [
            action for action in group._group_actions
            if action.help is not argparse.SUPPRESS
            and not isinstance(action, argparse._SubParsersAction)
        ]  # fmt: skip
        if not actions:
            continue
        if titles:
            yield f".SH {escaped(str(group.title).upper())}\n"
        for action in actions:
            name = ", ".join(action.option_strings)
            value = ""
            if action.nargs != 0:
                default = formatter._get_default_metavar_for_positional(action)
                value = formatter._format_args(action, action.metavar or default)
            if action.option_strings:
                value = value if action.metavar or action.choices else value.upper()
                shown = f"\\fB{escaped(name)}\\fR" + (f" \\fI{escaped(value)}\\fR" if value else "")
            else:
                shown = f"\\fI{escaped(str(action.metavar or action.dest))}\\fR"
            about = formatter._expand_help(action) if action.help else ""
            if action.choices and action.metavar:
                about = about or ", ".join(map(str, action.choices))
            yield f".TP\n{shown}\n{escaped(about) or '(see above)'}\n"


def epilog(text: str) -> Iterator[str]:
    """What help says below the options: indented blocks are examples, the rest is text."""
    status = STATUS
    for block in re.split(r"\n\s*\n", text.strip()):
        first, *rest = block.splitlines()
        if title := re.fullmatch(r"(examples?|--[\w-]+ takes):?", first.strip()):
            yield f".SH {escaped(title[1].upper())}\n.nf\n"
            yield "".join(f"{escaped(line)}\n" for line in rest)
            yield ".fi\n"
        elif first.startswith("exit status: "):
            status = " ".join(block.split()).removeprefix("exit status: ")
        else:
            yield f".PP\n{escaped(' '.join(block.split()))}\n"
    yield f".SH EXIT STATUS\n{escaped(status)}; 130 interrupted.\n"


def escaped(text: str) -> str:
    """A text that roff prints as it is: hyphens stay ASCII, nothing is a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha")
    text = text.replace("~", "\\(ti").replace("`", "\\(ga")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tools/manpages.py FOLDER")
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1]))
