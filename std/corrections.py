"""Corrections of recogniser output, as values and as the text that an index stores.

An audio file's corrections are a list in chronological order, as JSON in the column `COLUMN` of its
metadata. A later correction may replace words of an earlier one.

    Correction         the words said in a stretch of a recording
    layers_of          metadata -> the corrections of each audio file
    words_that_stand   metadata -> the corrected words of each recording that were not replaced
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from std.errors import StoreError, quoted
from std.metadata.table import OWN_PREFIX, Metadata
from std.values import Recording

COLUMN = f"{OWN_PREFIX}corrections"


class CorrectedWord(NamedTuple):
    """A corrected word."""

    word: str  # as the index stores it
    start_ms: int
    end_ms: int


class KeptSlot(NamedTuple):
    """A slot before a correction."""

    middle_ms: int
    epsilon: float
    error_ms: int  # largest error of its times
    speaker: str
    word: str | None  # the likeliest word; None: silence is likelier
    alternatives: tuple[tuple[str, int, int, float], ...]  # word, start_ms, duration_ms, posterior


class Correction(NamedTuple):
    """The words said in a stretch of a recording."""

    channel: int
    start_ms: int  # slots with a middle from here
    end_ms: int  # to before here
    words: tuple[CorrectedWord, ...]  # empty: nothing was said
    before: tuple[KeptSlot, ...] = ()
    written: str = ""  # the words as the person wrote them

    @property
    def replaced(self) -> str:
        """The recogniser's words there."""
        return " ".join(slot.word for slot in self.before if slot.word is not None)

    @property
    def text(self) -> str:
        """The corrected words there."""
        return " ".join(word.word for word in self.words)


Layer = tuple[Correction, ...]  # of an audio file, in chronological order


def dump(layer: Layer) -> str:
    """Corrections -> text; empty for none."""
    if not layer:
        return ""
    rows = [[*one] for one in layer]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"))


def parse(text: str, file: str) -> Layer:
    """The inverse of `dump`.

    Raises:
        StoreError: the text is not a list of corrections.
    """
    try:
        return tuple(_correction(*row) for row in json.loads(text)) if text else ()
    except (ValueError, TypeError, RecursionError) as error:
        raise StoreError(f"{file}: expected corrections, got {quoted(error)}") from error


def _correction(
    channel: int,
    start_ms: int,
    end_ms: int,
    words: Sequence[Sequence[Any]],
    before: Sequence[Sequence[Any]],
    written: str,
) -> Correction:
    slots = []
    for middle_ms, epsilon, error_ms, speaker, word, held in before:
        rows = tuple((str(w), int(s), int(d), float(p)) for w, s, d, p in held)
        slots.append(KeptSlot(middle_ms, epsilon, error_ms, speaker, word, rows))
    return Correction(
        int(channel),
        int(start_ms),
        int(end_ms),
        tuple(CorrectedWord(*word) for word in words),
        tuple(slots),
        str(written),
    )


def layers_of(metadata: Metadata) -> dict[str, Layer]:
    """The corrections of each audio file that has any.

    Raises:
        StoreError: they are damaged.
    """
    return {file: parse(text, file) for file, text in metadata.by_file(COLUMN).items()}


def with_layer(values: Mapping[str, str], layer: Layer) -> dict[str, str]:
    """The metadata of an audio file with new corrections."""
    kept = {name: value for name, value in values.items() if name != COLUMN}
    return {**kept, COLUMN: dump(layer)} if layer else kept


def words_that_stand(metadata: Metadata) -> dict[Recording, tuple[CorrectedWord, ...]]:
    """The corrected words of each recording, in order.

    Raises:
        StoreError: corrections are damaged.
    """
    found: dict[Recording, list[CorrectedWord]] = {}
    for file, layer in layers_of(metadata).items():
        for one in layer:
            words = found.setdefault(Recording(file, one.channel), [])
            words[:] = [word for word in words if not one.start_ms <= _middle(word) < one.end_ms]
            words += one.words
    in_order = {recording: tuple(sorted(words, key=_middle)) for recording, words in found.items()}
    return {recording: words for recording, words in in_order.items() if words}


def _middle(word: CorrectedWord) -> int:
    return (word.start_ms + word.end_ms) // 2
