"""The table of metadata of added recordings: title, date, ..."""

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from std.errors import InputError, StoreError
from std.files import read
from std.metadata.read import parse
from std.metadata.table import NO_METADATA, Metadata, Values
from std.outputs import open_output


class MetadataTable:
    """The table in its file, a CSV that other programs may read and change."""

    def __init__(self, path: Path) -> None:
        """Name the file; it need not exist.

        Args:
            path: of the table.
        """
        self.path = path

    def read(self) -> Metadata:
        """The metadata of the recordings.

        Raises:
            StoreError: the table has other content, which another program has written.
        """
        try:
            return read(parse, self.path) if self.path.exists() else NO_METADATA
        except InputError as error:
            raise StoreError(str(error)) from error

    def describe(self, name: str, values: Mapping[str, str]) -> None:
        """Change the values of a recording; an empty one removes one.

        Raises:
            InputError: the disk is full, or a value is none that metadata may have.
        """
        rows = self._rows()
        self._write(rows | {name: {**rows.get(name, {}), **values}})

    def remove(self, name: str) -> None:
        """Remove a recording.

        Raises:
            InputError: the disk is full.
        """
        rows = self._rows()
        rows.pop(name, None)
        self._write(rows)

    def _rows(self) -> dict[str, Values]:
        before = self.read()
        return {file: before.values(file) for file in before.files}

    def _write(self, rows: Mapping[str, Values]) -> None:
        if not rows:  # a table without a row is none
            self.path.unlink(missing_ok=True)
            return
        content = metadata_file(rows)
        with open_output(self.path) as stream:
            stream.write(content)


def metadata_file(rows: Mapping[str, Mapping[str, str]]) -> bytes:
    """The content of the table of metadata.

    Args:
        rows: values by column, of each recording.

    Raises:
        InputError: a value is none that metadata may have.
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
