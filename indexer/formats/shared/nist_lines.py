"""Lines of NIST's texts, CTM and STM: the recording they name, and what similar texts lack.

recording_in       the first two fields of a line -> the recording
is_time            whether a field is a time
lacks_of_a_ctm     a text that is none -> what its lines lack
"""

import re
from pathlib import Path

from std.errors import InputError
from std.fields import shown, text
from std.nist.audio_names import recording_name
from std.ranges import CHANNEL
from std.values import Recording

MOST_FIELDS = 20  # of a line that may be meant as a CTM's, rather than prose
LEAST_GOOD = 0.9  # of a file's first lines
RTTM_TYPES = (  # of lines, NIST's "RTTM file format" of 2009
    rb"SPEAKER|LEXEME|SPKR-INFO|NON-LEX|NON-SPEECH|SU|NOSCORE|NO_RT_METADATA|SEGMENT|FILLER|EDIT"
    rb"|IP|CB|A/P"
)
_HEADSET = re.compile(rb"[A-Z](\d{1,2})")


def recording_in(path: Path | str, line: int, fields: list[bytes]) -> Recording:
    """Read the recording from the first two fields of a line of NIST's: a file, a channel.

    Raises:
        InputError: the second is no letter, no number and no headset such as ``h02``.
    """
    channel = fields[1].upper()
    if headset := _HEADSET.fullmatch(channel):
        channel = headset[1]
    if len(channel) == 1 and b"A" <= channel <= b"Z":
        channel = b"%d" % (channel[0] - ord("A") + 1)
    try:
        number = int(CHANNEL.read(shown(channel)))
    except ValueError as error:
        expected = f"a channel, a letter or a number from {CHANNEL}"
        raise InputError(path, line, expected, shown(fields[1])) from error
    return Recording(recording_name(text(path, line, fields[0])), number)


def is_time(token: bytes) -> bool:
    """Whether a field is a time, or the ``*`` of a mark."""
    try:
        return token == b"*" or float(token) >= -1  # nan is none
    except ValueError:
        return False


def lacks_of_a_ctm(head: bytes) -> str:
    """Return what lines lack to be a CTM's, if most look like one."""
    lines = head.splitlines(keepends=True)
    whole = lines[:-1] if len(lines) > 1 and head[-1:] != b"\n" else lines
    rows = [fields for line in whole if (fields := line.split())]
    numbers = [sum(_is_number(token) for token in fields) for fields in rows]
    alike = sum(
        count > 1 and 2 < len(row) <= MOST_FIELDS for count, row in zip(numbers, rows, strict=True)
    )
    if 2 * alike <= len(rows):
        return ""
    wanted = "file channel start duration word [confidence]"
    for at, row in enumerate(rows, start=1):
        if not 5 <= len(row) <= 8:
            return f"{wanted} in line {at}, which has {len(row)} fields"
        if not (_is_number(row[2]) and _is_number(row[3])):
            return f"{wanted} in line {at}, whose third and fourth fields are no numbers"
    return ""


def _is_number(token: bytes) -> bool:
    return bool(re.fullmatch(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", token))
