"""Check that a tag can be released, and print its part of the changelog.

    python3 tools/release.py v1.2.3

The tag, `std.__version__`, the newest version in CHANGELOG.md and CITATION.cff must agree, and
the changelog's date must be CITATION's. Needs nothing but Python; one line for each difference.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEADING = re.compile(r"^## (?:\[?(\d+\.\d+\.\d+)\]?) - (\d{4}-\d\d-\d\d)$", re.MULTILINE)


def main(tag: str) -> int:
    """Print the notes of a release; 1 if the files do not agree on it."""
    changelog = (ROOT / "CHANGELOG.md").read_text()
    version = _one(r'^__version__ = "(.+)"$', (ROOT / "std" / "__init__.py").read_text())
    citation = (ROOT / "CITATION.cff").read_text()
    problems = differences(
        tag,
        version,
        changelog,
        cited=(_one(r"^version: (.+)$", citation), _one(r"^date-released: (.+)$", citation)),
    )
    for problem in problems:
        print(f"release: {problem}", file=sys.stderr)
    if not problems:
        print(notes(changelog, version))
    return 1 if problems else 0


def differences(tag: str, version: str, changelog: str, cited: tuple[str, str]) -> list[str]:
    """What keeps a tag from being released, a line each.

    Args:
        tag: as in git.
        version: of the package.
        changelog: the text of the file.
        cited: version and date of CITATION.cff.
    """
    problems = []
    if tag != f"v{version}":
        problems.append(f"expected the tag v{version} (std.__version__), got {tag}")
    dated = HEADING.findall(changelog)
    if not dated or dated[0][0] != version:
        newest = dated[0][0] if dated else "no version"
        problems.append(f"CHANGELOG.md: expected {version} as the newest version, got {newest}")
    elif dated[0] != cited:
        problems.append(f"CITATION.cff: expected {' of '.join(dated[0])}, got {' of '.join(cited)}")
    return problems


def notes(changelog: str, version: str) -> str:
    """The part of the changelog about a version, without its heading."""
    headings = list(HEADING.finditer(changelog))
    (found,) = [n for n, heading in enumerate(headings) if heading[1] == version]
    end = headings[found + 1].start() if found + 1 < len(headings) else len(changelog)
    return changelog[headings[found].end() : end].strip()


def _one(pattern: str, text: str) -> str:
    (found,) = re.findall(pattern, text, re.MULTILINE)
    return str(found)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit("usage: python3 tools/release.py TAG")
    raise SystemExit(main(sys.argv[1]))
