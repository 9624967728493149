"""The inner loops over a lattice's links, compiled: sums over paths and expected edit distances.

Links are numbered so that all links into a node come before those out of it; nodes so that links
lead upwards (`indexer.lattices.lattice.Lattice`). Words are numbers, 0 is "no word".

    forward, backward     log of the summed probability of all paths from the start, to the end
    best_links            the single best path
    edit_distances        expected edit distance of partial paths to a word sequence's beginnings
    slot_statistics       where along the sequence each link's word falls, with times

Source: Xu, Povey, Mangu, Zhu, "Minimum Bayes Risk decoding and system combination based on a
recursion for edit distance", Computer Speech and Language 25 (2011), figures 5 and 7. Where a
word of the sequence is not matched by a link, its "no word" is timed at the node passed there.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

DELTA = 1e-5  # an inserted word costs slightly more than a substituted one: breaks ties
ROUNDING = 1e-9  # closer costs are equal: rounding errors must not choose the slot


def forward(nodes: int, source: Any, target: Any, score: Any) -> Any:
    """Return (n,) log sums over the paths from node 0.

    Args:
        nodes: n, in topological order.
        source, target: (l,) nodes of each link; a link comes after all links into its source.
        score: (l,) log scores.
    """
    sums = np.full(nodes, -np.inf)
    sums[0] = 0.0
    for k in range(len(source)):
        into, value = target[k], sums[source[k]] + score[k]
        high, low = max(sums[into], value), min(sums[into], value)
        sums[into] = high if low == -np.inf else high + np.log1p(np.exp(low - high))
    return sums


def backward(nodes: int, source: Any, target: Any, score: Any) -> Any:
    """Return (n,) log sums over the paths to the last node.

    Args:
        nodes: n, in topological order.
        source, target: (l,) nodes of each link; a link comes after all links into its source.
        score: (l,) log scores.
    """
    sums = np.full(nodes, -np.inf)
    sums[nodes - 1] = 0.0
    for k in range(len(source) - 1, -1, -1):
        out, value = source[k], sums[target[k]] + score[k]
        high, low = max(sums[out], value), min(sums[out], value)
        sums[out] = high if low == -np.inf else high + np.log1p(np.exp(low - high))
    return sums


def best_links(nodes: int, source: Any, target: Any, score: Any) -> Any:
    """Return the links of the best path, in order.

    Args:
        nodes: n, in topological order.
        source, target: (l,) nodes of each link; a link comes after all links into its source.
        score: (l,) log scores.
    """
    best = np.full(nodes, -np.inf)
    best[0] = 0.0
    entry = np.full(nodes, -1)
    for k in range(len(source)):
        value = best[source[k]] + score[k]
        if value > best[target[k]]:
            best[target[k]], entry[target[k]] = value, k
    path = np.empty(nodes, dtype=np.int64)
    at, length = nodes - 1, 0
    while at > 0:
        path[length] = entry[at]
        at, length = source[entry[at]], length + 1
    return path[:length][::-1].copy()


def edit_distances(nodes: int, source: Any, target: Any, word: Any, weight: Any, said: Any) -> Any:
    """Return (n, q + 1) expected edit distances of paths to a node against ``said[:i]``.

    Args:
        nodes: n.
        source, target, word: (l,) links.
        weight: (l,) probability of the link, given that a path reaches its target.
        said: (q,) words, 0 for no word.
    """
    slots = len(said)
    distance = np.zeros((nodes, slots + 1))
    for q in range(slots):
        distance[0, q + 1] = distance[0, q] + (said[q] != 0)
    row = np.empty(slots + 1)
    for k in range(len(source)):
        before, w = distance[source[k]], word[k]
        insertion = 1 + DELTA if w != 0 else 0.0
        row[0] = before[0] + insertion
        for q in range(slots):
            row[q + 1] = min(
                before[q] + (w != said[q]), before[q + 1] + insertion, row[q] + (said[q] != 0)
            )
        distance[target[k]] += weight[k] * row
    return distance


def slot_statistics(
    source: Any,
    target: Any,
    word: Any,
    weight: Any,
    said: Any,
    distance: Any,
    node_s: Any,
    words: int,
) -> Any:
    """Return (3, q, words) posterior of each word in each slot; start, end in s times posterior.

    Arguments are those of `edit_distances`, (n, q + 1) its result, and (n,) time of each node in s.
    """
    nodes, slots = distance.shape[0], len(said)
    sums = np.zeros((3, slots, words))
    reach = np.zeros((nodes, slots + 1))
    reach[nodes - 1, slots] = 1.0
    row = np.empty(slots + 1)
    move = np.empty(slots + 1, dtype=np.int8)
    mass = np.empty(slots + 1)
    for k in range(len(source) - 1, -1, -1):
        s, t, w = source[k], target[k], word[k]
        insertion = 1 + DELTA if w != 0 else 0.0
        row[0] = distance[s, 0] + insertion
        for q in range(slots):
            match = distance[s, q] + (w != said[q])
            insert = distance[s, q + 1] + insertion
            delete = row[q] + (said[q] != 0)
            if match <= min(insert, delete) + ROUNDING:
                row[q + 1], move[q + 1] = match, 1
            elif insert <= delete + ROUNDING:
                row[q + 1], move[q + 1] = insert, 2
            else:
                row[q + 1], move[q + 1] = delete, 3
        for q in range(slots + 1):
            mass[q] = weight[k] * reach[t, q]
        for q in range(slots, 0, -1):
            if mass[q] == 0.0:
                continue
            if move[q] == 1:
                reach[s, q - 1] += mass[q]
                sums[0, q - 1, w] += mass[q]
                sums[1, q - 1, w] += mass[q] * node_s[s]
                sums[2, q - 1, w] += mass[q] * node_s[t]
            elif move[q] == 2:
                reach[s, q] += mass[q]
            else:
                mass[q - 1] += mass[q]
                sums[0, q - 1, 0] += mass[q]
                sums[1, q - 1, 0] += mass[q] * node_s[t]
                sums[2, q - 1, 0] += mass[q] * node_s[t]
        reach[s, 0] += mass[0]
    for q in range(slots, 0, -1):
        if reach[0, q] > 0:
            reach[0, q - 1] += reach[0, q]
            sums[0, q - 1, 0] += reach[0, q]
            sums[1, q - 1, 0] += reach[0, q] * node_s[0]
            sums[2, q - 1, 0] += reach[0, q] * node_s[0]
    return sums


@cache
def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """One of the functions above, compiled; numba is imported only when it is needed."""
    from std.execution.compiled import compiled

    return compiled(function)
