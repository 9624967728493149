# ruff: noqa: RUF002  # IPA letters are meant
"""Letter-to-sound rules of a language: a readable file, compiled to regular expressions.

    rules = load("de")
    rules.phones("hausaufgabe")      ("h", "aʊ", "s", "aʊ", "f", "ɡ", "aː", "b", "ə")

A file ``rules/de.txt`` has sections; ``;`` begins a comment:

    [version]   a number in the pronouncer's name, raised with every change of a phone
    [classes]   an upper-case letter and a regular expression it stands for; V and C are letters
    [cuts]      regular expressions for the text after a prefix, after a part and before a part
    [endings]   inflections that any part may have, with phones
    [names]     the phones of the names of letters and digits
    [words]     whole words and their phones
    [parts]     ``ver-``, ``-heit``, ``bahn``: prefixes, suffixes and parts of compounds, with
                phones unless the rules say them
    [sounds]    ``left[letters]right = phones``: the first rule that fits

The notation of [sounds] is that of the Naval Research Laboratory (Elovitz et al., *Letter-to-sound
rules for automatic translation of English text to phonetics*, 1976): the letters in brackets become
the phones if they stand between left and right. ``#`` is an end of the word or of a part. A rule
that begins with ``~`` holds only behind the first vowels of a part, where vowels are reduced.

A letter tree (`std.phonetics.letter_tree`) beside the file, ``rules/en.npz``, replaces [sounds].

A word is first cut into parts from both ends, because sounds depend on their edges: German
``haus+aufgabe`` has an s, ``land+tag`` a t. Each part is then pronounced by itself.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from std.phonetics import letter_tree
from std.phonetics.letter_tree import LetterTree
from std.phonetics.phones import Pronunciation

FOLDER = Path(__file__).parent / "rules"
MIN_PART, MAX_PART = 3, 18  # letters
MAX_PARTS = 12  # of a word; the rest of a longer one is pronounced as one part
MAX_KEPT = 100_000  # parts whose phones are kept
_RULE = re.compile(r"(~?)([^\[]*)\[([^\]]+)\](.*?)\s*=\s*(.*)")
_CLASS = re.compile(r"[A-Z]")

Phones = Mapping[str, Pronunciation]
Table = tuple[re.Pattern[str], tuple[Pronunciation, ...]]  # group i writes pronunciation i - 1


@dataclass(frozen=True, slots=True, eq=False)
class LetterRules:
    """The compiled rules of one language."""

    version: str
    alphabet: frozenset[str]  # letters that have rules
    first_vowels: re.Pattern[str]  # a part up to the end of its first vowels
    cuts: Mapping[str, re.Pattern[str]]
    names: Phones
    words: Phones
    parts: Mapping[str, Pronunciation | None]  # None: from the rules
    tables: Mapping[tuple[str, bool], Table]  # by letter, and whether a vowel precedes it
    tree: LetterTree | None  # replaces the rules
    _kept: dict[str, Pronunciation] = field(default_factory=dict)

    def phones(self, word: str) -> Pronunciation:
        """The phones of a word; empty if the language has none of its letters and digits."""
        phones: list[str] = []
        for run in self._runs(word):
            if run in self.words:
                phones += self.words[run]
            elif sounds := self._sounds(run):
                phones += sounds
            else:  # digits, and letters without a vowel, are spelt
                for letter in run:
                    phones += self.names.get(letter, ())
        return tuple(phones)

    def _sounds(self, run: str) -> Pronunciation:
        """The phones of letters read as a word; empty if they are spelt."""
        if len(run) == 1 or run.isdigit():
            return ()
        if self.tree:
            return self.tree.phones(run)
        if not self.first_vowels.match(f"#{run}#"):
            return ()
        return tuple(phone for part in self.split(run) for phone in self._part(part))

    def split(self, word: str) -> list[str]:
        """The parts of a word, prefixes and suffixes with their hyphens.

        >>> load("de").split("abfahrtszeit")
        ['ab-', 'fahrts', 'zeit']
        """
        before: list[str] = []
        after: list[str] = []
        while word not in self.parts and len(after) < MAX_PARTS and (part := self._last(word)):
            after.insert(0, part)
            word = word[: -len(part.strip("-"))]
        while word not in self.parts and len(before) < MAX_PARTS and (part := self._first(word)):
            before.append(part)
            word = word[len(part.strip("-")) :]
        word = f"{word}-" if f"{word}-" in self.parts else word
        return [*before, word, *after]

    def _last(self, word: str) -> str:
        """A suffix or listed part that ends a word and may be cut off; else empty."""
        for n in range(min(MAX_PART, len(word) - MIN_PART), 1, -1):
            for part in (f"-{word[-n:]}", word[-n:]):
                if part in self.parts and self.cuts["before"].match(word[:-n]):
                    return part
        return ""

    def _first(self, word: str) -> str:
        """A prefix or listed part that begins a word and may be cut off; else empty."""
        for n in range(min(MAX_PART, len(word) - 2), 1, -1):
            head, rest = word[:n], f"{word[n:]}#"
            if f"{head}-" in self.parts and self.cuts["prefix"].match(rest):
                return f"{head}-"
            if n >= MIN_PART and head in self.parts and self.cuts["after"].match(rest):
                return head
        return ""

    def _part(self, part: str) -> Pronunciation:
        phones = self._kept.get(part)
        if phones is None:
            phones = self.parts.get(part) or self._by_rules(part.strip("-"))
            if len(self._kept) < MAX_KEPT:
                self._kept[part] = phones
        return phones

    def _by_rules(self, letters: str) -> Pronunciation:
        text = f"#{letters}#"
        first = self.first_vowels.match(text)
        reduced = first.end() if first else len(text)
        phones: list[str] = []
        at = 1
        while at < len(text) - 1:
            pattern, outcomes = self.tables[text[at], at >= reduced]
            if match := pattern.match(text, at):
                assert match.lastindex is not None  # each alternative is a group
                phones += outcomes[match.lastindex - 1]
                at = match.end()
            else:
                at += 1
        return tuple(phones)

    def _runs(self, word: str) -> Iterator[str]:
        """The letters of the language and the digits in a word, lower-cased, each kind in a row.

        Letters without a rule lose their accents; letters that then have no rule are left out.
        """
        known: list[str] = []
        for letter in unicodedata.normalize("NFC", word.lower()):
            if letter in self.alphabet:
                known.append(letter)
                continue
            digit = unicodedata.digit(letter, None)
            if digit is not None:
                known.append(f" {digit} ")
            elif letter.isalpha():
                bare = unicodedata.normalize("NFKD", letter).lower()
                known += [one for one in bare if one in self.alphabet]
            elif letter in "-_/.":
                known.append(" ")
        return iter("".join(known).split())


@cache
def load(language: str) -> LetterRules:
    """Read and compile the rules of a language.

    Raises:
        KeyError: the language has no rules (`languages` lists those that have).
    """
    if language not in languages():
        raise KeyError(language)
    tree = FOLDER / f"{language}.npz"
    rules = (FOLDER / f"{language}.txt").read_text(encoding="utf-8")
    return compiled(rules, letter_tree.load(tree) if tree.exists() else None)


@cache
def languages() -> frozenset[str]:
    """The codes of the languages that have rules."""
    return frozenset(path.stem for path in FOLDER.glob("*.txt"))


def compiled(text: str, tree: LetterTree | None = None) -> LetterRules:
    """Compile a rule file.

    Args:
        tree: the letter tree, if the file has no [sounds].

    Raises:
        ValueError: a line of [sounds] is not a rule.
    """
    sections = _sections(text)
    classes = dict(line.split(None, 1) for line in sections["classes"])
    endings = {line.split()[0]: tuple(line.split()[1:]) for line in sections["endings"]}
    cuts = dict(line.split(None, 1) for line in sections["cuts"])
    parts: dict[str, Pronunciation | None] = {}
    for line in sections["parts"]:
        name, *phones = line.split()
        parts[name] = tuple(phones) or None
        if not name.endswith("-"):
            for ending, sounds in endings.items():
                if not phones or ending[0] not in classes["V"]:  # a vowel may voice what is before
                    parts.setdefault(name + ending, (*phones, *sounds) if phones else None)
    return LetterRules(
        version=sections["version"][0],
        alphabet=frozenset(classes["V"] + classes["C"]),
        first_vowels=re.compile(_expanded(f"#.*?{'N' if 'N' in classes else 'V+'}", classes)),
        cuts={name: re.compile(_expanded(regex, classes)) for name, regex in cuts.items()},
        names=_phones(sections["names"]),
        words=_phones(sections["words"]),
        parts=parts,
        tables=_tables(sections["sounds"], classes),
        tree=tree,
    )


def _sections(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = defaultdict(list)
    name = ""
    for line in text.splitlines():
        content = line.partition(";")[0].strip()
        if content.startswith("[") and content.endswith("]") and "=" not in content:
            name = content.strip("[]")
        elif content:
            sections[name].append(content)
    return sections


def _phones(lines: list[str]) -> dict[str, Pronunciation]:
    return {line.split()[0]: tuple(line.split()[1:]) for line in lines}


def _tables(lines: list[str], classes: Mapping[str, str]) -> dict[tuple[str, bool], Table]:
    """The rules of each first letter as one regular expression, in the file's order."""
    rules: dict[tuple[str, bool], list[tuple[str, Pronunciation]]] = defaultdict(list)
    alphabet = set(classes["V"] + classes["C"])
    for line in lines:
        found = _RULE.fullmatch(line)
        if not found or not alphabet.issuperset(found[3]):
            raise ValueError(f"expected left[letters]right = phones, got {line!r}")
        reduced, left, letters, right, phones = found.groups()
        regex = f"{_behind(left, classes)}({letters})"
        if right:
            regex += f"(?={_expanded(right, classes)})"
        for behind in (True,) if reduced else (False, True):
            rules[letters[0], behind].append((regex, tuple(phones.split())))
    for letter in alphabet:
        for behind in (False, True):
            rules.setdefault((letter, behind), [("(?!)()", ())])
    return {
        key: (re.compile("|".join(regex for regex, _ in of)), tuple(phones for _, phones in of))
        for key, of in rules.items()
    }


def _behind(left: str, classes: Mapping[str, str]) -> str:
    """A left context; each of its alternatives has its own width, as Python's regexes want."""
    if not left:
        return ""
    ways = left[1:-1].split("|") if re.fullmatch(r"\([^()]*\)", left) else [left]
    return f"(?:{'|'.join(f'(?<={_expanded(way, classes)})' for way in ways)})"


def _expanded(regex: str, classes: Mapping[str, str]) -> str:
    """A regular expression with the classes written out, and without groups."""
    while _CLASS.search(regex):
        regex = _CLASS.sub(lambda name: _class(name.group(), classes), regex)
    return re.sub(r"\((?!\?)", "(?:", regex)


def _class(name: str, classes: Mapping[str, str]) -> str:
    return f"[{classes[name]}]" if name in "VC" else f"({classes[name]})"
