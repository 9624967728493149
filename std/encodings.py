"""The encoding of a text that does not say it: which bytes are which letters.

    decoded      bytes -> text with plain line ends
    encoding_of  bytes -> the name of their encoding
    as_utf8      first bytes -> the same in UTF-8, where they are UTF-16

The order is: a byte order mark; the user's ``--encoding``; UTF-16 without a mark, recognised by its
zero bytes; UTF-8, even if damaged; otherwise a code page. charset-normalizer lists the possible
code pages. The chosen page is the one in which all letters beyond ASCII belong to one language
(`ALPHABETS`, from Unicode CLDR, main and auxiliary letters). A text that was decoded in the wrong
page has letters that no single language combines: Polish read as French is "s³uchaæ". Of several
pages the one with more of the language's commonest words is chosen. If two pages are equally good
and give different texts, the file is refused: wrong words could not be found, and nobody would
notice.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from std.errors import InputError, Unquoted
from std.function_words import FUNCTION_WORDS
from std.repairs import NO_LETTER, REFUSED, Repairs


class LanguageAlphabet(NamedTuple):
    """A language's letters beyond ASCII, in small letters, and the code pages that have them."""

    language: str
    letters: str
    pages: tuple[str, ...]


WEST = ("cp1252", "mac_roman")
MIDDLE = ("cp1250", "mac_latin2")
CYRILLIC = ("cp1251", "koi8_r", "mac_cyrillic")
_RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"

