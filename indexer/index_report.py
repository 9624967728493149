"""The report of a run of the indexer: one value, which each stage of the run extends.

    indexer.file_columns    IndexedInput        of one input file
    indexer.build           IndexReport         of all input files
    indexer.index_run       adds deletions, metadata, merges and languages
    indexer.api.indexing    adds the cost, and what an ECF and a diarisation lack

Sums over the input files are properties, so nothing is counted twice. The lines about languages
name those found, their pronouncers, and unclear cases.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from indexer.formats.shared.tiers import Tiers
from indexer.languages.precedence import OTHERS, WORDS, Spoken, Told, spoken
from indexer.languages.pronounce import Pronouncer
from std.errors import StdError, quoted
from std.languages.detection import of_segment, pronouncer_of_segment
from std.numbers import counted, example, with_channel
from std.phonetics.g2p import hint
from std.repairs import Mended, Repair, mended
from std.store import Segment
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
    taught_s: float  # seconds of speech it was learned from
    learned: bool  # in this run, not earlier

    def line(self) -> str:
        """The line of the summary."""
        if not self.taught_s:
            return "no phones heard: no words with times beside the sound"
        quality = f"{self.right:.0%} of held-out frames right, {self.taught_s:.0f} s of speech"
        if not self.recordings:
            return f"no phones heard: too few or too poor words to learn from ({quality})"
        how = "learned now" if self.learned else "learned before"
        return f"phones heard in {counted(self.recordings, 'recording')} ({how}: {quality})"


@dataclass(frozen=True, slots=True)
class RecordedAudio:
    """The audio files found for recordings (`indexer.recorded_audio`)."""

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
    deleted: int = 0  # audio files that were to leave the index, and did
    kept: tuple[str, ...] = ()  # those that did not, as an input could not be read
    described: Described = Described()  # the use of the given metadata
    heard: tuple[HeardLanguage, ...] = ()  # whose phones were recognised
    audio: RecordedAudio = RecordedAudio()  # if the folder of all audio was given
    unmerged: tuple[str, ...] = ()  # a line for each shard that was not merged
    languages: tuple[Language, ...] = ()  # the most frequent first
    language_warnings: tuple[str, ...] = ()  # recordings of unclear language
    ecf_speech_s: float | None = None  # of the recordings, by the ECF; None: there is none
    not_in_ecf: tuple[Recording, ...] = ()
    lost_sound: tuple[Recording, ...] = ()  # indexed without the sound that the index had of them
    without_turns: tuple[Recording, ...] = ()  # missing in the given diarisation
    seconds: float = 0.0  # elapsed
    cpu_seconds: float = 0.0  # of all processes, without compiling kernels
    compile_seconds: float = 0.0  # CPU time of compiling them

    @property
    def recordings(self) -> tuple[Recording, ...]:
        """Recordings indexed in this run, ascending."""
        return tuple(sorted({one for file in self.inputs for one in file.utterances}))

    @property
    def lost_sound_lines(self) -> list[str]:
        """A line about recordings whose sound left the index, if there are any."""
        if not self.lost_sound:
            return []
        n, first = len(self.lost_sound), with_channel(*self.lost_sound[0])
        return [
            f"the sound that the index had of {counted(n, 'recording')} is gone ({first}"
            f"{' ...' if n > 1 else ''}): give NAME.sound of all channels, or their --sound FOLDER"
        ]

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


Recordings = Sequence[tuple[Recording, Spoken]]


def found_languages(pronouncer: Pronouncer) -> list[dict[str, Any]]:
    """The languages of a run's recordings, the most frequent first."""
    counts = Counter(item.language for item in pronouncer.found.values())
    return [
        {
            "language": language or None,
            "pronouncer": pronouncer.phone_builder.pronouncer(language),
            "recordings": n,
            "told_by": dict(
                Counter(o.source for o in pronouncer.found.values() if o.language == language)
            ),
        }
        for language, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def indexed_languages(segments: Iterable[Segment]) -> list[dict[str, Any]]:
    """The languages of an index's recordings, the most frequent first."""
    counts = Counter[tuple[str, str | None]]()
    for segment in segments:
        alive = len(segment.recordings) - len(segment.deleted)
        counts[of_segment(segment), pronouncer_of_segment(segment) or None] += alive
    return [
        {"language": language or None, "pronouncer": pronouncer, "recordings": n}
        for (language, pronouncer), n in sorted(
            counts.items(), key=lambda item: (-item[1], str(item[0]))
        )
        if n
    ]


def in_words(languages: Sequence[Mapping[str, Any]]) -> str:
    """One line for a person: ``language de (espeak-ng:de): 15 recordings``.

    Args:
        languages: each with ``language``, ``pronouncer`` and ``recordings``, as reports have them.
    """
    parts = []
    for entry in languages:
        number = counted(entry["recordings"], "recording")
        by = entry["pronouncer"] or "no pronunciations"
        parts.append(f"{entry['language'] or 'unknown'} ({by}): {number}")
    return f"language{'s' if len(parts) > 1 else ''} {', '.join(parts)}"


def hints(languages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Remarks on the pronouncers of an index, one line each.

    Args:
        languages: each with ``pronouncer``, as reports have them.
    """
    for pronouncer in sorted({str(entry["pronouncer"] or "") for entry in languages}):
        if line := hint(pronouncer):
            yield line


def doubts(pronouncer: Pronouncer) -> Iterator[str]:
    """Warnings about a run's recordings, one line each."""
    recordings = sorted(pronouncer.found.items())
    for language in sorted({recording.language for _, recording in recordings}):
        of_language = [recording for recording in recordings if recording[1].language == language]
        by_others = [
            recording for recording in of_language if recording[1].source == OTHERS and language
        ]
        unsure = [
            recording for recording in of_language if recording[1].source == WORDS and language
        ]
        unsure = [recording for recording in unsure if not recording[1].guess.sure]
        none = [one for one in of_language if not language and one[1].speech_ms]  # some have words
        told = f"indexed as {language!r}; if it is wrong, give the language with --language"
        yield from _warning(by_others, "with too few words that tell a language", told)
        yield from _warning(unsure, "with words of several languages", told)
        yield from _warning(
            none,
            "in no recognisable language",
            "unknown words are not found by sound there; give the language with --language",
        )
        yield from contradictions(of_language, "--language overrules it")
    if names := pronouncer.told.not_understood():
        name = quoted(names[0])
        yield f"there is no language {name}, as metadata, ECF or input say; it was ignored"
    for language, problem in sorted(pronouncer.phone_builder.problems.items()):
        if language:
            yield f"unknown words of language {language!r} are not found by sound: {problem}"


def contradictions(recordings: Recordings, remedy: str) -> Iterator[str]:
    """Warnings about recordings whose words are surely of another language."""
    wrong = [recording for recording in recordings if recording[1].contradicted]
    for language in sorted({recording.guess.language for _, recording in wrong}):
        of_language = [recording for recording in wrong if recording[1].guess.language == language]
        told = f"in {of_language[0][1].language!r} by the {of_language[0][1].source}"
        yield from _warning(of_language, f"{told}, with words like {language!r}", remedy)


def pronounced_wrongly(segments: Iterable[Segment]) -> Iterator[str]:
    """Warnings about indexed recordings that were pronounced as another language."""
    wrong: dict[tuple[str, str], list[Recording]] = {}
    for segment in segments:
        language = of_segment(segment)
        for row, by_words in enumerate(spoken(segment.columns(), Told())):
            if language and row not in segment.deleted and by_words.language not in ("", language):
                recording = segment.recordings[row].recording
                wrong.setdefault((language, by_words.language), []).append(recording)
    for (language, looks_like), recordings in sorted(wrong.items()):
        yield (
            f"{_some(recordings)} indexed as {language!r}, but with words like {looks_like!r}: "
            f"index again with --language {looks_like} if that is right"
        )


def _warning(recordings: Recordings, what: str, remedy: str) -> Iterator[str]:
    if recordings:
        yield f"{_some([one for one, _ in recordings])} {what}: {remedy}"


def _some(recordings: Sequence[Recording]) -> str:
    first = example([f"{one.file}/{one.channel}" for one in recordings])
    return f"{counted(len(recordings), 'recording')} ({first})"
