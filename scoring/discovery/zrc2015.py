"""The profile of the 2015 challenge: bootphon tde 0.2.1."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from scoring.discovery import (
    boundary,
    coverage,
    grouping,
    matching_2015,
    ned,
    ngrams,
    token_type,
    transcription,
)
from scoring.discovery import pairs as pairing
from scoring.discovery.case import Case, counts_of, in_scope, scoped_ned, types_of
from scoring.discovery.corpus import Discovery, Ints, Track
from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import Scores
from std.values import Bools


def score(case: Case, scopes: Sequence[TalkerScope]) -> dict[TalkerScope, Scores]:
    """The profile of the 2015 challenge; fragments outside the annotation are dropped."""
    phones, words = case.phones, case.words
    runs = transcription.two_sided(phones, case.discovery)
    kept, dropped = case.discovery.where(runs.found), int((~runs.found).sum())
    runs = runs.where(runs.found)
    type_of, texts = types_of(phones.text(), runs)
    talker = case.talker[kept.file]
    levels = case.levels or []

    def overlap(i: Ints, j: Ints) -> Bools:
        return transcription.overlap_2015(
            kept.onset_s[i], kept.offset_s[i], kept.onset_s[j], kept.offset_s[j]
        )

    def touches(i: Ints, j: Ints) -> Bools:
        share = np.minimum(kept.offset_s[i], kept.offset_s[j]) > np.maximum(
            kept.onset_s[i], kept.onset_s[j]
        )
        result: Bools = overlap(i, j) | ((kept.file[i] == kept.file[j]) & share)
        return result

    def inside(lo: Ints, hi: Ints) -> Bools:
        if case.fold is None:
            return np.ones(len(lo), np.bool_)
        return case.fold.contain(phones.file[lo], phones.onset_s[lo], phones.offset_s[hi - 1])

    clustered = pairing.distinct(kept, overlap, across_files=True)
    in_pairs = _with_company(kept) if case.fold is not None else np.ones(len(kept), np.bool_)
    fragments = np.flatnonzero(in_pairs).astype(np.int32)
    same_type = replace(kept, member_of=type_of[fragments].astype(np.int32), member=fragments)
    room = kept.member_of * np.int64(len(texts)) + type_of[kept.member]
    same_both = replace(kept, member_of=np.unique(room, return_inverse=True)[1].astype(np.int32))
    gold = pairing.distinct(same_type, touches, across_files=True)
    both = pairing.distinct(same_both, touches, across_files=True)
    neds = scoped_ned(clustered, type_of, texts, talker, scopes)
    gold_s = _discoverable(phones, levels, inside)
    matched = matching_2015.by_pair_counts(
        levels, phones, case.talker[phones.file], clustered, talker, runs, inside, scopes
    )
    result: dict[TalkerScope, Scores] = {}
    for scope in scopes:
        mine = in_scope(clustered, talker, scope)
        some = kept.where(mine)
        token, type_, crashes = token_type.within_30_ms(words, some)
        disc_s = coverage.union_seconds(some.file, some.onset_s, some.offset_s)
        notes = {}
        if crashes:
            notes["token"] = notes["type"] = (
                f"{crashes} fragments meet no word: tde 0.2.1 stops with ValueError, "
                "here they are misses"
            )
        if neds[scope][0, 0]:
            notes["ned"] = "two empty transcriptions count as distance 1: tde 0.2.1 divides by 0"
        result[scope] = Scores(
            boundary=boundary.close(words, some),
            token=token,
            type=type_,
            grouping=grouping.by_pair_counts(clustered, gold, both, type_of, talker, scope),
            matching=matched[scope],
            coverage=coverage.seconds_covered(disc_s, gold_s),
            ned=ned.mean(neds[scope]),
            counts={
                **counts_of(case, words, some, dropped),
                "pairs": neds[scope].total(),
            },
            notes=notes,
        )
    return result


def _with_company(discovery: Discovery) -> Bools:
    """Fragments that are members of a class of at least two."""
    group, member = pairing.distinct_members(discovery)
    _, at, sizes = np.unique(group, return_inverse=True, return_counts=True)
    result = np.zeros(len(discovery), np.bool_)
    result[member[sizes[at] > 1]] = True
    return result


def repeated(phones: Track) -> list[ngrams.Level]:
    """The n-grams repeated in the whole corpus, inside contiguous stretches as tde 0.2.1 cuts."""
    begins = transcription.stretch_begins_2015(phones)
    return list(ngrams.repeated(phones.label, ngrams.stretch_ends(phones, begins)))


def _discoverable(
    phones: Track, levels: Sequence[ngrams.Level], inside: matching_2015.Inside
) -> float:
    """Seconds of the repeated n-grams, overlapping repeats included: trigrams make up the rest."""
    for level in levels:
        if level.length == ngrams.MIN_LENGTH:
            lo, hi = level.position, level.position + level.length
            mine = inside(lo, hi)
            lo, hi = lo[mine], hi[mine]
            return coverage.union_seconds(
                phones.file[lo], phones.onset_s[lo], phones.offset_s[hi - 1]
            )
    return 0.0
