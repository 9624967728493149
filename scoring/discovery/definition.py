"""The profile that takes the published text to the letter."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.discovery import (
    boundary,
    coverage,
    grouping,
    matching,
    ned,
    ngrams,
    token_type,
    transcription,
)
from scoring.discovery import pairs as pairing
from scoring.discovery.case import (
    Case,
    counts_of,
    repeated_inside,
    scoped_ned,
    texts_of,
    types_of,
)
from scoring.discovery.corpus import SILENCE, SPOKEN_NOISE, Discovery, Ints, Track
from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import Scores
from scoring.discovery.transcription import Runs, ticks
from std.values import Bools


def score(case: Case, scopes: Sequence[TalkerScope]) -> dict[TalkerScope, Scores]:
    """The published text to the letter.

    Open choices beside those of the single measures:

    * SIL and SPN are no phonemes: they are in no transcription, and n-grams do not cross them.
    * A fragment *is* the phonemes it transcribes to ("all of these evaluations are done at the
      level of the phonemes"): fragments with the same phonemes are one, and times are those of
      the phonemes. Only boundaries are taken from the times the system wrote.
    * Two fragments overlap if they share more than half of the shorter one.
    * Pairs are a set: a pair that two classes contain counts once.
    * An empty transcription equals nothing, not even another empty one.
    * Lengths are counted in phonemes, time in ticks of 0.1 ms.
    """
    sound = ~case.phones.labelled(SILENCE, SPOKEN_NOISE)
    phones, inside = case.phones.where(sound), case.inside[sound]
    words = case.words.where(~case.words.labelled(SILENCE))
    onset, offset = ticks(phones.onset_s), ticks(phones.offset_s)
    raw = case.discovery
    merged, runs, raw_to_merged = _merge(phones, raw, transcription.literal(phones, raw))
    type_of, texts = types_of(phones.text(), runs)
    talker = case.talker[merged.file]
    timing = matching.Timing(phones.file, case.talker[phones.file], onset, offset, literal=True)

    start, end = ticks(merged.onset_s), ticks(merged.offset_s)

    def overlap(i: Ints, j: Ints) -> Bools:
        shared = np.minimum(end[i], end[j]) - np.maximum(start[i], start[j])
        result: Bools = 2 * shared > np.minimum(end[i] - start[i], end[j] - start[j])
        return result

    pairs = pairing.distinct(merged, overlap)
    group, member = pairing.distinct_members(merged)
    voiced = (runs.hi > runs.lo)[member]
    begins = ngrams.exact_stretch_begins(onset, offset, phones.file, inside)
    flat = matching.by_flat_sets(
        repeated_inside(phones, begins, inside),
        timing,
        group[voiced],
        member[voiced],
        runs,
        scopes,
    )
    equal_type = np.where(runs.hi > runs.lo, type_of, -1)
    neds = scoped_ned(pairs, type_of, texts, talker, scopes)
    word_runs = transcription.literal(phones, token_type.as_fragments(words))
    word_types = texts_of(phones.text(), word_runs)
    degrees = {scope: pairs.counts(talker, scope)[1] for scope in scopes}
    result: dict[TalkerScope, Scores] = {}
    for scope in scopes:
        paired = degrees[scope] > 0
        mine = paired if scope != "all" else np.ones(len(merged), np.bool_)
        some_runs = runs.where(mine)
        token, type_ = token_type.literal_sets(
            some_runs, word_runs, [texts[t] for t in type_of[mine].tolist()], word_types
        )
        covered = coverage.covered_rows(len(phones), runs.lo[paired], runs.hi[paired])
        result[scope] = Scores(
            boundary=boundary.indexed(phones, words, raw.where(mine[raw_to_merged])),
            token=token,
            type=type_,
            grouping=grouping.by_flat_sets(
                replace(pairs, group=group, member=member),
                np.arange(len(merged)),
                equal_type,
                merged.file,
                merged.onset_s,
                merged.offset_s,
                talker,
                scope,
            ),
            matching=flat[scope].rates,
            coverage=coverage.shared_ticks(covered, flat[scope].gold_rows, offset - onset),
            ned=ned.mean(neds[scope]),
            counts={
                **counts_of(case, words, merged.where(mine), int((runs.hi == runs.lo).sum())),
                "pairs": neds[scope].total(),
            },
        )
    return result


def _merge(phones: Track, raw: Discovery, runs: Runs) -> tuple[Discovery, Runs, Ints]:
    """Make fragments with the same phonemes one; those without any stay as they are."""
    empty = runs.hi == runs.lo
    lo, hi = runs.lo, runs.hi
    onset, offset = raw.onset_s.copy(), raw.offset_s.copy()
    onset[~empty] = phones.onset_s[lo[~empty]]
    offset[~empty] = phones.offset_s[hi[~empty] - 1]
    order = np.lexsort((np.where(empty, np.arange(len(raw)), -1), offset, onset, raw.file))
    new = np.ones(len(order), np.bool_)
    same = [column[order][1:] == column[order][:-1] for column in (raw.file, onset, offset)]
    new[1:] = ~(same[0] & same[1] & same[2]) | empty[order][1:] | empty[order][:-1]
    index = np.empty(len(order), np.int64)
    index[order] = np.cumsum(new) - 1
    first = order[new]
    merged = Discovery(
        raw.file[first],
        onset[first],
        offset[first],
        raw.member_of,
        index[raw.member].astype(np.int32),
        raw.classes,
    )
    return merged, Runs(lo[first], hi[first], runs.found[first]), index
