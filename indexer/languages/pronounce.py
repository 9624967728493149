"""Segments with phone columns: each in one language, each recording in its own.

    segments(columns)         at a commit: recordings whose language is known get phone columns
    last_segments(columns)    at the end of a run: those in doubt as well

A recording that does not tell its language (names only, a few words, two languages mixed) waits for
the end of the run in a segment without phones; then all such recordings are looked at together.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from indexer.languages.precedence import OTHERS, Spoken, Told, pooled, split, spoken
from indexer.segments.phone_columns import PhoneColumnBuilder
from std.languages.detection import MIN_SHARE, of_segment
from std.store import Segment
from std.store.columns import SegmentColumns
from std.values import Recording


@dataclass(slots=True)
class Pronouncer:
    """Tells languages and makes phone columns; knows what it found in this run."""

    phone_builder: PhoneColumnBuilder
    told: Told = field(default_factory=Told)
    found: dict[Recording, Spoken] = field(default_factory=dict)

    def segments(self, columns: SegmentColumns) -> list[SegmentColumns]:
        """A segment as one for each language of its recordings, with phones if it is known."""
        if not self.phone_builder.wanted:
            return [columns]
        found = spoken(columns, self.told)
        self._note(columns, found)
        return self._made(columns, found)

    def last_segments(
        self, columns: Sequence[SegmentColumns], segments: Iterable[Segment] = ()
    ) -> list[list[SegmentColumns]]:
        """Several segments likewise; what is in doubt takes the likeliest language.

        Args:
            columns: what becomes segments.
            segments: others of the index; how much speech of which language it has.
        """
        if not self.phone_builder.wanted:
            return [[one] for one in columns]
        found = [spoken(one, self.told) for one in columns]
        for one, some in zip(columns, found, strict=True):
            self._note(one, some)
        marks = [[_in_doubt(one) for one in some] for some in found]
        language = pooled(zip(columns, marks, strict=True)).language if _any(marks) else ""
        language = language or self._main(segments)
        parts = []
        for one, some in zip(columns, found, strict=True):
            settled = [_settled(spoken_, language) for spoken_ in some]
            self._note(one, settled)
            parts.append(self._made(one, settled))
        return parts

    def _note(self, columns: SegmentColumns, found: Sequence[Spoken]) -> None:
        recordings = (one.recording for one in columns.recordings)
        self.found.update(zip(recordings, found, strict=True))

    def _made(self, columns: SegmentColumns, found: Sequence[Spoken]) -> list[SegmentColumns]:
        parts = split(columns, [one.language for one in found])
        return [
            replace(part, extra={**part.extra, **self.phone_builder.of(part, language)})
            for language, part in parts.items()
        ]

    def _main(self, segments: Iterable[Segment]) -> str:
        """The language that most of the index's speech is in, this run's included."""
        speech = Counter[str]()
        for one in self.found.values():
            speech[one.language] += one.speech_ms
        speech.update(speech_by_language(segments, self.found))
        del speech[""]
        return min(speech, key=lambda one: (-speech[one], one), default="")


def speech_by_language(
    segments: Iterable[Segment], without: Mapping[Recording, Spoken] | None = None
) -> Counter[str]:
    """Milliseconds of live speech in each language."""
    speech = Counter[str]()
    for segment in segments:
        speech[of_segment(segment)] += sum(
            one.speech_ms
            for row, one in enumerate(segment.recordings)
            if row not in segment.deleted and one.recording not in (without or {})
        )
    return speech


def undecided(segment: Segment, recordings: Mapping[Recording, Spoken]) -> bool:
    """Whether a segment has no language and holds some of the recordings."""
    alive = (one for row, one in enumerate(segment.recordings) if row not in segment.deleted)
    return any(one.recording in recordings for one in alive) and not of_segment(segment)


def _in_doubt(one: Spoken) -> bool:
    """Whether a recording's own words do not even name a likeliest language."""
    return not one.language and not (one.guess.language and one.guess.share >= MIN_SHARE)


def _any(marks: Sequence[Sequence[bool]]) -> bool:
    return any(map(any, marks))


def _settled(one: Spoken, language: str) -> Spoken:
    if one.language:
        return one
    if _in_doubt(one):
        return one._replace(language=language, source=OTHERS)
    return one._replace(language=one.guess.language)
