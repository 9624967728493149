import numpy as np
import pytest

from searcher.calibration.model import default_model
from searcher.calibration.weights import Weights
from searcher.evidence.features import (
    FEATURES,
    UNLIKELY_LOGIT,
    Paired,
    hit_features,
    iv_features,
    no_hit,
)
from searcher.lexical.join import Paths, phrase_posterior
from searcher.phonetic.archive import Archive, SearchedArchive
from searcher.phonetic.layout import N_MEASURES, PhoneticHits, WeightedPronunciation
from searcher.phonetic.null_distribution import NullDistribution
from searcher.phonetic.path_words import RecognisedWords, path_words
from searcher.phonetic.ratios import MAX_HITS
from std.config import SearchConfig

TEN_NATS = NullDistribution(np.array([10.0, 0, 0, 0, 2.0, 0]))  # one false alarm at 10 nats
ARCHIVE = Archive(1000, 1.0, 75.0, TEN_NATS)
WORDS = [f"word{i}" for i in range(60)]
SEARCHED = SearchedArchive(ARCHIVE, 1000, RecognisedWords((WORDS,), dict.fromkeys(WORDS, 2)))


def hits(*scores, ms=750):
    n = len(scores)
    measures = np.zeros((n, N_MEASURES), np.float32)
    measures[:, 0] = scores
    zeros = np.zeros(n, np.int64)
    empty = np.full((n, 8), -1)
    empty[:, 0] = np.arange(n)  # another word at each place
    return PhoneticHits(
        zeros, zeros, 1000 * np.arange(n), 1000 * np.arange(n) + ms, measures,
        empty.astype(np.int32), empty.astype(np.int16), empty.astype(np.int16), zeros, zeros,
        zeros, np.ones(n, bool),
    )  # fmt: skip


def features(perfect, of):
    of = of._replace(pronunciations=(WeightedPronunciation(("a",) * 10, perfect),))
    return hit_features(["word"], of, path_words(of, SEARCHED.words), SEARCHED)


def evidence_of(*scores):
    return features(20.0, hits(*scores))


def paired(posterior, of_hits, explained, log_chances):
    """Places with these features, in an archive whose recogniser may be certain."""
    n, posterior, explained = len(posterior), np.array(posterior), np.array(explained)
    return Paired(posterior, np.zeros(n), of_hits, explained, np.empty(0), 1.0, log_chances)


@pytest.mark.parametrize(
    ("ms", "slowness"),
    [(375, -0.693), (750, 0.0), (1125, 0.405), (1236, 0.5), (2039, 0.0), (7500, -1.303)],
)
def test_a_hit_that_is_far_slower_than_its_phones_is_as_odd_as_one_that_is_too_fast(ms, slowness):
    """Ten phones of 75 ms: log(ms / 750), and from .5 on as much less as it is more."""
    assert features(20.0, hits(12.0, ms=ms))["slowness"].tolist() == [
        pytest.approx(slowness, abs=1e-3)
    ]


def test_evidence_of_the_phones():
    f = evidence_of(12.0, 10.0, 8.0)
    assert f["relative"].tolist() == pytest.approx([0.6, 0.5, 0.4])
    assert f["log_e_rate"].tolist() == pytest.approx((np.array([-1, 0, 1]) - np.log(1000)).tolist())
    assert f["slowness"].tolist() == pytest.approx([0, 0, 0])  # 75 ms a phone
    assert f["spelling"].tolist() == pytest.approx([8 / 9] * 3)
    assert evidence_of()["relative"].tolist() == []


def test_a_place_does_not_depend_on_others_with_other_words():
    """A name that is said several times is not punished for it."""
    one, several = evidence_of(12.0), evidence_of(*[12.0] * 5)
    for name, column in one.items():
        assert column[0] == several[name][0], name


def test_evidence_of_what_is_written():
    of_hits = {"log_e_rate": np.array([no_hit("log_e_rate", ARCHIVE), -9.0])}
    evidence = paired([0.5, 0.0], of_hits, [0, np.log(4)], np.log(500)).oov_evidence()
    assert not evidence.is_expected
    assert evidence.features["split"].tolist() == [1, 0]
    assert evidence.features["log_e_rate"][0] == pytest.approx(np.log(MAX_HITS / 1000))
    assert evidence.offset.tolist() == pytest.approx([-np.log(500), -np.log(500 * 4**2)])
    assert evidence.explained is not None
    assert evidence.explained.tolist() == [0, np.log(4)]


