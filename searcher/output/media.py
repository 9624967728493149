"""Hits as clips, subtitles, and files of editing programs.

write_clips       a sound file for each hit
write_subtitles   a file of cues for each recording
write_timeline    the hits one after another: EDL, Final Cut's XML
write_markers     a file of markers for each recording: Premiere, Resolve, Avid
"""

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from searcher.output.context import CHANGE
from searcher.results.hits import Hit
from std.audio.facts import DURATION_S, facts_of
from std.audio.files import NO_INPUTS, audio_of
from std.audio.samples import RATES, Format, samples, sound_file
from std.characters import text_of
from std.csv_files import NUMBER
from std.errors import InputError, StdError
from std.metadata.table import AUDIO, NO_METADATA, Metadata
from std.outputs import clip_name, distinct_names, make_folder, open_output, recording_file_names
from std.timelines import (
    MARKER_ENDS,
    EditClip,
    MarkersFor,
    SubtitleCue,
    edl,
    fcpxml,
    is_subtitle_file,
    markers,
    subtitle_file,
)
from std.values import Recording


def write_clips(
    hits: Sequence[Hit],
    folder: Path,
    *,
    audio: Path | None,
    metadata: Metadata,
    inputs: Mapping[str, Sequence[str]] = NO_INPUTS,
    kind: Format,
    around_s: float,
    advance: Callable[[float], None] = lambda amount: None,
) -> list[str]:
    """Cut the sound of hits to files that are named after term, title or recording, and time.

    Args:
        hits: in the order in which equal names are numbered.
        audio: folder of audio files (`std.audio.files`); None = there is none.
        metadata: the metadata of the recordings: ``audio`` names a file, where ``audio`` has none.
        inputs: by recording, the recogniser output that it was read from.
        advance: called after each hit.

    Returns:
        a line for each hit that could not be cut.

    Raises:
        StdError: nothing can be cut, several files may be the audio of a recording, the folder
            cannot be written, or PyAV is not installed.
    """
    places = audio_of((hit.file for hit in hits), audio, metadata, inputs)
    if hits and not any(places.values()):
        raise StdError(
            f"--clips: expected audio of {', '.join(sorted(places)[:3])} in the folder --audio or "
            "in the metadata, got none"
        )
    make_folder(folder)
    lost: dict[str, None] = {}
    names = distinct_names(_clip_name(hit, metadata) for hit in hits)
    for hit, name in zip(hits, names, strict=True):
        advance(1)
        place = places[hit.file]
        if place is None:
            lost[f"{hit.file}: no audio, its hits have no clips"] = None
            continue
        begin_s, end_s = max(0.0, hit.start_s - around_s), hit.start_s + hit.duration_s + around_s
        rate, channel = RATES[kind], hit.channel
        try:
            blocks = [*samples(place, rate, channel=channel, from_s=begin_s, to_s=end_s)]
        except InputError as error:
            lost[str(error)] = None
            continue
        if not blocks:
            lost[f"{place}: no sound from {begin_s:g} s on"] = None
            continue
        with open_output(folder / f"{name}.{kind}") as sink:
            sink.write(sound_file(np.concatenate(blocks), kind))
    return [*lost]


def _clip_name(hit: Hit, metadata: Metadata) -> str:
    title = metadata.values(hit.file).get("title") or hit.file
    return clip_name(hit.term, title, hit.channel, hit.start_s)


def write_subtitles(hits: Sequence[Hit], path: Path) -> None:
    """Write hits as subtitles (SRT).

    Args:
        hits: in any order.
        path: a file ``....srt`` or ``-`` for hits in one recording; else a folder, which is
            created, for a file with the name of each recording.

    Raises:
        StdError: one file is asked for, and the hits are in several recordings; or the files
            cannot be written.
    """
    of_recording: dict[Recording, list[Hit]] = {}
    for hit in sorted(hits, key=lambda hit: (hit.file, hit.channel, hit.start_s)):
        of_recording.setdefault(Recording(hit.file, hit.channel), []).append(hit)
    if is_subtitle_file(path):
        if len(of_recording) > 1:
            n = len(of_recording)
            raise StdError(f"--srt {path}: expected hits in one recording, got {n}; name a folder")
        _write_cues([*hits], path)
        return
    make_folder(path)
    names = recording_file_names(of_recording)
    for name, in_order in zip(names, of_recording.values(), strict=True):
        _write_cues(in_order, path / f"{name}.srt")


