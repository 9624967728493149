"""IBM Watson Speech to Text's JSON: with ``word_alternatives`` a true confusion network.

    {"results": [{"final": true, "alternatives": [{"transcript": "das haus ", "confidence": 0.9,
        "timestamps": [["das", 0.1, 0.3], ...], "word_confidence": [["das", 0.95], ...]}],
      "word_alternatives": [{"start_time": 0.1, "end_time": 0.3, "alternatives":
        [{"word": "das", "confidence": 0.95}, {"word": "dass", "confidence": 0.04}]}]}]}

Each final result is an utterance. Without ``word_alternatives`` the timed words of its first
alternative are taken, with their confidence or that of the alternative. Alternatives below the
service's threshold are missing: what a slot lacks to 1 is not known to be silence, so it is not
epsilon.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from std.formats.columns import networks
from std.formats.context import DEFAULT, Context
from std.formats.draft import Draft
from std.formats.heard import Heard, write_words
from std.formats.json_fields import Part, documents
from std.formats.recordings import recording_of
from std.values import ConfusionNetwork


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is Watson's."""
    return b'"results"' in head and (b'"word_alternatives"' in head or b'"timestamps"' in head)


def parse(
    stream: BinaryIO, path: Path | str, context: Context = DEFAULT
) -> Iterator[ConfusionNetwork]:
    """Yield the file's final results in order.

    Raises:
        InputError: the file is no JSON, or not Watson's.
    """
    draft, recording = Draft(path), recording_of(path, context.file, context.channel)
    count = 0
    for one in documents(stream.read(), path):
        for result in one["results"]:
            if result["final"].value is False:
                continue
            count += 1
            draft.utterance(result.line, recording, f"{recording.file}-{count}")
            if result.has("word_alternatives"):
                for slot in result["word_alternatives"]:
                    _slot(draft, slot)
            else:
                write_words(draft, result.line, _first_alternative(result))
    yield from networks(draft.columns(), path)


def _slot(draft: Draft, slot: Part) -> None:
    start, end = slot["start_time"].seconds(), slot["end_time"].seconds()
    draft.slot(slot.line)
    for word in slot["alternatives"]:
        token, confidence = word["word"].text(), word["confidence"].probability()
        draft.word(slot.line, token, confidence, start, end)


def _first_alternative(result: Part) -> list[Heard]:
    for first in result["alternatives"]:
        confidence = first["confidence"].probability() if first.has("confidence") else 1.0
        own = [_row(pair, 2)[1].probability() for pair in first.each("word_confidence")]
        rows = [_row(row, 3) for row in first["timestamps"]]
        own = own if len(own) == len(rows) else [confidence] * len(rows)
        return [
            Heard(word.text(), mass, start.seconds(), end.seconds())
            for (word, start, end), mass in zip(rows, own, strict=True)
        ]
    return []


def _row(part: Part, length: int) -> list[Part]:
    row = list(part)
    if len(row) != length:
        raise part.error(f"a list of {length}")
    return row
