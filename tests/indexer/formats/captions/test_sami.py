"""SAMI: tags that are not closed, two languages in one file, code pages, times that are none."""

import io
import time

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.readers import sami
from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.repairs import BAD_ROW, BEFORE_ZERO, OTHER_LANGUAGE, Repairs
from tests.indexer.formats.captions.conftest import parsed, said
from tests.networks import networks_in

STYLE = "<STYLE><!-- .KRCC {Name:한국어; lang:ko-KR;}\n.ENCC {lang: en-US;} --></STYLE>"


def test_the_language_of_most_captions_is_read_and_the_others_are_counted():
    text = (
        f"<SAMI>{STYLE}<BODY>\n<SYNC Start=500><P Class=KRCC>안녕<P Class=ENCC>hello\n"
        "<SYNC Start=900><P Class=KRCC>&nbsp;<P Class=ENCC>&nbsp;\n"
        "<SYNC Start=2000><P Class=KRCC>그래<br>요\n<SYNC Start=2600><P Class=KRCC>&nbsp;</BODY>x"
    )
    repairs = Repairs()
    networks = parsed(sami, text, ReaderOptions(repairs=repairs))
    assert said(networks) == [(500, 900, "안녕"), (2000, 2600, "그래 요")]
    assert {one.language for one in networks} == {"ko-KR"}
    assert {kind: (one.times, one.line) for kind, one in repairs.found.items()} == {
        OTHER_LANGUAGE: (1, 3)
    }


def test_without_head_class_and_paragraphs():
    text = '<SYNC Start=500><FONT COLOR="F0">- one</FONT>\n<SYNC START="900">\n<sync start=2000>two'
    assert said(parsed(sami, text)) == [(500, 900, "one"), (2000, 2210, "two")]


def test_a_time_that_is_none_takes_its_text_with_it():
    repairs = Repairs()
    text = (
        "<SAMI><BODY><SYNC Start=500><P>one\n<SYNC Start=soon><P>two\n<SYNC><P>three\n"
        "<SYNC Start=3000><P>four\n<SYNC Start=4000><P>five\n<SYNC Start=-5><P>six\n"
    )
    networks = parsed(sami, text, ReaderOptions(repairs=repairs))
    assert [one.words for one in networks] == [("one",), ("four",), ("five",), ("six",)]
    assert (repairs.found[BAD_ROW], repairs.found[BEFORE_ZERO].times) == ((2, 2), 1)
    with pytest.raises(InputError, match="x:2: expected a start in milliseconds, got 'soon'"):
        parsed(sami, text, ReaderOptions(repairs=Repairs(strict=True)))


@pytest.mark.parametrize("encoding", ["cp949", "utf-16", "utf-8-sig"])
def test_code_pages_are_told_by_what_is_not_in_tags(tmp_path, encoding):
    lines = [
        "안녕하세요 여러분",
        "오늘은 날씨가 정말 좋네요",
        "우리 같이 학교에 갑시다",
        "감사합니다 다음에 또",
    ]
    text = "".join(
        f'<SYNC Start={1000 * at}><P Class=KRCC><font color="#ffff00">{line}</font>\r\n'
        for at, line in enumerate(lines)
    )
    path = tmp_path / "x.smi"
    path.write_bytes(f"<SAMI>{STYLE}<BODY>{text}</BODY></SAMI>".encode(encoding))
    networks = list(networks_in(parse_file(path, options=ReaderOptions(repairs=Repairs()))))
    assert [" ".join(one.words) for one in networks] == lines


def test_hostile_comments_take_no_longer_than_others():
    """Comments at the beginning took twice as long for each one more, unclosed ones n squared."""
    begun_s = time.process_time()
    assert not sami.READER.looks_like(b"<!---->" * 9000 + b"x")
    assert sami.READER.looks_like(b"<!--a--> <!-- b -->\n<SAMI>")
    unclosed = b"<SAMI><!-- a --><SYNC Start=1><P>das" + b"<!-- " * 20_000
    (utterances,) = sami.parse(io.BytesIO(unclosed), "a.smi")
    assert len(utterances) == 1
    assert time.process_time() - begun_s < 2
