"""Algorithm III of the thesis: a BK-tree (Burkhard and Keller 1973), in flat arrays.

There is one tree per word length, instead of the thesis's trees of overlapping length ranges. A
segment of m letters with limit k is looked up in the trees of m - k to m + k letters. No word is
stored twice, and all trees are in the same arrays. Nodes stand in breadth-first order, the roots
first, so the children of a node are neighbours and ``first_child`` alone says where they are; they
ascend by ``edge``.

The arrays can be stored as .npy files and mapped into memory again: `save`, `load`, and
`load_or_build`, which saves a tree if there is none.
"""

import json
import re
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt

from searcher.terms.splitting.matches import (
    MAX_EDITS,
    MAX_LETTERS,
    Matches,
    MatchLimits,
    check_length,
    sort,
)
from searcher.terms.vocabulary import Alphabet, FlatWords, Vocabulary, lay_out, select
from std.errors import InputError, Unquoted
from std.json_fields import read_json
from std.own_folder import OwnFolder
from std.values import Int32s

TREE_SEED = 1973  # the thesis inserts in random order; a fixed one makes the same tree every time
TREE_FORMAT = 1
NPY_HEADER = re.compile(  # version 1.0, one dimension
    rb"\x93NUMPY\x01\x00..\{'descr': '(?P<dtype>[<|][iuf][1248])', 'fortran_order': False, "
    rb"'shape': \((?P<rows>\d{1,18}),\), \} *\n",
    re.DOTALL,
)
ARRAYS = {  # and their types; letters are bytes where the alphabet allows it
    "codes": "<u4",
    "letters": "<i4",
    "offsets": "<i8",
    "ids": "<i4",
    "first_child": "<i4",
    "edge": "<i4",
    "root": "<i4",
}
FILES = ("bktree.json", *(f"{name}.npy" for name in ARRAYS))
TREE = re.compile("[0-9a-f]{16}")  # folders of trees, beside an index


