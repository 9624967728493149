"""The words of the glossary are in use, and the words that it replaced are not."""

import io
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GLOSSARY = ROOT / "docs" / "glossary.md"
PACKAGES = ("std", "recogniser", "indexer", "searcher", "scoring", "service")

TERMS = [
    row.split("|")[1].strip()
    for row in GLOSSARY.read_text().splitlines()
    if row.startswith("| ") and not row.startswith("| word |")
]

# Names that no identifier of the packages has any more.
RETIRED_NAMES = (
    "unite",
    "united",
    "lent",
    "borrowed",
    "outlook",
    "rival",
    "rivals",
    "ahead",
    "beaten",
    "hearing",
    "Ears",
    "ears",
    "open_ears",
    "hear",
    "hear_in",
    "listen",
    "listening",
    "Heard",
    "Found",
    "fence",
    "crowd",
    "crowds",
    "side_by_side",
    "SideBySide",
    "tally",
    "lots",
    "budget",
    "promise",
    "weakest",
    "deaf",
    "UNTUNED",
    "Asked",
    "InLanguage",
    "SoundIndex",
    "Sounds",
    "open_sound",
    "SoundConfig",
    "sound_columns",
    "is_sound",
    "Wanted",
    "Draft",
    "careful",
    "maker",
    "require_maker",
    "Whole",
    "mistakes",
    "mates",
    "look_closer",
    "brier",
    "speed_factor",
)

# Phrases that no page has any more (in any case, also in the plural).
RETIRED_PHRASES = (
    "sound search",
    "search by sound",
    "searching by sound",
    "sound column",
    "what was heard",
    "crowd",
    "fence",
    "rival",
    "outlook",
    "tally",
    "deaf",
    "by lot",
)

# Phrases that no docstring or comment of the packages has.
RETIRED_IN_CODE = (*RETIRED_PHRASES, "is lent", "hand-over")


@cache
def sources():
    """Text of every module of the packages."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text()
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    }


@cache
def pages():
    """Text of every page except the glossary and the changelog, which quote other words."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/*.md")]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text() for path in found if path != GLOSSARY
    }


@cache
def identifiers():
    """Each identifier of the packages and the first place where it stands."""
    places = {}
    for path, text in sources().items():
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.NAME:
                places.setdefault(token.string, f"{path}:{token.start[0]}")
    return places


@cache
def running_text():
    """Pages and modules in one, blanks and line breaks (also of comments) as one blank."""
    return {
        path: re.sub(r"\s+(?:#\s+)?", " ", text.lower())
        for path, text in (pages() | sources()).items()
    }


def in_text(phrase, among):
    """Places whose text has a phrase, as whole words, also in the plural."""
    pattern = re.compile(rf"(?<![\w]){re.escape(phrase.lower())}(?:e?s)?(?![\w])")
    return [
        path
        for path, text in running_text().items()
        if path in among and phrase.lower() in text and pattern.search(text)  # the second is quick
    ]


def test_the_glossary_has_words_and_each_once():
    assert len(TERMS) > 50
    assert len(TERMS) == len({term.lower() for term in TERMS})


@pytest.mark.parametrize("term", TERMS)
def test_every_word_of_the_glossary_is_in_use(term):
    assert in_text(term, running_text())


@pytest.mark.parametrize("name", RETIRED_NAMES)
def test_retired_names_are_gone(name):
    assert name not in identifiers(), identifiers().get(name)


@pytest.mark.parametrize("phrase", RETIRED_PHRASES)
def test_retired_phrases_are_gone_from_the_pages(phrase):
    assert not in_text(phrase, pages())


@pytest.mark.parametrize("phrase", RETIRED_IN_CODE)
def test_retired_phrases_are_gone_from_the_code(phrase):
    assert not in_text(phrase, sources())
