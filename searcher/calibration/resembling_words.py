"""Words that resemble a term: false alarms that are not chance.

    against_all        log ratio against chance -> against chance and such words
    share_of_words     the share of such words in the false alarms at a place

Decoys measure how often chance gives a term some evidence. But an archive about the subject of a
term has words that resemble it for a reason: its inflections, compounds with it, names of the same
family. If the evidence is exp(u) times likelier when the term was said than by chance, it is exp(v)
times likelier than at such a word. In an archive of n slots

    u = s - log n,    v = SLOPE s - GROWTH log n

The same evidence fits such words, but less (SLOPE). A larger archive has more of them, but their
number grows more slowly than chance (GROWTH), because further speech is about other subjects. Both
kinds of false alarms add up, so the log likelihood ratio is t = -log(exp(-u) + exp(-v)): weak
evidence counts in full, strong evidence by the slope.

The form is ours: two densities of false alarms, the second a power of the first likelihood ratio.
`docs/calibration-measurements.md` lists others under "Tried". An intercept of v, learned with the
weights, is -.04 and was left out.
"""

import numpy as np

from std.values import Float64s

SLOPE = 0.5  # derivative of v by s; learned, it is .68, with an ATWV .003 lower
GROWTH = 0.6  # power of the number of slots by which their number grows


def against_all(
    against_chance: Float64s, log_slots: Float64s, enlarged: Float64s | float = 0.0
) -> Float64s:
    """(n,) t of each place.

    Args:
        against_chance: (n,) u of each place.
        log_slots: (n,) log of the number of slots that u counts as chances.
        enlarged: (n,) the part of `log_slots` that decoys added: they add chance only.
    """
    against_words = _against_words(against_chance, log_slots, enlarged)
    ratio: Float64s = -np.logaddexp(-against_chance, -against_words)
    return ratio


def share_of_words(
    against_chance: Float64s, log_slots: Float64s, enlarged: Float64s | float = 0.0
) -> Float64s:
    """(n,) exp(-v) / (exp(-u) + exp(-v)), the derivative of t by v; see `against_all`."""
    against_words = _against_words(against_chance, log_slots, enlarged)
    share: Float64s = np.exp(-np.logaddexp(0.0, against_words - against_chance))
    return share


def _against_words(
    against_chance: Float64s, log_slots: Float64s, enlarged: Float64s | float
) -> Float64s:
    return SLOPE * (against_chance + log_slots) - GROWTH * (log_slots - enlarged)
