"""DeepSpeech's and Coqui STT's JSON (``--json``): the n best, words with times.

    {"transcripts": [{"confidence": -141.8, "words":
        [{"word": "das", "start_time": 0.0, "duration": 0.21}, ...]}, ...]}

Each object is an utterance. ``confidence`` is a log score: weights of the transcripts are its
softmax, scaled by ``acoustic_scale`` if given.

Source: mozilla/DeepSpeech ``native_client/client.cc`` (MetadataToJSON); an output in
diamandis-lab/HEROIC ``text_files_storage``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.networks.builder import NetworkBuilder
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import HypothesisWord, weighted, write_hypotheses
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is DeepSpeech's."""
    return b'"transcripts"' in head and b'"confidence"' in head and b'"duration"' in head


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not DeepSpeech's.
    """
    builder, recording = (
        NetworkBuilder(path, options.characters, options.repairs),
        recording_for(path, options),
    )
    scale = 1.0 if options.acoustic_scale is None else options.acoustic_scale
    count = 0
    for document in documents(stream, path, repairs=options.repairs):
        transcripts = list(document["transcripts"])
        logs = [scale * transcript["confidence"].number() for transcript in transcripts]
        word_lists = [list(map(_word, transcript["words"])) for transcript in transcripts]
        if any(word_lists):
            count += 1
            builder.utterance(document.line, recording, f"{recording.file}-{count}")
            write_hypotheses(builder, document.line, weighted(logs, word_lists))
    yield utterances_of(builder.columns(), path, nonwords=options.nonwords)


def _word(word: Part) -> HypothesisWord:
    start = word["start_time"].seconds()
    return HypothesisWord(word["word"].text(), 1.0, start, start + word["duration"].seconds())


READER = FormatReader(
    name="deepspeech",
    title="DeepSpeech, Coqui STT",
    section="deepspeech",
    content="n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"transcripts": [{"confidence": -141.8, "words": [{"word": "das", "start_time": 0.0, '
        b'"duration": 0.21}, {"word": "haus", "start_time": 0.21, "duration": 0.44}]}]}'
    ),
    words=("das", "haus"),
    keys=("transcripts confidence words start_time",),
)
