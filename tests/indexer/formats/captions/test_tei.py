"""TEI: utterances and anchors on a timeline."""

import pytest

from indexer.formats.readers import tei
from std.errors import InputError
from tests.indexer.formats.captions.conftest import parsed, read, said, times


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
