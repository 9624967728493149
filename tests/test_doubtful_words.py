"""What a recogniser wrote as its only choice is shown, however unsure it was."""

import json

import pytest

from indexer import index_files
from indexer.formats.readers import jsonl
from searcher import open_index

WORDS = ["my", "cousin", "moved", "to", "Ljubljana", "last", "spring"]


@pytest.fixture
def one_best(tmp_path):
    words = [
        {"word": f" {w}", "start": i, "end": i + 0.9, "probability": 0.38 if w[0] == "L" else 0.95}
        for i, w in enumerate(WORDS)
    ]
    text = " ".join(WORDS)
    segment = {"id": 0, "start": 0, "end": 7, "text": f" {text}", "words": words}
    path = tmp_path / "low.json"
    path.write_text(json.dumps({"text": "", "language": "en", "segments": [segment]}))
    return path


def test_a_doubtful_word_is_shown_and_marked(one_best, tmp_path):
    index_files([one_best], tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        (hit,) = index.search("spring")
        assert " ".join(hit.context) == "moved to ljubljana? last spring "
        found = index.words("low", 0, 9)
        assert [word.word for word in found] == [word.lower() for word in WORDS]
        assert [word.word for word in found if word.is_doubtful] == ["ljubljana"]


def test_a_network_may_say_that_nothing_was_said(network, tmp_path):
    path = tmp_path / "in.jsonl"
    slots = [[("yes", 0.9), ("yet", 0.1)], [("uh", 0.3)], [("sir", 1.0)]]
    with path.open("wb") as stream:
        jsonl.dump([network(*slots, file="net")], stream)
    index_files([path], tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        assert [word.word for word in index.words("net", 0, 99)] == ["yes", "sir"]
