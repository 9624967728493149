"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.9702,
    {
        "common": -0.1572,
        "cut_before": -0.2957,
        "expected": -0.9935,
        "frequency": -0.03716,
        "letters": 1.189,
        "log_e_rate": -0.1717,
        "logit": 0.4471,
        "longest": -0.0135,
        "path": 0.01736,
        "phones": 0.1428,
        "relative": 2.37,
        "same_words": -0.4141,
        "slowness": -0.2375,
        "speech_quality": 1.887,
        "sureness": -0.9544,
        "written": 2.118,
        "written_sureness": 0.8426,
    },
)
