"""Gentle's JSON: a transcript that was aligned to its recording.

    {"transcript": "Das Haus", "words": [{"case": "success", "word": "Das", "alignedWord": "das",
        "start": 0.0, "end": 0.21, "startOffset": 0, "endOffset": 3, "phones": [...]},
        {"case": "not-found-in-audio", "word": "gute"}, ...]}

Utterances end at pauses of half a second. A word is the transcript's, also if the aligner's
lexicon lacks it (``<unk>``); with ``not-found-in-transcript`` it is the aligner's. A word that was
not found in the audio is left out, and no phrase is matched across it. There are no confidences:
words are certain. A transcription that is not done is refused.

Source: lowerquality/gentle ``gentle/transcription.py``; files of OpenNewsLabs/autoEdit_2,
MaazDev7/forced-alignment-using-gentle and ozakbas/automated-2d-animation.
"""

from collections.abc import Iterator

from indexer.formats.shared.json_paths import Words, has_keys, reading
from indexer.formats.shared.reader import FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances
from indexer.formats.shared.stated import require_transcript
from indexer.networks.hypotheses import UNNAMED, HypothesisWord, spoken
from std.json_fields import Part
from std.values import Recording

LOST = "not-found-in-audio"
FOUND = {
    "success": Words(confidence=""),
    "not-found-in-transcript": Words(text="alignedWord", confidence=""),
}


def _add(
    utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
) -> None:
    if not document.has("words"):
        require_transcript(document, "Gentle's words")
    words = spoken(_words(document["words"]), options.nonwords)
    utterances.add_by_pauses(document.line, recording, words)


def _words(words: Part) -> Iterator[HypothesisWord]:
    """Yield the words that were found, and an unknown word where some were not."""
    is_gap = False
    end_s = None
    for row in words:
        case = row["case"]
        if case.value == LOST:
            is_gap = True
            continue
        if case.value not in [*FOUND]:
            raise case.error("success or another of Gentle's cases")
        word = FOUND[case.value].word(row)
        if is_gap and end_s is not None:
            yield HypothesisWord(UNNAMED, 1.0, end_s, end_s)
        is_gap, end_s = False, word.end_s
        yield word


READER = FormatReader(
    name="gentle",
    title="Gentle",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words",
    kinds=("json",),
    looks_like=has_keys("alignedWord", "case startOffset endOffset", LOST),
    parse=reading(_add),
    sample=(
        b'{"transcript": "das haus", "words": [{"case": "success", "word": "das", "alignedWord": '
        b'"das", "start": 0.0, "end": 0.21}, {"case": "success", "word": "haus", "alignedWord": '
        b'"haus", "start": 0.21, "end": 0.65}]}'
    ),
    words=("das", "haus"),
    keys=("words case alignedWord",),
)
