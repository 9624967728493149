"""Frames that another program made: of any encoder, or probabilities of phones.

    keep_frames    files of frames -> ``NAME.sound`` for each recording, and an ECF
    read_frames    a file -> the frames of each of its recordings

A file is NumPy's (``.npy``; ``.npz``, of which each matrix is a recording) or an archive of Kaldi
as text (``NAME [ rows ]``). Rows that are probabilities, or their logarithms, become logarithms.
Frames are averaged or repeated to one per 20 ms. Each dimension is scaled by statistics of the
first files, which ``sound.json`` stores, so later files use the same scale. A file does not say
which encoder made its frames, so the user names it; frames with the same name and scale are
comparable.
"""

import hashlib
import json
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from recogniser import folder
from recogniser.recording import RecogniseReport, RecordingReport
from recogniser.sound import (
    SMALLEST_DEVIATION,
    Kept,
    Scale,
    as_kept,
    continued,
    excerpts_of,
    sound_file,
)
from std.audio.files import is_audio
from std.errors import NONE, NOT_THERE, InputError, Unquoted
from std.execution.cost import Stopwatch
from std.files import AnyPath, open_input, paths_of, unreadable
from std.json_fields import read_json
from std.nist.audio_names import recording_name
from std.sound.columns import FRAME_MS, Encoder, Sound
from std.sound.files import MOST_DIMENSIONS
from std.values import Float32s, Recording

ENDS = (".npz", ".npy", ".ark", ".txt")  # and .gz behind the last two, in a folder
BINARY_ARCHIVE = "a binary archive (copy-feats ark:IN ark,t:OUT makes text of it)"
EXPECTED = "frames: .npz, .npy, or an archive of Kaldi as text"
SUM_TOLERANCE = 0.01  # of probabilities, from 1
LEAST_PROBABILITY = 1e-6
MOST_BYTES = 1 << 32  # of a matrix
MOST_SHIFT_S = 1.0


class GivenFrames(NamedTuple):
    """The frames of a recording as they were given."""

    name: str  # of the recording
    frames: Float32s  # (n, d)
    path: Path
    line: int = 0


def keep_frames(
    files: AnyPath | Sequence[AnyPath],
    output: AnyPath,
    *,
    encoder: str,
    frame_shift_s: float,
    kept: Kept = "signs",
    ecf: AnyPath | None = None,
) -> RecogniseReport:
    """Write the sound of recordings whose frames another program made.

    Args:
        files: the files of frames, and folders with them.
        output: a folder, created if it does not exist; finished recordings are skipped.
        encoder: the name of the encoder that made the frames.
        frame_shift_s: from one frame to the next.
        kept: as signs, or exact.
        ecf: where to write the ECF; default: ``ecf.xml`` in the folder.

    Raises:
        InputError: a file does not exist, has no frames, or has other dimensions than the first.
        ValueError: the name is empty, or the frame shift is out of range.
    """
    if not encoder.strip():
        raise ValueError("encoder: expected a name for what made the frames, got none")
    if not 0 < frame_shift_s <= MOST_SHIFT_S:
        raise ValueError(f"frame_shift_s: expected up to {MOST_SHIFT_S:g} s, got {frame_shift_s:g}")
    started, target = Stopwatch(), Path(output)
    paths = _files(paths_of(files))
    settings = _settings(paths, target, encoder, frame_shift_s, kept)
    scale = Scale(*(np.array(settings["scale"][one], np.float32) for one in Scale._fields))
    identity = Encoder(**settings["encoder"])
    report = RecogniseReport(ecf=Path(ecf) if ecf else target / folder.ECF_NAME)
    with folder.opened(target, {folder.SOUND_SETTINGS: settings}):
        for one in _recordings(paths):
            recording = Recording(one.name, 1)
            frames = _scaled(one, settings, scale)
            done = RecordingReport(one.name, len(frames) * FRAME_MS / 1000, has_words=False)
            if sound_file(target, recording).exists():
                report.already.append(done)
                continue
            stored = as_kept(frames, kept)
            with continued(target, Sound(recording, identity, stored[:0])) as (stream, there):
                stream.write(stored[there:].tobytes())
            report.recordings.append(done)
        excerpts = [one for found in excerpts_of(target).values() for one in found]
        folder.write_ecf(report.ecf, excerpts)
    report.seconds, report.cpu_seconds, report.compile_seconds = started.cost()
    return report


