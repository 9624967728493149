"""The segments of one language, and what its words are searched for by.

LanguageWords    made once, each part when it is first needed
    counts           how often each word stands there
    generator        vocabulary, compounds, expansion (`searcher.terms.variants`)
    trigrams         spelling of its words (`searcher.terms.languages`)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from searcher.index.copies import live_counts
from searcher.index.recording_table import RecordingTable
from searcher.terms.languages import vocabulary_trigrams
from searcher.terms.vocabulary import of_counts
from std.config import Config
from std.store import Segment
from std.store.columns import Int64s

if TYPE_CHECKING:
    from searcher.terms.variants import VariantGenerator


@dataclass(frozen=True, eq=False)
class LanguageWords:
    """The segments of one language: what its recogniser never wrote is OOV there."""

    language: str  # empty: not known, or not asked for
    segments: tuple[Segment, ...]  # without copies
    rows: tuple[Int64s, ...]  # of each segment: those of its recordings in the table
    table: RecordingTable  # of the whole index; candidates point into it
    config: Config  # with this language
    folder: Path | None  # where the index lies, if in a folder

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """Of each word how often it stands there."""
        return live_counts(self.segments)

    @cached_property
    def generator(self) -> "VariantGenerator":
        """What its words are split and expanded into."""
        from searcher.terms.variants import VariantGenerator  # known words need no splitter

        return VariantGenerator(of_counts(self.counts), self.config, self.folder)

    @cached_property
    def trigrams(self) -> Int64s:
        """Of its vocabulary: how its words are spelt (`searcher.terms.languages`)."""
        return vocabulary_trigrams(list(self.counts))
