"""tools/release.py: what must agree before a tag is released, and the notes."""

import importlib.util
import re
from pathlib import Path

import pytest

import std

ROOT = Path(__file__).parents[2]
CHANGELOG = """# Changelog

## Unreleased

## 1.1.0 - 2027-01-02
### Added
- B.

## 1.0.0 - 2026-11-22
### Added
- A.
"""


def load():
    spec = importlib.util.spec_from_file_location("release", ROOT / "tools" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


release = load()


def test_this_version_can_be_released(capsys):
    assert release.main(f"v{std.__version__}") == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert "## " not in re.sub(r"(?m)^### ", "", captured.out)


@pytest.mark.parametrize(
    ("tag", "version", "cited", "problems"),
    [
        ("v1.1.0", "1.1.0", ("1.1.0", "2027-01-02"), []),
        ("1.1.0", "1.1.0", ("1.1.0", "2027-01-02"), ["expected the tag v1.1.0"]),
        ("v1.2.0", "1.2.0", ("1.2.0", "2027-01-02"), ["expected 1.2.0 as the newest version"]),
        ("v1.1.0", "1.1.0", ("1.0.0", "2027-01-02"), ["expected 1.1.0 of 2027-01-02, got 1.0.0"]),
        (
            "v1.1.0",
            "1.1.0",
            ("1.1.0", "2027-01-03"),
            ["CITATION.cff: expected 1.1.0 of 2027-01-02"],
        ),
    ],
)
def test_what_must_agree(tag, version, cited, problems):
    found = release.differences(tag, version, CHANGELOG, cited)
    assert len(found) == len(problems)
    assert all(wanted in text for wanted, text in zip(problems, found, strict=True))


def test_notes_are_those_of_one_version():
    assert release.notes(CHANGELOG, "1.1.0") == "### Added\n- B."
    assert release.notes(CHANGELOG, "1.0.0") == "### Added\n- A."


def test_a_tag_of_another_version_is_refused(capsys):
    assert release.main("v0.0.1") == 1
    assert "expected the tag v" in capsys.readouterr().err
