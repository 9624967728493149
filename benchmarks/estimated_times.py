"""In which proportion the words of a caption share its time: errors against an aligner's times.

    python -m benchmarks.estimated_times DATA [--words 14]

DATA holds the sets of `benchmarks.unchanged`. Each reference (RTTM) is cut into cues at pauses of
.45 s and after so many words; what is printed is how far, in seconds, the middles of words are from
where each proportion puts them: mean, median, 95th percentile.
"""

import argparse
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

from indexer.networks.slot_times import letters
from std.files import read
from std.nist import rttm
from std.phonetics.g2p_espeak import Espeak

REFERENCES = {
    "dutch/clean_v30k": "nl",
    "german/calibrated_v100k": "de",
    "english": "en-us",
    "english_whisper": "en-us",
}
PAUSE_S = 0.45
_VOWELS = re.compile("[aeiouyäöüéèêëïáóú]+")

Word = tuple[float, float, str]  # start, end in seconds, token


def cues(path: Path, longest: int) -> list[list[Word]]:
    """The words of a reference, cut at pauses and after ``longest`` words."""
    lexemes = read(rttm.parse, path)
    ends_s = (lexemes.start_s + lexemes.duration_s).tolist()
    columns = lexemes.recording.tolist(), lexemes.start_s.tolist(), ends_s, lexemes.words
    words = zip(*columns, strict=True)
    found: list[list[Word]] = []
    before = None
    for recording, start_s, end_s, token in sorted(words):
        fresh = recording != before or start_s > found[-1][-1][1] + PAUSE_S
        if fresh or len(found[-1]) == longest:
            found.append([])
        found[-1].append((start_s, end_s, token))
        before = recording
    return [cue for cue in found if len(cue) > 1]


def errors_s(cue: Sequence[Word], weights: np.ndarray) -> np.ndarray:
    """How far the middle of each word is from its share of the cue."""
    start_s, end_s = cue[0][0], max(end for _, end, _ in cue)
    borders = start_s + (end_s - start_s) * np.cumsum([0.0, *weights]) / weights.sum()
    middles = [(a + b) / 2 for a, b in pairwise(borders.tolist())]
    return np.abs(np.array(middles) - [(start + end) / 2 for start, end, _ in cue])


def proportions(
    words: Sequence[str], language: str
) -> dict[str, Callable[[Sequence[str]], np.ndarray]]:
    """What words may share time by."""
    pronounced = Espeak(language).pronounce(words)
    phones = {word: len(one) for word, one in zip(words, pronounced, strict=True)}
    return {
        "equal": lambda own: np.ones(len(own)),
        "letters": letters,
        "letters + .5": lambda own: letters(own) + 0.5,
        "phones": lambda own: np.array([phones[word] for word in own], float),
        "phones + .5": lambda own: np.array([phones[word] for word in own]) + 0.5,
        "syllables": lambda own: np.array([max(1, len(_VOWELS.findall(word))) for word in own]),
    }


def main() -> None:
    """Print the errors of each proportion, set by set."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--words", type=int, default=14)
    args = parse.parse_args()
    for name, language in REFERENCES.items():
        found = cues(args.data / name / "ref.rttm", args.words)
        vocabulary = sorted({token for cue in found for *_, token in cue})
        print(f"{name}: {len(found)} cues")
        for proportion, weights in proportions(vocabulary, language).items():
            off = np.concatenate([errors_s(cue, weights([w for *_, w in cue])) for cue in found])
            print(
                f"  {off.mean():.3f} {np.median(off):.3f} {np.quantile(off, 0.95):.3f} {proportion}"
            )


if __name__ == "__main__":
    main()
