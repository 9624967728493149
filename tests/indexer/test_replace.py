"""std-index --replace: a recording leaves the index once its new version is in it."""

import pytest

from indexer import correct_recording, index_files, list_corrections, list_recordings
from indexer.cli import main
from std.errors import InputError
from std.metadata.table import of_rows


def captions(path, said):
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"1\n00:00:01,000 --> 00:00:04,000\n{said}\n")
    return path


@pytest.fixture
def store(tmp_path):
    """An index of a recording with a title and a correction."""
    store = tmp_path / "index"
    title = of_rows({"a": {"title": "A"}})
    index_files(captions(tmp_path / "old" / "a.srt", "eins zwei"), store, metadata=title)
    correct_recording("a", store, words="drei", at_s=3.5)
    return store


def held(store):
    return {
        one.about.recording.file: (one.words, dict(one.about.metadata).get("title"))
        for one in list_recordings(store)
    }


def broken(tmp_path):
    path = tmp_path / "new" / "a.ctm"
    path.parent.mkdir(exist_ok=True)
    path.write_text("a 1 0.0 0.5 vier 0.9\na 1 x 0.5 fünf 0.9\n")
    return path


def test_a_file_that_cannot_be_read_replaces_nothing(tmp_path, store):
    with pytest.raises(InputError):
        index_files(broken(tmp_path), store, delete=["a"])
    assert held(store) == {"a": (2, "A")}
    assert len(list_corrections(store)) == 1


def test_going_on_after_such_a_file_says_what_stays(tmp_path, store, capsys):
    other = captions(tmp_path / "new" / "b.srt", "sechs")
    given = [str(broken(tmp_path)), str(other), "--store", str(store), "--replace", "a"]
    assert main([*given, "--keep-going"]) == 2
    assert "a stays in the index, as an input could not be read" in capsys.readouterr().err
    assert held(store) == {"a": (2, "A"), "b": (1, None)}


def test_title_and_corrections_are_those_of_the_new_version(tmp_path, store, capsys):
    new = captions(tmp_path / "new" / "a.srt", "eins zwei sieben")
    assert main([str(new), "--store", str(store), "--replace", "a"]) == 0
    assert f"1 file taken out of {store}\n" in capsys.readouterr().err
    assert held(store) == {"a": (3, "A")}
    assert list_recordings(store)[0].about.inputs == (str(new),)


def test_a_new_version_may_have_another_name(tmp_path, store):
    new = captions(tmp_path / "new" / "b.srt", "eins zwei sieben")
    assert index_files(new, store, delete=["a"]).deleted == 1
    assert held(store) == {"b": (3, None)}


def test_a_name_that_the_index_lacks_is_refused_before_anything_is_written(tmp_path, store):
    new = captions(tmp_path / "new" / "b.srt", "acht")
    with pytest.raises(InputError, match="name of an indexed audio file"):
        index_files(new, store, delete=["a", "c"])
    assert held(store) == {"a": (2, "A")}
