import re
import sys
import tomllib
from pathlib import Path

import pytest

from std.errors import ConfigError
from std.imports import is_installed, required

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
DEVELOPMENT = ("test", "docs")  # extras of those who change the project
SOURCES = [
    path
    for package in ("std", "recogniser", "indexer", "searcher", "scoring", "service")
    for path in (ROOT / package).rglob("*.py")
]


def test_what_is_installed_is_imported():
    assert required("math", "tune").pi > 3
    assert is_installed("math")


def test_what_is_missing_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert not is_installed("scipy")
    told = r"^expected the extra 'tune' \(pip install 'spoken-terms\[tune\]'\), got: .*scipy"
    with pytest.raises(ConfigError, match=told):
        required("scipy", "tune")


def test_extras_that_messages_name_exist():
    named = {
        extra
        for path in SOURCES
        for pattern in (
            r"spoken-terms\[(\w+)\]",
            r"required\((?:\"[\w.]+\"|module), \"(\w+)\"\)",
            r"(?m)^EXTRA = \"(\w+)\"",
        )
        for extra in re.findall(pattern, path.read_text())
    }
    assert named >= {"cluster", "espeak", "serve", "tune", "whisper", "pocketsphinx", "plots"}
    assert named <= EXTRAS.keys()


def test_all_has_every_extra_that_users_need():
    listed = [re.match(r"spoken-terms\[(.*)\]", part)[1] for part in EXTRAS["all"]]
    of_unknown_origin = "hama"  # its weights: nobody gets them without asking
    users = EXTRAS.keys() - {"all", of_unknown_origin, *DEVELOPMENT}
    assert {*",".join(listed).split(",")} == users


def test_the_tests_have_the_packages_of_the_extras():
    def names(extra):
        return {re.split(r"[>\[]", package)[0] for package in EXTRAS[extra]}

    # Tests of espeak and cluster are skipped without them; PyAV comes with faster-whisper.
    wanted = {
        name
        for extra in ("whisper", "pocketsphinx", "serve", "plots", "tune", "english")
        for name in names(extra)
    }
    assert wanted - names("test") == {"av"}
