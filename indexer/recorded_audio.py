"""Recordings of an index and their audio files.

    noted_audio       the audio files that std-recognise noted beside its networks
    recorded_audio    the audio files in a folder: `std-index --audio ROOT`
    existing_folder   the folder, which must exist

The path below the root, size, digest, duration and channels become metadata of the recording
(`std.audio.facts`), so that page and clips play this file and no other of its name. A file that
was moved below the root is found again by its size and digest.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from unicodedata import normalize

from indexer.index_report import RecordedAudio
from indexer.inputs import Input
from indexer.origins import given_names
from indexer.shards import contents
from std.audio.facts import DURATION_S, HASH, NOTES, SIZE, facts_of, file_digest, read_notes
from std.audio.files import HINT, AudioFolder, audio_folder, is_audio
from std.errors import NOT_THERE, InputError, Unquoted
from std.metadata.cells import Cells, completed
from std.metadata.table import AUDIO, Metadata, updated
from std.recordings import index_recordings, inputs_of
from std.store import Store

_OUTPUT = re.compile(r"(\.ch\d+)?\.sound$|\.jsonl(\.gz)?$")  # of std-recognise, after the name


def existing_folder(root: str | PathLike[str] | None) -> Path | None:
    """The folder of all audio; None if none is given.

    Raises:
        InputError: it is not a folder.
    """
    if root is None:
        return None
    if not (folder := Path(root)).is_dir():
        raise InputError(folder, 0, "a folder with audio files", NOT_THERE)
    return folder


def recorded_audio(
    stores: Sequence[Store], root: Path, only: Collection[str] | None = None
) -> tuple[RecordedAudio, Cells]:
    """Find the audio of recordings, and measure it.

    Args:
        only: audio files to look for; None: all that the index has.

    Returns:
        the audio found, and the metadata of recordings whose file is new or changed.

    Raises:
        InputError: a file cannot be read.
    """
    finder = _Finder(audio_folder(root))
    segments, metadata = contents(stores)
    inputs = inputs_of(index_recordings(segments, metadata))
    rows: dict[str, Mapping[str, str]] = {}
    found, missing, problems = 0, [], []
    for file, paths in inputs.items():
        if only is not None and file not in only:
            continue
        before = metadata.values(file)
        try:
            place = finder.place(file, before, paths)
            cells = finder.cells(file, place, before) if place else {}
        except InputError as error:
            problems.append(error)
            continue
        if place is None:
            missing.append(file)
            continue
        found += 1
        if cells:
            rows[file] = cells
    left_out = finder.folder.left_out
    return RecordedAudio(found, tuple(missing), left_out, tuple(problems)), Cells(rows)


def noted_audio(inputs: Iterable[Input], stores: Sequence[Store], given: Metadata) -> Metadata:
    """The metadata of recordings with the audio files that std-recognise noted beside its output.

    Metadata of audio that a person has set is kept, and so is the path of an unchanged file: it may
    have been moved.

    Raises:
        InputError: notes cannot be read.
    """
    notes: dict[Path, dict[str, dict[str, str]]] = {}
    names: dict[tuple[str, str], str] | None = None
    before = updated(contents(stores)[1], given)
    rows: dict[str, Mapping[str, str]] = {}
    for one in inputs:
        folder = one.path.parent
        if folder not in notes:
            notes[folder] = read_notes(folder / NOTES)
        name = normalize("NFC", _OUTPUT.sub("", one.path.name))
        if name == one.path.name or name not in notes[folder]:
            continue
        names = given_names(stores) if names is None else names
        noted = notes[folder][name]
        for file in {name, one.own_name, names.get((one.origin, name), name)}:
            kept = before.values(file)
            by_hand = kept.get(AUDIO) and not kept.get(HASH)
            if not by_hand and kept.get(HASH) != noted.get(HASH):
                rows[file] = noted
    return completed(before, Cells(rows))


class _Finder:
    """Finds the files of recordings below a root."""

    def __init__(self, folder: AudioFolder) -> None:
        self.folder = folder
        self._names = {*folder.files}

    @cached_property
    def _of_size(self) -> dict[str, list[str]]:
        sizes: dict[str, list[str]] = {}
        for file in self.folder.files:
            sizes.setdefault(str((self.folder.root / file).stat().st_size), []).append(file)
        return sizes

    def place(self, file: str, before: Mapping[str, str], inputs: Sequence[str]) -> str | None:
        """The path below the root.

        Raises:
            InputError: several files fit, or another recording is at the path.
        """
        said, digest = before.get(AUDIO, ""), before.get(HASH)
        if digest and said not in self._names:
            candidates = self._of_size.get(before.get(SIZE, ""), ())
            moved = [one for one in candidates if file_digest(self.folder.root / one) == digest]
            if len(moved) == 1:
                return moved[0]
        found = self.folder.find(file, before, inputs)
        if found is None and said in self._names:
            path, expected = self.folder.root / said, f"the audio of {file}"
            length_s = before.get(DURATION_S, "")
            if length_s:
                expected += f", {float(length_s):.1f} s long"
            raise InputError(path, 0, expected, Unquoted("another recording"), HINT)
        return found

    def cells(self, file: str, place: str, before: Mapping[str, str]) -> dict[str, str]:
        """The metadata of one recording; empty if the index has those of this file already.

        Raises:
            InputError: the file is not audio.
        """
        path = self.folder.root / place
        is_same = before.get(AUDIO) == place and before.get(SIZE) == str(path.stat().st_size)
        if is_same and before.get(HASH):
            return {}
        if not is_audio(path):
            raise InputError(path, 0, f"audio of {file}", Unquoted("another kind of file"))
        return facts_of(path).columns(place)
