"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.resembling_words import ResemblingWords
from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -9.15,
    {
        "common": -1.485,
        "cut_before": -0.1391,
        "frequency": -0.4419,
        "log_e_rate": -0.7533,
        "longest": -0.147,
        "path": -0.1162,
        "relative": 3.447,
        "same_word": -2.487,
        "slowness": 1.534,
        "speech_quality": 5.282,
        "spelling": 6.046,
        "written": 2.986,
    },
    ResemblingWords(0.09474, 0.5192, 0.6),
)
IV_WEIGHTS = Weights(
    -0.4306,
    {
        "expected": -2.028,
        "length": 0.3368,
        "letters": -0.9747,
        "likely_logit": -0.215,
        "logit": 0.528,
        "phonetic": -3.032,
        "phonetic_common": -0.5794,
        "phonetic_cut_before": -0.07246,
        "phonetic_frequency": -0.09753,
        "phonetic_log_e_rate": -0.2858,
        "phonetic_longest": -0.08663,
        "phonetic_path": -0.05468,
        "phonetic_relative": 4.428,
        "phonetic_same_word": -1.427,
        "phonetic_slowness": 0.2942,
        "phonetic_speech_quality": 0.2049,
        "phonetic_spelling": 3.474,
        "surplus": -0.1415,
        "unlikely_logit": -0.3778,
        "unlikely_surplus": 0.2202,
        "words": 0.8287,
        "words_logit": 0.2142,
    },
)
