"""Tables with a header: their columns, units of time and recordings."""

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.readers import table
from std.errors import ForeignFileError
from std.values import Recording
from tests.indexer.formats.captions.conftest import parsed, read, said


def test_tables():
    assert said(read("whisper.tsv"))[1] == (1000, 2500, "ist gut")
    assert said(read("whisper_cpp.csv"))[1] == (1000, 2500, "ist gut ja")
    assert read("excel.csv")[0].language == "de"
    (network,) = read("words.csv")
    assert network.posteriors.tolist() == pytest.approx([0.97, 0.8])
    assert network.epsilons.tolist() == pytest.approx([0.03, 0.2])


def test_whole_seconds_are_no_milliseconds():
    # speech has about 15 letters a second: 23 letters in 2 units are seconds
    text = "start,end,text\n0,2,das ist ein ganzer Satz\n"
    assert said(parsed(table, text)) == [(0, 2000, "das ist ein ganzer Satz")]


def test_tables_of_several_recordings():
    text = "recording|channel|from|to|sentence\na.wav|2|0:01|0:02|ja\nb.wav|1|0:03|0:04|nein\n"
    networks = parsed(table, text)
    assert [n.recording for n in networks] == [Recording("a", 2), Recording("b", 1)]
    assert said(networks) == [(1000, 2000, "ja"), (3000, 4000, "nein")]


WITHOUT_HEADINGS = {
    "labels of Audacity": "0.500000\t2.100000\tpurple carrots\n2.1\t4.0\tgrow in a valley\n",
    "words behind": "0.5,2.1,purple carrots\n2.1,4.0,grow in a valley\n",
    "words before": "purple carrots,0.5,2.1\ngrow in a valley,2.1,4.0\n",
    "milliseconds": "500;2100;purple carrots\n2100;4000;grow in a valley\n",
    "with a length": "0.5\t2.1\t1.6\tpurple carrots\n2.1\t4.0\t1.9\tgrow in a valley\n",
    "with clocks": "purple carrots\t0:00:00.5\t0:00:02.1\ngrow in a valley\t0:00:02.1\t0:00:04\n",
}


@pytest.mark.parametrize("name", WITHOUT_HEADINGS)
def test_tables_without_headings_are_told_by_their_rows(name):
    text = WITHOUT_HEADINGS[name]
    assert table.looks_like(text.encode())
    assert said(parsed(table, text)) == [
        (500, 2100, "purple carrots"),
        (2100, 4000, "grow in a valley"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "0.5,2.1,purple carrots\n",  # a single row
        "2.1,4.0,grow in a valley\n0.5,2.1,purple carrots\n",  # not in order
        "0.5,0.1,purple carrots\n2.1,0.4,grow in a valley\n",  # may be lengths
        "1,90000,cat\n2,95000,dog\n",  # slower than people speak
        "0.5,2.1,anna,purple carrots\n2.1,4.0,ben,grow in a valley\n",  # two texts
        "0.5,2.1,purple carrots\n2.1,4.0,grow,in a valley\n",
        "0.5,2.1,0.3,purple carrots\n2.1,4.0,0.8,grow in a valley\n",
    ],
)
def test_other_tables_without_headings_are_none(text):
    assert not table.looks_like(text.encode())


def test_words_without_headings_have_their_own_times():
    (network,) = parsed(table, "purple,0.5,0.9\ncarrots,0.9,1.4\n")
    assert network.spans_ms.tolist() == [[500, 900], [900, 1400]]
    assert not network.times_estimated


def test_short_headings_of_corpora():
    text = "Line\tSpkr\tStTime\tContent\tEnTime\n1\tanna\t0.5\tpurple carrots\t2.1\n"
    (network,) = parsed(table, text + "2\tben\t2.1\t(pause 0.4)\t2.5\n")
    assert (network.speaker, network.start_ms, network.end_ms) == ("anna", 500, 2100)


def test_times_may_be_spans_in_one_column():
    text = 'Number,Time,Content\n1,"00:00:00,500 --> 00:00:02,100",purple carrots\n'
    text += '2,"00:00:02,100 --> 00:00:04,000",grow in a valley\n'
    assert table.looks_like(text.encode())
    assert said(parsed(table, text)) == [
        (500, 2100, "purple carrots"),
        (2100, 4000, "grow in a valley"),
    ]
    assert not table.looks_like(b"Number,Time,Content\n1,00:00:00,purple carrots\n")


def test_words_with_starts_only_last_as_long_as_their_letters_take():
    text = "Timestamp,Word\n30,ah\n60,excuse\n630,me\n1760,is\n2760,there\n3000,a\n3030,toilet\n"
    networks = parsed(table, text)
    spans = [span for one in networks for span in one.spans_ms.tolist()]
    assert spans[:4] == [[30, 60], [60, 480], [630, 770], [1760, 1900]]
    assert spans[-1] == [3030, 3450]


def test_a_table_with_unknown_headings_is_no_list_of_lines(tmp_path):
    path = tmp_path / "x.txt"
    rows = "00:00:00.5\t0.5\t00:00:02.1\t2.1\tpurple carrots\t\n"
    rows += "00:00:02.1\t2.1\t00:00:04\t4\t\tgrow well\n"
    path.write_text("A\tB\tC\tD\tE\tF\n" + rows)
    with pytest.raises(ForeignFileError, match="a table of times with headings that are not known"):
        list(parse_file(path))
    path.write_text(
        "A\tB\tC\tD\tE\n" + rows.replace("\t\tgrow", "\tgrow").replace("carrots\t", "carrots")
    )
    (block,) = parse_file(path)
    assert said(block) == [(500, 2100, "purple carrots"), (2100, 4000, "grow well")]


def test_lines_of_frequencies_among_labels_of_audacity_are_none():
    text = "0.5\t2.1\tpurple carrots\n\\\t100.0\t2000.0\n2.1\t4.0\tgrow in a valley\n"
    found = said(parsed(table, text))
    assert [text for _, _, text in found] == ["purple carrots", "grow in a valley"]


def test_units_in_words_of_a_heading():
    text = "Number,Start time in milliseconds,End time in milliseconds,Text\n1,1000,3000,ja\n"
    assert said(parsed(table, text)) == [(1000, 3000, "ja")]
