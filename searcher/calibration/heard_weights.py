"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_OOV_WEIGHTS = Weights(
    -2.991,
    {
        "alone": 2.478,
        "alone_fit": 0.6102,
        "alone_log_e_rate": -0.2803,
        "alone_phones": 1.393,
        "fit": 0.7183,
        "log_e_curve": -0.0382,
        "log_e_rate": -0.467,
        "log_ratio": -0.3525,
        "phones": 0.2251,
    },
)
HEARD_IV_WEIGHTS = Weights(
    0.5134,
    {
        "alone": 0.5353,
        "alone_fit": 0.2964,
        "alone_log_e_rate": -0.172,
        "alone_phones": 0.4213,
        "fit": 0.4584,
        "log_e_curve": 0.009832,
        "log_e_rate": 0.002871,
        "log_ratio": -0.07235,
        "phones": 0.3121,
    },
)
