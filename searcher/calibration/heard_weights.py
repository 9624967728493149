"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -2.994,
    {
        "alone": 3.968,
        "alone_fit": 1.162,
        "alone_phones": 2.233,
        "fit": 0.6046,
        "known": 0.2291,
        "log_e_curve": -0.02636,
        "log_e_rate": -0.4896,
        "log_ratio": -0.2939,
    },
)
