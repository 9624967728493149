"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.1351,
    {
        "common": -0.3348,
        "cut_after": 0.1297,
        "cut_before": -0.4014,
        "expected": -0.8303,
        "letters": 1.559,
        "log_e_rate": -0.3114,
        "logit": 0.4574,
        "longest": -0.03283,
        "odd_length": -0.3902,
        "path": -0.002734,
        "phones": 0.3718,
        "relative": 3.504,
        "relative_squared": -1.749,
        "same": -0.2966,
        "speech_quality": 1.135,
        "sureness": -0.8539,
        "written": 1.679,
        "written_sureness": 0.2659,
    },
)
