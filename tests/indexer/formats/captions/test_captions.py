"""Captions on a screen: SRT, WebVTT and TTML."""

import pytest

from indexer.formats.readers import srt, ttml, vtt
from std.errors import ForeignFileError, InputError
from tests.indexer.formats.captions.conftest import options, parsed, read, said, times


def test_srt():
    own = options()
    first, second = read("editor.srt", own)
    assert (second.start_ms, second.end_ms, second.words) == (1000, 2500, ("Gut", "schön"))
    assert own.nonwords.dropped == {"[musik]": 1, "♪": 1}
    # "Gut" (3) and "schön" (5) share 1,500 ms; "Gut" 1000..1562 may end at 2500 or begin there
    assert times(second) == [(1000, 1562), (1562, 2500)]
    assert second.slot_errors_ms.tolist() == [1500, 1500]
    assert first.utterance == "editor-1"


def test_numbers_in_captions_are_words_where_captions_have_none():
    assert said(read("no_numbers_bom.srt")) == [(0, 650, "Das Haus"), (2000, 3000, "1984")]


def test_numbers_of_captions_are_no_words():
    text = "1\n00:00:01,000 --> 00:00:02,000\nim Jahr\n1984\n\n2\n00:00:03,000 --> 00:00:04,000\nja"
    assert said(parsed(srt, text)) == [(1000, 2000, "im Jahr 1984"), (3000, 4000, "ja")]


def test_captions_with_blank_lines_inside_and_without_an_end():
    text = "1\n00:00:01,000 --> 00:00:02,000\neins\n\nzwei\n\n2\n00:00:03,000 --> 00:00:04,000\n"
    assert said(parsed(srt, text)) == [(1000, 2000, "eins zwei")]


@pytest.mark.parametrize("form", [srt, vtt])
def test_times_of_the_first_minute_may_be_seconds(form):
    """As some podcasts have them: such captions were left out."""
    text = "WEBVTT\n\n0.860 --> 7.380\none\n\n56.44 --> 1:01.08\ntwo\n\n1:02.0 --> 1:03.0\nthree\n"
    found = said(parsed(form, text.removeprefix("WEBVTT\n\n" if form is srt else "")))
    assert found == [(860, 7380, "one"), (56440, 61080, "two"), (62000, 63000, "three")]


@pytest.mark.parametrize("times", ["00:00:03", "00:00:03,000 -", "00:00:03,000 --"])
def test_a_file_that_breaks_off_in_its_times_is_refused(times):
    """Else the number and the rest of the times would be words of the caption before."""
    text = f"1\n00:00:01,000 --> 00:00:02,000\none\n\n2\n{times}"
    with pytest.raises(InputError, match=f"x:6: expected times .* got '{times}'"):
        parsed(srt, text)


def test_captions_of_a_word_each_have_times_of_their_own():
    said_ms = [("l'avion", 100, 400), ("vole ?", 400, 700), ("Oui", 700, 900)] * 2
    text = "".join(
        f"{at}\n00:00:0{at},{start:03} --> 00:00:0{at},{end:03}\n{word}\n\n"
        for at, (word, start, end) in enumerate(said_ms)
    )
    networks = parsed(srt, text)
    spans = [span for one in networks for span in one.spans_ms.tolist()]
    assert not any(one.times_estimated for one in networks)
    assert spans == [[1000 * at + a, 1000 * at + b] for at, (_, a, b) in enumerate(said_ms)]


def test_captions_of_a_word_each_that_stay_for_long_are_captions():
    text = "".join(
        f"{at}\n00:00:{3 * at:02},000 --> 00:00:{3 * at + 3:02},000\nJa.\n\n" for at in range(6)
    )
    assert [one.times_estimated for one in parsed(srt, text)] == [True] * 6


def test_webvtt():
    first, second = read("plain.vtt")
    assert (first.language, first.words) == ("de", ("Das", "Haus"))
    assert said([second]) == [(3_600_000, 3_601_000, "Musik")]


def test_a_cue_may_end_at_the_next_line_of_times():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\neins\n00:02.000 --> 00:03.000\nzwei\n"
    assert said(parsed(vtt, text)) == [(1000, 2000, "eins"), (2000, 3000, "zwei")]


def test_pictures_are_no_captions():
    text = "WEBVTT\n\n00:01.000 --> 00:02.000\nsprite.jpg#xywh=0,0,160,90\n"
    with pytest.raises(ForeignFileError, match="addresses of pictures"):
        parsed(vtt, text)


def test_titles_of_chapters_are_no_captions():
    text = "WEBVTT\nKind: chapters\n\n00:00.000 --> 10:00.000\nHow to grow beans\n"
    with pytest.raises(ForeignFileError, match="titles of chapters"):
        parsed(vtt, text)


def test_identifiers_of_webex_name_who_speaks():
    text = (
        'WEBVTT\n\n1 "Anna Smith" (123)\n00:01.000 --> 00:02.000\neins\n\n'
        '2\n00:02.000 --> 00:03.000\nsagte "zwei" (2)\n\n'
        "3 \"Bob 'O' Jones\" (45)\n00:03.000 --> 00:04.000\ndrei\n"
    )
    found = [(network.speaker, network.words[0]) for network in parsed(vtt, text)]
    assert found == [("Anna Smith", "eins"), ("", "sagte"), ("Bob 'O' Jones", "drei")]


def test_readings_beside_characters_are_not_said_again():
    text = (
        "WEBVTT\n\n00:01.000 --> 00:02.000\n<ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>\n"
    )
    assert said(parsed(vtt, text)) == [(1000, 2000, "漢字")]


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
        ("", "00:00:01,5", "00:01:00,250", (11_500, 70_250)),  # as Netflix's DFXP has it
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


def test_readings_of_spans_are_not_said_again():
    ruby = '<span s:ruby="base">漢字</span><span s:ruby="text">かんじ</span>'
    text = (
        '<tt xmlns="x" xmlns:s="http://www.w3.org/ns/ttml#styling"><body><div><p begin="1s" '
        f'end="2s"><span s:ruby="container">{ruby}</span></p></div></body></tt>'
    )
    assert said(parsed(ttml, text)) == [(1000, 2000, "漢字")]
