"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -3.128,
    {
        "alone": 3.628,
        "alone_fit": 1.409,
        "alone_phones": 2.747,
        "fit": 0.5391,
        "known": 0.2568,
        "log_e_curve": -0.03076,
        "log_e_rate": -0.5049,
        "log_ratio": -0.2947,
    },
)
