"""What every reader of recogniser output makes first: the columns of many utterances at once.

A reader fills `indexer.networks.raw.RawUtterances` (seconds, tokens and posteriors as written);
`utterances_of` does what all formats have in common, in a few array passes over all utterances:

    tokens -> words      non-words become epsilon mass, pronunciation variants are merged
    posteriors           slots that sum to a little over one are scaled to one
    seconds -> ms        round(1000 * s); missing slot times derived (`indexer.networks.slot_times`)

Large text formats have two parsers. The bulk parser converts whole columns and checks them with
`indexer.networks.raw.is_valid`; if anything is unusual, the strict parser reads the same text word
by word into an `indexer.networks.raw.NetworkBuilder`, which names the line of an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import numpy as np

from indexer.networks.nonwords import Nonwords, is_noise, replacements, spoken
from indexer.networks.raw import RawUtterances, settled
from indexer.networks.slot_times import (
    Filled,
    filled,
    letters,
    times_from_one_best,
    untangled,
    weighted_spans,
)
from indexer.networks.utterances import SEGMENTS_HINT, Utterances, UtteranceSpan, span_of
from std.errors import InputError, Unquoted
from std.networks import TimedWord
from std.ranges import MAX_WORD_S
from std.values import Float64s, Int64s

SEGMENT_TOLERANCE_S = 1.0  # how far times may reach beyond their segment
FLOAT32_NOISE = 1e-6  # a sum of float32 posteriors this far above 1 counts as 1

NEEDED_TIMES = "times of its words, or of the utterance"


def utterances_of(
    columns: RawUtterances,
    path: Path | str,
    segments: Mapping[str, UtteranceSpan] | None = None,
    one_best: Mapping[str, Sequence[TimedWord]] | None = None,
    nonwords: Nonwords | None = None,
) -> Utterances:
    """Turn valid columns into utterances in milliseconds, in order.

    Args:
        columns: as written; times count from the start of the recording, or with
            ``segments`` from the start of the utterance.
        segments: the place of each utterance, by name.
        one_best: timed words of utterances, by name; their times fill slots without times.
        nonwords: keeps noises, or counts those that are dropped.

    Raises:
        InputError: an utterance has words but neither times nor what they could be derived
            from, or is not among the segments; a word holds a line break.
    """
    if "\n" in "".join(columns.vocabulary):
        broken = next(word for word in columns.vocabulary if "\n" in word)
        raise InputError(path, 0, "words without line breaks", Unquoted(broken))
    if one_best is not None:
        columns = _with_one_best_times(columns, one_best)
    if segments is not None:
        columns = _placed(columns, path, segments)
    columns = _words_only(columns, nonwords or Nonwords())
    if segments is None:
        columns = settled(columns)
    slot_of = _slot_of(columns)
    totals = columns.epsilons + np.bincount(slot_of, columns.posteriors, len(columns.epsilons))
    excess = np.where(totals > 1 + FLOAT32_NOISE, totals, 1.0)
    spans = np.rint(1000 * columns.spans_s)
    utterance_spans = np.rint(1000 * columns.utterance_spans_s)
    slot_spans, estimated, errors = _slot_spans(columns, slot_of, spans, utterance_spans)
    _require_times(columns, slot_spans, path)
    untimed = np.isnan(spans[:, 0])
    spans[untimed] = slot_spans[slot_of[untimed]]
    spans[:, 1] = np.minimum(spans[:, 1], spans[:, 0] + 1000 * MAX_WORD_S)  # long silences' words

    return Utterances(
        recordings=columns.recordings,
        names=columns.utterances,
        languages=columns.languages or [""] * len(columns.utterances),
        speakers=_named(columns),
        spans_ms=_whole_spans(utterance_spans, slot_spans, columns.bounds).astype(np.int64),
        times_estimated=estimated,
        bounds=columns.bounds,
        slot_spans_ms=np.rint(slot_spans).astype(np.int32),
        slot_errors_ms=np.ceil(errors).astype(np.int32),
        epsilons=(columns.epsilons / excess).astype(np.float32),
        offsets=columns.offsets,
        vocabulary=columns.vocabulary,
        words=columns.tokens,
        posteriors=(columns.posteriors / excess[slot_of]).astype(np.float32),
        word_spans_ms=np.rint(spans).astype(np.int32),
    )


def rated(columns: RawUtterances) -> RawUtterances:
    """Give words equal shares of their slots if all posteriors are 0: services mean "unknown"."""
    if columns.posteriors.any():
        return columns
    counts = np.diff(columns.offsets)
    shares = np.repeat(1 / np.maximum(counts, 1), counts)
    return replace(columns, posteriors=shares, epsilons=np.zeros(len(columns.epsilons)))


def _named(columns: RawUtterances) -> Sequence[str]:
    """(u,) names of speakers as text of one line, with one blank between their parts."""
    if not columns.speakers:
        return [""] * len(columns.utterances)
    spelt = {
        name: " ".join(name.encode(errors="replace").decode().split())
        for name in set(columns.speakers)
    }
    if all(name == written for name, written in spelt.items()):
        return columns.speakers
    return [spelt[name] for name in columns.speakers]


def _require_times(columns: RawUtterances, slot_spans: Float64s, path: Path | str) -> None:
    """Refuse utterances with slots whose times are neither written nor derived."""
    for slot in np.flatnonzero(np.isnan(slot_spans).any(axis=1)).tolist():
        utterance = int(np.searchsorted(columns.bounds, slot, "right")) - 1
        raise InputError(
            path,
            int(columns.lines[utterance]),
            NEEDED_TIMES,
            columns.utterances[utterance],
            SEGMENTS_HINT,
        )


def _placed(
    columns: RawUtterances, path: Path | str, segments: Mapping[str, UtteranceSpan]
) -> RawUtterances:
    """Move utterances to their places in their recordings."""
    found = [
        span_of(segments, name, path, line)
        for name, line in zip(columns.utterances, columns.lines.tolist(), strict=True)
    ]
    start = np.array([one.start_s for one in found])
    latest = _latest(columns)
    for i, one in enumerate(found):
        if latest[i] > one.end_s - one.start_s + SEGMENT_TOLERANCE_S:
            raise InputError(
                path,
                int(columns.lines[i]),
                f"times from the start of {columns.utterances[i]}, as there are segments, "
                f"up to {one.end_s - one.start_s:.3f} s",
                f"{latest[i]:.3f}",
            )
    slot_start = np.repeat(start, np.diff(columns.bounds))[:, None]
    return replace(
        columns,
        recordings=[one.recording for one in found],
        utterance_spans_s=np.array([(one.start_s, one.end_s) for one in found]).reshape(-1, 2),
        slot_spans_s=columns.slot_spans_s + slot_start,
        spans_s=columns.spans_s + slot_start[_slot_of(columns)],
    )


def _with_one_best_times(
    columns: RawUtterances, one_best: Mapping[str, Sequence[TimedWord]]
) -> RawUtterances:
    """Give slots without any times those of the same utterance's one-best words."""
    timed = ~np.isnan(columns.spans_s[:, 0])
    has_times = np.bincount(_slot_of(columns), timed, len(columns.epsilons)) > 0
    has_times |= ~np.isnan(columns.slot_spans_s[:, 0])
    spans, offsets = columns.slot_spans_s.copy(), columns.offsets.tolist()
    for i, (lo, hi) in enumerate(pairwise(columns.bounds.tolist())):
        best_words = one_best.get(columns.utterances[i])
        if best_words is None or has_times[lo:hi].any():
            continue
        slots = []
        for first, last in pairwise(offsets[lo : hi + 1]):
            best = np.argsort(-columns.posteriors[first:last], kind="stable")
            tokens = [columns.vocabulary[j] for j in columns.tokens[first:last][best].tolist()]
            slots.append([word for token in tokens if (word := spoken(token))])
        with_words = [j for j, words in enumerate(slots) if words]
        if with_words:
            used = [slots[j] for j in with_words]
            spans[lo + np.array(with_words)] = times_from_one_best(used, best_words)
    return replace(columns, slot_spans_s=spans)


