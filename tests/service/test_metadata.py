"""The table of recordings: what is read of it, and what is refused by line."""

import pytest

from service.metadata import read_metadata
from std.errors import InputError


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_columns_by_file(tmp_path, separator):
    path = tmp_path / "recordings.csv"
    lines = ("file|title|date", 'a|"One, or|two"|2019', "b||", "", "c|Three")
    path.write_text("\ufeff" + "\n".join(lines).replace("|", separator), "utf-8")
    metadata = read_metadata(path)
    assert metadata.columns == ("title", "date")
    assert metadata.of("a") == {"title": f"One, or{separator}two", "date": "2019"}
    assert metadata.of("b") == metadata.of("nowhere") == {}
    assert metadata.of("c") == {"title": "Three"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", ":1: expected a header with 2 to 50 different names"),
        ("file\na\n", ":1: expected a header"),
        ("file,date,date\n", ":1: expected a header"),
        ("file,date\na,1\na,2\n", ":3: expected each recording once, got 'a'"),
        ("file,date\na,1,2\n", ":2: expected 2 columns, got '3'"),
    ],
)
def test_what_is_no_table(tmp_path, text, message):
    path = tmp_path / "recordings.csv"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_metadata(path)
    assert message in str(error.value)
