"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -2.487,
    {
        "alone": 3.908,
        "alone_fit": 1.297,
        "alone_phones": 2.433,
        "fit": 0.7264,
        "known": 0.2065,
        "log_e_curve": -0.02153,
        "log_e_rate": -0.4435,
        "log_ratio": -0.3092,
    },
)
