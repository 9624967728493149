"""Which tiers of ELAN's and Praat's annotations are speech.

    Tiers       the tiers that the user chose, those that were read, and those left out
    chosen      the tiers of a file -> those that are read

Annotations have tiers for words, sounds, gestures, translations; no format says which is which.
``--tier`` names the tiers to read. Without it, in this order:

    1. tiers of words, by their name (words, ORT-MAU, A - words): each interval is a word
    2. all others, except tiers of sounds, translations and other notes, by their name (phones, MAU,
       gloss, POS), and tiers that only refer to the annotations of another tier

``std-index`` prints how many tiers were read and left out.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from std.errors import NONE, InputError

_WORD = r"(?:^|[^a-z])(?:{})(?:[^a-z]|$)"
_OF_WORDS = re.compile(
    _WORD.format("words?|wrd|wd|tokens?|ort-mau|wort|w(?:oe|ö)rter|mots?|palabras?|parole|woorden"),
    re.IGNORECASE,
)
_OF_NOTES = re.compile(
    _WORD.format(
        "phon(?:e|es|eme|emes|etics?|em|eme|es|o)?|mau|kan(?:-mau)?|kas|trn|mas|segments?|sounds?"
        "|syll(?:able|ables|s)?|silben?|ipa|sampa|pos|gloss(?:es)?|gls?|lemmas?|morph\\w*|mb|ft|lt"
        "|ref|translat\\w*|trans-\\w+|notes?|comments?|kommentare?|gestures?|gaze|hands?|head|tones?"
        "|tobi|breaks?|intonation|pitch|f0|vowels?|consonants?|misc|noise|events?|turns?|codes?"
    ),
    re.IGNORECASE,
)
_MOTHER = re.compile(r"MOT(?![a-z])")  # French "mot" is written small
_OF_NO_SPEAKER = re.compile(
    r"(?i)[\W\d]*|(?:default|tier|spur|transkript\w*|transcri\w*|text|speech|orth?|utterances?|tx"
    r"|sentences?|phrases?|silben|annotations?|translit\w*)(?:[-_ ]?\w{0,3})?"
)


@dataclass(slots=True)
class Tiers:
    """The tiers that the user chose, and counts of files by tier; one for each run."""

    wanted: tuple[str, ...] = ()  # names, * stands for any letters
    read: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)


class Tier(NamedTuple):
    """A tier of a file."""

    name: str
    holds_times: bool = True  # times, rather than references to another tier's

    @property
    def of_words(self) -> bool:
        """Whether its name is one of tiers of words with times; CHAT's MOT is a mother."""
        return _OF_WORDS.search(self.name) is not None and not _MOTHER.match(self.name)

    @property
    def of_notes(self) -> bool:
        """Whether its name is one of tiers of something other than speech."""
        return not self.of_words and _OF_NOTES.search(self.name) is not None


def chosen(tiers: Sequence[Tier], wanted: Tiers, path: Path | str) -> list[int]:
    """Return the rows of the tiers that are read, and count all of them.

    Raises:
        InputError: the user chose none of them, or none can be speech.
    """
    names = ", ".join(tier.name or '""' for tier in tiers) or NONE
    if wanted.wanted:
        rows = [
            row
            for row, tier in enumerate(tiers)
            if any(fnmatchcase(tier.name, name) for name in wanted.wanted)
        ]
        if not rows:
            raise InputError(path, 0, f"a tier {' or '.join(wanted.wanted)}", names)
    else:
        timed = [row for row, tier in enumerate(tiers) if tier.holds_times]
        rows = [row for row in timed if tiers[row].of_words]
        rows = rows or [row for row in timed if not tiers[row].of_notes]
        if not rows:
            hint = "--tier NAME reads one all the same"
            raise InputError(path, 0, "a tier of speech", names, hint)
    read = {*rows}
    for row, tier in enumerate(tiers):
        (wanted.read if row in read else wanted.left_out)[tier.name] += 1
    return rows


def speaker_of_tier(name: str) -> str:
    """The speaker of a tier of speech, if its name has one: the rest beside "words".

    >>> [speaker_of_tier(name) for name in ("Anna - words", "Bob", "words", "ORT-MAU", "default")]
    ['Anna', 'Bob', '', '', '']
    >>> speaker_of_tier("tx@Anna"), speaker_of_tier("MOT")
    ('Anna', 'MOT')
    """
    kind, mark, who = name.partition("@")
    if kind and mark and who.strip():  # linguists' names of the tiers of a speaker
        return who.strip()
    rest = (name if _MOTHER.match(name) else _OF_WORDS.sub("", name)).strip(" \t-_@:.")
    return "" if _OF_NO_SPEAKER.fullmatch(rest) else rest
