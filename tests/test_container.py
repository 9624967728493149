"""The Dockerfile: known instructions, what it names exists, and it does not run as root."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INSTRUCTIONS = [
    line.partition(" ")[::2]
    for line in (ROOT / "Dockerfile").read_text().splitlines()
    if line and not line.startswith("#")
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def values(name):
    return [value for instruction, value in INSTRUCTIONS if instruction == name]


def test_instructions_are_known_and_in_order():
    names = [name for name, _ in INSTRUCTIONS]
    assert names == ["FROM", "COPY", "RUN", "USER", "EXPOSE", "ENTRYPOINT"]


def test_the_base_is_a_version_that_the_project_takes():
    (version,) = re.findall(r"^python:3\.(\d+)-slim$", values("FROM")[0])
    assert int(version) >= int(PROJECT["requires-python"].rpartition(".")[2])


def test_it_installs_extras_that_exist_and_starts_a_command_that_exists():
    (extras,) = re.findall(r"/src\[([\w,]+)\]", values("RUN")[0])
    assert {*extras.split(",")} <= PROJECT["optional-dependencies"].keys()
    assert json.loads(values("ENTRYPOINT")[0])[0] in PROJECT["scripts"]
    assert values("USER") == ["1000"]
    assert "useradd --create-home --uid 1000 std" in values("RUN")[0]


def test_hadolint_has_nothing_to_say():
    hadolint = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if hadolint is None:
        pytest.skip("hadolint is missing: pip install '.[test]'")
    done = subprocess.run(
        [hadolint, "--no-color", str(ROOT / "Dockerfile")], capture_output=True, text=True,
        timeout=60,
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("", 0)
