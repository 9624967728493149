"""Spellings proposed for unwritten words: phones heard -> letters.

learned_speller    words and their phones -> Speller
with_spellings     classes of a discovery -> the same, each with a spelling

A unit is a phone with its letters, none to three; a word is a sequence of units. Words are aligned
by Viterbi training. A spelling is the likeliest sequence of units with the given phones, where the
probability of a unit depends on the previous two (Bisani and Ney, "Joint-sequence models for
grapheme-to-phoneme conversion", 2008, applied from phones to letters). The units are learned from
the words of the index.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import Levenshtein

from searcher.discovery.found import Discovered, DiscoveredClass
from searcher.index.copies import live_counts
from searcher.phonetic.indexes import lexicon_of_index
from std.config import Config
from std.errors import ConfigError
from std.languages.detection import pronouncer_of_segment
from std.phonetics.phones import Pronunciation
from std.store import Segment
from std.store.columns import live_recordings
from std.store.heard import HeardSlots
from std.values import Recording

MOST_LETTERS = 3  # of a phone
TRAINING_ROUNDS = 4
RARE = 1e-4  # probability of letters never seen with a phone
TRAINING_WORDS = 2000  # words learned from, the most frequent
SHORTEST = 3  # letters of a word learned from
BEAM = 30
LOWER = 2  # weight of a shorter context, in observations
SEVERAL = 8  # fragments of a class with compared phones

Unit = tuple[str, str]  # a phone, its letters
Contexts = Mapping[tuple[tuple[Unit, ...], str], Counter[str]]  # by the units before, by phone
BEGIN, END = ("^", ""), "$"


@dataclass(frozen=True)
class Speller:
    """A model of an archive's spelling, unit by unit."""

    after_two: Contexts
    after_one: Contexts
    anywhere: Mapping[str, Counter[str]]

    def spelling(self, phones: Sequence[str]) -> str:
        """The likeliest letters of phones; unknown phones are left out."""
        rows: list[tuple[float, tuple[Unit, Unit], str]] = [(0.0, (BEGIN, BEGIN), "")]
        for phone in [*(one for one in phones if one in self.anywhere), END]:
            best: dict[tuple[tuple[Unit, Unit], str], float] = {}
            for log_p, before, text in rows:
                for letters in self.anywhere[phone]:
                    key = ((before[1], (phone, letters)), text + letters)
                    now = log_p + math.log(self._probability(before, phone, letters))
                    best[key] = max(now, best.get(key, -math.inf))
            ordered = sorted(best.items(), key=lambda one: (-one[1], one[0]))[:BEAM]
            rows = [(now, before, text) for (before, text), now in ordered]
        return rows[0][2]

    def _probability(self, before: tuple[Unit, Unit], phone: str, letters: str) -> float:
        """The probability of a phone's letters given the previous two units, interpolated."""
        counts = self.anywhere[phone]
        p = counts[letters] / counts.total()
        for context, of_context in ((before[1:], self.after_one), (before, self.after_two)):
            if seen := of_context.get((context, phone)):
                p = (seen[letters] + LOWER * p) / (seen.total() + LOWER)
        return p


def learned_speller(words: Iterable[tuple[str, Pronunciation]]) -> Speller:
    """Learn the spelling of phones.

    Args:
        words: words with their phones; words with more than three letters a phone are ignored.
    """
    pairs = [(word, phones) for word, phones in words if phones]
    letters: Mapping[str, Counter[str]] = {}
    for _ in range(TRAINING_ROUNDS):
        counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for word, phones in pairs:
            for phone, own in zip(phones, aligned_letters(word, phones, letters), strict=False):
                counts[phone][own] += 1
        letters = counts
    two: defaultdict[tuple[tuple[Unit, ...], str], Counter[str]] = defaultdict(Counter)
    one: defaultdict[tuple[tuple[Unit, ...], str], Counter[str]] = defaultdict(Counter)
    anywhere: defaultdict[str, Counter[str]] = defaultdict(Counter, {END: Counter({"": 1})})
    for word, phones in pairs:
        written = aligned_letters(word, phones, letters)
        units = [BEGIN, BEGIN, *zip(phones, written, strict=False), (END, "")]
        for at in range(2, len(units) if written else 0):
            phone, own = units[at]
            two[tuple(units[at - 2 : at]), phone][own] += 1
            one[tuple(units[at - 1 : at]), phone][own] += 1
            anywhere[phone][own] += 1
    return Speller(two, one, anywhere)


def aligned_letters(
    word: str, phones: Pronunciation, letters: Mapping[str, Counter[str]]
) -> tuple[str, ...]:
    """The letters of each phone of a word; empty if it has too many letters.

    Args:
        letters: counts of letters by phone; empty: a uniform start.
    """
    n, m = len(word), len(phones)
    best: dict[int, tuple[float, tuple[str, ...]]] = {0: (0.0, ())}
    for at, phone in enumerate(phones, 1):
        counts = letters.get(phone, Counter())
        total = counts.total()
        new: dict[int, tuple[float, tuple[str, ...]]] = {}
        for begin, (score, path) in best.items():
            for end in range(begin, min(n, begin + MOST_LETTERS) + 1):
                if n - end > MOST_LETTERS * (m - at):
                    continue
                own = word[begin:end]
                if total:
                    now = score + math.log(max(counts[own] / total, RARE))
                else:  # one letter a phone, along the diagonal
                    now = score - (end - begin - 1) ** 2 - 0.3 * abs(end - at * n / m)
                if end not in new or now > new[end][0]:
                    new[end] = now, (*path, own)
        best = new
    return best[n][1] if n in best else ()


def with_spellings(found: Discovered, segments: Sequence[Segment], config: Config) -> Discovered:
    """Classes with a spelling from the phones heard in them, if there are any."""
    places: dict[Recording, tuple[Segment, HeardSlots, int]] = {}
    for segment in segments:
        if heard := HeardSlots.of(segment):
            for row, one in live_recordings(segment):
                if heard.is_heard[row]:
                    places[one.recording] = segment, heard, row
    spellers: dict[str, Speller | None] = {}

    def spelt(one: DiscoveredClass) -> DiscoveredClass:
        rows = []
        for part in one.fragments[:SEVERAL]:
            if part.recording in places:
                segment, heard, row = places[part.recording]
                span_ms = round(1000 * part.start_s), round(1000 * part.end_s)
                rows.append((heard.likeliest(row, *span_ms), segment))
        if not rows:
            return one
        phones, segment = min(
            rows, key=lambda own: sum(Levenshtein.distance(own[0], other) for other, _ in rows)
        )
        name = pronouncer_of_segment(segment)
        if name not in spellers:
            spellers[name] = _speller(name, segments, config)
        speller = spellers[name]
        return replace(one, spelling=speller.spelling(phones)) if speller else one

    return found._replace(classes=tuple(map(spelt, found.classes)))


def _speller(name: str, segments: Sequence[Segment], config: Config) -> Speller | None:
    """The speller learned from the segments of a pronouncer; None if there are none."""
    own = [one for one in segments if name and pronouncer_of_segment(one) == name]
    counts = Counter(live_counts(own)).most_common()
    words = [word for word, _ in counts if len(word) >= SHORTEST and word.isalpha()][
        :TRAINING_WORDS
    ]
    try:
        ways = lexicon_of_index(own, config).pronunciations(words) if own else []
    except ConfigError:
        return None
    return learned_speller((word, way[0]) for word, way in zip(words, ways, strict=False) if way)
