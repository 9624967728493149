"""Tables with a header: their columns, units of time and recordings."""

import pytest

from indexer.formats.readers import table
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
