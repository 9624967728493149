"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    1.006,
    {
        "common": -0.1828,
        "cut_before": -0.3093,
        "expected": -1.082,
        "frequency": -0.03798,
        "letters": 1.356,
        "log_e_rate": -0.1696,
        "logit": 0.4531,
        "longest": -0.02278,
        "path": 0.01178,
        "phones": 0.1107,
        "relative": 2.519,
        "same_word": -1.215,
        "slowness": -0.2489,
        "speech_quality": 1.77,
        "sureness": -0.8718,
        "written": 2.009,
        "written_sureness": 0.7788,
    },
)
