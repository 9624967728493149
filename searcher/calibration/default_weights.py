"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -8.146,
    {
        "common": -1.435,
        "cut_before": -0.1577,
        "frequency": -0.3666,
        "log_e_rate": -0.6614,
        "longest": -0.1414,
        "path": -0.1127,
        "relative": 4.132,
        "same_words": -1.78,
        "slowness": 1.21,
        "speech_quality": 4.562,
        "spelling": 5.355,
        "written": 0.9497,
    },
)
IV_WEIGHTS = Weights(
    -0.4281,
    {
        "expected": -2.025,
        "letters": 0.2477,
        "likely_logit": -0.1731,
        "logit": 0.7078,
        "phonetic": -2.887,
        "phonetic_common": -0.5758,
        "phonetic_cut_before": -0.07041,
        "phonetic_frequency": -0.07669,
        "phonetic_log_e_rate": -0.288,
        "phonetic_longest": -0.08741,
        "phonetic_path": -0.05361,
        "phonetic_relative": 4.399,
        "phonetic_same_words": -0.7365,
        "phonetic_slowness": 0.1963,
        "phonetic_speech_quality": 0.2101,
        "phonetic_spelling": 3.469,
        "surplus": -0.1629,
        "unlikely_logit": -0.2869,
        "unlikely_surplus": 0.2436,
        "words": 0.6363,
    },
)
