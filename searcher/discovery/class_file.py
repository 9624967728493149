"""Classes as a class file of ZeroSpeech, which std-discovery scores.

    Class 1
    KERSTIN_00 12.34 12.96
    KERSTIN_07 3.02 3.66

write_classes    classes -> a file
"""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path

from searcher.discovery.found import DiscoveredClass
from std.errors import StdError
from std.outputs import open_output
from std.sound.files import SUFFIX, sound_name
from std.values import Recording


def write_classes(classes: Sequence[DiscoveredClass], path: str | PathLike[str]) -> None:
    """Write a class file; channels beside the first are named as their files of sound are.

    Args:
        classes: in the order in which they are numbered.
        path: of the file.

    Raises:
        StdError: a recording's name has a blank in it; the file cannot be written.
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
