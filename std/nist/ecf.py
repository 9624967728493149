"""Experiment control files: which stretches of which recordings are searched and scored.

    <ecf source_signal_duration="340.00" language="english" version="1">
      <excerpt audio_filename="audio/x.sph" channel="1" tbeg="0.000" dur="340.000"
               source_type="bnews" language="english"/>
    </ecf>

``audio_filename`` becomes the recording's name by `std.nist.audio_names`: the folder and one
audio extension are dropped. ``language`` may be left out, of the excerpt or at all.
"""

from pathlib import Path
from typing import BinaryIO

from std.nist.audio_names import recording_name
from std.nist.xml import Attributes, Reader, decimal, declaration, encoded, escape, feed
from std.values import ECF, Excerpt, Recording

SOURCE_TYPES = ("bnews", "cts", "splitcts", "confmtg")


class _Reader(Reader):
    def __init__(self, path: Path | str) -> None:
        super().__init__(path)
        self.excerpts: list[Excerpt] = []
        self.depth = 0
        self.duration_s, self.language, self.version = 0.0, "", ""

    def start(self, tag: str, attributes: Attributes) -> None:
        if self.depth == 0:
            if tag != "ecf":
                self.fail("an <ecf>", f"<{tag}>")
            self.duration_s = self.number(attributes, "source_signal_duration", 0.0)
            self.language = attributes.get("language") or ""
            self.version = attributes.get("version") or ""
        elif self.depth == 1 and tag == "excerpt":
            self.excerpt(attributes)
        else:
            self.fail("an <excerpt>", f"<{tag}>")
        self.depth += 1

    def end(self, tag: str) -> None:
        self.depth -= 1

    def excerpt(self, attributes: Attributes) -> None:
        filename = self.required(attributes, "audio_filename")
        if not filename.strip():
            self.fail("the name of an audio file", filename)
        kind = self.required(attributes, "source_type")
        if kind not in SOURCE_TYPES:
            self.fail(f"source_type as {', '.join(SOURCE_TYPES)}", kind)
        self.excerpts.append(
            Excerpt(
                Recording(recording_name(filename), self.channel(attributes)),
                self.number(attributes, "tbeg"),
                self.number(attributes, "dur"),
                kind,
                (attributes.get("language") or "").strip(),
            )
        )


def parse(stream: BinaryIO, path: Path | str = "<stream>") -> ECF:
    """Read an ECF.

    Raises:
        InputError: not well formed, not an ECF, an attribute missing or malformed, no excerpt.
    """
    reader = _Reader(path)
    feed(stream, reader)
    if not reader.excerpts:
        reader.fail("at least one <excerpt>", "none")
    return ECF(tuple(reader.excerpts), reader.duration_s, reader.language, reader.version)


def dump(ecf: ECF, stream: BinaryIO, encoding: str = "UTF-8") -> None:
    """Write an ECF; ``audio_filename`` is the recording's name, without folder or extension."""
    lines = [
        declaration(encoding),
        f'<ecf source_signal_duration="{decimal(ecf.source_signal_duration_s)}" '
        f'language="{escape(ecf.language)}" version="{escape(ecf.version)}">\n',
    ]
    lines.extend(
        f'  <excerpt audio_filename="{escape(excerpt.recording.file)}" '
        f'channel="{excerpt.recording.channel}" tbeg="{decimal(excerpt.start_s)}" '
        f'dur="{decimal(excerpt.duration_s)}" '
        + (f'language="{escape(excerpt.language)}" ' if excerpt.language else "")
        + f'source_type="{excerpt.source_type}"/>\n'
        for excerpt in ecf.excerpts
    )
    stream.write(encoded("".join([*lines, "</ecf>\n"]), encoding))
