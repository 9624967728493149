"""Azure Speech's JSON: results of its SDK and short-audio API, batch and fast transcription.

    {"RecognitionStatus", "DisplayText": "...", "Offset": 300000, "Duration": 9900000, "NBest":
        [{"Confidence": 0.9, "Lexical": "das haus", "Words": [{"Word": "das", "Offset": 300000,
        "Duration": 2100000, "Confidence": 0.95}]}]}             one after the other, or in a list
    {"recognizedPhrases": [{"channel": 0, "offsetInTicks": 300000, "durationInTicks": 9900000,
        "nBest": [{"confidence", "lexical", "words": [{"word", "offsetInTicks", ...}],
        "displayWords": [{"displayText", ...}]}]}]}                       batch, API 3 and later
    {"AudioFileResults": [{"AudioFileName", "SegmentResults": [{"ChannelNumber", "NBest"}]}]}  2.0
    {"combinedPhrases": [...], "phrases": [{"channel": 0, "offsetMilliseconds": 30,
        "durationMilliseconds": 990, "text": "Das Haus.", "confidence": 0.9, "words":
        [{"text": "Das", "offsetMilliseconds": 30, "durationMilliseconds": 210}]}]}     fast

Times are ticks of 100 ns (``Offset``, ``offsetInTicks``), ISO 8601 (``PT1.5S``), or milliseconds
(also the ``offset`` of fast transcription's first version). Each result or phrase is an utterance;
its n best are laid side by side, weighted by their confidence (scaled to sum to 1 where they sum
to more). A single one's words have their own, or the phrase's. Words are the lexical ones, else
those for display; where there are none the text's words share the phrase's time. Channel 0 is our
channel 1.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from std.formats.columns import networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import UNKNOWN, Draft
from std.formats.heard import Heard, Hypothesis, bare, untimed, write_hypotheses, write_words
from std.formats.json_fields import Part, documents
from std.formats.recordings import recording_of
from std.formats.stated_language import stated_language
from std.values import ConfusionNetwork, Recording

TICKS = 1e7  # per second
MS = 1e3
NO_SPAN = UNKNOWN, UNKNOWN
WORDS = ("Words", "DisplayWords")
WORD = ("Word", "DisplayText", "Text")
TEXTS = ("Lexical", "ITN", "Display", "DisplayText", "Text")
CHANNELS = ("Channel", "ChannelNumber")

_ISO_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Azure's."""
    return (
        b'"NBest"' in head
        or b'"recognizedphrases"' in head.lower()
        or b'"combinedPhrases"' in head
        or (b'"phrases"' in head and b'"offsetMilliseconds"' in head)
        or (b'"RecognitionStatus"' in head and b'"Offset"' in head)
    )


def parse(
    stream: BinaryIO, path: Path | str, context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not Azure's.
    """
    draft, recording = Draft(path), recording_of(path, context.file, context.channel)
    count = 0
    for one in documents(stream.read(), path):
        for file, phrase, per_second in _phrases(one):
            if _of(phrase, "RecognitionStatus").value not in (None, "Success"):
                continue  # silence, or the end
            is_simple = not _has(phrase, "NBest") and _first(phrase, TEXTS) is not None
            best = [phrase] if is_simple else list(_of(phrase, "NBest"))
            said = [_words(hypothesis, per_second) for hypothesis in best]
            if not any(said):
                continue
            count += 1
            draft.language = stated_language(phrase)
            channel = _first(phrase, CHANNELS)
            where = Recording(
                recording.file if file is None else recording_of(file).file,
                recording.channel if channel is None else channel.channel() + 1,
            )
            span = _span(phrase, per_second)
            draft.utterance(phrase.line, where, f"{recording.file}-{count}", *span)
            if len(said) == 1:
                write_words(draft, phrase.line, said[0])
            else:
                weights = [_confidence(hypothesis, 1.0) for hypothesis in best]
                total = max(1.0, sum(weights))
                hypotheses = [
                    Hypothesis(weight / total, words)
                    for weight, words in zip(weights, said, strict=True)
                ]
                write_hypotheses(draft, phrase.line, hypotheses)
    yield from networks(draft.columns(), path)


def _phrases(one: Part) -> Iterator[tuple[str | None, Part, float]]:
    """Yield each phrase, the audio file where there are several, and how long its units are."""
    if _has(one, "AudioFileResults"):
        files = list(_of(one, "AudioFileResults"))
        for file in files:  # a single one may be called "Channel.0.wav", whatever it was
            name = _of(file, "AudioFileName").text() if len(files) > 1 else None
            yield from ((name, phrase, TICKS) for phrase in _of(file, "SegmentResults"))
    elif one.has("phrases"):
        yield from ((None, phrase, MS) for phrase in one["phrases"])
    elif _has(one, "RecognizedPhrases"):
        yield from ((None, phrase, TICKS) for phrase in _of(one, "RecognizedPhrases"))
    else:
        yield None, one, TICKS


def _of(part: Part, key: str) -> Part:
    """Return what stands under a key, in the spelling of results or of batch transcription."""
    return part[key] if part.has(key) else part[key[0].lower() + key[1:]]


def _has(part: Part, key: str) -> bool:
    return _of(part, key).value is not None


def _first(part: Part, keys: Sequence[str]) -> Part | None:
    """Return what stands under the first of the keys that is there."""
    return next((_of(part, key) for key in keys if _has(part, key)), None)


def _confidence(part: Part, otherwise: float) -> float:
    return _of(part, "Confidence").probability() if _has(part, "Confidence") else otherwise


def _span(part: Part, per_second: float) -> tuple[float, float]:
    """Return start and end in seconds; UNKNOWN where they are not written."""
    offset, duration = (_seconds(part, key, per_second) for key in ("Offset", "Duration"))
    return (offset, offset + duration) if offset == offset and duration == duration else NO_SPAN


def _seconds(part: Part, key: str, per_second: float) -> float:
    """Read a time in ticks or milliseconds, or as ``PT1H2M3.4S`` where there are none."""
    for unit, units in (("InTicks", TICKS), ("Milliseconds", MS)):
        if _has(part, key + unit):
            return _of(part, key + unit).seconds(units)
    written = _of(part, key)
    if written.value is None:
        return UNKNOWN
    if not isinstance(written.value, str):
        return written.seconds(per_second)
    found = _ISO_DURATION.fullmatch(written.value)
    if not found:
        raise written.error("ticks, or a duration such as PT1.5S")
    hours, minutes, seconds = (float(one or 0) for one in found.groups())
    return 3600 * hours + 60 * minutes + seconds


def _words(hypothesis: Part, per_second: float) -> list[Heard]:
    confidence = _confidence(hypothesis, 1.0)
    words = _first(hypothesis, WORDS)
    said = [
        Heard(
            bare((_first(word, WORD) or word["word"]).text()),
            _confidence(word, confidence),
            *_span(word, per_second),
        )
        for word in words or ()
    ]
    texts = [_of(hypothesis, key).text() for key in TEXTS if _has(hypothesis, key)]
    if not words and not texts:
        raise _of(hypothesis, TEXTS[0]).error("text")
    return [word for word in said if word.token] or untimed(
        next(filter(None, texts), ""), confidence
    )
