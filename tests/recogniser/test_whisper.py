"""Whisper's decoding, with a model that says what the test tells it to."""

import pytest

from recogniser.whisper.recognise import WhisperOptions, WhisperRecogniser

LOOP = "thank you " * 40


def recognised(engine, windows, **options):
    recogniser = WhisperRecogniser(engine, WhisperOptions(**options), {})
    return recogniser.recognise(3, windows, "en")


def texts(recognition):
    return [" ".join(word.token for word in one.words) for one in recognition.hypotheses]


def test_the_transcript_has_half_of_the_weight_and_the_draws_the_other(fake_engine, window):
    engine = fake_engine({1: {"transcript": "a house, here", "draws": ["a house", "a mouse hear"]}})
    (found,) = recognised(engine, [window()], samples=2)
    assert texts(found) == ["a house here", "a house", "a mouse hear"]
    assert [one.weight for one in found.hypotheses] == [0.5, 0.25, 0.25]
    assert found.most_certain == pytest.approx(2.5 / 3)
    assert found.notes["text"] == "a house, here"


def test_times_come_from_one_alignment_and_a_comma_is_the_word_before_it(fake_engine, window):
    engine = fake_engine({1: {"transcript": "a house, here", "draws": ["a mouse here"]}})
    (found,) = recognised(engine, [window()], samples=1)
    spans = [[(w.start_s, w.end_s) for w in one.words] for one in found.hypotheses]
    assert spans[0] == [(0.0, 0.5), (0.5, 1.5), (1.5, 2.0)]
    assert spans[1][2] == (1.5, 2.0)
    assert spans[1][1] == (pytest.approx(0.5, abs=0.25), pytest.approx(1.5))


def test_windows_are_encoded_once_and_beams_searched_together(fake_engine, window):
    script = {n: {"transcript": f"word {n}", "draws": ["word"] * 4} for n in (1, 2, 3)}
    engine = fake_engine(script)
    recognised(engine, [window(n) for n in (1, 2, 3)], samples=4)
    assert [(call[0], call[2].get("num_hypotheses")) for call in engine.calls] == [
        ([1, 2, 3], None),
        ([1], 4),
        ([2], 4),
        ([3], 4),
    ]
    assert engine.restarts == [3]  # draws depend on the block's number only


def test_a_failed_transcript_is_tried_again_at_higher_temperatures(fake_engine, window):
    answers = {"transcript": "x", "log_prob": -1.5, "fallback": ["better"], "draws": ["x"]}
    engine = fake_engine({1: answers})
    (found,) = recognised(engine, [window()], samples=1)
    assert texts(found)[0] == "better"
    assert [call[2].get("sampling_temperature") for call in engine.calls] == [None, 0.2, 0.8]


def test_loops_and_hasty_draws_are_thrown_away(fake_engine, window):
    hasty = " ".join(f"w{i}" for i in range(100))
    engine = fake_engine({1: {"transcript": "yes", "draws": ["yes", LOOP, hasty, "no"]}})
    (found,) = recognised(engine, [window()], samples=4)
    assert texts(found) == ["yes", "yes", "no"]
    assert found.notes["thrown_away"] == 2
    assert found.most_certain == pytest.approx(2.5 / 3)


def test_a_draw_stands_in_for_a_transcript_that_is_thrown_away(fake_engine, window):
    engine = fake_engine({1: {"transcript": LOOP, "fallback": [LOOP], "draws": ["yes", "no"]}})
    (found,) = recognised(engine, [window()], samples=2)
    assert texts(found) == ["yes", "no"]
    assert [one.weight for one in found.hypotheses] == [0.5, 0.5]


def test_a_transcript_that_is_hardly_understood_weighs_as_a_draw(fake_engine, window):
    answers = {"transcript": "a", "log_prob": -1.5, "draws": ["b", "c", "d"]}
    (found,) = recognised(fake_engine({1: answers}), [window()], samples=3)
    assert [one.weight for one in found.hypotheses] == [0.25] * 4
    assert found.notes["log_prob"] < -1


def test_short_loops_count_once(fake_engine, window):
    engine = fake_engine({1: {"transcript": "so so so so there", "draws": ["so there"]}})
    (found,) = recognised(engine, [window()], samples=1)
    assert texts(found) == ["so there", "so there"]


def test_nobody_spoke_where_the_model_says_so_and_doubts_its_words(fake_engine, window):
    answers = {"transcript": "thanks", "no_speech": 0.8, "log_prob": -1.4, "draws": ["thanks"]}
    (found,) = recognised(fake_engine({1: answers}), [window()], samples=1)
    assert texts(found) == []
    assert found.notes["silent"]
    sure = {**answers, "log_prob": -0.2}
    (found,) = recognised(fake_engine({1: sure}), [window()], samples=1)
    assert texts(found) == ["thanks", "thanks"]


def test_silent_windows_are_not_decoded_unless_the_model_hears_somebody(fake_engine, window):
    script = {
        1: {"transcript": "ghost", "no_speech": 0.9, "draws": []},
        2: {"transcript": "babble", "no_speech": 0.2, "draws": ["babel"]},
    }
    engine = fake_engine(script)
    quiet, noisy = recognised(engine, [window(1, silent=True), window(2, silent=True)], samples=1)
    assert texts(quiet) == []
    assert texts(noisy) == ["babble", "babel"]
    assert [2] in [call[0] for call in engine.calls if "return_scores" in call[2]]
    assert [1] not in [call[0] for call in engine.calls if "return_scores" in call[2]]


def test_without_draws_the_transcript_has_all_the_weight(fake_engine, window):
    (found,) = recognised(
        fake_engine({1: {"transcript": "yes", "draws": []}}), [window()], samples=0
    )
    assert [one.weight for one in found.hypotheses] == [1.0]


def test_hotwords_that_resemble_what_was_heard_get_a_beam_search(fake_engine, window):
    answers = {"transcript": "ask gregs", "draws": ["ask greg son"], "hot": "ask Gregson"}
    engine = fake_engine({1: answers})
    names = ("Gregson", "Whittemore")
    (found,) = recognised(engine, [window()], samples=1, hotwords=names)
    assert texts(found) == ["ask gregs", "ask greg son", "ask Gregson"]
    assert [one.weight for one in found.hypotheses] == [0.5, 0.25, 0.25]
    prompt = engine.calls[-1][1]
    assert engine.words.decode(prompt[1:-2]) == "Gregson"
    (found,) = recognised(engine, [window()], samples=1, hotwords=("Whittemore",))
    assert len(found.hypotheses) == 2


def test_the_language_is_that_of_most_windows(fake_engine, window):
    recogniser = WhisperRecogniser(fake_engine({}), WhisperOptions(), {})
    assert recogniser.language_of([window(1), window(2)]) == "en"
    assert recogniser.language_of([]) == "en"


def test_what_decides_the_output_is_in_the_identity(fake_engine):
    recogniser = WhisperRecogniser(fake_engine({}), WhisperOptions(samples=3), {"model": "tiny"})
    assert {
        "model": "tiny",
        "samples": 3,
        "temperature": 0.8,
    }.items() <= recogniser.identity.items()
