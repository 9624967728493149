"""Phonetic search without espeak-ng: our own rules pronounce, and phones are never mixed."""

from importlib.util import find_spec

import pytest

import std.phonetics.g2p
from indexer import index_files
from indexer.cli import main as std_index
from indexer.store_cli import main as std_store
from searcher import open_index

NETWORKS = "examples/german/mesh"
ONE, REST = f"{NETWORKS}/KERSTIN_00.mesh", f"{NETWORKS}/KERSTIN_01.mesh"


@pytest.fixture
def espeak(monkeypatch):
    """Take espeak-ng away, and bring it back."""

    def installed(*, there):
        monkeypatch.setattr(
            std.phonetics.g2p,
            "find_spec",
            lambda name: find_spec(name) if there or name != "espeakng_loader" else None,
        )

    installed(there=False)
    return installed


def pronouncers(store):
    return {bytes(one.extra("phone_maker")).decode() for one in open_index(store).segments}


def best_hit(store):
    return max(open_index(store).search("hahnenfedern"), key=lambda hit: hit.probability)


@pytest.mark.usefixtures("espeak")
def test_an_unknown_word_is_found_and_the_pronouncer_is_named(tmp_path, capsys):
    store = str(tmp_path / "index")
    assert std_index([NETWORKS, "--store", store]) == 0
    told = capsys.readouterr().err
    assert "language de (rules-1:de): 15 recordings" in told
    assert "espeak-ng is better at names and foreign words: pip install" in told
    assert std_store(["verify", store]) == 0
    assert "rules-1:de are this package's own rules" in capsys.readouterr().err
    hit = best_hit(store)
    assert (hit.file, hit.start_s) == ("KERSTIN_00", pytest.approx(10.45, abs=0.1))
    assert hit.probability > 0.5


@pytest.mark.skipif(find_spec("espeakng_loader") is None, reason="espeak-ng is not installed")
def test_an_index_keeps_its_pronouncer_until_another_one_adds_to_it(tmp_path, espeak):
    store = str(tmp_path / "index")
    index_files(ONE, store, language="de")
    espeak(there=True)
    assert best_hit(store).file == "KERSTIN_00"  # searched by the rules
    assert pronouncers(store) == {"rules-1:de"}
    index_files(REST, store, language="de")
    assert pronouncers(store) == {"espeak-ng:de"}  # all segments, so that they compare
    espeak(there=False)
    index_files(ONE, store, language="de", delete=["KERSTIN_00"])
    assert pronouncers(store) == {"rules-1:de"}
    assert {one.recording.file for one in open_index(store).recordings()} == {
        "KERSTIN_00",
        "KERSTIN_01",
    }
