"""What tests of running services share: recordings of the example, and waiting."""

import json
import time

import numpy as np

from indexer import index_files
from std.sound import files
from std.sound.columns import Encoder, Sound
from std.values import Recording

AT_S = {"a": 4.0, "b": 10.0, "c": 16.0}


def wait_for(condition):
    deadline = time.monotonic() + 300  # kernels may be compiled before
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def meshes(german, *numbers):
    return [str(german / "mesh" / f"KERSTIN_{number:02d}.mesh") for number in numbers]


def archive_with_sound(folder):
    """Three recordings in each of which one word is said; b has words of a recogniser."""
    random = np.random.default_rng(3)
    word = random.integers(0, 256, (30, 32)).astype(np.uint8)  # .6 s
    networks = folder / "networks"
    networks.mkdir()
    for file, at_s in AT_S.items():
        frames = random.integers(0, 256, (1000, 32)).astype(np.uint8)
        first = round(50 * at_s)
        frames[first : first + len(word)] = word
        sound = Sound(Recording(file, 1), Encoder("whisper", "aa"), frames)
        path = networks / files.sound_name(sound.recording)
        path.write_bytes(files.header(sound) + frames.tobytes())
    words = [("dem", 9.6), ("spreewald", 10.1), ("und", 11.0)]
    slots = [{"s": s, "e": s + 0.4, "eps": 0.1, "w": [[w, 0.9, s, s + 0.4]]} for w, s in words]
    line = {"utt": "b-1", "file": "b", "channel": 1, "start": 0, "end": 20, "slots": slots}
    (networks / "b.jsonl").write_text(json.dumps(line) + "\n")
    index_files(networks, folder / "index", language="de")
    return folder
