"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.9715,
    {
        "common": -0.1545,
        "cut_before": -0.2973,
        "expected": -0.9663,
        "frequency": -0.03238,
        "letters": 1.182,
        "log_e_rate": -0.1668,
        "logit": 0.4497,
        "longest": -0.01529,
        "path": 0.01483,
        "phones": 0.16,
        "relative": 2.456,
        "same_word": -0.4685,
        "slowness": -0.2408,
        "speech_quality": 1.873,
        "sureness": -0.9731,
        "written": 2.128,
        "written_sureness": 0.8438,
    },
)
