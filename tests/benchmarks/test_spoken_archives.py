"""Spoken archives: words have the times of the synthesiser's events, noise its level."""

import numpy as np
import pytest

from benchmarks.archives.measures import Found
from benchmarks.archives.speech import of_text
from benchmarks.archives.terms import Asked
from benchmarks.archives.words import Counted, cast
from benchmarks.spoken_archives import BETA, RECORDING_MS, part_of, value_of
from benchmarks.synthesised_speech import Synthesiser, in_noise, word_spans

HOUR_MS = 3_600_000
HITS = ("term", "probability", "score", "is_right")


def test_a_word_lasts_until_the_next_event():
    spans = word_spans(["in", "dem", "haus"], [(0, 10), (3, 200), (7, 500)], 900)
    assert spans.tolist() == [[0, 200], [200, 500], [500, 900]]


def test_words_said_as_one_share_their_time_by_their_letters():
    spans = word_spans(["in", "dem", "haus"], [(0, 0), (7, 500)], 900)
    assert spans.tolist() == [[0, 200], [200, 500], [500, 900]]


def test_an_event_after_the_end_does_not_turn_time_back():
    spans = word_spans(["ja", "nein"], [(0, 0), (3, 950)], 900)
    assert spans.tolist() == [[0, 900], [900, 900]]


def test_a_position_inside_a_word_is_this_word():
    spans = word_spans(["nord-ost", "see"], [(0, 0), (5, 300), (9, 600)], 900)
    assert spans.tolist() == [[0, 600], [600, 900]]


def test_the_synthesiser_says_each_word_at_its_time():
    pytest.importorskip("espeakng_loader")
    speaker = Synthesiser()
    speaker.voice("de+f2", 160, 50)
    words = ["findest", "du", "nicht"]
    sound, spans = speaker.say(words)
    assert (np.diff(spans, axis=1) > 500).all()  # samples
    assert spans[0, 0] == 0
    assert spans[-1, 1] <= len(sound)
    once, _ = speaker.say(words[:1])
    assert spans[0, 1] == pytest.approx(len(once), rel=0.4)


def test_a_voice_that_espeak_lacks_is_named():
    pytest.importorskip("espeakng_loader")
    with pytest.raises(SystemExit, match="expected a voice, got xx"):
        Synthesiser().voice("xx", 160, 50)


def test_noise_is_as_loud_as_asked():
    rng = np.random.default_rng(1)
    clean = rng.standard_normal(50_000).astype(np.float32)
    noise = rng.standard_normal(20_000).astype(np.float32)
    mixed = in_noise(clean, noise / noise.std(), -6.0, rng)
    scale = float(mixed @ clean / (clean @ clean))
    left = mixed / scale - clean
    assert 20 * np.log10(left.std() / clean.std()) == pytest.approx(-6, abs=0.3)


def test_a_part_has_the_first_recordings_at_their_times():
    words = cast(Counted(["eins", "zwei", "drei"], np.array([3.0, 2.0, 1.0])), 3, 0, 0, 1)
    speech = of_text(words, [["eins", "zwei"], ["drei"], ["eins"]], 1)
    spans = np.array([[0, 5], [5, 9], [12, 15], [0, 7]])
    times = {"spans_ms": spans, "recording_of": np.array([0, 0, 1])}
    part = part_of(speech, times, RECORDING_MS / HOUR_MS)
    assert part.word.tolist() == [0, 1, 2]
    assert part.start_ms.tolist() == [0, 5, 12]
    assert part.recording_of.tolist() == [0, 0]
    assert len(part.recordings) == 1


@pytest.fixture
def found():
    """One term that is said twice, found once and wrong once; one that nobody says."""
    return Found(
        [Asked("known", "known", 1, (0,)), Asked("known", "absent", 0, (1,))],
        np.array([2, 0], np.int32),
        np.array([0, 0, 1], np.int32),
        np.array([0.9, 0.4, 0.8]),
        np.array([0.9, 0.6, 0.8]),
        np.array([True, False, False]),
        0.0,
    )


def test_values_are_those_of_a_count_by_hand(found):
    value = value_of(found, 10_002.0)
    assert value.actual == pytest.approx(0.5 - BETA / 10_000)
    assert value.most == pytest.approx(0.5)


def test_nothing_found_is_worth_nothing(found):
    none = found._replace(**{name: getattr(found, name)[:0] for name in HITS})
    assert value_of(none, 1000.0) == (0.0, 0.0)


def test_several_terms_share_the_value(found):
    both = found._replace(said=np.array([2, 1], np.int32))
    assert value_of(both, 10_002.0).most == pytest.approx(0.25)
