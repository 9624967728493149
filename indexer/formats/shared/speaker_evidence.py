"""Decide by the whole file whether names before speech are speakers.

    speakers     the prefixes of a file that are names of speakers

``Anna: hello`` and ``Remember: it is late`` look the same. In doubt it is speech, because a word
mistaken for a speaker cannot be found. Speakers are, in this order:

    1. those that the file marks as speakers (VTT's ``<v>``, a field), and then no others
    2. labels of speakers: ``Speaker 1``, ``SPK_02``; a name after ``>>``
    3. those that begin all captions, or most; or that recur after other speakers. A single word is
       one only if it alternates with others, and if neither a list
       (`indexer.formats.shared.opening_words`) nor small letters elsewhere show that it is a word
    4. words in capitals, in captions that are not in capitals; but no abbreviations

In a file whose sentences begin with capitals, a name does not count if what follows it mostly
begins with a small letter.
"""

from collections.abc import Sequence, Set
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from indexer.formats.shared.clock import codes_of
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.opening_words import is_opening
from indexer.formats.shared.speaker_shapes import (
    Prefixes,
    is_abbreviation,
    is_in_capitals,
    is_initials,
    is_label,
    is_name,
    is_noise,
)
from std.values import Int64s

MOST = 0.5  # of captions: names that recur begin so many, and the file is a dialogue
NEARLY_ALL = 0.9  # of captions: prefixes of the others are names, too
SOME = 0.05  # of captions: names that are written where the speaker changes
OFTEN = 3  # times that a single word recurs in such a file
MONOLOGUE = 5  # captions that one speaker named by a single word begins
CHANGES = 0.8  # of names that are written where the speaker changes: another name came before
CAPITALS = 0.7  # of letters: the whole file is written in capitals
CASED = 0.3  # of utterances begin with a capital: then sentences do
LEAST_OTHERS = 4  # captions without names needed to decide
CASED_LETTERS = 40  # letters of an utterance examined for its case
UTTERANCES_EXAMINED = 200  # utterances examined for how sentences begin
SAID = 200  # letters of an utterance that are examined


_SPEAKER = itemgetter(Cue._fields.index("speaker"))  # fast


class _File(NamedTuple):
    """The statistics that distinguish names from speech."""

    captions: int
    text: str  # of all of them, joined by line breaks
    prefixes: Prefixes
    counts: dict[str, int]  # how often each name is a prefix with a colon
    order: Int64s  # names of these, in order
    high: dict[str, int]  # how often speech after a name begins with a capital
    low: dict[str, int]  # or without, in letters that have capitals
    cased: float  # share of utterances that begin with a capital
    is_high: bool  # the whole text is in capitals


def speakers(cues: Sequence[Cue], prefixes: Prefixes, text: str) -> Set[str]:
    """Tell which names are speakers.

    Args:
        cues: the cues of a whole file.
        prefixes: the prefixes of their texts.
        text: all of these, joined by line breaks.
    """
    known = {name.casefold() for name in {*map(_SPEAKER, cues)}} - {""}
    if known:
        return {name for name in prefixes.names if name.casefold() in known}
    file = _of_file(cues, prefixes, text)
    sure = {one.name for one in prefixes.kinds if one.marked and _may_be(one.name)}
    sure |= {name for name in prefixes.names if is_label(name)}
    return sure | _dialogue(file) | _in_capitals(file) | _in_brackets(file)


