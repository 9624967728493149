"""Where to listen in a large archive: around seeds, best first, until the work allowed is spent.

Seeds are words that fit a part of the query. Which of their occurrences are looked at, and which
of those get a window, is agreed between the segments and all of them together, so that it depends
on the archive and not on how it is cut:

    segment   how many occurrences its seeds have, by score       -> `Tally`
    all       which of them are looked at                         -> `Cut`
    segment   how many of those promise how much, with the likeliest words beside them -> `Tally`
    all       which get a window                                  -> `Cut`
    segment   the windows

A tally counts in levels of 1/64 nat. Where only a part of a level can be taken, lots decide that
every segment draws alike (`SoundIndex.lots`): the first in time would favour some recordings.
"""

from collections.abc import Generator, Iterable
from typing import NamedTuple

import numpy as np

from searcher.phonetic.index import SoundIndex
from searcher.phonetic.ratios import Ratios
from std.store.columns import Int64s
from std.values import Bools, Float32s

SEEDS_LOOKED_AT, ARCS_PER_SEED = 20_000, 200  # in the archive: at least, and one in so many
WINDOWS_ALIGNED, ARCS_PER_WINDOW = 1_500, 6_000  # likewise
SEED_GRAM_SCORE = 7.0  # least log ratio of three phones; 97 % of true places have one
LEAST_PHONE_SCORE = -1.0  # of each of them
SEED_WORD_SCORE = 6.0  # least log ratio of a seed word's best part
LONGEST_WINDOW = 96  # slots
PHONE_MS = 110  # a slow phone: how far from a seed a hit may reach
REACH_MS = 400  # half of the seed's word, and room
LEVELS_PER_NAT = 64
SEED_DRAW, WINDOW_DRAW = 1, 2

Tally = Int64s  # (L,) how many there are at each level; level 0 begins at 0 nats


class Cut(NamedTuple):
    """What is taken: everything above a level, and of that level a share, by lot."""

    level: int
    share: float


def budgets(arcs: int) -> tuple[int, int]:
    """How many seeds are looked at and how many windows aligned in so many alternatives."""
    return (
        max(SEEDS_LOOKED_AT, arcs // ARCS_PER_SEED),
        max(WINDOWS_ALIGNED, arcs // ARCS_PER_WINDOW),
    )


def summed(tallies: Iterable[Tally]) -> Tally:
    """The tally of several segments together."""
    total = np.zeros(0, np.int64)
    for one in tallies:
        longest = max(len(total), len(one))
        total = np.pad(total, (0, longest - len(total))) + np.pad(one, (0, longest - len(one)))
    return total


def cut_at(tally: Tally, most: int) -> Cut:
    """The best ``most`` of what a tally counts: whole levels, and of the next a share."""
    from_here_up = np.append(np.cumsum(tally[::-1])[::-1], 0)
    level = int(np.count_nonzero(from_here_up > most)) - 1
    if level < 0:
        return Cut(-1, 0.0)
    return Cut(level, float((most - from_here_up[level + 1]) / tally[level]))


def levels(scores: Float32s) -> Int64s:
    """(n,) the level of each score."""
    return np.floor(scores * LEVELS_PER_NAT).astype(np.int64)


def taken(level: Int64s, slots: Int64s, cut: Cut, index: SoundIndex, draw: int) -> Bools:
    """(n,) which of the occurrences in some slots a cut takes."""
    kept: Bools = level > cut.level
    edge = np.flatnonzero(level == cut.level)
    kept[edge] = index.lots(slots[edge], draw) < cut.share
    return kept


def seeded_windows(ratios: Ratios, index: SoundIndex) -> Generator[Int64s, Cut, None]:
    """Agree on the windows of one query in one segment.

    Yields:
        a tally of the seeds; told which are looked at, a tally of what they promise; told which get
        a window, (w, 2) runs of slots, each in one recording, as long as the rest of the query
        may last.
    """
    from searcher.phonetic.seed_kernels import local_fits, outlooks, windows_around

    columns = index.columns
    pronunciations = index.word_phone_offsets, index.word_phones
    words = seed_words(ratios.match, index)
    scores, where = local_fits(*ratios, words, *pronunciations)
    good = scores >= SEED_WORD_SCORE
    words, scores, where = words[good], scores[good], where[good]
    level = levels(scores)
    cut = yield np.bincount(level, index.counts[words]).astype(np.int64)

    seed_of, slots = _occurrences(np.flatnonzero(level >= cut.level), words, index)
    looked_at = index.live[index.recordings_of(slots)]
    looked_at &= taken(level[seed_of], slots, cut, index, SEED_DRAW)
    seed_of, slots = seed_of[looked_at], slots[looked_at]
    slot_key = columns.slot_key.view(np.int64)
    promise = outlooks(
        *ratios, words, scores, where, seed_of, slots, slot_key, columns.slot_word, *pronunciations
    )
    cut = yield np.bincount(levels(promise))

    best = np.flatnonzero(taken(levels(promise), slots, cut, index, WINDOW_DRAW))
    best = best[np.argsort(slots[best], kind="stable")]
    first, last = where[seed_of[best], 0], where[seed_of[best], 1]
    before = first.astype(np.int64) * PHONE_MS + REACH_MS
    after = (len(ratios.deletion) - last).astype(np.int64) * PHONE_MS + REACH_MS
    yield windows_around(slots[best], before, after, slot_key, LONGEST_WINDOW)


def _occurrences(which: Int64s, words: Int64s, index: SoundIndex) -> tuple[Int64s, Int64s]:
    """(n,) which of the words and (n,) its slot, for all their alternatives, deleted ones too."""
    offsets = index.columns.posting_offsets
    first, last = offsets[words[which]], offsets[words[which] + 1]
    runs = [
        index.columns.posting_slot[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)
    ]
    return np.repeat(which, last - first), np.concatenate([np.empty(0, np.int64), *runs])


def seed_words(match: Float32s, index: SoundIndex) -> Int64s:
    """Ids, ascending, of the words with three phones that may be three of the query's."""
    first, rest = np.divmod(index.gram_codes, len(index.inventory) ** 2)
    second, third = np.divmod(rest, len(index.inventory))
    likely = np.where(match > LEAST_PHONE_SCORE, match, np.float32(-np.inf))
    wanted = np.zeros(len(first), dtype=bool)
    for one, two, three in zip(likely, likely[1:], likely[2:], strict=False):
        wanted |= one[first] + two[second] + three[third] >= SEED_GRAM_SCORE
    offsets = index.gram_offsets
    found = [index.gram_words[offsets[i] : offsets[i + 1]] for i in np.flatnonzero(wanted).tolist()]
    return np.unique(np.concatenate([np.empty(0, np.int64), *found]))
