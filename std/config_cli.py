"""std-config: shows the values of the configuration, and where each value comes from."""

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from std.command import print_json, run, text_argument
from std.config import Config, config_table, current_keys, load_config, split_setting
from std.display.rows import JSON, LINES, TABLE, Rows, form_of, print_rows
from std.errors import StdError, meant, named, quoted
from std.options import add_config_options, add_row_options
from std.parser import Parser
from std.ranges import ranges

COMMAND_LINE = "--set"
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the configuration."""

    key: str  # as "search.min_probability"
    value: Any
    default: Any
    origin: str  # "default", the name of a file, or "--set"
    allowed: str  # the range of a number, the choices of a word; else what kind of value it is

    def document(self) -> dict[str, Any]:
        """The key as `std-config show --json` writes it."""
        return asdict(self)


def explained(path: Path | None = None, settings: Sequence[str] = ()) -> list[Setting]:
    """Every key, in the order of `std.config.Config`.

    Args:
        path: the path of a TOML file; None = without one.
        settings: keys with values that override the file, as ``search.min_probability=0.1``.

    Raises:
        InputError: the file cannot be read, or is not TOML.
        ConfigError: a key does not exist or its value does not fit.
    """
    config, default = load_config(path, settings), Config()
    written: Mapping[str, Any] = config_table(path) if path else {}
    set_here = [split_setting(setting)[0].partition(".") for setting in settings]
    found = []
    for section in fields(Config):
        value, usual = getattr(config, section.name), getattr(default, section.name)
        in_file = _current(type(value), written.get(section.name, {}))
        by_option = _current(
            type(value), [key for name, _, key in set_here if name == section.name]
        )
        for field in fields(value):
            key = f"{section.name}.{field.name}"
            origin = DEFAULT
            if field.name in in_file:
                origin = named(path) if path else DEFAULT
            if field.name in by_option:
                origin = COMMAND_LINE
            pair = getattr(value, field.name), getattr(usual, field.name)
            found.append(Setting(key, *pair, origin, _allowed(type(value), field.name)))
    return found


def _current(section: type, keys: Iterable[str]) -> set[str]:
    """The current names of keys of a section."""
    return {now for key in keys for now in current_keys(section, key)}


def _allowed(section: type, name: str) -> str:
    """The range of a key, for a person."""
    if span := ranges(section).get(name):
        return str(span)
    hint = get_type_hints(section)[name]
    if get_origin(hint) is tuple:
        return f"list of {', '.join(get_args(get_args(hint)[0]))}"
    if get_origin(hint) is Literal:
        return ", ".join(get_args(hint))
    return "true, false" if hint is bool else "text"


@dataclass(frozen=True, slots=True)
class ShippedConfig:
    """A shipped configuration."""

    name: str
    path: Path
    about: str  # its first comment

    def document(self) -> dict[str, str]:
        """The configuration as `std-config list --json` writes it."""
        return {"name": self.name, "path": str(self.path), "about": self.about}


def shipped() -> list[ShippedConfig]:
    """Shipped configurations by name: in ``std/configs`` of a wheel, ``configs`` of a checkout."""
    package = Path(__file__).parent
    for folder in (package / "configs", package.parent / "configs"):
        if paths := sorted(folder.glob("*.toml")):
            return [ShippedConfig(path.stem, path, _about(path)) for path in paths]
    return []


def _about(path: Path) -> str:
    """The first comment of a file, in one line."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)


COMMAND = "std-config"
EXAMPLE = """\
examples:
  std-config show
  std-config show --config my.toml --set search.min_probability=0.1
  std-config show decision --changed --json
  std-config list
  std-search --store INDEX --config "$(std-config path plain)" rathaus

exit status: 0 done, 2 an error in options or input, in one line
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
        help="show: sections or keys, as search or search.min_posterior; path: of a configuration",
    )
    add_config_options(parse)
    parse.add_argument(
        "--changed", action="store_true", help="show only keys whose value is not the default"
    )
    add_row_options(parse, "keys and configurations")
    return parse


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 = done, 2 = an error that the user can correct."""
    args = parser().parse_args(argv)
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
        StdError: a name is neither a section nor a key.
    """
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
    rows = Rows(
        header=("key", "value", "default", "origin", "allowed"),
        cells=[
            (one.key, shown(one.value), shown(one.default), one.origin, one.allowed)
            for one in chosen
        ],
        documents=(one.document() for one in chosen),
    )
    print_rows(rows, form_of(args, piped=LINES))


def shown(value: Any) -> str:
    """A value in TOML.

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
    configs = shipped()
    rows = Rows(
        header=("name", "about", "path"),
        cells=[(config.name, config.about, config.path) for config in configs],
        documents=(config.document() for config in configs),
    )
    print_rows(rows, form_of(args, piped=LINES))


def show_path(args: argparse.Namespace) -> None:
    """Print the path of a shipped configuration.

    Raises:
        StdError: there is no configuration with this name.
    """
    config = _shipped(args.name[0])
    form = form_of(args, piped=TABLE)
    if form == JSON:
        print_json(config.document())
    else:
        rows = Rows(("path",), [(config.path,)], [config.document()])
        print_rows(rows, LINES if form == TABLE else form, header=form != TABLE)


def _shipped(name: str) -> ShippedConfig:
    by_name = {config.name: config for config in shipped()}
    if name not in by_name:
        known = ", ".join(by_name) or "none"
        raise StdError(f"expected one of {known}, got {quoted(name)}{meant(name, by_name)}")
    return by_name[name]


if __name__ == "__main__":
    sys.exit(main())
