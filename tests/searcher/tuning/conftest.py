import pytest

import indexer.cli
from searcher.tuning import learning

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_11"]


@pytest.fixture(scope="session")
def store(german, tmp_path_factory):
    path = tmp_path_factory.mktemp("phonetic") / "index"
    meshes = [str(german / "mesh" / f"{name}.mesh") for name in FILES]
    assert indexer.cli.main([*meshes, "--store", str(path), "--quiet"]) == 0
    return str(path)


@pytest.fixture(scope="session")
def development(german, tmp_path_factory):
    """The ECF, transcript and terms of the files that are indexed."""
    folder = tmp_path_factory.mktemp("development")
    for name in ("ecf.xml", "ref.rttm"):
        lines = (german / name).read_text().splitlines(keepends=True)
        kept = [one for one in lines if "KERSTIN" not in one or any(f in one for f in FILES)]
        (folder / name).write_text("".join(kept))
    (folder / "terms.xml").write_bytes((german / "terms.xml").read_bytes())
    return folder


@pytest.fixture
def few_words(monkeypatch):
    """A model is learned from few words: enough to compare it with another one."""
    monkeypatch.setattr(learning, "IV_WORDS", 60)
    monkeypatch.setattr(learning, "IV_PAIRS", 40)
