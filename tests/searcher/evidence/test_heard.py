"""What was heard, weighed on top of what words and guessed phones say."""

import numpy as np

from searcher.calibration.weights import LogRatios, Weights
from searcher.evidence.heard import (
    EVEN,
    KNOWN_SHARE,
    LOG_LEARNED,
    MOST_ALIKE,
    MOST_BY_CHANCE,
    OF_NEARNESS,
    alike,
    heard_evidence,
    places_alone,
    with_heard,
)
from searcher.examples.example import ArchivePart, SoundArchive
from searcher.heard.search import HeardSound, HeardTerm
from searcher.results.candidates import Spans
from std.sound.columns import Encoder, SegmentSound
from std.sound.usual import NEAREST, SAMPLE

LOG_SLOTS = LOG_LEARNED
TERM = HeardTerm(  # in three places that were found otherwise, then in its own four
    ("t", "a", "b", "a"),
    Spans(
        np.array([0, 0, 1, 0, 1, 0, 2]),
        np.array([1000, 5000, 0, 1100, 0, 5900, 700]),
        np.array([1500, 5600, 400, 1600, 300, 6400, 900]),
    ),
    np.array([-1.0, -9.0, -np.inf, -1.0, -2.0, -3.0, -4.0]),
    np.array([-5.0, 3.0, 9.0, -5.0, -2.0, 0.0, MOST_BY_CHANCE + 0.1]),
)
RATIOS = LogRatios(
    np.array([2.0, -4.0, 1.0]), np.array([2.5, -3.5, 1.5]), np.array([1.0, 0.5, 1.0])
)


def test_a_place_is_alone_where_no_other_lies_and_chance_does_not_give_many():
    assert places_alone(TERM, 3).tolist() == [5]  # 3 and 4 overlap, of 6 there are too many
    assert places_alone(TERM.rows(np.arange(3, 7)), 0).tolist() == [0, 1, 2]


def test_without_weights_nothing_is_moved():
    ratios, alone = with_heard(RATIOS, TERM, LOG_SLOTS, Weights(0.0, {}), is_known=False)
    np.testing.assert_array_equal(ratios.all_false_alarms, [2.0, -4.0, 1.0, -LOG_SLOTS])
    np.testing.assert_array_equal(ratios.chance, [2.5, -3.5, 1.5, -LOG_SLOTS])
    np.testing.assert_array_equal(ratios.counted, [1.0, 0.5, 1.0, 1.0])
    assert alone.spans.start_ms.tolist() == [5900]


def test_what_is_heard_moves_both_ratios_and_nothing_where_nobody_listened():
    weights = Weights(0.5, {"log_e_rate": -1.0, "alone": 2.0})
    ratios, _ = with_heard(RATIOS, TERM, LOG_SLOTS, weights, is_known=False)
    shift = [*np.log(0.03 + 0.97 * np.exp([0.5 + LOG_SLOTS + 5, 0.5 + LOG_SLOTS - 3])), 0.0]
    np.testing.assert_allclose(ratios.all_false_alarms[:3], RATIOS.all_false_alarms + shift)
    np.testing.assert_allclose(ratios.chance[:3], RATIOS.chance + shift)
    np.testing.assert_allclose(ratios.all_false_alarms[3], 0.5 + LOG_SLOTS + 2 - LOG_SLOTS)


def test_features_are_those_of_both_kinds_of_places():
    ratio, term = np.array([2.0, -40.0, 1.0]), TERM.rows(np.array([0, 1, 2, 5]))
    evidence = heard_evidence(ratio, term, LOG_SLOTS, is_known=False)
    assert not evidence.is_expected
    features = evidence.features
    most = np.log(100)  # places of a decoy
    np.testing.assert_allclose(features["log_e_rate"], np.array([-5, 3, most, 0]) - LOG_SLOTS)
    np.testing.assert_allclose(features["log_e_curve"], [49, 0, 0, 4])
    np.testing.assert_allclose(features["fit"], [-0.25, -2.25, -6, -0.75])
    np.testing.assert_allclose(features["alone"], [0, 0, 0, 1])
    np.testing.assert_allclose(features["alone_fit"], [0, 0, 0, -0.75])
    np.testing.assert_allclose(features["alone_phones"], [0, 0, 0, np.log(4)])
    np.testing.assert_allclose(evidence.offset, [2, -40, 1, -LOG_SLOTS])


def test_places_are_judged_alike_in_archives_of_any_size():
    """An archive ten times as large has ten times as many false alarms that score as high."""
    ratio, term = np.array([2.0, -40.0, 1.0]), TERM.rows(np.array([0, 1, 2, 5]))
    larger = term._replace(log_e_value=term.log_e_value + np.log(10))
    of_both = (
        heard_evidence(ratio, term, LOG_SLOTS, is_known=False).features,
        heard_evidence(ratio, larger, LOG_SLOTS + np.log(10), is_known=False).features,
    )
    for name, of_one in of_both[0].items():
        np.testing.assert_allclose(of_both[1][name], of_one, err_msg=name)


