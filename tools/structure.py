"""The table of the packages' folders: what each is for, as its docstring says.

    python tools/structure.py             print the table
    python tools/structure.py --write     put it into docs/architecture.md

`circles` finds modules and folders that import each other.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "architecture.md"
PACKAGES = ("recogniser", "indexer", "std", "searcher", "scoring", "service")
HEAD = "| folder | what is there |\n|---|---|\n"


def modules() -> dict[str, Path]:
    """Each module of the packages by its dotted name; a package is its ``__init__``."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def folder_of(path: Path) -> str:
    """The dotted name of the folder that a module lies in."""
    return ".".join(path.relative_to(ROOT).parent.parts)


def imports(path: Path, known: Mapping[str, Path]) -> Iterator[tuple[str, str]]:
    """(module, name) of everything that a module imports from the packages."""
    for module, name in _imported(path):
        if f"{module}.{name}" in known:
            yield f"{module}.{name}", ""
        elif module in known:
            yield module, name


@cache
def _imported(path: Path) -> tuple[tuple[str, str], ...]:
    """(module, name) of all imports of a module; a whole module has no name."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            found += ((alias.name, "") for alias in node.names)
    return tuple(found)


def table() -> str:
    """A line for each folder: its name, and the first sentence of its docstring."""
    rows = [
        f"| `{name}` | {_sentence(path)} |"
        for name, path in modules().items()
        if path.name == "__init__.py"
    ]
    return HEAD + "\n".join(rows) + "\n"


def _sentence(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return text.partition("\n\n")[0].replace("\n", " ").rstrip(".:")


def circles() -> list[tuple[str, str]]:
    """Pairs of neighbours (modules or folders of one folder) that import each other, however far.

    A module ``a.b.c`` that imports ``a.d.e`` is an import of ``d`` by ``b`` inside ``a``.
    """
    known = modules()
    inside = defaultdict(lambda: defaultdict(set))
    for name, path in known.items():
        for imported, _ in imports(path, known):
            one, other = name.split("."), imported.split(".")
            shared = 0
            while shared < min(len(one), len(other)) and one[shared] == other[shared]:
                shared += 1
            if shared < len(one) and shared < len(other):
                inside[".".join(one[:shared])][one[shared]].add(other[shared])
    return sorted(
        (f"{folder}.{first}".strip("."), f"{folder}.{second}".strip("."))
        for folder, edges in inside.items()
        for first in edges
        for second in edges
        if first < second and second in _reached(first, edges) and first in _reached(second, edges)
    )


def _reached(start: str, edges: Mapping[str, set[str]]) -> set[str]:
    reached, waiting = set(), [start]
    while waiting:
        for following in edges.get(waiting.pop(), ()):
            if following not in reached:
                reached.add(following)
                waiting.append(following)
    return reached


def with_table(page: str, rows: str) -> str:
    """A page whose table of folders is this one."""
    before, _, rest = page.partition(HEAD)
    return before + rows + rest.partition("\n\n")[2].join(["\n", ""])


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(with_table(PAGE.read_text(), table()))
    else:
        print(table(), end="")
