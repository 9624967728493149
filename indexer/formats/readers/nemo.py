"""NVIDIA NeMo's JSON: manifests of recognised audio, and the sessions of its diarisation.

    {"audio_filepath": "x.wav", "offset": 0.0, "duration": 2.5, "pred_text": "das haus",
        "word": [{"word": "das", "start": 0.0, "end": 0.21, "start_offset": 0, "end_offset": 3}],
        "beams": [["das haus", -1.2], ["dass haus", -2.4]]}                     one per line
    {"status": "success", "session_id": "x", "transcription": "das haus", "speaker_count": 2,
        "words": [{"word": "das", "start_time": 0.0, "end_time": 0.21, "speaker": "speaker_0"}]}

Each line of a manifest is an utterance of its audio file, from ``offset`` on. Words may also stand
under ``timestamp_word``, ``timestamps_word`` or ``timestamp.word``; without them ``pred_text``
shares ``duration``. Beams are aligned, weighted by the softmax of their log scores,
scaled by ``acoustic_scale`` if given; the words of the best have the times. There are no
confidences of words. A session is cut at pauses of half a second. ``text`` is the reference and not
read: a manifest without ``pred_text`` is refused.

Source: NVIDIA/NeMo ``asr/parts/utils/transcribe_utils.py`` (write_transcription),
``diarization_utils.py`` and ``examples/speaker_tasks/diarization``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.json_paths import Words, has_keys
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NO_SPAN, NumberedUtterances, Span, recording_for
from indexer.networks.hypotheses import (
    HypothesisWord,
    UtteranceHypothesis,
    spoken,
    untimed,
    weighted,
)
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

WORDS = ("word", "timestamp_word", "timestamps_word")
TABLES = (
    Words(start="start_time", end="end_time", confidence="", speakers=True),
    Words(confidence="", speakers=True),
)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or not NeMo's, or a manifest without ``pred_text``.
    """
    utterances = NumberedUtterances(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        if document.has("session_id"):
            recording = recording_for(path, options, document.name(["session_id"]))
            words = spoken((_word(word, 0.0) for word in document["words"]), options.nonwords)
            utterances.add_by_pauses(document.line, recording, words)
            continue
        recording = recording_for(path, options, document["audio_filepath"].text())
        utterances.language = document.name(["pred_lang"])
        utterances.add_n_best(document.line, recording, _n_best(document, options), _span(document))
    yield utterances.collected()


def _span(document: Part) -> Span:
    if not document.has("duration"):
        return NO_SPAN
    start = _offset(document)
    return Span(start, start + document["duration"].seconds())


def _offset(document: Part) -> float:
    return document["offset"].seconds() if document.has("offset") else 0.0


def _n_best(document: Part, options: ReaderOptions) -> list[UtteranceHypothesis]:
    best = UtteranceHypothesis(1.0, _best(document, options.nonwords))
    beams = [list(beam) for beam in document.each("beams")]
    if not beams:
        return [best]
    if any(len(beam) != 2 for beam in beams):
        raise document["beams"].error("pairs of a text and its score")
    word_lists = [untimed(text.text(), nonwords=options.nonwords) for text, _ in beams]
    tokens = [word.token for word in best.words]
    word_lists = [
        list(best.words) if [word.token for word in words] == tokens else words
        for words in word_lists
    ]
    return weighted([options.scale * score.number() for _, score in beams], word_lists)


def _best(document: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    words = document.first(WORDS)
    if words is None and document.has("timestamp"):
        words = document["timestamp"]["word"]
    if words is None or not words.value:
        return untimed(document["pred_text"].text(), nonwords=nonwords)
    return spoken((_word(word, _offset(document)) for word in words), nonwords)


def _word(word: Part, offset_s: float) -> HypothesisWord:
    for table in TABLES:
        if word.has(table.end):
            read = table.word(word)
            return read._replace(start_s=offset_s + read.start_s, end_s=offset_s + read.end_s)
    raise word["end"].error("a time in seconds")


READER = FormatReader(
    name="nemo",
    title="NVIDIA NeMo",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words, or n best",
    kinds=("json",),
    looks_like=has_keys("audio_filepath", "session_id speaker_count"),
    parse=parse,
    sample=(
        b'{"audio_filepath": "x.wav", "duration": 0.65, "pred_text": "das haus", "char": [], '
        b'"word": [{"word": "das", "start": 0.0, "end": 0.21}, '
        b'{"word": "haus", "start": 0.21, "end": 0.65}]}'
    ),
    words=("das", "haus"),
    keys=("audio_filepath pred_text", "session_id speaker_count words"),
)
