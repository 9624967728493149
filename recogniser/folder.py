"""The folder of the networks: finished recordings, unfinished ones, and the settings of the run.

    recognise.json        the settings; other ones in the same folder are refused
    sound.json            the same for the files of frames (`recogniser.sound`)
    NAME.jsonl.part       a recording under way, a line for each window
    NAME.jsonl            a finished recording
    ecf.xml               every finished recording and its true duration
    NAME.txt, NAME.json   what was said, for reading and for grep (`write_texts`)
    audio.json            which audio file each is from (`std.audio.facts`)

A line is a window, so after a crash a recording continues at the first block of windows that was
not completely written. The end of the last line is the recording's duration. NAME.json is Whisper's
own form; a window is a segment, with the likeliest word of each slot.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from std.errors import InputError, Unquoted
from std.files import unreadable
from std.json_fields import read_json
from std.nist.ecf import dump as dump_ecf
from std.outputs import make_folder, open_output, unwritable
from std.system import lock, locked_folder, sync_folder
from std.values import ECF, Excerpt, Recording

SETTINGS, SOUND_SETTINGS = "recognise.json", "sound.json"
ECF_NAME = "ecf.xml"
FINISHED, UNFINISHED = ".jsonl", ".jsonl.part"
ECF_VERSION = "std-recognise"

Line = Mapping[str, Any]  # what `recogniser.recording` needs of a file of networks


@contextmanager
def opened(folder: Path, settings: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Lock an output folder while recordings are written to it.

    Args:
        folder: made if it is not there.
        settings: by the names of their files.

    Raises:
        InputError: it cannot be written; another process writes to it; it was begun with other
            settings.
    """
    make_folder(folder)
    try:
        handle = locked_folder(folder)
    except BlockingIOError as error:
        raise InputError(
            folder, 0, "a folder that nobody writes to", Unquoted("another std-recognise at work")
        ) from error
    except OSError as error:
        raise unwritable(folder, "a folder to write to", error) from error
    try:
        there = [name for name in settings if (folder / name).exists()]
        for name in there:
            require_same(folder / name, settings[name])
        for name in settings.keys() - there:
            text = json.dumps(settings[name], indent=2, ensure_ascii=False)
            with open_output(folder / name) as sink:
                sink.write(text.encode() + b"\n")
        yield
    finally:
        os.close(handle)


