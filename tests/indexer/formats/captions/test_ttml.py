"""TTML: its times, spans with times, deep nesting."""

import pytest

from indexer.formats.readers import ttml
from std.errors import InputError
from tests.indexer.formats.captions.conftest import parsed, read, said, times


def test_ttml():
    _, second = read("dfxp.ttml")
    assert (said([second]), second.language) == ([(2500, 3000, "good")], "en")


TTML = (
    '<tt xmlns="x" xmlns:p="y" {}><body><div begin="10s"><p begin="{}" end="{}">ja</p></div></body>'
    "</tt>"
)


@pytest.mark.parametrize(
    ("attributes", "begin", "end", "expected"),
    [
        ("", "1s", "2.5s", (11_000, 12_500)),  # from where the div begins
        ("", "00:00:01.5", "00:01:00", (11_500, 70_000)),
        ('p:frameRate="25"', "00:00:01:05", "30f", (11_200, 11_200)),  # 5 / 25 s; 30 / 25 s
        ('p:frameRate="30" p:frameRateMultiplier="1000 1001"', "0f", "300f", (10_000, 20_010)),
        ('p:tickRate="10000000"', "0t", "15000000t", (10_000, 11_500)),
        ("", "500ms", "1m", (10_500, 70_000)),
    ],
)
def test_times_of_ttml(attributes, begin, end, expected):
    (network,) = parsed(ttml, TTML.format(attributes, begin, end))
    start, stop = expected
    assert network.start_ms == start
    assert network.end_ms == (stop if stop > start else start + 140)  # 2 letters at 70 ms


def test_spans_with_times_are_cues_of_their_own():
    text = TTML.format("", "0s", "9s").replace(
        "ja", '<span begin="1s" end="2s">ja und</span><span begin="3s" end="4s">nein</span>'
    )
    assert said(parsed(ttml, text)) == [(11_000, 12_000, "ja und"), (13_000, 14_000, "nein")]


def test_deep_nesting_is_refused():
    text = "<tt><body>" + "<div>" * 5000 + "</div>" * 5000 + "</body></tt>"
    with pytest.raises(InputError):
        parsed(ttml, text)


def lyrics(inner):
    return (
        f'<tt xmlns="x"><body dur="3:58.640"><div begin="19.7" end="59.3">{inner}</div></body></tt>'
    )


def test_times_of_lyrics_count_from_zero_and_syllables_are_joined():
    line = (
        '<p begin="{0}.7" end="{0}.9"><span begin="{0}.7" end="{0}.75">here</span> '
        '<span begin="{0}.75" end="{0}.8">be</span><span begin="{0}.8" end="{0}.9">fore</span></p>'
    )
    networks = parsed(ttml, lyrics(line.format(19) + line.format(30) + line.format(58)))
    assert said(networks) == [
        (at * 1000 + 700, at * 1000 + 900, "here before") for at in (19, 30, 58)
    ]
    assert networks[1].spans_ms.tolist() == [[30_700, 30_750], [30_750, 30_900]]


def test_a_paragraph_that_only_begins_lasts_until_the_next():
    text = '<tt><body><p begin="1s">ja</p><p begin="1.1s">und nein</p></body></tt>'
    assert said(parsed(ttml, text)) == [(1000, 1100, "ja"), (1100, 1590, "und nein")]


def test_words_of_apple_podcasts_have_no_blanks_between():
    words = "".join(
        f'<span q:unit="word" begin="{start}" end="{start + 0.4}">{word}</span>'
        for start, word in ((1.0, "Guten"), (1.5, "Tag,"), (2.0, "Anna."))
    )
    text = (
        '<tt xmlns="x" xmlns:q="http://podcasts.apple.com/transcript-ttml-internal"><body><div>'
        f'<p begin="1.0" end="2.4"><span q:unit="sentence">{words}</span></p></div></body></tt>'
    )
    (network,) = parsed(ttml, text)
    assert network.words == ("Guten", "Tag", "Anna")
    assert times(network) == [(1000, 1400), (1500, 1900), (2000, 2400)]


def test_readings_beside_characters_are_not_said_again():
    ruby = '<span s:ruby="base">漢字</span><span s:ruby="text">かんじ</span>'
    text = (
        '<tt xmlns="x" xmlns:s="http://www.w3.org/ns/ttml#styling"><body><div><p begin="1s" '
        f'end="2s"><span s:ruby="container">{ruby}</span></p></div></body></tt>'
    )
    assert said(parsed(ttml, text)) == [(1000, 2000, "漢字")]
