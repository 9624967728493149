"""What std-search says of its decisions."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from searcher.output.notices import acceptance_notice
from std.config import Config


def found(probability, yes):
    return SimpleNamespace(probability=np.array(probability), yes=np.array(yes, bool))


@pytest.mark.parametrize(("probability", "yes", "terms", "said"), [
    ([0.1, 0.2, 0.9], [1, 1, 0], "occurring", "about 0 of 2 accepted hits are right"),
    ([0.4], [1], "occurring", "about 0 of 1 accepted hit is right"),
    ([0.9, 0.2, 0.1], [1, 1, 0], "occurring", ""),
    ([0.1, 0.2], [1, 1], "any", ""),
    ([0.1], [0], "occurring", ""),
    ([], [], "occurring", ""),
])  # fmt: skip
def test_decisions_that_take_absent_terms_to_occur_are_told_of(probability, yes, terms, said):
    decision = replace(Config().decision, terms=terms)
    notice = acceptance_notice(found(probability, yes), decision)
    assert notice.startswith(said)
    assert bool(notice) == bool(said)
    one_threshold = replace(decision, rule="sto")
    assert not acceptance_notice(found(probability, yes), one_threshold)
