"""The shipped weights of spoken queries, written by ``benchmarks.spoken_queries DATA --write``."""

from searcher.calibration.weights import Weights

SPOKEN_WEIGHTS = Weights(
    0.9263,
    {
        "common": -0.1785,
        "cut_before": -0.308,
        "expected": -1.067,
        "frequency": -0.04799,
        "letters": 1.399,
        "log_e_rate": -0.1698,
        "logit": 0.4446,
        "longest": -0.02122,
        "path": 0.01224,
        "phones": 0.03973,
        "relative": 2.526,
        "same_word": -1.109,
        "slowness": -0.2091,
        "speech_quality": 1.753,
        "sureness": -0.8152,
        "written": 1.923,
        "written_sureness": 0.7366,
    },
)
