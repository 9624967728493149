"""Sound for the German example, as an encoder would hear its words: frames that are drawn."""

from pathlib import Path

import numpy as np

from indexer import index_files
from indexer.phone_layer.sources import spoken_words
from std.sound.columns import Encoder, Sound
from std.sound.files import appended, sound_name
from std.store import open_store
from std.store.columns import unpack_vocabulary
from std.values import Recording

MESHES = sorted((Path(__file__).parents[1] / "examples/german/mesh").iterdir())[:5]
ENCODER = Encoder("whisper", "ab" * 32)


def write_sound(path, file, stored):
    """NAME.sound in a folder."""
    empty = Sound(Recording(file, 1), ENCODER, stored[:0])
    with appended(path / sound_name(empty.recording), empty) as (stream, _):
        stream.write(stored.tobytes())


def frames_of(meshes, store):
    """Of each recording 256 signs a frame: those of its phone, one in five drawn anew."""
    index_files(meshes, store, language="German")
    (segment,) = open_store(str(store)).segments()
    columns = segment.columns()
    rng = np.random.default_rng(1)
    phones = len(unpack_vocabulary(columns.extra["phone_inventory"]))
    means = rng.integers(0, 2, (phones + 1, 256))
    sound = {}
    for one, words in zip(columns.recordings, spoken_words(columns), strict=True):
        classes = np.zeros(int(words.end_ms.max()) // 20 + 5, int)
        for i in range(len(words.begin_ms)):
            mine = words.phones[words.offsets[i] : words.offsets[i + 1]].astype(int) + 1
            begin, end = int(words.begin_ms[i]) // 20, int(words.end_ms[i]) // 20
            at = np.arange(begin, end)
            classes[begin:end] = mine[(at - begin) * len(mine) // max(end - begin, 1)]
        flipped = rng.random((len(classes), 256)) < 0.2
        sound[one.recording.file] = np.packbits(means[classes] ^ flipped, axis=1)
    return sound


def with_files(folder, sounds):
    """The example's files in a folder, with sound beside them."""
    for mesh in MESHES:
        (folder / mesh.name).write_bytes(mesh.read_bytes())
    for file, stored in sounds.items():
        write_sound(folder, file, stored)
    return folder


def inputs(folder):
    """The example's files in a folder."""
    return [folder / mesh.name for mesh in MESHES]


def learned(folder):
    """The files with sound, and indexes of the first two, four and five, named so.

    SOUNDS.npz has the frames. Tests share the folder: made_once("learned", learned).
    """
    sounds = frames_of(MESHES, folder / "plain")
    np.savez(folder / "SOUNDS.npz", **sounds)
    files = inputs(with_files(folder, sounds))
    for n in (2, 4, 5):
        index_files(files[:n], folder / str(n), language="German")


def sounds_of(folder):
    """The frames that `learned` left in a folder."""
    with np.load(folder / "SOUNDS.npz") as stored:
        return dict(stored)
