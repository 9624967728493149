"""Words from Whisper's tokens, which are parts of words: what whisper.cpp writes.

    Token            a text as written, with its confidence and times
    joined           tokens -> words
    without_marks    text -> the part of it that was said

A blank before a token begins another word. Marks such as [_BEG_] are not said. A word has the
mean of its tokens' probabilities, without those that are nothing but punctuation; the bytes of one
letter may be spread over tokens.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from indexer.networks.hypotheses import HypothesisWord, bare
from std.json_fields import Part, whole
from std.repairs import UNKNOWN

_MARK = re.compile(r"\[_\w+\]")


class Token(NamedTuple):
    """A piece of text; NaN = time unknown."""

    written: Part
    confidence: float = 1.0
    start_s: float = UNKNOWN
    end_s: float = UNKNOWN
    speaker: str = ""

    @property
    def text(self) -> str:
        """The text without marks, perhaps with half a letter."""
        value = self.written.value
        return without_marks(value if isinstance(value, str) else self.written.text())


def without_marks(text: str) -> str:
    """Take out what is not said, such as [_BEG_] and [_TT_50]."""
    return _MARK.sub("", text)


def joined(tokens: Iterable[Token]) -> list[HypothesisWord]:
    """Make words of tokens, punctuation still glued to them.

    Raises:
        InputError: a text is none, or the letters remain in pieces.
    """
    groups: list[list[Token]] = []
    for token in tokens:
        if not token.text.strip() and _MARK.search(token.written.value):
            continue
        if token.text.startswith(" ") or not groups:
            groups.append([])
        groups[-1].append(token)
    return list(map(_word, groups))


def _word(tokens: Sequence[Token]) -> HypothesisWord:
    first = tokens[0].written
    text = Part(first.path, first.line, whole("".join(token.text for token in tokens)), first.where)
    spoken_tokens = [token for token in tokens if bare(token.text)] or tokens
    timed = [token for token in spoken_tokens if token.start_s == token.start_s]
    return HypothesisWord(
        text.text(),
        sum(token.confidence for token in spoken_tokens) / len(spoken_tokens),
        min((token.start_s for token in timed), default=UNKNOWN),
        max((token.end_s for token in timed), default=UNKNOWN),
        next((token.speaker for token in tokens if token.speaker), ""),
    )
