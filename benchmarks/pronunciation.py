# ruff: noqa: RUF001  # IPA letters are meant
"""Compare our own pronunciations with espeak-ng's: phone error rates, and what they do to a search.

    python -m benchmarks.pronunciation --words de=FILE [nl=FILE ...] [--most 3000] [--examples 5]
    python -m benchmarks.pronunciation --data DATA [--sets german dutch]

With ``--words``: the different words of a text, or of networks (``.jsonl``), at most so many of
them, chosen by a hash. Phone errors are substitutions, deletions and insertions per phone of
espeak-ng's, which is no reference: where the two differ, either may be right. `NOTATION` is what
the two write differently for the same sound; it counts as equal.

With ``--data``: the sets of `benchmarks.calibration`, searched with the shipped weights, once with
each pronouncer that has the language: ATWV, MTWV and OTWV of all, known and unknown terms.
"""

import argparse
import hashlib
import re
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from unittest import mock

from rapidfuzz.distance import Levenshtein

from benchmarks.calibration import SETS, kinds, material, rows, searched
from indexer.formats.readers import jsonl
from searcher.calibration.model import default_model
from std.phonetics.g2p import Converter, Rules, named
from std.phonetics.phones import Pronunciation
from tests.networks import networks_in

NOTATION = {  # espeak-ng's or our symbols, and what both count as
    "ɾ": "r", "ɹ": "r", "ʁ": "r", "ɜ": "ɐ", "ɔø": "ɔʏ", "ɑː": "aː", "ɑ": "a", "ʊɐ": "ʊ r",
    "ts": "t s", "tʃ": "t ʃ", "dz": "d z", "dʒ": "d ʒ", "pf": "p f", "ɪː": "eː",
    "ɔː": "oː", "aʊ": "a ʊ", "eʊ": "e ʊ", "eɪ": "e ɪ", "aɪ": "a ɪ", "oɪ": "o ɪ", "ɥ": "y",
    "ɲ": "n j",
}  # fmt: skip
MEASURES = ("ATWV", "MTWV", "OTWV")
SHORT = {"es", "it", "fr"}  # length is not written by us
OF_LANGUAGE = {"it": {"j": "i", "w": "u", "ɪ": "i", "ʊ": "u", "ss": "s"}}


def comparable(phones: Pronunciation, language: str) -> list[str]:
    """Phones in one notation."""
    plain = [phone.replace("ː", "") if language in SHORT else phone for phone in phones]
    plain = " ".join(plain).replace("ʲ", " j").split()
    single = " ".join(NOTATION.get(phone, phone) for phone in plain).split()
    single = [OF_LANGUAGE.get(language, {}).get(phone, phone) for phone in single]
    if language not in SHORT:
        return single
    return [phone for i, phone in enumerate(single) if i == 0 or phone != single[i - 1]]


def words_of(path: Path, most: int) -> list[str]:
    """Different words of letters in a file, at most so many, chosen by a hash."""
    if path.suffix == ".jsonl":
        with path.open("rb") as stream:
            networks = networks_in(jsonl.parse(stream, path))
            words = {
                alternative.word
                for network in networks
                for slot in network.slots
                for alternative in slot.alternatives
            }
    else:
        words = set(re.findall(r"[^\W\d_]+", path.read_text(encoding="utf-8").lower()))
    spelled = [word for word in words if word.isalpha()]
    return sorted(spelled, key=lambda word: hashlib.sha256(word.encode()).digest())[:most]


def compare(language: str, words: Sequence[str], examples: int) -> None:
    """Print the error rate of one language, and the most frequent differences."""
    ours, espeak = Rules(language), named(f"espeak-ng:{language}")
    begin = time.process_time()
    said = ours.pronounce(words)
    speed = len(words) / max(time.process_time() - begin, 1e-9)
    wrong = errors = phones = 0
    differences: Counter[tuple[str, str]] = Counter()
    for mine, theirs in zip(said, espeak.pronounce(words), strict=True):
        first, second = comparable(theirs, language), comparable(mine, language)
        edits = Levenshtein.editops(first, second)
        phones, errors, wrong = phones + len(first), errors + len(edits), wrong + bool(edits)
        for kind, source, goal in edits:
            differences[
                first[source] if kind != "insert" else "-",
                second[goal] if kind != "delete" else "-",
            ] += 1
    print(
        f"| {language} | {len(words)} | {errors / phones:.3f} | {wrong / len(words):.3f} | "
        f"{speed:,.0f} |"
    )
    for (theirs_, ours_), n in differences.most_common(examples):
        print(f"    espeak-ng {theirs_}, ours {ours_}: {n}")


def search_with(data: Path, name: str, language: str, converter: Converter) -> None:
    """Print the measures of one set with one pronouncer."""
    with mock.patch("std.phonetics.lexicon.converter", return_value=converter):
        one = material(data, name, language)
        result = searched(one, default_model())
        for row in rows(one, result, kinds(result)):
            title = name.rpartition("/")[0]
            values = " | ".join(f"{row.measures[measure]:.3f}" for measure in MEASURES)
            print(f"| {title} | {converter.name} | {row.kind} | {values} |", flush=True)


def pronouncers(language: str) -> list[Converter]:
    """All that have a language, ours first."""
    names = ["g2p-en:en"] if language == "en" else []
    return [Rules(language), *map(named, [f"espeak-ng:{language}", *names])]


def main() -> None:
    """Print one or both tables."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("--words", nargs="+", default=[], metavar="LANGUAGE=FILE")
    parse.add_argument("--most", type=int, default=3000)
    parse.add_argument("--examples", type=int, default=0)
    parse.add_argument("--data", type=Path)
    parse.add_argument("--sets", nargs="+", default=[""])
    args = parse.parse_args()
    if args.words:
        print("| language | words | phone errors | words that differ | words/s |")
        print("|---|---|---|---|---|")
    for given in args.words:
        language, _, path = given.partition("=")
        compare(language, words_of(Path(path), args.most), args.examples)
    if args.data:
        print("\n| set | pronouncer | terms | ATWV | MTWV | OTWV |\n|---|---|---|---|---|---|")
        for name, language in SETS.items():
            if any(wanted in name for wanted in args.sets):
                for converter in pronouncers(language):
                    search_with(args.data, name, language, converter)


if __name__ == "__main__":
    main()
