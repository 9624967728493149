"""Every row of the table of differences in docs/discovery.md says what the code computes."""

import io
from pathlib import Path

import pytest

from scoring.discovery import formats
from scoring.discovery.api import evaluate
from scoring.discovery.cli import PROFILES
from scoring.discovery.corpus import make_corpus, make_discovery

DOCS = Path(__file__).parents[3] / "docs" / "discovery.md"
SYMBOLS = {"-": "SIL", "~": "SPN"}


def table():
    lines = DOCS.read_text().splitlines()
    start = lines.index("| choice | gold | found | value | zrc2017 | zrc2015 | definition |") + 2
    for line in lines[start:]:
        if not line.startswith("|"):
            return
        yield [cell.strip().strip("`") for cell in line.strip("|").split("|")]


def corpus_of(gold):
    """Phones of 100 ms; words between blanks; see the notation above the table."""
    phones, words = [], []
    for file, text in zip("fghi", gold.split(" / "), strict=False):
        now = 0
        for token in text.split():
            letters, _, label = token.partition("=")
            start = now
            for letter in letters:
                if letter != "_":
                    symbol = SYMBOLS.get(letter, letter)
                    phones.append(f"{file} {now / 10} {(now + 1) / 10} {symbol}\n")
                now += 1
            if letters not in "_-~":
                words.append(f"{file} {start / 10} {now / 10} {label or letters}\n")
    return make_corpus(
        *(formats.parse_alignment(io.BytesIO("".join(rows).encode())) for rows in (phones, words))
    )


def discovery_of(corpus, found):
    text = ""
    for number, members in enumerate(found.split(";")):
        text += f"Class {number}\n"
        for member in members.split():
            start, end = (float(x) / 10 for x in member[1:].split("-"))
            text += f"{member[0]} {start:.4f} {end:.4f}\n"
        text += "\n"
    return make_discovery(formats.parse_classes(io.BytesIO(text.encode())), corpus)


@pytest.mark.parametrize("row", list(table()), ids=lambda row: row[0])
def test_difference(row):
    _, gold, found, name, *values = row
    corpus = corpus_of(gold)
    discovery = discovery_of(corpus, found)
    for profile, want in zip(PROFILES, values, strict=True):
        got = evaluate(corpus, discovery, profile).scores["all"]
        for part in name.split("."):
            got = got.counts["pairs"] if part == "pairs" else getattr(got, part)
        assert got == pytest.approx(float(want), abs=1e-6, nan_ok=True), profile


def test_the_table_is_there():
    assert len(list(table())) > 20
