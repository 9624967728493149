"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(
    -8.291,
    {
        "common": -1.439,
        "cut_before": -0.157,
        "frequency": -0.3835,
        "log_e_rate": -0.663,
        "longest": -0.1411,
        "path": -0.1143,
        "relative": 4.115,
        "same_word": -1.856,
        "slowness": 1.208,
        "speech_quality": 4.568,
        "spelling": 5.345,
        "written": 0.9414,
    },
)
IV_WEIGHTS = Weights(
    -0.4306,
    {
        "expected": -2.032,
        "length": 0.3368,
        "letters": -0.9747,
        "likely_logit": -0.215,
        "logit": 0.528,
        "phonetic": -2.96,
        "phonetic_common": -0.5806,
        "phonetic_cut_before": -0.07017,
        "phonetic_frequency": -0.08874,
        "phonetic_log_e_rate": -0.291,
        "phonetic_longest": -0.08714,
        "phonetic_path": -0.05609,
        "phonetic_relative": 4.364,
        "phonetic_same_word": -0.6998,
        "phonetic_slowness": 0.2122,
        "phonetic_speech_quality": 0.2307,
        "phonetic_spelling": 3.418,
        "surplus": -0.1415,
        "unlikely_logit": -0.3778,
        "unlikely_surplus": 0.2202,
        "words": 0.8287,
        "words_logit": 0.2142,
    },
)
