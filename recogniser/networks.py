"""Weighted hypotheses of a window -> its confusion network.

    network_of    a window's recognition -> network
    spelt_out     numbers in figures, as they are said in English: 1946 is "nineteen forty six"

Hypotheses are aligned word by word (`std.networks`), the best first. A word's posterior is the
weight of the hypotheses that have it there; the rest is 'no word'.
"""

import re
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from recogniser.audio import THRESHOLD
from recogniser.protocol import FRAME_MS, SAMPLES_PER_S, Recognition, Window
from std.imports import required
from std.networks import TimedWord, aligned
from std.ranges import MAX_WORD_S
from std.values import Alternative, ConfusionNetwork, Recording, Slot

_FIGURES = re.compile(r"([$£€]?)(\d{1,3}(?:,\d{3})+|\d+)(\.\d+)?(st|nd|rd|th|s)?(%?)")
_LAST = frozenset("0123456789%dhst")  # letters of numbers: 20, 50%, 2nd, 3rd, 4th, 1990s
_UNITS = {"$": "dollars", "£": "pounds", "€": "euros", "": ""}
ABBREVIATIONS = {
    "mr": "mister", "mrs": "missus", "dr": "doctor", "etc": "et cetera", "prof": "professor",
    "jr": "junior", "sr": "senior", "vs": "versus", "ok": "okay", "capt": "captain",
    "lt": "lieutenant", "sgt": "sergeant", "gov": "governor", "&": "and", "%": "percent",
}  # fmt: skip
MOST_FIGURES = 12
YEARS = (range(1100, 2000), range(2010, 2100))


def network_of(
    window: Window, recognition: Recognition, recording: Recording, name: str, language: str
) -> ConfusionNetwork:
    """The confusion network of a window.

    Where the audio extends beyond the window's span, a word whose middle lies outside the span
    belongs to the neighbouring window.
    """
    first = window.start_ms if window.audio_start_ms < window.start_ms else -np.inf
    audio_end_ms = window.audio_start_ms + 1000 * len(window.samples) / SAMPLES_PER_S
    last = window.end_ms if audio_end_ms > window.end_ms + FRAME_MS else np.inf
    slots = [
        slot
        for slot in map(partial(_doubted, window), slots_of(recognition, window.audio_start_ms))
        if 2 * first <= slot.start_ms + slot.end_ms < 2 * last
    ]
    if language == "en":
        slots = [part for slot in slots for part in _with_spoken_forms(slot)]
    slots.sort(key=lambda slot: slot.start_ms)
    words = [word for slot in slots for word in slot.alternatives]
    return ConfusionNetwork(
        recording=recording,
        utterance=name,
        start_ms=window.start_ms,
        end_ms=window.end_ms,
        slot_spans_ms=np.array([slot[:2] for slot in slots], np.int32).reshape(-1, 2),
        epsilons=np.array([slot.epsilon for slot in slots], np.float32),
        offsets=np.cumsum([0, *(len(slot.alternatives) for slot in slots)]).astype(np.int32),
        words=tuple(word.word for word in words),
        posteriors=np.array([word.posterior for word in words], np.float32),
        spans_ms=np.array([word[2:] for word in words], np.int32).reshape(-1, 2),
        language=language,
    )


