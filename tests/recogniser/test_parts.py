"""Words, times, guards, voice activity, hotwords: the small parts."""

from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest
import typeguard

from recogniser.audio import loudness_activity
from recogniser.networks import spelt_out
from recogniser.options import read_hotwords
from recogniser.pocketsphinx import PocketSphinxRecogniser
from recogniser.protocol import Window
from recogniser.whisper.recognise import resembling
from recogniser.words import compression_ratio, spoken_words, timed_by, too_fast, without_loops
from std.errors import InputError
from std.networks import TimedWord


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Well-known, they say:", ["Well", "known", "they", "say"]),
        ("(laughs) [Music] ♪ yes ♪", ["yes"]),
        ("don't — stop... now!", ["don't", "stop", "now"]),
        ("3.5% of $1,000 in 1946-47", ["3.5%", "of", "$1,000", "in", "1946-47"]),
        ("„Straße“ und «rue»", ["Straße", "und", "rue"]),
        ("...", []),
    ],
)
def test_words_are_bare(text, words):
    assert spoken_words(text) == words


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        ("7", "seven"),
        ("1905", "nineteen oh five"),
        ("1900", "nineteen hundred"),
        ("2005", "two thousand five"),
        ("1990s", "nineteen nineties"),
        ("3rd", "third"),
        ("1,250", "one thousand two hundred fifty"),
        ("45%", "forty five percent"),
        ("Mrs.", "missus"),
        ("4x4", ""),
        ("hat", ""),
    ],
)
def test_figures_are_spelt_out(figures, said):
    assert " ".join(spelt_out(figures)) == said


def test_what_spells_figures_out_is_loaded_without_checks_of_its_types():
    """Which take three seconds to compile, in each command."""
    assert spelt_out("7") == ["seven"]
    code = import_module("inflect").engine.number_to_words.__code__
    assert not [name for name in (*code.co_names, *code.co_varnames) if "check_" in name]
    assert typeguard.typechecked(spelt_out).__code__ is not spelt_out.__code__  # for others


def test_a_loop_counts_once_and_three_times_is_no_loop():
    assert without_loops(["so", "so", "so", "far"]) == [0, 1, 2, 3]
    assert without_loops(
        ["thank", "you", "thank", "you", "thank", "you", "Thank", "you", "bye"]
    ) == [0, 1, 8]
    assert without_loops([]) == []


def test_loops_compress_and_talk_does_not():
    assert compression_ratio("thank you " * 30) > 2.4 > compression_ratio("the quick brown fox")
    assert compression_ratio("") == 0


def test_nobody_says_more_than_ten_words_a_second():
    assert too_fast(101, 10.0)
    assert not too_fast(100, 10.0)


def test_words_take_the_time_of_what_they_stand_beside():
    timed = [TimedWord("with", 1.0, 1.4), TimedWord("more", 1.4, 1.9), TimedWord("zest", 2.5, 3.0)]
    first, second = timed_by(["Whitmore", "zest"], timed)
    assert (first.start_s, first.end_s) == (pytest.approx(1.0), pytest.approx(1.9))
    assert (second.start_s, second.end_s) == (2.5, 3.0)


def test_a_word_beside_nothing_stands_behind_the_one_before():
    timed = [TimedWord("yes", 1.0, 1.5)]
    words = timed_by(["yes", "indeed"], timed)
    assert words[1].start_s == pytest.approx(1.5)
    assert words[1].end_s > words[1].start_s
    assert timed_by(["a"], []) == [TimedWord("a", 0.0, 0.0)]


def test_starts_ascend_whatever_the_letters():
    random = np.random.default_rng(0)
    for _ in range(50):
        texts = ["".join(random.choice(list("abc"), random.integers(1, 6))) for _ in range(12)]
        timed = [TimedWord(text, i / 3, (i + 1) / 3) for i, text in enumerate(texts[:6])]
        starts = [word.start_s for word in timed_by(texts[4:], timed)]
        assert starts == sorted(starts)


def test_loud_frames_are_speech():
    quiet, loud = np.full(16_000, 0.001, np.float32), np.full(16_000, 0.3, np.float32)
    found = loudness_activity(np.concatenate([quiet, loud]))
    assert found[:30].max() < 0.2
    assert found[32:62].min() > 0.8
    assert len(loudness_activity(np.zeros(100, np.float32))) == 0


def test_hotwords_come_from_lists_and_from_lexicons(tmp_path):
    path = tmp_path / "names.txt"
    path.write_text(";;; English\nGregson\tg r ɛ\nWhittemore  W IH\nPhilip Steels\n\nGregson\n")
    assert read_hotwords(path) == ("Gregson", "Whittemore", "Philip Steels")
    path.write_text("# nothing\n")
    with pytest.raises(InputError, match="expected words, one a line"):
        read_hotwords(path)


def test_only_words_that_resemble_something_are_prompted():
    names = ("Gregson", "Whittemore", "Zebedee")
    assert resembling(names, [["and", "with", "more", "to", "Gregs"]]) == ["Gregson", "Whittemore"]
    assert resembling(names, []) == []
    assert resembling((), [["Gregson"]]) == []


def test_a_lattice_without_a_path_to_its_end_keeps_what_was_recognised():
    """PocketSphinx gives None where a path should be, for some lattices of noisy speech."""
    window = Window(0, 1000, 0, np.zeros(16_000, np.float32), np.ones(31, np.float32))
    path = SimpleNamespace(hypstr="good <sil> morning(2)", score=0.5)
    for paths, texts in (
        ([None, path], ["good", "good morning"]),
        ([None], ["good"]),
        (None, ["good"]),
    ):
        (found,) = PocketSphinxRecogniser(_Lattice(paths), {}).recognise(0, [window], "en")
        said = [" ".join(word.token for word in one.words) for one in found.hypotheses]
        assert said == texts
        assert sum(one.weight for one in found.hypotheses) == pytest.approx(1)


class _Lattice:
    """A decoder that recognised one word, with these paths."""

    def __init__(self, paths):
        self.paths = paths

    def start_utt(self): ...

    def process_raw(self, audio, *, full_utt): ...

    def end_utt(self): ...

    def hyp(self):
        return "good"

    def seg(self):
        return [SimpleNamespace(word="good", start_frame=0, end_frame=20)]

    def nbest(self):
        return self.paths
