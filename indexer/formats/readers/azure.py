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
its n best are aligned, weighted by their confidence (scaled to sum to 1 where they sum to more). If
there is only one, its words have their own confidence, or the phrase's. Words are the lexical ones,
else those for display; without either, the text's words share the phrase's time. Channel 0 is our
channel 1. The recording has the name of the audio (``source``, ``AudioFileUrl``). The objects that
the SDK or Speech Studio put around an answer (``privJson``, ``json``) are removed;
``RecognitionStatus`` may be a number, and is read only if there is no text.
"""

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import (
    NO_SPAN,
    NumberedUtterances,
    Span,
    recording_for,
    recording_of,
)
from indexer.formats.shared.stated import speaker_in, stated_language
from indexer.networks.hypotheses import HypothesisWord, bare, scaled, spoken, untimed
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.repairs import UNKNOWN
from std.values import Recording

TICKS = 1e7  # per second
MS = 1e3
WORDS = ("Words", "DisplayWords")
WORD = ("Word", "DisplayText", "Text")
TEXTS = ("Lexical", "ITN", "Display", "DisplayText", "Text")
CHANNELS = ("Channel", "ChannelNumber")
WRAPPERS = ("privJson", "json")
NOTHING_HEARD = (  # names, and the SDK's numbers for them
    "NoMatch", "InitialSilenceTimeout", "BabbleTimeout", "Error", "EndOfDictation",
    "TooManyRequests", "BadRequest", "Forbidden", *range(1, 9),
)  # fmt: skip

_CHANNEL = re.compile(r"Channel\.\d+\.wav")  # what 2.0 calls any audio
_ISO_DURATION = re.compile(r"PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?")


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is Azure's."""
    return (
        b'"NBest"' in head
        or b'"privJson"' in head
        or b'"recognizedphrases"' in head.lower()
        or b'"combinedPhrases"' in head
        or (b'"phrases"' in head and b'"offsetMilliseconds"' in head)
        or (b'"RecognitionStatus"' in head and b'"Offset"' in head)
    )


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not Azure's.
    """
    utterances = NumberedUtterances(path, options)
    for document in map(_unwrapped, documents(stream, path, repairs=options.repairs)):
        recording = recording_for(path, options, _source(document))
        for file, phrase, per_second in _phrases(document):
            best = _hypotheses(phrase)
            word_lists = [_words(hypothesis, per_second, options.nonwords) for hypothesis in best]
            if not any(word_lists):
                continue
            channel = _first(phrase, CHANNELS)
            where = Recording(
                recording.file if file is None else recording_of(file).file,
                recording.channel if channel is None else channel.channel() + 1,
            )
            utterances.stem = recording.file
            utterances.language, utterances.speaker = stated_language(phrase), speaker_in(phrase)
            weights = [1.0] if len(best) == 1 else [_confidence(one, 1.0) for one in best]
            n_best = scaled(weights, word_lists)
            utterances.add_n_best(phrase.line, where, n_best, _span(phrase, per_second))
    yield utterances.collected()


def _unwrapped(document: Part) -> Part:
    """Return the service's answer, without what the SDK or Speech Studio put around it."""
    for key in WRAPPERS:
        if document.has(key):
            inner = document[key]
            if not isinstance(inner.value, str):
                return inner
            for written in documents(BytesIO(inner.text().encode()), document.path):
                return Part(document.path, document.line, written.value, inner.where)
    return document


def _source(document: Part) -> str:
    """Return the name or address of the audio, where the answer has it."""
    files = (
        list(_of(document, "AudioFileResults"))
        if _has(document, "AudioFileResults")
        else [document]
    )
    if len(files) != 1:
        return ""  # they are separate recordings
    names = files[0].name(["AudioFileUrl", "audioFileUrl", "AudioFileName", "audioFileName"])
    return "" if _CHANNEL.fullmatch(names) else names or document.name(["source"])


def _hypotheses(phrase: Part) -> list[Part]:
    """Return a phrase's n best; if it has none, the phrase itself, or nothing for silence."""
    if not _has(phrase, "NBest"):
        if _first(phrase, TEXTS) is not None:
            return [phrase]
        if _of(phrase, "RecognitionStatus").value in NOTHING_HEARD:
            return []
    return list(_of(phrase, "NBest"))


