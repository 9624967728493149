"""Limits and tolerances of the readers: recogniser output, NIST's files, ZeroSpeech's files."""

from std.ranges import Range

POSTERIOR_TOLERANCE = 1e-3  # beyond [0, 1] by at most this much: clipped
SUM_TOLERANCE = 1e-2  # a slot's sum beyond 1: scaled to 1
MAX_WORD_S = 65.535  # a store keeps word durations in 16 bits of milliseconds
MAX_TIME_S = (2**30 - 1) / 1000  # and times in 31; half of them for an utterance's offset
MAX_LINKS = 1_000_000  # of one lattice; real ones have thousands
MAX_UTTERANCE_BYTES = 1 << 28  # of one mesh or one line, and of one JSON document
MAX_DOCUMENT_BYTES = 1 << 26  # of a model, and of what our own commands printed
MAX_CHANNEL = 9999
CHANNEL = Range(0, MAX_CHANNEL, whole=True)

# And readers of NIST's files and of ZeroSpeech's.
SECONDS = Range(0, 1_000_000_000)  # 31 years
COUNT = Range(0, 1_000_000_000, whole=True)
BYTES = Range(0, 1_000_000_000_000_000_000)
MAX_SCORE = 1e100  # its square is finite; infinite scores are permitted
