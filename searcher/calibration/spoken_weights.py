"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.2641,
    {
        "common": -0.2048,
        "cut_after": 0.1094,
        "cut_before": -0.2363,
        "expected": -1.172,
        "letters": 1.17,
        "log_e_rate": -0.2495,
        "logit": 0.4616,
        "longest": -0.03037,
        "odd_length": -0.2064,
        "path": 0.03172,
        "phones": 0.2965,
        "relative": 3.991,
        "relative_squared": -2.283,
        "same": 0.2476,
        "speech_quality": 2.02,
        "sureness": -0.8519,
        "written": 2.254,
        "written_sureness": 0.93,
    },
)
