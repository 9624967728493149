"""What readers of recogniser output put up with."""

POSTERIOR_TOLERANCE = 1e-3  # beyond [0, 1]: clipped
SUM_TOLERANCE = 1e-2  # a slot's sum beyond 1: scaled to 1
MAX_WORD_S = 65.535  # a store keeps word durations in 16 bits of milliseconds
MAX_TIME_S = (2**30 - 1) / 1000  # and times in 31; half of them for an utterance's offset
MAX_LINKS = 1_000_000  # of one lattice; real ones have thousands
MAX_UTTERANCE_BYTES = 1 << 28  # of one mesh or one line, and of one JSON document
MAX_DOCUMENT_BYTES = 1 << 26  # of a model, and of what our own commands printed
MAX_CHANNEL = 9999
