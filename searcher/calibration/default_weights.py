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
    -0.4306,
    {
        "expected": -2.028,
        "length": 0.3368,
        "letters": -0.9747,
        "likely_logit": -0.215,
        "logit": 0.528,
        "phonetic": -2.817,
        "phonetic_common": -0.5739,
        "phonetic_cut_before": -0.07062,
        "phonetic_frequency": -0.06974,
        "phonetic_log_e_rate": -0.2871,
        "phonetic_longest": -0.08765,
        "phonetic_path": -0.05301,
        "phonetic_relative": 4.407,
        "phonetic_same_words": -0.7448,
        "phonetic_slowness": 0.1935,
        "phonetic_speech_quality": 0.22,
        "phonetic_spelling": 3.457,
        "surplus": -0.1415,
        "unlikely_logit": -0.3778,
        "unlikely_surplus": 0.2202,
        "words": 0.8287,
        "words_logit": 0.2142,
    },
)
