"""Variants of what recognisers and aligners on one's own machine write; the words are invented."""

import io
import json
import math

import pytest

from indexer.formats.detect import detect, parse_file
from indexer.formats.registry import FORMATS
from indexer.formats.shared.reader import DEFAULT, ReaderOptions
from std.errors import InputError
from std.values import Recording
from tests.indexer.formats.json.conftest import said, words
from tests.networks import networks_in

PLAIN = [{"das": (1, 0, 200)}, {"haus": (1, 200, 600)}]


def read(name, *values, options=DEFAULT):
    """Networks of documents in a row, that must be recognised as a format's."""
    content = "\n".join(map(json.dumps, values)).encode()
    assert detect(content, "news.json") == name
    return list(networks_in(FORMATS[name].parse(io.BytesIO(content), "news.json", options)))


def refusal(name, *values):
    with pytest.raises(InputError) as caught:
        read(name, *values)
    return caught.value


# Gentle


def aligned(word, start, end, **more):
    return {"case": "success", "word": word, "alignedWord": word.lower(), "start": start,
            "end": end, "startOffset": 0, "endOffset": len(word), "phones": [], **more}  # fmt: skip


LOST = {"case": "not-found-in-audio", "word": "gute", "startOffset": 4, "endOffset": 8}


def of_gentle(*found):
    return {"transcript": "Das gute Haus", "words": [*found]}


def test_gentle_takes_the_transcripts_word():
    found = read("gentle", of_gentle(aligned("Das", 0, 0.2), aligned("Haus", 0.2, 0.6)))
    assert [said(one) for one in found] == [PLAIN]
    (network,) = read("gentle", of_gentle(aligned("Brüx", 0, 0.2, alignedWord="<unk>")))
    assert network.words == ("Brüx",)


def test_gentle_what_was_not_found_in_the_audio_cannot_be_found_there():
    value = of_gentle(LOST, aligned("Das", 0, 0.2), LOST, LOST, aligned("Haus", 0.2, 0.6), LOST)
    (network,) = read("gentle", value)
    assert words([network]) == ["Das Haus"]
    assert len(said(network)) == 3  # "das haus" is no phrase: something is between


def test_gentle_a_gap_does_not_join_utterances():
    value = of_gentle(aligned("Das", 0, 0.2), LOST, aligned("Haus", 99.0, 99.4))
    assert words(read("gentle", value)) == ["Das", "Haus"]


def test_gentle_what_was_heard_beside_the_transcript():
    value = {"words": [{"case": "not-found-in-transcript", "alignedWord": "ja", "start": 0.0,
                        "end": 0.2, "phones": []}]}  # fmt: skip
    assert words(read("gentle", value)) == ["ja"]


def test_gentle_of_another_case_and_not_done():
    value = of_gentle(aligned("Das", 0, 0.2, case="guessed"))
    assert "success or another of Gentle's cases" in refusal("gentle", value).expected
    value = {"status": "TRANSCRIBING", "transcript": "Das alignedWord", "alignedWord": None}
    assert "a job that is TRANSCRIBING" in str(refusal("gentle", value))


# NeMo


def nemo_words(*tokens, keys=("start", "end")):
    times = [(0.0, 0.2), (0.2, 0.6)]
    return [{"word": token, **dict(zip(keys, span, strict=True))} for token, span in
            zip(tokens, times, strict=False)]  # fmt: skip


def of_nemo(**more):
    return {"audio_filepath": "a/monday.wav", "duration": 0.7, "pred_text": "das haus", **more}


TIMED = nemo_words("das", "haus")
OF_NEMO = {
    "word": of_nemo(word=TIMED),
    "timestamp_word": of_nemo(timestamp_word=TIMED),
    "timestamps_word": of_nemo(timestamps_word=TIMED),
    "timestamp.word": of_nemo(timestamp={"word": TIMED, "segment": []}),
    "a session": {"status": "success", "session_id": "monday", "speaker_count": 1,
                  "transcription": "das haus", "sentences": [],
                  "words": nemo_words("das", "haus", keys=("start_time", "end_time"))},
}  # fmt: skip


@pytest.mark.parametrize("value", OF_NEMO.values(), ids=OF_NEMO)
def test_nemo(value):
    (network,) = read("nemo", value)
    assert said(network) == PLAIN
    assert network.recording == Recording("monday", 1)


def test_nemo_lines_count_from_their_offset_and_share_the_time_without_words():
    value = of_nemo(offset=10.0, word=TIMED), of_nemo(offset=20.0), of_nemo(pred_text="")
    first, second = read("nemo", *value)
    assert said(first) == [{"das": (1, 10_000, 10_200)}, {"haus": (1, 10_200, 10_600)}]
    assert (second.start_ms, second.end_ms, second.times_estimated) == (20_000, 20_700, True)


