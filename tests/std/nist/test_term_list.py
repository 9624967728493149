import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import InputError
from std.nist import term_list
from std.values import Term, TermList

NIST = Path(__file__).parents[2] / "data" / "nist"


def parse(text, encoding="utf-8"):
    return term_list.parse(io.BytesIO(text.encode(encoding)), "terms.xml")


def kwlist(terms, header=""):
    return f"<kwlist{header}>\n{terms}\n</kwlist>"


def kw(text="a", term_id="T1", attributes=""):
    return f'<kw kwid="{term_id}"><kwtext>{text}</kwtext>{attributes}</kw>'


def test_reads_the_2013_dialect():
    with (NIST / "s9" / "kwlist.xml").open("rb") as stream:
        terms = term_list.parse(stream)
    assert len(terms.terms) == 40
    assert terms.terms[1] == Term("KW-00002", "wedekige rakonono", {"NGram Order": "2"})
    assert (terms.language, terms.version, terms.compare_normalize) == (
        "german",
        "seed9",
        "lowercase",
    )


def test_reads_the_2006_dialect():
    text = """<termlist ecf_filename="e.xml" language="english" version="1">
      <term termid="A"><termtext> dog
        house </termtext><terminfo><attr><name>Freq</name><value>7</value></attr>
        <attr><name>OOV</name><value/></attr></terminfo></term></termlist>"""
    assert parse(text) == TermList(
        (Term("A", "dog house", {"Freq": "7", "OOV": ""}),), "e.xml", "english", "1"
    )


def test_entities_are_decoded():
    assert parse(kwlist(kw("A&amp;T &#228;"))).terms[0].text == "A&T ä"


@pytest.mark.parametrize("encoding", ["GB2312", "gbk"])
def test_chinese_encodings(encoding):
    head = f'<?xml version="1.0" encoding="{encoding}"?>\n'
    # U+3400 is in GB18030 only: files declared GB2312 hold such characters all the same.
    terms = parse(head + kwlist(kw("中国 㐀"), f' encoding="{encoding}"'), "gb18030")
    assert terms.terms[0].text == "中国 㐀"
    assert terms.encoding == encoding


REFUSED = [
    ("root", "<ecf/>", "terms.xml:1: expected a <termlist> or a <kwlist>, got '<ecf>'"),
    ("no term", kwlist(""), "at least one term"),
    ("id twice", kwlist(kw() + "\n" + kw("b")), "terms.xml:3: expected every kwid once, got 'T1'"),
    ("no id", kwlist("<kw/>"), "an attribute kwid"),
    ("empty id", kwlist(kw(term_id=" ")), "a kwid"),
    ("no text", kwlist(kw(" ")), "words in <kwtext> of T1"),
    ("other dialect", kwlist("<term/>"), "<kw> in <kwlist>, got '<term>'"),
    ("nested", kwlist(kw("<b>x</b>")), "text only in <kwtext>, got '<b>'"),
    ("attribute", kwlist(kw("a", attributes="<kwinfo><x/></kwinfo>")), "<attr> in <kwinfo>"),
    ("nameless", kwlist(kw("a", attributes="<kwinfo><attr/></kwinfo>")), "a <name> in <attr>"),
    ("normalise", kwlist(kw(), ' compareNormalize="upper"'), 'compareNormalize as "lowercase"'),
    ("encoding", kwlist(kw(), ' encoding="klingon"'), "encoding as UTF-8, GB2312 or ASCII"),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0])
def test_refused(case):
    _, text, message = case
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "subset",
    ["", 'SYSTEM "{}"', '[<!ENTITY x SYSTEM "{}">]', '[<!ENTITY % y SYSTEM "{}">%y;]'],
)
def test_no_file_and_no_dtd_is_read(subset, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text('<!ENTITY x "leaked">')
    doctype = f"<!DOCTYPE kwlist {subset.format(secret.as_uri())}>"
    with pytest.raises(InputError) as caught:
        parse(doctype + kwlist(kw("&x;")))
    assert "terms.xml:1: expected a document without DOCTYPE" in str(caught.value)


words = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp", "Cn"]),
    min_size=1,
)


@given(
    st.lists(st.lists(words, min_size=1).map(" ".join), min_size=1),
    st.sampled_from(["std2006", "kws2013"]),
    st.sampled_from(["UTF-8", "GB2312", "ASCII", "gb2312-raw"]),
)
def test_what_is_written_is_read_back(texts, dialect, encoding):
    terms = tuple(Term(f"T{i}", text, {"a & b": text}) for i, text in enumerate(texts))
    value = TermList(terms, "e.xml", "de", "1", encoding, "")
    out = io.BytesIO()
    term_list.dump(value, out, dialect)
    out.seek(0)
    assert term_list.parse(out) == value
