"""Which audio file belongs to which recording."""

import re
import shutil
from io import BytesIO

import pytest

from std.audio.facts import NOTES, AudioFacts, facts_of, file_digest, read_notes, write_notes
from std.audio.files import audio_folder, audio_of, is_audio
from std.errors import InputError
from std.metadata.read import parse

FILES = ("2024/Interview 1.mp3", "2025/Interview 1.ogg", "x/1.wav", "x/1.ogg", "y/1.wav")
MORE = ("Folge 1.ogg", "Gr\u00f6\u00dfe.ogg", "notes.txt", "de/Nachrichten.de.ogg", "call.wav.mp3")


@pytest.fixture
def folder(tmp_path):
    root = tmp_path / "radio"
    for name in (*FILES, *MORE):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    return audio_folder(root)


@pytest.mark.parametrize(
    ("recording", "audio", "file"),
    [
        ("Interview 1", "2025/Interview 1.ogg", "2025/Interview 1.ogg"),  # as metadata say
        (
            "a",
            "https://archive.example/2024/Interview 1.mp3",
            "2024/Interview 1.mp3",
        ),
        ("a", "/elsewhere/2025/Interview 1.ogg", "2025/Interview 1.ogg"),
        ("a", "D:\\tapes\\y\\1.wav", "y/1.wav"),
        ("a", "./x/1.wav", "x/1.wav"),
        ("a", "lost/Folge 1.mp3", "Folge 1.ogg"),
        ("Folge 1", "", "Folge 1.ogg"),
        ("Folge 1.de", "", "Folge 1.ogg"),  # by name
        ("Folge 1.pt-BR", "", "Folge 1.ogg"),
        ("Folge 1.teil", "", None),
        ("Nachrichten.de", "", "de/Nachrichten.de.ogg"),
        ("call.wav", "", "call.wav.mp3"),
        ("x/1", "", "x/1.ogg"),
        ("x_1", "", "x/1.ogg"),
        ("radio_x_1", "", "x/1.ogg"),
        ("z_1", "", None),  # --name-by path
        ("2024_Interview 1", "", "2024/Interview 1.mp3"),
        ("024_Interview 1", "", None),
        ("Gro\u0308\u00dfe", "", "Gr\u00f6\u00dfe.ogg"),
    ],
)
def test_the_file_of_a_recording(folder, recording, audio, file):
    assert folder.find(recording, {"audio": audio}) == file


@pytest.mark.parametrize(
    ("recording", "audio", "files"),
    [
        ("Interview 1", "", "2024/Interview 1.mp3 and 2025/Interview 1.ogg"),
        ("Interview 1.de", "", "2024/Interview 1.mp3 and 2025/Interview 1.ogg"),
        ("1", "", "x/1.ogg and y/1.wav"),
        ("a", "1.wav", "x/1.wav and y/1.wav"),
    ],
)
def test_two_files_of_a_name_are_an_error_that_names_both(folder, recording, audio, files):
    message = f"expected one audio file of {recording}"
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        folder.find(recording, {"audio": audio})
    assert caught.value.got == files


CAPTIONS = "/srv/captions"


