"""Text without spaces is cut into characters; other text is left as it is."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.characters import characters, has_characters, text_of, without_outer_stars
from std.text import Normalisation

CUT = [
    # written, its characters
    ("明天的天气很好", "明 天 的 天 气 很 好"),
    ("我用Python写了2个程序", "我 用 Python 写 了 2 个 程 序"),
    ("「东京」，再见！", "东 京 再 见"),
    ("人々〇", "人 々 〇"),
    ("\U00020000\u4e01", "\U00020000 \u4e01"),  # beyond the basic plane
    ("コーヒーを飲みます", "コ ー ヒ ー を 飲 み ま す"),
    ("か\u3099っこう", "か\u3099 っ こ う"),  # the mark is the kana's
    ("ﾊﾞｽ", "ﾊﾞ ｽ"),
    ("น้ำ", "น้ำ"),  # a vowel and a tone belong to their consonant
    ("เกาะสมุย", "เกาะ ส มุ ย"),  # vowels before and after it, too
    ("ไปเที่ยว๑๐วัน", "ไป เที่ ย ว ๑๐ วั น"),
    ("ສະບາຍດີ", "ສະ ບາ ຍ ດີ"),
    ("សួស្តី", "សួ ស្តី"),  # a consonant below another
    ("မင်္ဂလာပါ", "မင်္ဂ လာ ပါ"),
    ("학교에서", "학교에서"),  # Korean has spaces
    ("Straße", "Straße"),
    ("l’été", "l’été"),
    ("привет", "привет"),
    ("", ""),
]


@pytest.mark.parametrize(("written", "cut"), CUT)
def test_characters(written, cut):
    assert characters(written) == (cut.split(" ") if written else [""])
    assert has_characters(written) == (characters(written) != [written] or written == "น้ำ")


unspaced = st.sampled_from("天气很か\u3099ー々กเ้ะาำໄລດສ្តមင်္ဂ")
mixed = st.text(unspaced | st.sampled_from("ab2 ，。"))


@given(mixed)
def test_no_letter_is_lost_and_none_is_added(written):
    said = [letter for letter in written if letter.isalnum() or has_characters(letter)]
    kept = "".join(characters(written))
    assert [letter for letter in kept if letter.isalnum() or has_characters(letter)] == said


@given(mixed)
def test_a_character_is_cut_no_further(written):
    for one in characters(written):
        assert characters(one) == [one]


@given(st.text(st.sampled_from("天气很ab")), st.text(st.sampled_from("好气cd")))
def test_ideograms_are_cut_alike_in_a_term_and_in_longer_text(one, other):
    """The characters of a part are a run of those of the whole, where it does not part a word."""
    if not one or not other or (one[-1].isascii() and other[0].isascii()):
        return
    assert characters(one) + characters(other) == characters(one + other)


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("天气", ("天", "气")),
        ("天气 预报", ("天", "气", "预", "报")),
        ("「天气」", ("天", "气")),
        ("*天气*", ("天", "气")),  # found inside of longer text anyway
        ("天*气", ("天", "*", "气")),  # which a search refuses
        ("robo*", ("robo*",)),
        ("สวัสดี", ("ส", "วั", "ส", "ดี")),
        ("สวัส\u200bดี", ("ส", "วั", "ส", "ดี")),  # a space without width
    ],
)
def test_terms_are_cut_likewise(term, words):
    assert Normalisation().phrase(term) == words
    assert (
        Normalisation(punctuation="keep").phrase(term.strip("「」").replace("\u200b", "")) == words
    )


def test_an_index_that_keeps_its_words_has_terms_that_do():
    kept = Normalisation(unspaced="keep")
    assert kept.phrase("今天 天气") == ("今天", "天气")
    assert kept.parts("今天") == ["今天"]
    assert not kept.several_words(["今天"])
    assert Normalisation().several_words(["today", "今天"])


def test_stars_are_taken_off_characters_only():
    assert without_outer_stars("**天**") == "天"
    assert without_outer_stars("*haus*") == "*haus*"
    assert without_outer_stars("haus天*") == "haus天"


def test_a_text_to_read_has_no_blanks_between_characters():
    assert text_of(["我", "用", "python", "写", "了"]) == "我用 python 写了"
    assert text_of(["น้ำ", "ดื่", "ม"]) == "น้ำดื่ม"
    assert text_of([unicodedata.normalize("NFD", "が"), "く"]) == "か\u3099く"
    assert text_of(["two", "words"]) == "two words"
    assert text_of([]) == ""
