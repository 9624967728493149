"""Check added files: the name must be safe, the content must fit it, metadata must be readable.

Sound must begin with the bytes of its file type and have an audio stream, and must contain nothing
else (a ZIP archive at its end, a page or a program at its beginning). `std-index --dry-run` reads
captions in a separate process before they are accepted.
"""

import csv
import io
import re
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import normalize

from service.problems import ProblemError
from std.audio.facts import facts_of
from std.audio.files import ENDS, is_audio
from std.errors import StdError, cut
from std.metadata.read import parse
from std.outputs import safe_name

Kind = Literal["sound", "captions"]

CAPTION_ENDS = (
    *(".vtt", ".srt", ".ass", ".ssa", ".ttml", ".dfxp", ".xml", ".json", ".jsonl", ".txt", ".csv"),
    *(".tsv", ".docx", ".eaf", ".exb", ".cha", ".textgrid", ".ctm", ".stm", ".mesh", ".slf"),
)
RESERVED = frozenset({"audio", "ecf", "recognise", "sound", "metadata"})
MAX_NAME = 400  # of a sent name
_MP4 = rb"....(ftyp|moov|mdat|wide|free|skip)"
_MATROSKA = rb"\x1a\x45\xdf\xa3"
_BEGINS = {  # first bytes by extension; other extensions: any audio
    **dict.fromkeys((".ogg", ".oga", ".opus"), rb"OggS"),
    **dict.fromkeys((".m4a", ".mp4", ".mov", ".3gp"), _MP4),
    **dict.fromkeys((".webm", ".mkv"), _MATROSKA),
    **dict.fromkeys((".aif", ".aiff"), rb"FORM....AIF"),
    ".mp3": rb"ID3|\xff[\xe0-\xff]",
    ".aac": rb"ADIF|ID3|\xff[\xf0-\xff]",
    ".wav": rb"RIFF....WAVE|RIFX|RF64",
    ".flac": rb"fLaC|ID3",
}
_FOREIGN_HEAD = re.compile(
    rb"<\s*(script|html|svg|iframe|!doctype|\?php)|%PDF-|PK\x03\x04|\x7fELF|javascript:",
    re.IGNORECASE,
)
_ZIP_END = b"PK\x05\x06"
HEAD_BYTES, ZIP_TAIL_BYTES = 1 << 16, (1 << 16) + 22


class Name(NamedTuple):
    """The name of a file that is added."""

    stem: str  # the name of the recording
    end: str  # lower case, with its dot
    kind: Kind
    title: str  # as the person wrote it, if that differs

    @property
    def file(self) -> str:
        """The file's name."""
        return f"{self.stem}{self.end}"


def name_of(text: str) -> Name:
    r"""The name of an added file.

    Raises:
        ProblemError: this kind of file is not accepted, or no permitted character is left.

    >>> name_of("C:\\tapes\\Interview 3.MP3")
    Name(stem='Interview_3', end='.mp3', kind='sound', title='Interview 3')
    >>> name_of("../../a.vtt").file
    'a.vtt'
    """
    base = re.split(r"[/\\]", normalize("NFC", text[:MAX_NAME]))[-1].strip()
    stem, dot, end = base.rpartition(".")
    end = f"{dot}{end}".lower()
    kind: Kind = "sound" if end in ENDS else "captions"
    if end not in ENDS and end not in CAPTION_ENDS:
        some = (
            f"sound ({', '.join(ENDS[:8])}, ...) or captions ({', '.join(CAPTION_ENDS[:4])}, ...)"
        )
        raise ProblemError(415, f"name: expected {some}, got {base[:80]!r}")
    safe = safe_name(stem)
    if not stem.strip(". ") or safe == "_":
        raise ProblemError(400, f"name: expected a name before its end, got {base[:80]!r}")
    if safe.casefold() in RESERVED:
        safe = f"{safe}_1"
    title = re.sub(r"[^\w .,;:!?&()\[\]+'’–-]+", " ", stem).strip()
    return Name(safe, end, kind, title if title != safe else "")


