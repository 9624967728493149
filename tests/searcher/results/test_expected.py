"""What to expect of an answer, by hand."""

import numpy as np
import pytest

from searcher import Expected
from searcher.results.search_result import missed_share

UP = "from probability 0.5 up"

PROBABILITIES = [0.95, 0.75, 0.5, 0.25, 0.125, 0.0]


def test_sums_by_hand():
    """From .5 up .95 + .75 + .5 = 2.2 of 3 hits; below .25 + .125 = .375."""
    expected = Expected.of(PROBABILITIES)
    assert expected == Expected(0.5, 3, 2.2, 0.375)
    assert expected.document() == {"from": 0.5, "hits": 3, "right": 2.2, "right_below": 0.375}


def test_the_border_can_be_chosen_and_counts_as_above():
    assert Expected.of(PROBABILITIES, 0.25) == Expected(0.25, 4, pytest.approx(2.45), 0.125)
    assert Expected.of([]) == Expected(0.5, 0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ((0.5, 37, 28.9, 6.1), f"37 hits {UP}, about 29 are right; about 6 more right ones below"),
        ((0.5, 1, 0.97, 0.0), f"1 hit {UP}, about 1 is right"),
        ((0.5, 1, 0.6, 0.42), f"1 hit {UP}, about 0.6 are right; about 0.4 more right ones below"),
        ((0.5, 9, 7.6, 1.2), f"9 hits {UP}, about 8 are right; about 1 more right one below"),
        ((0.1, 2300, 1234.5, 0.01), "2,300 hits from probability 0.1 up, about 1,234 are right; "
         "less than 0.1 more right ones below"),
        ((0.5, 0, 0.0, 2.2), f"no hits {UP}; about 2 are right below"),
        ((0.5, 0, 0.0, 0.02), f"no hits {UP}; less than 0.1 are right below"),
    ],
)  # fmt: skip
def test_in_words(expected, text):
    assert str(Expected(*expected)) == text


def test_what_is_missed_is_a_share_of_the_expected_and_what_was_cut():
    """3 terms of 100 s; .03 of 2.2 expected occurrences and .2 that was cut, in 300 - 2 places."""
    probability, kept = np.array([1.0, 1.0, 0.2]), np.array([True, True, False])
    assert missed_share(probability, kept, 3, 100.0) == pytest.approx((0.03 * 2.2 + 0.2) / 298)
    assert missed_share(probability[:0], kept[:0], 3, 100.0) is None  # nothing is expected
    assert missed_share(probability[:2], kept[:2], 1, 2.0) is None  # every trial has a hit
    assert missed_share(probability[:0], kept[:0], 0, 100.0) is None
