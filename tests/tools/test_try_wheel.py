"""`tools/try_wheel.py`: its parts. CI runs the whole, which downloads packages."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tools import try_wheel

ROOT = Path(__file__).parents[2]


def test_the_commands_and_the_python_of_the_readme_are_found():
    programs = [*try_wheel.programs_of((ROOT / "README.md").read_text(), Path("bin"))]
    commands = [arguments[-1] for arguments in programs if arguments[0] == "sh"]
    assert {command.split()[1] for command in commands} >= {"std-index", "std-search", "std-score"}
    assert [a[-1].startswith("import spoken_terms") for a in programs if a[0] != "sh"] == [True]


def test_commands_go_on_after_a_backslash():
    page = "    $ std-a b \\\n          --c d\n    printed\n\n    $ std-e\n    make x\n"
    first, second = try_wheel.programs_of(page, Path("bin"))
    assert first == ["sh", "-c", 'PATH="bin:$PATH"; std-a b \\\n      --c d']
    assert second == ["sh", "-c", 'PATH="bin:$PATH"; std-e']


def test_a_file_that_the_wheel_lacks_is_named(tmp_path):
    listed = subprocess.run(
        ["git", "ls-files", "std", "service"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.splitlines()
    if not listed:
        pytest.skip("no git, or no checkout")
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as packed:
        for name in listed:
            if name != "std/imports.py":
                packed.writestr(name, "")
    missing = try_wheel.missing_files(wheel)
    assert "std/imports.py" in missing
    assert "searcher/commands/search.py" in missing
    assert "std/errors.py" not in missing


def test_pip_is_not_counted(tmp_path):
    for name in ("lib/pip/a", "lib/setuptools/a", "lib/ours/a", "lib/pip-25.dist-info/a"):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_bytes(b"x" * 50_000)
    folders = 6 * 4096  # at most
    assert 50_000 <= try_wheel.installed_mb(tmp_path) * (1 << 20) <= 53_248 + folders


def test_cpu_time_is_of_the_program_that_ran(tmp_path):
    busy = "import time\nwhile time.process_time() < 0.3: pass"
    assert 0.3 <= try_wheel.cpu_s([sys.executable, "-c", busy], tmp_path) < 3


def test_a_python_that_is_not_there_is_a_problem(tmp_path):
    (problem,) = try_wheel.attempt(tmp_path / "none", tmp_path / "x.whl", [], tmp_path / "place")
    assert "No such file" in problem
