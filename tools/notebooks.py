"""Run the notebooks of examples/notebooks, and compare what they show with what they hold.

    python tools/notebooks.py                   run all; print what differs from what they hold
    python tools/notebooks.py --write [FILE...] run and keep the outputs

A notebook is committed with its outputs, so that a reader sees them without running anything. Texts
must be the same but for numbers with decimals, which may differ by `TOLERANCE`; of pictures and
sound only the kind is compared. What goes to standard error (the notice that kernels are compiled)
is left out.
"""

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "examples" / "notebooks"
TOLERANCE = 0.005  # of numbers with decimals: one term of 253 is worth .004
TIMEOUT_S = 600  # of one cell, on a busy machine
DECIMAL = re.compile(r"-?\d*\.\d+(?:e[-+]?\d+)?")


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook as it is after all of its cells ran in order, in its own folder."""
    notebook = nbformat.read(path, as_version=4)
    # The packages of this checkout, wherever others are installed.
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    with TemporaryDirectory() as sockets:
        client = NotebookClient(
            notebook,
            timeout=TIMEOUT_S,
            startup_timeout=TIMEOUT_S,
            kernel_name="python3",
            config=Config({"KernelManager": {"transport": "ipc", "ip": f"{sockets}/kernel"}}),
            resources={"metadata": {"path": str(path.parent)}},
        )
        client.execute(env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)})
    return tidied(notebook)


def tidied(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """The notebook without what differs from run to run or from machine to machine."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
        if cell.cell_type == "code":
            cell.outputs = joined(
                [output for output in cell.outputs if output.get("name") != "stderr"]
            )
    return notebook


def joined(outputs: list[Any]) -> list[Any]:
    """Outputs with each run of printed texts as one: where they are cut depends on the time."""
    result: list[Any] = []
    for output in outputs:
        if result and output.output_type == result[-1].output_type == "stream":
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def shown(cell: Any) -> list[tuple[str, str]]:
    """What a code cell shows: kind and text of each output; no text of pictures and sound."""
    outputs = []
    for output in cell.outputs:
        if output.output_type == "stream":
            outputs.append(("text", output.text))
            continue
        kinds = "+".join(sorted(output.data))
        is_text = set(output.data) == {"text/plain"}
        outputs.append((kinds, output.data["text/plain"] if is_text else ""))
    return outputs


def same_text(before: str, after: str) -> bool:
    """Whether two texts are the same but for small differences of their decimals.

    >>> same_text("ATWV 0.893, 12 misses", "ATWV 0.891, 12 misses")
    True
    >>> same_text("ATWV 0.893, 12 misses", "ATWV 0.893, 13 misses")
    False
    """
    if squeezed(DECIMAL.sub("#", before)) != squeezed(DECIMAL.sub("#", after)):
        return False
    numbers = zip(DECIMAL.findall(before), DECIMAL.findall(after), strict=True)
    return all(abs(float(a) - float(b)) <= TOLERANCE * max(1, abs(float(a))) for a, b in numbers)


def squeezed(text: str) -> str:
    """With single spaces: how wide a column is depends on its numbers."""
    return re.sub(r"[ -]*#", " #", re.sub(r" +", " ", text))


def differences(
    committed: nbformat.NotebookNode, run: nbformat.NotebookNode
) -> Iterator[tuple[int, str, str]]:
    """Number of the cell, what it holds and what it shows now, where these are not the same."""
    for number, (old, new) in enumerate(zip(committed.cells, run.cells, strict=True)):
        if new.cell_type != "code":
            continue
        before, after = shown(old), shown(new)
        if [kind for kind, _ in before] != [kind for kind, _ in after] or not all(
            same_text(a, b) for (_, a), (_, b) in zip(before, after, strict=True)
        ):
            yield number, "\n".join(map(str, before)), "\n".join(map(str, after))


def main(arguments: list[str]) -> int:
    """Run, and compare or write; 1 if something differs."""
    write = "--write" in arguments
    names = [Path(name) for name in arguments if not name.startswith("-")]
    status = 0
    for path in names or sorted(FOLDER.glob("*.ipynb")):
        run = executed(path)
        if write:
            nbformat.write(run, path)
            print(f"{path}: written")
            continue
        for number, before, after in differences(nbformat.read(path, as_version=4), run):
            print(f"{path}, cell {number}:\nholds {before}\nshows {after}")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