def _doubted(window: Window, slot: Slot) -> Slot:
    """Give 'no word' half of a slot's posterior if the whole slot is in silence."""
    first, last = (time - window.audio_start_ms for time in slot[:2])
    speech = window.speech[max(0, first // FRAME_MS) : last // FRAME_MS + 1]
    if not len(speech) or speech.max() >= THRESHOLD:
        return slot
    words = [word._replace(posterior=word.posterior / 2) for word in slot.alternatives]
    return slot._replace(epsilon=(1 + slot.epsilon) / 2, alternatives=words)


def slots_of(recognition: Recognition, offset_ms: int) -> Iterator[Slot]:
    """Yield the slots of aligned hypotheses, in order.

    Args:
        offset_ms: the offset of the times of their words in the recording.
    """
    hypotheses, most = recognition.hypotheses, recognition.most_certain
    folded = [
        [TimedWord(word.token.casefold(), word.start_s, word.end_s) for word in one.words]
        for one in hypotheses
    ]
    for places in aligned(folded):
        masses: dict[str, float] = {}
        forms: dict[str, TimedWord] = {}  # the spelling of the first hypothesis
        for hypothesis, at in places:
            word = folded[hypothesis][at].token
            masses[word] = masses.get(word, 0.0) + hypotheses[hypothesis].weight
            forms.setdefault(word, hypotheses[hypothesis].words[at])
        alternatives = [
            Alternative(forms[word].token, min(mass, most), *_span_ms(forms[word], offset_ms))
            for word, mass in sorted(masses.items(), key=lambda item: -item[1])
        ]
        first = forms[folded[places[0][0]][places[0][1]].token]
        epsilon = max(0.0, 1.0 - sum(one.posterior for one in alternatives))
        yield Slot(*_span_ms(first, offset_ms), epsilon, alternatives)


def _with_spoken_forms(slot: Slot) -> Iterator[Slot]:
    """A slot, followed by its figures and abbreviations as spoken words, a slot for each word.

    The index joins words by their times, so both spellings are found at their place.
    """
    yield slot
    for alternative in slot.alternatives:
        words = spelt_out(alternative.word)
        letters = sum(map(len, words))
        at = 0
        for word in words:
            length = alternative.end_ms - alternative.start_ms
            start = alternative.start_ms + length * at // letters
            at += len(word)
            end = alternative.start_ms + length * at // letters
            one = Alternative(word, alternative.posterior, start, end)
            yield Slot(start, end, max(0.0, 1.0 - alternative.posterior), [one])


def _span_ms(word: TimedWord, offset_ms: int) -> tuple[int, int]:
    start = max(0, round(1000 * word.start_s) + offset_ms)
    longest = int(1000 * MAX_WORD_S)
    return start, min(start + longest, max(start, round(1000 * word.end_s) + offset_ms))


def spelt_out(word: str) -> list[str]:
    """The spoken words of a written word; empty if they are the same.

    >>> spelt_out("1946"), spelt_out("20th"), spelt_out("$3.50"), spelt_out("R2D2")
    (['nineteen', 'forty', 'six'], ['twentieth'], ['three', 'point', 'five', 'zero', 'dollars'], [])
    >>> spelt_out("Mr"), spelt_out("mister")
    (['mister'], [])
    """
    if said := ABBREVIATIONS.get(word.casefold().rstrip(".")):
        return said.split()
    match = _FIGURES.fullmatch(word) if word[-1:] in _LAST else None
    if not match or len(word) > MOST_FIGURES:
        return []
    unit, figures, decimals, suffix, percent = match.groups()
    plain = not (unit or decimals or percent or "," in figures)
    number = int(figures.replace(",", ""))
    if plain and suffix in (None, "s") and any(number in years for years in YEARS):
        said = _year(number)
    else:
        said = _engine().number_to_words(f"{number}{decimals or ''}", andword="")
    if suffix in ("st", "nd", "rd", "th"):
        said = _engine().ordinal(said)
    if suffix == "s":
        said = _plural(said)
    parts = [said, _UNITS[unit], "percent" if percent else ""]
    return re.findall(r"[a-z]+", " ".join(parts))


def _year(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = _engine().number_to_words
    if not rest:
        return f"{words(hundreds)} hundred"
    return f"{words(hundreds)} {'oh ' if rest < 10 else ''}{words(rest)}"


def _plural(said: str) -> str:
    return re.sub(r"y$", "ies", said) if said.endswith("y") else said + "s"


@cache
def _engine() -> Any:
    """The engine of the package inflect, without its checks of types, which take 3 s to compile."""
    if not find_spec("typeguard"):  # of another version
        return required("inflect", "whisper").engine()
    typeguard: Any = import_module("typeguard")
    usual = typeguard.typechecked
    typeguard.typechecked = lambda checked: checked
    try:
        return required("inflect", "whisper").engine()
    finally:
        typeguard.typechecked = usual
