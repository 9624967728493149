"""The words of a corrected transcript, in spoken order.

A transcript with times is read as by `std-index`, in any format; one without times is read as a
text.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from indexer.inputs import InputOptions, utterances_in
from indexer.segments.separate import separated
from std.errors import InputError
from std.files import read_text
from std.text import Normalisation
from std.values import Recording

TEXTS = (".txt", ".text", ".md")


class SaidWord(NamedTuple):
    """A word of a transcript."""

    word: str  # normalised
    start_ms: int | None = None  # of its utterance; None: the transcript has no times
    end_ms: int | None = None


def read_words(path: Path, recording: Recording, normalisation: Normalisation) -> list[SaidWord]:
    """The words of a transcript.

    Args:
        path: the path of the file.
        recording: the recording, if the file names several.
        normalisation: the normalisation of the index.

    Raises:
        InputError: the file cannot be read, or holds several recordings of other names.
    """
    try:
        return _timed(path, recording, normalisation)
    except InputError:
        if path.suffix.lower() not in TEXTS:
            raise
    return [SaidWord(word) for word in normalisation.phrase(read_text(path))]


def _timed(path: Path, recording: Recording, normalisation: Normalisation) -> list[SaidWord]:
    """The likeliest words of each utterance, with its times."""
    words: dict[Recording, list[tuple[int, SaidWord]]] = {}
    for block in utterances_in(path, options=InputOptions().load()):
        for network in separated(block, normalisation):
            said = words.setdefault(network.recording, [])
            is_one_best = bool((np.diff(network.offsets) <= 1).all())
            for slot in network:
                best = max(slot.alternatives, key=lambda one: one.posterior, default=None)
                if best is not None and (is_one_best or best.posterior >= slot.epsilon):
                    span = network.start_ms, network.end_ms
                    said += [
                        (best.start_ms, SaidWord(word, *span))
                        for word in normalisation.phrase(best.word)
                    ]
    if recording not in words and len(words) > 1:
        names = ", ".join(sorted({one.file for one in words}))
        raise InputError(path, 0, f"a transcript of {recording.file}", f"one of {names}")
    found = words.get(recording) or next(iter(words.values()), [])
    return [word for _, word in sorted(found, key=lambda one: one[0])]
