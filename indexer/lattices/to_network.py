"""Lattice in, confusion network out.

    link_posteriors    log-semiring forward-backward
    pruned             drops links of low posterior, keeps the best path
    mbr_slots          minimum-Bayes-risk slots (Xu et al. 2011): exact mass, the default
    pivot_slots        each link joins the best path's slot that it overlaps most: fast, coarser
    to_utterances      all steps

Slots of the minimum-Bayes-risk network sum to one. Between any two words (and before the first,
after the last) the algorithm keeps a slot of mostly "no word", for words that the best sequence
lacks. Slots that hold no word at all are left out.
"""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from indexer.lattices import minimum_bayes_risk
from indexer.lattices.lattice import NO_WORD, Lattice, LatticeMethod, ordered
from indexer.networks.columns import utterances_of
from indexer.networks.nonwords import Nonwords, is_noise, replacements
from indexer.networks.raw import RawUtterances
from indexer.networks.slot_times import untangled
from indexer.networks.utterances import Utterances, slot_errors
from std.errors import InputError, Unquoted
from std.values import Float64s, Int32s, Int64s

MIN_POSTERIOR = 1e-4  # links below it are ignored
MIN_MASS = 1e-6  # of a word in a slot; less is rounding
MAX_CELLS = 1 << 28  # of the tables of a lattice: 4 GB
MBR_ROUNDS = 20  # two to four are usual
SAME_WORD_BONUS = 0.3  # in shares of overlap, for a pivot slot that has the link's word


@dataclass(frozen=True, slots=True, eq=False)
class SlotSums:
    """A network being made: (q, v) sums over words per slot, column 0 is "no word"."""

    words: tuple[str, ...]  # (v - 1,) of columns 1..
    mass: Float64s  # (q, v)
    start_s: Float64s  # (q, v) mean, where there is mass
    end_s: Float64s  # (q, v)
    spans_s: Float64s  # (q, 2)


def to_utterances(
    lattice: Lattice,
    method: LatticeMethod = "mbr",
    path: Path | str = "<lattice>",
    nonwords: Nonwords | None = None,
) -> Utterances:
    """Turn a lattice into the columns of its one utterance.

    Args:
        lattice: scores already scaled.
        method: "mbr" or "pivot".
        path: for messages.
        nonwords: keeps noises, or counts the links of those that are dropped.

    Raises:
        InputError: the lattice is so long that its tables do not fit into memory.
    """
    estimated = lattice.times_estimated
    nonwords = nonwords or Nonwords()  # the same for links and slots
    lattice = pruned(words_only(lattice, nonwords))
    _require_size(lattice, method, path)
    slots = mbr_slots(lattice) if method == "mbr" else pivot_slots(lattice)
    utterances = utterances_of(_columns(lattice, slots), path, nonwords=nonwords)
    if not estimated:
        return utterances
    errors = slot_errors(utterances.slot_spans_ms, *utterances.spans_ms[0].tolist())
    return replace(utterances, times_estimated=np.array([True]), slot_errors_ms=errors)


def _require_size(lattice: Lattice, method: LatticeMethod, path: Path | str) -> None:
    slots = 2 * np.count_nonzero(lattice.word[best_path(lattice)] != NO_WORD) + 1
    rows = len(lattice.node_s) if method == "mbr" else len(lattice)
    if slots * (rows + 4 * len(lattice.vocabulary)) > MAX_CELLS:
        expected = "lattices of utterances, or of parts of a long recording"
        got = Unquoted(f"{slots // 2:,} words and {rows:,} nodes or links in {lattice.utterance}")
        raise InputError(path, 0, expected, got)


