import os
import subprocess
import sys
from pathlib import Path

SEARCH = "import sys; from searcher.cli import main; sys.exit(main())"
THESIS = f"--config={Path(__file__).parents[2] / 'configs/thesis.toml'}"
NOTICE = b"std-search: compiling the kernels, once"


def test_compiling_is_told_once_and_not_from_the_cache(german, tmp_path):
    """In an empty cache the first search says why it takes seconds; the second says nothing."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    index = "import sys; from indexer.cli import main; sys.exit(main())"
    meshes = [str(german / "mesh" / "KERSTIN_00.mesh")]
    store = f"--store={tmp_path / 'index'}"

    def run(code: str, *options: str) -> bytes:
        command = [sys.executable, "-c", code, *options, store]
        return subprocess.run(command, env=environment, capture_output=True, check=False).stderr

    run(index, *meshes)
    assert NOTICE not in run(SEARCH, "burganlagen", "--quiet", THESIS)
    (tmp_path / "cache").rename(tmp_path / "warm")
    assert run(SEARCH, "burganlagen", THESIS).count(NOTICE) == 1
    assert NOTICE not in run(SEARCH, "burganlagen", THESIS)
