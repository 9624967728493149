"""Frames of recordings join their words in an index, and stay through all that becomes of it."""

import json
import uuid
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from indexer import (
    delete_recordings,
    index_files,
    merge_segments,
    rename_recording,
    sync_folder,
)
from indexer.cli import main as index
from indexer.segments.merge import merged
from indexer.segments.sound import alone, sound_size
from std.errors import InputError, StoreError
from std.sound import files
from std.sound.columns import Encoder, SegmentSound, Sound, segment_sound, signs
from std.store import open_store
from std.store.resident import ResidentSegment
from std.store.speakers import Speakers
from std.values import Recording

EAR, OTHER = Encoder("whisper", "aa"), Encoder("whisper", "bb")
KINDS = ["memory", "folder", pytest.param("couchdb", marks=pytest.mark.couchdb)]


def random_signs(seed, length=5):
    return np.random.default_rng(seed).integers(0, 256, (length, 32)).astype(np.uint8)


def write_sound(folder, file, stored, channel=1, encoder=EAR, **clock):
    sound = Sound(Recording(file, channel), encoder, stored, **clock)
    path = folder / files.sound_name(sound.recording)
    path.write_bytes(files.header(sound) + stored.tobytes())
    return path


def write_words(folder, file, channels=(1,)):
    def line(channel, word):
        slot = {"s": 0.1, "e": 0.5, "eps": 0.1, "w": [[word, 0.9, 0.1, 0.5]]}
        return {"utt": f"{file}-{channel}", "file": file, "channel": channel, "start": 0.0,
                "end": 1.0, "language": "en", "slots": [slot]}  # fmt: skip

    path = folder / f"{file}.jsonl"
    path.write_text("".join(json.dumps(line(one, f"hello{file}")) + "\n" for one in channels))
    return path


@pytest.fixture
def networks(tmp_path):
    """Words of a and b, sound of a, b and c."""
    folder = tmp_path / "networks"
    folder.mkdir()
    for seed, file in enumerate("abc"):
        if file != "c":
            write_words(folder, file)
        write_sound(folder, file, random_signs(seed, 5 + seed))
    return folder


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    if request.param == "memory":
        return f"memory:{uuid.uuid4().hex}"
    return str(
        tmp_path / "i" if request.param == "folder" else request.getfixturevalue("couchdb_url")
    )


def heard(url):
    """The signs of each live recording of an index."""
    found = {}
    with closing(open_store(str(url))) as store:
        assert not [*store.damage()]
        for segment in store.segments():
            sound = segment_sound(segment)
            for row, one in enumerate(segment.recordings):
                if sound is not None and row not in segment.deleted:
                    part = sound.signs[sound.offsets[row] : sound.offsets[row + 1]]
                    if len(part):
                        found[one.recording] = np.array(part).view(np.uint8).reshape(-1, 32)
    return found


def same(found, wanted):
    assert found.keys() == wanted.keys()
    for key, part in wanted.items():
        np.testing.assert_array_equal(found[key], part)


ALL = {Recording(file, 1): random_signs(seed, 5 + seed) for seed, file in enumerate("abc")}


def test_sound_is_in_every_kind_of_store(networks, url):
    report = index_files(networks, url, language="en")
    assert report.with_sound == tuple(ALL)
    assert not report.wordless
    same(heard(url), ALL)
    merge_segments(url)
    same(heard(url), ALL)
    rename_recording("a", "x", url)
    delete_recordings(["b"], url)
    merge_segments(url)
    same(heard(url), {Recording("x", 1): ALL["a", 1], Recording("c", 1): ALL["c", 1]})


def test_a_folder_with_sound_is_kept_up_with(networks, tmp_path):
    store = tmp_path / "index"

    def sync():
        done = sync_folder(networks, store, language="en")
        assert not done.report.failures
        assert not done.report.warnings
        return [one.path.name for one in done.changes.inputs]

    assert sync() == ["a.jsonl", "b.jsonl", "c.sound"]
    assert sync() == []
    same(heard(store), ALL)
    rename_recording("a", "renamed", store)
    write_sound(networks, "a", ALL[Recording("b", 1)])
    write_words(networks, "c")  # its sound is already there
    assert sync() == ["a.jsonl", "c.jsonl"]
    assert sync() == []
    found = heard(store)
    assert found.keys() == {Recording(file, 1) for file in ("renamed", "b", "c")}
    np.testing.assert_array_equal(found[Recording("renamed", 1)], ALL[Recording("b", 1)])
    (networks / "b.sound").unlink()
    assert sync() == ["b.jsonl"]
    assert Recording("b", 1) not in heard(store)


