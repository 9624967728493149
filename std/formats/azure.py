"""Azure Speech's JSON, of recognition results and of batch transcription; times in 100 ns.

    {"DisplayText": "...", "Offset": 300000, "Duration": 9900000, "NBest": [{"Confidence": 0.9,
        "Lexical": "das haus", "Words": [{"Word": "das", "Offset": 300000, "Duration": 2100000,
        "Confidence": 0.95}]}]}                                  one after the other, or in a list
    {"recognizedPhrases": [{"channel": 0, "offsetInTicks": 300000, "durationInTicks": 9900000,
        "nBest": [{"confidence", "lexical", "words": [{"word", "offsetInTicks", ...}]}]}]}

Each result or phrase is an utterance; its n best are laid side by side, weighted by their
confidence (scaled to sum to 1 where they sum to more). A single one's words have their own.
Channel 0 is our channel 1.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from std.formats.columns import networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import UNKNOWN, Draft
from std.formats.heard import Heard, Hypothesis, bare, untimed, write_hypotheses, write_words
from std.formats.json_fields import Part, documents
from std.formats.recordings import recording_of
from std.values import ConfusionNetwork, Recording

TICKS = 1e7  # per second
NO_SPAN = UNKNOWN, UNKNOWN

_ISO_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Azure's."""
    return b'"NBest"' in head or b'"recognizedphrases"' in head.lower()


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
        phrases = _of(one, "RecognizedPhrases")
        for phrase in phrases if _has(one, "RecognizedPhrases") else [one]:
            if _of(phrase, "RecognitionStatus").value not in (None, "Success"):
                continue  # silence, or the end
            best = list(_of(phrase, "NBest"))
            said = [_words(hypothesis) for hypothesis in best]
            if not any(said):
                continue
            count += 1
            channel = recording.channel
            if _has(phrase, "Channel"):
                channel = _of(phrase, "Channel").channel() + 1
            where = Recording(recording.file, channel)
            draft.utterance(phrase.line, where, f"{recording.file}-{count}", *_span(phrase))
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


def _of(part: Part, key: str) -> Part:
    """Return what stands under a key, in the spelling of results or of batch transcription."""
    return part[key] if part.has(key) else part[key[0].lower() + key[1:]]


def _has(part: Part, key: str) -> bool:
    return _of(part, key).value is not None


def _confidence(part: Part, otherwise: float) -> float:
    return _of(part, "Confidence").probability() if _has(part, "Confidence") else otherwise


def _span(part: Part) -> tuple[float, float]:
    """Return start and end in seconds; UNKNOWN where they are not written."""
    offset, duration = _seconds(part, "Offset"), _seconds(part, "Duration")
    return (offset, offset + duration) if offset == offset and duration == duration else NO_SPAN


def _seconds(part: Part, key: str) -> float:
    """Read a time in ticks, or as ``PT1H2M3.4S`` where there are none."""
    ticks = _of(part, f"{key}InTicks")
    if ticks.value is not None:
        return ticks.seconds(TICKS)
    written = _of(part, key)
    if written.value is None:
        return UNKNOWN
    if not isinstance(written.value, str):
        return written.seconds(TICKS)
    found = _ISO_DURATION.fullmatch(written.value)
    if not found:
        raise written.error("ticks, or a duration such as PT1.5S")
    hours, minutes, seconds = (float(one or 0) for one in found.groups())
    return 3600 * hours + 60 * minutes + seconds


def _words(hypothesis: Part) -> list[Heard]:
    confidence = _confidence(hypothesis, 1.0)
    words = [
        Heard(
            bare(_of(word, "Word").text()),
            _confidence(word, confidence),
            *_span(word),
        )
        for word in (_of(hypothesis, "Words") if _has(hypothesis, "Words") else ())
    ]
    return [word for word in words if word.token] or untimed(
        _of(hypothesis, "Lexical").text(), confidence
    )
