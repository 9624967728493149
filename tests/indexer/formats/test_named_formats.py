"""Every format that people name is read, with its times and speakers."""

import random
import re
from contextlib import suppress

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.repairs import Repairs
from tests.indexer.formats.named_formats import SAMPLES, WORDS
from tests.indexer.formats.test_fuzz import damaged
from tests.networks import networks_in

NEAR_MS = 30  # frames are up to 40 ms
ROUNDS = 40


@pytest.mark.parametrize("name", SAMPLES)
def test_formats(tmp_path, name):
    sample = SAMPLES[name]
    path = tmp_path / sample.file
    content = sample.content
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    repairs = Repairs()
    networks = [one for block in parse_file(path, options=ReaderOptions(repairs=repairs))
                for one in block]  # fmt: skip
    said = [
        (word.lower(), *span, network.speaker)
        for network in networks
        for word, span in zip(network.words, network.spans_ms.tolist(), strict=True)
    ][:4]
    assert {network.recording.file for network in networks} == {"talk"}
    assert [row[0] for row in said] == [word for word, _, _ in WORDS]
    assert [row[3] for row in said] == [name for name in sample.speakers for _ in range(2)]
    if sample.times == "words":
        assert [row[:3] for row in said] == WORDS
    assert [said[0][1], said[2][1]] == pytest.approx([500, 1600], abs=NEAR_MS)
    if sample.times == "rows":
        assert [said[1][2], said[3][2]] == [1400, 2800]
    assert not repairs.found


@pytest.mark.parametrize("name", SAMPLES)
def test_damage_is_an_input_error_or_less_speech(tmp_path, name):
    chance, sample = random.Random(name), SAMPLES[name]
    content = sample.content if isinstance(sample.content, bytes) else sample.content.encode()
    path = tmp_path / sample.file
    for _ in range(ROUNDS):
        path.write_bytes(damaged(content, chance))
        with suppress(InputError):
            list(parse_file(path, options=ReaderOptions(repairs=Repairs())))


IMPOSSIBLE = ("Infinity", "-5", "1e300")
WITH_EVERY_TIME = ("SBV", "LRC", "EBU-STL as text", "Whisper printed", "YouTube srv1",
                   "YouTube srv3", "Lhotse cuts", "Kaldi gstreamer")  # fmt: skip
NUMBER = re.compile(r"(?<![\w.#\"?])(?:\d+:)*\d+(?:[.,]\d+)?(?![\w#?])|(?<=\")\d[\d.]*(?=\")")


def heard(path, content):
    """The words with their times, and whether anything was repaired; None for an error."""
    path.write_text(content)
    repairs = Repairs()
    try:
        networks = networks_in(parse_file(path, options=ReaderOptions(repairs=repairs)))
        return [(one.words, one.spans_ms.tolist()) for one in networks], repairs.found
    except InputError:
        return None


@pytest.mark.parametrize("name", WITH_EVERY_TIME)
def test_an_impossible_time_is_told(tmp_path, name):
    sample = SAMPLES[name]
    path = tmp_path / sample.file
    words, told = heard(path, sample.content)
    for found in NUMBER.finditer(sample.content):
        for bad in IMPOSSIBLE:
            content = sample.content[: found.start()] + bad + sample.content[found.end() :]
            outcome = heard(path, content)
            assert outcome is None or outcome[0] == words or outcome[1] != told, content
