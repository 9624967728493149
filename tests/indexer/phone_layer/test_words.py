"""The likeliest words of a segment, with phones and times, from its columns."""

from dataclasses import replace

import numpy as np
import pytest

from indexer.phone_layer.sources import spoken_words
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder
from std.config import Config, PronunciationConfig
from std.store.columns import SLOT_ERROR, unpack_vocabulary


@pytest.fixture(scope="module")
def columns(network):
    networks = [
        network(
            [("hand", 0.7), ("und", 0.3)],
            [("feder", 0.6), ("leder", 0.4)],
            file="b",
            spans_ms=[(0, 300), (320, 700)],
        ),
        network([("polizei", 0.7), ("polizist", 0.3)], file="a", spans_ms=[(100, 600)]),
    ]
    inverted = invert(networks)
    config = replace(Config(), pronunciation=PronunciationConfig(language="german"))
    return replace(inverted, extra=PhoneColumnBuilder(config)(inverted))


def test_likeliest_words_come_by_recording_and_time(columns):
    first, second = spoken_words(columns)
    inventory = unpack_vocabulary(columns.extra["phone_inventory"])
    assert (first.begin_ms.tolist(), first.end_ms.tolist()) == ([100], [600])
    assert second.begin_ms.tolist() == [0, 320]
    hand = second.phones[: second.offsets[1]]
    assert "".join(inventory[p] for p in hand) == "hant"
    assert second.timed.tolist() == [True, True]


def test_words_with_estimated_times_are_marked(columns):
    errors = np.array([0, 0, 2000], np.uint32)
    columns = replace(columns, extra={**columns.extra, SLOT_ERROR: errors})
    assert [one.timed.tolist() for one in spoken_words(columns)] == [[True], [True, False]]
