"""The profile of the 2015 challenge: bootphon tde 0.2.1."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.discovery import coverage, grouping, matching_2015, ned, segmentation, transcription
from scoring.discovery import pairs as pairing
from scoring.discovery.case import Case, counts_of, in_scope, scoped_ned, types_of
from scoring.discovery.corpus import Discovery, Track
from scoring.discovery.pairs import Pairs
from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import Scores
from std.values import Bools, Integers


def score(case: Case, scopes: Sequence[TalkerScope]) -> dict[TalkerScope, Scores]:
    """Score as the 2015 toolkit does; fragments outside the annotation are dropped."""
    phones, words = case.phones, case.words
    runs = transcription.two_sided(phones, case.discovery)
    kept, dropped = case.discovery.where(runs.located), int((~runs.located).sum())
    runs = runs.where(runs.located)
    type_of, texts = types_of(phones.text(), runs)
    talker = case.talker[kept.file]
    levels = case.levels or []
    inside = _inside_test(case)

    clustered = pairing.distinct(kept, matching_2015.overlap_test(kept), across_files=True)
    gold, both = _gold_pairs(case, kept, type_of, len(texts))
    neds = scoped_ned(clustered, type_of, texts, talker, scopes)
    gold_s = _discoverable(phones, levels, inside)
    matched = matching_2015.by_pair_counts(
        levels, phones, case.talker[phones.file], clustered, talker, runs, inside, scopes
    )
    result: dict[TalkerScope, Scores] = {}
    for scope in scopes:
        seen = kept.where(in_scope(clustered, talker, scope))
        token, type_, crashes = segmentation.within_30_ms(words, seen)
        disc_s = coverage.union_seconds(seen.file, seen.onset_s, seen.offset_s)
        result[scope] = Scores(
            boundary=segmentation.close_edges(words, seen),
            token=token,
            type=type_,
            grouping=grouping.by_pair_counts(clustered, gold, both, type_of, talker, scope),
            matching=matched[scope],
            coverage=coverage.seconds_covered(disc_s, gold_s),
            ned=ned.mean(neds[scope]),
            counts=counts_of(case, words, seen, dropped, neds[scope]),
            notes=_notes(crashes, neds[scope]),
        )
    return result


def _inside_test(case: Case) -> matching_2015.Inside:
    """Which stretches lo:hi of phone rows lie in the fold."""
    fold, phones = case.fold, case.phones

    def inside(lo: Integers, hi: Integers) -> Bools:
        if fold is None:
            return np.ones(len(lo), np.bool_)
        return fold.contain(phones.file[lo], phones.onset_s[lo], phones.offset_s[hi - 1])

    return inside


def _gold_pairs(case: Case, kept: Discovery, type_of: Integers, types: int) -> tuple[Pairs, Pairs]:
    """Pairs of equal transcriptions: all, and those in one class.

    Args:
        kept: (f,) fragments inside the annotation.
        type_of: (f,) number of each fragment's transcription.
        types: how many distinct transcriptions there are.
    """
    onset_s, offset_s, file = kept.onset_s, kept.offset_s, kept.file
    overlap = matching_2015.overlap_test(kept)

    def touches(i: Integers, j: Integers) -> Bools:
        share = np.minimum(offset_s[i], offset_s[j]) > np.maximum(onset_s[i], onset_s[j])
        result: Bools = overlap(i, j) | ((file[i] == file[j]) & share)
        return result

    has_partner = _with_partners(kept) if case.fold is not None else np.ones(len(kept), np.bool_)
    fragments = np.flatnonzero(has_partner).astype(np.int32)
    same_type = replace(kept, member_of=type_of[fragments].astype(np.int32), member=fragments)
    class_and_type = kept.member_of * np.int64(types) + type_of[kept.member]
    numbered = np.unique(class_and_type, return_inverse=True)[1].astype(np.int32)
    same_class_and_type = replace(kept, member_of=numbered)
    return (
        pairing.distinct(same_type, touches, across_files=True),
        pairing.distinct(same_class_and_type, touches, across_files=True),
    )


def _notes(crashes: int, distances: ned.Distances) -> dict[str, str]:
    """Where tde 0.2.1 stops, by measure."""
    notes = {}
    if crashes:
        notes["token"] = notes["type"] = (
            f"{crashes} fragments meet no word: tde 0.2.1 stops with ValueError, "
            "here they are misses"
        )
    if distances[0, 0]:
        notes["ned"] = "two empty transcriptions count as distance 1: tde 0.2.1 divides by 0"
    return notes


def _with_partners(discovery: Discovery) -> Bools:
    """Fragments that are members of a class of at least two."""
    group, member = pairing.distinct_members(discovery)
    _, at, sizes = np.unique(group, return_inverse=True, return_counts=True)
    result = np.zeros(len(discovery), np.bool_)
    result[member[sizes[at] > 1]] = True
    return result


def repeated(phones: Track) -> list[pairing.Level]:
    """The n-grams repeated in the whole corpus, inside contiguous stretches as tde 0.2.1 cuts."""
    begins = transcription.stretch_begins_2015(phones)
    return list(pairing.repeated(phones.label, pairing.stretch_ends(phones, begins)))


def _discoverable(
    phones: Track, levels: Sequence[pairing.Level], inside: matching_2015.Inside
) -> float:
    """Seconds of the repeated n-grams, overlapping repeats included: trigrams make up the rest."""
    for level in levels:
        if level.length == pairing.MIN_LENGTH:
            lo, hi = level.position, level.position + level.length
            is_inside = inside(lo, hi)
            lo, hi = lo[is_inside], hi[is_inside]
            return coverage.union_seconds(
                phones.file[lo], phones.onset_s[lo], phones.offset_s[hi - 1]
            )
    return 0.0
