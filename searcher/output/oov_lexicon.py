"""The out-of-vocabulary words of a search as a pronunciation lexicon, for the recogniser."""

from collections.abc import Sequence
from pathlib import Path

from searcher.index.languages import by_language
from searcher.phonetic.indexes import lexicon_of_index
from std.config import Config
from std.errors import ConfigError
from std.outputs import open_output
from std.phonetics.lexicon import dump
from std.store import Segment


def write_oov_lexicon(
    path: Path, words: Sequence[str], segments: Sequence[Segment], config: Config
) -> list[str]:
    """Write words with their pronunciations in each language of an index.

    Args:
        path: the lexicon.
        words: ascending.
        segments: of the index.
        config: how words are pronounced.

    Returns:
        A warning for each language without pronunciations.

    Raises:
        ConfigError: the index has one language, and its words cannot be pronounced.
    """
    groups = by_language(segments)
    warnings = []
    with open_output(path) as sink:
        for group in groups:
            try:
                lexicon = lexicon_of_index(group.segments, group.configured(config))
            except ConfigError as error:
                if len(groups) == 1:
                    raise
                warnings.append(f"{path} is without language {group.language!r}: {error}")
                continue
            if len(groups) > 1:
                sink.write(f";;; {group.language}\n".encode())
            dump(zip(words, lexicon.pronunciations(words), strict=True), sink)
    return warnings
