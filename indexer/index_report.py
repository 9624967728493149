"""The report of a run of the indexer: one value, which each stage of the run extends.

    indexer.file_columns    IndexedInput        of one input file
    indexer.build           IndexReport         of all input files
    indexer.index_run       adds deletions, metadata, merges and languages
    indexer.api.indexing    adds the cost, and what an ECF and a diarisation lack

Sums over the input files are properties, so nothing is counted twice.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexer.formats.shared.tiers import Tiers
from std.display.numbers import counted
from std.errors import StdError
from std.repairs import Mended, Repair, mended
from std.values import Recording

Language = Mapping[str, Any]  # language, pronouncer, recordings, told_by


@dataclass(frozen=True, slots=True)
class IndexedInput:
    """The contribution of one input file to the index."""

    path: Path
    utterances: Mapping[Recording, int]
    slots: int = 0
    postings: int = 0
    speech_ms: int = 0  # summed length of the utterances
    nonwords: Mapping[str, int] = field(default_factory=dict)  # noises that were dropped
    speakers: Mapping[str, int] = field(default_factory=dict)  # recordings of each speaker
    tiers: Tiers = field(default_factory=Tiers)  # of an annotation: read and left out
    repairs: Mapping[str, Repair] = field(default_factory=dict)  # repairs, by kind
    estimated: tuple[Recording, ...] = ()  # recordings with estimated times of words
    with_sound: tuple[Recording, ...] = ()  # recordings that have sound
    has_words: bool = True  # False: it is the sound of a recording
    is_uncut: bool = False  # it has text without spaces that `[text] unspaced` leaves as it is

    @property
    def is_wordless(self) -> bool:
        """Whether it should hold words, but holds none."""
        return self.has_words and not self.postings


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file in a folder that is no recogniser output."""

    path: Path
    what: str


@dataclass(frozen=True, slots=True)
class Described:
    """The use of the given metadata."""

    recordings: int = 0  # audio files of the index that they are about
    not_indexed: tuple[str, ...] = ()  # audio files that the index does not have
    pronounced_again: int = 0  # recordings that were indexed in another language before


@dataclass(frozen=True, slots=True)
class HeardLanguage:
    """The use of the sound of one pronouncer's recordings in a run."""

    pronouncer: str
    recordings: int  # whose phones were recognised in this run
    right: float  # share of held-out frames that the layer gets right
    taught_s: float  # speech it was learned from
    learned: bool  # in this run, not earlier

    def line(self) -> str:
        """A warning about it."""
        if not self.taught_s:
            return "no phones heard: no words with times beside the sound"
        quality = f"{self.right:.0%} of held-out frames right, {self.taught_s:.0f} s of speech"
        if not self.recordings:
            return f"no phones heard: too few or too poor words to learn from ({quality})"
        how = "learned now" if self.learned else "learned before"
        return f"phones heard in {counted(self.recordings, 'recording')} ({how}: {quality})"


@dataclass(frozen=True, slots=True)
class RecordedAudio:
    """The audio found of recordings (`indexer.recorded_audio`)."""

    found: int = 0  # audio files of the index that have one
    missing: tuple[str, ...] = ()  # audio files of the index that have none
    left_out: tuple[str, ...] = ()  # links that lead out of the folder
    problems: tuple[StdError, ...] = ()  # several files fit, or one is no audio


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of `indexer.index_files` did."""

    inputs: tuple[IndexedInput, ...] = ()  # files that were indexed, in order
    words: int = 0  # different ones
    skipped: tuple[Skipped, ...] = ()  # files of folders that are no recogniser output
    failures: tuple[StdError, ...] = ()  # with ``keep_going``: files that could not be read
    warnings: tuple[str, ...] = ()
    deleted: int = 0  # audio files
    described: Described = Described()  # the use of the given metadata
    heard: tuple[HeardLanguage, ...] = ()  # whose phones were recognised
    audio: RecordedAudio = RecordedAudio()  # if the folder of all audio was given
    unmerged: tuple[str, ...] = ()  # a line for each shard that was not merged
    languages: tuple[Language, ...] = ()  # the most frequent first
    language_warnings: tuple[str, ...] = ()  # recordings of unclear language
    ecf_speech_s: float | None = None  # of the recordings, by the ECF; None: there is none
    not_in_ecf: tuple[Recording, ...] = ()
    without_turns: tuple[Recording, ...] = ()  # missing in the given diarisation
    seconds: float = 0.0  # elapsed
    cpu_seconds: float = 0.0  # of all processes, without compiling kernels
    compile_seconds: float = 0.0  # CPU time of compiling them

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """Recordings indexed in this run, ascending."""
        return tuple(sorted({one for file in self.inputs for one in file.utterances}))

    @property
    def utterances(self) -> int:
        """Number of utterances."""
        return sum(sum(file.utterances.values()) for file in self.inputs)

    @property
    def slots(self) -> int:
        """Number of slots."""
        return sum(file.slots for file in self.inputs)

    @property
    def postings(self) -> int:
        """Number of postings."""
        return sum(file.postings for file in self.inputs)

    @property
    def speech_s(self) -> float:
        """Seconds of speech, by the ECF where there is one, else by the utterances."""
        if self.ecf_speech_s is not None:
            return self.ecf_speech_s
        return sum(file.speech_ms for file in self.inputs) / 1000

    @property
    def nonwords(self) -> dict[str, int]:
        """Noises that were dropped and how often, the most frequent first."""
        return _summed(file.nonwords for file in self.inputs)

    @property
    def speakers(self) -> dict[str, int]:
        """The named speakers, and the number of their recordings; the most frequent first."""
        return _summed(file.speakers for file in self.inputs)

    @property
    def tiers(self) -> dict[str, int]:
        """Of annotations: how many files had each tier that was read."""
        return _summed(file.tiers.read for file in self.inputs)

    @property
    def tiers_left_out(self) -> dict[str, int]:
        """Of annotations: how many files had each tier that was not read."""
        return _summed(file.tiers.left_out for file in self.inputs)

    @property
    def repairs(self) -> dict[str, Mended]:
        """Impossible values that were repaired, by kind."""
        return mended((file.path, file.repairs) for file in self.inputs)

    @property
    def estimated(self) -> tuple[Recording, ...]:
        """Recordings with estimated times of words, ascending."""
        return tuple(sorted({one for file in self.inputs for one in file.estimated}))

    @property
    def with_sound(self) -> tuple[Recording, ...]:
        """Recordings that have sound, ascending."""
        return tuple(sorted({one for file in self.inputs for one in file.with_sound}))

    @property
    def wordless(self) -> tuple[Path, ...]:
        """Input files that hold no word."""
        return tuple(file.path for file in self.inputs if file.is_wordless)


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sum of counts, the most frequent first."""
    total = Counter[str]()
    for count in counts:
        total.update(count)
    return dict(total.most_common())
