"""PocketSphinx's JSON, as ``pocketsphinx single`` and ``live`` print it: one line per utterance.

    {"b": 0.0, "d": 0.65, "p": 0.78, "t": "das haus", "w":
        [{"b": 0.0, "d": 0.21, "p": 0.97, "t": "das"}, ...]}

``b`` is the start and ``d`` the duration, in seconds, ``p`` the posterior, ``t`` the text. A word
may hold its phones under ``w``; they are not read. ``<s>``, ``<sil>``, ``[NOISE]`` and the like are
no words, ``and(2)`` is the word ``and``.

Source: cmusphinx/pocketsphinx ``programs/pocketsphinx_main.c`` (output_hyp, format_seg).
"""

import re

from indexer.formats.shared.json_paths import Shape, Words, declared
from indexer.formats.shared.reader import FormatReader

WORDS = Words(at="w", text="t", start="b", duration="d", confidence="p")
_OF_UTTERANCE = [
    re.compile(rb'"b"\s*:\s*\d'),
    re.compile(rb'"t"\s*:\s*"'),
    re.compile(rb'"w"\s*:\s*\['),
]


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is PocketSphinx's."""
    return all(pattern.search(head) for pattern in _OF_UTTERANCE)


READER = FormatReader(
    name="pocketsphinx-json",
    title="PocketSphinx's JSON",
    section="recognisers-and-aligners-on-your-own-machine",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=declared(Shape(words=WORDS, is_timed=True)),
    sample=(
        b'{"b": 0.0, "d": 0.65, "p": 0.78, "t": "das haus", "w": [{"b": 0.0, "d": 0.21, "p": '
        b'0.97, "t": "das"}, {"b": 0.21, "d": 0.44, "p": 0.8, "t": "haus"}]}'
    ),
    words=("das", "haus"),
    keys=("b d p t w",),
)
