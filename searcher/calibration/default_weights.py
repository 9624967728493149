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
    -1.324,
    {
        "expected": -2.105,
        "false_mass": -0.8602,
        "letters": 0.7406,
        "likely_logit": -0.2391,
        "logit": 0.6392,
        "phonetic": -0.8617,
        "phonetic_common": -0.6053,
        "phonetic_cut_after": -0.1716,
        "phonetic_cut_before": -0.1772,
        "phonetic_log_e_rate": -0.3733,
        "phonetic_longest": -0.07323,
        "phonetic_odd_length": 0.1802,
        "phonetic_path": -0.1056,
        "phonetic_relative": 7.381,
        "phonetic_relative_squared": -1.426,
        "phonetic_same": -0.4436,
        "phonetic_speech_quality": 0.1201,
        "unlikely_logit": -0.02386,
        "words": 1.316,
    },
)
