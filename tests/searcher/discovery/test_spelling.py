"""Phones become letters as the words of an archive are written."""

from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest

from searcher.commands.discover import main
from searcher.discovery.spelling import MOST_LETTERS, aligned_letters, learned_speller

RANDOM = np.random.default_rng(3)
LETTERS = {"a": "a", "u": "oo", "S": "sch", "t": "t", "n": "n", "_": "", "k": "k"}
PHONES = [*LETTERS]


def spelt(phones):
    return "".join(LETTERS[phone] for phone in phones)


WORDS = [tuple(RANDOM.choice(PHONES, RANDOM.integers(3, 8)).tolist()) for _ in range(400)]


def test_letters_of_phones_are_learned_and_written_again():
    speller = learned_speller((spelt(phones), phones) for phones in WORDS[:300])
    right = [speller.spelling(phones) == spelt(phones) for phones in WORDS[300:]]
    assert np.mean(right) > 0.9
    assert speller.spelling(["a", "?", "t"]) == "at"  # no word has it
    assert speller.spelling([]) == ""
    assert learned_speller([]).spelling(["a"]) == ""


def test_what_stands_before_decides_how_a_phone_is_written():
    """A d behind a vowel, a t behind a consonant."""
    pairs = [(f"{v}d", (v, "T")) for v in "aeiou"] + [(f"{c}t", (c, "T")) for c in "klmnr"]
    speller = learned_speller(pairs * 3)
    assert [speller.spelling((one, "T")) for one in "ak"] == ["ad", "kt"]


@pytest.mark.parametrize("word", ["kas", "toon", "s", "schaft"])
def test_letters_are_aligned_as_by_looking_at_every_way(word):
    phones = ("k", "u", "n")
    counts = {
        phone: Counter(
            {word[i:j]: int(RANDOM.integers(1, 50)) for i in range(3) for j in range(i, 5)}
        )
        for phone in phones
    }

    def score(lengths):
        cuts = np.cumsum([0, *lengths])
        parts = [word[a:b] for a, b in pairwise(cuts)]
        return sum(
            np.log(max(counts[phone][part] / counts[phone].total(), 1e-4))
            for phone, part in zip(phones, parts, strict=True)
        )

    ways = [w for w in product(range(MOST_LETTERS + 1), repeat=3) if sum(w) == len(word)]
    best = max(map(score, ways))
    found = aligned_letters(word, phones, counts)
    assert "".join(found) == word
    assert score([*map(len, found)]) == pytest.approx(best)
    assert aligned_letters("x" * 10, phones, counts) == ()


def test_names_need_what_the_words_do_not_explain(tmp_path, capsys):
    assert main(["--store", str(tmp_path), "--names", "names.txt"]) == 2
    assert "expected --unexplained with --names" in capsys.readouterr().err
