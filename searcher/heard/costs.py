"""What an alignment with slots costs, and what seeds are: numbers that kernels and others share.

Chosen on German and Dutch, by the places that phones heard alone find (`benchmarks.heard`).
"""

import numpy as np

INSERTED = 0.05  # probability of a slot that is none of the query's phones
DELETED = float(np.log(5e-4))  # of a phone that no slot holds
SAME = -1.0  # nats, of a slot that holds the phone before on
FLOOR = 1e-3  # of the probability of a phone in a slot
NEVER = -1e30
MOST_COST = 37  # of a phone in seeds, at most: p from .1 up
SKIPPED = 26  # cost up to which a seed may pass a slot as no phone of its own: p from .2 up
NO_TOKEN = 255
FOUR = 4  # phones of a longer seed
MOST_PLACES = 62  # in a query, that seeds are looked for at
ROOM, ROOM_SLOTS = 1.5, 3  # slots of a stretch around a seed: for each phone of the query, and more
CONFUSED = 0.1  # share of phones that are heard as others, those articulated alike