def _latest(columns: RawUtterances) -> Float64s:
    """Return (u,) the latest time that each utterance has written."""
    latest = np.zeros(len(columns.utterances))
    utterance_of = np.repeat(np.arange(len(latest)), np.diff(columns.bounds))
    np.fmax.at(latest, utterance_of, columns.slot_spans_s[:, 1])
    np.fmax.at(latest, utterance_of[_slot_of(columns)], columns.spans_s[:, 1])
    return latest


def _slot_of(columns: RawUtterances) -> Int64s:
    return np.repeat(np.arange(len(columns.epsilons)), np.diff(columns.offsets))


def _words_only(columns: RawUtterances, nonwords: Nonwords) -> RawUtterances:
    """Move the mass of non-words to epsilon, merge variants, drop what has no mass."""
    slots, slot_of, tokens = len(columns.epsilons), _slot_of(columns), columns.tokens
    posteriors, epsilons = columns.posteriors.clip(0, 1), columns.epsilons.clip(0, 1)
    slot_spans_s, vocabulary = columns.slot_spans_s, columns.vocabulary
    changed = replacements(vocabulary, nonwords.keep)
    if changed:
        _count_noises(columns, changed, nonwords)
        ids: dict[str | None, int] = dict(zip(vocabulary, count(), strict=False))
        meaning = np.arange(len(vocabulary))
        for token, word in changed.items():
            meaning[ids[token]] = ids.setdefault(word, len(ids))
        tokens = meaning[tokens]
        vocabulary = [word or "" for word in ids]
        silence = tokens == ids.get("", -1)
        wordless = silence | (tokens == ids.get(None, -1))
        epsilons = epsilons + np.bincount(slot_of[silence], posteriors[silence], slots)
        posteriors = np.where(wordless, 0.0, posteriors)
        if not np.isnan(columns.spans_s[silence]).all():  # pauses may have times
            empty = np.bincount(slot_of, posteriors, slots) == 0
            pauses = weighted_spans(slot_of, slots, columns.posteriors, columns.spans_s)
            unwritten = np.isnan(slot_spans_s[:, 0])
            slot_spans_s = np.where((empty & unwritten)[:, None], pauses, slot_spans_s)
    posteriors = _merged(slot_of * len(vocabulary) + tokens, posteriors)
    kept = np.flatnonzero(posteriors.astype(np.float32) > 0)  # as the index has them
    counts = np.bincount(slot_of[kept], minlength=slots)
    return replace(
        columns,
        slot_spans_s=slot_spans_s,
        epsilons=epsilons,
        offsets=np.concatenate([[0], np.cumsum(counts)]),
        vocabulary=vocabulary,
        tokens=tokens[kept],
        posteriors=posteriors[kept],
        spans_s=columns.spans_s[kept],
    )