def require_same(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse settings that differ from those with which a folder was begun.

    Raises:
        InputError: names the first key that differs.
    """
    begun = read_json(path).value
    if not isinstance(begun, dict):
        raise InputError(path, 0, "the settings of std-recognise", type(begun).__name__)
    wanted = json.loads(json.dumps(settings))
    for key in {**begun, **wanted}:
        if begun.get(key) != wanted.get(key):
            raise InputError(
                path,
                0,
                f"{key} = {json.dumps(begun.get(key))}, as this folder was begun with",
                json.dumps(wanted.get(key)),
                "take another folder for other settings",
            )


def finished(folder: Path, name: str) -> Path:
    """The file of a finished recording."""
    return folder / f"{name}{FINISHED}"


@contextmanager
def unfinished(folder: Path, name: str, block: int) -> Iterator[tuple[BinaryIO, list[Line]]]:
    """Open the file of an unfinished recording to append to it, and read its lines.

    An incomplete last line and the lines of an incomplete block are removed.

    Args:
        block: windows that are recognised together.
    """
    path = folder / f"{name}{UNFINISHED}"
    try:
        with path.open("ab+") as stream:
            lock(stream.fileno(), wait=True)  # a process whose command was killed may still end
            stream.seek(0)
            lines, size = _whole_blocks(stream, block)
            stream.truncate(size)
            stream.seek(size)
            yield stream, lines
    except OSError as error:
        raise unwritable(path, "a file that can be written", error) from error


def _whole_blocks(stream: BinaryIO, block: int) -> tuple[list[Line], int]:
    """The lines to keep, without their slots, and their size in bytes.

    Blocks are counted per channel. The last block of a channel may be shorter; it is complete if
    another channel follows.
    """
    lines: list[Line] = []
    ends: list[int] = []
    size = 0
    for raw in stream:
        if not raw.endswith(b"\n"):
            break
        try:
            line = orjson.loads(raw)
        except orjson.JSONDecodeError:
            break
        size += len(raw)
        line["words"] = len(line.pop("slots"))
        lines.append(line)
        ends.append(size)
    last = lines[-1]["channel"] if lines else 1
    of_last = sum(line["channel"] == last for line in lines)
    kept = len(lines) if lines and lines[-1].get("last") else len(lines) - of_last % block
    return lines[:kept], ends[kept - 1] if kept else 0


def finish(folder: Path, name: str, stream: BinaryIO) -> None:
    """Give a completely written recording its final name, and flush it to disk."""
    stream.flush()
    os.fsync(stream.fileno())
    settle(folder / f"{name}{UNFINISHED}", finished(folder, name))


def settle(part: Path, final: Path) -> None:
    """Give a flushed file its final name, and flush the folder.

    A process of an earlier run, for whose lock this one waited, may have done it.
    """
    if part.exists() or not final.exists():
        part.replace(final)
    sync_folder(final.parent)


def read_lines(path: Path, *, slots: bool = False) -> list[Line]:
    """Read the lines of a finished recording.

    Args:
        slots: whether to read the slots; if not, only their number.

    Raises:
        InputError: it cannot be read.
    """
    lines: list[Line] = []
    try:
        with path.open("rb") as stream:
            for at, raw in enumerate(stream, 1):
                try:
                    line = orjson.loads(raw)
                    line["words"] = len(line["slots"])
                    if not slots:
                        del line["slots"]
                except (orjson.JSONDecodeError, KeyError, TypeError) as error:
                    raise InputError(
                        path, at, "a network of std-recognise", Unquoted(str(error))
                    ) from error
                lines.append(line)
    except OSError as error:
        raise unreadable(path, error) from error
    return lines


def write_ecf(path: Path, excerpts: Sequence[Excerpt]) -> None:
    """Write the ECF of all finished recordings in one step."""
    if not excerpts:
        return
    ordered = sorted(excerpts, key=lambda excerpt: excerpt.recording)
    total_s = round(sum(excerpt.duration_s for excerpt in excerpts), 3)
    languages = {excerpt.language for excerpt in excerpts}
    language = languages.pop() if len(languages) == 1 else ""
    with open_output(path) as sink:
        dump_ecf(ECF(tuple(ordered), total_s, language, ECF_VERSION), sink)


def excerpts_of(lines: Sequence[Line]) -> list[Excerpt]:
    """Each channel of a recording, up to the end of its last window."""
    last = {line["channel"]: line for line in lines}
    return [
        Excerpt(Recording(line["file"], channel), 0.0, line["end"], language=line["language"])
        for channel, line in last.items()
    ]


def write_texts(networks: Path) -> None:
    """Write the text of a finished recording in both forms.

    Raises:
        InputError: they cannot be written.
    """
    segments = list(_segments(networks))
    text = "".join(f"{segment['text'].strip()}\n" for segment in segments if segment["text"])
    document = {
        "text": " ".join(segment["text"].strip() for segment in segments if segment["text"]),
        "language": segments[0]["language"] if segments else "",
        "segments": [{k: v for k, v in one.items() if k != "language"} for one in segments],
    }
    with open_output(networks.with_suffix(".json")) as sink:
        sink.write(json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n")

    with open_output(networks.with_suffix(".txt")) as sink:
        sink.write(text.encode())  # written last: if it exists, both files exist


def _segments(networks: Path) -> Iterator[dict[str, Any]]:
    with networks.open("rb") as stream:
        for number, raw in enumerate(stream):
            line = orjson.loads(raw)
            words = [
                {"word": f" {word}", "start": start, "end": end, "probability": posterior}
                for slot in line["slots"]
                for word, posterior, start, end in slot["w"][:1]
                if posterior >= slot["eps"]
            ]
            yield {
                "id": number,
                "channel": line["channel"],
                "start": line["start"],
                "end": line["end"],
                "text": line.get("text", "".join(word["word"] for word in words)),
                "language": line.get("language", ""),
                "words": words,
            }
