"""Tables as spreadsheets write them, whatever reads them."""

import datetime
import io
import re
from contextlib import suppress

import pytest

from std import tables
from std.errors import InputError
from std.metadata.read import parse_cells
from std.nist import term_file
from std.nist.term_file import term_columns
from std.tables import CELL_ERRORS, OLD_OFFICE, read_table

openpyxl = pytest.importorskip("openpyxl")
ROWS = [["Name", "Partei"], ["Jürgen Möller", "SPD"], ["Ada, Gräfin", ""]]


def workbook(*sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets, start=1):
        sheet = book.create_sheet(f"Blatt {number}")
        for row in rows:
            sheet.append(row)
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


def text(delimiter, encoding, line_end="\r\n", first=""):
    rows = (delimiter.join(f'"{cell}"' if "," in cell else cell for cell in row) for row in ROWS)
    return (first + line_end.join(rows) + line_end).encode(encoding)


@pytest.mark.parametrize(
    "content",
    [
        *(text(one, "utf-8-sig") for one in ",;\t|"),
        text(";", "utf-16"),
        text("\t", "utf-16"),
        text(";", "cp1252"),
        text(",", "cp1252", "\n"),
        text(";", "mac_roman", "\r"),
        text(";", "utf-8", first="sep=;\r\n"),
        text(";", "cp1252", first="Namensliste, Stand 2024;;\r\n\r\nBegriffe\r\n"),
        text("\t", "utf-16", first="Namen\r\n"),
        text(";", "utf-8").replace(b"\r\n", b";;\r\n"),
        workbook([], ROWS, []),
        workbook([["Namen 2024"], [], *ROWS]),
    ],
)
@pytest.mark.parametrize("name", ["names", "names.csv", "names.txt"])
def test_every_kind_gives_the_same_terms(content, name):
    found = term_file.parse(io.BytesIO(content), name)
    assert [term.text for term in found.terms] == ["Jürgen Möller", "Ada, Gräfin"]
    assert [dict(term.attributes) for term in found.terms] == [{"Partei": "SPD"}, {}]
    assert found.column.startswith("column Name")


def terms(content, name="names.csv", column=None):
    content = content.encode() if isinstance(content, str) else content
    return term_file.parse(io.BytesIO(content), name, column=column)


def test_what_was_read_is_said():
    rows = [["Name", "x"], ["a"], ["a"], [None, "1"], ["b", 2.0]]
    found = terms(workbook(rows, [["further"]]), "names.xlsx")
    assert [(one.text, dict(one.attributes)) for one in found.terms] == [
        ("a", {}),
        ("b", {"x": "2"}),
    ]
    said = (
        "column Name of sheet Blatt 1 (1 row without one, 1 there twice, 1 further sheet not read)"
    )
    assert found.column == said
    assert terms("a\nb\n").column == ""
    assert terms("Name,Term\na,b\n").column == "column Term (not Name)"
    turned = terms("Name;x\nScholz, Olaf;1\nAda;2\n")
    assert turned.column == "column Name (1 with a comma, as Scholz, Olaf, searched in this order)"


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("Name,Partei", ["Name"]),
        ("term,party", ["term"]),
        ("Begriff,x", ["Begriff"]),
        ("Keyword,Count", ["Keyword"]),
        ("Nr,Search term", ["Search term"]),
        ("Full name,Ort", ["Full name"]),
        ("File name,Nachname", ["Nachname"]),
        ("Vorname,Nachname", ["Vorname", "Nachname"]),
        ("id,text,name", ["text"]),
        ("Partei,Jahr", []),
        ("Name,Term", ["Term"]),
        ("Name,Search term,Term count", ["Search term"]),
        ("Text,Name", ["Name"]),
        ("Keyword,Name,Term", ["Term"]),
        ("Keyword,Name,Begriff", ["Keyword", "Begriff"]),
        ("Name,Person", ["Name", "Person"]),
        ("Término,Año", ["Término"]),
        ("n,Mot-clé", ["Mot-clé"]),
        ("Schlüsselwort,Anzahl", ["Schlüsselwort"]),
        ("Trefwoord,Naam", ["Trefwoord"]),
        ("Imię,Nazwisko", ["Nazwisko"]),
    ],
)
def test_columns_of_terms(header, found):
    assert term_columns(header.split(",")) == found


