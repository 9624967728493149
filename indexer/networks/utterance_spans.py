"""Where utterances lie in their recordings, as Kaldi's ``segments`` say."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from std.errors import InputError
from std.values import Recording

SEGMENTS_HINT = "--segments FILE says where in their recordings the utterances lie"


class UtteranceSpan(NamedTuple):
    """Where an utterance lies in its recording."""

    recording: Recording
    start_s: float
    end_s: float


def span_of(
    segments: Mapping[str, UtteranceSpan], utterance: str, path: Path | str, line: int
) -> UtteranceSpan:
    """Return an utterance's segment.

    Args:
        segments: by the utterance's name.
        utterance: its name.
        path, line: as messages name them.

    Raises:
        InputError: the segments do not name it.
    """
    if utterance not in segments:
        raise InputError(path, line, "an utterance that the segments name", utterance)
    return segments[utterance]
