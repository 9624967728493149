"""docs/site.toml: the sections of the site, and the address of each page.

A page of a section lies at `FOLDER/NAME`, whatever its folder in the repository, so that the kind
of a page (tutorial, how-to, reference, explanation) shows in its address.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the site.

    Attributes:
        title: above its pages.
        folder: of their addresses.
        pages: (path in the repository, address without ending).
        in_sidebar: whether the sidebar lists its pages.
    """

    title: str
    folder: str
    pages: tuple[tuple[str, str], ...]
    in_sidebar: bool = True


def read(root: Path) -> tuple[Section, ...]:
    """Read the sections.

    Pages named ``*`` are all pages of that folder which stand nowhere else.

    Args:
        root: of the repository.

    Raises:
        ValueError: a page does not exist, or two have one address.
    """
    contents = tomllib.loads((root / "docs" / "site.toml").read_text())["section"]
    named = {page for section in contents for page in section["pages"]}
    sections = []
    for section in contents:
        pages = [
            (page, f"{section['folder']}/{_name(page)}")
            for entry in section["pages"]
            for page in _expanded(root, entry, named)
        ]
        in_sidebar = section.get("sidebar", True)
        sections.append(Section(section["title"], section["folder"], tuple(pages), in_sidebar))
    _check(root, sections)
    return tuple(sections)


def addresses(sections: tuple[Section, ...]) -> dict[str, str]:
    """The address of each page."""
    return {page: address for section in sections for page, address in section.pages}


def _name(page: str) -> str:
    """The last part of an address; a README is called as its folder is."""
    path = PurePosixPath(page)
    return path.parent.name if path.stem == "README" and path.parent.name else path.stem.lower()


def _expanded(root: Path, entry: str, named: set[str]) -> Iterator[str]:
    if "*" not in entry:
        yield entry
        return
    for path in sorted(root.glob(entry)):
        page = path.relative_to(root).as_posix()
        if page not in named and page != "docs/index.md":
            yield page


def _check(root: Path, sections: list[Section]) -> None:
    pages = [page for section in sections for page in section.pages]
    missing = [page for page, _ in pages if not (root / page).is_file()]
    if missing:
        raise ValueError(f"docs/site.toml: expected files, found none: {', '.join(missing)}")
    places = [address for _, address in pages]
    twice = sorted({address for address in places if places.count(address) > 1})
    if twice:
        raise ValueError(f"docs/site.toml: expected one page an address, got two: {twice}")
