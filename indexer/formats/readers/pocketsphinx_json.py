"""PocketSphinx's JSON, as ``pocketsphinx single`` and ``live`` print it: one line per utterance.

    {"b": 0.0, "d": 0.65, "p": 0.78, "t": "das haus", "w":
        [{"b": 0.0, "d": 0.21, "p": 0.97, "t": "das"}, ...]}

``b`` is when it begins and ``d`` how long it lasts, in seconds, ``p`` the posterior, ``t`` the
text. A word may hold its phones under ``w``; they are not read. ``<s>``, ``<sil>``, ``[NOISE]`` and
the like are no words, ``and(2)`` is the word ``and``.

Source: cmusphinx/pocketsphinx ``programs/pocketsphinx_main.c`` (output_hyp, format_seg).
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.numbered import NumberedUtterances, Span
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

_OF_UTTERANCE = [
    re.compile(rb'"b"\s*:\s*\d'),
    re.compile(rb'"t"\s*:\s*"'),
    re.compile(rb'"w"\s*:\s*\['),
]


def looks_like(head: bytes) -> bool:
    """Tell whether JSON that begins like this is PocketSphinx's."""
    return all(pattern.search(head) for pattern in _OF_UTTERANCE)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is no JSON, or not PocketSphinx's.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        words = [_word(word) for word in document["w"]]
        utterances.add(document.line, recording, words, _span(document))
    yield utterances.collected()


def _word(word: Part) -> HypothesisWord:
    return HypothesisWord(word["t"].text(), word["p"].probability(), *_span(word))


def _span(part: Part) -> Span:
    start = part["b"].seconds()
    return Span(start, start + part["d"].seconds())


READER = FormatReader(
    name="pocketsphinx-json",
    title="PocketSphinx's JSON",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"b": 0.0, "d": 0.65, "p": 0.78, "t": "das haus", "w": [{"b": 0.0, "d": 0.21, "p": '
        b'0.97, "t": "das"}, {"b": 0.21, "d": 0.44, "p": 0.8, "t": "haus"}]}'
    ),
    words=("das", "haus"),
    keys=("b d p t w",),
)
