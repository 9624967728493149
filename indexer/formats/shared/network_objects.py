"""Read lines of our own JSON one by one: slow, but errors are precise.

parse_strictly    lines -> utterances
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unicodedata import normalize

from indexer.networks.builder import NetworkBuilder
from indexer.networks.raw import RawUtterances
from std.errors import InputError
from std.fields import shown, text
from std.json_fields import DECODER
from std.ranges import MAX_CHANNEL
from std.repairs import REFUSED, UNKNOWN, Repairs
from std.values import Recording

BLANK = re.compile(r"[ \t\n\r\f\v]")
ONE_A_LINE = "one JSON object per line and utterance"
JQ = "jq -c .[] FILE writes the objects of a list so, jq -c . FILE any others"


def parse_strictly(
    lines: Iterable[tuple[int, bytes]],
    path: Path | str,
    recording: Recording,
    repairs: Repairs = REFUSED,
) -> RawUtterances:
    """Read utterances one by one.

    Args:
        lines: 1-based line number and content.
        path, recording: as for `parse`.
        repairs: counts the repairs.

    Raises:
        InputError: the first line that is invalid.
    """
    builder = NetworkBuilder(path, repairs=repairs)
    for at, line in lines:
        if line.strip():
            try:
                network = DECODER.decode(text(path, at, line))
            except (ValueError, RecursionError) as error:
                if at == 1 and line.strip() in (b"{", b"[", b"[{"):
                    raise InputError(path, at, ONE_A_LINE, "JSON of several lines", JQ) from error
                raise InputError(path, at, f"JSON ({error})", shown(line.strip())) from error
            if isinstance(network, list):
                raise InputError(path, at, ONE_A_LINE, "a list", JQ)
            _read(builder, at, _Object(path, at, network), recording)
    return builder.columns()


def _read(builder: NetworkBuilder, at: int, network: "_Object", recording: Recording) -> None:
    file = normalize("NFC", network.name("file", recording.file))
    where = Recording(file, network.channel(recording.channel))
    language = network.content.get("language", "")
    builder.language = network.string(language, "language") if language else ""
    speaker = network.content.get("speaker", "")
    builder.speaker = network.string(speaker, "speaker") if speaker else ""
    builder.utterance(at, where, network.name("utt"), *network.span("start", "end"))
    for slot in map(network.inner, network.array("slots")):
        epsilon = slot.content.get("eps", 0.0)
        error_s = slot.number(slot.content.get("err", 0.0), "err")
        builder.slot(at, *slot.span("s", "e"), slot.number(epsilon, "eps"), error_s=error_s)
        for row in slot.array("w"):
            if not isinstance(row, list) or len(row) not in (2, 4):
                raise InputError(builder.path, at, "[word, posterior, start, end]", _json(row))
            times = [slot.number(time, "a word's time") for time in row[2:]] or [UNKNOWN, UNKNOWN]
            builder.word(at, slot.word(row[0]), slot.number(row[1], "a posterior"), *times)


class _Object:
    """A JSON object whose errors name its place."""

    def __init__(self, path: Path | str, line: int, content: Any) -> None:
        if not isinstance(content, dict):
            raise InputError(path, line, "a JSON object", _json(content))
        self.path, self.line, self.content = path, line, content

    def inner(self, content: Any) -> "_Object":
        return _Object(self.path, self.line, content)

    def number(self, value: Any, what: str) -> float:
        if not isinstance(value, int | float):
            raise InputError(self.path, self.line, f"a number as {what}", _json(value))
        return float(min(value, 1e300)) if value > 0 else float(max(value, -1e300))

    def string(self, value: Any, what: str) -> str:
        if not isinstance(value, str) or not value or not _is_text(value):
            raise InputError(self.path, self.line, f"text as {what}", _json(value))
        return value

    def word(self, value: Any) -> str:
        word = self.string(value, "a word")
        if BLANK.search(word):
            raise InputError(self.path, self.line, "a word without blanks", _json(value))
        return word

    def name(self, key: str, default: str | None = None) -> str:
        if default is None:
            self.require(key)
        return self.string(self.content.get(key, default), key)

    def channel(self, default: int) -> int:
        value = self.content.get("channel", default)
        if type(value) is not int or not 0 <= value <= MAX_CHANNEL:
            raise InputError(self.path, self.line, "a channel number", _json(value))
        return value

    def span(self, start: str, end: str) -> tuple[float, float]:
        if start not in self.content and end not in self.content:
            return UNKNOWN, UNKNOWN
        first, last = (self.number(self.content.get(key), key) for key in (start, end))
        return first, last

    def require(self, key: str) -> None:
        if key not in self.content:
            keys = ", ".join(self.content)
            raise InputError(self.path, self.line, f'the key "{key}"', f"the keys {keys}")

    def array(self, key: str) -> list[Any]:
        self.require(key)
        value = self.content.get(key)
        if not isinstance(value, list):
            raise InputError(self.path, self.line, f'a list "{key}"', _json(value))
        return value


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:  # half a surrogate pair
        return False
    return True


def _json(value: Any) -> str:
    return json.dumps(value)