@dataclass(frozen=True, slots=True, eq=False)
class BKTreeIndex:
    """The trees of all word lengths.

    Node i holds word ``words.ids[i]`` and has the children
    ``first_child[i]:first_child[i + 1]``.
    """

    alphabet: Alphabet
    words: FlatWords  # (n,) in the order of the nodes
    first_child: Int32s  # (n + 1,)
    edge: Int32s  # (n,) distance to the parent; 0 of a root
    root: Int32s  # (longest + 1,) node where the words of k letters begin, or -1

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find all matches of a word, see `searcher.terms.splitting.matches`."""
        check_length(word)
        from searcher.terms.splitting.kernels import bktree_matches

        return sort(
            bktree_matches(
                self.alphabet.encode(word),
                limits.table(len(word)),
                len(self.alphabet),
                *self.words,
                self.first_child,
                self.edge,
                self.root,
            )
        )


def build(vocabulary: Vocabulary) -> BKTreeIndex:
    """Build the trees of a vocabulary.

    Raises:
        ValueError: the vocabulary is empty.
    """
    from searcher.terms.splitting.kernels import bktree_link

    alphabet, letters, offsets = lay_out(vocabulary.words)
    lengths = np.diff(offsets)
    usable = np.flatnonzero(lengths <= MAX_LETTERS + MAX_EDITS).astype(np.int32)
    inserted = select(letters, offsets, np.random.default_rng(TREE_SEED).permutation(usable))
    root = np.full(int(lengths[usable].max(initial=0)) + 1, -1, np.int32)
    head, following, edge = bktree_link(len(alphabet), inserted.letters, inserted.offsets, root)
    order, first_child = _breadth_first(root[root >= 0], head, following)
    place = np.empty(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    root[root >= 0] = place[root[root >= 0]]
    words = select(letters, offsets, inserted.ids[order])
    return BKTreeIndex(alphabet, words, first_child, edge[order], root)


def _breadth_first(roots: Int32s, head: Int32s, following: Int32s) -> tuple[Int32s, Int32s]:
    """Nodes in breadth-first order, and where the children of each begin."""
    order, first_child = roots.tolist(), []
    heads, nexts = head.tolist(), following.tolist()
    for node in order:  # grows while we read it
        first_child.append(len(order))
        child = heads[node]
        while child >= 0:
            order.append(child)
            child = nexts[child]
    first_child.append(len(order))
    return np.array(order, np.int32), np.array(first_child, np.int32)


def save(tree: BKTreeIndex, folder: Path, vocabulary: Vocabulary) -> None:
    """Keep the arrays as .npy files in a new folder, which appears whole or not at all.

    Raises:
        InputError: the folder is there already, or cannot be made.
    """
    try:
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}.", dir=folder.parent) as name:
            fresh = Path(name) / "tree"
            fresh.mkdir()
            for array, values in _arrays(tree).items():
                with (fresh / f"{array}.npy").open("wb") as stream:  # numpy names no reason
                    np.save(SimpleNamespace(write=stream.write), values, allow_pickle=False)
            header = {"format": TREE_FORMAT, "vocabulary": vocabulary.digest()}
            (fresh / "bktree.json").write_text(json.dumps(header), "utf-8")
            fresh.rename(folder)
    except OSError as error:
        raise InputError(
            folder, 0, "a new folder in a writable one", Unquoted(error.strerror or str(error))
        ) from error


def load(folder: Path, vocabulary: Vocabulary) -> BKTreeIndex:
    """Map saved arrays into memory, read-only.

    Raises:
        InputError: there is no saved tree, it is damaged, or it was built from other words.
    """
    try:
        header = read_json(folder / "bktree.json").value
        arrays = {name: _mapped(folder / f"{name}.npy") for name in ARRAYS}
    except (OSError, ValueError, InputError) as error:
        raise InputError(folder, 0, "a saved BK-tree", Unquoted(str(error))) from error
    expected = {"format": TREE_FORMAT, "vocabulary": vocabulary.digest()}
    if header != expected:
        raise InputError(folder, 0, "a BK-tree of this vocabulary", Unquoted("one of other words"))
    _check(folder, arrays, len(vocabulary))
    return BKTreeIndex(
        Alphabet(arrays["codes"]),
        FlatWords(arrays["letters"], arrays["offsets"], arrays["ids"]),
        arrays["first_child"],
        arrays["edge"],
        arrays["root"],
    )


def _mapped(path: Path) -> npt.NDArray[Any]:
    """An array as `save` writes it; numpy's own reader raises other errors on damaged headers.

    Raises:
        OSError: there is no such file.
        ValueError: it is another file, or was cut short.
    """
    with path.open("rb") as stream:
        header = NPY_HEADER.match(stream.read(128))
    if not header:
        raise ValueError(f"{path.name} is no array that was saved here")
    dtype, rows = np.dtype(header["dtype"].decode()), int(header["rows"])
    if path.stat().st_size != header.end() + rows * dtype.itemsize:
        raise ValueError(f"{path.name} has not the bytes of {rows} rows")
    if not rows:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, "r", header.end(), rows)


def load_or_build(folder: Path, vocabulary: Vocabulary) -> BKTreeIndex:
    """Load a saved tree; if there is none, build and save it.

    Raises:
        InputError: the saved tree is damaged or of other words, or the folder cannot be made.
    """
    if not folder.exists():
        save(build(vocabulary), folder, vocabulary)
    return load(folder, vocabulary)


def kept_with(index: Path, vocabulary: Vocabulary) -> BKTreeIndex:
    """The tree of an index in a folder: built once for its words, saved beside its segments.

    When the index has other words, the next tree replaces the one before. Where nothing can be
    written, or the saved tree is damaged, the tree is built in memory.
    """
    folder = index / "bktree" / vocabulary.digest()[:16]
    try:
        with OwnFolder(index) as own, own.folder("bktree", create=True) as trees:
            if not trees.status(folder.name):
                _remove_trees(trees)
            with suppress(FileNotFoundError):
                trees.folder(folder.name).close()  # no link
        return load_or_build(folder, vocabulary)
    except (OSError, InputError):
        with suppress(OSError), OwnFolder(index) as own, own.folder("bktree") as trees:
            trees.remove_folder(folder.name, FILES.__contains__)  # the next search saves it anew
        return build(vocabulary)


def _remove_trees(trees: OwnFolder) -> None:
    """Remove the trees of other words, and nothing else."""
    for name in filter(TREE.fullmatch, trees.names()):
        with suppress(OSError):
            trees.remove_folder(name, FILES.__contains__)


def _arrays(tree: BKTreeIndex) -> dict[str, npt.NDArray[Any]]:
    values = (tree.alphabet.codes, *tree.words, tree.first_child, tree.edge, tree.root)
    return dict(zip(ARRAYS, values, strict=True))


def _check(folder: Path, arrays: dict[str, npt.NDArray[Any]], words: int) -> None:
    """Refuse arrays in which a kernel, which checks no bounds, would read beyond the end."""
    n = len(arrays["ids"])
    lengths = {"offsets": n + 1, "first_child": n + 1, "edge": n}
    first, root, ids = arrays["first_child"], arrays["root"], arrays["ids"]
    letters, offsets = arrays["letters"], arrays["offsets"]
    types = {name: array.dtype.str for name, array in arrays.items()}
    if types["letters"] == "|u1":
        types["letters"] = ARRAYS["letters"]
    fits = (
        types == ARRAYS
        and all(array.ndim == 1 for array in arrays.values())
        and all(len(arrays[name]) == length for name, length in lengths.items())
        and offsets[0] == 0
        and offsets[-1] == len(letters)
        and bool((offsets[1:] > offsets[:-1]).all())
        and 0 <= int(letters.min(initial=0)) <= int(letters.max(initial=0)) <= len(arrays["codes"])
        and bool((first[1:] >= first[:-1]).all())
        and bool((first[:-1] > np.arange(n)).all())
        and first[-1] == n
        and bool(((root >= -1) & (root < n)).all())
        and bool(((ids >= 0) & (ids < words)).all())
    )
    if not fits:
        raise InputError(
            folder, 0, "a whole BK-tree", Unquoted("arrays that do not fit each other")
        )
