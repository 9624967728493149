"""The pages of the site under their addresses, ready for Sphinx.

Pages are written for the repository: their links lead to files. Here each link is turned into one
to the page's address, or to a copy of the file, or (a folder, a file outside) into plain words.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from tools.site import navigation, reference, rest
from tools.site.markdown import with_links, without_markers
from tools.site.navigation import Section

FILES = "_files"  # copies of images and other files that pages link to


def stage(root: Path, target: Path) -> None:
    """Write the source of the site.

    Args:
        root: of the repository.
        target: a folder that is made anew.
    """
    sections = navigation.read(root)
    shutil.rmtree(target, ignore_errors=True)
    places = navigation.addresses(sections)
    made = generated(root)
    alone = {one for section in sections if not section.in_sidebar for _, one in section.pages}
    for page, address in {**places, "docs/index.md": "index"}.items():
        text = without_markers((root / page).read_text())
        if address == "index":
            text += toctrees(sections)
        text = rewritten(root, target, page, address, text, places)
        head = "---\norphan: true\n---\n" if address in alone else ""
        _write(target, address, head + text + made.get(address, ""))
    for address in made.keys() - places.values():
        _write(target, address, made[address])


def generated(root: Path) -> Mapping[str, str]:
    """What is made from the code, by address: whole pages, and what follows a page's own words."""
    made = {
        **reference.command_pages(),
        "configuration": reference.configuration_page(root),
        **reference.python_pages(),
        "rest": rest.page(root),
    }
    return {f"reference/{name}": text for name, text in made.items()}


def toctrees(sections: tuple[Section, ...]) -> str:
    """The navigation, as Sphinx wants it."""
    parts = [""]
    for section in sections:
        if not section.in_sidebar:
            continue
        entries = [address for _, address in section.pages]
        head = ["```{toctree}", ":hidden:", f":caption: {section.title}", ""]
        parts.append("\n".join([*head, *entries, "```", ""]))
    return "\n".join(parts)


def rewritten(
    root: Path, target: Path, page: str, address: str, text: str, places: Mapping[str, str]
) -> str:
    """A page whose links fit the site; files that it links to are copied.

    Args:
        root, target: of the repository, of the site's source.
        page: path in the repository.
        address: on the site, without ending.
        text: of the page.
        places: address of each page.
    """
    here = PurePosixPath(address).parent

    def target_of(link: str) -> str | None:
        path, mark, anchor = link.partition("#")
        if not path or "://" in link or link.startswith("mailto:"):
            return link
        file = Path(os.path.normpath(root / PurePosixPath(page).parent / path))
        if not file.is_relative_to(root):
            return None
        inside = file.relative_to(root).as_posix()
        if inside == "README.md":
            return _relative("index.md", here)
        if (found := places.get(inside) or places.get(f"{inside}/README.md")) is not None:
            return _relative(f"{found}.md", here) + mark + anchor
        if not file.is_file():
            return None
        copy = target / FILES / inside
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        return _relative(f"{FILES}/{inside}", here)

    return with_links(text, target_of)


def _relative(path: str, here: PurePosixPath) -> str:
    return os.path.relpath(path, here)


def _write(target: Path, address: str, text: str) -> None:
    path = target / f"{address}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
