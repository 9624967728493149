"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.3632,
    {
        "common": -0.2745,
        "cut_after": 0.1389,
        "cut_before": -0.2395,
        "expected": -1.131,
        "letters": 1.143,
        "log_e_rate": -0.2832,
        "logit": 0.4739,
        "longest": -0.04066,
        "odd_length": -0.07372,
        "path": 0.04751,
        "phones": 0.2236,
        "relative": 4.581,
        "relative_squared": -2.918,
        "same": -0.2537,
        "speech_quality": 1.846,
        "sureness": -0.8538,
        "written": 2.334,
        "written_sureness": 1.033,
    },
)
