"""Indexes in folders, and what a reader sees of them."""

import json
from pathlib import Path

import pytest

from indexer.segments.invert import invert
from std.metadata.table import of_rows
from std.store import open_store
from std.text import Normalisation

PLAIN = Normalisation()
WORDS = [chr(97 + i) for i in range(26)]


@pytest.fixture
def speech(network):
    def columns(number: int, slots: int = 30):
        letters = [[(WORDS[i * i % 26], 0.5), (WORDS[i % 26] + "ß", 0.25)] for i in range(slots)]
        return invert([network(*letters, file=f"file{number}")])

    return columns


@pytest.fixture
def index(tmp_path, speech) -> Path:
    """An index of two segments, one of them with a deleted recording and an extra column."""
    store = open_store(str(tmp_path / "index"), create=True)
    with store.writing():
        store.commit([speech(1), speech(2)], normalisation=PLAIN)
    return tmp_path / "index"


def read_everything(path: Path) -> list:
    """What a searcher can see, as values that compare."""
    seen = []
    for segment in open_store(str(path)).segments():
        words = segment.words()
        postings = segment.postings(words)
        seen.append((segment.id, words, segment.counts().tolist()))
        seen += [[column.tolist() for column in postings[word]] for word in sorted(postings)]
        seen.append([column.tolist() for column in segment.slots([0])[:3]])
    return seen


def damage(path: Path) -> list[str]:
    return list(open_store(str(path)).damage())


def files_of(path: Path) -> list[Path]:
    return sorted(one for one in path.rglob("*") if one.is_file() and one.name != "lock")


def described(index: Path, rows: dict) -> Path:
    """The file of the metadata of an index that gets them."""
    store = open_store(str(index))
    with store.writing():
        store.commit(normalisation=PLAIN, metadata=of_rows(rows))
    manifest = json.loads((index / "manifest.json").read_text())
    return index / "metadata" / f"{manifest.get('metadata')}.json"