def test_nemo_beams_are_weighted_by_their_scores_and_the_best_has_times():
    value = of_nemo(word=TIMED, beams=[["das haus", -1.0], ["dass haus", -2.0]])
    (network,) = read("nemo", value)
    weight = round(1 / (1 + math.exp(-1)), 4)
    assert said(network) == [
        {"das": (weight, 0, 200), "dass": (round(1 - weight, 4), 0, 200)}, {"haus": (1, 200, 600)},
    ]  # fmt: skip
    (network,) = read("nemo", value, options=ReaderOptions(acoustic_scale=0.0))
    assert said(network)[0]["das"][0] == 0.5


def test_nemo_a_manifest_of_references_is_refused():
    error = refusal("nemo", {"audio_filepath": "x.wav", "duration": 1.0, "text": "das haus"})
    assert error.expected == "text at pred_text"


# sherpa-onnx


def decoded(text, tokens, times, **more):
    return {"text": text, "tokens": tokens, "timestamps": times, **more}


SHERPA = {
    "blanks": decoded(" das haus", [" das", " ha", "us"], [0.0, 0.2, 0.4]),
    "marks of SentencePiece": decoded("das haus", ["▁das", "▁ha", "us"], [0.0, 0.2, 0.4]),
    "marks of subwords": decoded("das haus", ["das", "ha@@", "us"], [0.0, 0.2, 0.4]),
    "capitals": decoded("DAS HAUS", [" das", " haus"], [0.0, 0.2], durations=[0.2, 0.4]),
    "punctuation": decoded("das, haus.", [" das", ",", " haus", "."], [0.0, 0.2, 0.2, 0.6]),
}


@pytest.mark.parametrize("value", SHERPA.values(), ids=SHERPA)
def test_sherpa_onnx(value):
    (network,) = read("sherpa-onnx", value)
    ends = [*value["timestamps"][1:], value["timestamps"][-1] + 0.5]
    last_ms = 600 if "," in value["tokens"] or "durations" in value else round(1000 * ends[-1])
    assert said(network) == [{"das": (1, 0, 200)}, {"haus": (1, 200, last_ms)}]


def test_sherpa_onnx_confidence_is_the_geometric_mean():
    value = decoded("haus", [" ha", "us"], [0.0, 0.2], ys_probs=[math.log(0.9), math.log(0.4)])
    (network,) = read("sherpa-onnx", value)
    assert said(network) == [{"haus": (0.6, 0, 700)}]


def test_sherpa_onnx_characters_are_words_and_share_their_token():
    value = decoded("对我 ok", [" ", "对我", " ok"], [0.0, 0.2, 0.6], lang="<|zh|>")
    (network,) = read("sherpa-onnx", value)
    assert said(network) == [
        {"对": (1, 200, 400)}, {"我": (1, 400, 600)}, {"ok": (1, 600, 1100)},
    ]  # fmt: skip
    assert network.language == "zh"


def test_sherpa_onnx_of_a_segment_the_last_counts_and_begins_with_it():
    more = {"is_final": False, "ys_probs": [], "words": []}
    values = [
        decoded("das", [" das"], [0.0], segment=0, start_time=0.0, **more),
        decoded("das haus", [" das", " haus"], [0.0, 0.2], segment=0, start_time=0.0, **more),
        decoded("ja", [" ja"], [0.1], segment=1, start_time=5.0, **more),
        decoded("", [], [], segment=2, start_time=9.0, **more),
    ]
    first, second = read("sherpa-onnx", *values)
    assert words([first, second]) == ["das haus", "ja"]
    assert (second.start_ms, second.end_ms) == (5100, 5600)


def test_sherpa_onnx_tokens_that_do_not_spell_the_text():
    (network,) = read("sherpa-onnx", decoded("对我", ["▁ƌŕş", "▁ƍĩĴ"], [0.0, 0.3]))
    assert words([network]) == ["对 我"]
    assert (network.start_ms, network.end_ms, network.times_estimated) == (0, 800, True)


def test_sherpa_onnx_the_least_probability_is_none():
    value = decoded("das haus", [" das", " haus"], [0.0, 0.2], ys_probs=[-1.7e308, 1e-7])
    (network,) = read("sherpa-onnx", value)
    assert words([network])[0].endswith("haus")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (decoded("das", ["das"], []), "when each token was decoded at timestamps"),
        (decoded("das", ["das"], [0, 1]), "a time for each of 1 tokens"),
        (decoded("das", ["das"], [0], ys_probs=[-1, -1]), "a log probability for each of 1"),
        (decoded("das", ["das"], [0], ys_log_probs=[9007199254740993]), "at most 0"),
        (decoded("das", ["das"], [0], ys_probs=[0.5]), "at most 0"),
    ],
)
def test_sherpa_onnx_without_times(value, expected):
    assert expected in refusal("sherpa-onnx", value).expected


