"""DeepSpeech's and Coqui STT's JSON (``--json``): the n best, words with times.

    {"transcripts": [{"confidence": -141.8, "words":
        [{"word": "das", "start_time": 0.0, "duration": 0.21}, ...]}, ...]}

Each object is an utterance. ``confidence`` is a log score: weights of the transcripts are its
softmax, scaled by ``acoustic_scale`` if given.

Source: mozilla/DeepSpeech ``native_client/client.cc`` (MetadataToJSON).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.context import DEFAULT, Context
from indexer.formats.recordings import recording_for
from indexer.networks.builder import Draft
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import Heard, weighted, write_hypotheses
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is DeepSpeech's."""
    return b'"transcripts"' in head and b'"confidence"' in head and b'"duration"' in head


def parse(stream: BinaryIO, path: Path | str, context: Context = DEFAULT) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not DeepSpeech's.
    """
    draft, recording = Draft(path), recording_for(path, context)
    scale = 1.0 if context.acoustic_scale is None else context.acoustic_scale
    count = 0
    for one in documents(stream, path):
        transcripts = list(one["transcripts"])
        logs = [scale * transcript["confidence"].number() for transcript in transcripts]
        said = [list(map(_word, transcript["words"])) for transcript in transcripts]
        if any(said):
            count += 1
            draft.utterance(one.line, recording, f"{recording.file}-{count}")
            write_hypotheses(draft, one.line, weighted(logs, said))
    yield utterances_of(draft.columns(), path, nonwords=context.nonwords)


def _word(word: Part) -> Heard:
    start = word["start_time"].seconds()
    return Heard(word["word"].text(), 1.0, start, start + word["duration"].seconds())
