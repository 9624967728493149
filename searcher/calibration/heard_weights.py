"""The shipped weights of the phones heard, written by ``benchmarks.heard_evidence ... --write``."""

from searcher.calibration.weights import Weights

HEARD_WEIGHTS = Weights(
    -0.8342,
    {
        "alone": 2.949,
        "alone_fit": 1.33,
        "alone_phones": 2.505,
        "fit": 0.7928,
        "log_e_curve": -0.01855,
        "log_e_rate": -0.3755,
    },
)
