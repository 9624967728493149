"""Decoys as examples of terms that nobody said."""

import numpy as np
import pytest

from searcher.found_terms import prepare
from searcher.phonetic.null_distribution import LENGTHS
from searcher.tuning.examples import JudgedSpeech, decoy_evidence, decoy_examples
from std.config import Config
from std.store import open_store


@pytest.fixture(scope="module")
def speech(store):
    (language,) = prepare(open_store(store).segments(), Config()).languages
    return JudgedSpeech(language.phonetic[0], None, language.table.recordings, None)


def test_decoys_are_a_share_of_the_phrases_and_always_wrong(speech):
    found = decoy_examples(200, speech)
    assert found.n_terms == 30  # .15 of 200, as many of each of 10 lengths
    assert not found.is_right.any()
    assert found.is_known.all()
    assert decoy_examples(0, speech).n_terms == 0


def test_decoys_have_the_evidence_that_terms_have(speech):
    found = decoy_evidence(2, speech)
    assert len(found) == 2 * len(LENGTHS)
    assert all(min(LENGTHS) / 2 < phones < 2 * max(LENGTHS) for phones, _ in found)
    spelling = np.concatenate([evidence.features["spelling"] for _, evidence in found])
    assert 0.2 < spelling.mean() < 0.9  # phones alone would have none
