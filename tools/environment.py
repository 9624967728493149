"""Make the project's virtual environment from a lock file; needs nothing but Python 3.11.

    python3 tools/environment.py .venv requirements.lock

The pip that comes with Python 3.11 needs more than twice the time for a lock file, so a newer one
is installed first. Debian's Python comes without pip and without the means to put pip into an
environment (package python3-venv). Then pip itself is fetched from the package index, checked
against the digest below, and used straight from its wheel.
"""

import hashlib
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request
import venv
from pathlib import Path

PIP_VERSION = "25.3"
PIP_SHA256 = "9655943313a94722b7774661c21049070f6bbb0a1516bf02f7c8d5d9201514cd"
INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")


def main(folder: str, lock: str) -> int:
    """Make or complete the environment in a folder; quick if it is complete."""
    if sys.version_info < (3, 11):  # noqa: UP036  # this runs before anything checks the version
        print(f"expected Python 3.11 or newer, got {sys.version.split()[0]} ({sys.executable})")
        return 2
    environment = Path(folder)
    stamp = environment / f"{Path(lock).stem}.done"
    wanted = digest(Path(lock), Path("pyproject.toml"), Path(sys.executable).resolve())
    if stamp.is_file() and stamp.read_text() == wanted:
        return 0
    python = environment / "bin" / "python"
    print(f"making the environment in {folder} from {lock} ...", flush=True)
    pip = make(environment, python)
    pinned = [*pip, "install", "--quiet", "--disable-pip-version-check", "--use-pep517"]
    pinned += ["--no-deps"]  # a lock has all of them; pip would look at newer releases, too
    pinned += ["--no-compile"]  # of most packages few modules are ever imported
    subprocess.run([*pinned, "--require-hashes", "-r", lock], check=True)
    subprocess.run([*pinned, "--editable", "."], check=True)
    checked = subprocess.run([*pip, "check"], capture_output=True, text=True, check=False)
    if checked.returncode:
        raise SystemExit(f"{lock}: packages do not fit each other: {checked.stdout.strip()}")
    stamp.write_text(wanted)
    return 0


def make(environment: Path, python: Path) -> list[str]:
    """Create the environment if it is not there; returns the command that is its pip."""
    if python.exists() and works(python, "pip"):
        return [str(python), "-m", "pip"]
    if works(Path(sys.executable), "ensurepip"):
        venv.create(environment, with_pip=True, symlinks=True, clear=True)
        pip = [str(python), "-m", "pip"]
        newer = environment / "pip.txt"
        newer.write_text(f"pip=={PIP_VERSION} --hash=sha256:{PIP_SHA256}\n")
        quiet = ["--quiet", "--disable-pip-version-check", "--no-compile"]
        subprocess.run([*pip, "install", *quiet, "-r", str(newer)], check=True)
        return pip
    print("this Python cannot install pip (Debian: apt install python3-venv); fetching pip")
    if not python.exists():
        venv.create(environment, with_pip=False, symlinks=True, clear=True)
    return [str(python), str(pip_wheel(environment) / "pip")]


def works(python: Path, module: str) -> bool:
    """Whether a Python can run a module."""
    command = [str(python), "-m", module, "--version"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def pip_wheel(environment: Path) -> Path:
    """pip's own wheel, checked; Python runs it from the archive."""
    name = f"pip-{PIP_VERSION}-py3-none-any.whl"
    wheel = environment / name
    if not wheel.exists():
        with urllib.request.urlopen(f"{INDEX}/pip/") as page:
            links = re.findall(r'href="([^"]+)"', page.read().decode())
        link = next(one for one in links if name in one and not one.split("#")[0].endswith("a"))
        with urllib.request.urlopen(urllib.parse.urljoin(f"{INDEX}/pip/", link)) as answer:
            content = answer.read()
        if hashlib.sha256(content).hexdigest() != PIP_SHA256:
            raise SystemExit(f"{link}: expected sha256 {PIP_SHA256}; not used")
        with tempfile.NamedTemporaryFile(dir=environment, delete=False) as part:
            part.write(content)
        Path(part.name).rename(wheel)
    return wheel


def digest(*paths: Path) -> str:
    """Changes when a lock, the project's dependencies or the interpreter change."""
    content = hashlib.sha256()
    for path in paths:
        content.update(path.read_bytes() if path.suffix else str(path).encode())
    return content.hexdigest()


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
