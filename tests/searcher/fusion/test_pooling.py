import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.segments.invert import invert
from searcher.fusion.pooling import MEASURED_SURENESS, measured, pool, weights
from searcher.index.searched_speech import MIN_DOUBT, doubt
from std.store.resident import ResidentSegment
from std.values import Recording

PROBABILITY = st.floats(0, 1)


def test_a_hand_calculation():
    doubt = np.array([[0.1, 0.2]])  # weights 1 / .01 to 1 / .04, that is .8 and .2
    assert weights(doubt)[0] == pytest.approx([0.8, 0.2])
    pooled = pool(np.array([[0.5, 1.0], [0.0, 0.5]]), weights(np.repeat(doubt, 2, axis=0)))
    assert pooled == pytest.approx([(0.8 * 0.25 + 0.2) ** 0.5, (0.2 * 0.25) ** 0.5])


@given(PROBABILITY)
def test_where_one_alone_has_the_recording_its_probability_stands(p):
    weight = weights(np.array([[np.inf, 0.3, np.inf]]))
    assert pool(np.array([[0.0, p, 0.0]]), weight)[0] == (p if p > 1e-150 else pytest.approx(p))


@given(PROBABILITY, st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_recognisers_that_agree_are_believed_as_one(p, first, second):
    weight = weights(np.array([[first, second]]))
    assert pool(np.array([[p, p]]), weight)[0] == pytest.approx(p, abs=1e-12)


@given(PROBABILITY, PROBABILITY, st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_the_pool_lies_between_the_mean_and_the_highest(p, q, first, second):
    weight = weights(np.array([[first, second]]))
    probability = np.array([[p, q]])
    mean = float((weight * probability).sum())
    assert mean - 1e-9 <= pool(probability, weight)[0] <= max(p, q) + 1e-9


@given(st.floats(0.05, 0.9), st.floats(0.05, 0.9))
def test_who_is_surer_weighs_more(first, second):
    a, b = weights(np.array([[first, second]]))[0]
    assert (a > b) == (first < second) or first == pytest.approx(second)


def test_measured_doubts_count_for_more():
    doubt = np.array([[0.1, 0.2]])  # 1 / .0001 to 1 / .0016
    assert weights(doubt, MEASURED_SURENESS)[0] == pytest.approx([16 / 17, 1 / 17])


def test_doubt_is_of_the_one_best_words(network):
    # .9 and .6 are one-best words; where epsilon is likelier than any word nothing was recognised
    one = network([("die", 0.9), ("der", 0.1)], [("polizei", 0.3)], [("ruft", 0.6), ("rief", 0.4)])
    segment = ResidentSegment("s", invert([one]))
    assert doubt([segment]) == {
        Recording("news", 1): pytest.approx((0.1 + 0.4 + 20 * 0.1) / 22, abs=1e-6)
    }


def test_how_an_index_is_cut_changes_nothing(network):
    networks = [
        network([("die", 0.91)], [("polizei", 0.33 + i / 7)], file=f"file{i}") for i in range(4)
    ]
    whole = doubt([ResidentSegment("s", invert(networks))])
    cut = doubt([ResidentSegment(str(i), invert([one])) for i, one in enumerate(networks)])
    assert whole == cut  # bit for bit


def test_posteriors_of_one_are_not_infallible(network):
    slots = [[("ja", 1.0)]] * 100
    segment = ResidentSegment("s", invert([network(*slots)]))
    assert doubt([segment]) == {Recording("news", 1): MIN_DOUBT}


def test_deleted_recordings_have_none(network):
    columns = invert([network([("ja", 0.5)]), network([("ja", 0.5)], file="talk")])
    segment = ResidentSegment("s", columns, deleted=frozenset([0]))
    assert list(doubt([segment])) == [Recording("talk", 1)]


def test_measured_doubts_are_on_average_what_the_transcript_says():
    a, b, c = (Recording(name, 1) for name in "abc")
    said = {a: 0.05, b: 0.1, c: 0.15}
    assert measured(said, 0.3) == pytest.approx({a: 0.15, b: 0.3, c: 0.45})
    assert measured(said, 0.9)[c] == 1  # no more than all of the words
    assert measured(said, 0.0) == pytest.approx(measured(said, MIN_DOUBT))
    assert measured({}, 0.3) == {}


def test_the_order_of_recordings_changes_no_bit():
    said = {Recording(str(i), 1): 0.1 + 0.01 * i**0.5 for i in range(50)}
    backwards = dict(reversed(said.items()))
    assert measured(backwards, 0.3) == measured(said, 0.3)
