"""Whether what stands before speech is who speaks: by what a whole file is like.

    Prefix       words with a colon, or in brackets, at the beginning of a line
    speakers     those of a file that are names of speakers

``Anna: hello`` and ``Remember: it is late`` look the same. In doubt it is speech, because a word
that is taken for a speaker is lost to the search. Names are taken, in this order:

    1. that the file names itself (VTT's ``<v>``, a field): these, and no others
    2. what only a speaker is called: ``Speaker 1``, ``SPK_02``; a name after ``>>``
    3. those that begin all captions, or most; or that come again and again where others spoke
       before. A single word is one only if it alternates with others, and if neither a list
       (`indexer.formats.shared.opening_words`) nor small letters elsewhere say that it is a word
    4. words in capitals, in captions that are not; but no abbreviations

and none after which sentences go on in small letters, in a file whose sentences have capitals.
"""

from collections import Counter
from collections.abc import Sequence, Set
from itertools import chain, pairwise
from typing import NamedTuple

from indexer.formats.shared.cues import Cue
from indexer.formats.shared.opening_words import is_opening
from indexer.formats.shared.speaker_shapes import (
    is_abbreviation,
    is_in_capitals,
    is_initials,
    is_label,
    is_name,
    is_noise,
)

MOST = 0.5  # of captions: names that recur begin so many, and the file is a dialogue
NEARLY_ALL = 0.9  # of captions: whatever begins the others is a name, too
SOME = 0.05  # of captions: names that are written where the speaker changes
OFTEN = 3  # times that a single word recurs in such a file
MONOLOGUE = 5  # captions that one speaker named by a single word begins
CHANGES = 0.8  # of names that are written where the speaker changes: another's was before
CAPITALS = 0.7  # of letters: the whole file is written in capitals
CASED = 0.3  # of utterances begin with a capital: sentences do
LEAST_OTHERS = 4  # captions without names that tell it
LOOKED_AT = 2000  # utterances that tell how sentences begin


class Prefix(NamedTuple):
    """Words with a colon, or in brackets without one, at the beginning of a line."""

    name: str
    begin: int
    end: int
    marked: bool = False  # with >>
    brackets: bool = False  # around the name
    bare: bool = False  # without a colon


class _File(NamedTuple):
    """What tells names from speech."""

    captions: int
    text: str
    prefixes: Sequence[Prefix]
    after: Sequence[str]  # (n,) what is said after each, to the end of its caption
    cased: float  # share of utterances that begin with a capital
    is_high: bool  # all is written in capitals


def speakers(cues: Sequence[Cue], found: Sequence[tuple[int, Sequence[Prefix]]]) -> Set[str]:
    """Tell which names are speakers.

    Args:
        cues: of a whole file.
        found: row of each cue that has prefixes, and these.
    """
    known = {name.casefold() for name in {cue.speaker for cue in cues}} - {""}
    names = {one.name for _, own in found for one in own}
    if known:
        return {name for name in names if name.casefold() in known}
    file = _of_file(cues, found)
    sure = {one.name for one in file.prefixes if one.marked and _may_be(one.name)}
    sure |= {name for name in names if is_label(name)}
    dialogue = _dialogue([one.name for one in file.prefixes if not one.bare], file)
    return sure | dialogue | _in_capitals(file) | _in_brackets(file)


