"""A digest of the code, by which the processes of a cluster check that they run the same code."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

from std import __version__

PACKAGES = ("indexer", "searcher", "std")  # what runs in workers; they are installed side by side


@cache
def version() -> str:
    """The version and a digest of the sources as they were when first asked, ``0.1.0 (3f9a...)``.

    The release alone says too little: people change code between releases.
    """
    root = Path(__file__).parents[2]
    digest = blake2b(digest_size=6)
    for path in sorted(path for package in PACKAGES for path in (root / package).rglob("*.py")):
        digest.update(b"%s\0%s\0" % (path.relative_to(root).as_posix().encode(), path.read_bytes()))
    return f"{__version__} ({digest.hexdigest()})"
