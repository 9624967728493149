"""Term lists of any kind."""

import gzip
import io

import pytest

from std.errors import InputError
from std.files import read
from std.nist import term_file, term_list
from std.values import Term, TermList


def parsed(text, name="terms.txt"):
    content = text if isinstance(text, bytes) else text.encode()
    return term_file.parse(io.BytesIO(content), name)


def test_a_term_a_line():
    text = "\ufeff# words\n\npolizei  gewalt \r\n  # no term\nrathaus\n日本\n"
    assert parsed(text) == TermList(
        tuple(Term(one, one) for one in ("polizei gewalt", "rathaus", "日本"))
    )


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv(delimiter):
    rows = ["# made by hand", "OOV,ID,Text", "no,T1,polizei gewalt", "", ",T2,rathaus"]
    text = "\n".join(rows).replace(",", delimiter)
    first, second = parsed(text).terms
    assert first == Term("T1", "polizei gewalt", {"OOV": "no"})
    assert second == Term("T2", "rathaus", {})


def test_csv_quotes():
    (one,) = parsed('termid,term\nT1,"a, ""b""\nc"\n').terms
    assert one == Term("T1", 'a, "b" c')


def test_a_transcript_with_times_is_no_term_list():
    with pytest.raises(InputError, match=r"terms\.txt:2: expected a term of a term list"):
        parsed("a\nLEXEME K_00 1 0.15 0.51 er lex k <NA>\n")
    with pytest.raises(InputError, match=r"terms\.txt:1: expected a term of a term list"):
        parsed("K_00 1 0.15 0.36 er 0.9\n")


def test_numbers_are_terms():
    texts = ["boeing 747 400 200", "version 2.1 and 2.2", "apollo 11 1969 1972", "1.5 2.5"]
    assert [one.text for one in parsed("\n".join(texts)).terms] == texts


def test_a_line_with_a_comma_is_a_term():
    assert [one.text for one in parsed("berlin, mitte\ntext\n").terms] == ["berlin, mitte", "text"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("dialect", ["std2006", "kws2013"])
def test_xml_is_xml(dialect, encoding):
    terms = TermList((Term("T1", "polizei gewalt", {"OOV": "1"}),), "ecf.xml", "german", "2")
    target = io.BytesIO()
    term_list.dump(terms, target, dialect)
    text = target.getvalue().decode()
    if encoding == "utf-16":
        text = text.replace('encoding="UTF-8"?', 'encoding="UTF-16"?')
    assert parsed(text.encode(encoding)) == terms


@pytest.mark.parametrize(("text", "message"), [
    ("", "terms.txt: expected at least one term, got none"),
    (" \n" * 9000, "terms.txt: expected at least one term, got none"),
    ("# nothing\n", "terms.txt: expected at least one term, got none"),
    ("a\n...\n", "terms.txt:2: expected a term with a letter or a digit, got '...'"),
    ("a\nb\na\n", "terms.txt:3: expected every term and id once, got 'a'"),
    ("id,text\nT1,a\nT1,b\n", "terms.txt:3: expected every term and id once, got 'T1'"),
    ("id,text\nT1,a,b\n", "terms.txt:2: expected 2 fields, as in the header, got '3: T1,a,b'"),
    ("id,text\n,a\n", "terms.txt:2: expected an id, got none"),
    ('id,text\nT1,"a\n', "terms.txt:2: expected fields quoted as in CSV"),
    ("a\nb\0c\n", "terms.txt:2: expected text, got a zero byte"),
    ("a\nb\x07c\n", "terms.txt:2: expected text without control characters"),
    (b"a\n\xff\n", "terms.txt:2: expected UTF-8, UTF-16 or a known code page, got cp1252 or"),
    ("<termlist>", "terms.txt"),
])  # fmt: skip
def test_bad_lists_are_refused(text, message):
    with pytest.raises(InputError) as caught:
        parsed(text)
    assert str(caught.value).startswith(message)


def test_from_a_compressed_file(tmp_path):
    path = tmp_path / "terms.txt"
    path.write_bytes(gzip.compress(b"rathaus\n"))
    assert read(term_file.parse, path).terms == (Term("rathaus", "rathaus"),)


def test_a_long_list_that_cannot_seek(tmp_path):
    import os
    import threading

    path = tmp_path / "fifo"
    os.mkfifo(path)
    lines = "".join(f"word {number}\n" for number in range(5000))
    writer = threading.Thread(target=path.write_text, args=(lines,))
    writer.start()
    assert len(read(term_file.parse, path).terms) == 5000
    writer.join(60)
