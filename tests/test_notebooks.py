"""The notebooks of examples/notebooks show what they hold, and are valid."""

import importlib.util
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PATHS = sorted((ROOT / "examples" / "notebooks").glob("*.ipynb"))


@pytest.fixture(scope="module")
def notebooks():
    """tools/notebooks.py; its imports parse grammars for seconds, so collecting tests must not."""
    why = "needs nbclient, nbformat and ipykernel (make test-environment)"
    for module in ("nbformat", "nbclient", "ipykernel"):
        pytest.importorskip(module, reason=why)
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "tools" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def nbformat(notebooks):
    return notebooks.nbformat


def test_there_are_notebooks():
    assert len(PATHS) == 4


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_is_valid_and_has_its_outputs(path, nbformat):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert all(cell.outputs for cell in cells[1:])  # the first may only import
    kinds = [output.output_type for cell in cells for output in cell.outputs]
    assert set(kinds) <= {"stream", "execute_result", "display_data"}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_it_shows_what_it_holds(path, notebooks, nbformat):
    found = notebooks.differences(nbformat.read(path, as_version=4), notebooks.executed(path))
    assert not [*found]


@pytest.fixture
def of_texts(nbformat):
    """Makes a notebook of one cell for each text, which prints it."""

    def make(*texts):
        cells = [
            nbformat.v4.new_code_cell(
                outputs=[nbformat.v4.new_output("stream", name="stdout", text=text)]
            )
            for text in texts
        ]
        return nbformat.v4.new_notebook(cells=cells)

    return make


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("ATWV 0.893", "ATWV 0.891", True),
        ("ATWV 0.893", "ATWV 0.871", False),
        ("a       0.98", "a      -0.01", False),
        ("a       0.01", "a      -0.00", False),
        ("p = 0.0005", "p = 0.001", True),
        ("12 misses", "13 misses", False),
        ("spreewald 0.98", "spreewelt 0.98", False),
        ("0.98", "0.98 0.97", False),
        ("32,768.0 s", "32,768.0 s", True),
    ],
)
def test_differences_are_found(before, after, same, notebooks, of_texts):
    found = [*notebooks.differences(of_texts("x", before), of_texts("x", after))]
    assert [number for number, *_ in found] == ([] if same else [1])


def test_an_output_that_is_missing_is_a_difference(notebooks, nbformat, of_texts):
    empty = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell()])
    assert [*notebooks.differences(of_texts("x"), empty)]
    assert [*notebooks.differences(empty, of_texts("x"))]


def test_what_depends_on_the_run_is_left_out(notebooks, nbformat, of_texts):
    noisy = of_texts("one\n", "")
    noisy.cells[0].metadata["execution"] = {"iopub.execute_input": "2026-11-22T12:00:00Z"}
    noisy.cells[0].outputs += [
        nbformat.v4.new_output("stream", name="stderr", text="compiling\n"),
        nbformat.v4.new_output("stream", name="stdout", text="two\n"),
    ]
    cell = notebooks.tidied(noisy).cells[0]
    assert notebooks.shown(cell) == [("text", "one\ntwo\n")]
    assert not cell.metadata