def _of_file(cues: Sequence[Cue], prefixes: Prefixes, text: str) -> _File:
    bare = np.array([one.bare for one in prefixes.kinds])[prefixes.kind]
    n_names = len(prefixes.names)
    counts, order = np.bincount(prefixes.name[~bare], minlength=n_names), prefixes.name[~bare]
    letters = _first_letters(text, prefixes.place)
    case = np.zeros(int(letters.max(initial=0)) + 1, np.int64)
    for code in np.flatnonzero(np.bincount(letters)).tolist():
        case[code] = _case(chr(code))
    cases = case[letters]
    high, low = (np.bincount(prefixes.name[cases == one], minlength=n_names) for one in (1, -1))
    named = np.zeros(len(cues), np.bool_)
    named[prefixes.row] = True
    others = np.flatnonzero(~named)
    blank = sum(not cues[row].text.strip() for row in others.tolist())
    begins = [cues[row].text.lstrip() for row in _spread(others)]
    begins = [own for own in begins if own[:1].isalpha()]
    if len(begins) < LEAST_OTHERS:
        begins += [text[at : at + CASED_LETTERS].lstrip() for at in _spread(prefixes.place)]
        begins = [own for own in begins if own[:1].isalpha()]
    some = "".join([own[:CASED_LETTERS] for own in begins])
    n_high, n_low = _cases(some)
    return _File(
        captions=max(1, len(cues) - blank),
        text=text,
        prefixes=prefixes,
        counts=_by_name(prefixes, counts),
        order=order,
        high=_by_name(prefixes, high),
        low=_by_name(prefixes, low),
        cased=sum(own[0].isupper() for own in begins) / len(begins) if begins else 0.0,
        is_high=n_high > CAPITALS * (n_high + n_low),
    )


def _cases(text: str) -> tuple[int, int]:
    """How many letters are capitals, and small ones that have capitals."""
    low, high = text.lower(), text.upper()
    if not len(low) == len(high) == len(text):  # as with ß
        return sum(map(str.isupper, text)), sum(map(str.islower, text))
    codes = codes_of(text)
    n_high, n_low = (int((codes_of(one).astype(np.uint32) != codes).sum()) for one in (low, high))
    return n_high, n_low


def _by_name(prefixes: Prefixes, counts: Int64s) -> dict[str, int]:
    return dict(zip(prefixes.names, counts.tolist(), strict=True))


def _first_letters(text: str, places: Int64s) -> Int64s:
    """(n,) code points of the first letters from places on; at most two blanks are skipped."""
    codes = codes_of(text + "  \n\n")
    at = places.copy()
    for _ in range(2):
        here = codes[at]
        at += (here == ord(" ")) | (here == ord("\n")) | (here == ord("\t"))
    return codes[at].astype(np.int64)


def _case(letter: str) -> int:
    """1 of a capital, -1 of a small letter, 0 of others."""
    return 0 if letter.lower() == letter.upper() else 1 if letter.isupper() else -1


