"""IBM Watson Speech to Text's JSON; with ``word_alternatives`` it is a confusion network.

    {"results": [{"final": true, "alternatives": [{"transcript": "das haus ", "confidence": 0.9,
        "timestamps": [["das", 0.1, 0.3], ...], "word_confidence": [["das", 0.95], ...]}],
      "word_alternatives": [{"start_time": 0.1, "end_time": 0.3, "alternatives":
        [{"word": "das", "confidence": 0.95}, {"word": "dass", "confidence": 0.04}]}]}]}

Asynchronous jobs put such answers in an outer list of ``results``; messages of a stream without
results (``state``) are skipped. ``"speaker_labels": [{"from": 0.1, "to": 0.3, "speaker": 0}]``,
beside results or after them, name the speaker of the word that begins there.

Each final result is an utterance. ``word_alternatives`` lack the words, and whole slots, below the
service's threshold: the gaps are filled with the timed words of the first alternative, with their
confidence or that of the alternative. For the same reason, the difference of a slot's confidences
to 1 may belong to words, and is not epsilon.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.json_paths import has_keys
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.stated import speaker_in, stated_confidence
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import HypothesisWord, bare, speaker_of, turns_of, write_words
from indexer.networks.raw import NetworkBuilder
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

MESSAGES = ("state", "speaker_labels")


class _Slot(NamedTuple):
    start_s: float
    end_s: float
    words: list[tuple[str, float]]


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's final results in order.

    Raises:
        InputError: the file is not JSON, or not Watson's.
    """
    builder, recording = NetworkBuilder(path, repairs=options.repairs), recording_for(path, options)
    answers = list(documents(stream, path, repairs=options.repairs))
    speakers = dict(label for answer in answers for label in _labels(answer))
    count = 0
    for result in chain.from_iterable(map(_results, answers)):
        if result["final"].value is False:
            continue
        words = _first_alternative(result, speakers)
        slotted = any(True for _ in result.each("word_alternatives"))
        for turn in [words] if slotted else turns_of(words):
            count += 1
            builder.speaker = speaker_of(turn)
            builder.utterance(result.line, recording, f"{recording.file}-{count}")
            _write(builder, result, turn)
    yield utterances_of(builder.columns(), path, nonwords=options.nonwords)


def _results(document: Part) -> Iterator[Part]:
    if not document.has("results") and document.first(MESSAGES):
        return
    for result in document["results"]:
        yield from result["results"] if result.has("results") else [result]


def _labels(answer: Part) -> Iterator[tuple[float, str]]:
    """Yield the start of each word, seconds, and its speaker."""
    lists = [answer, *answer.each("results")] if answer.has("results") else [answer]
    for one in lists:
        for label in one.each("speaker_labels"):
            yield label["from"].seconds(), speaker_in(label)


def _write(builder: NetworkBuilder, result: Part, words: Sequence[HypothesisWord]) -> None:
    """Add a result's slots, and its words where no slot is."""
    slots = sorted(map(_slot, result.each("word_alternatives")))
    if not slots:
        write_words(builder, result.line, words)
        return
    starts = [slot.start_s for slot in slots]
    for word in words:
        middle = (word.start_s + word.end_s) / 2
        if not starts[0] <= middle <= slots[bisect_right(starts, middle) - 1].end_s:
            slots.append(_Slot(word.start_s, word.end_s, [(word.token, word.confidence)]))
    for slot in sorted(slots):
        builder.slot(result.line)
        for token, confidence in slot.words:
            builder.word(result.line, token, confidence, slot.start_s, slot.end_s)


def _slot(slot: Part) -> _Slot:
    words = [
        (_token(alternative["word"]), alternative["confidence"].probability())
        for alternative in slot["alternatives"]
    ]
    return _Slot(slot["start_time"].seconds(), slot["end_time"].seconds(), words)


def _first_alternative(result: Part, speakers: Mapping[float, str]) -> list[HypothesisWord]:
    """The words of the first alternative; none if there are only slots."""
    timed = any(alternative.has("timestamps") for alternative in result.each("alternatives"))
    if not timed and any(True for _ in result.each("word_alternatives")):
        return []
    for first in result["alternatives"]:
        confidence = stated_confidence(first)
        own = [_row(pair, 2)[1].probability() for pair in first.each("word_confidence")]
        rows = [_row(row, 3) for row in first["timestamps"]]
        own = own if len(own) == len(rows) else [confidence] * len(rows)
        spans_s = [(start.seconds(), end.seconds()) for _, start, end in rows]
        return [
            HypothesisWord(_token(word), mass, *span_s, speakers.get(span_s[0], ""))
            for (word, _, _), mass, span_s in zip(rows, own, spans_s, strict=True)
        ]
    return []


def _token(word: Part) -> str:
    """Read a word; a masked one becomes an unknown word."""
    return bare(word.text()) if "**" in word.text() else word.text()


def _row(part: Part, length: int) -> list[Part]:
    row = list(part)
    if len(row) != length:
        raise part.error(f"a list of {length}")
    return row


READER = FormatReader(
    name="watson",
    title="IBM Watson",
    section="cloud-services",
    content="networks, or words",
    kinds=("json",),
    looks_like=has_keys("results word_alternatives", "results timestamps"),
    parse=parse,
    sample=(
        b'{"results": [{"final": true, "alternatives": [{"transcript": "das haus ", '
        b'"timestamps": [["das", 0.0, 0.21], ["haus", 0.21, 0.65]], "word_confidence": [["das", '
        b'0.97], ["haus", 0.8]]}]}]}'
    ),
    words=("das", "haus"),
    keys=("results alternatives timestamps", "results word_alternatives"),
)
