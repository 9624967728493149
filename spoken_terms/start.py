"""Start a command, unless Python would import another project's package in place of ours.

    std_index, std_search, ...   what the commands of the distribution call
    start                        check the packages, import the command, run it
    misplaced_package            name a package that is not the one that was installed

Our packages have short names, so a folder on PYTHONPATH may contain a package with the same name,
or another distribution may have replaced ours. The check comes before any import of these packages,
so this module uses the standard library only. It takes 2 ms.
"""

import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

FROM_PYTHON = ("std", "recogniser", "indexer", "searcher", "scoring")
PACKAGES = (*FROM_PYTHON, "service")  # which only std-serve needs
COMMANDS = {  # and the modules whose function ``main`` they are
    "std-recognise": "recogniser.cli",
    "std-index": "indexer.cli",
    "std-store": "indexer.store_cli",
    "std-search": "searcher.commands.search",
    "std-tune": "searcher.commands.tune",
    "std-discover": "searcher.commands.discover",
    "std-serve": "service.cli",
    "std-score": "scoring.cli",
    "std-discovery": "scoring.discovery.cli",
    "std-config": "std.config_cli",
    "std-listen-again": "spoken_terms.listen_again",
    "std-demo": "spoken_terms.demo",
}
ALIASES = {"std-query": ("std-search", "--explain-query")}  # other names of commands
READER_FOR = "std-score"  # takes references in every format that the indexer reads
ROOT = Path(__file__).resolve().parents[1]  # where this package is, and the others should be


def start(command: str, argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        command: its name, or an alias.
        argv: its arguments; None = those of the process.

    Returns:
        its exit status; 2 if a package is not ours.
    """
    if command in ALIASES:
        command, option = ALIASES[command]
        argv = [option, *(sys.argv[1:] if argv is None else argv)]
    if problem := misplaced_package():
        print(f"{command}: {problem}", file=sys.stderr)  # noqa: T201  # nothing else can say it
        return 2
    main = import_module(COMMANDS[command]).main
    status: int = main(argv, _read_transcript) if command == READER_FOR else main(argv)
    return status


def _read_transcript(paths: Sequence[Path], encoding: str | None) -> Any:
    """The indexer's reader, passed to `scoring` because the phases do not import each other."""
    from indexer import InputOptions, read_transcript

    return read_transcript(paths, options=InputOptions(encoding=encoding))


std_recognise = partial(start, "std-recognise")
std_index = partial(start, "std-index")
std_store = partial(start, "std-store")
std_search = partial(start, "std-search")
std_tune = partial(start, "std-tune")
std_discover = partial(start, "std-discover")
std_serve = partial(start, "std-serve")
std_score = partial(start, "std-score")
std_discovery = partial(start, "std-discovery")
std_config = partial(start, "std-config")
std_listen_again = partial(start, "std-listen-again")
std_demo = partial(start, "std-demo")
std_query = partial(start, "std-query")


def misplaced_package(root: Path = ROOT, packages: Sequence[str] = PACKAGES) -> str:
    """Describe, in one line, the first package that Python finds in another folder than ours.

    Args:
        root: the folder that should hold the packages.
        packages: the packages that are needed.

    Returns:
        the message; empty if all packages are ours.
    """
    sizes = _installed_sizes(root)
    for package in packages:
        expected = root / package / "__init__.py"
        found = _found(package)
        if found is None or found.resolve() != expected.resolve():
            return (
                f"expected the package {package!r} in {str(root)!r}, "
                f"got {_described(package, found)}"
            )
        if expected.stat().st_size != sizes.get(f"{package}/__init__.py", expected.stat().st_size):
            return (
                f"expected the package {package!r} as spoken-terms installed it, "
                f"got {_described(package, found)}"
            )
    return ""


def _found(package: str) -> Path | None:
    """The file or folder that Python would import."""
    spec = find_spec(package)
    if spec is None:
        return None
    if spec.origin is not None:
        return Path(spec.origin)
    return Path(next(iter(spec.submodule_search_locations or ()), "."))  # a folder without __init__


def _installed_sizes(root: Path) -> dict[str, int]:
    """Size in bytes of each file when it was installed; empty in a checkout.

    Another distribution that is installed into the same folder replaces files. Two files with the
    same name and the same size are unlikely.
    """
    sizes = {}
    for record in root.glob("spoken_terms-*.dist-info/RECORD"):
        for line in record.read_text().splitlines():
            path, _, size = line.rsplit(",", 2)
            if size:
                sizes[path] = int(size)
    return sizes


def _described(package: str, found: Path | None) -> str:
    """Say which package was found instead, and what to do."""
    if found is None or found.is_dir():  # Python prefers any other to a folder without __init__.py
        return "none; pip install --force-reinstall spoken-terms"
    from importlib.metadata import packages_distributions

    others = sorted({*packages_distributions().get(package, ())} - {"spoken-terms"})
    if others:
        return (
            f"that of the distribution {others[0]!r}, {str(found)!r}; "
            "a separate environment keeps them apart"
        )
    return f"another one, {str(found)!r}; rename it, or take its folder off PYTHONPATH"
