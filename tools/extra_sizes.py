"""What the package and each of its extras take on the disk, as a table for docs/install.md.

    pip install 'spoken-terms[all]'
    python tools/extra_sizes.py

Run it with the Python of an environment that has all extras. A row counts the packages that come
with an extra and not with the package alone; two extras may share some.
"""

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import cache_from_source
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = "spoken-terms"
DEVELOPMENT = ("test", "docs")  # extras of those who change the project


def main() -> None:
    """Print the table."""
    extras = distribution(PROJECT).metadata.get_all("Provides-Extra") or []
    plain = packages(PROJECT, "")
    print(f"| (none) | {size_mb(plain):.0f} | {len(plain) - 1} |")
    for extra in extras:
        if extra not in DEVELOPMENT:
            added = packages(PROJECT, extra) - plain
            print(f"| {extra} | {size_mb(added):.0f} | {len(added)} |")


def packages(name: str, extra: str, seen: frozenset[tuple[str, str]] = frozenset()) -> set[str]:
    """A package and all that it needs, with one extra."""
    found = {canonicalize_name(name)}
    if (name, extra) in seen:
        return found
    seen |= {(name, extra)}
    for text in distribution(name).requires or ():
        needed = Requirement(text)
        if needed.marker and not needed.marker.evaluate({"extra": extra}):
            continue
        for other in needed.extras or {""}:
            found |= packages(canonicalize_name(needed.name), other, seen)
    return found


def size_mb(names: set[str]) -> float:
    """Blocks on the disk of all files of some packages."""
    return sum(size for name in names for size in sizes(distribution(name))) / (1 << 20)


def sizes(package: Distribution) -> list[int]:
    """Bytes that each file of a package takes, with the bytecode that pip makes of its code."""
    if package.files is None:
        raise PackageNotFoundError(f"{package.name}: its files are not recorded")
    paths = {Path(path.locate()) for path in package.files}
    paths |= {Path(cache_from_source(str(path))) for path in paths if path.suffix == ".py"}
    return [path.lstat().st_blocks * 512 for path in paths if path.exists()]


if __name__ == "__main__":
    main()