ALPHABETS = (
    LanguageAlphabet("de", "äöüßéàè", (*WEST, *MIDDLE)),
    LanguageAlphabet("fr", "àâæçéèêëîïôœùûüÿ", WEST),
    LanguageAlphabet("es", "áéíñóúüçàèò", WEST),
    LanguageAlphabet("ca", "àçèéíïòóúü·", WEST),
    LanguageAlphabet("pt", "àáâãçéêíóôõúüè", WEST),
    LanguageAlphabet("it", "àèéìíîòóùú", WEST),
    LanguageAlphabet("nl", "áéèëïíóöúüçê", WEST),
    LanguageAlphabet("sv", "åäöéüà", WEST),
    LanguageAlphabet("da", "æøåéü", WEST),
    LanguageAlphabet("nb", "æøåéèêòóôü", WEST),
    LanguageAlphabet("fi", "åäöšž", ("cp1252", "mac_latin2")),
    LanguageAlphabet("is", "áðéíóúýþæö", WEST),
    LanguageAlphabet("en", "éèêëçñïôöüâàæ", WEST),
    LanguageAlphabet("pl", "ąćęłńóśźż", MIDDLE),
    LanguageAlphabet("cs", "áčďéěíňóřšťúůýž", MIDDLE),
    LanguageAlphabet("sk", "áäčďéíĺľňóôŕšťúýž", MIDDLE),
    LanguageAlphabet("hu", "áéíóöőúüű", MIDDLE),
    LanguageAlphabet("sl", "čšžćđ", MIDDLE),
    LanguageAlphabet("hr", "čćđšž", MIDDLE),
    LanguageAlphabet("ro", "ăâîşţ", MIDDLE),
    LanguageAlphabet("sq", "çë", (*WEST, *MIDDLE)),
    LanguageAlphabet("tr", "çğıöşüâîûİ", ("cp1254",)),
    LanguageAlphabet("az", "çğıöşüəİ", ("cp1254",)),
    LanguageAlphabet("ru", _RUSSIAN, CYRILLIC),
    LanguageAlphabet("bg", "абвгдежзийклмнопрстуфхцчшщъьюяѝ", CYRILLIC),
    LanguageAlphabet("uk", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", ("cp1251", "mac_cyrillic")),
    LanguageAlphabet("be", "абвгдеёжзійклмнопрстуўфхцчшыьэюя", ("cp1251", "mac_cyrillic")),
    LanguageAlphabet("sr", "абвгдђежзијклљмнњопрстћуфхцчџш", ("cp1251", "mac_cyrillic")),
    LanguageAlphabet("mk", "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ", ("cp1251", "mac_cyrillic")),
    LanguageAlphabet("el", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", ("cp1253",)),
    LanguageAlphabet("lt", "ąčęėįšųūž", ("cp1257",)),
    LanguageAlphabet("lv", "āčēģīķļņšūž", ("cp1257",)),
    LanguageAlphabet("et", "äõöüšž", ("cp1257", "cp1252")),
)
SCRIPTS = {  # of multi-byte code pages: the scripts of most letters of a text
    "cp932": ("ja", "\u3041-\u30ff\u4e00-\u9fff"),
    "euc_jp": ("ja", "\u3041-\u30ff\u4e00-\u9fff"),
    "gb18030": ("cmn", "\u4e00-\u9fff"),
    "big5": ("cmn", "\u4e00-\u9fff"),
    "cp949": ("ko", "\uac00-\ud7a3"),
    "cp1255": ("he", "\u05d0-\u05ea"),
    "cp1256": ("ar", "\u0621-\u06d5"),
}


BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark begins the same
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
PAGES = sorted({page for one in ALPHABETS for page in one.pages} | {*SCRIPTS})
ENCODING_HINT = "name it with --encoding NAME, or convert the file: iconv -f ENCODING -t UTF-8"
KNOWN_ENCODINGS = "UTF-8, UTF-16 or a known code page"
LOOKED_AT = 1 << 18  # bytes examined
MOST_ODD = 0.06  # of the letters beyond ASCII that the language does not have
SURER = 1.5  # factor over the next page's common words
MOST_ZEROS = 0.1  # of the letters of a text; files with more are of another kind
MOST_CHAOS = 0.35  # of charset-normalizer's measure
_LINE_END = re.compile(r"\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_TAG = re.compile(rb"<[^<>\x80-\xff]*>")
_WORD = re.compile(r"[^\W\d_]+")
RARE = ("mac_roman", "mac_latin2", "mac_cyrillic", "koi8_r", "cp1257")  # today
LEAST_LETTERS = 0.3  # of a text in another script that are of that script
LEAST_KANA = 0.1  # of a Japanese text
UNSPACED = ("ja", "cmn", "ko")
_ODD_CASE = re.compile(  # a capital after a small letter, or between others
    r"(?<=[a-z])[\u00c0-\u00d6\u00d8-\u00de\u0178]"
    r"|(?<=[A-Za-z])[\u00c0-\u00d6\u00d8-\u00de\u0178](?=[a-z])"
)
_MIXED = re.compile(r"[A-Za-z][^\W\d_\x00-\x7f]|[^\W\d_\x00-\x7f][A-Za-z]")
_SIGNS = (  # characters beside letters in any language
    "\u00a0\u00a1\u00ab\u00bb\u00bf\u2013\u2014\u2018-\u201e\u2026\u2020\u266a\u00b7\u00b0"
    "\u3000-\u303f\uff00-\uffef"
)
_ODD_SIGN = re.compile(rf"(?<=\w)[^\w\s\x00-\x7f{_SIGNS}]|[^\w\s\x00-\x7f{_SIGNS}](?=\w)")


class _Reading(NamedTuple):
    """A text decoded in a code page, assuming a language."""

    odd: float  # share of letters beyond ASCII that the language lacks
    common: int  # number of its words among the language's commonest
    page: str
    text: str


def decoded(
    content: bytes,
    path: Path | str,
    repairs: Repairs = REFUSED,
    encoding: str | None = None,
    hint: str = ENCODING_HINT,
) -> str:
    """Decode a text, its line ends as ``\\n``.

    Args:
        repairs: counts broken letters.
        encoding: the user's encoding.
        hint: advice to the user if the encoding is unclear.

    Raises:
        InputError: no encoding fits, or several do.
    """
    text = _text(content, path, repairs, encoding, hint)
    if zeros := text.count("\0"):
        line = text[: text.index("\0")].count("\n") + 1
        problem = InputError(path, line, "text", Unquoted("a zero byte"))
        if zeros > MOST_ZEROS * len(text):
            raise problem
        repairs.note(NO_LETTER, problem, zeros)
        text = text.replace("\0", "\ufffd")
    return _LINE_END.sub("\n", text) if "\r" in text or not text.isascii() else text


def encoding_of(content: bytes, path: Path | str) -> str:
    """The encoding of a text by which `decoded` reads it; a byte order mark is its first letter.

    Raises:
        InputError: no encoding fits, or several do.
    """
    marked = next((name for bom, name in BOMS if content.startswith(bom)), "")
    if name := marked or wide(content):
        return name
    try:
        content.decode()
    except UnicodeDecodeError as error:
        if not _is_damaged(content.decode(errors="replace")):
            line = content[: error.start].count(b"\n") + 1
            return _code_page(content, path, line, ENCODING_HINT)
    return "utf-8"


def as_utf8(head: bytes) -> bytes:
    """Return the first bytes of a UTF-16 text as UTF-8; other bytes unchanged."""
    for bom, encoding in BOMS:
        if head.startswith(bom) and bom != codecs.BOM_UTF8:
            return head[len(bom) :].decode(encoding, "replace").encode()
    if encoding := wide(head):
        return head.decode(encoding, "replace").encode()
    return head


def is_wide(head: bytes) -> bool:
    """Whether a text has more than one byte per letter: UTF-16 or UTF-32."""
    return any(head.startswith(bom) for bom, name in BOMS if name != "utf-8") or bool(wide(head))


def wide(content: bytes) -> str:
    """The variant of UTF-16 of a text without a mark; empty if it is not UTF-16.

    >>> wide("<tt>".encode("utf-16-le")), wide(b"<tt>")
    ('utf-16-le', '')
    """
    head = content[:400]
    if len(head) < 8:
        return ""
    even, odd = head[::2].count(0), head[1::2].count(0)
    half = len(head) // 2
    if odd > 0.7 * half and even < 0.1 * half:
        return "utf-16-le"
    return "utf-16-be" if even > 0.7 * half and odd < 0.1 * half else ""


def _text(
    content: bytes, path: Path | str, repairs: Repairs, encoding: str | None, hint: str
) -> str:
    bom, marked = next((one for one in BOMS if content.startswith(one[0])), (b"", ""))
    name = marked or encoding or wide(content) or "utf-8"
    body = content[len(bom) :]
    try:
        return body.decode(name)
    except UnicodeDecodeError as error:
        line = body[: error.start].decode(name, "replace").count("\n") + 1
        damaged = body.decode(name, "replace")
        if name != "utf-8" or bom or encoding or _is_damaged(damaged):
            got = Unquoted(f"the bytes {body[error.start : error.start + 2].hex(' ')}")
            problem = InputError(path, line, f"{name.upper()} text", got)
            repairs.note(NO_LETTER, problem, damaged.count("\ufffd"))
            return damaged
        return body.decode(_code_page(body, path, line, hint), "replace")


def _is_damaged(text: str) -> bool:
    """Whether a text that was read as UTF-8 is that, because most of its letters are right."""
    lost = text.count("\ufffd")
    return sum(letter > "\x7f" for letter in text) - lost > lost


def _code_page(body: bytes, path: Path | str, line: int, hint: str) -> str:
    """The one code page in which the letters of a text fit a language.

    Raises:
        InputError: no code page fits, or several do.
    """
    good = [one for one in _readings(body) if one.odd <= MOST_ODD]
    # Of pages that give the same text cp1252 is the usual one: letters are added in it.
    good.sort(key=lambda one: (-one.common, one.odd, one.page in RARE, one.page != "cp1252"))
    if not good:
        raise InputError(path, line, KNOWN_ENCODINGS, Unquoted("another encoding"), hint)
    best = good[0]
    others_as_good = [one for one in good if one.text != best.text and _is_rival(one, best)]
    if others_as_good:
        names = " or ".join(dict.fromkeys([best.page, *(one.page for one in others_as_good)]))
        raise InputError(
            path, line, KNOWN_ENCODINGS, Unquoted(f"{names}: which one is in doubt"), hint
        )
    return best.page


def _is_rival(other: _Reading, best: _Reading) -> bool:
    """Whether another reading of a text is equally likely."""
    if other.page in RARE and best.page not in RARE:
        return other.common > best.common
    return best.common < max(1, SURER * other.common) and other.odd <= best.odd


def _readings(body: bytes) -> Iterator[_Reading]:
    """Yield the text in each possible code page."""
    from charset_normalizer import from_bytes

    part = _TAG.sub(b" ", body[:LOOKED_AT])  # else most letters of some captions are ASCII
    found = from_bytes(part, cp_isolation=PAGES, threshold=MOST_CHAOS)
    chaos = {page: match.chaos for match in found for page in match.could_be_from_charset}
    for page in dict.fromkeys([*chaos, "cp1252", "cp1250"]):
        with suppress(UnicodeDecodeError):
            yield from _as_languages(page, part.decode(page), chaos.get(page, MOST_CHAOS))


def _as_languages(page: str, text: str, chaos: float) -> Iterator[_Reading]:
    """Yield a decoded text for each language of its code page."""
    letters = [letter for letter in text.lower() if letter.isalpha()]
    beyond = [letter for letter in letters if letter > "\x7f"]
    wrong = 2 * len(_ODD_SIGN.findall(text)) + len(_ODD_CASE.findall(text))
    words = Counter(map(str.lower, _WORD.findall(text)))
    n_odd = max(1, len(beyond) + wrong)
    if not beyond:  # dashes and quotation marks only
        if page not in SCRIPTS:
            yield _Reading(wrong / n_odd, 0, page, text)
        return
    is_other_script = len(beyond) >= LEAST_LETTERS * len(letters)
    mixed = len(_MIXED.findall(text))
    if page in SCRIPTS:
        language, own = SCRIPTS[page]
        odd = sum(not re.match(f"[{own}]", letter) for letter in beyond) + wrong + mixed
        common = _common(words, language)
        if language in UNSPACED:
            common = round(len(beyond) * (1 - 3 * chaos))
            kana = sum("\u3040" < letter < "\u3100" for letter in beyond)
            common *= 2 if language == "ja" and kana >= LEAST_KANA * len(beyond) else 1
        if is_other_script:
            yield _Reading(odd / n_odd, common, page, text)
        return
    for language, own, pages in ALPHABETS:
        is_latin = own[0] < "\u0250"
        if page in pages and (is_latin or is_other_script):
            odd = sum(letter not in own for letter in beyond) + wrong + (0 if is_latin else mixed)
            yield _Reading(odd / n_odd, _common(words, language), page, text)


def _common(words: Mapping[str, int], language: str) -> int:
    return sum(words.get(word, 0) for word in FUNCTION_WORDS.get(language, "").split())
