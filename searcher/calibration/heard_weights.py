"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -0.6891,
    {
        "alone": 2.872,
        "alone_fit": 1.327,
        "alone_phones": 2.517,
        "fit": 0.8097,
        "known": -0.3036,
        "log_e_curve": -0.01798,
        "log_e_rate": -0.3676,
    },
)
