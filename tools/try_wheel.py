"""Build the wheel and try it as a new user would: a clean environment, outside the checkout.

    python -m tools.try_wheel                                         with this Python, no extras
    python -m tools.try_wheel --python python3.12 --python python3.14
    python -m tools.try_wheel --extra plots --extra espeak dist/spoken_terms-1.0.0-py3-none-any.whl

For each Python: install the wheel with pip, ask every command for help, run the commands and the
Python of README.md on copies of the examples, search a known word. It fails (exit status 1) if
something of the packages is not in the wheel, a command fails, the environment without extras is
larger than `MAX_MB`, or help or the search of a known word takes more than `MAX_CPU_S`.
Needs git, the package index, and pip in the Python that runs it.
"""

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tools.site.blocks import blocks, session

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
COMMANDS = list(PYPROJECT["project"]["scripts"])
MAX_MB = 325  # without pip, which is the environment's
MAX_CPU_S = 1.0  # user and system time: a busy machine changes it little
TIMEOUT_S = 600  # of each step


def main() -> int:
    """Exit status: 0 it works, 1 it does not."""
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--python", action="append", help="interpreter to try; repeatable")
    parse.add_argument("--extra", action="append", default=[], help="extra to install; repeatable")
    parse.add_argument("wheel", type=Path, nargs="?", help="one that is built (default: build it)")
    args = parse.parse_args()
    with tempfile.TemporaryDirectory(prefix="try-wheel-") as folder:
        wheel = args.wheel.resolve() if args.wheel else build(Path(folder))
        problems = [f"{name} is not in the wheel" for name in missing_files(wheel)]
        for number, python in enumerate(args.python or [sys.executable]):
            place = Path(folder) / str(number)
            failures = attempt(python, wheel, args.extra, place)
            problems += [f"{python}: {failure}" for failure in failures]
            shutil.rmtree(place, ignore_errors=True)
    for problem in problems:
        print(f"try_wheel: {problem}", file=sys.stderr)
    return 1 if problems else 0


def build(folder: Path) -> Path:
    """The wheel of this checkout."""
    run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], folder)
    (wheel,) = folder.glob("*.whl")
    return wheel


def missing_files(wheel: Path) -> list[str]:
    """Files of the packages, code and data, that git has and the wheel has not."""
    packages = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    listed = run(["git", "ls-files", "--", *packages], ROOT).stdout.splitlines()
    packed = {*zipfile.ZipFile(wheel).namelist()}
    return [name for name in listed if name not in packed]


def attempt(python: str, wheel: Path, extras: list[str], place: Path) -> list[str]:
    """Install and try a wheel; prints a line, returns what is wrong."""
    place.mkdir()
    try:
        run([python, "-m", "venv", place / "venv"], place)
        programs = place / "venv" / "bin"
        wanted = f"spoken-terms[{','.join(extras)}] @ {wheel.as_uri()}"
        run([programs / "python", "-m", "pip", "install", "-q", wanted], place)
        shutil.copytree(ROOT / "examples", place / "examples")
        shutil.copytree(ROOT / "configs", place / "configs")
        size_mb = installed_mb(place / "venv")
        help_s = max(cpu_s([programs / name, "--help"], place) for name in COMMANDS)
        readme = (ROOT / "README.md").read_text()
        for program in programs_of(readme, programs):
            run(program, place)
        search = [programs / "std-search", "--store", "demo/index", "haus"]
        search_s = cpu_s(search, place)
        version = run([programs / "python", "--version"], place).stdout.strip()
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired, OSError) as error:
        return [told(error)]
    print(
        f"{version} [{','.join(extras)}]: {size_mb:.0f} MB, {len(COMMANDS)} commands, "
        f"--help at most {help_s:.2f} s CPU, known word {search_s:.2f} s CPU"
    )
    limits = [("--help", help_s, MAX_CPU_S, "s CPU"), ("known word", search_s, MAX_CPU_S, "s CPU")]
    if not extras:
        limits.append(("environment", size_mb, MAX_MB, "MB"))
    return [
        f"{name}: expected at most {most:g} {unit}, got {value:.4g}"
        for name, value, most, unit in limits
        if value > most
    ]


def programs_of(page: str, folder: Path) -> Iterator[list[object]]:
    """What a page shows to be run: commands after ``$``, and Python, in order.

    Args:
        page: its text.
        folder: of the programs that are tried.
    """
    for block in blocks(page):
        if block.language == "console":
            for command, _ in session(block.code):
                yield ["sh", "-c", f'PATH="{folder}:$PATH"; {command}']
        elif block.language == "python":
            yield [folder / "python", "-c", block.code]


def run(command: list[object], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program in a folder; what it prints is kept for an error."""
    return subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        timeout=TIMEOUT_S,
    )


def cpu_s(command: list[object], folder: Path) -> float:
    """User and system time of a program."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    run(command, folder)
    return used() - before


def installed_mb(environment: Path) -> float:
    """What the environment takes on the disk, without pip and setuptools."""
    theirs = ("pip", "setuptools", "pkg_resources")
    return sum(
        path.lstat().st_blocks * 512
        for path in environment.rglob("*")
        if not any(part.startswith(theirs) for part in path.relative_to(environment).parts)
    ) / (1 << 20)


def told(error: Exception) -> str:
    """An error with the end of what the program printed."""
    printed = getattr(error, "stderr", None) or ""
    return f"{error}: {printed.strip()[-1000:]}" if printed else str(error)


if __name__ == "__main__":
    raise SystemExit(main())
