"""What a person asks for: texts, some of them queries, and the terms to search for them.

AskedTexts   the terms of all texts, one after another, and the expressions of which they are
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from searcher.queries.events import require_words
from std.errors import QueryError, cut, quoted
from std.query.expression import Expression, Near, Phrase, in_words, leaves
from std.query.grammar import parse_query
from std.query.query_tokens import WORDS_OF

MAX_WORDS = 20  # words and phrases of a query
_FUZZY = re.compile(r"(?<=\w)~\d*(?=\s|$)")
_LETTER = re.compile(r"(?<=\w)\?(?=\w)")


@dataclass(frozen=True, slots=True)
class AskedTexts:
    """Texts as expressions, and the terms that are searched."""

    texts: tuple[str, ...]
    expressions: tuple[Expression, ...]  # of each text

    @property
    def terms_of_each(self) -> list[tuple[str, ...]]:
        """The words and phrases of each text, each once; of a plain term the text itself."""
        return [
            tuple(dict.fromkeys(leaf.text for leaf in leaves(one) if isinstance(leaf, Phrase)))
            for one in self.expressions
        ]

    @property
    def terms(self) -> list[str]:
        """The terms of all texts, in their order."""
        return [term for terms in self.terms_of_each for term in terms]

    @property
    def first(self) -> list[int]:
        """The number of the first term of each text."""
        return [0, *accumulate(map(len, self.terms_of_each))][:-1]

    def is_plain(self, number: int) -> bool:
        """Whether a text is a term, without operators and conditions."""
        return isinstance(self.expressions[number], Phrase)

    @property
    def all_plain(self) -> bool:
        """Whether all texts are."""
        return all(map(self.is_plain, range(len(self.texts))))

    def understood(self, unit: str = "recording") -> Iterator[str]:
        """How each text was understood, if a person may have meant something else.

        Args:
            unit: in which queries hold.
        """
        for text, expression in zip(self.texts, self.expressions, strict=True):
            if isinstance(expression, Phrase):
                if note := _note(text):
                    yield f"{cut(text)}: {note}"
            else:
                yield f"understood: {in_words(expression)}{_within(expression, unit)}"


def read_asked(
    texts: Sequence[str], columns: Collection[str] | None, *, need_words: bool = True
) -> AskedTexts:
    """Read what a person asks for.

    Args:
        texts: terms and queries.
        columns: the columns that conditions may be about; None = any.
        need_words: refuse a query without words that are said.

    Raises:
        QueryError: one is no query.
        TypeError: one is no text.
    """
    for text in texts:
        if not isinstance(text, str):
            several = "index.search('haus', 'baum')"
            raise TypeError(f"expected terms as texts, {several}, got {quoted(text)}")
    asked = AskedTexts(tuple(texts), tuple(parse_query(text, columns) for text in texts))
    for text, expression, terms in zip(
        asked.texts, asked.expressions, asked.terms_of_each, strict=True
    ):
        if len(terms) > MAX_WORDS:
            raise QueryError(
                f"query: expected at most {MAX_WORDS} words and phrases, got {len(terms)} "
                f"in {quoted(text)}"
            )
        if need_words:
            require_words(expression)
    return asked


def _within(expression: Expression, unit: str) -> str:
    """The unit in which a query holds, for a message; empty for a query of one word."""
    several = sum(isinstance(leaf, Phrase) for leaf in leaves(expression)) > 1
    is_near = isinstance(expression, Near)
    return f"; within a {unit}" if several and not is_near else ""


def _note(text: str) -> str:
    """A remark about a term that looks like a query of another program."""
    small = [word for word in text.split()[1:-1] if word.lower() in WORDS_OF]
    if small:
        return f"searched as a phrase; {small[0].upper()} in capitals is an operator"
    if _FUZZY.search(text):
        return "~ is no operator: words like an unknown word are searched without it"
    return "? is no wildcard: * stands for any letters" if _LETTER.search(text) else ""