@pytest.mark.parametrize(
    ("content", "name", "column", "message"),
    [
        (
            "Partei,Jahr\nSPD,1\n",
            "x.csv",
            None,
            "x.csv:1: expected a column of terms, called term, name, "
            "keyword, Begriff or the like, got 'Partei, Jahr'; call one of them term, or name it",
        ),
        ("berlin, mitte\nkiel, nord\n", "x.txt", None, "x.txt:1: expected a column of terms"),
        ("Vorname,Nachname\nA,B\n", "x.csv", None, "expected one column of terms, and not Vor"),
        ("Partei,Jahr\nSPD,1\n", "x.csv", "Name", "x.csv:1: expected one column Name, got 'Partei"),
        (
            "Name,Partei\nA\n",
            "x.csv",
            None,
            "x.csv:2: expected 2 fields, as in the header, got '1: A'",
        ),
        ("Namen\nParteien,Jahr\nSPD,1\n", "x.csv", None, "x.csv:2: expected 1 fields"),
        ("Name,Partei\nA,B,C\n", "x.csv", None, "x.csv:2: expected 2 fields, as in the header"),
        ("<kwlist/>", "x.xml", "Name", "expected a table with the column Name, got 'XML'"),
    ],
)
def test_nothing_is_guessed(content, name, column, message):
    with pytest.raises(InputError, match=re.escape(message)):
        terms(content, name, column)


def test_a_column_that_the_user_names():
    assert [one.text for one in terms("Partei,Jahr\nSPD,1\n", column="partei").terms] == ["SPD"]


@pytest.mark.parametrize("content", ['"Scholz, Olaf"\n', '"Scholz, Olaf"\n"Merkel, Angela"\n'])
@pytest.mark.parametrize("name", ["x.csv", "x.txt"])
def test_a_quoted_line_is_one_term(content, name):
    assert terms(content, name).terms[0].text == "Scholz, Olaf"


