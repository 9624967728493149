"""What std-search says of its decisions."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from searcher import open_index
from searcher.output.explain import summary
from searcher.output.notices import acceptance_notice, doubt_notice
from std.config import Config
from std.values import Term


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


def test_terms_that_nobody_says_are_named(german_store):
    absent = ["photosynthese", "weihnachtsmarkt", "xylophon", "marmelade"]
    terms = [Term(f"T{i}", text) for i, text in enumerate([*absent, "polizei", "schloss"])]
    with open_index(german_store) as index:
        result = index.search_terms(terms)
        hits = index.hits(result)
        decision = index.config.decision
    accepted = {}
    for hit in hits:
        if hit.decision == "YES":
            accepted.setdefault(hit.term_id, []).append(hit)
    doubted = {
        term: max(hit.probability for hit in some)
        for term, some in accepted.items()
        if all(hit.probability < 0.5 for hit in some)
    }
    assert doubted
    assert doubted.keys() <= {"T0", "T1", "T2", "T3"}
    assert summary(result)["doubted_terms"] == pytest.approx(doubted)
    notice = doubt_notice(result, decision)
    assert "decisions assume that every term occurs" in notice
    row = min(result.doubted)
    one = replace(
        result, probability=np.where(result.candidates.term == row, result.probability, 1.0)
    )
    assert doubt_notice(one, decision).startswith("1 term accepted with a probability below 0.5,")
    assert "a miss costs so much" in doubt_notice(result, replace(decision, terms="any"))
    assert all(terms[int(term[1:])].text in notice for term in doubted)
    for term, some in accepted.items():
        for hit in some:
            assert ("if the term occurs" in hit.because) == (term in doubted)
            assert hit.score >= 0.5
    sure = result.at_least(0.5)
    assert not sure.doubted
    assert not doubt_notice(sure, decision)
