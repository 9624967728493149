"""The shapes of speakers' names in any script, and the lines that begin with one.

prefixes_of        texts of captions -> the words before their colons or in brackets, as columns
is_name            each word begins with a capital, or in a script without any
is_in_capitals     FRAU MÜLLER
is_abbreviation    NATO, BBC, COVID-19: in capitals, but no name
is_initials        JD: in capitals, too, and may be a name
is_label           Speaker 1, SPK_02: recognisers' labels of speakers
is_noise           Music, Gelächter: in brackets, a sound beside speech

The prefixes of a whole file are found at once: places of colons and lines are columns of numbers,
and each distinct prefix is examined once.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from indexer.formats.shared.clock import codes_of
from indexer.networks.nonwords import SOUNDS
from std.values import Bools, Int64s

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
# Those with vowels, which names have, too: English, German, French, Spanish, Russian.
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
_OTHER_SOUNDS = re.compile(  # in addition to those of remarks in round brackets
    r"(?i)(?:muzy|müzi|zene|музык|смех|смеёт|аплод|пауза|śmie|oklask|smích|potlesk|hudba|gülme"
    r"|nevet|taps|beifall|jubel|schrei|thunder|donner|phone|telefon|engine|motor|doors?|tür"
    r"|knock|klopf|steps|footstep|schritte|barking|birds|audience|publi|sound|blank|audio"
    r"|video|start\b|end\b|intro|outro|theme|jingle|wind\b|rain\b|regen|ton\b|ruhe"
    r"|音|笑|拍手|掌声|박수|음악|웃음)"
)
_VOWELS = frozenset("AEIOUYÆØŒАЕЁИОУЫЭЮЯІЇЄΑΕΗΙΟΥΩ")  # noqa: RUF001  # Cyrillic and Greek are meant
MOST_WORDS = 5

_MARK = r"(?P<mark>[ \t>\u00bb\u2013\u2014-]*)"  # - or >> before a change of speakers
_NAME = r"[^\W\d_][^\n:\uff1a()\[\]{}<>!?,;\"]{0,40}"
_PLAIN = re.compile(
    rf"{_MARK}(?P<name>{_NAME}?)(?:[ \t]*[(\[][^()\[\]\n]{{0,30}}[)\]])?[ \t]*(?:\uff1a|:(?=\s|$))"
)
_BRACKETED = re.compile(  # [Anna]: or (Anna):, and [SPEAKER_00] without a colon
    rf"{_MARK}[(\[](?P<name>{_NAME})[)\]][ \t]*(?P<colon>\uff1a|:(?=\s|$))?"
)
LONGEST_PREFIX = 100  # letters of a prefix
MARKS = 8  # of them before a bracket


def is_name(text: str) -> bool:
    """Whether some words may be a name.

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
    """Whether all letters are capitals."""
    return text.isupper() and sum(map(str.isalpha, text)) > 1


def is_abbreviation(text: str) -> bool:
    """Whether words in capitals are an abbreviation and no name.

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
    """Whether two or three capitals may stand for somebody's name.

    >>> [is_initials(text) for text in ("JD", "EU", "BBC", "NATO")]
    [True, False, True, False]
    """
    return text.isalpha() and text.isupper() and len(text) <= 3 and text not in _ABBREVIATIONS


def is_noise(text: str) -> bool:
    """Whether a text in brackets is a sound and not somebody's name.

    >>> [is_noise(text) for text in ("Musik", "Laughs", "Anna")]
    [True, True, False]
    """
    return SOUNDS.match(text) is not None or _OTHER_SOUNDS.match(text) is not None


def is_label(text: str) -> bool:
    """Whether it is a recogniser's label of a speaker."""
    return _LABEL.fullmatch(text) is not None


def _is_high(word: str) -> bool:
    return word[0].isupper() or (word[0].isalpha() and word[0].lower() == word[0].upper())


class Prefix(NamedTuple):
    """A possible name before speech."""

    name: str
    begin: int  # in its line
    end: int
    marked: bool  # with >>
    brackets: bool  # around the name
    bare: bool  # without a colon


