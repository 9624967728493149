"""An index whose recordings have sound: phones are learned, kept, merged and learned again."""

import json
import shutil

import numpy as np
import pytest

from indexer import (
    delete_recordings,
    index_files,
    list_recordings,
    merge_segments,
    relink_inputs,
    rename_recording,
    verify_index,
)
from indexer.phone_layer import index_phones
from indexer.phone_layer.slots import layer_kept
from indexer.phone_layer.sources import spoken_words
from std.store import open_store
from std.store.columns import unpack_vocabulary
from std.store.heard import HeardSlots, gathered
from tests.heard_sound import MESHES, inputs, learned, sounds_of, with_files, write_sound

pytestmark = pytest.mark.slow


def segments(store):
    return open_store(str(store)).segments()


def heard_in(store):
    """Of each recording its slots, as bytes; None where nobody heard phones."""
    found = {}
    for segment in segments(store):
        heard = HeardSlots.read(segment.columns().extra)
        for row, one in enumerate(segment.recordings):
            if row not in segment.deleted:
                slots = gathered([heard], [(0, row)]) if heard and heard.is_heard[row] else None
                found[one.recording.file] = slots and slots.frames.tobytes() + slots.cost.tobytes()
    return found


def layers_in(store):
    return {
        layer_kept(by)[1]
        for segment in segments(store)
        if (heard := HeardSlots.read(segment.columns().extra))
        for by in heard.by
    }


@pytest.fixture(scope="module")
def indexes(made_once):
    """Indexes of the first two, four and five recordings, named so."""
    return made_once("learned", learned)


@pytest.fixture(scope="module")
def sounds(indexes):
    """Frames of the words of the example, as an encoder would hear them."""
    return sounds_of(indexes)


@pytest.fixture
def folder(tmp_path, sounds):
    return with_files(tmp_path, sounds)


@pytest.fixture
def indexed(folder, indexes):
    """Copies the index of the first recordings."""
    return lambda n: shutil.copytree(indexes / str(n), folder / "INDEX")


def test_phones_are_heard_where_sound_lies_beside_the_input(folder):
    store = folder / "INDEX"
    report = index_files(inputs(folder), store, language="German")
    (heard,) = report.heard
    assert (heard.recordings, heard.learned, heard.pronouncer) == (5, True, "espeak-ng:de")
    assert heard.right > 0.8
    assert heard.line().startswith("phones heard in 5 recordings (learned now: ")
    assert all(heard_in(store).values())
    assert {one.heard for one in list_recordings(store)} == {round(heard.right, 4)}
    (check,) = verify_index(store)
    assert check.damage == ()


def test_what_is_heard_is_what_was_said(indexes):
    """The likeliest phones of the slots are mostly those of the words."""
    (segment,) = segments(indexes / "5")
    columns = segment.columns()
    heard, inventory = (
        HeardSlots.read(columns.extra),
        unpack_vocabulary(columns.extra["phone_inventory"]),
    )
    begins = np.concatenate([[0], np.cumsum(heard.alternatives, dtype=int)])[:-1]
    first = [heard.tokens[token] for token in heard.token[begins[: heard.offsets[1]]]]
    said = [inventory[phone] for phone in spoken_words(columns)[0].phones]
    found = [phone for phone in first if phone != "_"]
    assert len(set(found)) > 20
    assert abs(len(found) - len(said)) < 0.1 * len(said)


def test_a_layer_has_the_phones_of_the_words_it_learned_from(indexes):
    """Those of other words would fit a little everywhere."""
    (segment,) = segments(indexes / "5")
    columns = segment.columns()
    inventory = unpack_vocabulary(columns.extra["phone_inventory"])
    said = {inventory[phone] for words in spoken_words(columns) for phone in words.phones}
    heard = HeardSlots.read(columns.extra)
    assert {*heard.tokens} == {"_", *said}


def test_an_index_without_sound_is_as_it_was(folder):
    for path in folder.glob("*.sound"):
        path.unlink()
    index_files(inputs(folder), folder / "PLAIN", language="German", learn_phones=False)
    report = index_files(inputs(folder), folder / "INDEX", language="German")
    assert report.heard == ()
    assert [one.id for one in segments(folder / "INDEX")] == [
        one.id for one in segments(folder / "PLAIN")
    ]


def test_no_phones_are_recognised_if_nobody_wants_them(folder):
    report = index_files(inputs(folder), folder / "INDEX", language="German", learn_phones=False)
    assert report.heard == ()
    assert not any(heard_in(folder / "INDEX").values())


def test_slots_stay_when_segments_are_merged_and_recordings_leave(folder, indexed):
    store, files = indexed(4), inputs(folder)
    before = heard_in(store)
    index_files(files[4:], store, language="German")
    merge_segments(store)
    assert {file: heard_in(store)[file] for file in before} == before
    gone = MESHES[0].stem
    delete_recordings([gone], store)
    merge_segments(store)
    after = heard_in(store)
    assert gone not in after
    assert all(after[file] == before[file] for file in before if file != gone)
    assert [check.damage for check in verify_index(store)] == [()]


