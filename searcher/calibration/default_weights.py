"""The shipped weights, written by ``benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

WEIGHTS = Weights(
    -5.307,
    {
        "common": -1.3,
        "expected": -0.5205,
        "known": -2.099,
        "length": 0.18,
        "log_e_rate": -0.6715,
        "logit": 0.4883,
        "longest": -0.1346,
        "path": -0.08982,
        "relative": 3.907,
        "slowness": 1.178,
        "spelling": 5.709,
        "split": 3.64,
        "spoken": 3.339,
        "surplus": -0.1828,
        "unlikely_surplus": 0.2697,
        "words": 5.02,
    },
)