def test_what_is_heard_of_a_known_term_counts_by_half():
    weights = Weights(1.5, {"alone": 2.0})
    ratios, _ = with_heard(RATIOS, TERM, LOG_SLOTS, weights, is_known=True)
    shift = np.log(0.03 + 0.97 * np.exp(KNOWN_SHARE * 1.5))
    np.testing.assert_allclose(ratios.chance[:2], RATIOS.chance[:2] + shift)
    np.testing.assert_allclose(ratios.chance[3], KNOWN_SHARE * 3.5 - LOG_SLOTS)


def frames_of(*recordings, start_ms=0, order=None):
    """Sound of some recordings, each in a segment of its own."""
    parts = [
        ArchivePart(
            None,
            SegmentSound(
                Encoder("whisper", "aa"),
                np.array([0, len(signs)]),
                np.array([start_ms], np.int32),
                signs,
            ),
            np.array([0]),
            np.array([number]),
        )
        for number, signs in enumerate(recordings)
    ]
    archive = SoundArchive((), tuple(parts[one] for one in order or range(len(parts))))
    return HeardSound(archive, archive.sample())


RANDOM = np.random.default_rng(1)
SIGNS = [RANDOM.integers(0, 2**64, (400, 4), dtype=np.uint64) for _ in range(2)]
SIGNS[1][200:230] = SIGNS[0][100:130]  # the same sound at 2 s and, in the other, at 4 s
SOUND = frames_of(*SIGNS)
PLACES = Spans(np.array([0, 1, 1]), np.array([2000, 4000, 1000]), np.array([2600, 4600, 1600]))


def test_a_place_that_sounds_like_the_likeliest_other_one_is_likelier_and_another_is_not():
    first, same, other = alike(np.array([0.9, 0.1, 0.2]), PLACES, SOUND)
    # equal frames cost nothing, so the bound counts; that the other may be wrong lowers it
    assert np.isclose(same, np.log(0.9 * np.exp(MOST_ALIKE) + 0.1))
    assert np.log(0.9 * np.exp(-MOST_ALIKE) + 0.1) <= other < np.log(0.9 * np.exp(-1) + 0.1)
    # the likeliest is compared with the next, which sounds otherwise: that tells little
    assert np.log(0.8 + 0.2 * np.exp(-MOST_ALIKE)) <= first < 0


def test_places_sound_alike_by_how_much_less_they_differ_than_chance():
    changed = np.packbits(RANDOM.random((30, 256)) < 0.3, axis=1).view(np.uint64)
    near = [SIGNS[0], SIGNS[1].copy()]
    near[1][200:230] = SIGNS[0][100:130] ^ changed
    cost = np.unpackbits(changed.view(np.uint8)).mean()  # no path is cheaper than the straight one
    sample = np.unpackbits(SOUND.sample.view(np.uint8), axis=1)
    frames = np.concatenate([near[0][100:130], near[1][200:230]])
    differ = [
        np.sort((np.unpackbits(frame.view(np.uint8)) != sample).sum(axis=1)) for frame in frames
    ]
    usual = np.mean(differ, axis=0)[NEAREST * len(sample) // SAMPLE] / 256
    _, same, _ = alike(
        np.array([1.0, 0.1, 0.0]), PLACES, HeardSound(frames_of(*near)[0], SOUND.sample)
    )
    assert np.isclose(same, OF_NEARNESS * (usual - cost - EVEN), atol=0.1)


def test_the_same_stretch_improbable_places_and_places_without_frames_are_not_compared():
    over = Spans(PLACES.recording[:1].repeat(2), np.array([2000, 2500]), np.array([2600, 3100]))
    assert not alike(np.array([0.9, 0.5]), over, SOUND).any()
    assert not alike(np.array([0.9, 0.001, 0.001]), PLACES, SOUND).any()
    nowhere = PLACES._replace(recording=np.array([0, 7, 8]))
    assert not alike(np.array([0.9, 0.9, 0.9]), nowhere, SOUND).any()
    assert not alike(np.empty(0), PLACES.rows(np.empty(0, np.int64)), SOUND).any()


def test_places_are_cut_to_the_frames_of_their_recording():
    sound = frames_of(*SIGNS, start_ms=500)  # to 8.5 s
    places = Spans(np.array([1, 0, 3]), np.array([0, 8000, 50]), np.array([700, 9000, 90]))
    _, start_ms, end_ms = sound.cut(places)
    assert (start_ms[:2].tolist(), end_ms[:2].tolist()) == ([500, 8000], [700, 8500])
    assert start_ms[2] == end_ms[2]


def test_segments_in_any_order_give_the_same_sample():
    assert np.array_equal(SOUND.sample, frames_of(*SIGNS, order=(1, 0)).sample)