def test_a_recording_that_is_added_is_heard_by_the_layer_before(folder, indexed):
    store, files = indexed(4), inputs(folder)
    (learned_from,) = layers_in(store)
    report = index_files(files[4:], store, language="German")
    assert [(one.learned, one.recordings) for one in report.heard] == [(False, 1)]
    assert layers_in(store) == {learned_from}
    assert all(heard_in(store).values())


def test_a_layer_is_learned_again_when_there_is_twice_the_sound(folder, indexed):
    store, files = indexed(2), inputs(folder)
    report = index_files(files[2:], store, language="German")
    assert [(one.learned, one.recordings) for one in report.heard] == [(True, 5)]
    (learned_from,) = layers_in(store)
    assert len(learned_from.recordings) == 5


def test_a_layer_that_could_be_learned_from_no_more_stays(folder, indexed, monkeypatch):
    """Else every run of std-index would recognise the phones of a large archive again."""
    store, files = indexed(4), inputs(folder)
    (learned_from,) = layers_in(store)
    monkeypatch.setattr(index_phones, "TRAINING_FRAMES", learned_from.frames)
    report = index_files(files[4:], store, language="German")
    assert [(one.learned, one.recordings) for one in report.heard] == [(False, 1)]
    assert layers_in(store) == {learned_from}


def test_a_recording_that_is_indexed_again_is_heard_by_no_layer_that_it_taught(folder, indexed):
    store, files = indexed(5), inputs(folder)
    relink_inputs(folder, store)
    before = heard_in(store)
    report = index_files(files[:1], store, language="German")
    assert [(one.learned, one.recordings) for one in report.heard] == [(True, 1)]
    after = heard_in(store)
    again = MESHES[0].stem
    assert after == before  # learned from the same frames, in the same folds
    assert after[again]
    rename_recording(again, "another", store)
    report = index_files(files[:1], store, language="German")
    assert [(one.learned, one.recordings) for one in report.heard] == [(True, 1)]
    assert heard_in(store)["another"]


def test_layers_of_recordings_that_are_indexed_again_do_not_pile_up(
    folder, indexed, sounds, monkeypatch
):
    """Each of them has a layer of its own; a segment has room for 254."""
    store, files = indexed(5), inputs(folder)
    relink_inputs(folder, store)
    for file, most, n_layers in ((files[0], 100, 2), (files[1], 2, 1)):
        monkeypatch.setattr(index_phones, "MOST_LAYERS", most)
        (folder / f"{file.stem}.sound").unlink()
        write_sound(folder, file.stem, sounds[file.stem][:-2])
        index_files(file, store, language="German")
        assert len(layers_in(store)) == n_layers
    assert all(heard_in(store).values())


def test_speech_that_is_gone_counts_through_the_layer_that_it_taught(folder, indexed):
    store, files = indexed(2), inputs(folder)
    before = heard_in(store)
    gone, kept = MESHES[0].stem, MESHES[1].stem
    delete_recordings([gone], store)
    index_files(files[2:], store, language="German")
    after = heard_in(store)
    assert all(after.values())
    assert gone not in after
    assert after[kept] == before[kept]  # it may have taught the layer that the new one is near


def test_words_that_were_not_said_teach_no_layer_that_is_used(folder, sounds):
    files = sorted(sounds)
    for path in folder.glob("*.sound"):
        path.unlink()
    for file, other in zip(files, files[1:] + files[:1], strict=True):
        write_sound(folder, file, sounds[other][::-1])
    report = index_files(inputs(folder), folder / "INDEX", language="German")
    (heard,) = report.heard
    assert heard.recordings == 0
    assert heard.right < index_phones.LEAST_RIGHT
    assert heard.line().startswith("no phones heard: too few or too poor words")
    assert not any(heard_in(folder / "INDEX").values())


def test_slots_do_not_depend_on_shards(folder, indexes):
    shards = [folder / "A", folder / "B"]
    index_files(inputs(folder), shards, language="German")
    assert {**heard_in(shards[0]), **heard_in(shards[1])} == heard_in(indexes / "5")


def test_the_command_says_what_it_heard(folder, capsys):
    from indexer.cli import main

    store = str(folder / "INDEX")
    files = [str(path) for path in inputs(folder)]
    assert main([*files, "--store", store, "--language", "German", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["phones_heard"][0]["recordings"] == 5
    assert "phones heard in 5 recordings" in err
    other = str(folder / "OTHER")
    assert main([*files, "--store", other, "--language", "German", "--learn-phones", "no"]) == 0
    assert "phones heard" not in capsys.readouterr().err