def read_frames(path: Path) -> Iterator[GivenFrames]:
    """Yield the frames of each recording of a file.

    Raises:
        InputError: it cannot be read, or holds something else.
    """
    try:
        with path.open("rb") as stream:
            head = stream.read(6)
    except OSError as error:
        raise unreadable(path, error) from error
    read = {b"PK": _from_npz, b"\x93N": _from_npy}.get(head[:2], _from_text)
    for one in read(path):
        n_dimensions = one.frames.shape[1] if one.frames.ndim == 2 else 0
        if not 2 <= n_dimensions <= MOST_DIMENSIONS:
            expected = f"a matrix, frames by 2 to {MOST_DIMENSIONS} numbers, of {one.name}"
            raise InputError(path, one.line, expected, Unquoted(f"shape {one.frames.shape}"))
        if not np.isfinite(one.frames).all():
            raise InputError(path, one.line, f"finite numbers of {one.name}", Unquoted("others"))
        name = recording_name(one.name)
        if not name.strip(". ") or "\0" in name:
            raise InputError(path, one.line, "the name of a recording", one.name)
        yield one._replace(name=name)


def _files(given: Sequence[Path]) -> list[Path]:
    """The files named, and those in the folders named.

    Raises:
        InputError: a path does not exist, or a folder has no frames.
    """
    found: list[Path] = []
    for one in given:
        if one.is_dir():
            inside = sorted(x for x in one.rglob("*") if x.name.removesuffix(".gz").endswith(ENDS))
            if not inside:
                raise InputError(
                    one, 0, f"a folder with {EXPECTED}", Unquoted("a folder without any")
                )
            found += inside
        elif one.exists():
            found.append(one)
        else:
            raise InputError(one, 0, f"a folder or a file with {EXPECTED}", NOT_THERE)
    return found


def _recordings(paths: Sequence[Path]) -> Iterator[GivenFrames]:
    """The recordings of all files, each once, all with the same number of dimensions."""
    seen: dict[str, Path] = {}
    first: GivenFrames | None = None
    for path in paths:
        for one in read_frames(path):
            if one.name in seen:
                got = f"{one.name}, as {seen[one.name]}"
                raise InputError(path, one.line, "recordings of different names", got)
            seen[one.name], first = path, first or one
            if one.frames.shape[1] != first.frames.shape[1]:
                expected = f"{first.frames.shape[1]} numbers a frame, as {first.path} has"
                raise InputError(path, one.line, expected, str(one.frames.shape[1]))
            yield one


def _settings(
    paths: Sequence[Path], target: Path, encoder: str, frame_shift_s: float, kept: Kept
) -> dict[str, Any]:
    """What determines the output, as JSON; an existing scale is kept.

    Raises:
        InputError: there are no frames, or frames of several kinds.
    """
    before = target / folder.SOUND_SETTINGS
    begun = read_json(before).value if before.exists() else {}
    scale = begun.get("scale") if isinstance(begun, dict) else None
    count, total, squares, kinds = 0, np.zeros(1), np.zeros(1), dict[str, Path]()
    for one in _recordings(paths):
        kind = _kind(one.frames)
        if len(one.frames):
            kinds.setdefault(kind, one.path)
        if len(kinds) > 1:
            (first, path), *_ = kinds.items()
            raise InputError(one.path, one.line, f"{first}, as in {path}", kind)
        exact = _on_clock(one.frames, kind, frame_shift_s).astype(np.float64)
        count += len(exact)
        total, squares = total + exact.sum(axis=0), squares + np.square(exact).sum(axis=0)
    if not count:
        raise InputError(paths[0], 0, "frames", NONE)
    if scale is None:
        mean = total / count
        deviation = np.sqrt(np.maximum(squares / count - mean**2, SMALLEST_DEVIATION**2))
        scale = {"mean": _rounded(mean), "deviation": _rounded(deviation)}
    made = {"frames": next(iter(kinds)), "frame_shift_s": frame_shift_s, "scale": scale}
    digest = hashlib.sha256(json.dumps([encoder, made], sort_keys=True).encode()).hexdigest()
    return {"kept": kept, **made, "encoder": {"name": encoder, "hash": digest}}


def _rounded(numbers: np.ndarray) -> list[float]:
    return [float(f"{number:.6g}") for number in numbers]


def _kind(frames: Float32s) -> str:
    """Whether rows are probabilities, their logarithms, or any numbers."""
    if not len(frames):
        return "numbers"
    if frames.min() >= 0 and np.abs(frames.sum(axis=1) - 1).max() <= SUM_TOLERANCE:
        return "probabilities"
    if frames.max() <= 0 and np.abs(np.exp(frames).sum(axis=1) - 1).max() <= SUM_TOLERANCE:
        return "log probabilities"
    return "numbers"


