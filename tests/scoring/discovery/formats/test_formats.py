"""Class files, alignments, folds and talkers: what is read, and what is refused and where."""

import io

import pytest

from scoring.discovery import formats
from std.errors import InputError


def read(parse, text):
    return parse(io.BytesIO(text.encode()), "file")


def members(text):
    """{class id: [(file, onset, offset)]} as read."""
    found = read(formats.parse_classes, text)
    rows = found.spans
    result = {name: [] for name in found.ids}
    for i, one in enumerate(found.member_of.tolist()):
        span = (rows.files[rows.file[i]], float(rows.onset_s[i]), float(rows.offset_s[i]))
        result[found.ids[one]].append(span)
    return result


PLAIN = {"0": [("a", 0.5, 1.0), ("b", 2.0, 2.25)], "x": [("a", 0.5, 1.0)]}
SAME_CLASSES = [
    ("plain", "Class 0\na 0.5 1\nb 2 2.25\n\nClass x\na 0.5 1\n\n"),
    ("no last blank line", "Class 0\na 0.5 1\nb 2 2.25\n\nClass x\na 0.5 1\n"),
    ("no last newline", "Class 0\na 0.5 1\nb 2 2.25\n\nClass x\na 0.5 1"),
    ("two blank lines", "Class 0\na 0.5 1\nb 2 2.25\n\n\nClass x\na 0.5 1\n\n\n"),
    ("double blanks, tabs", "Class  0\na  0.5 1\nb\t2\t2.25\n\nClass x\n a 0.5 1 \n"),
    ("CRLF and a mark", "Class 0 mark\r\na 0.5 1\r\nb 2 2.25\r\n\r\nClass x\r\na 0.5 1\r\n"),
    ("byte order mark", "\ufeffClass 0\na 0.5 1\nb 2 2.25\n\nClass x\na 0.5 1\n"),
]


@pytest.mark.parametrize(("name", "text"), SAME_CLASSES)
def test_classes_tolerant(name, text):
    assert members(text) == PLAIN


def test_classes_keep_repeated_members_and_empty_classes():
    text = "Class 1\n\nClass 2\na 0 1\na 0 1\n\n"
    assert members(text) == {"1": [], "2": [("a", 0.0, 1.0), ("a", 0.0, 1.0)]}


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_says_that_nothing_was_discovered(text):
    assert members(text) == {}


def test_a_file_may_be_named_class_something():
    assert members("Class 1\nClassroom 0 1\n") == {"1": [("Classroom", 0.0, 1.0)]}


REFUSED_CLASSES = [
    ("member first", "a 0 1\n", 1, "a header"),
    ("member after the blank line", "Class 0\n\na 0 1\n", 3, "a header"),
    ("no blank line before header", "Class 0\na 0 1\nClass 1\n", 3, "a blank line before"),
    ("id twice", "Class 0\na 0 1\n\nClass 0\na 0 1\n", 4, "other than line 1's"),
    ("no id", "Class\n", 1, "Class and its id"),
    ("no line feeds", "Class 0\ra 0 1\ra 1 2\r", 1, "lines that end with a line feed"),
    ("four fields", "Class 0\na 0 1 2\n", 2, "file onset offset"),
    ("offset before onset", "Class 0\na 1 0.5\n", 2, "an offset after the onset"),
    ("offset is onset", "Class 0\na 1 2\na 1 1\n", 3, "an offset after the onset"),
    ("no number", "Class 0\na 1 two\n", 2, "onset and offset in seconds"),
    ("not finite", "Class 0\na 1 nan\n", 2, "onset and offset of at most 1000000000 s"),
]


@pytest.mark.parametrize(("name", "text", "line", "expected"), REFUSED_CLASSES)
def test_classes_strict(name, text, line, expected):
    with pytest.raises(InputError) as caught:
        read(formats.parse_classes, text)
    assert caught.value.line == line
    assert expected in caught.value.expected


def test_alignment_is_sorted_and_repeated_lines_count_once():
    tier = read(formats.parse_alignment, "b 1 2 y\n\na 3  4 x\nb 0 1 x\nb 1 2 y\n")
    rows = tier.spans
    assert [rows.files[i] for i in rows.file] == ["a", "b", "b"]
    assert rows.onset_s.tolist() == [3, 0, 1]
    assert [tier.labels[i] for i in tier.label] == ["x", "x", "y"]
    assert rows.line.tolist() == [3, 4, 1]


REFUSED_ALIGNMENTS = [
    ("nothing", "\n", 0, "at least one line"),
    ("three fields", "a 0 1 x\na 1 2\n", 2, "file onset offset symbol"),
    ("one inside the other", "a 0 3 x\na 1 2 y\n", 2, "line 1 is one label"),
    ("two at one place", "a 0 3 x\na 0 3 y\n", 2, "line 1 is one label"),
    ("offset before onset", "a 2 1 x\n", 1, "an offset after the onset"),
]


@pytest.mark.parametrize(("name", "text", "line", "expected"), REFUSED_ALIGNMENTS)
def test_alignments_strict(name, text, line, expected):
    with pytest.raises(InputError) as caught:
        read(formats.parse_alignment, text)
    assert caught.value.line == line
    assert expected in caught.value.expected


def test_labels_may_overlap_a_little():
    assert len(read(formats.parse_alignment, "a 0 1.001 x\na 1 2 y\n")) == 2


def test_folds():
    found = read(formats.parse_folds, "\na 0 1\na 2 3\n\n\nb 0 9")
    assert found.count == 2
    assert found.fold.tolist() == [0, 0, 1]


@pytest.mark.parametrize(("text", "line"), [("", 0), ("a 0\n", 1), ("a 0 1\n\na 3 2\n", 3)])
def test_folds_strict(text, line):
    with pytest.raises(InputError) as caught:
        read(formats.parse_folds, text)
    assert caught.value.line == line


def test_talkers():
    assert read(formats.parse_talkers, "a x\n\nb y\na x\n") == {"a": "x", "b": "y"}


@pytest.mark.parametrize(("text", "line"), [("a\n", 1), ("a x\nb y\na y\n", 3)])
def test_talkers_strict(text, line):
    with pytest.raises(InputError) as caught:
        read(formats.parse_talkers, text)
    assert caught.value.line == line
