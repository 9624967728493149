# ruff: noqa: RUF001  # IPA letters are meant
"""Make std/phonetics/rules/en.npz, the letter tree of English, from the CMU Pronouncing Dictionary.

    python tools/english_pronunciations.py cmudict.dict                 write the file
    python tools/english_pronunciations.py cmudict.dict --held-out 10   errors on every 10th word

The dictionary is https://github.com/cmusphinx/cmudict (2-clause BSD licence; the notice goes with
the file, see LICENSE.cmudict). Letters are aligned with no, one or two phones each, by expectation
maximisation over best paths; `std.phonetics.letter_tree` says what the tree is.
"""

import argparse
import math
import re
from collections import Counter, defaultdict
from pathlib import Path

from std.phonetics.letter_tree import EDGE, LetterTree, context, grown, save
from std.phonetics.phones import canonical

ROUNDS = 5
SAMPLE = 10  # every tenth word tells what letters may stand for
MAX_PHONES = 2  # of a letter
OUTPUT = Path(__file__).parent.parent / "std" / "phonetics" / "rules" / "en.npz"
Entry = tuple[str, tuple[str, ...]]  # word, phones
Aligned = tuple[str, tuple[tuple[str, ...], ...]]  # word, phones of each letter


def read(path: Path) -> list[Entry]:
    """The first pronunciation of each word of letters and apostrophes."""
    entries = []
    for line in path.read_text(encoding="utf-8").splitlines():
        word, *symbols = line.split("#")[0].split()
        if re.fullmatch(r"[a-z']+", word):
            entries.append((word, tuple(canonical(symbol) for symbol in symbols)))
    return entries


def align(entries: list[Entry]) -> list[Aligned]:
    """Which phones each letter has; words with more than two phones a letter are left out."""
    cost: dict[tuple[str, tuple[str, ...]], float] = {}
    for _ in range(ROUNDS):
        sample = (best_path(*entry, cost) for entry in entries[::SAMPLE])
        aligned = [one for one in sample if one]
        counts = Counter(
            pair for word, chunks in aligned for pair in zip(word, chunks, strict=True)
        )
        totals: Counter[str] = Counter()
        for (letter, _), n in counts.items():
            totals[letter] += n
        cost = {pair: math.log(totals[pair[0]] / n) for pair, n in counts.items()}
    return [one for entry in entries if (one := best_path(*entry, cost))]


def best_path(
    word: str, phones: tuple[str, ...], cost: dict[tuple[str, tuple[str, ...]], float]
) -> Aligned | None:
    """The cheapest way to share phones among letters; None if there are too many."""
    n = len(phones)
    best = [math.inf] * (n + 1)
    best[0] = 0.0
    steps: list[list[int]] = []
    for letter in word:
        now, step = [math.inf] * (n + 1), [0] * (n + 1)
        for end in range(n + 1):
            for size in range(min(MAX_PHONES, end) + 1):
                before = best[end - size]
                if before == math.inf:
                    continue
                chunk = phones[end - size : end]
                price = cost.get((letter, chunk), 12.0) if cost else (3.0, 1.0, 4.0)[size]
                if not cost and size == 1 and vowel(letter) != vowel_phone(chunk[0]):
                    price = 5.0
                if before + price < now[end]:
                    now[end], step[end] = before + price, size
        best = now
        steps.append(step)
    if best[n] == math.inf:
        return None
    chunks, end = [], n
    for step in reversed(steps):
        chunks.append(phones[end - step[end] : end])
        end -= step[end]
    return word, tuple(reversed(chunks))


def vowel(letter: str) -> bool:
    """Whether a letter mostly stands for vowels: where the alignment starts."""
    return letter in "aeiouy"


def vowel_phone(phone: str) -> bool:
    """Whether a phone is a vowel."""
    return phone[0] in "aeiouæɑɔəɚɛɜɪʊʌ"


def tree(aligned: list[Aligned]) -> LetterTree:
    """The letter tree of aligned words."""
    examples: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for word, chunks in aligned:
        for at, chunk in enumerate(chunks):
            examples[word[at]].append((context(f"{EDGE}{word}{EDGE}", at + 1), chunk))
    return grown(examples)


def distance(first: tuple[str, ...], second: tuple[str, ...]) -> int:
    """Levenshtein distance."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, start=1):
        before, row[0] = row[0], i
        for j, b in enumerate(second, start=1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (a != b))
    return row[-1]


def main() -> None:
    """Write the file, or print the error rate on words that were held out."""
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("dictionary", type=Path)
    parse.add_argument("--held-out", type=int, metavar="N")
    args = parse.parse_args()
    entries = read(args.dictionary)
    if args.held_out:
        test = entries[:: args.held_out]
        rest = [entry for i, entry in enumerate(entries) if i % args.held_out]
        learned = tree(align(rest))
        said = [learned.phones(word) for word, _ in test]
        errors = [distance(phones, ours) for (_, phones), ours in zip(test, said, strict=True)]
        phones = sum(len(phones) for _, phones in test)
        wrong = sum(error > 0 for error in errors) / len(test)
        print(f"{len(test)} words held out: phones {sum(errors) / phones:.4f}, words {wrong:.4f}")
        return
    learned = tree(align(entries))
    save(learned, OUTPUT)
    exact = sum(learned.phones(word) == phones for word, phones in entries)
    print(f"{OUTPUT.name}: {len(learned.nodes)} nodes, {OUTPUT.stat().st_size} bytes; ", end="")
    print(f"{exact} of {len(entries)} words as in the dictionary")


if __name__ == "__main__":
    main()
