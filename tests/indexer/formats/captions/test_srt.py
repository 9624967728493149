"""SRT: numbers, blank lines, files that break off."""

import pytest

from indexer.formats.readers import srt
from std.errors import InputError
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