def test_words_of_a_recording_with_sound_only_are_taken_alone(networks, tmp_path):
    store = tmp_path / "index"
    index_files([networks / "a.sound"], store)
    report = index_files([networks / "a.jsonl"], store, language="en")
    assert not report.warnings
    same(heard(store), {Recording("a", 1): ALL[Recording("a", 1)]})


def test_recordings_of_two_languages_keep_their_sound(networks, tmp_path):
    text = (networks / "b.jsonl").read_text().replace('"en"', '"de"')
    (networks / "b.jsonl").write_text(text)
    index_files(networks, tmp_path / "i")
    same(heard(tmp_path / "i"), ALL)


def test_metadata_that_name_another_language_keep_the_sound_and_speakers(networks, tmp_path):
    line = json.loads((networks / "a.jsonl").read_text())
    (networks / "a.jsonl").write_text(json.dumps({**line, "speaker": "Anna"}) + "\n")
    index_files(networks, tmp_path / "i")
    table = tmp_path / "metadata.csv"
    table.write_text("file,language\na,de\nb,de\nc,de\n")
    report = index_files((), tmp_path / "i", metadata=table)
    assert report.described.pronounced_again
    same(heard(tmp_path / "i"), ALL)
    with closing(open_store(str(tmp_path / "i"))) as store:
        assert "Anna" in {name for one in store.segments() for name in Speakers.of(one).names}


def test_an_index_without_sound_is_as_before(networks, tmp_path):
    for path in networks.glob("*.sound"):
        path.unlink()
    report = index_files(networks, tmp_path / "i", language="en")
    assert not report.with_sound
    with closing(open_store(str(tmp_path / "i"))) as store:
        (segment,) = store.segments()
        assert not [name for name in segment.columns().extra if "sound" in name]
        assert sound_size(segment) == 0


def test_indexed_again_sound_joins_the_words(networks, tmp_path):
    paths = [*networks.glob("*.sound")]
    aside = tmp_path / "aside"
    aside.mkdir()
    for path in paths:
        path.rename(aside / path.name)
    index_files(networks, tmp_path / "i", language="en")
    assert not heard(tmp_path / "i")
    index_files(networks, tmp_path / "i", language="en", sound=aside)
    same(heard(tmp_path / "i"), {key: part for key, part in ALL.items() if key.file != "c"})


def test_sound_among_the_inputs_joins_the_words_of_another_folder(networks, tmp_path):
    aside = tmp_path / "aside"
    aside.mkdir()
    for path in [*networks.glob("*.sound")]:
        path.rename(aside / path.name)
    index_files([networks, aside], tmp_path / "i", language="en")
    same(heard(tmp_path / "i"), ALL)


def test_channels_have_a_file_each(tmp_path):
    write_words(tmp_path, "a", (1, 2))
    write_sound(tmp_path, "a", random_signs(1))
    write_sound(tmp_path, "a", random_signs(2, 9), channel=2)
    for file in ("one", "two"):  # also without words
        below = tmp_path / file
        below.mkdir()
        write_sound(below, file, random_signs(3))
        write_sound(below, file, random_signs(4), channel=2)
    index_files(tmp_path, tmp_path.parent / "i")
    assert heard(tmp_path.parent / "i").keys() == {
        Recording(file, channel) for file in ("a", "one", "two") for channel in (1, 2)
    }


def test_a_folder_of_sound_alone_is_one_of_std_recognise(tmp_path):
    write_sound(tmp_path, "a", random_signs(1))
    (tmp_path / "sound.json").write_text("{}")
    (tmp_path / "ecf.xml").write_text('<ecf source_signal_duration="1" language="" version=""/>')
    report = index_files(tmp_path, tmp_path / "i")
    assert (report.with_sound, report.utterances) == ((Recording("a", 1),), 0)


def test_exact_frames_become_signs(tmp_path):
    exact = np.random.default_rng(1).standard_normal((6, 8)).astype(np.float16)
    write_sound(tmp_path, "a", exact)
    index_files(tmp_path, tmp_path / "i")
    same(heard(tmp_path / "i"), {Recording("a", 1): signs(exact.astype(np.float32))})


