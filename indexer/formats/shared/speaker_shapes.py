"""What names of speakers look like in any script, and what only looks like them.

is_name            each word begins with a capital, or in a script without any
is_in_capitals     FRAU MÜLLER
is_abbreviation    NATO, BBC, COVID-19: in capitals for another reason
is_initials        JD: in capitals, too, and may be a name
is_label           Speaker 1, SPK_02: what recognisers call speakers
is_noise           Music, Gelächter: in brackets, a sound beside speech
"""

import re
import unicodedata

from indexer.networks.nonwords import SOUNDS

_LABEL = re.compile(
    r"(?i)(?:speaker|spk|spkr|sprecher(?:in)?|locuteur|locutrice|locutora?|hablante|orador"
    r"|parlante|spreker|talare|mówca|спикер|говорящий)[ _-]?(?:\d{1,3}|[a-z])"
)
_WORD = re.compile(r"[^\W_]+(?:['\u2019.&_-]+[^\W_]+)*[.'\u2019]?|&")
_PARTICLES = frozenset(
    """
    von vom van der den de del della di da dos du la le el al bin ibn zu zum of the and und y e et
    och i & 't ter ten av af
    """.lower().split()
)
# With vowels, which do not tell them from names; English, German, French, Spanish, Russian.
_ABBREVIATIONS = frozenset(
    """
    NATO UNESCO UNICEF OPEC NASA NAFTA ASEAN FIFA UEFA AIDS COVID SARS OECD OSZE OSCE IAEA IAEO
    UNHCR UNRWA USMCA EURATOM INTERPOL EUROPOL ADAC IKEA BAMF LIDAR RADAR LASER PISA ERASMUS ESA
    EDEKA ROI CEO CFO CTO COO API URL URI OTAN OVNI SIDA ONU OMS UE EEUU EE.UU USA EU UN UNO WHO
    IOC IMF IWF WTO ILO AI KI IT UK UAE VAE CIA FBI NSA IRA ETA IS ISIS AFD EZB ECB ARD ORF EKD FAZ
    AOK IG ICE EC IC AKW OK FAQ FYI ASAP IQ EQ DIY UFO ISO DIN EN ID PIN
    ООН НАТО США ЕС ВОЗ СССР ОБСЕ МАГАТЭ ЮНЕСКО ЮНИСЕФ ФИФА УЕФА ФСБ ВОВ СНГ ЕАЭС
    """.upper().split()  # noqa: RUF001  # Cyrillic is meant
)
_OTHER_SOUNDS = re.compile(  # beside those that are remarks in round brackets, too
    r"(?i)(?:muzy|müzi|zene|музык|смех|смеёт|аплод|пауза|śmie|oklask|smích|potlesk|hudba|gülme"
    r"|nevet|taps|beifall|jubel|schrei|thunder|donner|phone|telefon|engine|motor|doors?|tür"
    r"|knock|klopf|steps|footstep|schritte|barking|birds|audience|publi|sound|blank|audio"
    r"|video|start\b|end\b|intro|outro|theme|jingle|wind\b|rain\b|regen|ton\b|ruhe"
    r"|音|笑|拍手|掌声|박수|음악|웃음)"
)
_VOWELS = frozenset("AEIOUYÆØŒАЕЁИОУЫЭЮЯІЇЄΑΕΗΙΟΥΩ")  # noqa: RUF001  # Cyrillic and Greek are meant
MOST_WORDS = 5


def is_name(text: str) -> bool:
    """Tell whether some words may be a name.

    >>> [is_name(text) for text in ("Dr. Ana de la Cruz", "Teilnehmer 3", "One thing")]
    [True, True, False]
    """
    words = text.split()
    if not 1 <= len(words) <= MOST_WORDS or not all(map(_WORD.fullmatch, words)):
        return False
    last = words[-1].isdecimal() and len(words) > 1
    named = words[1:-1] if last else words[1:]
    return _is_high(words[0]) and all(_is_high(word) or word in _PARTICLES for word in named)


def is_in_capitals(text: str) -> bool:
    """Tell whether all letters are capitals."""
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def is_abbreviation(text: str) -> bool:
    """Tell whether words in capitals are one for another reason than being a name.

    >>> [is_abbreviation(text) for text in ("NATO", "COVID-19", "BBC", "FRAU MÜLLER", "TOM")]
    [True, True, True, False, False]
    """
    if not is_in_capitals(text):
        return False
    if any(map(str.isdigit, text)):
        return True
    if " " in text:
        return False
    letters = unicodedata.normalize("NFD", text).replace(".", "")
    has_vowel = not _VOWELS.isdisjoint(letters)
    european = all(letter < "\u0370" or letter < "\u0530" for letter in letters)
    return text.strip(".") in _ABBREVIATIONS or (european and not has_vowel)


def is_initials(text: str) -> bool:
    """Tell whether two or three capitals may stand for somebody's name.

    >>> [is_initials(text) for text in ("JD", "EU", "BBC", "NATO")]
    [True, False, True, False]
    """
    return text.isalpha() and text.isupper() and len(text) <= 3 and text not in _ABBREVIATIONS


def is_noise(text: str) -> bool:
    """Tell whether a text in brackets is a sound and not somebody's name.

    >>> [is_noise(text) for text in ("Musik", "Laughs", "Anna")]
    [True, True, False]
    """
    return SOUNDS.match(text) is not None or _OTHER_SOUNDS.match(text) is not None


def is_label(text: str) -> bool:
    """Tell whether it is what recognisers call a speaker."""
    return _LABEL.fullmatch(text) is not None


def _is_high(word: str) -> bool:
    return word[0].isupper() or (word[0].isalpha() and word[0].lower() == word[0].upper())