@pytest.mark.parametrize(
    ("recording", "inputs", "file"),
    [
        # named by path, as seen from another place than the audio
        ("captions_2025_Interview 1", ("2025/Interview 1.srt",), "2025/Interview 1.ogg"),
        ("srv_captions_2024_Interview 1", ("2024/Interview 1.srt",), "2024/Interview 1.mp3"),
        ("captions_2024_Interview 1.de", ("2024/Interview 1.de.srt",), "2024/Interview 1.mp3"),
        ("captions_x_1", ("x/1.wav.mesh.gz",), "x/1.ogg"),
        ("captions_2026_Interview 1", ("2026/Interview 1.srt",), None),  # no such folder
        ("captions_12025_Interview 1", ("12025/Interview 1.srt",), None),
        ("captions_deep_2025_Interview 1", ("deep/2025/Interview 1.srt",), "2025/Interview 1.ogg"),
        ("captions_2025_deep_Interview 1", ("2025/deep/Interview 1.srt",), None),
        ("captions_Folge 1", ("Folge 1.srt",), None),  # the audio is in no folder of its own
        # named by what several files are called
        ("Interview 1", ("2025/Interview 1.srt",), "2025/Interview 1.ogg"),
        (
            "Interview 1",
            ("2025/Interview 1.ch1.srt", "2025/Interview 1.srt"),
            "2025/Interview 1.ogg",
        ),
        ("1", ("y\\1.json",), "y/1.wav"),  # an index of Windows
        # an input with recordings of other names
        ("lost", ("2025/Interview 1.ctm",), None),
        ("Interview 1", ("2025/all.ctm",), ValueError),
        ("Interview 1", ("2024/Interview 1.srt", "2025/Interview 1.srt"), ValueError),
        ("Interview 1", ("2026/Interview 1.srt",), ValueError),
        ("Interview 1", (), ValueError),
        # a clear name needs no folders
        ("Folge 1", ("2025/Folge 1.srt",), "Folge 1.ogg"),
        ("x_1", ("y/x_1.srt",), "x/1.ogg"),
        ("captions_mu\u0308de_a", ("mu\u0308de/a.srt",), "m\u00fcde/a.ogg"),
    ],
)
def test_the_recogniser_output_decides_where_names_do_not(folder, recording, inputs, file):
    (folder.root / "m\u00fcde").mkdir()
    (folder.root / "m\u00fcde" / "a.ogg").touch()
    found = audio_folder(folder.root)
    paths = [f"{CAPTIONS}/{path}" for path in inputs]
    if file is ValueError:
        with pytest.raises(InputError, match="one audio file of"):
            found.find(recording, inputs=paths)
    else:
        assert found.find(recording, inputs=paths) == file


def test_of_files_in_like_folders_the_one_that_shares_most(tmp_path):
    for name in ("2025/a.ogg", "radio/2025/a.ogg", "tv/2025/a.ogg"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = audio_folder(tmp_path)
    assert found.find("a", inputs=["/c/radio/2025/a.srt"]) == "radio/2025/a.ogg"
    assert found.find("a", inputs=["/c/2025/a.srt"]) == "2025/a.ogg"
    assert found.find("a", {"audio": "tv/2025/a.ogg"}, ["/c/2025/a.srt"]) == "tv/2025/a.ogg"


def test_audio_of_recordings(tmp_path):
    beside = tmp_path / "beside.ogg"
    beside.touch()
    root = tmp_path / "audio" / "2025"
    root.mkdir(parents=True)
    (root / "a.ogg").touch()
    metadata = parse(BytesIO(f"recording,audio\nb,{beside}\nc,/no/such.ogg\n".encode()))
    inputs = {"captions_2025_a": ("/captions/2025/a.srt",)}
    found = audio_of(["captions_2025_a", "b", "c"], root.parent, metadata, inputs)
    assert found == {"captions_2025_a": root / "a.ogg", "b": beside, "c": None}
    with pytest.raises(InputError, match="expected a folder with audio files"):
        audio_of(["b"], beside, metadata)


def test_beside_the_folder_is_the_recording_and_in_it_only_its_copy(folder):
    said = {"audio": "2025/Interview 1.ogg"}
    for year in ("2024", "2025"):
        (folder.root / year / "Interview 1.ogg").write_text(f"OggS of {year}")
    other = audio_folder(folder.root / "2024")
    assert other.find("a", said) is None
    assert other.find("a", {"audio": "../2025/Interview 1.ogg"}) is None
    assert other.find("a", {"audio": str(folder.root / said["audio"])}) is None
    shutil.copy(folder.root / "2025" / "Interview 1.ogg", other.root)
    assert other.find("a", said) == "Interview 1.ogg"


def test_a_name_with_a_folder_in_it_may_be_another_file(tmp_path):
    for name in ("x_1.ogg", "x/1.ogg"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    with pytest.raises(InputError, match=re.escape("x/1.ogg and x_1.ogg")):
        audio_folder(tmp_path).find("x_1")


def test_links_stay_in_the_folder(tmp_path):
    root, outside = tmp_path / "root", tmp_path / "secret"
    for place in (root, outside):
        place.mkdir()
        (place / "a.ogg").write_bytes(b"OggS")
    (root / "inside.ogg").symlink_to(root / "a.ogg")
    (root / "outside.ogg").symlink_to(outside / "a.ogg")
    (root / "folder").symlink_to(outside, target_is_directory=True)
    found = audio_folder(root)
    assert (found.files, found.left_out) == (("a.ogg", "inside.ogg"), ("folder", "outside.ogg"))
    (tmp_path / "linked").symlink_to(root, target_is_directory=True)
    assert audio_folder(tmp_path / "linked").files == ("a.ogg", "inside.ogg")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"OggS\0", True),
        (b"RIFF\0\0\0\0WAVEfmt ", True),
        (b"ID3\x04", True),
        (b"\xff\xfb\x90", True),
        (b"\0\0\0\x20ftypM4A ", True),
        (b"fLaC", True),
        (b"\0" * 50 + b"\xff\xfb\x90", True),
        (b"root:x:0:0:", False),
        (b"", False),
        (b"<html>", False),
        (b"RIFF\0\0\0\0AVI ", False),
        (b"\x7fELF", False),
        (b"PK\x03\x04", False),
        (b"-----BEGIN", False),
    ],
)
def test_what_audio_begins_with(tmp_path, content, expected):
    (tmp_path / "a.mp3").write_bytes(content)
    assert is_audio(tmp_path / "a.mp3") is expected


