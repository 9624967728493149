# ruff: noqa: RUF002  # IPA letters are meant
"""A letter tree: the pronunciation of each letter of a word, by the letters around it.

    tree = load(path)
    tree.phones("knight")     ("n", "aɪ", "t")

A node of the tree is a letter with some of its neighbours, as one string: the letter itself, the
next letter, the one before, the second next, and so on (`context`). It holds the most frequent
phones of the letter in such words; it has a child only where these differ. So a tree of a
dictionary gives the dictionary's own pronunciations, and similar ones to other words. It is the
IGTree of Daelemans, van den Bosch and Weijters, *IGTree: using trees for compression and
classification in lazy learning algorithms*, 1997, which used it for pronunciations. The order of
the neighbours is fixed: by distance, the right neighbour first.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from std.phonetics.phones import Pronunciation

EDGE = "#"
REACH = 10  # letters on either side that are used

Examples = Mapping[str, Sequence[tuple[str, Pronunciation]]]  # letter -> contexts and phones


@dataclass(frozen=True, slots=True, eq=False)
class LetterTree:
    """Contexts and their phones."""

    nodes: Mapping[str, Pronunciation]

    def phones(self, word: str) -> Pronunciation:
        """The phones of a word; letters that the tree lacks are silent."""
        text = f"{EDGE}{word}{EDGE}"
        phones: list[str] = []
        for at in range(1, len(text) - 1):
            phones += self._letter(text, at)
        return tuple(phones)

    def _letter(self, text: str, at: int) -> Pronunciation:
        node = text[at]
        found = self.nodes.get(node, ())
        for neighbour in context(text, at)[1:]:
            node += neighbour
            deeper = self.nodes.get(node)
            if deeper is None:
                break
            found = deeper
        return found


def context(text: str, at: int) -> str:
    """A letter and its neighbours: next, previous, second next, ..., up to the edges of the word.

    >>> context("#cat#", 2)
    'atc##'
    """
    letters = [text[at]]
    for away in range(1, REACH + 1):
        for place in (at + away, at - away):
            if 0 <= place < len(text):
                letters.append(text[place])
    return "".join(letters)


def grown(examples: Examples) -> LetterTree:
    """The smallest tree that reproduces all examples that do not contradict others.

    Args:
        examples: the examples of each letter, its contexts (`context`) and phones there.
    """
    nodes: dict[str, Pronunciation] = {}
    for letter in sorted(examples):
        _grow(letter, examples[letter], None, nodes)
    return LetterTree(nodes)


def _grow(
    node: str,
    examples: Sequence[tuple[str, Pronunciation]],
    above: Pronunciation | None,
    nodes: dict[str, Pronunciation],
) -> bool:
    """Add a node and those below it; return whether any was needed."""
    counts = Counter(phones for _, phones in examples)
    likeliest = min(counts, key=lambda phones: (-counts[phones], phones))
    needed = likeliest != above
    if len(counts) > 1:
        by_neighbour: dict[str, list[tuple[str, Pronunciation]]] = {}
        for example in examples:
            if neighbour := example[0][len(node) : len(node) + 1]:
                by_neighbour.setdefault(neighbour, []).append(example)
        for neighbour, group in sorted(by_neighbour.items()):
            needed |= _grow(node + neighbour, group, likeliest, nodes)
    if needed:
        nodes[node] = likeliest
    return needed


def save(tree: LetterTree, path: Path) -> None:
    """Write a tree: nodes in alphabetical order, each as its length, last letter and phones."""
    outcomes = sorted(set(tree.nodes.values()))
    number = {phones: i for i, phones in enumerate(outcomes)}
    names = sorted(tree.nodes)
    np.savez_compressed(
        path,
        outcomes=np.frombuffer("\n".join(map(" ".join, outcomes)).encode(), np.uint8),
        lengths=np.array([len(name) for name in names], np.uint8),
        letters=np.array([ord(name[-1]) for name in names], np.uint8),
        phones=np.array([number[tree.nodes[name]] for name in names], np.uint16),
    )


@cache
def load(path: Path) -> LetterTree:
    """Read a tree that `save` wrote."""
    with np.load(path, allow_pickle=False) as archive:
        outcomes = [tuple(line.split()) for line in bytes(archive["outcomes"]).decode().split("\n")]
        columns = (archive[name].tolist() for name in ("lengths", "letters", "phones"))
        nodes, name = {}, ""
        for length, letter, phones in zip(*columns, strict=True):
            name = name[: length - 1] + chr(letter)
            nodes[name] = outcomes[phones]
    return LetterTree(nodes)
