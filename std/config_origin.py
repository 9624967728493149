"""Where each value of a configuration comes from.

explained  a file and settings of the command line --> every key, its value, default, origin
shipped    the configurations that come with the package
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from std.config import Config, config_table, load_config, ranges, split_setting
from std.errors import named

COMMAND_LINE = "--set"
DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A key of the configuration."""

    key: str  # as "search.min_score"
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
        path: of a TOML file; None = without one.
        settings: keys with values that go before the file, as ``search.min_score=0.1``.

    Raises:
        InputError: the file cannot be read, or is not TOML.
        ConfigError: a key does not exist or its value does not fit.
    """
    config, default = load_config(path, settings), Config()
    written: Mapping[str, Any] = config_table(path) if path else {}
    set_here = {split_setting(setting)[0] for setting in settings}
    found = []
    for section in fields(Config):
        value, usual = getattr(config, section.name), getattr(default, section.name)
        for field in fields(value):
            key = f"{section.name}.{field.name}"
            origin = DEFAULT
            if field.name in written.get(section.name, {}):
                origin = named(path) if path else DEFAULT
            if key in set_here:
                origin = COMMAND_LINE
            pair = getattr(value, field.name), getattr(usual, field.name)
            found.append(Setting(key, *pair, origin, _allowed(type(value), field.name)))
    return found


def _allowed(section: type, name: str) -> str:
    """What a key may be, for a person."""
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
    """A configuration that comes with the package."""

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
    """The comment that a file begins with, in one line."""
    lines = []
    for line in path.read_text("utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)