def _on_clock(frames: Float32s, kind: str, frame_shift_s: float) -> Float32s:
    """(m, d) a frame per 20 ms: the mean of the frames that begin in it, else the previous one."""
    shift_ms = round(frame_shift_s * 1000, 6)
    if kind == "log probabilities":
        frames = np.exp(frames)
    if not len(frames):
        return frames
    begins = np.arange(int(np.ceil(len(frames) * shift_ms / FRAME_MS))) * FRAME_MS / shift_ms
    rows = np.ceil(begins).astype(np.int64)
    counts = np.diff([*rows.tolist(), len(frames)])[:, None]
    ended = np.concatenate([frames, np.zeros_like(frames[:1])])  # the last may begin behind all
    sums = np.add.reduceat(ended, rows, axis=0)
    found = np.where(counts > 0, sums / np.maximum(counts, 1), frames[begins.astype(np.int64)])
    found = found.astype(np.float32)
    return found if kind == "numbers" else np.log(np.maximum(found, LEAST_PROBABILITY))


def _scaled(one: GivenFrames, settings: dict[str, Any], scale: Scale) -> Float32s:
    frames = _on_clock(one.frames, settings["frames"], settings["frame_shift_s"])
    if frames.shape[1] != len(scale.mean):
        expected = f"{len(scale.mean)} numbers a frame, as this folder was begun with"
        raise InputError(one.path, one.line, expected, str(frames.shape[1]))
    return scale.of(frames)


def _from_npy(path: Path) -> Iterator[GivenFrames]:
    try:
        matrix = np.load(path, mmap_mode="r", allow_pickle=False)
        yield GivenFrames(path.stem, _numbers(matrix, path), path)
    except (ValueError, OSError, EOFError) as error:
        raise InputError(path, 0, EXPECTED, Unquoted(str(error))) from error


def _from_npz(path: Path) -> Iterator[GivenFrames]:
    """Each matrix of a file; a single matrix may have the name of its file."""
    try:
        with zipfile.ZipFile(path) as archive:
            large = next((x for x in archive.infolist() if x.file_size > MOST_BYTES), None)
        if large:
            raise InputError(path, 0, f"matrices up to {MOST_BYTES} bytes", str(large.file_size))
        with np.load(path, allow_pickle=False) as arrays:
            matrices = [name for name in arrays.files if np.ndim(arrays[name]) == 2]
            if not matrices:
                raise InputError(path, 0, "a matrix, frames by numbers", ", ".join(arrays.files))
            for name in matrices:
                own = path.stem if len(matrices) == 1 else name
                yield GivenFrames(own, _numbers(arrays[name], path), path)
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise InputError(path, 0, EXPECTED, Unquoted(str(error))) from error


def _numbers(matrix: np.ndarray, path: Path) -> Float32s:
    if matrix.dtype.kind not in "fiu":
        raise InputError(path, 0, "a matrix of numbers", str(matrix.dtype))
    return np.asarray(matrix, np.float32)


def _from_text(path: Path) -> Iterator[GivenFrames]:
    """The matrices of an archive of Kaldi: ``NAME [``, a line a row, ``]`` behind the last."""
    name, first, rows = "", 0, list[Float32s]()
    with open_input(path) as stream:
        for number, raw in enumerate(stream, 1):
            if b"\0" in raw:
                is_archive = re.match(rb"\S+ \0B", raw)
                found = (
                    BINARY_ARCHIVE if is_archive else "audio" if is_audio(path) else "other data"
                )
                raise InputError(path, number, EXPECTED, Unquoted(found))
            text = raw.decode(errors="replace").strip()
            if not name:
                if not text:
                    continue
                name, bracket, text = (part.strip() for part in text.partition("["))
                if not bracket or not name:
                    raise InputError(path, number, "NAME [, as archives of Kaldi begin", name)
                first, rows = number, []
            is_last = text.endswith("]")
            fields = text.removesuffix("]").split()
            try:
                rows += [np.array(fields, np.float32)] if fields else []
            except ValueError as error:
                raise InputError(path, number, "numbers", text) from error
            if rows and len(rows[-1]) != len(rows[0]):
                raise InputError(path, number, f"{len(rows[0])} numbers", str(len(rows[-1])))
            if is_last:
                frames = np.stack(rows) if rows else np.zeros((0, 2), np.float32)
                yield GivenFrames(name, frames, path, first)
                name = ""
    if name:
        raise InputError(
            path, first, f"] behind the last row of {name}", Unquoted("the end of the file")
        )
