import pytest

from indexer.segments.invert import invert
from searcher.fusion.pooling import MIN_DOUBT, doubt, measured
from std.store.resident import ResidentSegment
from std.values import Recording


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
