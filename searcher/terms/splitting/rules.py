"""Algorithm I of the thesis: a segment is a known word, or one followed by a linking element.

The rules s, es, n, en, er, e by look-up; an element counts as so many edits as it has letters.
"""

from dataclasses import dataclass

import numpy as np

from searcher.terms.splitting.matches import Matches, MatchLimits, check_length, sort
from searcher.terms.vocabulary import Vocabulary

# Section 4.2 of the thesis; `formation` knows more.
THESIS_LINKING = ("", "s", "es", "n", "en", "er", "e")


@dataclass(frozen=True, slots=True, eq=False)
class RulesIndex:
    """Words by look-up."""

    ids: dict[str, int]

    def matches(self, word: str, limits: MatchLimits) -> Matches:
        """Find the words that segments begin with; of the limits only the part length counts."""
        check_length(word)
        split = [True] + len(word) * [False]
        rows = []
        for start in range(len(word)):
            if not split[start]:
                continue
            for end in range(start + limits.min_part_letters, len(word) + (start > 0)):
                for element in THESIS_LINKING:
                    base = word[start : end - len(element)]
                    known = self.ids.get(base) if word.endswith(element, start, end) else None
                    if known is not None and len(base) >= limits.min_part_letters:
                        rows.append((start, end, known, len(element)))
                        split[end] = True
        return sort(np.array(rows, np.int32).reshape(-1, 4))


def build(vocabulary: Vocabulary) -> RulesIndex:
    """Make the look-up table."""
    return RulesIndex({word: i for i, word in enumerate(vocabulary.words)})
