"""Tables that an index has printed (``std-store list --csv``) and a person has edited.

Such a table has columns of the index itself, which are no metadata, and a row for each channel of
a recording, while metadata belong to the audio file.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from std.errors import InputError
from std.limits import MAX_CHANNEL
from std.metadata.table import SPEAKER, Values
from std.values import Recording

CHANNEL_COLUMN = "channel"
LANGUAGE = "language"
OWN = ("speech_s", "words", "utterances", "times_estimated", "inputs")  # columns of the index
ALSO_OWN = (
    CHANNEL_COLUMN,
    "speakers",
    "phones_heard",
)  # beside these: alone they may be anything, as a TV channel
LEAST_OWN = 2

Row = tuple[int, str, Values]  # line, audio file, values by column


def own_columns(names: Sequence[str]) -> tuple[str, ...]:
    """Which columns are the index's own; none unless at least two of `OWN` are there.

    >>> own_columns(["recording", "channel", "words", "inputs", "title"])
    ('channel', 'words', 'inputs')
    >>> own_columns(["recording", "channel", "words"])
    ()
    """
    if len({*names} & {*OWN}) < LEAST_OWN:
        return ()
    return tuple(name for name in names if name in OWN or name in ALSO_OWN)


def rows_of_files(
    rows: Iterable[Row], own: Sequence[str], path: Path | str
) -> tuple[list[Row], dict[Recording, str]]:
    """The rows of recordings as one for each audio file, without the index's own columns.

    Args:
        rows: of a table.
        own: its columns that are the index's; none: it is no table that an index has printed.
        path: of the file, for messages.

    Returns:
        the rows; and the languages of recordings: whether they are what the index has found
        itself or what a person has put there, only the index can tell.

    Raises:
        InputError: rows of one audio file say different things of it, or a recording is there
            twice.
    """
    if not own:
        return [*rows], {}
    lines: dict[str, int] = {}
    cells: dict[str, dict[str, str]] = {}
    languages: dict[Recording, str] = {}
    seen: set[Recording] = set()
    for line, file, values in rows:
        recording = Recording(file, _channel(values.get(CHANNEL_COLUMN, "1"), path, line))
        if recording in seen:
            raise InputError(path, line, "each recording once", "/".join(map(str, recording)))
        seen.add(recording)
        given = {name: value for name, value in values.items() if name not in own}
        if LANGUAGE in given:
            languages[recording] = given.pop(LANGUAGE)
        named = given.get(f"{SPEAKER}_{recording.channel}")
        # The list shows it as the speaker of the channel, too.
        if named and given.pop(SPEAKER, named) != named:
            column = f"{SPEAKER}_{recording.channel}"
            expected = f"the speaker of channel {recording.channel} in the column {column}"
            raise InputError(path, line, expected, values[SPEAKER])
        before = cells.setdefault(file, {})
        lines.setdefault(file, line)
        for name, value in given.items():
            if before.setdefault(name, value) != value:
                expected = f"{name} of {file} as in line {lines[file]}: it is of the whole file"
                raise InputError(path, line, expected, value)
    return [(lines[file], file, values) for file, values in cells.items()], languages


def _channel(text: str, path: Path | str, line: int) -> int:
    if not text.isdecimal() or int(text) > MAX_CHANNEL:
        raise InputError(path, line, "the number of a channel", text)
    return int(text)
