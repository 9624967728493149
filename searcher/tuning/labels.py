"""What is known of candidates: right, wrong, or nothing.

Places   candidates of phrases
Judge    phrases and their places -> Labels, by a transcript or by people's marks
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from searcher.results.candidates import Candidates
from std.store.columns import Int64s
from std.values import Bools, Excerpt, Float64s

Phrase = tuple[str, ...]  # normalised words


class Places(NamedTuple):
    """Candidates of phrases, one phrase after the other."""

    phrase: Int64s  # (n,) ascending
    recording: Int64s  # (n,) row of the search's table
    start_ms: Int64s  # (n,)
    end_ms: Int64s  # (n,)
    score: Float64s  # (n,) settles which of several candidates is an occurrence


class Labels(NamedTuple):
    """Which candidates are right, as far as it is known."""

    is_right: Bools  # (n,) False where nothing is known
    is_known: Bools  # (n,)

    @classmethod
    def all_known(cls, is_right: Bools) -> "Labels":
        """Labels of candidates about which everything is known."""
        return cls(is_right, np.ones(len(is_right), dtype=bool))


Judge = Callable[[Sequence[Phrase], Places], Labels]
# Searches phrases by their words in some excerpts (None: everywhere); one list per phrase, merged.
SearchByWords = Callable[[Sequence[Phrase], Sequence[Excerpt] | None], list[Candidates]]
