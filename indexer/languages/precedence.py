"""Which language each recording is in, and segments of one language each.

In this order of precedence:

    1  ``--language``, or ``[pronunciation] language`` of the configuration
    2  the recording's metadata, column ``language``
    3  the ECF: its excerpt's attribute ``language``, else the ECF's own
    4  the recogniser's output, if it names one (Whisper, AWS, Azure, Google, our JSONL)
    5  the recording's words (`std.languages.detection`), if they leave no doubt
    6  in doubt: the likeliest language of all the run's doubtful recordings of its script
       together, else that of most of the index that is written in this script

A segment holds recordings of one language, so its words are pronounced once. Steps 1 to 5 do not
depend on segments, shards or processes; only 6 uses other recordings, when all of a run have been
read.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from indexer.segments.merge import merged
from std.languages.detection import (
    CODES,
    PERSIAN,
    Guess,
    Shares,
    guess,
    is_language,
    language_code,
    precise_script_of,
    settled,
    shares,
    telling,
    worth,
)
from std.store.columns import KEY_SHIFT, SegmentColumns, unpack_vocabulary
from std.store.resident import ResidentSegment
from std.values import Float64s, Int64s, Recording

PERSIAN_SHARE = 0.1  # of words in Arabic script: from this share a recording is not in Arabic
CELLS = 4_000_000  # words times recordings counted at a time
Source = str  # the source: one of these
OPTION, METADATA, ECF, INPUT = "--language", "metadata", "ECF", "input"
WORDS, OTHERS = "words", "other recordings"


class Spoken(NamedTuple):
    """The language of a recording."""

    language: str  # a code; empty: not recognised
    source: Source
    guess: Guess  # the language of its words
    speech_ms: int

    @property
    def contradicted(self) -> bool:
        """Whether its words are surely of another language than the given one."""
        told = self.source in (METADATA, ECF, INPUT)
        return told and self.guess.sure and self.guess.language != self.language


@dataclass(frozen=True, slots=True)
class Told:
    """The given languages; names or codes, as written."""

    everywhere: str = ""  # by the user
    by_ecf: Mapping[Recording, str] = field(default_factory=dict)
    by_input: dict[Recording, str] = field(default_factory=dict)
    by_metadata: dict[str, str] = field(default_factory=dict)  # of an audio file

    def of(self, recording: Recording) -> tuple[str, Source]:
        """The code of a recording's language and its source; empty: none given."""
        if self.everywhere:
            return language_code(self.everywhere), OPTION
        for source, told in (
            (METADATA, self.by_metadata.get(recording.file)),
            (ECF, self.by_ecf.get(recording)),
            (INPUT, self.by_input.get(recording)),
        ):
            if is_language(code := language_code(told or "")):
                return code, source
        return "", WORDS

    def not_understood(self) -> list[str]:
        """Languages in metadata, ECF and inputs that are no language's name or code."""
        said = self.by_metadata, self.by_ecf, self.by_input
        names = {name for by_whom in said for name in by_whom.values()} - {""}
        return sorted(name for name in names if not is_language(language_code(name)))


def spoken(columns: SegmentColumns, told: Told) -> list[Spoken]:
    """The language of each recording of a segment; empty if its words leave a doubt."""
    words, language_shares = recording_shares(columns)
    languages = []
    for indexed, n, told_by_words in zip(
        columns.recordings, words.tolist(), language_shares, strict=True
    ):
        by_words = guess(told_by_words, n)
        language, source = told.of(indexed.recording)
        if source == WORDS and by_words.sure:
            language = by_words.language
        languages.append(Spoken(language, source, by_words, indexed.speech_ms))
    return languages


def recording_shares(columns: SegmentColumns) -> tuple[Float64s, Shares]:
    """The share of function words of each language in each recording.

    Returns:
        (R,) expected number of words, and (R, len(CODES)) shares.
    """
    total = _words(columns)
    by_language = np.zeros((len(CODES), len(total)))
    for word, languages, count in _masses(columns):
        by_language[languages] += worth(word, count / np.maximum(total, 1e-9))
    return total, settled(by_language.T)


