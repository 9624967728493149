"""What the modules beside this one share: readers, and what most of their documents say.

The words are invented, the shapes were met in the wild. Each document says "das haus" as
tests/data/asr/json does, unless it is about something else.
"""

import io
import json

import pytest

from indexer.formats.detect import detect
from indexer.formats.registry import FORMATS
from indexer.formats.shared.reader import DEFAULT
from std.errors import InputError
from tests.networks import networks_in

DAS_HAUS = [{"das": (0.97, 0, 210)}, {"haus": (0.8, 210, 650)}]
SURE = [{"das": (1, 0, 210)}, {"haus": (1, 210, 650)}]
PLAIN = [{"das": (0.97, 0, 200)}, {"haus": (0.8, 200, 400)}]


def read(name, value, options=DEFAULT):
    """Networks of a document, of several in a row or of a file's bytes.

    They must be recognised as a format's.
    """
    ones = value if isinstance(value, tuple) else (value,)
    content = value if isinstance(value, bytes) else "\n".join(map(json.dumps, ones)).encode()
    assert detect(content, "news.json") == name
    return list(networks_in(FORMATS[name].parse(io.BytesIO(content), "news.json", options)))


def said(network):
    """Per slot: posterior, start and end of each word."""
    return [
        {a.word.lower(): (round(a.posterior, 4), a.start_ms, a.end_ms) for a in slot.alternatives}
        for slot in network
    ]


def words(networks):
    return [" ".join(network.words) for network in networks]


def channels(networks):
    return [(" ".join(network.words), network.recording.channel) for network in networks]


def refusal(name, value):
    with pytest.raises(InputError) as caught:
        read(name, value)
    return caught.value