class Prefixes(NamedTuple):
    """Prefixes of a file, in its order."""

    names: list[str]  # the different ones
    kinds: list[Prefix]  # the different ones
    name: Int64s  # (n,) row in ``names``
    kind: Int64s  # (n,) row in ``kinds``
    row: Int64s  # (n,) of the caption
    begin: Int64s  # (n,) of the prefix, in the caption's text
    end: Int64s  # (n,) where speech begins
    place: Int64s  # (n,) the same in all texts, joined by line breaks

    def some(self, rows: Bools) -> "Prefixes":
        return self._replace(**{
            column: getattr(self, column)[rows]
            for column in ("name", "kind", "row", "begin", "end", "place")
        })  # fmt: skip


def prefixes_of(texts: Sequence[str], joined: str) -> Prefixes:
    """Find the prefixes of texts.

    Args:
        texts: the texts of captions, which may have several lines.
        joined: all of them, with line breaks between.
    """
    begins, ends = _lines(joined)
    heads = [joined[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    ids: defaultdict[str, int] = defaultdict(count().__next__)
    which = np.fromiter(map(ids.__getitem__, heads), np.int64, len(heads))
    found = [prefix_in(head) for head in ids]
    good = np.array([one is not None for one in found], np.bool_)
    kept = good[which] if len(which) else np.zeros(0, np.bool_)
    kind, begins = (np.cumsum(good) - 1)[which[kept]], begins[kept]
    kinds = [one for one in found if one is not None]
    names = list(dict.fromkeys(one.name for one in kinds))
    at = {name: row for row, name in enumerate(names)}
    starts = np.concatenate([[0], np.cumsum(np.fromiter(map(len, texts), np.int64) + 1)])
    row = np.searchsorted(starts, begins, side="right") - 1
    inside = begins - starts[row]
    end = np.array([one.end for one in kinds], np.int64)[kind]
    return Prefixes(
        names,
        kinds,
        np.array([at[one.name] for one in kinds], np.int64)[kind],
        kind,
        row,
        inside + np.array([one.begin for one in kinds], np.int64)[kind],
        inside + end,
        begins + end,
    )


def _lines(joined: str) -> tuple[Int64s, Int64s]:
    """The starts of lines that may have a prefix, and the part of each that would hold it."""
    codes = codes_of(joined + "\n")
    breaks = np.flatnonzero(codes == ord("\n"))
    begins = np.concatenate([[0], breaks[:-1] + 1])
    colons = np.flatnonzero(codes == ord(":"))
    after = codes[colons + 1]
    colons = colons[(after == ord(" ")) | (after == ord("\n")) | (after == ord("\t"))]
    if not joined.isascii():
        wide = np.flatnonzero(codes == ord("\uff1a"))
        colons = np.union1d(colons, wide) if len(wide) else colons
    line = np.searchsorted(breaks, colons)
    first = np.diff(line, prepend=-1) > 0
    line, ends = line[first], colons[first] + 1
    near = ends - begins[line] <= LONGEST_PREFIX
    line, ends = line[near], ends[near]
    if "[" not in joined and "(" not in joined:
        return begins[line], ends
    opening = np.flatnonzero((codes == ord("[")) | (codes == ord("(")))
    bracketed = np.searchsorted(breaks, opening)
    bracketed = np.unique(bracketed[opening - begins[bracketed] <= MARKS])
    line = np.union1d(line, bracketed)  # their colon may follow another bracket
    return begins[line], np.minimum(breaks[line], begins[line] + LONGEST_PREFIX)


def prefix_in(line: str) -> Prefix | None:
    """The prefix of a line, or of its beginning; None if there is none.

    >>> prefix_in(">> Anna: so")
    Prefix(name='Anna', begin=0, end=8, marked=True, brackets=False, bare=False)
    """
    plain = _PLAIN.match(line)
    found = plain or _BRACKETED.match(line)
    if not found:
        return None
    bare = not plain and not found["colon"]
    mark = found["mark"]
    marked = not bare and (">>" in mark or "\u00bb" in mark)
    return Prefix(" ".join(found["name"].split()), *found.span(), marked, not plain, bare)
