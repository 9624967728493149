"""The shipped weights, written by ``python -m benchmarks.calibration DATA --write``."""

from searcher.calibration.weights import Weights

OOV_WEIGHTS = Weights(0.0, {"log_e_rate": -0.6})
IV_WEIGHTS = Weights(0.0, {"logit": 0.5})
