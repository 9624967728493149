"""Columns -> the phone columns of a segment: what phonetic search of OOV words needs.

Made from a segment's own columns and the pronunciations of its vocabulary, without any term. The
networks are stored slot by slot (the posting columns in time order), the pronunciations once per
word, and an n-gram index finds the words that contain three given phones in a row. Columns, for V
words, P phones, m postings, n slots:

    phone_maker       UTF-8: who pronounced the words (``espeak-ng:de``)
    phone_inventory   UTF-8 lines: the P phones, ascending
    word_phone_offsets (V + 1,), word_phones   the likeliest pronunciation of each word
    gram_codes        (G,) different trigrams a*P*P + b*P + c, ascending
    gram_offsets      (G + 1,), gram_words    the words that contain each, ascending
    slot_arc_offsets  (n + 1,), arc_rows (m,)  posting rows of each slot's alternatives
    language          UTF-8: a code, if a known language has no pronouncer; then the only column

The phones heard in the sound of recordings are separate columns (`std.store.heard`); those of a
merged segment are made here, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from std.config import Config
from std.errors import ConfigError
from std.languages.detection import guess_language, language_code
from std.phonetics.g2p import UNPRONOUNCEABLE, UnpronounceableError
from std.phonetics.lexicon import Lexicon, PhoneTable, lexicon_in, made
from std.store.columns import (
    IndexedRecording,
    SegmentColumns,
    pack_vocabulary,
    row_ranges,
    unpack_vocabulary,
)
from std.store.heard import HeardSlots, gathered
from std.values import Bools, Column, Recording


@dataclass(slots=True)
class PhoneColumnBuilder:
    """Makes the phone columns of segments, as the configuration says; one per run.

    If a language has no converter and the configuration does not require one, a segment is made
    without phones; its column ``language`` (UTF-8) then names the language, and ``problems`` says
    why.
    """

    config: Config
    problems: dict[str, str] = field(default_factory=dict)  # of each language without a converter
    _lexicons: dict[str, Lexicon] = field(default_factory=dict)

    @property
    def wanted(self) -> bool:
        """Whether phone columns are made at all."""
        return self.config.phonetic_search.words != "none"

    def __call__(self, columns: SegmentColumns) -> Mapping[str, Column]:
        """The phone columns of a segment in the language configured, or else its likeliest one."""
        language = self.config.pronunciation.language
        return self.of(
            columns, guess_language(_counts(columns)) if language == "auto" else language
        )

    def of(self, columns: SegmentColumns, language: str) -> Mapping[str, Column]:
        """The phone columns of a segment in one language, or none; empty: unknown language.

        Raises:
            ConfigError: the language that the configuration names has no converter.
        """
        if not self.wanted or not len(columns.vocabulary):
            return {}
        if not language:
            self.problems[""] = "no language is recognisable; give it with --language"
            return {}
        try:
            return phone_columns(columns, self._lexicon(language))
        except ConfigError as error:
            named = self.config.pronunciation.language != "auto"
            if named and not isinstance(error, UnpronounceableError):
                raise
            self.problems[language_code(language)] = str(error)
            return {"language": np.frombuffer(language_code(language).encode(), np.uint8)}

    def pronouncer(self, language: str) -> str | None:
        """The pronouncer of the segments of a language; None if there is none."""
        lexicon = self._lexicons.get(language_code(language))
        return lexicon.name if lexicon else None

    def sounds(self, words: Sequence[str], language: str) -> list[Sequence[str]]:
        """The phones of each word; its letters if no pronouncer has it."""
        try:
            pronounced = self._lexicon(language).pronunciations(words) if language else ()
        except ConfigError:
            pronounced = ()
        return [
            said[0] if said else word
            for word, said in zip(words, pronounced or [()] * len(words), strict=True)
        ]

    def _lexicon(self, language: str) -> Lexicon:
        code = language_code(language)
        if code not in self._lexicons:
            if code in self.problems and code not in UNPRONOUNCEABLE:
                raise ConfigError(self.problems[code])
            self._lexicons[code] = lexicon_in(language, self.config.pronunciation, self.config.text)
        return self._lexicons[code]


def _counts(columns: SegmentColumns) -> dict[str, int]:
    words = unpack_vocabulary(columns.vocabulary)
    return dict(zip(words, np.diff(columns.posting_offsets).tolist(), strict=True))


def phone_columns(columns: SegmentColumns, lexicon: Lexicon) -> dict[str, Column]:
    """The phone columns of a segment, to be stored among its ``extra`` ones.

    Raises:
        ValueError: the pronunciations use more than 255 different phones.
    """
    table = made(unpack_vocabulary(columns.vocabulary), lexicon)
    return {
        "phone_maker": np.frombuffer(lexicon.name.encode(), np.uint8),
        **_pronunciations(table),
        **_time_order(columns),
    }


def kept_phones(columns: SegmentColumns, before: SegmentColumns) -> dict[str, Column]:
    """The phone columns of a segment, with the pronunciations of an earlier one with its words.

    Args:
        columns: the columns of the segment, in order, without phone columns.
        before: the earlier segment; it may have more words.
    """
    if "phone_maker" not in before.extra:
        return {name: column for name, column in before.extra.items() if name == "language"}
    row_of = {word: row for row, word in enumerate(unpack_vocabulary(before.vocabulary))}
    words = unpack_vocabulary(columns.vocabulary)
    rows = np.fromiter((row_of[word] for word in words), np.int64, len(words))
    begins = before.extra["word_phone_offsets"].astype(np.int64)
    lengths = np.diff(begins)[rows]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    at = row_ranges(begins[rows], lengths)
    used, phones = np.unique(before.extra["word_phones"][at], return_inverse=True)
    inventory = unpack_vocabulary(before.extra["phone_inventory"].astype(np.uint8))
    table = PhoneTable(tuple(inventory[i] for i in used), offsets, phones.astype(np.uint8))
    return {
        "phone_maker": before.extra["phone_maker"],
        **_pronunciations(table),
        **_time_order(columns),
    }


def _pronunciations(table: PhoneTable) -> dict[str, Column]:
    """The columns that say how words are pronounced."""
    return {
        "phone_inventory": pack_vocabulary(list(table.inventory)),
        "word_phone_offsets": table.offsets,
        "word_phones": table.phones,
        **_grams(table),
    }


def _grams(table: PhoneTable) -> dict[str, Column]:
    """The words that contain each three phones in a row."""
    p = len(table.inventory)
    word = np.repeat(np.arange(len(table.offsets) - 1), np.diff(table.offsets))
    first = np.flatnonzero(word[:-2] == word[2:]) if len(word) > 2 else np.empty(0, np.int64)
    wide = table.phones.astype(np.int64)
    code = (wide[first] * p + wide[first + 1]) * p + wide[first + 2]
    code, containing = np.divmod(
        np.unique(code * len(table.offsets) + word[first]), len(table.offsets)
    )
    codes, begins = np.unique(code, return_index=True)
    return {
        "gram_codes": codes.astype(np.int32),
        "gram_offsets": np.append(begins, len(code)).astype(np.int64),
        "gram_words": containing.astype(np.int32),
    }


def _time_order(columns: SegmentColumns) -> dict[str, Column]:
    """The postings slot by slot; within a slot by start, end and word."""
    slot_arcs = np.bincount(columns.posting_slot, minlength=len(columns.slot_key))
    if len(slot_arcs) and slot_arcs.max() == 1:  # one-best text: nothing to sort
        row_of_slot = np.full(len(slot_arcs), -1)
        row_of_slot[columns.posting_slot] = np.arange(len(columns.posting_slot))
        rows = row_of_slot[row_of_slot >= 0]
    else:
        slot_and_start = columns.posting_slot.astype(np.int64) << 32 | columns.posting_start_ms
        rows = np.lexsort((columns.posting_duration_ms, slot_and_start))
    return {
        "slot_arc_offsets": np.concatenate([[0], np.cumsum(slot_arcs)]).astype(np.int32),
        "arc_rows": rows.astype(np.int32),
    }


def merged_heard(
    parts: Sequence[SegmentColumns], lives: Sequence[Bools], recordings: Sequence[IndexedRecording]
) -> dict[str, Column]:
    """The columns of the phones heard in the merged segment's recordings, if a part has them.

    If several parts hold a recording, the first with any counts: these are of its whole sound,
    whatever part of its words a segment has.

    Args:
        lives: of each part, which of its recordings are live.
    """
    heard = {i: found for i, part in enumerate(parts) if (found := HeardSlots.read(part.extra))}
    if not heard:
        return {}
    number = {i: k for k, i in enumerate(heard)}
    place: dict[Recording, tuple[int, int]] = {}
    for i, found in heard.items():
        for row in np.flatnonzero(lives[i] & found.is_heard).tolist():
            place.setdefault(parts[i].recordings[row].recording, (number[i], row))
    return gathered([*heard.values()], [place.get(one.recording) for one in recordings]).columns()
