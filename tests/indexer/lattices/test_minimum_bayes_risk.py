"""The compiled functions do what their Python text says, on a real lattice."""

from pathlib import Path

import numba
import numpy as np

from indexer.formats.detect import parse_file
from indexer.lattices import minimum_bayes_risk
from indexer.lattices.to_network import best_path, pruned, words_only
from tests.networks import networks_in

ASR = Path(__file__).parents[2] / "data" / "asr"


def test_compiled_equals_interpreted():
    (lattice,) = networks_in(parse_file(ASR / "slf" / "de_rhasspy-1151.slf.gz"))
    lattice = pruned(words_only(lattice))
    nodes, word = len(lattice.node_s), lattice.word + 1
    links = lattice.source, lattice.target, lattice.log_score
    said = np.zeros(2 * len(best_path(lattice)) + 1, dtype=np.int32)
    said[1::2] = word[best_path(lattice)]

    results = []
    for how in (minimum_bayes_risk.compiled, lambda function: function):
        before = how(minimum_bayes_risk.forward)(nodes, *links)
        after = how(minimum_bayes_risk.backward)(nodes, *links)
        weight = np.exp(before[lattice.source] + lattice.log_score - before[lattice.target])
        arguments = lattice.source, lattice.target, word, weight, said
        distance = how(minimum_bayes_risk.edit_distances)(nodes, *arguments)
        sums = how(minimum_bayes_risk.slot_statistics)(
            *arguments, distance, lattice.node_s, len(lattice.vocabulary) + 1
        )
        results.append(
            [before, after, how(minimum_bayes_risk.best_links)(nodes, *links), distance, sums]
        )
    for ours, expected in zip(*results, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12, atol=1e-12)
    assert abs(before[-1] - after[0]) < 1e-9  # all paths, from either side


def test_without_a_place_for_machine_code_it_is_made_each_time(monkeypatch):
    made = []

    def njit(function=None, *, cache=False, nogil=False):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        made.append(function)
        return function

    monkeypatch.setattr(numba, "njit", njit)
    minimum_bayes_risk.compiled.cache_clear()
    assert minimum_bayes_risk.compiled(minimum_bayes_risk.forward) is minimum_bayes_risk.forward
    assert made == [minimum_bayes_risk.forward]
    minimum_bayes_risk.compiled.cache_clear()
