"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_OOV_WEIGHTS = Weights(
    -2.153,
    {
        "alone": 1.885,
        "alone_fit": 0.536,
        "alone_log_e_rate": -0.3039,
        "alone_phones": 1.518,
        "fit": 0.8051,
        "log_e_curve": -0.0362,
        "log_e_rate": -0.4211,
        "log_ratio": -0.3837,
        "phones": 0.08561,
    },
)
HEARD_IV_WEIGHTS = Weights(
    -0.1266,
    {
        "alone": 0.508,
        "alone_fit": 0.3639,
        "alone_log_e_rate": -0.1748,
        "alone_phones": 0.432,
        "fit": 0.392,
        "log_e_curve": 0.01498,
        "log_e_rate": -0.04317,
        "log_ratio": -0.0589,
        "phones": 0.4727,
    },
)
