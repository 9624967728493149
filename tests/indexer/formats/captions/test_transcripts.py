"""Transcripts: STM, TEI and plain JSON of cues."""

import pytest

from indexer.formats.readers import stm, tei, timed_text
from std.errors import InputError
from tests.indexer.formats.captions.conftest import options, parsed, read, said, times


def test_stm():
    own = options()
    networks = read("reference.stm", own)
    assert said(networks)[1] == (1000, 2500, "ist gut")
    assert own.nonwords.dropped == {"%hesitation": 1}
    (network,) = parsed(stm, "f 1 s 1.0 3.0 or { je / e / { fr / sdg } } not { a / { b / @ } }\n")
    assert network.words == ("or", "je", "not", "a")


def test_tei():
    networks = read("spoken.tei")
    # the border between "ist" and "gut" is not aligned
    assert said(networks) == [(0, 650, "Das Haus"), (1000, 2000, "ist gut")]
    assert networks[0].language == "de"
    (network,) = read("words.tei")
    assert times(network) == [(0, 210), (210, 650)]


TEI = (
    '<TEI><text><timeline><when xml:id="T0"/><when xml:id="T1" interval="00:00:01.5" since="T0"/>'
    '<when xml:id="T2" interval="2" since="T0"/><when xml:id="T3" interval="-1" since="T0"/>'
    "</timeline>{}</text></TEI>"
)


def test_an_utterance_that_begins_at_an_unaligned_point_begins_at_the_one_before():
    """It was left out."""
    points = TEI.replace('<when xml:id="T2"', '<when xml:id="T9" interval="-1"/><when xml:id="T2"')
    late = points.format('<u start="#T9" end="#T2">ja nein</u>')
    assert said(parsed(tei, late)) == [(1500, 2000, "ja nein")]


def test_an_utterance_without_an_end_lasts_until_the_next():
    aligned = TEI.replace('<when xml:id="T3" interval="-1" since="T0"/>', "")
    block = '<annotationBlock start="T1"><u><seg>und nein</seg></u></annotationBlock>'
    text = f'<u start="T0">ja</u>{block}'
    assert said(parsed(tei, aligned.format(text))) == [(0, 1500, "ja"), (1500, 2000, "und nein")]
    with pytest.raises(InputError, match="points of time at which it starts"):
        parsed(tei, TEI.format('<u start="T0">ja</u>'))  # the timeline has no known end


def test_anchors_part_an_utterance():
    text = '<u start="T0" end="T2">ja und<anchor synch="T1"/>nein</u>'
    assert said(parsed(tei, TEI.format(text))) == [(0, 1500, "ja und"), (1500, 2000, "nein")]
    inside = '<u start="T0" end="T2"><w>ja</w><w>ne<anchor synch="T1"/>in</w><w>doch</w></u>'
    assert said(parsed(tei, TEI.format(inside))) == [(0, 1500, "ja nein"), (1500, 2000, "doch")]
    unaligned = '<u start="T0" end="T2">ja<anchor synch="T3"/>und nein</u>'
    assert said(parsed(tei, TEI.format(unaligned))) == [(0, 2000, "ja und nein")]


def test_plain_json():
    assert said(read("rows.json"))[1] == (1000, 2500, "ist gut")
    assert read("captions.json")[0].language == "de"
    assert said(read("site.json"))[1] == (1000, 2500, "ist gut")
    (network,) = parsed(timed_text, '[{"word": "ja", "start": 1, "end": 2.5, "score": 0.5}]')
    assert (times(network), network.posteriors.tolist()) == ([(1000, 2500)], [0.5])


def test_transcripts_of_meetings():
    rows = '[{"start_ts": 1, "end_ts": 2, "transcript": "ja"}], "topics": [{"text": "nein"}]'
    otter = '{"summary": {"keywords": ["a"]}, "speech_segments": ' + rows + "}"
    assert timed_text.looks_like(otter.encode())
    assert said(parsed(timed_text, otter)) == [(1000, 2000, "ja")]
    sembly = '{"participants": [{"id": "p"}], "transcript": ' + rows + "}"
    sembly = sembly.replace("_ts", "_time").replace('"transcript": "ja', '"words_str": "ja')
    assert timed_text.looks_like(sembly.encode())
    assert said(parsed(timed_text, sembly)) == [(1000, 2000, "ja")]
