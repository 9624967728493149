"""Ranges of the options of an evaluation, for command line and programs alike."""

from std.ranges import Range

COST = Range(0.000001, 1_000_000)  # of a false alarm, of a miss
PRIOR = Range(0.000000000001, 1, below=True)  # probability that a trial is a target
BETA = Range(0.000000001, 1_000_000_000_000_000)  # what costs and prior come to
TRIALS_PER_SECOND = Range(0, 1_000_000, above=True)
SECONDS = Range(0, 1_000_000)  # between a hit and its reference, between two words
REPLICATES = Range(0, 1_000_000, whole=True)
CONFIDENCE = Range(0, 1, above=True, below=True)
ISO_RATIO = Range(0, 1_000_000_000, above=True)  # P_miss / P_fa
FOLDS = Range(2, 1_000_000, whole=True)  # of a corpus
