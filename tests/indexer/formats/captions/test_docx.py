"""Transcripts in Word documents: lines with times, tables, damage."""

import io
import random
import tracemalloc
from contextlib import suppress

import pytest

from indexer.formats.detect import detect, parse_file
from indexer.formats.readers.docx import parse
from indexer.formats.shared.reader import ReaderOptions
from std.errors import ForeignFileError, InputError
from std.repairs import Repairs
from tests.indexer.formats.captions.word import NAMESPACE, archive, word_document

ANNA, BOB = (0, "purple carrots", "Anna Smith"), (5000, "green beans", "Bob Jones")
HEADING = [["Meeting in General-20240102_100000-Meeting Recording"], ["January 2, 2024, 10:00AM"],
           ["45m 3s"], [""], ["Anna Smith started transcription"]]  # fmt: skip
SHAPES = {
    "teams": [*HEADING, ["Anna Smith   0:00\npurple carrots"], [""],
              ["Bob Jones   0:05\ngreen beans"]],
    "word": [["Audio file"], ["talk.wav"], ["Transcript"], ["00:00:00 Anna Smith"],
             ["purple carrots"], ["00:00:05 Bob Jones"], ["green beans"]],
    "above": [["Bob and Anna"], ["Anna Smith:"], ["[00:00:00]"], ["purple carrots"],
              ["Bob Jones:"], ["[00:00:05]"], ["green beans"]],
    "table": [["Timestamp", "Speaker", "Transcript"], ["00:00:00", "Anna Smith", "purple carrots"],
              ["00:00:05", "Bob Jones", "green\nbeans"]],
}  # fmt: skip


def read(tmp_path, content):
    (tmp_path / "talk.docx").write_bytes(content)
    blocks = parse_file(tmp_path / "talk.docx", options=ReaderOptions(repairs=Repairs()))
    return [one for block in blocks for one in block]


@pytest.mark.parametrize("shape", SHAPES)
def test_transcripts_are_read(tmp_path, shape):
    content = word_document(SHAPES[shape])
    assert detect(content[: 1 << 16], "x") == "docx"
    found = read(tmp_path, content)
    assert [(one.start_ms, " ".join(one.words), one.speaker) for one in found] == [ANNA, BOB]
    assert {one.recording.file for one in found} == {"talk"}


def test_lines_of_people(tmp_path):
    said = [("Anna", "purple carrots"), ("Bob", "green beans"), ("Anna", "grow"), ("Bob", "well")]
    lines = [[f"[00:00:{at:02}] {who}: {what}"] for at, (who, what) in enumerate(said)]
    found = read(tmp_path, word_document(lines))
    assert [(one.speaker, " ".join(one.words)) for one in found] == said


@pytest.mark.parametrize(
    "form", ["{who}\t{time}\t{said}", "{who}: {said}\t{time}", "{who}: {said} [{time}]",
             "{who} {time}\n{said}", "{time}\t{who}\t{said}"]
)  # fmt: skip
def test_times_behind_tabs_and_at_the_end_of_lines(tmp_path, form):
    said = [("Anna", "purple carrots"), ("Bob", "green beans"), ("Anna", "grow"), ("Bob", "well")]
    lines = [
        [form.format(who=who, time=f"00:00:{5 * at:02}", said=what)]
        for at, (who, what) in enumerate(said)
    ]
    found = read(tmp_path, word_document(lines))
    assert [(one.speaker, " ".join(one.words)) for one in found] == said
    assert [one.start_ms for one in found] == [0, 5000, 10_000, 15_000]


def test_tables_without_headings(tmp_path):
    said = [("Anna", "purple carrots"), ("Bob", "green beans"), ("Anna", "grow"), ("Bob", "well")]
    rows = [[f"00:00:0{at}", who, what] for at, (who, what) in enumerate(said)]
    found = read(tmp_path, word_document(rows))
    assert [(one.speaker, " ".join(one.words)) for one in found] == said


def test_captions_pasted_into_word(tmp_path):
    lines = ["1", "00:00:00,500 --> 00:00:01,400", "purple carrots", "",
             "2", "00:00:02,500 --> 00:00:03,400", "grow"]  # fmt: skip
    found = read(tmp_path, word_document([[line] for line in lines]))
    assert [(one.start_ms, *one.words) for one in found] == [
        (500, "purple", "carrots"),
        (2500, "grow"),
    ]


