"""Compilation is timed, so that a summary can tell it from the work."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest
from numba.core.caching import CacheImpl

from searcher.commands.batch import summary_line
from std.execution.compiled import compiled
from std.execution.cost import LEDGER, Cost

ROOT = Path(__file__).parents[3]
PARTS = (
    "from std.execution.compiled import compiled_within\n"
    "SHARE, later = {}, compiled_within(lambda a: {})\n"
)


def test_only_the_first_call_compiles(monkeypatch):
    monkeypatch.setattr(CacheImpl, "_locator_classes", [])  # no folder for the machine code
    before_s = LEDGER.total_compile_s()
    inner = compiled(lambda a: a + 1)
    outer = compiled(lambda a: 2 * inner(a))
    assert outer(2) == 6
    once_s = LEDGER.total_compile_s()
    assert outer(3) == 8
    assert before_s < once_s == LEDGER.total_compile_s()


@pytest.mark.parametrize(("changed", "expected"), [((30, "a"), 150), ((2, "a + 10"), 30)])
def test_machine_code_with_an_earlier_constant_or_function_of_another_module_is_not_used(
    tmp_path, monkeypatch, changed, expected
):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "kernel_of_test.py").write_text(
        "from std.execution.compiled import compiled\nfrom parts_of_test import SHARE, later\n"
        "@compiled\ndef kernel(a):\n    return SHARE * later(a)\n"
    )
    found = []
    for parts in ((2, "a"), changed):
        (tmp_path / "parts_of_test.py").write_text(PARTS.format(*parts))
        found.append(import_module("kernel_of_test").kernel(5))
        for name in ("kernel_of_test", "parts_of_test"):
            del sys.modules[name]
    assert found == [10, expected]


def test_machine_code_made_with_other_options_is_not_used(tmp_path, monkeypatch):
    """As that of an earlier version, which let no other thread run."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "kernel_of_test.py").write_text(
        "from std.execution.compiled import compiled\n@compiled\ndef kernel(a):\n    return -a\n"
    )
    hits = []
    for nogil in (False, True, True):
        monkeypatch.setattr("std.execution.compiled.OPTIONS", {"nogil": nogil})
        kernel = import_module("kernel_of_test").kernel
        assert kernel(5) == -5
        hits.append(sum(kernel.stats.cache_hits.values()))
        del sys.modules["kernel_of_test"]
    assert hits == [0, 0, 1]


def test_the_summary_says_how_much_was_compiling():
    figures = {"terms": 1, "oov_terms": 0, "detections": 2, "yes": 1}
    args = SimpleNamespace(output=None)
    told = summary_line(figures, Cost(12.345, 11.1, 0.0), args)
    assert told.endswith("1 accepted, 12.35 s (11.10 s CPU)")
    told = summary_line(figures, Cost(12.345, 1.1, 11.0), args)
    assert told.endswith("1 accepted, 12.35 s (1.10 s CPU, and 11.00 s for compiling)")


def test_kernels_load_no_linear_algebra_and_kept_ones_no_compiler_but_those_of_others_have_it(
    tmp_path,
):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys, numba, numpy as np; from std.execution.compiled import compiled\n"
        "compiled(lambda a: a + 1)(2); print('scipy.linalg' in sys.modules)\n"
        "print('numba.np.arraymath' in sys.modules)\n"
        "print(numba.njit(lambda a: np.dot(a, a))(np.full((2, 2), 3.0)).sum())"
    )
    for compiles in ("True", "False"):
        done = subprocess.run(
            [sys.executable, program], env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.stdout.split() == ["False", compiles, "72.0"], done.stderr
