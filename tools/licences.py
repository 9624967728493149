"""Licences of what an installation of std brings: each must be on the list of what is allowed.

    python tools/licences.py            # a table; exit status 1 if something is not allowed
    python tools/licences.py --json

Reads pyproject.toml and the metadata of the packages that are installed; no network. The plain
installation and each extra are followed to all that they require. Extras of developers (`test`,
`docs`) are not: nothing of them reaches users.
"""

import argparse
import json
import re
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from license_expression import (
    ExpressionError,
    ExpressionParseError,
    LicenseExpression,
    get_spdx_licensing,
)
from packaging.requirements import Requirement

ALLOWED = frozenset(
    {"0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause"}
    | {"CC0-1.0", "CNRI-Python", "HPND", "ISC", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0"}
    | {"PSF-2.0", "Unlicense", "Zlib"}
)
# Of PyAV's wheels: FFmpeg itself, and the video encoders x264 and x265, which std never uses.
FFMPEG = frozenset({"LGPL-3.0-or-later", "GPL-2.0-or-later"})
DISTANCE = frozenset({"GPL-1.0-or-later"})  # g2p-en asks for it; std never imports it
# Copyleft that extras bring.
COPYLEFT = {
    "espeak": {"GPL-3.0-or-later"},
    "english": DISTANCE,
    "audio": FFMPEG,
    "whisper": FFMPEG,
    "pocketsphinx": FFMPEG,
    "serve": FFMPEG,
    "all": FFMPEG | DISTANCE | {"GPL-3.0-or-later"},
}
DEVELOPERS = frozenset({"test", "docs"})
# What is in a package, where its metadata do not say it.
KNOWN = {
    "av": "BSD-3-Clause AND LGPL-3.0-or-later AND GPL-2.0-or-later",
    "espeakng-loader": "MIT AND GPL-3.0-or-later",  # its wheels hold espeak-ng
}
CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD-3-Clause",  # or with two clauses
    "GNU General Public License (GPL)": "GPL-1.0-or-later",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
TEXTS = CLASSIFIERS | {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
}
PROJECT = Path(__file__).parent.parent / "pyproject.toml"
SPDX = get_spdx_licensing()


@dataclass(frozen=True)
class Package:
    """A package and how it may be used."""

    name: str
    version: str
    licence: str  # SPDX expression; empty if the metadata name none
    extras: tuple[str, ...]  # that bring it; "plain" stands for the plain installation
    problem: str = ""


def main(arguments: list[str]) -> int:
    """Print each package; the status is 1 if one may not be used as it is."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    options = parser.parse_args(arguments)
    packages = check(tomllib.loads(PROJECT.read_text())["project"])
    if options.json:
        print(json.dumps([asdict(package) for package in packages], indent=1))
    else:
        for package in packages:
            extras = ", ".join(package.extras)
            print(f"{package.name:24} {package.version:12} {package.licence:40} {extras}")
    problems = [package for package in packages if package.problem]
    for package in problems:
        print(f"licences: {package.name}: {package.problem}", file=sys.stderr)
    print(f"{len(packages)} packages, {len(problems)} problems", file=sys.stderr)
    return 1 if problems else 0


def check(project: dict) -> list[Package]:
    """The packages that users may get, by name.

    Args:
        project: table ``project`` of pyproject.toml.
    """
    own, extras = project["name"], project.get("optional-dependencies", {})
    requirements = {"plain": project["dependencies"]} | {
        name: wanted for name, wanted in extras.items() if name not in DEVELOPERS
    }
    brought_by: dict[str, list[str]] = {}
    for extra, wanted in requirements.items():
        for name in closure(unfolded(wanted, own, extras)):
            brought_by.setdefault(name, []).append(extra)
    return [described(name, tuple(by)) for name, by in sorted(brought_by.items())]


def unfolded(wanted: Iterable[str], own: str, extras: dict[str, list[str]]) -> list[Requirement]:
    """Requirements; those of the project itself (``spoken-terms[serve]``) become its extras'."""
    found: list[Requirement] = []
    for requirement in map(Requirement, wanted):
        if requirement.marker and not requirement.marker.evaluate():
            continue
        if canonical(requirement.name) == canonical(own):
            for extra in sorted(requirement.extras):
                found += unfolded(extras[extra], own, extras)
        else:
            found.append(requirement)
    return found


def closure(wanted: Iterable[Requirement]) -> set[str]:
    """Names of all packages that requirements bring here, those that are missing included."""
    waiting = [(requirement, "") for requirement in wanted]
    seen: set[tuple[str, str]] = set()
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": extra}):
            continue
        for asked in ("", *sorted(requirement.extras)):
            key = (canonical(requirement.name), asked)
            if key in seen:
                continue
            seen.add(key)
            if found := installed(requirement.name):
                waiting += [(Requirement(text), asked) for text in found.requires or []]
    return {name for name, _ in seen}


def described(name: str, extras: tuple[str, ...]) -> Package:
    """A package, with what stands against it."""
    found = installed(name)
    if found is None:
        return Package(name, "-", "", extras, "expected it to be installed, to be checked")
    licence = licence_of(found)
    if not licence:
        return Package(name, found.version, "", extras, "expected metadata that name a licence")
    for extra in extras:
        if not is_allowed(SPDX.parse(licence), ALLOWED | COPYLEFT.get(extra, set())):
            problem = f"{licence} is not allowed in {extra!r}"
            return Package(name, found.version, licence, extras, problem)
    return Package(name, found.version, licence, extras)


def licence_of(found: Distribution) -> str:
    """The licence of a package as an SPDX expression; empty if it names none that is known."""
    metadata = found.metadata
    if known := KNOWN.get(canonical(metadata["Name"])):
        return known
    if expression := metadata.get("License-Expression"):
        return str(expression)
    text = (metadata.get("License") or "").strip().partition("\n")[0]
    if text in TEXTS:
        return TEXTS[text]
    if text and is_expression(text):
        return text
    names = [
        classifier.rpartition(" :: ")[2]
        for classifier in metadata.get_all("Classifier", [])
        if classifier.startswith("License :: ") and not classifier.endswith("OSI Approved")
    ]
    if not CLASSIFIERS.keys() >= {*names}:
        return ""
    return " AND ".join(sorted({CLASSIFIERS[name] for name in names}))


def is_expression(text: str) -> bool:
    """Whether a text is an SPDX expression of licences that SPDX lists."""
    try:
        SPDX.parse(text, validate=True)
    except (ExpressionError, ExpressionParseError):
        return False
    return True


def is_allowed(expression: LicenseExpression, allowed: Iterable[str]) -> bool:
    """Whether a package may be used if only some licences are allowed."""
    if isinstance(expression, SPDX.AND):
        return all(is_allowed(part, allowed) for part in expression.args)
    if isinstance(expression, SPDX.OR):
        return any(is_allowed(part, allowed) for part in expression.args)
    return str(expression) in allowed


def installed(name: str) -> Distribution | None:
    """The metadata of a package, if it is installed."""
    try:
        return distribution(name)
    except PackageNotFoundError:
        return None


def canonical(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
