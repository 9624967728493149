import gzip
import io
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from std.errors import InputError, StdError
from std.nist import std_list
from std.nist.xml import decimal
from std.numbers import written
from std.values import Detections, Recording, STDList, TermSearch

NIST = Path(__file__).parents[2] / "data" / "nist"
HIT = '<kw file="f" channel="1" tbeg="0.5" dur="1" score="0.5" decision="YES"/>'


def kwslist(hits, header=""):
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<kwslist kwlist_filename="t.xml" '
        f'language="de" system_id="s"{header}>\n'
        f'<detected_kwlist kwid="T1" search_time="1.5" oov_count="NA">\n{hits}\n'
        f"</detected_kwlist></kwslist>\n"
    ).encode()


def parse(content, path="hits.xml"):
    return std_list.parse(io.BytesIO(content), path)


def rows(hits):
    found = hits.detections
    return [
        (found.terms[t], found.recordings[r], start, duration, score, yes)
        for t, r, start, duration, score, yes in zip(
            found.term.tolist(),
            found.recording.tolist(),
            found.start_s.tolist(),
            found.duration_s.tolist(),
            found.score.tolist(),
            found.yes.tolist(),
            strict=True,
        )
    ]


def test_reads_the_2013_dialect():
    with gzip.open(NIST / "s9" / "kwslist.xml.gz") as stream:
        hits = std_list.parse(stream)
    # 800 hits and 39 detected lists: counted with grep.
    assert (len(hits.detections), len(hits.searches)) == (800, 39)
    assert hits.system_id == "gen seed 9"
    assert hits.searches[0] == TermSearch(1.72, 0)


def test_reads_the_2006_dialect():
    text = b"""<?xml version="1.0" encoding="UTF-8"?>
<stdlist termlist_filename="t.xml" indexing_time="12.5" index_size="99" language="english"
         system_id="sys">
  <detected_termlist termid="A" term_search_time="0.25" oov_term_count="2">
    <term file="x" channel="2" tbeg="6.56" dur="0.22" score="-1.5e-3" decision="NO"/>
  </detected_termlist>
  <detected_termlist termid="B" term_search_time="0.5" oov_term_count="NA"/>
</stdlist>"""
    hits = parse(text)
    assert rows(hits) == [("A", ("x", 2), 6.56, 0.22, -0.0015, False)]
    assert hits.detections.terms == ("A", "B")
    assert hits.searches == (TermSearch(0.25, 2), TermSearch(0.5, None))
    assert (hits.indexing_time_s, hits.index_size_bytes) == (12.5, 99.0)
    assert (hits.term_list_filename, hits.language) == ("t.xml", "english")


@pytest.mark.parametrize("name", ["audio/f.sph", "f.wav", "f.FLAC", "f", "c:\\a\\f.mp3"])
def test_folder_and_audio_extension_are_dropped(name):
    assert rows(parse(kwslist(HIT.replace('"f"', f'"{name}"'))))[0][1] == ("f", 1)


@pytest.mark.parametrize("name", ["f.v1", "f.2006"])
def test_other_dots_belong_to_the_name(name):
    assert rows(parse(kwslist(HIT.replace('"f"', f'"{name}"'))))[0][1] == (name, 1)


@pytest.mark.parametrize(
    ("score", "value"), [("INF", np.inf), ("-INF", -np.inf), ("1e-3", 1e-3), (" 0.5 ", 0.5)]
)
def test_scores_are_schema_floats(score, value):
    assert parse(kwslist(HIT.replace('0.5" dec', f'{score}" dec'))).detections.score == [value]


def test_repeated_lists_of_a_term_are_joined():
    again = f'{HIT}</detected_kwlist><detected_kwlist kwid="T1" search_time="2" oov_count="3">{HIT}'
    hits = parse(kwslist(again))
    assert hits.detections.terms == ("T1",)
    assert len(hits.detections) == 2
    assert hits.searches == (TermSearch(3.5, 3),)


