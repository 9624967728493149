"""Reference of the configuration: keys, defaults and ranges of the code, meanings of the defaults.

Keys, types and ranges are those of `std.config.Config`; the meaning of a key is its comment in
`configs/default.toml` (a test holds the two together).
"""

import re
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from std.config import Config
from std.ranges import ranges
from tools.site.markdown import cell, plain

KEY = re.compile(r"^(\w+) = .*?#\s*(.*)$")


def page(root: Path) -> str:
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
