"""The same measures, computed a few pairs at a time."""

import random
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from scoring.discovery.ned import distances
from scoring.discovery.pairs import Pairs
from tests.scoring.discovery.oracle import test_definition, test_matching_2017, test_toolkit_2015
from tests.scoring.discovery.oracle.conftest import levenshtein

CHECKS = (
    test_definition.test_definition,
    test_matching_2017.test_matching_of_zrc2017,
    test_toolkit_2015.test_zrc2015,
)


@pytest.mark.parametrize("check", CHECKS)
def test_in_small_blocks(check, monkeypatch):
    """What is done by the million in large corpora is done by the handful here."""
    for module in ("partners", "matching_2015"):
        monkeypatch.setattr(f"scoring.discovery.{module}.CHUNK", 3)
    for seed in range(12):
        check.hypothesis.inner_test(seed)


def test_distances_of_many_types(monkeypatch):
    """Distance matrices, whole and in slices, beside a loop over all pairs."""
    rng = random.Random(1)
    texts = sorted({"".join(rng.choices("abc", k=rng.randint(0, 6))) for _ in range(40)})
    type_of = np.array([rng.randrange(len(texts)) for _ in range(90)])
    members = [sorted(rng.sample(range(90), 30)) for _ in range(2)]
    group = np.repeat([0, 1], 30)
    none = np.empty(0, np.int64)
    pairs = Pairs(90, group, np.concatenate(members), none, none, none, none)
    slow = Counter()
    for one in members:
        for a, b in combinations(one, 2):
            x, y = texts[type_of[a]], texts[type_of[b]]
            slow[levenshtein(x, y), max(len(x), len(y))] += 1
    assert distances(pairs, type_of, texts) == slow
    monkeypatch.setattr("scoring.discovery.ned.MATRIX", 50)
    assert distances(pairs, type_of, texts) == slow
    monkeypatch.setattr("scoring.discovery.ned.MAX_LOOP_TYPES", 100)
    assert distances(pairs, type_of, texts) == slow