def test_real_audio_is_audio(german):
    for path in (german / "audio").iterdir():
        assert is_audio(path)


def test_facts(german, tmp_path):
    pytest.importorskip("av")
    path = german / "audio" / "KERSTIN_00.ogg"
    facts = facts_of(path)
    assert (facts.bytes, facts.channels) == (path.stat().st_size, 1)
    assert facts.duration_s == pytest.approx(106.7, abs=0.1)
    moved = tmp_path / "moved.ogg"
    moved.write_bytes(path.read_bytes())
    assert file_digest(moved) == facts.hash
    moved.write_bytes(path.read_bytes()[:-1] + b"x")
    assert file_digest(moved) != facts.hash
    (tmp_path / "a.ogg").write_bytes(b"OggS and no more")
    with pytest.raises(InputError, match=r"a\.ogg: expected audio"):
        facts_of(tmp_path / "a.ogg")


@pytest.fixture
def two_interviews(german, tmp_path):
    """Two recordings of one name in two folders, and what is kept of that of 2025."""
    pytest.importorskip("av")
    for year, name in (("2024", "KERSTIN_01"), ("2025", "KERSTIN_00")):
        (tmp_path / year).mkdir()
        shutil.copy(german / "audio" / f"{name}.ogg", tmp_path / year / "Interview 1.ogg")
    facts = facts_of(tmp_path / "2025" / "Interview 1.ogg")
    return tmp_path, facts.columns("2025/Interview 1.ogg")


def test_another_recording_of_the_name_is_never_taken(two_interviews):
    root, known = two_interviews
    assert audio_folder(root).find("Interview 1", known) == "2025/Interview 1.ogg"
    assert audio_folder(root).find("Interview 1", known | {"audio": ""}) == "2025/Interview 1.ogg"
    assert audio_folder(root / "2024").find("Interview 1", known) is None
    bare = known | {"audio": "Interview 1.ogg"}  # as std-recognise notes it of a folder
    assert audio_folder(root / "2024").find("Interview 1", bare) is None
    assert audio_folder(root).find("Interview 1", bare) == "2025/Interview 1.ogg"
    shutil.rmtree(root / "2025")
    assert audio_folder(root).find("Interview 1", known) is None
    assert audio_folder(root).find("Interview 1", {"audio": known["audio"]}) is None
    by_address = {"audio": "https://radio.example/2025/Interview 1.ogg"}
    assert audio_folder(root).find("Interview 1", by_address) == "2024/Interview 1.ogg"


def test_another_version_of_the_recording_is_taken(two_interviews, german):
    root, known = two_interviews
    known = {name: value for name, value in known.items() if name != "audio"}
    (root / "2024" / "Interview 1.ogg").unlink()
    path = root / "2025" / "Interview 1.ogg"
    path.write_bytes(path.read_bytes() + b"\0" * 100)  # of another content, as long
    assert audio_folder(root).find("Interview 1", known) == "2025/Interview 1.ogg"
    assert audio_folder(root).find("Interview 1", known | {"audio_s": "3"}) is None


def test_notes_come_back(tmp_path):
    kept = {"a": AudioFacts(9, "ab", 1.5, 2, 8000).columns("x/a.wav")}
    assert read_notes(tmp_path / NOTES) == {}
    write_notes(tmp_path / NOTES, kept)
    assert read_notes(tmp_path / NOTES) == kept
    for text in ("[]", "{}", '{"format": "std audio 1", "recordings": {"a": {"audio": 1}}}'):
        (tmp_path / NOTES).write_text(text)
        with pytest.raises(InputError, match=re.escape(NOTES)):
            read_notes(tmp_path / NOTES)
