"""The primitive splitter: scan from the end, take the longest known word, go on before it.

Only words as they stand, and only one split: the first that covers the word. Where the scan gets
stuck it takes the next shorter word; an end that led nowhere is not tried twice, so the work is
at most the square of the word's length.
"""

from dataclasses import dataclass

import numpy as np

from searcher.terms.splitting.matches import Matches, MatchLimits, check_length, sort
from searcher.terms.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class PrimitiveIndex:
    """Words by look-up."""

    ids: dict[str, int]

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find the words of the one split; of the limits only the part length counts."""
        check_length(word)
        starts = {len(word): iter(range(len(word)))}  # of the part that ends there, longest first
        path = [len(word)]
        while path and path[-1] > 0:
            end = path[-1]
            for start in starts[end]:
                whole = start == 0 and end == len(word)
                if end - start < limits.min_part_letters or whole or start in starts:
                    continue
                if word[start:end] in self.ids:
                    starts[start] = iter(range(start))
                    path.append(start)
                    break
            else:
                path.pop()
        bounds = zip(path[1:], path[:-1], strict=True)
        rows = [(start, end, self.ids[word[start:end]], 0) for start, end in bounds]
        return sort(np.array(rows, np.int32).reshape(-1, 4))


def build(vocabulary: Vocabulary) -> PrimitiveIndex:
    """Make the look-up table."""
    return PrimitiveIndex({word: i for i, word in enumerate(vocabulary.words)})
