"""Check an index without a reference: see `searcher.tuning.check`.

stores --searcher.api--> words that its recogniser never wrote --search--> ArchiveCheck
"""

from collections.abc import Callable
from os import PathLike
from pathlib import Path

from searcher.api import open_index
from searcher.calibration.model import Model
from searcher.terms.vocabulary import read
from searcher.tuning.check import OFTEN, ArchiveCheck, check, unwritten_words
from std.config import Config
from std.errors import StdError
from std.values import Term


def check_archive(
    *stores: str | PathLike[str],
    words_path: str | PathLike[str],
    config: Config | str | Path | None = None,
    model: Model | str | Path | None = None,
    advance: Callable[[float], None] = lambda share: None,
) -> ArchiveCheck:
    """Say how far an archive's probabilities hold, by words that most probably nobody says.

    Args:
        stores, config, model: see `searcher.open_index`.
        words_path: the words that the recogniser knows, ``word[<TAB>count]`` lines.
        advance: called with each share of the work that is done; the shares add up to 1.

    Raises:
        StdError: a store or a file cannot be read, or none of the words can be searched.

    For example::

        check = check_archive("INDEX", words_path="words.txt")
        print(check.expected, check.hold)
    """
    with open_index(*stores, config=config, model=model) as index:
        known = read(Path(words_path), index.config.text)
        written = index.vocabulary
        counts = dict(zip(written.words, written.counts.tolist(), strict=True))
        words = unwritten_words(known.words, counts)
        if not words:
            raise StdError(
                f"{words_path}: expected words that the index does not have, of stems that it has "
                f"at least {OFTEN} times, got none among {len(known):,} words"
            )
        terms = [Term(str(row), one.word) for row, one in enumerate(words)]
        result = index.search_terms(terms, advance=advance)
        hours = index.distinct_speech_s / 3600
    return check(words, hours, result.candidates.term, result.probability)
