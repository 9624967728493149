"""NVIDIA Riva's JSON: Google's shape, but times are milliseconds and ``audioProcessed`` seconds.

    {"results": [{"alternatives": [{"transcript": "das haus", "confidence": 0.97, "words":
        [{"startTime": 0, "endTime": 210, "word": "das", "confidence": 0.97, "speakerTag": 1}]}],
      "channelTag": 1, "audioProcessed": 2.5, "isFinal": true}]}

Keys may be written as in the protocol (``start_time``). Each result is an utterance; its
alternatives are aligned. Their ``confidence`` is a probability, or a log score if one of them is
outside 0..1: weights are then its softmax, scaled by ``acoustic_scale`` if given, and words
without a probability are certain. If only the first has times, the others get theirs from the
words aligned with them. A result without times of words lasts from the end of the one before to
``audioProcessed``. Only final results of a stream are read. Channel 1 is our channel 1.

Source: ``riva/proto/riva_asr.proto`` as NVIDIA's pages show it, and nvidia-riva/python-clients,
which print such responses.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NO_SPAN, NumberedUtterances, Span, recording_for
from indexer.formats.shared.stated import speaker_in, start_left_out
from indexer.networks.hypotheses import (
    HypothesisWord,
    UtteranceHypothesis,
    by_confidence,
    rated,
    spoken,
    untimed,
    weighted,
)
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.values import Recording

MS = 1000.0
FINAL = ("isFinal", "is_final")
CHANNEL = ("channelTag", "channel_tag")
PROCESSED = ("audioProcessed", "audio_processed")
STARTS = ("startTime", "start_time")
ENDS = ("endTime", "end_time")
_MILLISECONDS = re.compile(rb'"(endTime|end_time)"\s*:\s*\d+\s*[,}]')


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is Riva's."""
    return (
        b'"alternatives"' in head
        and b'"transcript"' in head
        and b'"word_alternatives"' not in head
        and (
            any(b'"%b"' % key.encode() in head for key in PROCESSED)
            or _MILLISECONDS.search(head) is not None
        )
    )


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not Riva's.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    results = [
        result
        for document in documents(stream, path, repairs=options.repairs)
        for result in document["results"]
    ]
    is_stream = any(result.first((*FINAL, "stability")) for result in results)
    until_s: dict[Recording, float] = {}
    said_s: dict[Recording, float] = {}
    for result in results:
        if is_stream and not any(result[key].value is True for key in FINAL):
            continue
        tag = result.first(CHANNEL)
        channel = tag.channel() if tag else 0
        where = Recording(recording.file, channel) if channel else recording
        span = _span(result, until_s.get(where, 0.0))
        until_s[where] = span.end_s if span != NO_SPAN else 0.0
        n_best = _n_best(result, options, said_s.get(where, 0.0))
        said_s[where] = max(
            [said_s.get(where, 0.0), *(word.end_s for one in n_best for word in one.words)]
        )
        utterances.add_n_best(result.line, where, n_best, span)
    yield utterances.collected()


def _milliseconds(time: Part) -> float:
    if isinstance(time.value, str):  # such as Google's "1.3s"
        raise time.error("milliseconds")
    return time.seconds(MS)


def _span(result: Part, start_s: float) -> Span:
    processed = result.first(PROCESSED)
    end_s = processed.seconds() if processed else 0.0
    return Span(start_s, end_s) if end_s > start_s else NO_SPAN


def _n_best(result: Part, options: ReaderOptions, before_s: float) -> list[UtteranceHypothesis]:
    alternatives = list(result.each("alternatives"))
    scores = [_score(alternative) for alternative in alternatives]
    word_lists = [_words(alternative, options, before_s) for alternative in alternatives]
    if all(0 <= score <= 1 for score in scores):
        return by_confidence(scores, word_lists)
    return weighted([options.scale * score for score in scores], word_lists)


def _score(alternative: Part) -> float:
    return alternative["confidence"].number() if alternative.has("confidence") else 0.0


def _words(alternative: Part, options: ReaderOptions, before_s: float) -> list[HypothesisWord]:
    score = _score(alternative)
    sure = score if 0 < score <= 1 else 1.0
    words: list[HypothesisWord] = []
    for word in alternative.each("words"):
        words.append(_word(word, before_s))
        before_s = max(before_s, words[-1].end_s)  # as it was, if the word has no end
    if not words:
        return untimed(alternative["transcript"].text(), sure, options.nonwords)
    return rated(spoken(words, options.nonwords))


def _word(word: Part, before_s: float) -> HypothesisWord:
    confidence = word["confidence"].number() if word.has("confidence") else 1.0
    start, end = word.first(STARTS), word.first(ENDS)
    times = NO_SPAN
    if end is not None:
        end_s = _milliseconds(end)
        start_s = _milliseconds(start) if start else start_left_out(word, end_s, before_s)
        times = Span(start_s, end_s)
    sure = confidence if 0 <= confidence <= 1 else 1.0
    return HypothesisWord(word["word"].text(), sure, *times, speaker_in(word))


READER = FormatReader(
    name="riva",
    title="NVIDIA Riva",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words, n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"results": [{"alternatives": [{"transcript": "das haus", "words": [{"startTime": 0, '
        b'"endTime": 210, "word": "das", "confidence": 0.97}, {"startTime": 210, "endTime": 650, '
        b'"word": "haus", "confidence": 0.8}]}], "channelTag": 1, "audioProcessed": 0.7}]}'
    ),
    words=("das", "haus"),
    keys=("results alternatives transcript audioProcessed",),
)