def _of_file(cues: Sequence[Cue], found: Sequence[tuple[int, Sequence[Prefix]]]) -> _File:
    prefixes = list(chain.from_iterable(own for _, own in found))
    after = [cues[row].text[one.end :].lstrip() for row, own in found for one in own]
    named = {row for row, _ in found}
    others = [cue.text.lstrip() for row, cue in enumerate(cues) if row not in named]
    begins = [text for text in others if text[:1].isalpha()]
    if len(begins) < LEAST_OTHERS:
        begins += [text for text in after if text[:1].isalpha()]
    some = begins[:: len(begins) // LOOKED_AT + 1]
    cased = sum(text[0].isupper() for text in some) / len(some) if some else 0.0
    letters = [letter for letter in "".join(some) if letter.lower() != letter.upper()]
    is_high = sum(map(str.isupper, letters)) > CAPITALS * len(letters)
    captions = sum(1 for cue in cues if cue.text.strip())
    text = "\n".join([cue.text for cue in cues])
    return _File(max(1, captions), text, prefixes, after, cased, is_high)


def _may_be(name: str) -> bool:
    return is_name(name) and not is_opening(name) and not is_abbreviation(name)


def _dialogue(order: Sequence[str], file: _File) -> set[str]:
    """Names that begin all captions or most of them, or where the speaker changes.

    Args:
        order: the names as they come.
        file: for what is said beside them.
    """
    counts = Counter(order)
    again = {name for name, count in counts.items() if count > 1 and not is_opening(name)}
    again = _begin_sentences(again, file)
    names = {name for name in again if _may_be(name)}
    covered = sum(counts[name] for name in again) / file.captions
    if covered >= MOST and len(order) >= NEARLY_ALL * file.captions and again:
        initials = {name for name in again if is_initials(name) and counts[name] >= OFTEN}
        again = {name for name in again if not is_abbreviation(name)} | initials
        return _of_all(counts, again, all(one.brackets for one in file.prefixes))
    names = {name for name in names if " " in name or counts[name] >= OFTEN}
    if sum(counts[name] for name in names) < MOST * file.captions:
        names = {name for name in names if not _is_word(name, file.text)}
        share = sum(counts[name] for name in names) / file.captions
        return names if share >= SOME and _changes(order, names) >= CHANGES else set()
    single = {name for name in names if " " not in name}
    words = {name for name in single if _is_word(name, file.text)}
    if _changes(order, names) < MOST:
        words = single
    names -= words
    if sum(counts[name] for name in names) < MOST * file.captions:
        return set()
    return names | {name for name in counts if " " in name and _may_be(name)}


def _of_all(counts: Counter[str], again: Set[str], in_brackets: bool) -> set[str]:
    """Names of a file in which each caption begins with one."""
    if not in_brackets and not any(" " in name for name in again) and len(again) < 2:
        again = {name for name in again if counts[name] >= MONOLOGUE}
    once = {name for name in counts if _may_be(name)} if again else set[str]()
    return {*again} | once


def _changes(order: Sequence[str], names: Set[str]) -> float:
    """How often another name than the one before comes; 0 of a single one."""
    own = [name for name in order if name in names]
    if len(names) < 2:
        return 0.0
    return sum(a != b for a, b in pairwise(own)) / (len(own) - 1)


def _begin_sentences(names: Set[str], file: _File) -> set[str]:
    """Those after which sentences begin, in a file in which these have capitals."""
    if file.cased < CASED:
        return {*names}
    high, low = Counter[str](), Counter[str]()
    for one, said in zip(file.prefixes, file.after, strict=True):
        if one.name in names and said[:1].lower() != said[:1].upper():
            (high if said[0].isupper() else low)[one.name] += 1
    return {name for name in names if high[name] >= low[name]}


def _in_brackets(file: _File) -> set[str]:
    """Names in brackets without a colon: they alternate, and something is said after each."""
    bare = [
        (one.name, bool(said.partition("\n")[0].strip()))
        for one, said in zip(file.prefixes, file.after, strict=True)
        if one.bare
    ]
    counts, spoken = Counter(name for name, _ in bare), Counter(name for name, says in bare if says)
    names = {
        name
        for name, count in counts.items()
        if _may_be(name) and not is_noise(name) and spoken[name] >= CHANGES * count
    }
    again = _begin_sentences({name for name in names if counts[name] > 1}, file)
    covered = sum(counts[name] for name in again) / file.captions
    if covered < MOST or _changes([name for name, _ in bare], again) < MOST:
        return set()
    return names if covered >= NEARLY_ALL else again


def _in_capitals(file: _File) -> set[str]:
    """Names in capitals, where that is not how the whole text is written."""
    names = {one.name for one in file.prefixes if not one.bare}
    names = {name for name in names if is_in_capitals(name) and _may_be(name)}
    if file.is_high:
        return set()
    written = Counter(one.name for one in file.prefixes)
    return {
        name
        for name in names
        if _occurrences(name, file.text, written[name] + 1) == written[name]
        and not _is_word(name, file.text)
    }


def _is_word(name: str, text: str) -> bool:
    """Tell whether the first word of a name is written small elsewhere, as names are not."""
    first = name.split()[0]
    small = first.casefold()
    return small != first and _occurrences(small, text, 1) > 0


def _occurrences(words: str, text: str, most: int) -> int:
    """How often words stand in a text as such; no more than ``most`` are counted."""
    found, at = 0, text.find(words)
    while at >= 0 and found < most:
        around = text[max(0, at - 1) : at] + text[at + len(words) : at + len(words) + 1]
        found += not any(letter.isalnum() or letter == "_" for letter in around)
        at = text.find(words, at + 1)
    return found