def pooled(parts: Iterable[tuple[SegmentColumns, Sequence[bool]]]) -> Guess:
    """The likeliest languages of marked recordings of segments, taken together."""
    counts: dict[str, float] = defaultdict(float)
    total = 0.0
    for columns, marks in parts:
        marked = np.array(marks, dtype=bool)
        total += float(_words(columns)[marked].sum())
        for word, _, count in _masses(columns):
            counts[word] += float(count[marked].sum())
    return guess(shares(counts, total), total)


def recording_scripts(columns: SegmentColumns) -> list[str]:
    """(R,) the script that most of each recording's words are written in; empty: they have none."""
    scripts = [precise_script_of(word) for word in unpack_vocabulary(columns.vocabulary)]
    names = sorted({*scripts, ""})
    number = np.array([names.index(script) for script in scripts], np.int64)
    of_posting = np.repeat(number, np.diff(columns.posting_offsets))
    recording = _recording_of_posting(columns, slice(None))
    size = len(columns.recordings)
    mass = np.bincount(
        recording * len(names) + of_posting, columns.posting_posterior, minlength=size * len(names)
    ).reshape(size, len(names))
    mass[:, 0] = 0  # any script has numbers
    if PERSIAN in names and "arabic" in names:  # many Persian words have Arabic letters only
        arabic, persian = mass[:, names.index("arabic")], mass[:, names.index(PERSIAN)]
        is_persian = persian >= PERSIAN_SHARE * (arabic + persian)
        both = arabic + persian
        mass[:, names.index("arabic")] = np.where(is_persian, 0, both)
        mass[:, names.index(PERSIAN)] = np.where(is_persian, both, 0)
    return [names[i] for i in mass.argmax(axis=1).tolist()]


def _recording_of_posting(columns: SegmentColumns, rows: slice | Int64s) -> Int64s:
    return (columns.slot_key[columns.posting_slot[rows]] >> KEY_SHIFT).astype(np.int64)


def _words(columns: SegmentColumns) -> Float64s:
    """(R,) how many words each recording is expected to have."""
    recording = _recording_of_posting(columns, slice(None))
    return np.bincount(
        recording, columns.posting_posterior, minlength=len(columns.recordings)
    ).astype(np.float64)


def _masses(columns: SegmentColumns) -> Iterator[tuple[str, list[int], Float64s]]:
    """Words typical of languages, these languages, and (R,) how often each recording has them."""
    size, offsets = max(1, len(columns.recordings)), columns.posting_offsets
    vocabulary = unpack_vocabulary(columns.vocabulary)
    row_of = dict(zip(vocabulary, range(len(vocabulary)), strict=True))
    telling_words = telling(vocabulary)
    at_once = max(1, CELLS // size)
    for first in range(0, len(telling_words), at_once):
        batch = telling_words[first : first + at_once]
        ranges = [offsets[row_of[word] : row_of[word] + 2].tolist() for word, _ in batch]
        rows = np.concatenate([np.arange(low, high) for low, high in ranges])
        number = np.repeat(np.arange(len(batch)), [high - low for low, high in ranges])
        cells: Float64s = (
            np.bincount(
                number * size + _recording_of_posting(columns, rows),
                columns.posting_posterior[rows],
                minlength=len(batch) * size,
            )
            .reshape(len(batch), size)
            .astype(np.float64)
        )
        yield from ((*word, cell) for word, cell in zip(batch, cells, strict=True))


def split(columns: SegmentColumns, languages: Sequence[str]) -> dict[str, SegmentColumns]:
    """A segment's recordings as one segment per language; itself if they have one only."""
    if len(set(languages)) <= 1:
        return {languages[0] if languages else "": columns}
    parts = {}
    for language in sorted(set(languages)):
        others = frozenset(i for i, other in enumerate(languages) if other != language)
        parts[language] = merged([ResidentSegment(None, columns, others)])
    return parts