def words_only(lattice: Lattice, nonwords: Nonwords | None = None) -> Lattice:
    """Turn non-words into "no word" and strip pronunciation variants; keep `<unk>` for now."""
    nonwords = nonwords or Nonwords()
    changed = replacements(lattice.vocabulary, nonwords.keep)
    links = np.bincount(lattice.word - NO_WORD, minlength=len(lattice.vocabulary) + 1)[1:]
    for token, count in zip(lattice.vocabulary, links.tolist(), strict=True):
        if changed.get(token) == "" and is_noise(token):
            nonwords.drop(token, count)
    words = [changed.get(token, token) for token in lattice.vocabulary]
    named = [
        token if word is None else word
        for token, word in zip(lattice.vocabulary, words, strict=True)
    ]
    ids = {word: i for i, word in enumerate(dict.fromkeys(word for word in named if word))}
    number = np.array([*(ids.get(word, NO_WORD) for word in named), NO_WORD], dtype=np.int32)
    return replace(lattice, vocabulary=tuple(ids), word=number[lattice.word])


def link_posteriors(lattice: Lattice) -> Float64s:
    """Return (l,) the probability that the path contains each link."""
    nodes, links = len(lattice.node_s), (lattice.source, lattice.target, lattice.log_score)
    before = minimum_bayes_risk.compiled(minimum_bayes_risk.forward)(nodes, *links)
    after = minimum_bayes_risk.compiled(minimum_bayes_risk.backward)(nodes, *links)
    logs = before[lattice.source] + lattice.log_score + after[lattice.target] - before[-1]
    return np.exp(logs)  # type: ignore[no-any-return]  # from a compiled function


def best_path(lattice: Lattice) -> Int64s:
    """Return the links of the single most probable path, in order."""
    return minimum_bayes_risk.compiled(minimum_bayes_risk.best_links)(  # type: ignore[no-any-return]  # compiled
        len(lattice.node_s), lattice.source, lattice.target, lattice.log_score
    )


def pruned(lattice: Lattice, min_posterior: float = MIN_POSTERIOR) -> Lattice:
    """Drop links below a posterior and the dead ends that this leaves, but never the best path."""
    kept = link_posteriors(lattice) >= min_posterior
    kept[best_path(lattice)] = True
    if kept.all():
        return lattice
    return ordered(
        lattice.recording,
        lattice.utterance,
        lattice.node_s,
        lattice.source[kept],
        lattice.target[kept],
        [None if i < 0 else lattice.vocabulary[i] for i in lattice.word[kept].tolist()],
        lattice.log_score[kept],
        [0],
        [len(lattice.node_s) - 1],
    )


def mbr_slots(lattice: Lattice) -> SlotSums:
    """Find the word sequence of least expected edit distance, and its alternatives."""
    word = lattice.word + 1  # 0 is no word
    said = _without_gaps(word[best_path(lattice)])
    least, best = np.inf, said
    for _ in range(MBR_ROUNDS):
        risk, statistics = expected_distance(lattice, said)
        if risk >= least - 1e-9:
            break
        least, best, sums = risk, said, statistics
        said = _without_gaps(sums[0].argmax(axis=1).astype(np.int32))
        if np.array_equal(said, best):
            break
    mass = sums[0]
    totals = mass.sum(axis=1, keepdims=True)
    mass, totals = mass / totals, sums.sum(axis=2)
    with np.errstate(invalid="ignore"):  # nan where a word has no mass
        start, end = sums[1] / sums[0], sums[2] / sums[0]
    spans = np.stack([totals[1] / totals[0], totals[2] / totals[0]], axis=1)
    return SlotSums(lattice.vocabulary, mass, start, end, spans)


def expected_distance(lattice: Lattice, said: Int32s) -> tuple[float, Float64s]:
    """Return the expected edit distance of all paths to a word sequence, and the slots' sums.

    Args:
        lattice: the paths.
        said: (q,) rows of words in the vocabulary, from 1 on; 0 before, between and after them.

    Returns:
        An upper bound of the exact expectation (it is exact where no two paths meet), and
        (3, q, v) mass, start and end sums of each word in each slot.
    """
    links = lattice.source, lattice.target, lattice.word + 1
    before = minimum_bayes_risk.compiled(minimum_bayes_risk.forward)(
        len(lattice.node_s), lattice.source, lattice.target, lattice.log_score
    )
    weight = np.exp(before[lattice.source] + lattice.log_score - before[lattice.target])
    distance = minimum_bayes_risk.compiled(minimum_bayes_risk.edit_distances)(
        len(lattice.node_s), *links, weight, said
    )
    sums = minimum_bayes_risk.compiled(minimum_bayes_risk.slot_statistics)(
        *links, weight, said, distance, lattice.node_s, len(lattice.vocabulary) + 1
    )
    return float(distance[-1, -1]), sums


