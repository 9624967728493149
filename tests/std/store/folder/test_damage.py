"""Damage on disk: bytes changed, cut off, lost or forged are named, and nothing is misread."""

import json
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from std.errors import StoreError
from std.store import open_store
from std.store.manifest import digest_of
from tests.std.store.folder.conftest import (
    PLAIN,
    damage,
    files_of,
    read_everything,
)


def test_a_sound_index_has_no_damage(index):
    assert damage(index) == []


def means(manifest: bytes):
    with suppress(ValueError):
        return json.loads(manifest)


flips = st.tuples(st.integers(0, 18), st.integers(0), st.integers(1, 255))


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(flips)
def test_a_flipped_byte(index, flip):
    """A reader finds what was committed, or an error, or what only reading everything shows;
    `damage` names the file.
    """
    which, where, bits = flip
    path = files_of(index)[which]
    whole = path.read_bytes()
    broken = bytearray(whole)
    broken[where % len(broken)] ^= bits
    path.write_bytes(broken)
    try:
        with suppress(StoreError):
            read_everything(index)
        if path.name == "manifest.json" and means(broken) == means(whole):
            assert damage(index) == []  # another blank
        elif path.name == "manifest.json":
            with pytest.raises(StoreError, match=r"manifest\.json"):
                damage(index)
        else:
            assert damage(index) == [
                f"{path}: expected the file that was committed, got another checksum"
            ]
    finally:
        path.write_bytes(whole)
    assert damage(index) == []


@settings(
    deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 18), st.integers(0))
def test_a_truncated_file(index, which, length):
    path = files_of(index)[which]
    whole = path.read_bytes()
    path.write_bytes(whole[: length % len(whole)])
    with pytest.raises(StoreError, match=r"manifest\.json|expected \d+ bytes, got \d+"):
        read_everything(index)
    path.write_bytes(whole)


def test_a_lost_file(index):
    path = files_of(index)[3]
    path.unlink()
    with pytest.raises(StoreError, match="expected a column of this index, got no file"):
        read_everything(index)
    assert damage(index) == [
        f"{path}: expected the file that was committed, got No such file or directory"
    ]


def test_damage_is_mended_by_indexing_again(index, speech):
    before = read_everything(index)
    path = files_of(index)[3]
    path.write_bytes(path.read_bytes()[::-1])
    store = open_store(str(index))
    with store.writing():
        store.commit([speech(1), speech(2)], normalisation=PLAIN)
    assert read_everything(index) == before
    assert damage(index) == []


def forged(index: Path, change) -> None:
    """Change the manifest as somebody would who knows how to compute its digest."""
    path = index / "manifest.json"
    document = json.loads(path.read_text())
    del document["digest"]
    change(document)
    path.write_text(json.dumps(document | {"digest": digest_of(document)}))


SEGMENT_LIES = [
    ("id", "../../../../etc"),
    ("id", 7),
    ("postings", -1),
    ("postings", "many"),
    ("recordings", [["x"]]),
    ("recordings", [[7, 1, 0, 0, False]]),
    ("recordings", [["x", True, 0, 0, False]]),
    ("recordings", [["x", 1, 10**400, 0, False]]),
    ("deleted", [1]),
    ("deleted", [-1]),
    ("files", None),
    ("files", []),
    ("files", {}),
    ("files", {"../../manifest": {}}),
    ("files", {"vocabulary": {}}),
]


@pytest.mark.parametrize(("key", "value"), SEGMENT_LIES, ids=str)
def test_a_forged_segment(index, key, value):
    forged(index, lambda document: document["segments"][0].update({key: value}))
    with pytest.raises(StoreError):
        read_everything(index)


def test_a_forged_normalisation(index):
    forged(index, lambda document: document["normalisation"].update(unicode_form="XXX"))
    with pytest.raises(StoreError, match=r"text\.unicode_form is 'XXX'"):
        open_store(str(index))


COLUMN_LIES = [
    ("dtype", "|O"),
    ("dtype", "nonsense"),
    ("dtype", "<f8"),
    ("shape", [10**12]),
    ("shape", [-1]),
    ("shape", [2**63]),
    ("shape", "x"),
    ("bytes", 0),
]


@pytest.mark.parametrize(("key", "value"), COLUMN_LIES, ids=str)
@pytest.mark.parametrize("column", ["vocabulary", "posting_start_ms"])
def test_a_forged_column(index, column, key, value):
    forged(index, lambda d: d["segments"][0]["files"][column].update({key: value}))
    with pytest.raises(StoreError):
        read_everything(index)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "7", "{}", "[" * 100_000, '{"format": "zip"}', '{"format": "std-index"}', "\x00"],
)
def test_what_is_no_manifest(index, text):
    (index / "manifest.json").write_text(text)
    with pytest.raises(StoreError, match=r"manifest\.json: expected") as caught:
        open_store(str(index))
    assert "Error(" not in str(caught.value)  # no word of Python


@pytest.mark.parametrize(
    ("version", "advice"),
    [(99, "99; a newer std made it"), (1, "1; index the recordings again"), ("3", "'3'; index")],
)
def test_another_version_says_what_to_do(index, version, advice):
    forged(index, lambda document: document.update(version=version))
    with pytest.raises(StoreError, match=f"expected index version 2 to 5, got {advice}"):
        open_store(str(index))


def test_columns_that_lie_are_not_followed(index, speech):
    """A writer with a fault, not a damaged disk: all checksums are right."""
    columns = speech(3)
    bad = {
        "posting_slot": columns.posting_slot + 1000,
        "slot_word": columns.slot_word + 1000,
        "slot_key": columns.slot_key + np.uint64(7 << 32),
        "vocabulary": np.full(len(columns.vocabulary), 255, np.uint8),
        "posting_posterior": np.full_like(columns.posting_posterior, np.inf),
    }
    for name, column in bad.items():
        store = open_store(str(index))
        with store.writing():
            live = [one.id for one in store.segments()]
            kept = {f: getattr(columns, f) for f in columns.__slots__}
            store.commit(
                [type(columns)(**kept | {name: column})], normalisation=PLAIN, replace=live
            )
        with pytest.raises(StoreError, match="segment"):
            read_everything(index)
        assert damage(index)
