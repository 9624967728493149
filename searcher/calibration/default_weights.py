"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -2.798,
    {
        "common": -1.349,
        "cut_after": -0.1708,
        "cut_before": -0.2878,
        "log_e_rate": -0.5025,
        "longest": -0.1114,
        "odd_length": 0.06976,
        "path": -0.1581,
        "relative": 9.357,
        "relative_squared": -2.624,
        "same": -0.5565,
        "speech_quality": 2.763,
        "written": 2.284,
    },
)
IV_WEIGHTS = Weights(
    -1.936,
    {
        "expected": -2.743,
        "false_mass": -0.9596,
        "letters": 1.329,
        "likely_logit": -0.1236,
        "logit": 0.4904,
        "phonetic": -0.186,
        "phonetic_common": -0.7333,
        "phonetic_cut_after": -0.1592,
        "phonetic_cut_before": -0.1709,
        "phonetic_log_e_rate": -0.3792,
        "phonetic_longest": -0.06975,
        "phonetic_odd_length": 0.2332,
        "phonetic_path": -0.09997,
        "phonetic_relative": 7.919,
        "phonetic_relative_squared": -1.76,
        "phonetic_same": -0.721,
        "phonetic_speech_quality": 1.545,
        "unlikely_logit": 0.1817,
        "words": 1.148,
    },
)