def _said(hit: Hit) -> str:
    """The words around a hit, after the speaker's name unless they name several speakers."""
    text = text_of(hit.context).strip()
    is_named = CHANGE in hit.context[0].split()
    return f"{hit.speaker}: {text}" if hit.speaker and not is_named else text


def _write_cues(hits: Sequence[Hit], path: Path) -> None:
    cues = (
        SubtitleCue(
            hit.start_s,
            hit.start_s + hit.duration_s,
            f"{hit.term} ({hit.probability:.0%}): " + _said(hit),
        )
        for hit in hits
    )
    with open_output(path) as sink:
        sink.write(subtitle_file(cues, "srt"))


def write_timeline(
    hits: Sequence[Hit],
    path: Path,
    *,
    audio: Path | None,
    metadata: Metadata,
    inputs: Mapping[str, Sequence[str]],
    around_s: float,
    rate: Fraction,
    first_frame: int,
) -> None:
    """Write hits one after another as an edit.

    Args:
        path: a file ``....edl`` or ``....fcpxml``.
        rate: frames a second of the edit.

    Raises:
        StdError: there are too many hits for an EDL; a recording has no audio file for XML; several
            files may be the audio of a recording; the file cannot be written.
    """
    is_xml = path.suffix.lower() == ".fcpxml"
    clips = _edit_clips(hits, audio, metadata, inputs, around_s)
    missing = {clip.source for clip in clips if not Path(clip.source).is_absolute()}
    if is_xml and missing:
        expected = f"{path}: expected audio of {', '.join(sorted(missing)[:3])}"
        raise StdError(f"{expected} in the folder --audio or in the metadata, got none")
    make = fcpxml if is_xml else edl
    content = make(clips, path.stem, rate, first_frame)
    with open_output(path) as sink:
        sink.write(content)


def write_markers(
    hits: Sequence[Hit], folder: Path, *, kind: MarkersFor, rate: Fraction, first_frame: int
) -> None:
    """Write the hits of each recording as markers, in files with the names of the recordings.

    Args:
        rate: frames a second of the recordings.

    Raises:
        StdError: the files cannot be written, or a place lies beyond 100 hours.
    """
    of_recording: dict[Recording, list[Hit]] = {}
    for hit in sorted(hits, key=lambda hit: (hit.file, hit.channel, hit.start_s)):
        of_recording.setdefault(Recording(hit.file, hit.channel), []).append(hit)
    contents = []  # all before the first is written
    for in_order in of_recording.values():
        clips = _edit_clips(in_order, None, NO_METADATA, NO_INPUTS, 0.0)
        contents.append(markers(clips, kind, in_order[0].file, rate, first_frame))
    make_folder(folder)
    for name, content in zip(recording_file_names(of_recording), contents, strict=True):
        with open_output(folder / f"{name}{MARKER_ENDS[kind]}") as sink:
            sink.write(content)


def _edit_clips(
    hits: Sequence[Hit],
    audio: Path | None,
    metadata: Metadata,
    inputs: Mapping[str, Sequence[str]],
    around_s: float,
) -> list[EditClip]:
    """The stretches of hits; a recording without audio is a file of its name."""
    places = audio_of((hit.file for hit in hits), audio, metadata, inputs)
    durations_s = {hit.file: _duration_s(hit, places[hit.file]) for hit in hits}
    clips = []
    for hit in hits:
        place = places[hit.file]
        named = hit.metadata.get(AUDIO, "").replace("\\", "/").rpartition("/")[2]
        ends_s = durations_s[hit.file]
        clips.append(
            EditClip(
                str(place.absolute()) if place else named or hit.file,
                max(0.0, hit.start_s - around_s),
                min(hit.start_s + hit.duration_s + around_s, ends_s or math.inf),
                hit.start_s,
                hit.term,
                f"{hit.probability:.0%} {_said(hit)}",
                ends_s,
            )
        )
    return clips


def _duration_s(hit: Hit, place: Path | None) -> float | None:
    """The duration of a hit's audio file, of the index or of the file itself."""
    known = hit.metadata.get(DURATION_S, "")
    if NUMBER.fullmatch(known):
        return float(known)
    return facts_of(place).duration_s if place else None