def _without_gaps(said: Int32s) -> Int32s:
    """Put "no word" before, between and after the words."""
    words = said[said > 0]
    spread = np.zeros(2 * len(words) + 1, dtype=np.int32)
    spread[1::2] = words
    return spread


def pivot_slots(lattice: Lattice) -> SlotSums:
    """Add every link to the slot of the best path that it overlaps most.

    Links that overlap no word of the path get a separate slot in that gap. A slot that holds two
    links of one path may sum to more than one; it is then scaled.
    """
    posteriors, word = link_posteriors(lattice), lattice.word + 1
    spans = np.stack([lattice.node_s[lattice.source], lattice.node_s[lattice.target]], axis=1)
    pivot = best_path(lattice)
    pivot = pivot[word[pivot] > 0]
    said = np.flatnonzero(word > 0)
    starts, ends = spans[pivot].T
    shared = np.minimum(spans[said, 1:], ends) - np.maximum(spans[said, :1], starts)
    union = np.maximum(spans[said, 1:], ends) - np.minimum(spans[said, :1], starts)
    overlap = np.maximum(shared, 0) / np.maximum(union, 1e-9)
    score = overlap + SAME_WORD_BONUS * ((word[said][:, None] == word[pivot]) & (overlap > 0))
    gap = np.searchsorted(starts, spans[said].mean(axis=1))  # between slots gap - 1 and gap
    best = score.argmax(axis=1) if len(pivot) else np.zeros(len(said), dtype=np.int64)
    slot = np.where((overlap > 0).any(axis=1), 2 * best + 1, 2 * gap)
    slot[np.searchsorted(said, pivot)] = 2 * np.arange(len(pivot)) + 1

    shape = 2 * len(pivot) + 1, len(lattice.vocabulary) + 1
    keys, weights = slot * shape[1] + word[said], posteriors[said]
    mass, start, end = (
        np.bincount(keys, weights * times, shape[0] * shape[1]).reshape(shape)
        for times in (1.0, spans[said, 0], spans[said, 1])
    )
    with np.errstate(invalid="ignore"):
        means = start / mass, end / mass
        slot_spans = np.stack([start.sum(1) / mass.sum(1), end.sum(1) / mass.sum(1)], axis=1)
    slot_spans[1::2] = spans[pivot]
    mass = mass / np.maximum(mass.sum(axis=1, keepdims=True), 1)
    mass[:, 0] = 1 - mass.sum(axis=1)
    return SlotSums(lattice.vocabulary, mass, *means, slot_spans)


def _columns(lattice: Lattice, slots: SlotSums) -> RawUtterances:
    """Write slots as a reader would fill them in."""
    said = slots.mass >= MIN_MASS
    said[:, 0] = False
    kept = said.any(axis=1)
    rows, columns = np.nonzero(said[kept])
    falling = np.lexsort((-slots.mass[kept][rows, columns], rows))
    rows, columns = rows[falling], columns[falling]
    count = int(kept.sum())
    place = (slots.mass, slots.start_s, slots.end_s)
    mass, start, end = (one[kept][rows, columns] for one in place)
    bounds = np.array([0, count], dtype=np.int64)
    spans = untangled(slots.spans_s[kept], bounds)
    return RawUtterances(
        recordings=[lattice.recording],
        utterances=[lattice.utterance],
        lines=np.zeros(1, dtype=np.int64),
        utterance_spans_s=np.array([[lattice.node_s[0], lattice.node_s[-1]]]),
        bounds=bounds,
        slot_spans_s=spans,
        epsilons=slots.mass[kept][:, 0],
        offsets=np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=count))]).astype(
            np.int64
        ),
        vocabulary=list(slots.words),
        tokens=columns - 1,
        posteriors=mass,
        spans_s=np.stack([start, end], axis=1),
    )
