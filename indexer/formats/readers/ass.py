"""ASS and SSA captions, of Aegisub, ffmpeg, yt-dlp and karaoke tools.

    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
    Dialogue: 0,0:00:00.50,0:00:01.40,Default,Anna,0,0,0,,{\\k40}Purple {\\k50}carrots\\Ngrow

Comments and drawings are passed over; styles are taken out; ``Name`` is the speaker. Where a
caption has ``\\k`` before each of its parts, their lengths in hundredths of a second, the words
have these times.

Source: pysubs2, which reads the file.
"""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.caption_text import joined
from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_names import spoken_cues
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.encodings import as_utf8, decoded
from std.errors import InputError
from std.files import content_of
from std.ranges import MAX_UTTERANCE_BYTES

_SCRIPT = re.compile(rb"\s*(?:;[^\n]*\n\s*)*\[Script Info\]|.{0,9999}^\[Events\]", re.S | re.M)
_STYLE = re.compile(r"(?m)^Style:.*$")  # which nobody hears, and programs write in many ways
_EVENT = re.compile(r"(?m)^(?:Dialogue|Comment):")
_PART = re.compile(r"\{[^{}]*?\\[kK][fot]?(\d{1,6})[^{}]*\}([^{]*)")


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is ASS or SSA."""
    return _SCRIPT.match(as_utf8(head)) is not None


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's captions as utterances, in order.

    Raises:
        InputError: there is no caption, or the file is no such script.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    text = decoded(content, path, options.repairs, options.encoding)
    recording = recording_for(path, options)
    cues = spoken_cues(_cues(text, path), options.speaker_names)
    yield from utterances_of_cues(cues, path, recording, options)


def _cues(text: str, path: Path | str) -> Iterator[Cue]:
    from pysubs2 import SSAFile
    from pysubs2.exceptions import Pysubs2Error

    form = "ass" if re.search(r"(?im)^\[V4\+ Styles\]|^ScriptType:\s*v4\.00\+", text) else "ssa"
    try:
        with warnings.catch_warnings():  # of margins and layers, which nobody hears
            warnings.simplefilter("ignore")
            events = SSAFile.from_string(_STYLE.sub("", text), format_=form).events
    except (Pysubs2Error, ValueError, KeyError, IndexError, AttributeError, TypeError) as error:
        raise InputError(path, 0, "ASS or SSA captions", str(error)) from error
    lines = [text.count("\n", 0, found.start()) + 1 for found in _EVENT.finditer(text)]
    numbered = zip(events, [*lines, *[0] * len(events)], strict=False)
    for event, line in numbered:
        if event.is_comment or event.is_drawing:
            continue
        start_s, end_s, who = event.start / 1000, event.end / 1000, event.name.strip()
        cue = Cue(line, start_s, end_s, event.text, speaker=who)
        parts = list(_PART.finditer(event.text))
        yield cue._replace(words=_words(parts, start_s, who)) if len(parts) > 1 else cue


def _words(parts: list[re.Match[str]], start_s: float, speaker: str) -> list[HypothesisWord]:
    """Make words of the parts of a karaoke line."""
    pieces = []
    for part in parts:
        end_s = start_s + int(part[1]) / 100
        pieces.append(HypothesisWord(part[2].replace("\\N", " "), 1.0, start_s, end_s, speaker))
        start_s = end_s
    return [word for word in joined(pieces) if word.token]


READER = FormatReader(
    name="ass",
    title="ASS, SSA",
    section="captions",
    content="captions; words with times, if it is karaoke",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b"[Script Info]\n"
        b"ScriptType: v4.00+\n"
        b"\n"
        b"[Events]\n"
        b"Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
        b"Dialogue: 0,0:00:00.00,0:00:00.65,Default,Anna,0,0,0,,Das Haus.\n"
    ),
    words=("Das", "Haus"),
)
