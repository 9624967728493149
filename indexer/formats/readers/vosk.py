"""Vosk's results: JSON objects one per line, in a list, or printed one after the other.

    {"result": [{"conf": 0.97, "start": 0.0, "end": 0.21, "word": "das"}, ...], "text": "..."}
    {"alternatives": [{"confidence": 214.7, "text": "...",
                       "result": [{"start": 0.0, "end": 0.21, "word": "das"}, ...]}, ...]}

    {"monologues": [{"terms": [{"confidence": 0.97, "start": 0.0, "end": 0.21, "text": "das",
                                "type": "WORD"}, ...]}, ...]}               vosk-transcriber -t json

Each object, or monologue, is an utterance. ``conf`` is a posterior, ``confidence`` of alternatives
a log score: their weights are its softmax, scaled by ``acoustic_scale`` if given. Partial and
empty results are skipped; results without word times (no ``SetWords(True)``) are refused.

Source: alphacep/vosk-api ``recognizer.cc`` (MbrResult, NbestResult), ``transcriber.py``.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.networks.builder import NetworkBuilder
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import HypothesisWord, weighted, write_hypotheses, write_words
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Vosk's."""
    return (
        (b'"conf"' in head and b'"word"' in head and b'"result"' in head)
        or (b'"alternatives"' in head and b'"result"' in head and b'"confidence"' in head)
        or (b'"monologues"' in head and b'"terms"' in head)
    )


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not Vosk's.
    """
    builder, recording = (
        NetworkBuilder(path, options.characters, options.repairs),
        recording_for(path, options),
    )
    scale = 1.0 if options.acoustic_scale is None else options.acoustic_scale
    count = 0
    for result in _results(documents(stream, path, repairs=options.repairs)):
        alternatives = list(result.each("alternatives"))
        if alternatives:
            word_lists = [_words(alternative) for alternative in alternatives]
            logs = [scale * alternative["confidence"].number() for alternative in alternatives]
            if not any(word_lists):
                continue
        elif result.has("partial") or (result.has("text") and not result["text"].text()):
            continue
        else:
            word_lists = [_words(result)]
        count += 1
        builder.utterance(result.line, recording, f"{recording.file}-{count}")
        if alternatives:
            write_hypotheses(builder, result.line, weighted(logs, word_lists))
        else:
            write_words(builder, result.line, word_lists[0])
    yield utterances_of(builder.columns(), path, nonwords=options.nonwords)


def _results(parts: Iterable[Part]) -> Iterator[Part]:
    for document in parts:
        yield from document["monologues"] if document.has("monologues") else [document]


def _words(part: Part) -> list[HypothesisWord]:
    if part.has("text") and not part["text"].text():
        return []
    if part.has("terms"):
        words = [term for term in part["terms"] if term["type"].value in (None, "WORD")]
        return [_word(word, "text", "confidence") for word in words]
    return [_word(word, "word", "conf") for word in part["result"]]


def _word(word: Part, token: str, confidence: str) -> HypothesisWord:
    return HypothesisWord(
        word[token].text(),
        word[confidence].probability() if word.has(confidence) else 1.0,
        word["start"].seconds(),
        word["end"].seconds(),
    )


READER = FormatReader(
    name="vosk",
    title="Vosk",
    section="vosk",
    content="words, or n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"result": [{"conf": 0.97, "start": 0.0, "end": 0.21, "word": "das"}, {"conf": 0.8, '
        b'"start": 0.21, "end": 0.65, "word": "haus"}], "text": "das haus"}'
    ),
    words=("das", "haus"),
    keys=(
        "result text conf word",
        "monologues terms text",
        "result word start end",
    ),
)