def _spread(values: Int64s) -> list[int]:
    """Some of many, evenly."""
    some: list[int] = values[:: len(values) // UTTERANCES_EXAMINED + 1].tolist()
    return some


def _may_be(name: str) -> bool:
    return is_name(name) and not is_opening(name) and not is_abbreviation(name)


def _dialogue(file: _File) -> set[str]:
    """Names that begin all captions or most of them, or where the speaker changes."""
    counts = file.counts
    again = {name for name, count in counts.items() if count > 1 and not is_opening(name)}
    any_case, again = again, _begin_sentences(again, file)
    names = {name for name in again if _may_be(name)}
    if len(file.order) >= NEARLY_ALL * file.captions:  # each begins so: letters do not distinguish
        again = again | {name for name in any_case if " " in name and _may_be(name)}
    if again and len(file.order) >= NEARLY_ALL * file.captions and _share(again, file) >= MOST:
        initials = {name for name in again if is_initials(name) and counts[name] >= OFTEN}
        return _of_all(file, {name for name in again if not is_abbreviation(name)} | initials)
    names = {name for name in names if " " in name or counts[name] >= OFTEN}
    if _share(names, file) < MOST:
        names = {name for name in names if not _is_word(name, file.text)}
        if len(names) > 1 and len(any_case) > len(again):
            names |= _taking_turns(names, any_case - again, file)
        is_one = _share(names, file) >= SOME and _changes(file.order, names, file) >= CHANGES
        return names if is_one else set()
    single = {name for name in names if " " not in name}
    words = {name for name in single if _is_word(name, file.text)}
    names -= words if _changes(file.order, names, file) >= MOST else single
    if _share(names, file) < MOST:
        return set()
    return names | {name for name in _others(file, names) if " " in name}


def _taking_turns(known: Set[str], others: Set[str], file: _File) -> set[str]:
    """Names after which sentences go on in small letters, but that alternate with known ones."""
    names = {
        name
        for name in others
        if file.counts[name] >= OFTEN and _may_be(name) and not _is_word(name, file.text)
    }
    return names if _changes(file.order, known | names, file) >= NEARLY_ALL else set()


def _others(file: _File, known: Set[str]) -> set[str]:
    """Further names of a dialogue beside known ones: "Die Regierung: ..." is speech."""
    others = {name for name, count in file.counts.items() if count and name not in known}
    return {name for name in others if _may_be(name) and not _is_word(name, file.text)}


def _share(names: Set[str], file: _File) -> float:
    """The share of captions that begin with names."""
    return sum(file.counts[name] for name in names) / file.captions


def _of_all(file: _File, again: Set[str]) -> set[str]:
    """Names of a file in which each caption begins with one."""
    in_brackets = all(one.brackets for one in file.prefixes.kinds)
    if not in_brackets and not any(" " in name for name in again) and len(again) < 2:
        again = {name for name in again if file.counts[name] >= MONOLOGUE}
    if not again:
        return set()
    return {*again} | _others(file, again)


def _changes(order: Int64s, names: Set[str], file: _File) -> float:
    """How often a name differs from the one before; 0 for a single one."""
    if len(names) < 2:
        return 0.0
    own = order[np.array([name in names for name in file.prefixes.names])[order]]
    return float((own[1:] != own[:-1]).mean())


def _begin_sentences(names: Set[str], file: _File) -> set[str]:
    """Names after which sentences begin, if sentences of the file have capitals."""
    if file.cased < CASED:
        return {*names}
    return {name for name in names if file.high[name] >= file.low[name]}


def _in_brackets(file: _File) -> set[str]:
    """Names in brackets without a colon: they alternate, and something is said after each."""
    prefixes = file.prefixes
    is_bare = np.array([one.bare for one in prefixes.kinds])[prefixes.kind]
    if not is_bare.any():
        return set()
    bare = prefixes.some(is_bare)
    says = [
        bool(file.text[at : at + SAID].partition("\n")[0].strip()) for at in bare.place.tolist()
    ]
    n_names = len(bare.names)
    counts = _by_name(bare, np.bincount(bare.name, minlength=n_names))
    spoken = _by_name(bare, np.bincount(bare.name[np.array(says)], minlength=n_names))
    names = {
        name
        for name, count in counts.items()
        if count and spoken[name] >= CHANGES * count and _may_be(name) and not is_noise(name)
    }
    again = _begin_sentences({name for name in names if counts[name] > 1}, file)
    covered = sum(counts[name] for name in again) / file.captions
    if covered < MOST or _changes(bare.name, again, file) < MOST:
        return set()
    return names if covered >= NEARLY_ALL else again


def _in_capitals(file: _File) -> set[str]:
    """Names in capitals, unless the whole text is in capitals."""
    if file.is_high:
        return set()
    names = {name for name, count in file.counts.items() if count and is_in_capitals(name)}
    return {
        name
        for name in names
        if _may_be(name)
        and _occurrences(name, file.text, file.counts[name] + 1) == file.counts[name]
        and not _is_word(name, file.text)
    }


def _is_word(name: str, text: str) -> bool:
    """Whether the first word of a name is written small elsewhere, as names are not."""
    first = name.split()[0]
    small = first.casefold()
    return small != first and _occurrences(small, text, 1) > 0


def _occurrences(words: str, text: str, most: int) -> int:
    """How often words occur in a text as whole words; at most ``most`` are counted."""
    found, at = 0, text.find(words)
    while at >= 0 and found < most:
        around = text[max(0, at - 1) : at] + text[at + len(words) : at + len(words) + 1]
        found += not any(letter.isalnum() or letter == "_" for letter in around)
        at = text.find(words, at + 1)
    return found
