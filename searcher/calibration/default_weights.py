"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -3.563,
    {
        "common": -1.556,
        "cut_after": -0.2839,
        "cut_before": -0.3107,
        "log_e_rate": -0.748,
        "longest": -0.1433,
        "odd_length": -0.6057,
        "path": -0.1305,
        "relative": 8.073,
        "relative_squared": -2.948,
        "same": 0.03533,
        "speech_quality": 2.089,
        "written": 1.795,
    },
)
IV_WEIGHTS = Weights(
    -0.4281,
    {
        "expected": -1.964,
        "letters": 0.2477,
        "likely_logit": -0.1731,
        "logit": 0.7078,
        "phonetic": -1.877,
        "phonetic_common": -0.6719,
        "phonetic_cut_after": -0.1882,
        "phonetic_cut_before": -0.2041,
        "phonetic_log_e_rate": -0.3858,
        "phonetic_longest": -0.05747,
        "phonetic_odd_length": 0.07241,
        "phonetic_path": -0.08412,
        "phonetic_relative": 6.391,
        "phonetic_relative_squared": -1.344,
        "phonetic_same": 0.6061,
        "phonetic_speech_quality": 0.1665,
        "surplus": -0.1629,
        "unlikely_logit": -0.2869,
        "unlikely_surplus": 0.2436,
        "words": 0.6363,
    },
)
