# letters of many languages are meant
"""Letters beyond ASCII of languages, by the code pages of their texts.

A text that was decoded in the wrong code page has letters that no single language combines: Polish
read as French is "s³uchaæ", "prosz¹".

Sources: the languages' alphabets in Unicode CLDR (main and auxiliary letters).
"""

from typing import NamedTuple


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
