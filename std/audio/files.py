"""Which audio file belongs to which recording.

    AudioFolder     the audio files below a folder; finds that of a recording
    audio_folder    walk a folder
    audio_of        the files of recordings, of a folder or of their metadata
    is_audio        whether a file begins like an audio file

A recording's metadata may name its file, by a path below the folder (``std-recognise`` and
``std-index --audio`` write it), with digest and duration: a file of another recording is never
used, whatever its name (`std.audio.facts`). If the metadata name no file, it is found by its name:
the name of the recording; or its folders and its name (``radio_news``), as ``--name-by path`` names
recordings; or the name without a language suffix (``Folge 1.de``). If no file or several have the
name, the path of the recogniser output of the recording decides: ``2025/Interview 1.mp3`` belongs
to ``captions/2025/Interview 1.srt``, because its folders are the last ones of the captions. If
still several files fit, it is an error. Files with the same stem in one folder, as ``a.wav`` and
``a.mp3``, count as one recording, and the one that browsers play is used. A link is followed only
if it leads to a file below the folder.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from unicodedata import normalize

from std.audio.facts import HASH, file_digest, is_same_audio
from std.errors import NOT_THERE, InputError
from std.metadata.table import AUDIO, Metadata

AUDIO_TYPES = {  # formats that browsers play, by extension
    ".ogg": "audio/ogg", ".oga": "audio/ogg", ".opus": "audio/ogg", ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4", ".mp4": "audio/mp4", ".aac": "audio/aac", ".wav": "audio/wav",
    ".flac": "audio/flac", ".webm": "audio/webm",
}  # fmt: skip
OTHER_AUDIO = frozenset(  # formats that PyAV reads
    {".sph", ".aif", ".aiff", ".wma", ".amr", ".au", ".caf", ".mkv", ".mov", ".mpg", ".ts", ".3gp"}
)
ENDS = (*AUDIO_TYPES, *sorted(OTHER_AUDIO))  # the preferred ones first
HINT = "name the right one in a column audio of --metadata, by its path below the folder"
_LANGUAGE = re.compile(r"\.[a-z]{2,3}(-[a-z]{2,4})?$", re.IGNORECASE)
# First bytes of audio files. Only raw samples, which PyAV also reads, have none.
_BEGINNING = re.compile(
    rb"RIFF....WAVE|RIFX|RF64|OggS|fLaC|ID3|\xff[\xe0-\xff]|....ftyp|....moov|....mdat|....wide"
    rb"|\x1a\x45\xdf\xa3|FORM....AIF|\.snd|#!AMR|caff|NIST_1A|\x30\x26\xb2\x75"
    rb"|\x00\x00\x01[\xba\xb3]|G.{187}G|.{4}G.{191}G",
    re.DOTALL,
)
LOOKED_AT_BYTES = 4096
NO_INPUTS: Mapping[str, Sequence[str]] = {}


def is_audio(path: Path) -> bool:
    """Whether a file begins like an audio file, whatever its name; leading zeros are skipped."""
    try:
        with path.open("rb") as stream:
            head = stream.read(LOOKED_AT_BYTES)
    except OSError:
        return False
    return bool(_BEGINNING.match(head) or _BEGINNING.match(head.lstrip(b"\0")))


@dataclass(frozen=True, eq=False)
class AudioFolder:
    """The audio files below a folder."""

    root: Path
    files: tuple[str, ...]  # paths below the root with /, ascending
    left_out: tuple[str, ...] = ()  # links to files outside the folder

    @cached_property
    def _of_stem(self) -> dict[str, list[str]]:
        return _grouped((_stem(file), file) for file in self.files)

    @cached_property
    def _of_name(self) -> dict[str, list[str]]:
        return _grouped((_parts(file)[-1], file) for file in self.files)

    @cached_property
    def _as_composed(self) -> dict[str, str]:
        return {normalize("NFC", file): file for file in self.files}

    @cached_property
    def _root_parts(self) -> list[str]:
        return _parts(str(self.root.resolve()))

    def find(
        self, recording: str, known: Mapping[str, str] | None = None, inputs: Sequence[str] = ()
    ) -> str | None:
        """The file of a recording, as a path below the root; None if there is none.

        Args:
            recording: its name.
            known: its metadata: ``audio``, a path or an address, overrides the name, and the stored
                properties (`std.audio.facts`) override both.
            inputs: the paths of the recogniser output that it was read from.

        Raises:
            InputError: several files fit.
        """
        known = known or {}
        said = known.get(AUDIO, "").replace("\\", "/").strip()
        for found in self._candidates(recording, said, inputs):
            same = [file for file in found if is_same_audio(self.root / file, known)]
            if same:
                return self._only(recording, self._of_content(same, known))
        return None

    def path(
        self, recording: str, known: Mapping[str, str] | None = None, inputs: Sequence[str] = ()
    ) -> Path | None:
        """As `find`, as an absolute path."""
        file = self.find(recording, known, inputs)
        return None if file is None else self.root / file

    def _candidates(
        self, recording: str, said: str, inputs: Sequence[str]
    ) -> Iterator[Sequence[str]]:
        """The files that fit, the likeliest first.

        A file in a folder with another name than the given one is another recording with the same
        name. If the path names a file beside the root, only its copies are the recording.
        """
        if not said:
            recording = normalize("NFC", recording)
            found = self._by_name(recording)
            is_clear = len(set(map(_without_end, found))) == 1
            yield found if is_clear else self._by_inputs(recording, inputs) or found
            return
        if file := self._as_composed.get(normalize("NFC", said).removeprefix("./")):
            yield [file]
        parts = _parts(said)
        beside = self._beside(said)
        for found in (self._by_place(parts), self._by_name(normalize("NFC", recording))):
            fit = [file for file in found if "://" in said or _may_be(parts, _parts(file))]
            if beside:
                fit = [f for f in fit if file_digest(self.root / f) == file_digest(beside)]
            yield fit

    def _beside(self, said: str) -> Path | None:
        """The file that a path names from the root or a folder above it, if it is not below it."""
        root = self.root.resolve()
        files = (place / said for place in (root, *root.parents))
        try:
            return next((f for f in files if f.is_file() and not is_below(f, root)), None)
        except (OSError, ValueError):  # an impossible file name
            return None

    def _of_content(self, found: Sequence[str], known: Mapping[str, str]) -> Sequence[str]:
        """The files with the known digest; all files if none has it."""
        digest = known.get(HASH)
        if len(found) == 1 or not digest:
            return found
        return [one for one in found if file_digest(self.root / one) == digest] or found

    def _by_place(self, said: Sequence[str]) -> list[str]:
        """The files that share most last parts with a path; otherwise those with its name."""
        near: dict[int, list[str]] = {}
        for file in self._of_name.get(said[-1], ()):
            parts = [*self._root_parts, *_parts(file)]
            near.setdefault(common_end(said, parts), []).append(file)
        return near[max(near)] if near else self._by_name(_stem(said[-1]))

    def _by_name(self, name: str) -> list[str]:
        if "/" in name:
            return [
                file for file in self.files if normalize("NFC", file).rpartition(".")[0] == name
            ]
        found = [*self._of_stem.get(name, ()), *self._by_folders(name)]
        if not found and _LANGUAGE.search(name):
            return self._by_name(_LANGUAGE.sub("", name))
        return found

    def _by_folders(self, name: str) -> list[str]:
        """The files whose folders and name, joined by _, are a name."""
        found = []
        for at, letter in enumerate(name):
            if letter == "_":
                for file in self._of_stem.get(name[at + 1 :], ()):
                    folders = "_".join([*self._root_parts, *_parts(file)[:-1]])
                    if f"_{folders}".endswith(f"_{name[:at]}"):
                        found.append(file)
        return found

    def _by_inputs(self, name: str, inputs: Sequence[str]) -> list[str]:
        """The files whose folders below the root are the last folders of an input with the name.

        Of several files, those that share most folders with the input. The path of an input whose
        recordings have other names (``all.ctm``) says nothing about their audio.
        """
        near: dict[int, list[str]] = {}
        for path in inputs:
            *folders, of_input = _parts(path.replace("\\", "/"))
            stems = (of_input[: end.start()] for end in re.finditer(r"\.|$", of_input))
            for stem in stems:
                for file in self._of_stem.get(stem, ()) if f"_{name}".endswith(f"_{stem}") else ():
                    own = _parts(file)[:-1]
                    if own and own == folders[-len(own) :]:
                        near.setdefault(len(own), []).append(file)
        if not near and _LANGUAGE.search(name):
            return self._by_inputs(_LANGUAGE.sub("", name), inputs)
        return near[max(near)] if near else []

    def _only(self, recording: str, found: Sequence[str]) -> str | None:
        """Choose the file of one recording.

        Raises:
            InputError: the files belong to several recordings.
        """
        versions: dict[str, list[str]] = _grouped(
            (_without_end(file), file) for file in dict.fromkeys(found)
        )
        if len(versions) > 1:
            first, second = sorted(map(_best, versions.values()))[:2]
            more = f" and {len(versions) - 2} more" if len(versions) > 2 else ""
            raise InputError(
                self.root, 0, f"one audio file of {recording}", f"{first} and {second}{more}", HINT
            )
        return next(map(_best, versions.values()), None)


def audio_folder(root: Path) -> AudioFolder:
    """Find the audio files below a folder, by their extensions."""
    base = os.path.realpath(root)
    files: list[str] = []
    left_out: list[str] = []
    for place, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            path = Path(place, name)
            if path.suffix.lower() in ENDS:
                below = path.relative_to(root).as_posix()
                inside = not path.is_symlink() or is_below(path, base)
                (files if inside else left_out).append(below)
        left_out += [
            Path(place, name).relative_to(root).as_posix()
            for name in folders
            if Path(place, name).is_symlink() and not is_below(Path(place, name), base)
        ]
    return AudioFolder(root, tuple(sorted(files)), tuple(sorted(left_out)))


def audio_of(
    recordings: Iterable[str],
    root: Path | None,
    metadata: Metadata,
    inputs: Mapping[str, Sequence[str]] = NO_INPUTS,
) -> dict[str, Path | None]:
    """The audio file of each recording: from a folder, or else the file that its metadata name.

    Args:
        recordings: the recordings' audio files, as an index names them.
        root: the folder of audio files; None: there is none.
        metadata: of the recordings; an address in the column `audio` is ignored.
        inputs: by recording, the paths of the recogniser output that it was read from.

    Raises:
        InputError: the root is no folder, or several files of it fit.
    """
    if root is not None and not root.is_dir():
        raise InputError(root, 0, "a folder with audio files", NOT_THERE)
    folder = None if root is None else audio_folder(root)
    found: dict[str, Path | None] = {}
    for file in dict.fromkeys(recordings):
        known = metadata.values(file)
        path = folder.path(file, known, inputs.get(file, ())) if folder else None
        found[file] = path or _named(known)
    return found


def _named(known: Mapping[str, str]) -> Path | None:
    """The file that the metadata of a recording name."""
    place = Path(known.get(AUDIO, ""))
    try:
        return place if place.is_file() and is_same_audio(place, known) else None
    except (OSError, ValueError):  # an impossible file name
        return None


def is_below(path: Path, root: Path | str) -> bool:
    """Whether a path, after its links are followed, is below a folder."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root))


def _best(files: Sequence[str]) -> str:
    """The file that browsers most likely play."""
    return min(files, key=lambda file: ENDS.index(Path(file).suffix.lower()))


def _may_be(said: Sequence[str], file: Sequence[str]) -> bool:
    """Whether a file below the root may be the file of a path, by its folders."""
    if Path(said[-1]).stem != Path(file[-1]).stem:
        return True
    common = common_end(said[:-1], file[:-1])
    return common == min(len(said), len(file)) - 1


def common_end(first: Sequence[str], second: Sequence[str]) -> int:
    """The number of last parts that two paths share.

    Args:
        first, second: their parts, from the root.
    """
    pairs = zip(reversed(first), reversed(second), strict=False)
    return next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(first), len(second)))


def _grouped(pairs: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def _without_end(file: str) -> str:
    return str(Path(file).with_suffix(""))


def _stem(file: str) -> str:
    return normalize("NFC", Path(file).stem)


def _parts(file: str) -> list[str]:
    return [part for part in normalize("NFC", file).split("/") if part not in ("", ".", "..")]