def test_cells_of_every_kind():
    day = datetime.datetime(2024, 1, 31)
    book = workbook([
        ["recording", "date", "n", "x", "yes", "noon", "long"],
        ["a.wav", day, 3.0, "'=1+1", True, day.replace(hour=12), datetime.timedelta(hours=30)],
        ["b", None, 2.5],
    ])  # fmt: skip
    assert parse_cells(io.BytesIO(book), "m.xlsx").rows == {
        "a": {
            "date": "2024-01-31", "n": "3", "x": "=1+1", "yes": "true",
            "noon": "2024-01-31T12:00:00", "long": "30:00:00",
        },
        "b": {"date": "", "n": "2.5", "x": "", "yes": "", "noon": "", "long": ""},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"PK\x03\x04 damaged", "x.xlsx: expected a whole workbook, got"),
        (OLD_OFFICE + b"rest", "got an .xls file, or one with a password; save it as"),
        (
            workbook([["Name"], ["=A1&1"]]),
            "Blatt 1:2: expected the value of a formula, got '=A1&1'",
        ),
        (workbook([]), "x.xlsx: expected a header line and a line for each row, got"),
        (workbook([["Name"], ["a", "b"]]), "x.xlsx:2: expected 1 fields, as in the header, got '2"),
    ],
)
def test_bad_workbooks(content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        read_table(content, "x.xlsx", lambda name: False)


@pytest.mark.parametrize("notes", [[["Notizen"], ["nur so"]], [["Jahr", "Ort"], [2024, "Ulm"]]])
def test_of_several_sheets_the_one_with_the_column(notes):
    found = terms(workbook(notes, [["Liste 2024"], ["Nr", "Begriff"], [1, "haus"]]), "x.xlsx")
    assert [one.text for one in found.terms] == ["haus"]
    assert found.column == "column Begriff of sheet Blatt 2 (1 further sheet not read)"


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_what_other_sheets_have_does_not_count(state):
    book = openpyxl.load_workbook(
        io.BytesIO(
            workbook([["Term"], ["old"]], [["Term"], ["new"]], [["Term"], ["=A1&1"], ["#N/A"]])
        )
    )
    book.worksheets[0].sheet_state, target = state, io.BytesIO()
    book.save(target)
    found = terms(target.getvalue(), "x.xlsx")
    assert [one.text for one in found.terms] == ["new"]
    assert found.column == "column Term of sheet Blatt 2 (2 further sheets not read)"


def test_rich_text_is_no_list():
    with pytest.raises(
        InputError, match=r"x\.txt:1: expected plain text or a table, got rich text"
    ):
        terms("{\\rtf1\\ansi\\ansicpg1252\n\\f0 haus\\\nboot}\n", "x.txt")


@pytest.mark.parametrize("error", sorted(CELL_ERRORS))
def test_the_error_of_a_formula_is_no_value(error):
    for rows in ([["term", "x"], ["haus", 1], ["boot", error]], [["term"], ["haus"], [error]]):
        with pytest.raises(
            InputError, match=re.escape("3: expected a value, got 'the error of a f")
        ):
            terms(workbook(rows), "x.xlsx")
    with pytest.raises(InputError, match=r"x\.csv:3: expected a term, got 'the error of a formula"):
        terms(f"n,term\n1,haus\n2,{error}\n", "x.csv")


def test_comments_in_a_table_are_counted():
    found = terms("name,party\n#metoo,x\nAda,y\n# Bo,z\n", "x.csv")
    assert [one.text for one in found.terms] == ["Ada"]
    assert found.column == "column name (2 lines with # left out)"


@pytest.mark.parametrize(
    ("content", "found", "column"),
    [
        ('["Polizei", "Burg  Anlage"]', ["Polizei", "Burg Anlage"], "column term"),
        ('[{"name": "Ada", "born": 1815}, {"name": "Bo"}]', ["Ada", "Bo"], "column name"),
        ('{"term": "a", "x": null}\n{"term": "b", "x": true}\n', ["a", "b"], "column term"),
        ("[noise]\nhaus\n", ["[noise]", "haus"], ""),
    ],
)
def test_json_lists(content, found, column):
    read = terms(content, "x.json")
    assert ([one.text for one in read.terms], read.column) == (found, column)


def test_members_of_json_objects_are_attributes():
    read = terms('[{"id": 7, "term": "a", "x": null, "y": true}, {"id": 8, "term": "b"}]', "x.json")
    assert [(one.term_id, one.attributes) for one in read.terms] == [
        ("7", {"y": "true"}),
        ("8", {}),
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('["a", 1]', "x.json:1: expected a JSON list of texts or of objects"),
        ('[["a"], ["b"]]', "x.json:1: expected a JSON list of texts or of objects"),
        ("[]", "x.json: expected a JSON document, got an empty list"),
        ('["a", "b"', "x.json:1: expected JSON"),
        ('[{"party": "x"}]', "x.json:1: expected a column of terms"),
        ('[{"term": ["a"]}]', "x.json:1: expected text or a number"),
    ],
)
def test_json_that_is_no_list_of_terms(content, message):
    with pytest.raises(InputError, match=re.escape(message)):
        terms(content, "x.json")


def test_a_damaged_workbook_is_read_or_refused():
    whole = workbook(ROWS)
    for at in range(0, len(whole), 97):
        damaged = whole[:at] + b"\xff" + whole[at + 1 :]
        for content in (damaged, whole[: at + 4]):
            with suppress(InputError):
                read_table(content, "x.xlsx", lambda name: False)


def test_a_stray_cell_far_below_costs_no_row_of_cells(monkeypatch):
    """Each empty row above it had a thousand cells: minutes for one at the end of a sheet."""
    book, content, read = openpyxl.Workbook(), io.BytesIO(), []
    book.active["A1"], book.active["A2"], book.active["C2000"] = "Term", "haus", "x"
    book.active["XFD3"] = "beyond the columns that are read"
    book.save(content)
    monkeypatch.setattr(tables, "_text", lambda value: read.append(value) or str(value or ""))
    found = tables.sheet_of(content.getvalue(), "terms.xlsx", bool).records
    assert found == [(1, ["Term"]), (2, ["haus"]), (2000, ["", "", "x"])]
    assert len(read) < 2 * tables.MAX_SHEET_COLUMNS
