"""Gentle's JSON: a transcript that was aligned to its recording.

    {"transcript": "Das Haus", "words": [{"case": "success", "word": "Das", "alignedWord": "das",
        "start": 0.0, "end": 0.21, "startOffset": 0, "endOffset": 3, "phones": [...]},
        {"case": "not-found-in-audio", "word": "gute"}, ...]}

Utterances end where nothing is said for half a second. A word is the transcript's, also where the
aligner's lexicon lacks it (``<unk>``); with ``not-found-in-transcript`` it is the one that was
heard. A word that was not found in the audio has no place there and is left out, but no phrase is
joined over it. There are no confidences: words are sure. A transcription that is not done is
refused.

Source: lowerquality/gentle ``gentle/transcription.py``; files of OpenNewsLabs/autoEdit_2,
MaazDev7/forced-alignment-using-gentle and ozakbas/automated-2d-animation.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.numbered import NumberedUtterances
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.service_answers import require_transcript
from indexer.networks.hypotheses import UNNAMED, HypothesisWord, spoken
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

FOUND = ("success", "not-found-in-transcript")


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Gentle's."""
    of_word = all(key in head for key in (b'"case"', b'"startOffset"', b'"endOffset"'))
    return b'"alignedWord"' in head or of_word or b'"not-found-in-audio"' in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not Gentle's, or the transcription is not done.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        if not document.has("words"):
            require_transcript(document, "Gentle's words")
        words = spoken(_words(document["words"]), options.nonwords)
        utterances.add_by_pauses(document.line, recording, words)
    yield utterances.collected()


def _words(words: Part) -> Iterator[HypothesisWord]:
    """Yield the words that were found, and one that nobody names where some were not."""
    gap = False
    end = None
    for word in words:
        case = word["case"]
        if case.value not in FOUND:
            if case.value != "not-found-in-audio":
                raise case.error("success or another of Gentle's cases")
            gap = True
            continue
        start = word["start"].seconds()
        if gap and end is not None:
            yield HypothesisWord(UNNAMED, 1.0, end, end)
        gap, end = False, word["end"].seconds()
        key = "word" if case.value == "success" else "alignedWord"
        yield HypothesisWord(word[key].text(), 1.0, start, end)


READER = FormatReader(
    name="gentle",
    title="Gentle",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"transcript": "das haus", "words": [{"case": "success", "word": "das", "alignedWord": '
        b'"das", "start": 0.0, "end": 0.21}, {"case": "success", "word": "haus", "alignedWord": '
        b'"haus", "start": 0.21, "end": 0.65}]}'
    ),
    words=("das", "haus"),
    keys=("words case alignedWord",),
)