def _phrases(document: Part) -> Iterator[tuple[str | None, Part, float]]:
    """Yield a phrase's audio file (None if there is only one), itself, and its units a second."""
    if _has(document, "AudioFileResults"):
        files = list(_of(document, "AudioFileResults"))
        for file in files:  # a single one may be called "Channel.0.wav", whatever it was
            name = _of(file, "AudioFileName").text() if len(files) > 1 else None
            yield from ((name, phrase, TICKS) for phrase in _of(file, "SegmentResults"))
    elif document.has("phrases"):
        yield from ((None, phrase, MS) for phrase in document["phrases"])
    elif _has(document, "RecognizedPhrases"):
        yield from ((None, phrase, TICKS) for phrase in _of(document, "RecognizedPhrases"))
    else:
        yield None, document, TICKS


def _of(part: Part, key: str) -> Part:
    """Return the value of a key, which batch transcription writes with a small first letter."""
    return part[key] if part.has(key) else part[key[0].lower() + key[1:]]


def _has(part: Part, key: str) -> bool:
    return _of(part, key).value is not None


def _first(part: Part, keys: Sequence[str]) -> Part | None:
    """Return the value of the first key that is present."""
    return next((_of(part, key) for key in keys if _has(part, key)), None)


def _confidence(part: Part, otherwise: float) -> float:
    return _of(part, "Confidence").probability() if _has(part, "Confidence") else otherwise


def _span(part: Part, per_second: float) -> Span:
    """Return start and end in seconds; UNKNOWN where they are not written."""
    offset, duration = (_seconds(part, key, per_second) for key in ("Offset", "Duration"))
    return Span(offset, offset + duration) if offset + duration == offset + duration else NO_SPAN


def _seconds(part: Part, key: str, per_second: float) -> float:
    """Read a time in ticks or milliseconds, or as ``PT1H2M3.4S``; in seconds."""
    for unit, units in (("InTicks", TICKS), ("Milliseconds", MS)):
        if _has(part, key + unit):
            return _of(part, key + unit).seconds(units)
    written = _of(part, key)
    if written.value is None:
        return UNKNOWN
    if not isinstance(written.value, str):
        return written.seconds(per_second)
    duration = _ISO_DURATION.fullmatch(written.value)
    if not duration:
        raise written.error("ticks, or a duration such as PT1.5S")
    hours, minutes, seconds = (float(part or 0) for part in duration.groups())
    return 3600 * hours + 60 * minutes + seconds


def _words(hypothesis: Part, per_second: float, nonwords: Nonwords) -> list[HypothesisWord]:
    confidence = _confidence(hypothesis, 1.0)
    words = _first(hypothesis, WORDS)
    timed = [
        HypothesisWord(
            (_first(word, WORD) or word["word"]).text(),
            _confidence(word, confidence),
            *_span(word, per_second),
        )
        for word in words or ()
    ]
    texts = [_of(hypothesis, key).text() for key in TEXTS if _has(hypothesis, key)]
    if not words and not texts:
        raise _of(hypothesis, TEXTS[0]).error("text")
    if any(bare(word.token) for word in timed):
        return spoken(timed, nonwords)
    return untimed(next(filter(None, texts), ""), confidence, nonwords)


READER = FormatReader(
    name="azure",
    title="Azure Speech",
    section="cloud-services",
    content="words, n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"RecognitionStatus": "Success", "Offset": 0, "Duration": 6500000, "NBest": '
        b'[{"Confidence": 0.9, "Lexical": "das haus", "Words": [{"Word": "das", "Offset": 0, '
        b'"Duration": 2100000}, {"Word": "haus", "Offset": 2100000, "Duration": 4400000}]}]}'
    ),
    words=("das", "haus"),
    keys=(
        "NBest Lexical",
        "recognizedPhrases nBest",
        "phrases offsetMilliseconds",
        "RecognitionStatus Offset",
        "AudioFileResults SegmentResults",
    ),
)
