"""What systems are called where several are compared: short names, all different."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain, count
from pathlib import Path

from std.errors import named
from std.terminal import printable


def system_names(paths: Sequence[Path], system_ids: Sequence[str]) -> list[str]:
    """A name for each hit list: its system id if no other has it, else its file name.

    Lists that share a system id all take their file names. Where those are equal, too, as many
    folders come before them as it takes; a file given twice gets a number.

    >>> system_names([Path("a.xml"), Path("b.xml.gz"), Path("c.xml")], ["std", "std", "other"])
    ['a', 'b', 'other']
    >>> system_names([Path("run1/hits.xml"), Path("run2/hits.xml")], ["std", "std"])
    ['run1/hits', 'run2/hits']
    """
    shared = Counter(system_ids)
    own = [bool(one) and shared[one] == 1 for one in system_ids]
    taken = {one for one, is_own in zip(system_ids, own, strict=True) if is_own}
    files = [path for path, is_own in zip(paths, own, strict=True) if not is_own]
    names = iter(_file_names(files, taken))
    return [one if is_own else next(names) for one, is_own in zip(system_ids, own, strict=True)]


def distinct(names: Iterable[str], taken: Collection[str] = ()) -> list[str]:
    """The same names; one that is taken gets a number.

    >>> distinct(["a", "a", "b"], {"b"})
    ['a', 'a (2)', 'b (2)']
    """
    found: list[str] = []
    for name in names:
        tries = chain([name], (f"{name} ({number})" for number in count(2)))
        found.append(next(one for one in tries if one not in found and one not in taken))
    return found


def _file_names(paths: Sequence[Path], taken: set[str]) -> list[str]:
    """The ends of the paths, all as long as the shortest that tell them apart."""
    parts = [(*map(printable, path.parts[:-1]), _stem(path)) for path in paths]
    for length in range(1, max(map(len, parts), default=0) + 1):
        names = ["/".join(one[-length:]).replace("//", "/") for one in parts]
        if len(set(names)) == len(names) and taken.isdisjoint(names):
            return names
    return distinct(["/".join(one).replace("//", "/") for one in parts], taken)


def _stem(path: Path) -> str:
    name = printable(named(path)).rpartition("/")[2]  # a name may hold bytes that are no letters
    return name.removesuffix(".gz").removesuffix(".xml") or name
