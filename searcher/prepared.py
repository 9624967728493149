"""A prepared index: data that do not depend on terms, made once at the first use.

prepare                  segments, configuration, model --> PreparedIndex
    PreparedIndex            the recordings, and the segments by language
                             (`searcher.index.stores`)
        copies                   recordings with the same speech (`searcher.index.copies`)
    PreparedLanguage         the segments of one language, searched as a separate index
                             (`searcher.phonetic.candidates`, `searcher.terms.language_words`)
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from searcher.calibration.model import Model
from searcher.index.copies import Copies, find_copies, live_counts, without_copies
from searcher.index.recordings import RecordingTable, recording_table
from searcher.index.stores import by_language
from searcher.phonetic.candidates import PreparedLanguage
from std.config import Config
from std.corrections import CorrectedWord, words_that_stand
from std.metadata.table import NO_METADATA, Metadata
from std.store import Segment
from std.values import Recording


@dataclass(frozen=True, eq=False)
class PreparedIndex:
    """A snapshot; candidates do not depend on the division into segments."""

    segments: tuple[Segment, ...]
    table: RecordingTable
    copies: Copies  # of all languages
    config: Config
    languages: tuple[PreparedLanguage, ...]  # the one with most speech first
    certain: Mapping[Recording, Sequence[CorrectedWord]] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The count of each word in live recordings."""
        return live_counts(self.segments)

    @property
    def has_model(self) -> bool:
        """Whether a model of `std-tune` is used."""
        return any(language.model for language in self.languages)


def prepare(
    segments: Sequence[Segment],
    config: Config,
    model: Model | None = None,
    folder: Path | None = None,
    metadata: Metadata = NO_METADATA,
) -> PreparedIndex:
    """Prepare segments for searches.

    Args:
        segments: a snapshot of one or several stores.
        config: the configuration.
        model: a model of `std-tune`; None = the shipped weights. A model of another language gives
            its weights, not its phone confusions.
        folder: the folder of the index, if it has one, for stored statistics.
        metadata: the metadata of the recordings, with corrections.
    """
    table = recording_table(segments)
    needs_language = config.expansion.words != "none" or config.search.spelling != "exact"
    originals: dict[Recording, Recording] = {}
    languages, certain = [], words_that_stand(metadata)
    for group in by_language(segments, named=needs_language):
        copies = find_copies(group.segments)
        originals |= copies.originals
        languages.append(
            PreparedLanguage(
                group.language,
                without_copies(group.segments, copies),
                tuple(table.rows[segment] for segment in group.segments),
                table,
                group.configured(config),
                folder,
                certain,
                model,
            )
        )
    return PreparedIndex(
        tuple(segments), table, Copies(originals), config, tuple(languages), certain
    )
