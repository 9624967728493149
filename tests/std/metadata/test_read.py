"""Files of metadata as people write them, and one line for each mistake."""

import csv
import io
import json
import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import InputError
from std.metadata.read import parse

EXPECTED = {
    "news_01": {"title": "Evening; news", "date": "2024-01-31", "speaker": "Ada"},
    "news_02": {"title": 'The "second"', "date": "2024-02"},
    "news_03": {},
}


def read(content):
    if isinstance(content, str):
        content = content.encode()
    table = parse(io.BytesIO(content), "meta")
    return {file: table.values(file) for file in table.files}


def test_titles_above_a_table_and_empty_columns_do_not_count():
    assert read("Aufnahmen 2024;;\nDatei;Date;\na.mp3;2024;\n") == {"a": {"date": "2024"}}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_csv_of_every_kind(delimiter, line_end, encoding):
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=delimiter, lineterminator=line_end)
    writer.writerow(["Title", "Recording", "DATE", "speaker"])
    writer.writerow(["Evening; news", "radio/news_01.wav", "20240131", " Ada "])
    writer.writerow([])
    writer.writerow(['The "second"', "news_02", "2024-02", ""])
    writer.writerow(["", "news_03", "", ""])
    assert read(lines.getvalue().encode(encoding)) == EXPECTED


def test_json_of_every_kind():
    rows = [{"file": file, **values} for file, values in EXPECTED.items()]
    assert read(json.dumps(rows)) == EXPECTED
    assert read("\n".join(map(json.dumps, rows))) == EXPECTED
    assert read(json.dumps(EXPECTED)) == EXPECTED
    assert read('{"a": {"x": 1, "y": 2.50, "z": true, "w": null, "V": "1"}}') == {
        "a": {"x": "1", "y": "2.5", "z": "true", "v": "1"}
    }


def test_audio_names_the_recording_where_nothing_else_does():
    assert read("audio,title\nhttp://x/radio/a.mp3,A\n") == {
        "a": {"audio": "http://x/radio/a.mp3", "title": "A"}
    }
    assert read("audio,id\nhttp://x/radio/a.mp3,B\n") == {"B": {"audio": "http://x/radio/a.mp3"}}
    assert read("id\na\nb\n") == {"a": {}, "b": {}}


TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), max_size=9)


@given(st.dictionaries(st.from_regex("[a-z0-9]{1,8}", fullmatch=True), TEXTS, min_size=1))
def test_csv_and_json_say_the_same(rows):
    lines = io.StringIO()
    writer = csv.writer(lines)
    writer.writerows([("recording", "x"), *rows.items()])
    document = json.dumps([{"recording": file, "x": value} for file, value in rows.items()])
    assert read(lines.getvalue()) == read(document)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "meta: expected a header line and a line for each row, got an empty file"),
        ("title,date\nA,2024\n", "meta:1: expected a column that names the recordings: one of"),
        ("id,title\na,A\nb\n", "meta:3: expected 2 fields, as in the header, got '1: b'"),
        ("id,title\na,A\nb,B,C\n", "meta:3: expected 2 fields, as in the header, got '3: b,B,C'"),
        (
            "id,x\na,1\nb,2\na,3\n",
            "meta:4: expected each recording once (line 2 has it already), got",
        ),
        ("id,x\na,1\nradio/a.wav,3\n", "meta:3: expected each recording once (line 2 has it"),
        ("id,x,X\na,1,2\n", "meta:1: expected each column once, got 'x'"),
        ("id,,x\na,1,2\n", "meta:1: expected a name for every column, got none for column 2"),
        ("id,date\na,1/31/2024\n", "meta:2: expected a date as 2024, 2024-01, 2024-01-31 or"),
        ("id,date\na,20241341\n", "meta:2: expected a date as 2024"),
        ('id,x\na,1\nb,"2\n', "meta:3: expected fields quoted as in CSV, got unexpected end"),
        ('id,x\na,"1\n2"\nb\n', "meta:4: expected 2 fields"),
        ("id,x\n ,1\n", "meta:2: expected the name of a recording, got ''"),
        ("id,x\na,\x07\n", "meta:2: expected text without control characters in column x, got"),
        (
            b"id,x\na,1\nb,\x81\xff\xfd\n",
            "meta:3: expected UTF-8, UTF-16 or a known code page, got another",
        ),
        ('[{"id": "a"}, {"x": 1}]', "meta:1: expected a column that names the recordings"),
        (
            '{"id": "a"}\n{"id": "a"}',
            "meta:2: expected each recording once (line 1 has it already)",
        ),
        ('[{"id": "a", "x": [1]}]', "meta:1: expected text or a number at x, got '[1]'"),
        ('[{"id": "a", "x": 1, "x": 2}]', "meta:1: expected JSON (each key once, got x again)"),
        ('[{"id": 3}]', "meta:1: expected text at id, got '3'"),
        ('["a"]', "meta:1: expected a JSON object, got"),
        ('{"id": ', "meta:1: expected JSON"),
    ],
)
def test_mistakes(content, message):
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        read(content)
    assert "\n" not in str(caught.value)


@given(st.text('id,;"\n\t[]{}:ab1', max_size=40))
def test_any_text_is_read_or_refused(text):
    with suppress(InputError):
        assert all(name == name.lower() for values in read(text).values() for name in values)
