"""Hypotheses of a window become slots."""

import pytest

from recogniser.networks import network_of
from recogniser.protocol import Hypothesis, Recognition
from std.networks import TimedWord
from std.values import Recording

NEWS = Recording("news", 1)


def spaced(text):
    return [TimedWord(word, i / 2, (i + 1) / 2) for i, word in enumerate(text.split())]


def slots(window, *weighted, language="de", **more):
    found = Recognition([Hypothesis(weight, spaced(text)) for weight, text in weighted], **more)
    return list(network_of(window, found, NEWS, "u1", language))


def test_posteriors_are_the_weight_of_the_hypotheses(window):
    first, second = slots(window(), (0.5, "das Haus"), (0.3, "das Maus"), (0.2, "Das haus"))
    assert [one[:2] for one in first.alternatives] == [("das", pytest.approx(0.999))]
    assert [one[:2] for one in second.alternatives] == [
        ("Haus", pytest.approx(0.7)),
        ("Maus", pytest.approx(0.3)),
    ]
    assert second.alternatives[0][2:] == (500, 1000)
    assert second.epsilon == pytest.approx(0, abs=1e-6)


def test_no_posterior_is_higher_than_the_hypotheses_can_show(window):
    (slot,) = slots(window(), (1.0, "ja"), most_certain=10.5 / 11)
    assert slot.alternatives[0].posterior == pytest.approx(10.5 / 11)
    assert slot.epsilon == pytest.approx(0.5 / 11)


def test_times_count_from_the_window(window):
    (slot,) = slots(window(start_ms=60_000), (1.0, "ja"))
    assert (slot.start_ms, slot.end_ms) == (60_000, 60_500)


def test_words_of_an_overlap_belong_to_one_of_both_windows(window):
    from dataclasses import replace

    whole = window(seconds=3.0)  # its span ends at 2 s, its audio at 3 s
    left = replace(whole, end_ms=2000)
    right = replace(whole, start_ms=2000, end_ms=3000)
    text = (1.0, "a b c d e f")
    assert [slot.alternatives[0].word for slot in slots(left, text)] == list("abcd")
    assert [slot.alternatives[0].word for slot in slots(right, text)] == list("ef")


def test_a_word_beyond_the_end_of_a_window_that_ends_in_a_pause_stays(window):
    assert len(slots(window(seconds=1.0), (1.0, "a b c d"))) == 4


def test_words_in_silence_lose_half_of_their_mass(window):
    (slot,) = slots(window(speech=0.1), (0.8, "danke"))
    assert slot.alternatives[0].posterior == pytest.approx(0.4)
    assert slot.epsilon == pytest.approx(0.6)


def test_english_figures_and_abbreviations_are_there_as_they_are_said_too(window):
    found = slots(window(), (0.9, "in 1946 Mr Hale"), language="en")
    words = [slot.alternatives[0].word for slot in found]
    assert sorted(words) == ["1946", "Hale", "Mr", "forty", "in", "mister", "nineteen", "six"]
    said = {slot.alternatives[0].word: slot for slot in found}
    assert said["six"].end_ms == said["1946"].end_ms == 1000
    assert said["six"].epsilon == pytest.approx(0.1)
    assert [slot.start_ms for slot in found] == sorted(slot.start_ms for slot in found)
    assert len(slots(window(), (0.9, "in 1946 Mr Hale"), language="de")) == 4