def _count_noises(
    columns: RawUtterances, changed: Mapping[str, str | None], nonwords: Nonwords
) -> None:
    noises = [token for token, word in changed.items() if word == "" and is_noise(token)]
    if noises:
        counts = np.bincount(columns.tokens, minlength=len(columns.vocabulary))
        for token in noises:
            nonwords.drop(token, int(counts[columns.vocabulary.index(token)]))


def _merged(keys: Int64s, posteriors: Float64s) -> Float64s:
    """Give the likeliest of equal keys (one word in one slot) the mass of all, the others none."""
    ranked = np.sort(keys)
    fresh = np.ones(len(keys), dtype=bool)
    fresh[1:] = ranked[1:] != ranked[:-1]
    if fresh.all():
        return posteriors
    order = np.lexsort((-posteriors, keys))
    merged = np.zeros_like(posteriors)
    merged[order[fresh]] = np.bincount(np.cumsum(fresh) - 1, posteriors[order])
    return merged


def _slot_spans(
    columns: RawUtterances, slot_of: Int64s, spans: Float64s, utterance_spans: Float64s
) -> Filled:
    """Take slot times as written, else from the words, else from the gaps between them."""
    slots = len(columns.epsilons)
    slot_spans = 1000 * columns.slot_spans_s
    missing = np.isnan(slot_spans[:, 0])
    estimated, errors = np.zeros(len(columns.utterances), dtype=bool), np.zeros(slots)
    if not missing.any():
        return _with_stated_errors(Filled(slot_spans, estimated, errors), columns)
    derived = weighted_spans(slot_of, slots, columns.posteriors, spans)
    slot_spans = np.where(missing[:, None], derived, slot_spans)
    if np.isnan(slot_spans).any():
        rising = np.argsort(columns.posteriors, kind="stable")  # written last: the best word's
        best = np.zeros(slots)
        best[slot_of[rising]] = letters(columns.vocabulary)[columns.tokens[rising]]
        slot_spans, estimated, errors = filled(slot_spans, columns.bounds, best, utterance_spans)
    found = Filled(untangled(slot_spans, columns.bounds), estimated, errors)
    return _with_stated_errors(found, columns)


def _with_stated_errors(found: Filled, columns: RawUtterances) -> Filled:
    """Times that the file calls estimates are estimates, too."""
    if columns.slot_errors_s is None:
        return found
    stated = np.rint(1000 * columns.slot_errors_s)
    said = np.concatenate([[0], np.cumsum(stated > 0)])[columns.bounds]
    return Filled(
        found.spans, found.estimated | (np.diff(said) > 0), np.maximum(found.errors, stated)
    )


def _whole_spans(utterance_spans: Float64s, slot_spans: Float64s, bounds: Int64s) -> Float64s:
    """Return (u, 2) rounded spans of utterances; if not written, from first to last slot."""
    first, last = bounds[:-1], bounds[1:] - 1
    from_slots = np.zeros_like(utterance_spans)
    some = first <= last
    from_slots[some, 0] = slot_spans[first[some], 0]
    from_slots[some, 1] = slot_spans[last[some], 1]
    spans = np.where(np.isnan(utterance_spans), from_slots, utterance_spans)
    backwards = spans[:, 0] > spans[:, 1]  # the written start is later than its words
    spans[backwards] = from_slots[backwards]
    return np.rint(spans)