NEXT = "</detected_kwlist><detected_kwlist"
REFUSED = [
    # name, what is put in place of HIT, words of the message
    ("decision", HIT.replace("YES", "yes"), "hits.xml:4: expected decision as YES or NO"),
    ("nan", HIT.replace('"0.5" dec', '"NaN" dec'), "hits.xml:4: expected score as a number"),
    ("comma", HIT.replace('"0.5" dec', '"0,5" dec'), "score as a number, got '0,5'"),
    ("underscore", HIT.replace('"0.5" dec', '"1_0" dec'), "score as a number, got '1_0'"),
    ("no score", HIT.replace("score", "scoer"), "score as a number, got ''"),
    ("negative start", HIT.replace('tbeg="0.5"', 'tbeg="-1"'), "tbeg as a number from 0 to"),
    ("negative duration", HIT.replace('dur="1"', 'dur="-1"'), "dur as a number from 0 to"),
    ("infinite duration", HIT.replace('dur="1"', 'dur="INF"'), "dur as a number from 0 to"),
    ("no duration", HIT.replace("dur", "d"), "to 1000000000, got none"),
    ("channel", HIT.replace('channel="1"', 'channel="A"'), "0 to 9999, got 'A'"),
    ("endless", HIT.replace('dur="1"', 'dur="1e300"'), "to 1000000000, got '1e300'"),
    ("high score", HIT.replace('"0.5" dec', '"1e101" dec'), "1e+100, or INF, got '1e101'"),
    ("long channel", HIT.replace('channel="1"', f'channel="{"1" * 5000}"'), "channel as a whole"),
    ("long count", f'{NEXT} kwid="a" oov_count="{"1" * 5000}">', "oov_count as NA, or as"),
    ("no file", HIT.replace("file", "f"), "an attribute file"),
    ("empty file", HIT.replace('"f"', '"d/"'), "the name of a recording"),
    ("element", "<hit/>", "expected <kw>, got '<hit>'"),
    ("inside a hit", HIT.replace("/>", "><kw/></kw>"), "expected <kw>, got '<kw>'"),
    ("third line", f"{HIT}\n\n<kw/>", "hits.xml:6: "),
    ("list", "</detected_kwlist><kw>", "expected <detected_kwlist>, got '<kw>'"),
    ("list without id", "</detected_kwlist><detected_kwlist>", "an attribute kwid"),
    ("list with empty id", '</detected_kwlist><detected_kwlist kwid=" ">', "a kwid"),
    ("oov", f'{NEXT} kwid="a" oov_count="x">', "a whole number from 0 to 1000000000, got 'x'"),
    ("not well formed", "<kw", "well-formed XML"),
]  # fmt: skip


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case[0])
def test_refused(case):
    _, hits, message = case
    with pytest.raises(InputError) as caught:
        parse(kwslist(hits))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "hits.xml:1: expected an XML document, got an empty file"),
        (b"<ecf/>", "expected a <stdlist> or a <kwslist>, got '<ecf>'"),
        (b"plain text", "hits.xml:1: expected well-formed XML"),
        (kwslist(HIT)[:-20], "expected well-formed XML"),
        (kwslist("\xff").replace(b"\xc3\xbf", b"\xff"), "hits.xml:4: expected well-formed XML"),
        (kwslist(HIT, ' min_score="0"'), "min_score and max_score, both or neither"),
        (kwslist(HIT, ' min_score="1" max_score="0"'), "ascending"),
        (kwslist(HIT, ' min_score="0" max_score="0.4"'), "from min_score 0.0 to max_score 0.4"),
    ],
)
def test_refused_documents(content, message):
    with pytest.raises(InputError) as caught:
        parse(content)
    assert message in str(caught.value)