def test_teams_of_2021(tmp_path):
    blocks = [
        [f"0:{at}:0.0 --> 0:{at}:3.120\n{name}\n{text}"]
        for at, (name, text) in enumerate(
            [("Anna Smith", "purple carrots"), ("Bob Jones", "green beans"),
             ("Anna Smith", "grow"), ("Bob Jones", "in winter\nor not")]
        )
    ]  # fmt: skip
    found = read(tmp_path, word_document(blocks))
    assert [(one.start_ms, one.end_ms, " ".join(one.words), one.speaker) for one in found] == [
        (0, 3120, "purple carrots", "Anna Smith"),
        (60_000, 63_120, "green beans", "Bob Jones"),
        (120_000, 123_120, "grow", "Anna Smith"),
        (180_000, 183_120, "in winter or not", "Bob Jones"),
    ]


def test_deleted_and_repeated_text_is_not_read(tmp_path):
    body = (
        "<w:p><w:r><w:t>Anna  0:00</w:t></w:r></w:p><w:p><w:del><w:r><w:delText>no</w:delText>"
        '</w:r></w:del><w:r><w:t>purple</w:t></w:r><x:Fallback xmlns:x="y"><w:r>'
        "<w:t>purple</w:t></w:r></x:Fallback></w:p>"
    )
    found = read(tmp_path, word_document([["Bob  0:05"], ["x"]], body))
    assert [word for one in found for word in one.words] == ["purple", "x"]


def test_a_letter_is_no_transcript(tmp_path):
    with pytest.raises(ForeignFileError, match="a Word document without"):
        read(tmp_path, word_document([["Dear Anna,"], ["let us meet at 10:00."], ["Bob"]]))


@pytest.mark.parametrize("time", ["nan", "inf", "1e300", "9999:00:01", "-0:01:00"])
def test_a_line_of_two_times_that_are_none_is_refused(tmp_path, time):
    rows = [f"0:0{minute}:00 --> 0:0{minute}:05\nAnna\npurple" for minute in range(3)]
    rows.insert(2, f"{time} --> {time}\nAnna\ngreen")
    with pytest.raises(InputError, match=":7: expected a time such as 0:05, got"):
        read(tmp_path, word_document([[line] for row in rows for line in row.split("\n")]))


def test_a_document_that_fills_the_memory_is_refused():
    xml = f'<w:document xmlns:w="{NAMESPACE}">' + " " * (1 << 28)
    content = archive({"word/document.xml": xml})
    del xml
    tracemalloc.start()
    with pytest.raises(InputError, match="at most 67108864 bytes"):
        list(parse(io.BytesIO(content), "talk.docx"))
    assert tracemalloc.get_traced_memory()[1] < 1 << 28
    tracemalloc.stop()


def test_damaged_documents_are_refused_or_read(tmp_path):
    content, chance = word_document(SHAPES["word"]), random.Random(7)
    for _ in range(300):
        at = chance.randrange(4, len(content))
        damaged = content[:at] + chance.choice([b"", b"\0", b"\xff", b"x"]) + content[at + 1 :]
        with suppress(InputError):
            read(tmp_path, damaged)
    for size in range(4, len(content), 40):
        with pytest.raises(InputError):
            read(tmp_path, content[:size])


def test_entities_are_refused(tmp_path):
    xml = f'<!DOCTYPE d [<!ENTITY a "b">]><w:document xmlns:w="{NAMESPACE}"/>'
    with pytest.raises(InputError, match="DOCTYPE"):
        read(tmp_path, archive({"word/document.xml": xml}))


def test_the_table_of_speech_is_found_among_others(tmp_path):
    heading = ["Start", "Dur.", "Speaker", "", "Transcription"]
    facts = [["Job Name", "call.wav"], ["Audio Duration", "0:03:02.9"], ["Speaker", "Q1", "Q2"]]
    page = [heading, ["0:00:00.4", "5.0s", "Agent", "", "purple carrots"]]
    following = [heading, ["0:00:06.3", "4.1s", "Customer", "", "green beans"]]
    content = word_document([*facts, ["A call"], *page, [""], *following, ["End"], ["x", "0:09"]])
    found = read(tmp_path, content)
    assert [(one.start_ms, one.end_ms, one.speaker, " ".join(one.words)) for one in found] == [
        (400, 5400, "Agent", "purple carrots"),
        (6300, 10400, "Customer", "green beans"),
    ]