def test_evidence_of_posteriors():
    evidence = iv_features(np.array([0.75, 0.25, 0.02]), 2, 9)
    f = evidence.features
    assert f["logit"][:2].tolist() == pytest.approx([np.log(0.751 / 0.251), -np.log(0.751 / 0.251)])
    assert f["surplus"].tolist() == pytest.approx([np.log(4 / 2.02)] * 3)
    below = np.log(0.021 / 0.981) - UNLIKELY_LOGIT
    assert f["unlikely_surplus"].tolist() == pytest.approx([0, 0, np.log(4 / 2.02) * below])
    assert (f["words"][0], f["length"][0]) == (1, 9)
    own = 3 / (3 + MAX_HITS)
    assert np.asarray(evidence.weighed).tolist() == pytest.approx([1 - own] * 3)
    assert evidence.offset.tolist() == pytest.approx((own * f["logit"] - np.log(1.12)).tolist())


def test_posteriors_of_a_usual_word_are_its_probabilities():
    """Whatever weights have learned of words that are said a few times."""
    posterior = np.tile([0.99, 0.9, 0.4, 0.02], 25_000)
    evidence = iv_features(posterior, 1, 5)
    for weights in (default_model().weights, Weights(5.0, {"logit": 3.0})):
        ratio = weights.log_ratios(evidence).all_false_alarms
        odds = np.exp(ratio[:4]) * posterior.sum()
        assert (odds / (1 + odds)).tolist() == pytest.approx(posterior[:4].tolist(), abs=0.01)


def test_weights_learned_from_minutes_count_less_in_many_hours():
    """Beyond an hour by the fourth root of the hours; posteriors make up for it."""
    posterior = np.array([0.9, 0.02])
    hour, day, year = (iv_features(posterior, 1, 12, speech_s=3600.0 * h) for h in (1, 16, 10_000))
    assert hour.weighed == pytest.approx(iv_features(posterior, 1, 12, speech_s=60.0).weighed)
    assert day.weighed == pytest.approx(hour.weighed / 2)
    assert year.weighed == pytest.approx(hour.weighed / 10)
    odds = year.features["logit"]
    assert year.offset == pytest.approx((1 - year.weighed) * odds - np.log(1.02))
    poor = [
        default_model().weights.log_ratios(one).all_false_alarms[1] for one in (hour, day, year)
    ]
    assert poor == sorted(poor, reverse=True)


def test_evidence_of_posteriors_is_the_same_in_an_archive_of_any_size():
    """A frequent word, and a hundred times as much speech in which it is said as often."""
    posterior = np.tile([0.99, 0.9, 0.4, 0.02], 50)
    small, large = iv_features(posterior, 1, 5), iv_features(np.tile(posterior, 100), 1, 5)
    for name, column in small.features.items():
        assert large.features[name][:4].tolist() == pytest.approx(column[:4].tolist(), abs=0.02)
    rates = [
        one.offset[:4] - (1 - one.weighed[:4]) * one.features["logit"][:4] for one in (small, large)
    ]
    assert rates[1].tolist() == pytest.approx((rates[0] - np.log(100)).tolist(), abs=0.02)
    odds = large.features["logit"][:4]  # which the posteriors of so many candidates have alone
    ratio = default_model().weights.log_ratios(large).all_false_alarms[:4] - rates[1]
    assert ratio.tolist() == pytest.approx(odds.tolist(), abs=0.02)


def test_a_phrase_of_words_of_the_highest_posterior_is_as_certain_as_a_join_makes_it():
    """Fails if `phrase_posterior` changes, and `iv_features` does not."""
    highest, none = 0.8, np.zeros(1, np.uint64)
    for n in range(1, 5):
        slots, each = np.zeros((1, n), np.int64), np.full((1, n), np.log(highest))
        path = Paths(none, none, none, none, slots, each, np.array([highest]), np.zeros((1, n - 1)))
        joined = phrase_posterior(path, SearchConfig().join_exponent)
        found, sure = iv_features(joined, n, 9, highest), iv_features(np.ones(1), n, 9)
        assert found.features["logit"] == pytest.approx(sure.features["logit"])


