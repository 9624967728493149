"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -3.47,
    {
        "common": -1.551,
        "cut_after": -0.2657,
        "cut_before": -0.3036,
        "log_e_rate": -0.7379,
        "longest": -0.1569,
        "odd_length": -0.4004,
        "path": -0.1619,
        "relative": 8.578,
        "relative_squared": -2.761,
        "same": -1.218,
        "speech_quality": 2.82,
        "written": 1.765,
    },
)
IV_WEIGHTS = Weights(
    -0.4281,
    {
        "expected": -2.014,
        "letters": 0.2477,
        "likely_logit": -0.1731,
        "logit": 0.7078,
        "phonetic": -1.602,
        "phonetic_common": -0.6082,
        "phonetic_cut_after": -0.1706,
        "phonetic_cut_before": -0.1759,
        "phonetic_log_e_rate": -0.3788,
        "phonetic_longest": -0.07137,
        "phonetic_odd_length": 0.1756,
        "phonetic_path": -0.1039,
        "phonetic_relative": 6.806,
        "phonetic_relative_squared": -1.131,
        "phonetic_same": -0.4643,
        "phonetic_speech_quality": 0.1185,
        "surplus": -0.1629,
        "unlikely_logit": -0.2869,
        "unlikely_surplus": 0.2436,
        "words": 0.6363,
    },
)