def test_an_external_entity_cannot_read_a_file(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("YES")
    doctype = f'<!DOCTYPE kwslist [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'.encode()
    for hit in (HIT.replace("YES", "&x;"), "<kw>&x;</kw>"):
        head, _, body = kwslist(hit).partition(b"\n")
        with pytest.raises(InputError) as caught:
            parse(head + b"\n" + doctype + body)
        assert "hits.xml:2: expected a document without DOCTYPE" in str(caught.value)


def test_a_billion_laughs_are_a_clean_error():
    entities = "".join(
        f'<!ENTITY {chr(98 + i)} "{"&" + chr(97 + i) + ";"}{("&" + chr(97 + i) + ";") * 9}">'
        for i in range(12)
    )
    doctype = f'<!DOCTYPE kwslist [<!ENTITY a "{"x" * 50}">{entities}]>'.encode()
    head, _, body = kwslist('<kw file="&m;"/>').partition(b"\n")
    with pytest.raises(InputError, match="without DOCTYPE"):
        parse(head + b"\n" + doctype + body)


def test_a_file_without_line_ends_is_read_in_pieces():
    content = kwslist(HIT * 3000).replace(b"\n", b" ")
    assert len(parse(content).detections) == 3000


def test_declared_score_range_and_gbk_round_trip():
    hits = STDList(
        Detections(
            ("词<&\"'>", "empty"),
            (Recording("录音", 1),),
            np.array([0], np.int32),
            np.array([0], np.int32),
            np.array([1e-7]),
            np.array([0.25]),
            np.array([-np.inf]),
            np.array([True]),
        ),
        (TermSearch(0.1, 4), TermSearch()),
        language="mandarin",
        system_id="𝄞 is not in GBK",
        score_range=(-np.inf, 1.0),
    )
    out = io.BytesIO()
    std_list.dump(hits, out, encoding="GBK")
    back = parse(out.getvalue())
    assert rows(back) == rows(hits)
    assert (back.system_id, back.searches, back.score_range) == (
        hits.system_id,
        hits.searches,
        hits.score_range,
    )


def test_nan_and_control_characters_are_not_written():
    hits = parse(kwslist(HIT))
    nan = STDList(
        Detections(
            ("a",), (Recording("f", 1),), *np.zeros((2, 1), np.int32), np.array([0.0]),
            np.array([0.0]), np.array([np.nan]), np.array([True]),
        ),
        (TermSearch(),),
    )  # fmt: skip
    with pytest.raises(ValueError, match="NaN"):
        std_list.dump(nan, io.BytesIO())
    with pytest.raises(StdError, match="control character"):
        std_list.dump(STDList(hits.detections, hits.searches, system_id="a\x00b"), io.BytesIO())


times = st.floats(0, 1e6)
hits_strategy = st.lists(
    st.tuples(
        st.integers(0, 2), st.integers(0, 1), times, times,
        st.one_of(st.floats(-1e100, 1e100), st.sampled_from([np.inf, -np.inf])), st.booleans(),
    )
)  # fmt: skip


@given(hits_strategy, st.sampled_from(["std2006", "kws2013"]))
def test_what_is_written_is_read_back(hits, dialect):
    columns = zip(*hits, strict=True) if hits else ((),) * 6
    term, recording, start, duration, score, yes = columns
    value = STDList(
        Detections(
            ("t a", "t&b", "т"),
            (Recording("f.v1", 1), Recording("f.v1", 2)),
            np.array(term, np.int32),
            np.array(recording, np.int32),
            np.array(start, float),
            np.array(duration, float),
            np.array(score, float),
            np.array(yes, bool),
        ),
        (TermSearch(0.5, 1), TermSearch(), TermSearch(2.0, 0)),
    )
    out = io.BytesIO()
    std_list.dump(value, out, dialect)
    back = parse(out.getvalue())
    # Terms in table order, hits of a term in their given order; scores have 12 digits.
    kept = replace(value, detections=replace(value.detections, score=np.array(written([*score]))))
    assert rows(back) == sorted(rows(kept), key=lambda row: value.detections.terms.index(row[0]))
    assert back.searches == value.searches


@given(
    st.lists(st.tuples(st.floats(0, 1e20), st.floats(0, 1), st.floats(), st.booleans())),
    st.integers(1, 5),
)
def test_a_column_is_written_as_each_of_its_numbers(hits, at_once):
    start, duration, score, yes = zip(*hits, strict=True) if hits else ((),) * 4
    score = np.nan_to_num(np.array(score, float), nan=0.5, posinf=np.inf, neginf=-np.inf)
    column = np.zeros(len(hits), np.int32)
    times = np.array(start, float), np.array(duration, float)
    found = Detections(
        ("a",), (Recording("f", 1),), column, column, *times, score, np.array(yes, bool)
    )
    out = io.BytesIO()
    with patch.object(std_list, "WRITE_HITS", at_once):
        std_list.dump(STDList(found, (TermSearch(),)), out)
    infinite = {"inf": "INF", "-inf": "-INF"}
    assert out.getvalue().decode().splitlines()[3:-2] == [
        f'    <kw file="f" channel="1" tbeg="{decimal(begin)}" dur="{decimal(length)}" '
        f'score="{infinite.get(text, text)}" decision="{"YES" if one else "NO"}"/>'
        for begin, length, one, text in zip(
            start, duration, yes, (repr(written(value)) for value in score.tolist()), strict=True
        )
    ]


@pytest.mark.parametrize("value", [3e-5, 0.0, -np.inf, -7.5])
def test_what_a_place_without_a_hit_is_worth(value):
    hits = replace(parse(kwslist(HIT)), default_score=value)
    out = io.BytesIO()
    std_list.dump(hits, out)
    assert parse(out.getvalue()).default_score == value
    out = io.BytesIO()
    std_list.dump(hits, out, "std2006")
    assert parse(out.getvalue()).default_score is None
    assert b"default" not in out.getvalue()


@pytest.mark.parametrize("text", ["", "NaN", "1e101", "0,5", "high"])
def test_a_default_score_that_is_none(text):
    content = kwslist(HIT).replace(b"<kwslist", f'<kwslist default_score="{text}"'.encode())
    with pytest.raises(InputError, match=r"expected a? ?default_score (as a number|of at most)"):
        parse(content)


# The attributes that NIST's schemas require and, with min_score and max_score, all that they allow:
# F4DE's KWSEval-stdlist.xsd and KWSEval-kwslist.xsd, neither with xsd:anyAttribute.
HIT_ATTRIBUTES = {"file", "channel", "tbeg", "dur", "score", "decision"}
SCHEMAS = {
    "std2006": {
        "stdlist": {"termlist_filename", "indexing_time", "index_size", "system_id", "language"},
        "detected_termlist": {"termid", "term_search_time", "oov_term_count"},
        "term": HIT_ATTRIBUTES,
    },
    "kws2013": {
        "kwslist": {"kwlist_filename", "system_id", "language"},
        "detected_kwlist": {"kwid", "search_time", "oov_count"},
        "kw": HIT_ATTRIBUTES,
    },
}


@pytest.mark.parametrize("dialect", SCHEMAS)
def test_a_written_list_has_the_attributes_of_the_schema_and_no_other(dialect):
    hits = parse(kwslist(HIT))
    second = replace(hits.detections, probability=np.array([0.75]))
    out = io.BytesIO()
    std_list.dump(replace(hits, detections=second), out, dialect)
    found = {}
    for element in etree.fromstring(out.getvalue()).iter():
        found.setdefault(element.tag, set()).update(element.attrib)
    assert found == SCHEMAS[dialect]
