"""The profile that follows the published text literally.

Open choices beside those of the single measures:

* SIL and SPN are no phonemes: they are in no transcription, and n-grams do not cross them.
* A fragment *is* the phonemes it transcribes to ("all of these evaluations are done at the
  level of the phonemes"): fragments with the same phonemes are one, and times are those of
  the phonemes. Only boundaries are taken from the times the system wrote.
* Two fragments overlap if they share more than half of the shorter one.
* Pairs are a set: a pair that two classes contain counts once. A fragment makes no pair with
  itself, although P_clus as printed has such pairs: they group nothing.
* An empty transcription equals nothing, not even another empty one.
* Lengths are counted in phonemes, time in ticks of 0.1 ms.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.discovery import coverage, grouping, matching, ned, segmentation, transcription
from scoring.discovery import pairs as pairing
from scoring.discovery.case import Case, counts_of, repeated_inside, scoped_ned, texts_of, types_of
from scoring.discovery.corpus import SILENCE, SPOKEN_NOISE, Discovery, Track
from scoring.discovery.partners import TalkerScope, share_half
from scoring.discovery.scores import Scores
from scoring.discovery.transcription import Runs, ticks
from std.values import Bools, Integers


def score(case: Case, scopes: Sequence[TalkerScope]) -> dict[TalkerScope, Scores]:
    """Score by the published text."""
    is_phoneme = ~case.phones.labelled(SILENCE, SPOKEN_NOISE)
    phones, inside = case.phones.where(is_phoneme), case.inside[is_phoneme]
    words = case.words.where(~case.words.labelled(SILENCE))
    listed = case.discovery
    merged, runs, listed_to_merged = _merge(phones, listed, transcription.literal(phones, listed))
    type_of, texts = types_of(phones.text(), runs)
    talker = case.talker[merged.file]

    pairs = pairing.distinct(merged, share_half(ticks(merged.onset_s), ticks(merged.offset_s)))
    group, member = pairing.distinct_members(merged)
    flat = _match(phones, inside, case.talker[phones.file], (group, member), runs, scopes)
    neds = scoped_ned(pairs, type_of, texts, talker, scopes)
    word_runs = transcription.literal(phones, segmentation.as_fragments(words))
    word_types = texts_of(phones.text(), word_runs)
    without_phones = int((runs.hi == runs.lo).sum())
    result: dict[TalkerScope, Scores] = {}
    for scope in scopes:
        paired = pairs.counts(talker, scope)[1] > 0
        in_scope = paired if scope != "all" else np.ones(len(merged), np.bool_)
        token, type_ = segmentation.literal_sets(
            runs.where(in_scope),
            word_runs,
            [texts[t] for t in type_of[in_scope].tolist()],
            word_types,
        )
        result[scope] = Scores(
            boundary=segmentation.indexed_edges(
                phones, words, listed.where(in_scope[listed_to_merged])
            ),
            token=token,
            type=type_,
            grouping=grouping.by_flat_sets(
                replace(pairs, group=group, member=member),
                np.arange(len(merged)),
                np.where(runs.hi > runs.lo, type_of, -1),
                merged.file,
                merged.onset_s,
                merged.offset_s,
                talker,
                scope,
            ),
            matching=flat[scope].rates,
            coverage=coverage.shared_ticks(
                coverage.covered_rows(len(phones), runs.lo[paired], runs.hi[paired]),
                flat[scope].gold_rows,
                ticks(phones.offset_s) - ticks(phones.onset_s),
            ),
            ned=ned.mean(neds[scope]),
            counts=counts_of(case, words, merged.where(in_scope), without_phones, neds[scope]),
        )
    return result


def _match(
    phones: Track,
    inside: Bools,
    talker: Integers,
    membership: tuple[Integers, Integers],
    runs: Runs,
    scopes: Sequence[TalkerScope],
) -> dict[TalkerScope, matching.FlatCounts]:
    """Matching of the members that have phonemes.

    Args:
        phones: (N,) rows, without silence and noise.
        inside: (N,) rows of the fold.
        talker: (N,) of each row.
        membership: class and fragment of each distinct member, both (m,).
        runs: (f,) rows of each fragment.
        scopes: which pairs count.
    """
    onset, offset = ticks(phones.onset_s), ticks(phones.offset_s)
    group, member = membership
    has_phonemes = (runs.hi > runs.lo)[member]
    begins = pairing.exact_stretch_begins(onset, offset, phones.file, inside)
    return matching.by_flat_sets(
        repeated_inside(phones, begins, inside),
        matching.Timing(phones.file, talker, onset, offset, literal=True),
        group[has_phonemes],
        member[has_phonemes],
        runs,
        scopes,
    )


def _merge(phones: Track, raw: Discovery, runs: Runs) -> tuple[Discovery, Runs, Integers]:
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
    return merged, Runs(lo[first], hi[first], runs.located[first]), index
