"""Checks of the built site: links and anchors, requests to other hosts, spelling."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

from lxml import html

LOADED = {"img": "src", "script": "src", "link": "href", "source": "src", "iframe": "src"}
LOADED_BY_CSS = re.compile(rb"""(?:url\(|@import)\s*["']?((?:https?:)?//[^"')\s]+)""")
WRITTEN = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "examples", "tools/site")


@dataclass(slots=True)
class Findings:
    """What is wrong with a site, and which addresses outside it links to."""

    dead: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)  # loaded from another host
    external: dict[str, str] = field(default_factory=dict)  # address, first page with it


def links(site: Path) -> Findings:
    """Follow every link inside a built site.

    Args:
        site: the folder of HTML files.
    """
    site = site.resolve()
    findings = Findings()
    pages = {path: html.parse(path).getroot() for path in sorted(site.rglob("*.html"))}
    anchors = {path: set(page.xpath("//@id | //a/@name")) for path, page in pages.items()}
    place_of = cache(partial(_place_of, site, anchors))  # the sidebars of a folder are alike
    for path, page in pages.items():
        place, folder = path.relative_to(site).as_posix(), path.parent
        for tag, target in _targets(page):
            parts = urlsplit(target)
            if parts.netloc and tag == "a":
                findings.external.setdefault(target, place)
            elif parts.netloc:
                findings.foreign.append(f"{place}: {target}")
            elif not parts.scheme and (
                reason := _dead(
                    place_of(folder, parts.path) if parts.path else path, parts, anchors
                )
            ):
                findings.dead.append(f"{place}: {target} ({reason})")
    for sheet in site.rglob("*.css"):
        for loaded in LOADED_BY_CSS.findall(sheet.read_bytes()):
            findings.foreign.append(f"{sheet.relative_to(site)}: {loaded.decode()}")
    return findings


def _place_of(site: Path, anchors: Mapping[Path, set[str]], folder: Path, path: str) -> Path | None:
    """The file that the path of a link in a folder leads to; None if the site has none."""
    file = Path(os.path.normpath(folder / unquote(path)))
    return file if (file in anchors or file.is_file()) and file.is_relative_to(site) else None


def _dead(file: Path | None, link: SplitResult, anchors: Mapping[Path, set[str]]) -> str:
    """Why a link to a file leads nowhere; empty if it leads somewhere."""
    if file is None:
        return "no such file"
    if link.fragment and file in anchors and unquote(link.fragment) not in anchors[file]:
        return "no such heading"
    return ""


def _targets(page: html.HtmlElement) -> Iterator[tuple[str, str]]:
    """What a page links to (``a``) and what it loads (any other tag)."""
    for element in page.iter("a", *LOADED):
        target = element.get(LOADED.get(element.tag, "href"))
        is_loaded = element.get("rel") not in ("canonical", "prev", "next")
        if target and (element.tag != "link" or is_loaded):
            yield element.tag, target


def misspelt(root: Path) -> list[str]:
    """Misspelt words of the pages, a line each; `docs/spelling.txt` has words that are right."""
    found = subprocess.run(
        [sys.executable, "-m", "codespell_lib", "--ignore-words", "docs/spelling.txt",
         "--skip", "*.svg,*.png,*.ogg,*.mesh,*.rttm,*.xml,*.ipynb", *WRITTEN],
        cwd=root, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    if found.returncode not in (0, 65):
        return [f"codespell: {found.stderr.strip()}"]
    return found.stdout.splitlines()
