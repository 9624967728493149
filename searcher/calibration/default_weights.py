"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.resembling_words import ResemblingWords
from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -9.387,
    {
        "common": -1.47,
        "cut_before": -0.1379,
        "frequency": -0.4415,
        "log_e_rate": -0.7642,
        "longest": -0.1426,
        "path": -0.1193,
        "relative": 3.235,
        "same_word": -2.402,
        "slowness": 1.547,
        "speech_quality": 5.22,
        "spelling": 6.111,
        "written": 3.012,
    },
    ResemblingWords(0.321, 0.4896, 0.6),
)
IV_WEIGHTS = Weights(
    -0.6544,
    {
        "expected": -0.4182,
        "length": 0.3261,
        "letters": -0.8618,
        "likely_logit": -0.2122,
        "logit": 0.5368,
        "phonetic": -5.036,
        "phonetic_common": -0.4822,
        "phonetic_cut_before": -0.07854,
        "phonetic_frequency": -0.155,
        "phonetic_log_e_rate": -0.241,
        "phonetic_longest": -0.08626,
        "phonetic_path": -0.03503,
        "phonetic_relative": 4.962,
        "phonetic_same_word": -1.327,
        "phonetic_slowness": 0.2503,
        "phonetic_speech_quality": -0.3304,
        "phonetic_spelling": 3.246,
        "surplus": -0.1247,
        "unlikely_logit": -0.3617,
        "unlikely_surplus": 0.2066,
        "words": 0.7696,
        "words_logit": 0.2136,
    },
)
