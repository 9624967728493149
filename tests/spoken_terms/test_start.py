import os
import signal
import subprocess
import sys
import time
import tomllib
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from spoken_terms import start
from spoken_terms.start import ALIASES, COMMANDS, PACKAGES, misplaced_package

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


SEARCH = "import sys; from spoken_terms.start import std_search; sys.exit(std_search(['--help']))"


def std_search(*folders, code=SEARCH):
    """std-search --help as the installed command starts it, with folders on PYTHONPATH."""
    path = os.pathsep.join(map(str, [*folders, ROOT]))
    return subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_packages_are_ours():
    assert misplaced_package() == ""
    done = std_search()
    assert done.returncode == 0
    assert "example" in done.stdout


@pytest.mark.parametrize("name", ["std", "searcher", "scoring"])
def test_a_folder_on_the_path_is_told_in_one_line(name, tmp_path):
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise SystemExit('foreign code ran')")
    done = std_search(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        f"std-search: expected the package {name!r} in {str(ROOT)!r}, got another one, "
        f"{str(tmp_path / name / '__init__.py')!r}; rename it, or take its folder off PYTHONPATH\n"
    )


def test_a_module_on_the_path_is_told_in_one_line(tmp_path):
    (tmp_path / "service.py").write_text("")
    done = std_search(tmp_path)
    assert done.returncode == 2
    assert f"the package 'service' in {str(ROOT)!r}, got another one, " in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_program_may_have_a_service_of_its_own(tmp_path):
    (tmp_path / "service.py").write_text("")
    program = "import service, spoken_terms as st; print(st.Term.__name__, service.__file__)"
    assert std_search(tmp_path, code=program).stdout == f"Term {tmp_path / 'service.py'}\n"
    (tmp_path / "scoring.py").write_text("")
    refused = std_search(tmp_path, code=program)
    assert "ImportError: expected the package 'scoring' in" in refused.stderr


def test_a_folder_without_code_is_not_taken(tmp_path):
    (tmp_path / "std").mkdir()  # Python prefers a package to a folder, wherever they are
    assert std_search(tmp_path).returncode == 0


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Packages and the record of their installation, in a folder of their own."""
    record = tmp_path / "spoken_terms-1.dist-info" / "RECORD"
    record.parent.mkdir()
    lines = ["spoken_terms-1.dist-info/RECORD,,"]
    for package in PACKAGES:
        init = tmp_path / package / "__init__.py"
        init.parent.mkdir()
        init.write_text(f'"""Our {package}."""\n')
        lines.append(f"{package}/__init__.py,sha256=x,{init.stat().st_size}")
    record.write_text("\n".join(lines) + "\n")
    monkeypatch.setattr(start, "_found", lambda package: tmp_path / package / "__init__.py")
    return tmp_path


def test_a_distribution_installed_over_ours_is_named(installed, monkeypatch):
    assert misplaced_package(installed) == ""
    (installed / "scoring" / "__init__.py").write_text("a = 1\n")
    monkeypatch.setattr(
        "importlib.metadata.packages_distributions", lambda: {"scoring": ["spoken-terms", "other"]}
    )
    assert misplaced_package(installed) == (
        "expected the package 'scoring' as spoken-terms installed it, got that of the distribution "
        f"'other', {str(installed / 'scoring' / '__init__.py')!r}; "
        "a separate environment keeps them apart"
    )


@pytest.mark.parametrize("rest", [None, ROOT])  # a distribution may take the file along, and leave
def test_a_package_that_is_gone_is_named(installed, monkeypatch, rest):
    monkeypatch.setattr(start, "_found", lambda package: rest)
    assert misplaced_package(installed) == (
        f"expected the package 'std' in {str(installed)!r}, got none; "
        "pip install --force-reinstall spoken-terms"
    )


def test_the_check_is_quick():
    begin = time.process_time()
    for _ in range(10):
        misplaced_package()
    assert (time.process_time() - begin) / 10 < 0.02


def test_every_command_starts_here_and_has_its_own_name():
    for command, place in PYPROJECT["project"]["scripts"].items():
        module, function = place.split(":")
        assert module == "spoken_terms.start"
        started = getattr(start, function)
        assert isinstance(started, partial)
        assert started.args == (command,)
    assert [*COMMANDS, *ALIASES] == [*PYPROJECT["project"]["scripts"]]


def test_the_packages_of_the_wheel_are_checked():
    packages = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert {*packages} == {*PACKAGES, "spoken_terms"}


@pytest.mark.parametrize(
    ("command", "module"),
    [
        *product(COMMANDS, ["argparse"]),
        *product(["std-search"], ["signal", "typing", "importlib.util", "std.command"]),
    ],
)
def test_ctrl_c_before_a_command_works_ends_it_in_one_line(tmp_path, command, module):
    """Ctrl-C is sent while a module is imported: at once, before the command reads its line."""
    script = tmp_path / command
    script.write_text(
        f"""
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

for name in ("signal", "typing", "importlib.util", "argparse"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Finder())
from spoken_terms.start import start
import {module}
sys.exit(start({command!r}, ["--version"]))
"""
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, script], env=environment, capture_output=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # else ignored behind &
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (130, f"{command}: interrupted\n".encode())
    assert not done.stdout
