"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -2.086,
    {
        "alone": 1.86,
        "alone_fit": 0.6441,
        "alone_known": -1.079,
        "alone_log_e_rate": -0.2956,
        "alone_phones": 1.523,
        "fit": 0.7924,
        "known": 0.2495,
        "log_e_curve": -0.03425,
        "log_e_rate": -0.4083,
        "log_ratio": -0.3059,
        "phones": 0.2333,
    },
)
