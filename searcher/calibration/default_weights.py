"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.resembling_words import ResemblingWords
from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -9.221,
    {
        "common": -1.486,
        "cut_before": -0.1398,
        "frequency": -0.4504,
        "log_e_rate": -0.758,
        "longest": -0.1476,
        "path": -0.117,
        "relative": 3.423,
        "same_word": -2.495,
        "slowness": 1.317,
        "speech_quality": 5.506,
        "spelling": 5.994,
        "written": 2.978,
    },
    ResemblingWords(0.07875, 0.5207, 0.6),
)
IV_WEIGHTS = Weights(
    -0.4306,
    {
        "expected": -2.03,
        "length": 0.3368,
        "letters": -0.9747,
        "likely_logit": -0.215,
        "logit": 0.528,
        "phonetic": -3.042,
        "phonetic_common": -0.5801,
        "phonetic_cut_before": -0.07272,
        "phonetic_frequency": -0.09835,
        "phonetic_log_e_rate": -0.2866,
        "phonetic_longest": -0.08663,
        "phonetic_path": -0.05475,
        "phonetic_relative": 4.423,
        "phonetic_same_word": -1.429,
        "phonetic_slowness": 0.2134,
        "phonetic_speech_quality": 0.2096,
        "phonetic_spelling": 3.466,
        "surplus": -0.1415,
        "unlikely_logit": -0.3778,
        "unlikely_surplus": 0.2202,
        "words": 0.8287,
        "words_logit": 0.2142,
    },
)