def test_a_recogniser_that_never_writes_more_is_as_sure():
    """15.5 of 16 is what all of 15 draws have; and a phrase of two such words."""
    sure, draws = np.array([1.0, 0.8]), 31 / 32
    for words, highest in ((1, draws), (2, draws**1.5)):
        evidence = iv_features(sure * highest, words, 9, draws)
        plain = iv_features(sure, words, 9)
        for name, column in plain.features.items():
            assert evidence.features[name] == pytest.approx(column)
        assert evidence.offset == pytest.approx(plain.offset)
    above = iv_features(np.array([1.0]), 2, 9, draws).features["logit"]
    assert above == pytest.approx(iv_features(np.array([1.0]), 2, 9).features["logit"])


def test_candidates_of_known_terms_with_and_without_words():
    f = evidence_of(12.0, 9.0)
    evidence = paired([0.75, 0.0], f, np.zeros(2), np.log(1000)).iv_evidence(1, 5, 1.0)
    written = iv_features(np.array([0.75]), 1, 5)
    for name, column in written.features.items():
        assert evidence.features[name].tolist() == [column[0], 0]
    assert evidence.features["known"].tolist() == [0, 1]
    assert evidence.features["relative"].tolist() == pytest.approx([0, 0.45])
    assert np.asarray(evidence.by_phones).tolist() == [False, True]
    assert evidence.features["expected"].tolist() == pytest.approx([0, np.log(0.751)])
    assert evidence.offset.tolist() == pytest.approx([written.offset[0], -np.log(1000)])
    assert np.asarray(evidence.weighed).tolist() == [np.asarray(written.weighed)[0], 0.75]


def test_places_of_spoken_queries_have_the_evidence_of_phones():
    f = evidence_of(12.0, 9.0)
    evidence = paired([0.0, 0.0], f, [0.0, 1.0], ARCHIVE.log_slots).spoken_evidence()
    for name, column in f.items():
        assert evidence.features[name].tolist() == column.tolist(), name
    assert evidence.features.keys() - f.keys() == {"spoken"}
    assert evidence.features["spoken"].tolist() == [1, 1]
    assert evidence.offset.tolist() == pytest.approx([-np.log(1000), -np.log(1000) - 2])
    assert not evidence.is_expected
    scores = 12.0, 4.0
    places = [paired([0.0], evidence_of(one), [0.0], 7.0).spoken_evidence() for one in scores]
    best, poor = map(default_model().weights.against_chance, places)
    assert best > poor


def test_each_feature_of_this_version_has_a_shipped_weight():
    places = paired([0.5], evidence_of(12.0), [0.0], 0.0)
    made = {
        *places.oov_evidence().features,
        *places.iv_evidence(1, 5, 1.0).features,
        *places.spoken_evidence().features,
    }
    assert made == FEATURES == default_model().weights.coefficients.keys()


def test_with_the_shipped_weights_better_evidence_is_likelier():
    f = features(30.0, hits(28.0, 14.0, 6.0))
    evidence = paired(np.zeros(3), f, np.zeros(3), ARCHIVE.log_slots).oov_evidence()
    ratio = default_model().weights.log_ratios(evidence).all_false_alarms
    assert ratio[0] > ratio[1] > ratio[2]
    assert ratio[0] > 2
    written = iv_features(np.array([0.99, 0.5, 0.02]), 1, 8)
    known = default_model().weights.log_ratios(written).all_false_alarms
    assert known[0] > known[1] > known[2]


def test_a_larger_archive_asks_for_more():
    f = evidence_of(15.0)
    small = paired([0.0], f, [0.0], np.log(1e3)).oov_evidence().offset
    large = paired([0.0], f, [0.0], np.log(1e6)).oov_evidence().offset
    assert small - large == pytest.approx([np.log(1000)])
