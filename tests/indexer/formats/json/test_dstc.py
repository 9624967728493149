"""Call logs of the Dialog State Tracking Challenge: networks of turns."""

import math

import pytest

from std.errors import InputError
from std.values import Recording
from tests.indexer.formats.json.conftest import read, said


def cnet(word):
    return [
        {"start": 0.0, "end": 0.1, "arcs": [{"word": "!null", "score": 0.0}]},
        {"start": 0.1, "end": 0.5, "arcs": [
            {"word": word, "score": math.log(0.75)}, {"word": "!null", "score": math.log(0.25)}]},
    ]  # fmt: skip


def test_call_logs():
    turns = [
        {"output": {"transcript": "hello"}, "input": {"live": {"asr-hyps": []}}},
        {"input": {"start-time": 8.0, "batch": {"cnet": cnet("das")}}},
        {"input": {"audio-file": "a/t2.wav", "start-time": 20.0, "batch": {"cnet": cnet("haus")}}},
    ]
    first, second = read("dstc", {"session-id": "s", "turns": turns})
    assert (first.recording, said(first)) == (
        Recording("s", 1),
        [{}, {"das": (0.75, 8100, 8500)}],
    )
    assert first.epsilons.tolist() == pytest.approx([1, 0.25])
    assert (second.recording.file, said(second)[1]) == ("t2", {"haus": (0.75, 100, 500)})


def test_a_network_of_a_call_alone():
    (network,) = read("dstc", {"cnet": cnet("das")})
    assert said(network)[1] == {"das": (0.75, 100, 500)}


def test_turns_at_unknown_times_are_refused():
    turns = [{"input": {"batch": {"cnet": cnet("das")}}}] * 2
    with pytest.raises(InputError, match=r"a number at turns\[0\].input.start-time"):
        read("dstc", {"turns": turns})
