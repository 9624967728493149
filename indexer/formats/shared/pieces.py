"""Words from pieces of words, as many recognisers write them: tokens of their own vocabulary.

    joined    pieces, with their times and confidences -> words

Where some pieces begin with a blank or ``▁`` and others do not, each of the former begins a word;
so does each after one that ends with a blank. ``##`` before a piece and ``@@`` behind it glue it to
its neighbour. A word has the geometric mean of its pieces' confidences: that of their logarithms.
"""

import math
from collections.abc import Sequence

from indexer.networks.hypotheses import HypothesisWord, bare, speaker_of

MARK = "\u2581"  # before a word, as SentencePiece writes it
LEAST, MOST = 0.1, 0.97  # of pieces that have a mark: beyond, it marks nothing
LEAST_CONFIDENCE = 1e-6


def joined(pieces: Sequence[HypothesisWord], *, spaced: bool = False) -> list[HypothesisWord]:
    """Make words of pieces; words stay as they are.

    Args:
        pieces: said in a row by one speaker.
        spaced: whether blanks begin or end the words of the whole file, so that pieces without
            any are one word.

    >>> pieces = [HypothesisWord(text, 1.0) for text in ("Hel", "lo", " you", ".")]
    >>> [word.token for word in joined(pieces)]
    ['Hello', 'you.']
    """
    texts = [piece.token.replace(MARK, " ") for piece in pieces]
    begins = _begins(texts, spaced)
    if begins is None:
        return [
            piece._replace(token=text.strip()) for piece, text in zip(pieces, texts, strict=True)
        ]
    groups: list[list[HypothesisWord]] = []
    for piece, text, begin in zip(pieces, texts, begins, strict=True):
        if begin or not groups:
            groups.append([])
        groups[-1].append(piece._replace(token=text.strip().removeprefix("##").removesuffix("@@")))
    return [_word(group) for group in groups if any(piece.token for piece in group)]


def are_spaced(texts: Sequence[str]) -> bool:
    """Tell whether blanks begin or end words in pieces: most have one, and not all.

    >>> are_spaced(["Hel", "lo", " you", "."]), are_spaced(["Hello", "you"])
    (True, False)
    """
    spoken = [text for text in texts if bare(text)]
    led = sum(text[:1].isspace() for text in spoken[1:])
    followed = sum(text[-1:].isspace() for text in spoken[:-1])
    return LEAST <= max(led, followed) / max(1, len(spoken) - 1) <= MOST


def _begins(texts: Sequence[str], spaced: bool) -> list[bool] | None:
    """Whether each piece begins a word; None where they are words already."""
    if any(text.strip().startswith("##") for text in texts):
        return [not text.strip().startswith("##") for text in texts]
    glued = [text.strip().endswith("@@") for text in texts]
    if any(glued):
        return [not before for before in (False, *glued[:-1])]
    if spaced or are_spaced(texts):
        return [
            text[:1].isspace() or before[-1:].isspace()
            for before, text in zip(("", *texts[:-1]), texts, strict=True)
        ]
    return None


def _word(pieces: Sequence[HypothesisWord]) -> HypothesisWord:
    spoken = [piece for piece in pieces if bare(piece.token)] or pieces
    timed = [piece for piece in spoken if piece.start_s == piece.start_s] or spoken
    logs = [math.log(max(piece.confidence, LEAST_CONFIDENCE)) for piece in spoken]
    return HypothesisWord(
        "".join(piece.token for piece in pieces),
        math.exp(sum(logs) / len(logs)),
        timed[0].start_s,
        timed[-1].end_s,
        speaker_of(pieces),
    )
