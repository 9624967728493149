"""Classes as files: a page with sound, and a class file of ZeroSpeech.

write_class_page    classes -> one HTML file without links to other files
write_classes       classes -> a class file, which std-discovery scores:

    Class 1
    KERSTIN_00 12.34 12.96
    KERSTIN_07 3.02 3.66
"""

import base64
from collections.abc import Mapping, Sequence
from itertools import starmap, zip_longest
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searcher.discovery.found import Discovered, DiscoveredClass, DiscoveredFragment
from std import __version__
from std.audio.files import NO_INPUTS, audio_of
from std.display.rows import templates
from std.errors import InputError, StdError
from std.metadata.table import NO_METADATA, Metadata
from std.numbers import clock, counted, with_channel
from std.outputs import open_output
from std.sound.files import SUFFIX, sound_name
from std.values import Recording

SHOWN_CLASSES = 300  # classes
HEARD = 8  # fragments of each class with sound
CLIP_MARGIN_S = 0.15  # on both sides
POLICY = "default-src 'none'; media-src data:; style-src 'unsafe-inline'; base-uri 'none'"


class _Row(NamedTuple):
    file: str
    time: str
    written: str
    sound: str  # a data: address; empty = no sound


def write_class_page(
    found: Discovered,
    path: str | PathLike[str],
    *,
    title: str,
    audio: str | PathLike[str] | None = None,
    metadata: Metadata = NO_METADATA,
    inputs: Mapping[str, Sequence[str]] = NO_INPUTS,
) -> tuple[str, ...]:
    """Write classes as a page; return the recordings of which it has no sound.

    Args:
        found: the classes.
        path: the path of the file.
        title: the title of the page.
        audio: folder of the recordings' audio; None: only what metadata name has sound.
        metadata: the metadata of the recordings: ``audio`` names a file.
        inputs: by recording, the recogniser output that it was read from.

    Raises:
        StdError: ``audio`` is not a folder, several files may be the audio of a recording, PyAV is
            not installed, or the file cannot be written.
    """
    shown = found.classes[:SHOWN_CLASSES]
    heard = (part.recording.file for one in shown for part in one.fragments[:HEARD])
    places = audio_of(heard, None if audio is None else Path(audio), metadata, inputs)
    silent: set[str] = set()
    classes = []
    for number, one in enumerate(shown, start=1):
        heading = f"{counted(len(one.fragments), 'fragment')}, {_length(one)}"
        wanted = [places[part.recording.file] for part in one.fragments[:HEARD]]
        rows = list(starmap(_row, zip_longest(one.fragments, wanted)))
        silent |= {row.file for row in rows[:HEARD] if not row.sound}
        classes.append({"number": number, "heading": heading, "note": _note(one), "rows": rows})
    left = len(found.classes) - len(classes)
    html = templates(__package__).get_template("classes.html").render(
        policy=POLICY, title=title, version=__version__, classes=classes, summary=found.summary,
        more=f"{left:,} more not shown" if left else "",
    )  # fmt: skip
    with open_output(Path(path)) as sink:
        sink.write(html.encode())
    return tuple(sorted(silent))


def _note(one: DiscoveredClass) -> str:
    """Describe a class: the share of it that words explain, and its proposed spelling."""
    spelt = f"; perhaps {one.spelling}" if one.spelling else ""
    if one.explained is None:
        return f"no words{spelt}"
    return f"{one.explained:.0%} explained by words{spelt}"


def _length(one: DiscoveredClass) -> str:
    return f"{np.mean([part.end_s - part.start_s for part in one.fragments]):.2f} s"


def _row(part: DiscoveredFragment, place: Path | None) -> _Row:
    sound = _sound(part, place) if place else ""
    return _Row(with_channel(*part.recording), clock(part.start_s), part.written, sound)


def _sound(part: DiscoveredFragment, place: Path) -> str:
    from std.audio.samples import RATES, samples, sound_file

    begin_s, end_s = max(0.0, part.start_s - CLIP_MARGIN_S), part.end_s + CLIP_MARGIN_S
    channel = part.recording.channel
    try:
        blocks = [*samples(place, RATES["ogg"], channel=channel, from_s=begin_s, to_s=end_s)]
    except InputError:
        return ""
    if not blocks:
        return ""
    content = base64.b64encode(sound_file(np.concatenate(blocks), "ogg")).decode()
    return f"data:audio/ogg;base64,{content}"


def write_classes(classes: Sequence[DiscoveredClass], path: str | PathLike[str]) -> None:
    """Write a class file; channels after the first have the names of their sound files.

    Args:
        classes: the classes in the order of their numbers.
        path: the path of the file.

    Raises:
        StdError: a recording's name has a space, or the file cannot be written.
    """
    lines = []
    for number, one in enumerate(classes, start=1):
        lines.append(f"Class {number}")
        for part in one.fragments:
            lines.append(f"{_name(part.recording)} {part.start_s:.3f} {part.end_s:.3f}")
        lines.append("")
    with open_output(Path(path)) as sink:
        sink.write("".join(f"{line}\n" for line in lines).encode())


def _name(recording: Recording) -> str:
    name = sound_name(recording).removesuffix(SUFFIX)
    if name.split() != [name]:
        raise StdError(
            f"class files separate by blanks: expected a recording without, got {name!r}"
        )
    return name
