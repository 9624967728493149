"""The lines of std-index about languages: those found, their pronouncers, unclear cases."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from indexer.languages.precedence import OTHERS, WORDS, Spoken, Told, spoken
from indexer.languages.pronounce import Pronouncer
from std.display.numbers import counted
from std.errors import quoted
from std.languages.detection import of_segment
from std.phonetics.g2p import hint
from std.store import Segment
from std.values import Recording

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
        name = segment.extra("phone_maker")
        pronouncer = None if name is None else bytes(name).decode(errors="replace")
        alive = len(segment.recordings) - len(segment.deleted)
        counts[of_segment(segment), pronouncer] += alive
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
        told = f"taken for {language!r}; --language says it"
        yield from _warning(by_others, "with too few words that tell a language", told)
        yield from _warning(unsure, "with words of several languages", told)
        yield from _warning(
            none,
            "in no recognisable language",
            "unknown words are not found by sound there; --language says it",
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
    first = f"{recordings[0].file}/{recordings[0].channel}"
    more = " ..." if len(recordings) > 1 else ""
    return f"{counted(len(recordings), 'recording')} ({first}{more})"
