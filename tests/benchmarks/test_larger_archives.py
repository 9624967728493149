"""False alarms of decoys, and the larger archives that they make of a set."""

import numpy as np
import pytest

from benchmarks.larger_archives import in_larger_archive
from searcher.calibration.weights import Evidence, examples_of
from searcher.phonetic.ratios import MAX_HITS

NAMES = ["log_e_rate", "relative", "spelling", "split"]


def evidence(rng, n, offset=-8.0):
    columns = {name: rng.standard_normal(n) for name in NAMES}
    columns["split"] = (rng.random(n) < 0.5).astype(float)
    return Evidence(columns, np.broadcast_to(offset, n))


def larger_by_hand(examples, phones, false_alarms):
    """The same by sorting tuples, one term at a time: (features of each row, is right)."""
    for term in range(examples.n_terms):
        length = min(false_alarms, key=lambda n: (abs(n - phones[term]), n))
        places = []
        for row in np.flatnonzero(examples.term == term):
            features = {name: examples.features[name][row] for name in NAMES}
            places.append((features, bool(examples.is_right[row])))
        for decoy in false_alarms[length]:
            for row in range(len(decoy.offset)):
                features = {name: decoy.features[name][row] for name in NAMES}
                places.append((features, False))
        yield sorted(places, key=lambda place: place[0]["log_e_rate"])[:MAX_HITS]


@pytest.mark.parametrize("seed", range(20))
def test_a_term_keeps_the_best_of_its_own_places_and_of_the_decoys_of_its_length(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, MAX_HITS + 1, rng.integers(1, 6)).tolist()
    examples = examples_of([evidence(rng, n) for n in sizes], [rng.random(n) < 0.2 for n in sizes])
    false_alarms = {
        length: [evidence(rng, n) for n in rng.integers(1, 40, rng.integers(1, 5)).tolist()]
        for length in (4, 7, 10)
    }
    phones = rng.uniform(3, 12, len(sizes))
    found = in_larger_archive(examples, phones, false_alarms, 8.0)
    expected = list(larger_by_hand(examples, phones, false_alarms))
    assert found.n_terms == len(sizes)
    assert np.bincount(found.term, minlength=len(sizes)).tolist() == [*map(len, expected)]
    rows = [place for of_term in expected for place in of_term]
    assert found.is_right.tolist() == [right for _, right in rows]
    for name in NAMES:
        wanted = [0.0 if name == "split" else features[name] for features, _ in rows]
        assert found.features[name].tolist() == wanted
    assert found.is_known.all()
    assert np.asarray(found.by_phones).all()


def test_a_larger_archive_has_as_many_more_chances_as_there_are_decoys():
    rng = np.random.default_rng(1)
    told = np.array([0, 6.0, -2.0, 0, 0])  # what words say of the term's own places
    examples = examples_of([evidence(rng, 5, offset=-7.5 + told)], [np.zeros(5, bool)])
    false_alarms = {6: [evidence(rng, 3) for _ in range(9)]}
    found = in_larger_archive(examples, np.array([6.0]), false_alarms, 7.5)
    assert found.offset == pytest.approx(np.full(32, -7.5 - np.log(10)))
    assert found.enlarged == pytest.approx(np.full(32, np.log(10)))


def test_without_terms_or_decoys_there_is_no_larger_archive():
    rng = np.random.default_rng(1)
    one = examples_of([evidence(rng, 5)], [np.zeros(5, bool)])
    assert in_larger_archive(one, np.array([6.0]), {6: []}, 8.0).n_terms == 0
    decoys = {6: [evidence(rng, 3)]}
    assert in_larger_archive(examples_of([], []), np.empty(0), decoys, 8.0).n_terms == 0
