"""No column of an index, whatever is in it, leads compiled code out of its arrays."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from indexer import index_files

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples" / "german" / "mesh"


@pytest.mark.parametrize("seed", ["32", "33"])
def test_damaged_columns_are_refused_or_searched(tmp_path, seed):
    """The slow one compiles kernels that check their bounds."""
    index_files(EXAMPLES / "KERSTIN_14.mesh", str(tmp_path / "index"), language="de")
    here = Path(__file__)
    kernels = str(tmp_path / "kernels")  # which are compiled sooner if they are not optimised
    checks = {"NUMBA_BOUNDSCHECK": "1", "NUMBA_OPT": "0", "NUMBA_CACHE_DIR": kernels}
    ran = subprocess.run(
        [sys.executable, here.with_name("damaged_columns.py"), str(tmp_path / "index"), seed],
        env=os.environ | {"PYTHONPATH": str(here.parents[2])} | (checks if seed == "33" else {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    outcome = json.loads(ran.stdout)
    assert outcome["wrong"] == []
    assert outcome["refused"] > outcome["searched"] > 20
