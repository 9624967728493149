"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -2.785,
    {
        "common": -1.348,
        "cut_after": -0.1728,
        "cut_before": -0.2898,
        "log_e_rate": -0.5011,
        "longest": -0.1104,
        "odd_length": 0.07323,
        "path": -0.1552,
        "relative": 9.331,
        "relative_squared": -2.599,
        "same": -0.547,
        "speech_quality": 2.732,
        "written": 2.281,
    },
)
IV_WEIGHTS = Weights(
    -0.428,
    {
        "expected": -2.004,
        "letters": 0.2477,
        "likely_logit": -0.1731,
        "logit": 0.7078,
        "phonetic": -1.588,
        "phonetic_common": -0.6177,
        "phonetic_cut_after": -0.1732,
        "phonetic_cut_before": -0.1781,
        "phonetic_log_e_rate": -0.3766,
        "phonetic_longest": -0.07047,
        "phonetic_odd_length": 0.1827,
        "phonetic_path": -0.1003,
        "phonetic_relative": 6.812,
        "phonetic_relative_squared": -1.134,
        "phonetic_same": -0.4499,
        "phonetic_speech_quality": 0.08402,
        "surplus": -0.1629,
        "unlikely_logit": -0.2869,
        "unlikely_surplus": 0.2435,
        "words": 0.6363,
    },
)
