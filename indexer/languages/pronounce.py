"""Segments with phone columns: each in one language, each recording in its own.

    segments(columns)         at a commit: recordings of a known language get phone columns
    last_segments(columns)    at the end of a run: those in doubt as well

A recording of unclear language (names only, a few words, two languages mixed) waits for the end of
the run in a segment without phones; then all such recordings are classified together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from indexer.languages.precedence import (
    OTHERS,
    Spoken,
    Told,
    pooled,
    recording_scripts,
    split,
    spoken,
)
from indexer.segments.phone_columns import PhoneColumnBuilder
from std.config import Config
from std.languages.detection import MIN_SHARE, may_be_in, of_segment
from std.phonetics.g2p import UnpronounceableError, converter
from std.store import Segment
from std.store.columns import SegmentColumns, live_recordings
from std.values import ECF, Recording


@dataclass(slots=True)
class Pronouncer:
    """Detects languages and makes phone columns; keeps the results of this run."""

    phone_builder: PhoneColumnBuilder
    told: Told = field(default_factory=Told)
    found: dict[Recording, Spoken] = field(default_factory=dict)

    def segments(self, columns: SegmentColumns) -> list[SegmentColumns]:
        """A segment as one for each language of its recordings, with phones if it is known."""
        if not self.phone_builder.wanted:
            return [columns]
        languages = spoken(columns, self.told)
        self._note(columns, languages)
        return self._made(columns, languages)

    def last_segments(
        self, columns: Sequence[SegmentColumns], segments: Iterable[Segment] = ()
    ) -> list[list[SegmentColumns]]:
        """Pronounce several segments; recordings of unclear language take the likeliest one.

        Args:
            segments: others of the index, for its amount of speech in each language.
        """
        if not self.phone_builder.wanted:
            return [[segment_columns] for segment_columns in columns]
        languages = [spoken(segment_columns, self.told) for segment_columns in columns]
        for segment_columns, of_recordings in zip(columns, languages, strict=True):
            self._note(segment_columns, of_recordings)
        marks = [
            [_in_doubt(recording) for recording in of_recordings] for of_recordings in languages
        ]
        if not _any(marks):
            scripts = [[""] * len(one) for one in languages]
        else:
            scripts = [recording_scripts(segment_columns) for segment_columns in columns]
        segments = list(segments)
        likeliest = {
            script: self._likeliest(script, columns, marks, scripts, segments)
            for script in sorted({script for of_columns in scripts for script in of_columns})
        }
        parts = []
        for segment_columns, of_recordings, of_columns in zip(
            columns, languages, scripts, strict=True
        ):
            settled = [
                _settled(recording, likeliest[script])
                for recording, script in zip(of_recordings, of_columns, strict=True)
            ]
            self._note(segment_columns, settled)
            parts.append(self._made(segment_columns, settled))
        return parts

    def _likeliest(
        self,
        script: str,
        columns: Sequence[SegmentColumns],
        marks: Sequence[Sequence[bool]],
        scripts: Sequence[Sequence[str]],
        segments: Iterable[Segment],
    ) -> str:
        """Choose the language of recordings of unclear language in a script; arguments by columns.

        Args:
            script: theirs.
            columns: the columns of new segments.
            marks: which recordings have an unclear language.
            scripts: the scripts of the recordings.
            segments: others of the index.
        """
        in_doubt = [
            [mark and own == script for mark, own in zip(of_columns, owns, strict=True)]
            for of_columns, owns in zip(marks, scripts, strict=True)
        ]
        together = ""
        if _any(in_doubt):
            together = pooled(zip(columns, in_doubt, strict=True)).language
        return together or self._main(segments, script)

    def _note(self, columns: SegmentColumns, languages: Sequence[Spoken]) -> None:
        recordings = (indexed.recording for indexed in columns.recordings)
        self.found.update(zip(recordings, languages, strict=True))

    def _made(self, columns: SegmentColumns, languages: Sequence[Spoken]) -> list[SegmentColumns]:
        parts = split(columns, [recording.language for recording in languages])
        return [
            replace(part, extra={**part.extra, **self.phone_builder.of(part, language)})
            for language, part in parts.items()
        ]

    def _main(self, segments: Iterable[Segment], script: str) -> str:
        """The language of a script with most of the index's speech, including this run's."""
        speech = Counter[str]()
        for recording in self.found.values():
            speech[recording.language] += recording.speech_ms
        speech.update(speech_by_language(segments, self.found))
        del speech[""]
        written = [language for language in speech if may_be_in(script, language)]
        return min(written, key=lambda language: (-speech[language], language), default="")


def speech_by_language(
    segments: Iterable[Segment], without: Mapping[Recording, Spoken] | None
) -> Counter[str]:
    """Milliseconds of live speech in each language."""
    speech = Counter[str]()
    for segment in segments:
        speech[of_segment(segment)] += sum(
            indexed.speech_ms
            for _, indexed in live_recordings(segment)
            if indexed.recording not in (without or {})
        )
    return speech


def undecided(segment: Segment, recordings: Mapping[Recording, Spoken]) -> bool:
    """Whether a segment has no language and holds some of the recordings."""
    has_some = any(indexed.recording in recordings for _, indexed in live_recordings(segment))
    return has_some and not of_segment(segment)


def _in_doubt(recording: Spoken) -> bool:
    """Whether a recording's words have no likeliest language at all."""
    return not recording.language and not (
        recording.guess.language and recording.guess.share >= MIN_SHARE
    )


def _any(marks: Sequence[Sequence[bool]]) -> bool:
    return any(map(any, marks))


def _settled(recording: Spoken, language: str) -> Spoken:
    if recording.language:
        return recording
    if _in_doubt(recording):
        return recording._replace(language=language, source=OTHERS)
    return recording._replace(language=recording.guess.language)


def pronouncer_of(config: Config, experiment: ECF | None) -> Pronouncer:
    """The object that detects the recordings' languages and pronounces their words.

    Raises:
        ConfigError: the language that the user names has no converter.
    """
    language = config.pronunciation.language
    phone_builder = PhoneColumnBuilder(config)
    if language != "auto" and phone_builder.wanted:
        with suppress(UnpronounceableError):  # a warning later
            converter(language)  # a misspelt name is refused before any work
    by_ecf = {}
    if experiment:
        by_ecf = {
            excerpt.recording: excerpt.language or experiment.language
            for excerpt in experiment.excerpts
        }
    return Pronouncer(phone_builder, Told("" if language == "auto" else language, by_ecf))
