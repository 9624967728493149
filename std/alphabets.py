# letters of many languages are meant
"""Letters beyond ASCII of languages, by the code pages in which their texts are kept.

A text that was decoded in the wrong code page has letters that no one language has together:
Polish read as French, "s³uchaæ", "prosz¹".

Sources: the languages' alphabets in Unicode CLDR (main and auxiliary letters).
"""

from typing import NamedTuple


class Alphabet(NamedTuple):
    """A language's letters beyond ASCII, in small letters, and the code pages that have them."""

    language: str
    letters: str
    pages: tuple[str, ...]


WEST = ("cp1252", "mac_roman")
MIDDLE = ("cp1250", "mac_latin2")
CYRILLIC = ("cp1251", "koi8_r", "mac_cyrillic")
_RUSSIAN = "абвгдежзийклмнопрстуфхцчшщъыьэюяё"

ALPHABETS = (
    Alphabet("de", "äöüßéàè", (*WEST, *MIDDLE)),
    Alphabet("fr", "àâæçéèêëîïôœùûüÿ", WEST),
    Alphabet("es", "áéíñóúüçàèò", WEST),
    Alphabet("ca", "àçèéíïòóúü·", WEST),
    Alphabet("pt", "àáâãçéêíóôõúüè", WEST),
    Alphabet("it", "àèéìíîòóùú", WEST),
    Alphabet("nl", "áéèëïíóöúüçê", WEST),
    Alphabet("sv", "åäöéüà", WEST),
    Alphabet("da", "æøåéü", WEST),
    Alphabet("nb", "æøåéèêòóôü", WEST),
    Alphabet("fi", "åäöšž", ("cp1252", "mac_latin2")),
    Alphabet("is", "áðéíóúýþæö", WEST),
    Alphabet("en", "éèêëçñïôöüâàæ", WEST),
    Alphabet("pl", "ąćęłńóśźż", MIDDLE),
    Alphabet("cs", "áčďéěíňóřšťúůýž", MIDDLE),
    Alphabet("sk", "áäčďéíĺľňóôŕšťúýž", MIDDLE),
    Alphabet("hu", "áéíóöőúüű", MIDDLE),
    Alphabet("sl", "čšžćđ", MIDDLE),
    Alphabet("hr", "čćđšž", MIDDLE),
    Alphabet("ro", "ăâîşţ", MIDDLE),
    Alphabet("sq", "çë", (*WEST, *MIDDLE)),
    Alphabet("tr", "çğıöşüâîûİ", ("cp1254",)),
    Alphabet("az", "çğıöşüəİ", ("cp1254",)),
    Alphabet("ru", _RUSSIAN, CYRILLIC),
    Alphabet("bg", "абвгдежзийклмнопрстуфхцчшщъьюяѝ", CYRILLIC),
    Alphabet("uk", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", ("cp1251", "mac_cyrillic")),
    Alphabet("be", "абвгдеёжзійклмнопрстуўфхцчшыьэюя", ("cp1251", "mac_cyrillic")),
    Alphabet("sr", "абвгдђежзијклљмнњопрстћуфхцчџш", ("cp1251", "mac_cyrillic")),
    Alphabet("mk", "абвгдѓежзѕијклљмнњопрстќуфхцчџшѐѝ", ("cp1251", "mac_cyrillic")),
    Alphabet("el", "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ", ("cp1253",)),
    Alphabet("lt", "ąčęėįšųūž", ("cp1257",)),
    Alphabet("lv", "āčēģīķļņšūž", ("cp1257",)),
    Alphabet("et", "äõöüšž", ("cp1257", "cp1252")),
)
SCRIPTS = {  # of several bytes a letter: what most letters of a text are
    "cp932": ("ja", "\u3041-\u30ff\u4e00-\u9fff"),
    "euc_jp": ("ja", "\u3041-\u30ff\u4e00-\u9fff"),
    "gb18030": ("cmn", "\u4e00-\u9fff"),
    "big5": ("cmn", "\u4e00-\u9fff"),
    "cp949": ("ko", "\uac00-\ud7a3"),
    "cp1255": ("he", "\u05d0-\u05ea"),
    "cp1256": ("ar", "\u0621-\u06d5"),
}
