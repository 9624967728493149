"""Isotonic regression: the nearest values that do not go down.

Neighbours that go down share one value in the solution, their mean (pool adjacent violators).

Source: Ayer, Brunk, Ewing, Reid and Silverman, "An empirical distribution function for sampling
with incomplete information", Annals of Mathematical Statistics 26, 1955; Barlow, Bartholomew,
Bremner and Brunk, "Statistical inference under order restrictions", 1972, section 1.2.
"""

import numpy as np

from std.values import Float64s


def ascending_means(total: Float64s, weight: Float64s) -> Float64s:
    """Values that do not go down and are nearest to the means, by weighted squares.

    Args:
        total: (n,) weighted sum of the observations at each place: mean times weight.
        weight: (n,) of each place, above 0.

    Returns:
        (n,) the fitted values.
    """
    blocks: list[tuple[float, float, int]] = []  # total, weight, number of places
    for block in zip(total.tolist(), weight.tolist(), [1] * len(total), strict=True):
        here, heaviness, places = block
        while blocks and blocks[-1][0] * heaviness >= here * blocks[-1][1]:  # as means compare
            before = blocks.pop()
            here, heaviness, places = here + before[0], heaviness + before[1], places + before[2]
        blocks.append((here, heaviness, places))
    if not blocks:
        return np.empty(0)
    sums, weights, counts = (np.array(column) for column in zip(*blocks, strict=True))
    return np.repeat(sums / weights, counts)
