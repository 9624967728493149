"""Suggests the known name that is nearest to a misspelt one, for the end of an error message."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

MOST_KNOWN = 10_000  # names to compare; this many take about 0.1 s
SIMILARITY = 0.6  # of the letters, as `difflib` counts them


def meant(name: str, known: Iterable[str], most: int = 1) -> str:
    """Ask whether the nearest known names are meant; empty if none is near.

    Args:
        name: the name that the user wrote.
        known: all names that are valid.
        most: most names in the question.

    >>> meant("--treshold", ["--threshold", "--limit"]), meant("--xyz", ["--limit"])
    ("; is '--threshold' meant?", '')
    >>> meant("Kaldi", ["mesh", "kaldi-lattice"])
    "; is 'kaldi-lattice' meant?"
    """
    by_lower = {one.lower(): one for one in islice(known, MOST_KNOWN)}
    begun = name.lower()
    near = [one for one in by_lower if begun and one.startswith(begun)][:most]
    near = near or get_close_matches(begun, by_lower, most, SIMILARITY)
    return f"; is {' or '.join(repr(by_lower[one]) for one in near)} meant?" if near else ""
