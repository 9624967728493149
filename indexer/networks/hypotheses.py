"""One-best word sequences and n-best lists of a recogniser, as slots.

Most recognisers write their one best sequence with a confidence per word: each word becomes a
slot, and the rest up to 1 is "no word". Hypotheses of an n-best list are aligned
(`std.networks.aligned`): a word's posterior is the sum of the weights of the hypotheses that have
it there.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from indexer.networks.chunks import goes_back
from indexer.networks.nonwords import UNKNOWN_WORDS, Nonwords, is_noise, remarks
from indexer.networks.raw import NetworkBuilder
from std.characters import characters
from std.errors import InputError, Unquoted
from std.networks import Place, TimedWord, aligned
from std.repairs import UNKNOWN
from std.text import bare as without_edges

PAUSE_S = 0.5  # phrases are not joined across a longer gap
UNNAMED = "<unk>"  # an unknown word was said: no phrase is joined across it


class HypothesisWord(NamedTuple):
    """A word with its confidence; NaN = time unknown."""

    token: str
    confidence: float
    start_s: float = UNKNOWN
    end_s: float = UNKNOWN
    speaker: str = ""  # if the file names speakers of words


class UtteranceHypothesis(NamedTuple):
    """One hypothesis of an utterance; the weights of all of them sum to 1."""

    weight: float
    words: Sequence[HypothesisWord]


def bare(written: str) -> str:
    """Strip blanks, punctuation and symbols around a word; a masked word becomes unknown.

    >>> bare(" »Haus-Nr.«, "), bare("don't"), bare("..."), bare("s***")
    ('Haus-Nr', "don't", '', '<unk>')
    """
    if "**" in written or written.strip().lower() in UNKNOWN_WORDS:
        return UNNAMED
    return without_edges(written)


def untimed(
    text: str, confidence: float = 1.0, nonwords: Nonwords | None = None
) -> list[HypothesisWord]:
    """Split a transcript that has no times.

    Args:
        nonwords: tells noises in brackets from words; None = keep all.
    """
    return spoken((HypothesisWord(word, confidence) for word in text.split()), nonwords)


def spoken(
    words: Iterable[HypothesisWord], nonwords: Nonwords | None = None
) -> list[HypothesisWord]:
    """Make words bare; leave out what is punctuation only, and remarks (`nonwords.remarks`).

    >>> [word.token for word in untimed("[leise Musik] Das - gute (lacht) Haus.")]
    ['Das', 'gute', 'Haus']
    """
    nonwords = nonwords or Nonwords()
    words = list(words)
    cut = [word.token for word in words] if nonwords.keep else _without_remarks(words, nonwords)
    return [
        word._replace(token=token)
        for word, rest in zip(words, cut, strict=True)
        if (token := bare(rest))
    ]


def _without_remarks(words: Sequence[HypothesisWord], nonwords: Nonwords) -> list[str]:
    """Remove remarks from words; a remark may span several."""
    tokens = [word.token for word in words]
    text = " ".join(tokens)
    spans = list(remarks(text))
    if not spans:
        return tokens
    kept = list(text)
    for start, end in spans:
        nonwords.drop(" ".join(text[start:end].split()))
        kept[start:end] = [""] * (end - start)
    begins = np.cumsum([0, *(len(token) + 1 for token in tokens)]).tolist()
    return ["".join(kept[a : a + len(token)]) for a, token in zip(begins, tokens, strict=False)]


def single(words: Sequence[HypothesisWord], *, cut: bool = False) -> list[HypothesisWord]:
    """Split words that hold blanks ("5 000"); the parts share the time in proportion to letters.

    Args:
        cut: whether text without spaces is cut into characters, too.
    """
    parts: list[HypothesisWord] = []
    for word in words:
        tokens = word.token.split()
        if not cut and tokens == [word.token]:  # as nearly always
            parts.append(word)
            continue
        if cut:
            tokens = [p for one in tokens for p in ([one] if is_noise(one) else characters(one))]
        letters = np.cumsum([0, *map(len, tokens)])
        ends = word.start_s + (word.end_s - word.start_s) * letters / max(letters[-1], 1)
        for token, (start, end) in zip(tokens, pairwise(ends.tolist()), strict=True):
            parts.append(HypothesisWord(token, word.confidence, start, end, word.speaker))
    return parts


def write_words(builder: NetworkBuilder, line: int, words: Sequence[HypothesisWord]) -> None:
    """Write one hypothesis: a slot for each word.

    Args:
        words: in time order.
    """
    for word in single(words):
        builder.slot(line, epsilon=max(0.0, 1 - word.confidence))
        builder.word(line, *word[:4])


def write_hypotheses(
    builder: NetworkBuilder, line: int, hypotheses: Sequence[UtteranceHypothesis]
) -> None:
    """Write several hypotheses, aligned word by word; the first should be the best.

    Text without spaces is aligned character by character if the builder wants characters: programs,
    and even hypotheses of one program, cut it differently.

    Args:
        hypotheses: with weights that sum to at most 1.
    """
    sequences = [single(one.words, cut=builder.characters) for one in hypotheses]
    timed = [[TimedWord(one.token, one.start_s, one.end_s) for one in words] for words in sequences]
    for slot in aligned_alternatives(timed, builder.path, line):
        masses: dict[str, list[float]] = {}
        best: dict[str, HypothesisWord] = {}
        for number, at in slot:
            word = sequences[number][at]
            masses.setdefault(word.token, []).append(hypotheses[number].weight)
            best.setdefault(word.token, word)  # times of the best hypothesis with this word
        builder.slot(line, epsilon=max(0.0, 1 - sum(map(math.fsum, masses.values()))))
        for token, weights in masses.items():
            builder.word(line, token, min(1.0, math.fsum(weights)), *best[token][2:4])


def aligned_alternatives(
    hypotheses: Sequence[Sequence[TimedWord]], path: Path | str, line: int
) -> list[list[Place]]:
    """The slots of hypotheses, as `aligned` gives them.

    Raises:
        InputError: they differ too much to belong to one utterance.
    """
    try:
        return aligned(hypotheses)
    except ValueError as error:
        expected = "alternatives of an utterance"
        raise InputError(path, line, expected, Unquoted(str(error))) from error


def weighted(
    logs: Sequence[float], words: Sequence[Sequence[HypothesisWord]]
) -> list[UtteranceHypothesis]:
    """Give hypotheses weights that sum to 1, from their log scores."""
    highest = max(logs, default=0.0)
    odds = [math.exp(max(log - highest, -700.0)) for log in logs]
    return [
        UtteranceHypothesis(odd / sum(odds), sequence)
        for odd, sequence in zip(odds, words, strict=True)
    ]


def by_confidence(
    confidences: Sequence[float], words: Sequence[Sequence[HypothesisWord]]
) -> list[UtteranceHypothesis]:
    """Give hypotheses their confidences as weights; if one has none (0), all weights are equal."""
    return scaled(confidences if all(confidences) else [1.0] * len(words), words)


def scaled(
    weights: Sequence[float], words: Sequence[Sequence[HypothesisWord]]
) -> list[UtteranceHypothesis]:
    """Give hypotheses weights, scaled where they sum to more than 1.

    >>> [one.weight for one in scaled([0.75, 0.75], [[], []])]
    [0.5, 0.5]
    """
    total = max(1.0, sum(weights))
    return [
        UtteranceHypothesis(weight / total, sequence)
        for weight, sequence in zip(weights, words, strict=True)
    ]


def rated(words: Sequence[HypothesisWord]) -> list[HypothesisWord]:
    """Set all confidences to 1 if all are 0: some services mean "unknown" by that."""
    if any(word.confidence for word in words):
        return list(words)
    return [word._replace(confidence=1.0) for word in words]


def at_common_pauses(
    hypotheses: Sequence[UtteranceHypothesis],
) -> Iterator[list[UtteranceHypothesis]]:
    """Cut long hypotheses, the best first, into utterances at pauses.

    They are cut in pauses of more than half a second of the best one; words of the others are
    assigned by their middles. If a word has no times, nothing is cut.
    """
    everything = [word for hypothesis in hypotheses for word in hypothesis.words]
    if not hypotheses or any(word.start_s != word.start_s for word in everything):
        yield list(hypotheses)
        return
    pieces = list(by_pauses(hypotheses[0].words))
    cuts = [(one[-1].end_s + other[0].start_s) / 2 for one, other in pairwise(pieces)]
    parts: list[list[list[HypothesisWord]]] = []
    for _, words in hypotheses:
        parts.append([[] for _ in range(len(cuts) + 1)])
        for word in words:
            parts[-1][bisect_right(cuts, (word.start_s + word.end_s) / 2)].append(word)
    for number in range(len(cuts) + 1):
        yield [
            UtteranceHypothesis(hypothesis.weight, own[number])
            for hypothesis, own in zip(hypotheses, parts, strict=True)
        ]


def by_pauses(words: Sequence[HypothesisWord]) -> Iterator[list[HypothesisWord]]:
    """Cut a long hypothesis at long pauses, changes of speaker, and where the clock goes back.

    >>> said = [("a", "Ada"), ("b", ""), ("c", "Bo")]
    >>> words = [HypothesisWord(word, 1.0, i, i + 1, name) for i, (word, name) in enumerate(said)]
    >>> [[word.token for word in some] for some in by_pauses(words)]
    [['a', 'b'], ['c']]
    """
    begins, speaker = [0], words[0].speaker if words else ""
    for i, (one, other) in enumerate(pairwise(words), start=1):
        changes = bool(speaker) and other.speaker not in ("", speaker)
        far = other.start_s - one.end_s > (-math.inf if changes else PAUSE_S)  # NaN: unknown
        if far or goes_back(one.start_s, other.start_s):
            begins.append(i)
            speaker = other.speaker
        speaker = speaker or other.speaker
    yield from (list(words[lo:hi]) for lo, hi in pairwise([*begins, len(words)]) if lo < hi)


def turns_of(words: Sequence[HypothesisWord]) -> list[Sequence[HypothesisWord]]:
    """Words with times as turns, if they have several speakers."""
    several = len({word.speaker for word in words} - {""}) > 1
    return [*by_pauses(words)] if several else [words]


def speaker_of(words: Sequence[HypothesisWord]) -> str:
    """Return who spoke most of some words; of equals the first, empty if no speaker is named."""
    names = [word.speaker for word in words if word.speaker]
    return max(dict.fromkeys(names), key=names.count, default="")