def require_free(
    name: Name,
    known: Collection[tuple[str, Kind]],
    is_taken: Callable[[str], bool] = lambda stem: False,
) -> None:
    """Refuse a second sound, or second captions, of a recording, and a name that differs in case.

    Args:
        known: the names of recordings, with the kinds of their files.
        is_taken: whether the index has another recording with a name.

    Raises:
        ProblemError: the name is taken.
    """
    same = [one for one in known if one[0].casefold() == name.stem.casefold()]
    is_there = any(stem != name.stem or kind == name.kind for stem, kind in same)
    if is_there or (not same and is_taken(name.stem)):
        raise ProblemError(409, f"there is a recording of the name {name.stem!r} already")


def require_sound(path: Path, name: Name, hours: float) -> None:
    """Refuse a file that is not sound, or contains something else, too.

    Args:
        hours: the longest duration.

    Raises:
        ProblemError: the file is not sound, contains something else, or is too long.
    """
    with path.open("rb") as stream:
        head = stream.read(HEAD_BYTES)
        stream.seek(max(0, stream.seek(0, 2) - ZIP_TAIL_BYTES))
        tail = stream.read()
    begins = _BEGINS.get(name.end)
    if not is_audio(path) or (begins and not re.match(begins, head.lstrip(b"\0"), re.DOTALL)):
        raise ProblemError(415, f"{name.file}: its content is no {name.end} file")
    if _FOREIGN_HEAD.search(head) or _ZIP_END in tail:
        raise ProblemError(415, f"{name.file}: there is something else than sound in it")
    try:
        facts = facts_of(path)
    except StdError as error:
        raise ProblemError(415, str(error).replace(str(path), name.file)) from error
    if (facts.duration_s or 0) > 3600 * hours:
        raise ProblemError(413, f"{name.file}: expected at most {hours:g} h of sound")
    if (facts.channels or 1) > 8:
        raise ProblemError(415, f"{name.file}: expected at most 8 channels, got {facts.channels}")


def require_captions(path: Path, name: Name) -> None:
    """Refuse a file that is not text, before another program reads it.

    Raises:
        ProblemError: the file is not text.
    """
    if is_audio(path):
        raise ProblemError(415, f"{name.file}: expected captions, got sound")
    with path.open("rb") as stream:
        is_zip = stream.read(4) == b"PK\x03\x04"
    if is_zip != (name.end == ".docx"):
        raise ProblemError(415, f"{name.file}: its content is no {name.end} file")


def require_words(report: Mapping[str, object], name: Name) -> None:
    """Refuse captions without words, or of other recordings than the one that is added.

    A file may name recordings itself, as CTM does. The index would then have recordings that nobody
    could describe or delete here.

    Args:
        report: of `std-index --dry-run --json`.

    Raises:
        ProblemError: there is no word, or another recording.
    """
    files = report.get("files")
    if not isinstance(files, list) or not any(one["postings"] for one in files):
        raise ProblemError(415, f"{name.file}: expected captions with words, got none")
    named = {recording["file"] for one in files for recording in one["recordings"]}
    if others := sorted(named - {name.stem}):
        expected = f"{name.file}: expected words of one recording, {name.stem}"
        raise ProblemError(415, f"{expected}, got those of {cut(', '.join(others))}")


def metadata_file(rows: Mapping[str, Mapping[str, str]]) -> bytes:
    """The content of the table of metadata.

    Raises:
        InputError: a value is not valid as metadata.
    """
    columns = sorted({column for row in rows.values() for column in row})
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["recording", *columns])
    for file, row in rows.items():
        table.writerow([file, *(row.get(one, "") for one in columns)])
    content = text.getvalue().encode()
    parse(io.BytesIO(content), "metadata")
    return content
