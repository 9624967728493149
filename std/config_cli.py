"""std-config: shows the values of the configuration, and where each value comes from."""

import argparse
import sys
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from std.command import print_json, run, text_argument
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.display.tables import print_table
from std.errors import StdError, quoted
from std.nearest import meant
from std.options import add_config_options, add_row_options
from std.parser import Parser

if TYPE_CHECKING:
    from std.config_origin import ShippedConfig

COMMAND = "std-config"
EXAMPLE = """\
examples:
  std-config show
  std-config show --config my.toml --set search.min_score=0.1
  std-config show decision --changed --json
  std-config list
  std-search --store INDEX --config "$(std-config path plain)" rathaus

exit status: 0 done, 2 a mistake that you can correct, said in one line
"""


def parser() -> argparse.ArgumentParser:
    """Build the argument parser."""
    parse = Parser(
        prog=COMMAND,
        description="Show the configuration: every key with its value, its default and where the "
        "value comes from; list the configurations that are shipped.",
        epilog=EXAMPLE,
    )
    parse.add_argument(
        "action",
        choices=("show", "list", "path"),
        metavar="show|list|path",
        help="show: all keys, or those named; list: shipped configurations; path: of one of them",
    )
    parse.add_argument(
        "name",
        nargs="*",
        type=text_argument,
        metavar="NAME",
        help="show: sections or keys, as search or search.min_score; path: of a configuration",
    )
    add_config_options(parse)
    parse.add_argument(
        "--changed", action="store_true", help="show only keys whose value is not the default"
    )
    add_row_options(parse, "keys and configurations")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 done, 2 the user can correct it."""
    args = parser().parse_intermixed_args(argv)
    if args.action == "path" and len(args.name) != 1:
        parser().error(f"path: expected the name of one configuration, got {len(args.name)}")
    if args.action == "list" and args.name:
        parser().error(f"list: expected no names, got {quoted(args.name[0])}")
    if args.action != "show" and (args.config or args.set or args.changed):
        parser().error(f"{args.action}: --config, --set and --changed go with show")
    actions = {"show": show, "list": list_shipped, "path": show_path}
    return run(COMMAND, lambda: actions[args.action](args))


def show(args: argparse.Namespace) -> None:
    """Print the keys.

    Raises:
        StdError: a name is no section and no key.
    """
    from std.config_origin import explained

    settings = explained(args.config, args.set)
    for name in args.name:
        if not any(
            setting.key == name or setting.key.startswith(f"{name}.") for setting in settings
        ):
            sections = dict.fromkeys(setting.key.partition(".")[0] for setting in settings)
            near = meant(name, [*sections, *(setting.key for setting in settings)])
            raise StdError(
                f"expected a section ({', '.join(sections)}) or one of its keys, "
                f"got {quoted(name)}{near}"
            )
    chosen = [
        setting
        for setting in settings
        if (not args.changed or setting.value != setting.default)
        and (not args.name or any(f"{setting.key}.".startswith(f"{name}.") for name in args.name))
    ]
    form = form_of(args, piped=LINES)
    if form == JSON:
        print_json([setting.document() for setting in chosen])
        return
    rows = Rows(
        header=("key", "value", "default", "origin", "allowed"),
        cells=[
            (
                setting.key,
                shown(setting.value),
                shown(setting.default),
                setting.origin,
                setting.allowed,
            )
            for setting in chosen
        ],
        documents=(setting.document() for setting in chosen),
    )
    (print_table if form == TABLE else partial(print_rows, form=form))(rows)


def shown(value: Any) -> str:
    """A value as TOML has it.

    >>> shown("auto"), shown(0.5), shown(True), shown(("dice",))
    ('"auto"', '0.5', 'true', '["dice"]')
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(map(shown, value))}]"
    if not isinstance(value, str):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def list_shipped(args: argparse.Namespace) -> None:
    """Print the shipped configurations."""
    from std.config_origin import shipped

    configs = shipped()
    form = form_of(args, piped=LINES)
    if form == JSON:
        print_json([config.document() for config in configs])
        return
    rows = Rows(
        header=("name", "about", "path"),
        cells=[(config.name, config.about, config.path) for config in configs],
        documents=(config.document() for config in configs),
    )
    (print_table if form == TABLE else partial(print_rows, form=form))(rows)


def show_path(args: argparse.Namespace) -> None:
    """Print the path of a shipped configuration.

    Raises:
        StdError: there is none of this name.
    """
    config = _shipped(args.name[0])
    form = form_of(args, piped=TABLE)
    if form == JSON:
        print_json(config.document())
    elif form == TABLE:
        print_rows(Rows(("path",), [(config.path,)], ()), LINES, header=False)
    else:
        rows = Rows(("path",), [(config.path,)], [config.document()])
        print_rows(rows, form)


def _shipped(name: str) -> "ShippedConfig":
    from std.config_origin import shipped

    by_name = {config.name: config for config in shipped()}
    if name not in by_name:
        known = ", ".join(by_name) or "none"
        raise StdError(f"expected one of {known}, got {quoted(name)}{meant(name, by_name)}")
    return by_name[name]


if __name__ == "__main__":
    sys.exit(main())
