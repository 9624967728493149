"""Frames are written as a stream, taken up where they were torn, and read as they were."""

import numpy as np
import pytest

from std.errors import ForeignFileError, InputError
from std.sound import files
from std.sound.columns import Encoder, Sound, frames, signs
from std.values import Recording

ENCODER = Encoder("whisper", "ab" * 32)
RANDOM = np.random.default_rng(0)
SIGNS = RANDOM.integers(0, 256, (7, 32)).astype(np.uint8)
EXACT = RANDOM.standard_normal((7, 5)).astype(np.float16)


def sound(stored, **clock):
    return Sound(Recording("a", 2), ENCODER, stored, **clock)


@pytest.fixture(params=[SIGNS, EXACT], ids=["signs", "exact"])
def whole(request):
    return sound(request.param, start_ms=40, frame_ms=20)


def written(path, whole, upto=None):
    with files.appended(path, sound(whole.stored[:0], start_ms=40)) as (stream, there):
        stream.write(whole.stored[there:upto].tobytes())
    return path


def test_what_is_written_is_read(whole, tmp_path):
    found = files.read_sound(written(tmp_path / "a.sound", whole))
    assert (found.recording, found.encoder, found.start_ms) == (Recording("a", 2), ENCODER, 40)
    np.testing.assert_array_equal(found.stored, whole.stored)
    assert found.end_ms == 40 + 7 * 20


def test_a_file_without_frames_is_read(whole, tmp_path):
    assert len(files.read_sound(written(tmp_path / "a.sound", whole, upto=0))) == 0


def test_bytes_are_the_same_wherever_the_file_was_torn(whole, tmp_path):
    expected = written(tmp_path / "a.sound", whole).read_bytes()
    for size in range(len(expected)):
        torn = tmp_path / "torn.sound"
        torn.write_bytes(expected[:size])
        assert written(torn, whole).read_bytes() == expected


def test_a_file_of_another_encoder_is_not_continued(whole, tmp_path):
    path = written(tmp_path / "a.sound", whole)
    other = Sound(Recording("a", 2), Encoder("whisper", "cd"), whole.stored[:0], 40)
    with pytest.raises(InputError, match=r"a\.sound:1: expected"), files.appended(path, other):
        pass


@pytest.mark.parametrize(
    ("line", "error", "message"),
    [
        ("RIFF", ForeignFileError, "std sound 1"),
        ("[" * 2000, ForeignFileError, "std sound 1"),
        ('{"format": "std sound 2"}', ForeignFileError, "std sound 1"),
        ('{"format": "std sound 1"}', InputError, "channel"),
        ('"dimensions": 255', InputError, "shape"),
        ('"dimensions": 0', InputError, "above 0"),
        ('"dimensions": 1e9', InputError, "whole numbers"),
        ('"kind": "int8"', InputError, "int8"),
        ('"frame_ms": 0', InputError, "above 0"),
        ('"start_ms": 0.5', InputError, "whole numbers"),
        ('"encoder": "x"', InputError, "indices"),
    ],
)
def test_what_is_no_such_file_is_refused_in_one_line(line, error, message, tmp_path):
    path = tmp_path / "a.sound"
    text = files.header(sound(SIGNS)).decode()
    if line.startswith('"'):
        key = line.split(":")[0]
        begin = text.index(key)
        end = text.index("}" if "encoder" in key else ",", begin)
        text = text[:begin] + line + text[end + (1 if "encoder" in key else 0) :]
    else:
        text = line
    path.write_text(text.strip() + "\n")
    with pytest.raises(error, match=message) as caught:
        files.read_sound(path)
    assert "\n" not in str(caught.value)


def test_half_a_frame_at_the_end_is_refused(whole, tmp_path):
    path = written(tmp_path / "a.sound", whole)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match="whole frames"):
        files.read_sound(path)


def test_signs_are_one_and_minus_one():
    found = frames(sound(np.array([[128] + [0] * 31], np.uint8)))
    assert found.shape == (1, 256)
    assert found[0, 0] == 1
    assert (found[0, 1:] == -1).all()


def test_exact_frames_are_numbers():
    np.testing.assert_array_equal(frames(sound(EXACT)), EXACT.astype(np.float32))


def test_frames_of_another_shape_are_refused():
    with pytest.raises(ValueError, match="shape"):
        sound(np.zeros((3, 31), np.uint8))


def test_signs_differ_as_angles_do():
    one = RANDOM.standard_normal((200, 384)).astype(np.float32)
    other = one + RANDOM.standard_normal((200, 384)).astype(np.float32)
    differing = np.unpackbits(signs(one) ^ signs(other), axis=1).mean(axis=1)
    norms = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    angles = np.arccos((one * other).sum(axis=1) / norms) / np.pi
    assert abs(differing - angles).mean() < 0.03  # sqrt(.25 * .75 / 256) = .027


def test_signs_are_those_of_the_format():
    """A changed projection makes every archive's signs worthless: it needs a new format."""
    frame = np.arange(8, dtype=np.float32)[None] - 3.5
    assert signs(frame).tobytes().hex() == (
        "49414d197c24988a20591805658a0619f3addd8a463f1497f2e2f4a5abc6867a"
    )
