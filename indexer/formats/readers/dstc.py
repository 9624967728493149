"""Confusion networks in the call logs of the Dialog State Tracking Challenge (DSTC2, DSTC3).

    {"session-id": "...", "turns": [{"turn-index": 0, "input": {"start-time": 8.1, "audio-file":
        "x.wav", "batch": {"cnet": [{"start": 0.05, "end": 0.2, "arcs":
            [{"word": "!null", "score": -0.03}, {"word": "das", "score": -3.5}]}]}}}]}

Each turn that has a ``cnet`` is an utterance; a ``cnet`` may also stand alone. Scores are natural
logarithms of posteriors. Times of a slot count from the start of its turn; a turn that names its
audio file is a separate recording, the others belong to the session.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.json_paths import has_keys
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for, recording_of
from indexer.networks.columns import utterances_of
from indexer.networks.raw import NetworkBuilder
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

MIN_SCORE = -700.0  # below, the posterior is 0


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's turns in order.

    Raises:
        InputError: the file is not JSON or not such a log, or lacks the starts of its turns.
    """
    builder = NetworkBuilder(path, repairs=options.repairs)
    count = 0
    for document in documents(stream, path, repairs=options.repairs):
        session = recording_for(path, options, document.name(["session-id"]))
        if not document.has("turns") and _cnet(document) is None:
            raise document.error("a list of turns, or a cnet")
        turns = list(document["turns"]) if document.has("turns") else [document]
        spoken = [(turn, cnet) for turn in turns if (cnet := _cnet(turn))]
        if turns and not spoken:
            raise turns[0].error("a cnet at input.batch")
        for turn, cnet in spoken:
            count += 1
            audio = turn["input"] if turn.has("input") else turn
            recording, start = session, 0.0
            if audio.has("audio-file"):
                recording = recording_of(audio["audio-file"].text(), None, options.channel)
            elif audio.has("start-time") or len(spoken) > 1:
                start = audio["start-time"].seconds()
            builder.utterance(turn.line, recording, f"{session.file}-{count}")
            for slot in cnet:
                span = (start + slot[key].seconds() for key in ("start", "end"))
                builder.slot(turn.line, *span)
                for arc in slot["arcs"]:
                    score = max(arc["score"].number(), MIN_SCORE)
                    builder.word(turn.line, arc["word"].text(), math.exp(min(score, 1.0)))
    yield utterances_of(builder.columns(), path, nonwords=options.nonwords)


def _cnet(turn: Part) -> Part | None:
    """Return the network of a turn: of its batch recognition, or its own."""
    for way in (("input", "batch"), ("input", "live"), ()):
        part = turn
        for key in way:
            part = part[key] if part.has(key) else Part(turn.path, turn.line, {})
        if part.has("cnet"):
            return part["cnet"]
    return None


READER = FormatReader(
    name="dstc",
    title="DSTC call logs",
    section="call-logs-of-dstc2",
    content="networks",
    kinds=("json",),
    looks_like=has_keys("cnet arcs"),
    parse=parse,
    sample=(
        b'{"session-id": "x", "turns": [{"input": {"start-time": 0.0, "batch": {"cnet": '
        b'[{"start": 0.0, "end": 0.21, "arcs": [{"word": "das", "score": -0.03}]}, {"start": '
        b'0.21, "end": 0.65, "arcs": [{"word": "haus", "score": -0.22}]}]}}}]}'
    ),
    words=("das", "haus"),
    keys=("turns cnet arcs", "cnet arcs word score"),
)
