"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -2.241,
    {
        "alone": 1.311,
        "alone_fit": 0.7305,
        "alone_known": -0.7203,
        "alone_log_e_rate": -0.297,
        "alone_phones": 1.758,
        "fit": 0.7925,
        "known": 0.347,
        "log_e_curve": -0.03138,
        "log_e_rate": -0.3816,
        "log_ratio": -0.2929,
        "phones": 0.4173,
    },
)
