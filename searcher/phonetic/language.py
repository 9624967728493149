"""The segments of one language, prepared to be searched by words and by phones."""

from dataclasses import dataclass
from functools import cached_property

from searcher.calibration.model import Model
from searcher.phonetic.indexes import PhoneticIndexes, open_phonetic_indexes
from searcher.terms.language_words import LanguageWords
from std.store import Segment


@dataclass(frozen=True, eq=False)
class PreparedLanguage(LanguageWords):
    """The segments of one language with their phones, searched as an index by themselves."""

    model: Model | None  # what `std-tune` learned

    @cached_property
    def phonetic(self) -> tuple[PhoneticIndexes | None, tuple[Segment, ...]]:
        """See `searcher.phonetic.indexes.open_phonetic_indexes`."""
        return open_phonetic_indexes(self.segments, self.table.row_of, self.config, self.model)
