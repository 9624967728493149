"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.9904,
    {
        "common": -0.1797,
        "cut_before": -0.3099,
        "expected": -1.079,
        "frequency": -0.03861,
        "letters": 1.353,
        "log_e_rate": -0.169,
        "logit": 0.4518,
        "longest": -0.02258,
        "path": 0.01098,
        "phones": 0.1171,
        "relative": 2.528,
        "same_word": -1.208,
        "slowness": -0.1965,
        "speech_quality": 1.835,
        "sureness": -0.8719,
        "written": 2.007,
        "written_sureness": 0.7795,
    },
)
