"""Captions, tables and annotations: every sample says "Das Haus", each in its own way."""

import pytest

from indexer.formats.detect import detect
from std.values import Recording
from tests.indexer.formats.captions.conftest import CAPTIONS, SAMPLES, read, times

TIMED = {"rolls_up.vtt", "words.ttml", "long.TextGrid", "words.csv", "words.tei"}


def test_there_are_samples_of_all_and_no_others():
    assert {path.name for path in CAPTIONS.iterdir()} == {*SAMPLES, "README.md"}


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_is_recognised_and_read(name):
    assert detect((CAPTIONS / name).read_bytes(), name) == SAMPLES[name]
    first = read(name)[0]
    assert [word.lower() for word in first.words[:2]] == ["das", "haus"]
    assert first.recording == Recording(name.rpartition(".")[0], 1)
    # three and four letters share 650 ms: 650 * 3 / 7 = 278.6
    expected = [(0, 210), (210, 650)] if name in TIMED else [(0, 279), (279, 650)]
    assert times(first)[:2] == expected
    assert first.times_estimated == (name not in TIMED)
    errors = [0, 0] if name in TIMED else [650, 650]
    assert first.slot_errors_ms.tolist()[:2] == errors
