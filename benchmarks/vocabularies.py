"""Build German vocabularies of 24 thousand and 300 thousand words from public lists.

The lists are CC BY-SA and not included. This script needs a separate environment, which may be
deleted afterwards:

    python3 -m venv /tmp/lists && /tmp/lists/bin/pip install wordfreq==3.1.1 german-nouns==1.2.5
    /tmp/lists/bin/python benchmarks/vocabularies.py /tmp/vocabularies

It writes v24k.tsv and v300k.tsv, lines of ``word<TAB>count`` (occurrences in 1e9 words, rounded
up).

v300k: the most frequent words of wordfreq, with the ß that it folds to ss restored if the noun list
    has it.
v24k: few inflected forms, as in the thesis's vocabulary of about 25 thousand entries: noun lemmas
    and words that are not forms of a noun, by frequency; without noun forms that are not lemmas;
    without the thesis's 65 compounds; and with the thirteen rare bases that the thesis's lecture
    vocabulary must have had.
"""

import csv
import sys
from pathlib import Path

import german_nouns  # type: ignore[import-not-found]  # not a dependency: see above
import wordfreq  # type: ignore[import-not-found]

COMPOUNDS = Path(__file__).parent.parent / "tests/data/compounds/thesis-65.tsv"
BASES = [
    *("steller", "gap", "artikulation", "dimensional", "perplexität", "retraktion", "dualität"),
    *("linearität", "prädiktion", "aphorismus", "wöchnerin", "perzeptron", "experimental"),
]
ABSENT = {"adjazenz", "disjunkt", "raytracing"}  # no algorithm of the thesis found them


def nouns() -> tuple[set[str], set[str]]:
    """Lemmas and all forms of the noun list, lower case."""
    lemmas, forms = set(), set()
    path = next(Path(next(iter(german_nouns.__path__))).glob("nouns.csv"))
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            lemma = (row["lemma"] or "").lower()
            if lemma.isalpha():
                lemmas.add(lemma)
            for key, value in row.items():
                if key and key.startswith(("nominativ", "genitiv", "dativ", "akkusativ")) and value:
                    forms.add(value.lower())
    return lemmas, lemmas | {form for form in forms if form.isalpha()}


def frequencies(forms: set[str]) -> dict[str, int]:
    """Alphabetic words with their counts in 1e9, most frequent first, ß restored."""
    sharp = {form.replace("ß", "ss"): form for form in forms if "ß" in form}
    counts: dict[str, int] = {}
    for word, share in wordfreq.get_frequency_dict("de", "large").items():
        if word.isalpha():
            word = sharp.get(word, word)
            counts[word] = counts.get(word, 0) + max(1, round(1e9 * share))
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


def write(path: Path, words: list[str], counts: dict[str, int]) -> None:
    """Write word<TAB>count lines, ascending by word."""
    lines = (f"{word}\t{counts.get(word, 1)}\n" for word in sorted(words))
    path.write_text("".join(lines), encoding="utf-8")
    print(f"{path}: {len(words)} words")


def main() -> None:
    """Write both vocabularies into the folder named on the command line."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    lemmas, forms = nouns()
    counts = frequencies(forms)
    with COMPOUNDS.open(encoding="utf-8") as file:
        compounds = {line.split("\t")[0].lower() for line in file if not line.startswith("#")}
    write(folder / "v300k.tsv", list(counts)[:300_000], counts)
    left_out = (forms - lemmas) | compounds | ABSENT
    small = [word for word in counts if word not in left_out][: 24_000 - len(BASES)]
    write(folder / "v24k.tsv", sorted({*small, *BASES}), counts)


if __name__ == "__main__":
    main()
