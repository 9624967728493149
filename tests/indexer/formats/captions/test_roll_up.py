"""Captions that roll up are read once."""

from indexer.formats.shared.caption_text import without_repeats
from indexer.formats.shared.cues import Cue
from tests.indexer.formats.captions.conftest import read, said, times


def test_captions_that_roll_up_are_read_once():
    networks = read("rolls_up.vtt")
    assert said(networks) == [(0, 650, "das haus"), (660, 3000, "ist gut"), (3010, 4000, "ja")]
    assert times(networks[1]) == [(660, 1000), (1000, 3000)]
    assert [n.times_estimated for n in networks] == [False, False, True]


def test_words_said_twice_are_no_rolling_up():
    # somebody says "no" in two captions of ten
    lines = ["no", "no", *"abcdefgh"]
    captions = [Cue(i, i, i + 1, line) for i, line in enumerate(lines)]
    assert without_repeats(captions) == captions


def test_rolling_up_without_times_of_words():
    texts = ["a b", "a b", "a b\nc d", "c d", "c d\ne f", "e f"]
    captions = [Cue(i, i, i + 1, text) for i, text in enumerate(texts)]
    assert [cue.text for cue in without_repeats(captions)] == ["a b", "c d", "e f"]
