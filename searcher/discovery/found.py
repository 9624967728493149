"""The recurring speech of an archive: all steps on one screen.

DiscoveryOptions     the options
DiscoveredFragment   a stretch of a recording
DiscoveredClass      stretches with the same words
Discovered           the classes of an archive
discover             segments of an index -> Discovered
    Work             two blocks, or one with itself: an item for a worker
    pairs_in         the function of a worker
    distinct         the best alignment of nearly equal ones
    ChancePairs      scores of pairs with reversed speech -> expected numbers, and shares, of chance
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from searcher.discovery.classes import Pair, Star, Stretch, WrittenWords, classes_of, explained
from searcher.discovery.seeds import Alignments, extend, find_seeds
from searcher.discovery.sources import Block, Frames, backwards, blocks_of, by_phones, by_sound
from searcher.index.stores import recording_table
from std.errors import require_choice
from std.execution.workers import Executor
from std.numbers import counted
from std.ranges import Range
from std.sound.columns import FRAME_MS
from std.store import Segment
from std.values import Float64s, Int64s, Recording

SAME_ALIGNMENT = 16  # frames: alignments with nearer middles are one


class Work(NamedTuple):
    """Two blocks to compare."""

    first: Block
    second: Block | None  # None: within the first
    least_score: int
    least_frames: int
    is_chance: bool = False  # the second one is reversed in time


def pairs_in(work: Work) -> Alignments:
    """The pairs of stretches of two blocks; those within one block do not overlap."""
    first, second = work.first, work.second
    if work.is_chance:
        second = backwards(first if second is None else second)
    found = extend(find_seeds(first, second), first, first if second is None else second)
    shorter = np.minimum(found.first_end - found.first_begin, found.second_end - found.second_begin)
    wanted = (found.score >= work.least_score) & (shorter >= work.least_frames)
    if second is None:
        wanted &= found.first_end <= found.second_begin
    return distinct(found.rows(np.flatnonzero(wanted)))


def distinct(found: Alignments) -> Alignments:
    """Each pair of stretches once, the best first."""
    found = found.rows(np.argsort(-found.score, kind="stable"))
    for shift in (0, SAME_ALIGNMENT // 2):
        one, other = ((begin + end) // 2 + shift for begin, end in (found[:2], found[2:4]))
        _, kept = np.unique(
            (one // SAME_ALIGNMENT << 32) + other // SAME_ALIGNMENT, return_index=True
        )
        found = found.rows(np.sort(kept))
    return found


class ChancePairs(NamedTuple):
    """The pairs of some work with its second block reversed."""

    scores: Int64s  # (c,) descending
    scale: float  # ratio of all comparisons to those that measured chance

    def expected(self, scores: Int64s) -> Float64s:
        """(n,) E-values: the expected number of chance pairs with at least each score.

        Args:
            scores: (n,) of pairs.
        """
        return self.scale * np.searchsorted(-self.scores, -scores, side="right").astype(np.float64)

    def shares(self, scores: Int64s) -> Float64s:
        """(n,) the share of chance pairs among those at least as good as each.

        Args:
            scores: (n,) of all pairs, descending.
        """
        rank = np.searchsorted(-scores, -scores, side="right")
        shares = np.minimum(1.0, self.expected(scores) / np.maximum(rank, 1))
        return np.minimum.accumulate(shares[::-1])[::-1]  # a better pair is no likelier by chance


By = Literal["sound", "phones"]
KEPT_PAIRS = 500_000  # of all blocks: the best
CHANCE_WORK = 3  # items of work that are repeated with reversed speech
LEAST_SCORE = 100  # of pairs that are examined for the share of chance


class DiscoveryOptions(NamedTuple):
    """The options of a discovery."""

    by: By
    least_score: int  # sum over a pair's frames of usual distance minus distance, in signs
    least_s: float  # length of a stretch
    most_chance: float  # largest share of chance pairs
    unexplained: bool  # only classes that words do not explain


SCORES = Range(1, 1_000_000, whole=True)
LENGTHS_S = Range(0.1, 3.0)
CHANCES = Range(0.0, 1.0)
USUAL_OPTIONS = {"sound": (300, 0.01), "phones": (1000, 0.25)}  # least score, most chance


def options_of(
    by: By,
    least_score: float | None,
    least_s: float,
    most_chance: float | None,
    *,
    unexplained: bool,
) -> DiscoveryOptions:
    """Options as `Index.discover` takes them.

    Raises:
        ValueError: one is out of its range.
    """
    require_choice("by", by, USUAL_OPTIONS)
    score, chance = USUAL_OPTIONS[by]
    return DiscoveryOptions(
        by,
        int(SCORES.argument("least_score", score if least_score is None else least_score)),
        LENGTHS_S.argument("least_s", least_s),
        CHANCES.argument("most_chance", chance if most_chance is None else most_chance),
        unexplained,
    )


class DiscoveredFragment(NamedTuple):
    """A stretch of a recording."""

    recording: Recording
    start_s: float
    end_s: float
    score: int  # with the centre of its class
    written: str  # the recogniser's words there


@dataclass(frozen=True, slots=True)
class DiscoveredClass:
    """Stretches with the same words."""

    fragments: tuple[DiscoveredFragment, ...]  # the centre first
    by_chance: float  # E-value: expected chance pairs in the archive as good as its best pair
    explained: float | None  # share of its time with the same written words; None: no words
    spelling: str = ""  # spelling from the phones heard, if words do not explain it


class Discovered(NamedTuple):
    """The classes of an archive."""

    classes: tuple[DiscoveredClass, ...]  # the most frequent and most certain first
    seconds: float  # of compared sound
    pairs: int  # pairs above the threshold
    by_chance: float  # share of chance pairs
    least_score: int  # of a pair; raised above the option if chance has too large a share

    @property
    def summary(self) -> str:
        """A summary on one line."""
        n = len(self.classes)
        fragments = counted(sum(len(one.fragments) for one in self.classes), "fragment")
        return (
            f"{n:,} {'class' if n == 1 else 'classes'}, {fragments} in {self.seconds / 3600:.2f} h "
            f"of sound; {counted(self.pairs, 'pair')}, {self.by_chance:.1%} of them by chance"
        )


EXPLAINED = 0.5  # least share of a class that words explain


def discover(
    segments: Sequence[Segment],
    options: DiscoveryOptions,
    workers: Executor,
    *,
    wanted: Callable[[Recording], bool] = lambda recording: True,
    advance: Callable[[float], None] = lambda share: None,
) -> Discovered:
    """Find recurring speech in an index.

    Args:
        advance: called with each finished share of the work.

    Raises:
        StdError: the index has no sound, or no phones heard.
    """
    read = by_sound if options.by == "sound" else by_phones
    frames = read(segments, wanted)
    found, chance = _compared(blocks_of(frames), options, workers, advance)
    shares = chance.shares(found.score)
    good = (found.score >= options.least_score) & (shares <= options.most_chance)
    kept = found.rows(np.flatnonzero(good))
    stars = classes_of(_pairs(kept, frames))
    recordings = recording_table(segments).recordings
    words = WrittenWords(segments, recordings)
    classes = [_class(star, recordings, words, chance) for star in stars]
    if options.unexplained:
        classes = [one for one in classes if one.explained is None or one.explained < EXPLAINED]
    return Discovered(
        tuple(classes),
        sum(len(one.signs) for one in frames) * FRAME_MS / 1000,
        len(kept.score),
        float(shares[good].max(initial=0.0)),
        int(kept.score[-1]) if len(kept.score) else options.least_score,
    )


def _compared(
    blocks: Sequence[Block],
    options: DiscoveryOptions,
    workers: Executor,
    advance: Callable[[float], None],
) -> tuple[Alignments, ChancePairs]:
    """The pairs of all blocks, best first; frames are numbered through the archive."""
    n = len(blocks)
    items = [(one, other) for one in range(n) for other in range(one, n)]
    some = np.linspace(0, len(items) - 1, min(CHANCE_WORK, len(items))).astype(int)
    measured = [items[i] for i in some.tolist()]
    sizes = [len(block.signs) for block in blocks]
    begins = np.cumsum([0, *sizes])
    least = min(options.least_score, LEAST_SCORE)
    shortest = max(1, round(1000 * options.least_s / FRAME_MS))

    def work() -> Iterator[Work]:
        for is_chance, some in ((False, items), (True, measured)):
            for one, other in some:
                second = None if one == other else blocks[other]
                yield Work(blocks[one], second, least, shortest, is_chance)

    found = Alignments(*(np.empty(0, np.int64) for _ in range(5)))
    chance = [np.empty(0, np.int64)]
    total = len(items) + len(measured)
    for number, result in enumerate(workers.map(pairs_in, work())):
        advance(1 / total)
        if number >= len(items):
            chance.append(result.score)
            continue
        one, other = items[number]
        shift = (begins[one], begins[one], begins[other], begins[other], 0)
        placed = (column + by for column, by in zip(result, shift, strict=True))
        both = [np.concatenate(two) for two in zip(found, placed, strict=True)]
        order = np.lexsort((both[2], both[0], -both[4]))[:KEPT_PAIRS]
        found = Alignments._make(column[order] for column in both)
    every = sum(sizes) ** 2 / 2
    scale = every / sum(sizes[one] * sizes[other] for one, other in measured)
    return found, ChancePairs(np.sort(np.concatenate(chance))[::-1], scale)


def _pairs(found: Alignments, frames: Sequence[Frames]) -> list[Pair]:
    """Alignments of frames as pairs of stretches of recordings."""
    begins = np.cumsum([0, *(len(one.signs) for one in frames)])
    columns = [*_stretches(found[0], found[1], begins, frames)]
    others = [*_stretches(found[2], found[3], begins, frames)]
    return [Pair(*both) for both in zip(columns, others, found.score.tolist(), strict=True)]


def _stretches(
    first: Int64s, end: Int64s, begins: Int64s, frames: Sequence[Frames]
) -> Iterator[Stretch]:
    rows = np.searchsorted(begins, first, side="right") - 1
    starts = np.array([one.start_ms for one in frames])[rows] - FRAME_MS * begins[rows]
    numbers = np.array([one.recording for one in frames])[rows]
    begin_ms, end_ms = starts + FRAME_MS * first, starts + FRAME_MS * end
    return map(Stretch, numbers.tolist(), begin_ms.tolist(), end_ms.tolist())


def _class(
    star: Star, recordings: Sequence[Recording], words: WrittenWords, chance: ChancePairs
) -> DiscoveredClass:
    written = [words.of(one) for one in star.stretches]
    fragments = tuple(
        DiscoveredFragment(
            recordings[one.recording],
            one.begin_ms / 1000,
            one.end_ms / 1000,
            score,
            " ".join(word.word for word in some),
        )
        for one, score, some in zip(star.stretches, star.scores, written, strict=True)
    )
    return DiscoveredClass(
        fragments,
        float(chance.expected(np.array([max(star.scores)]))[0]),
        explained(written) if any(written) else None,
    )