# PocketSphinx


def test_pocketsphinx_json_silence_noise_and_phones():
    sphinx = [
        {"b": 1.0, "d": 0.1, "p": 1.0, "t": "<s>"},
        {"b": 1.1, "d": 0.2, "p": 0.9, "t": "das", "w": [{"b": 1.1, "d": 0.2, "p": 1, "t": "D"}]},
        {"b": 1.3, "d": 0.1, "p": 0.7, "t": "[NOISE]"},
        {"b": 1.4, "d": 0.4, "p": 0.8, "t": "haus(2)"},
    ]
    (network,) = read("pocketsphinx-json", {"b": 1.0, "d": 0.8, "p": 0.5, "t": "das", "w": sphinx})
    assert [one for one in said(network) if one] == [
        {"das": (0.9, 1100, 1300)}, {"haus": (0.8, 1400, 1800)},
    ]  # fmt: skip
    assert read("pocketsphinx-json", {"b": 0.0, "d": 1.0, "p": 1.0, "t": "", "w": []}) == []


# transformers


def offsets(*spans):
    return [{"word": word, "start_offset": a, "end_offset": b} for word, a, b in spans]


def test_transformers_n_best():
    value = {
        "text": ["das haus", "dass haus"], "logit_score": [-1.0, -1.0], "lm_score": [-3.0, -4.0],
        "word_offsets": [offsets(("das", 0, 10), ("haus", 10, 30)), offsets(("dass", 0, 10))],
    }  # fmt: skip
    (network,) = read("transformers", value)
    weight = round(1 / (1 + math.exp(-1)), 4)
    assert said(network) == [
        {"das": (weight, 0, 200), "dass": (round(1 - weight, 4), 0, 200)},
        {"haus": (weight, 200, 600)},
    ]
    del value["lm_score"]
    (network,) = read("transformers", value)
    assert said(network)[0]["das"][0] == 0.5


def test_transformers_best_alone_and_with_seconds():
    value = {"text": "das haus", "word_offsets": offsets(("das", 0, 10), ("haus", 10, 30))}
    assert said(read("transformers", value)[0]) == PLAIN
    value["word_offsets"][0] |= {"start_time": 1.0, "end_time": 1.1}
    value["word_offsets"][1] |= {"start_time": 1.1, "end_time": 1.3}
    assert said(read("transformers", value)[0]) == [
        {"das": (1, 1000, 1100)}, {"haus": (1, 1100, 1300)},
    ]  # fmt: skip


def test_transformers_scores_that_do_not_belong_to_the_words():
    value = {"text": ["das"], "lm_score": [-1.0, -2.0], "word_offsets": [offsets(("das", 0, 1))]}
    assert refusal("transformers", value).expected.startswith("words of each of 2 texts")


# Whisper's family, where it comes without its frame


CHUNKS = [{"timestamp": [0.0, 0.2], "text": " Das"}, {"timestamp": [0.2, 0.6], "text": " Haus."}]


def test_chunks_alone_are_one_transcript():
    (network,) = read("whisper", CHUNKS)
    assert said(network) == PLAIN
    first, second = read("whisper", [*CHUNKS, {"timestamp": [3.0, None], "text": " Ja"}])
    assert words([first, second]) == ["Das Haus", "Ja"]


def test_rows_of_iflytek():
    """The form is that of answers in public repositories; times are milliseconds as text."""
    rows = [{"bg": "0", "ed": "1200", "onebest": "Das Haus,", "speaker": "1"},
            {"bg": "1300", "ed": "2500", "onebest": "ist alt.", "speaker": "2"}]  # fmt: skip
    found = read("timed-text", rows)
    assert words(found) == ["Das Haus", "ist alt"]
    assert [(one.start_ms, one.end_ms) for one in found] == [(0, 1200), (1300, 2500)]


def test_words_of_bbcs_kaldi(tmp_path):
    spoken = nemo_words("das", "haus")
    for one in spoken:
        one |= {"confidence": 1, "punct": one["word"].title(), "index": 0}
    value = {"action": "x", "retval": {"status": True, "punct": "", "words": spoken}}
    (tmp_path / "x.json").write_text(json.dumps(value))
    (network,) = networks_in(parse_file(tmp_path / "x.json"))
    assert said(network) == PLAIN