@pytest.mark.parametrize("first", [True, False])
def test_frames_of_two_encoders_are_refused(networks, tmp_path, first):
    if first:
        index_files(networks, tmp_path / "i")
    write_sound(networks, "c", random_signs(1), encoder=OTHER)
    with pytest.raises(InputError, match="index's encoder"):
        index_files(networks, tmp_path / "i")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"recording": Recording("b", 1)}, "the sound of a"),
        ({"frame_ms": 10}, "frames of 20 ms"),
        ({"start_ms": -1}, "start_ms"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(networks, tmp_path, capsys, change, message):
    sound = replace(Sound(Recording("a", 1), EAR, random_signs(1)), **change)
    path = networks / "a.sound"
    path.write_bytes(files.header(sound) + sound.stored.tobytes())
    assert index([str(networks), "--store", str(tmp_path / "i")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert str(path) in line


def test_sound_alone_does_not_take_the_place_of_words(networks, tmp_path):
    index_files(networks, tmp_path / "i")
    with pytest.raises(InputError, match="than what the index has from"):
        index_files(networks / "a.sound", tmp_path / "i")


def test_words_join_sound_that_was_alone(networks, tmp_path):
    index_files(networks, tmp_path / "i")
    write_words(networks, "c")
    report = index_files(networks, tmp_path / "i")
    assert report.utterances == 3
    same(heard(tmp_path / "i"), ALL)


def test_segments_of_two_encoders_are_not_merged(tmp_path):
    parts = [
        ResidentSegment(None, alone(write_sound(tmp_path, file, random_signs(1), encoder=one), "-"))
        for file, one in (("a", EAR), ("b", OTHER))
    ]
    with pytest.raises(StoreError, match="one encoder"):
        merged(parts)


@pytest.mark.parametrize("missing", ["sound_encoder", "sound_offsets", "sound_start_ms"])
def test_columns_that_do_not_fit_are_damage(missing):
    sound = SegmentSound.of([Sound(Recording("a", 1), EAR, random_signs(1))])
    columns = sound.columns()
    assert SegmentSound.read(columns).encoder == EAR
    with pytest.raises(StoreError, match=r"offsets|begins"):
        SegmentSound.read({**columns, "sound_offsets": np.array([0, 9])})
    del columns[missing]
    with pytest.raises(StoreError, match=missing):
        SegmentSound.read(columns)


def test_a_channel_of_sound_alone_stays_where_that_of_another_is_gone(tmp_path):
    folder, store = tmp_path / "in", tmp_path / "i"
    folder.mkdir()
    for channel in (1, 2):
        write_sound(folder, "call", random_signs(channel), channel)
    sync_folder(folder, store)
    assert sync_folder(folder, store).changes.line() == "no changes; 2 files as before"
    (folder / "call.ch2.sound").unlink()
    done = sync_folder(folder, store)
    assert done.changes.line() == "1 changed; 0 files as before"
    assert done.report.lost_sound == (Recording("call", 2),)
    same(heard(store), {Recording("call", 1): random_signs(1)})
    write_sound(folder, "call", random_signs(4), 2)
    assert sync_folder(folder, store).changes.line() == "2 changed; 0 files as before"
    same(heard(store), {Recording("call", n): random_signs(seed) for n, seed in ((1, 1), (2, 4))})
    (folder / "call.ch2.sound").unlink()
    sync_folder(folder, store)
    (folder / "call.sound").unlink()
    write_sound(folder, "other", random_signs(3))
    assert sync_folder(folder, store).changes.gone == ("call",)


@pytest.mark.parametrize("words", [(), (1,), (2,), (1, 2)])
def test_no_channel_of_sound_leaves_without_a_word(tmp_path, words):
    """A recording's sound is replaced as a whole, as its words are."""
    first, second = (write_sound(tmp_path, "call", random_signs(one), one) for one in (1, 2))
    every, store = {Recording("call", one): random_signs(one) for one in (1, 2)}, tmp_path / "i"
    given = [write_words(tmp_path, "call", words)] if words else [first, second]
    for inputs in ([first, second], given, [*given, first, second]):
        assert not index_files(inputs, store, language="en").lost_sound_lines
        same(heard(store), every)
    rename_recording("call", "x", store)
    index_files([*given, first, second], store)
    assert [one.file for one in heard(store)] == ["x", "x"]
    if words:
        second.unlink()
    report = index_files(given if words else first, store, language="en")
    assert report.lost_sound == (Recording("x", 2),)
    assert "gone (x (2))" in "".join(report.lost_sound_lines)


def test_sound_does_not_take_the_place_of_other_sound_or_of_words_that_are_broken(tmp_path):
    store, paths = tmp_path / "i", [write_sound(tmp_path, "a", random_signs(1), n) for n in (1, 2)]
    index_files(paths[0], store)
    with pytest.raises(InputError, match="together with the others of this recording"):
        index_files(paths[1], store)
    (tmp_path / "other").mkdir()
    twice = write_sound(tmp_path / "other", "a", random_signs(2))
    with pytest.raises(InputError, match="sound of another recording than that of"):
        index_files([*paths, twice], tmp_path / "j")
    words = write_words(tmp_path, "a")
    assert index_files([*paths, words], store).utterances == 1
    words.write_text("{")
    report = index_files([*paths, words], store, keep_going=True)
    assert (len(report.failures), report.inputs) == (3, ())
