"""All measures of one class file, in one of three profiles.

    zrc2017      equal to zerospeech-tde 2.0.3 wherever that gives a number (the leaderboard's)
    zrc2015      equal to bootphon tde 0.2.1, with its folds
    definition   the published text to the letter; each open choice is named by its function

Every point where they differ is one function, named in this table and in docs/discovery.md:

                    zrc2017                  zrc2015                   definition
    transcription   inclusive                two_sided                 literal
    pairs           pairs.listed             pairs.distinct, B1        pairs.distinct
    coverage        phones_covered           seconds_covered           shared_ticks
    boundary        snapped                  close                     indexed
    token, type     positional               within_30_ms              literal_sets
    grouping        by_flat_sets, merged     by_pair_counts            by_flat_sets
    matching        by_flat_sets             by_pair_counts            by_flat_sets

zerospeech-tde has no matching: in zrc2017 it follows the text, with that tool's transcription,
SIL and SPN as symbols like any other, and pairs that share any time excluded.

Scopes: ``within`` counts only pairs of one talker, ``cross`` only pairs of two. Measures without
pairs (coverage, token, type, boundary) then see only the fragments that are in such a pair. For
the recall of grouping and matching the gold pairs are restricted in the same way.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from scoring.discovery import (
    boundary,
    coverage,
    folds,
    grouping,
    matching,
    ned,
    ngrams,
    token_type,
    transcription,
)
from scoring.discovery import pairs as pairing
from scoring.discovery.corpus import SILENCE, SPOKEN_NOISE, Corpus, Discovery, Ints, Track
from scoring.discovery.mates import Scope
from scoring.discovery.scores import Evaluation, ProfileName, Scores
from scoring.discovery.transcription import Runs, ticks
from std.formats.folds import Folds
from std.values import Bools

Progress = Callable[[int, int], None]

TALKER_SCOPES: tuple[Scope, ...] = ("all", "within", "cross")


def evaluate(
    corpus: Corpus,
    discovery: Discovery,
    profile: ProfileName = "zrc2017",
    parts: Folds | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Score a discovery, on the whole corpus, by talker if talkers are known, and on each fold.

    Args:
        corpus, discovery: the gold annotation and what was found in it.
        profile: whose numbers; see the table above.
        parts: folds to score one by one.
        progress: called with (steps done, steps in all).
    """
    scopes = TALKER_SCOPES if len(corpus.talkers) > 1 else TALKER_SCOPES[:1]
    levels = repeated_2015(corpus.phones) if profile == "zrc2015" else None
    scores = _score(profile, Case.whole(corpus, discovery, levels), scopes)
    if parts is None:
        return Evaluation(profile, scores)
    fold_scores: list[Scores] = []
    for fold in folds.intervals(parts, corpus):
        if progress:
            progress(len(fold_scores) + 1, parts.count + 1)
        case = Case.part(corpus, discovery, levels, fold)
        fold_scores.append(_score(profile, case, scopes[:1])["all"])
    return Evaluation(profile, scores, tuple(fold_scores), folds.spread(fold_scores, profile))


class Case(NamedTuple):
    """What one call of the measures sees: the corpus or one fold of it."""

    phones: Track
    inside: Bools  # (N,) phones that belong to the fold
    words: Track
    discovery: Discovery
    talker: Ints  # (number of files,)
    levels: list[ngrams.Level] | None  # of the whole corpus, when the profile wants that
    fold: folds.Intervals | None

    @classmethod
    def whole(
        cls, corpus: Corpus, discovery: Discovery, levels: list[ngrams.Level] | None
    ) -> "Case":
        everything = np.ones(len(corpus.phones), np.bool_)
        talker = corpus.talker.astype(np.int64)
        return cls(corpus.phones, everything, corpus.words, discovery, talker, levels, None)

    @classmethod
    def part(
        cls,
        corpus: Corpus,
        discovery: Discovery,
        levels: list[ngrams.Level] | None,
        fold: folds.Intervals,
    ) -> "Case":
        phones, words = corpus.phones, corpus.words
        return cls(
            phones,
            fold.contain(phones.file, phones.onset_s, phones.offset_s),
            words.where(fold.contain(words.file, words.onset_s, words.offset_s)),
            discovery.where(fold.contain(discovery.file, discovery.onset_s, discovery.offset_s)),
            corpus.talker.astype(np.int64),
            levels,
            fold,
        )


def _score(profile: ProfileName, case: Case, scopes: Sequence[Scope]) -> dict[Scope, Scores]:
    recipe = {"zrc2017": zrc2017, "zrc2015": zrc2015, "definition": definition}[profile]
    return recipe(case, scopes)


def zrc2017(case: Case, scopes: Sequence[Scope]) -> dict[Scope, Scores]:
    """The profile of the 2017 challenge; fragments that transcribe to nothing are discarded."""
    phones, words = case.phones, case.words.where(~case.words.labelled(SILENCE))
    runs = transcription.inclusive(phones, case.discovery)
    kept, discarded = case.discovery.where(runs.found), int((~runs.found).sum())
    runs = runs.where(runs.found)
    type_of, texts = _types(phones.text(), runs)
    silent = phones.labelled(SILENCE)
    spoken_of, spoken = _types(*_without(phones.text(), silent, runs))
    token_of = _tokens(phones, runs)
    talker = case.talker[kept.file]
    timing = matching.Timing(
        phones.file, case.talker[phones.file], phones.onset_s, phones.offset_s, literal=False
    )
    begins = ngrams.exact_stretch_begins(
        ticks(phones.onset_s), ticks(phones.offset_s), phones.file, case.inside
    )
    flat = matching.by_flat_sets(
        _repeated_inside(phones, begins, case.inside),
        timing,
        *pairing.distinct_members(kept),
        runs,
        scopes,
    )
    listed = pairing.listed(kept)
    neds = _scoped_ned(listed, spoken_of, spoken, talker, scopes)
    countable = case.inside & ~phones.labelled(SILENCE, SPOKEN_NOISE)
    result: dict[Scope, Scores] = {}
    for scope in scopes:
        mine = _in_scope(listed, talker, scope)
        some, some_runs = kept.where(mine), runs.where(mine)
        token, type_ = token_type.by_symbols(
            phones, words, some, [texts[t] for t in type_of[mine].tolist()]
        )
        result[scope] = Scores(
            boundary=boundary.snapped(phones, words, some, some_runs),
            token=token,
            type=type_,
            grouping=grouping.by_flat_sets(
                listed, token_of, type_of, kept.file, kept.onset_s, kept.offset_s, talker, scope
            ),
            matching=flat[scope].rates,
            coverage=coverage.phones_covered(countable, some_runs.lo, some_runs.hi),
            ned=ned.mean(neds[scope]),
            counts={
                **_counts(case, words, some, discarded),
                "pairs": neds[scope].total(),
            },
        )
    return result


def zrc2015(case: Case, scopes: Sequence[Scope]) -> dict[Scope, Scores]:
    """The profile of the 2015 challenge; fragments outside the annotation are dropped."""
    phones, words = case.phones, case.words
    runs = transcription.two_sided(phones, case.discovery)
    kept, dropped = case.discovery.where(runs.found), int((~runs.found).sum())
    runs = runs.where(runs.found)
    type_of, texts = _types(phones.text(), runs)
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
    neds = _scoped_ned(clustered, type_of, texts, talker, scopes)
    gold_s = _discoverable_2015(phones, levels, inside)
    matched = matching.by_pair_counts(
        levels, phones, case.talker[phones.file], clustered, talker, runs, inside, scopes
    )
    result: dict[Scope, Scores] = {}
    for scope in scopes:
        mine = _in_scope(clustered, talker, scope)
        some = kept.where(mine)
        token, type_, crashes = token_type.within_30_ms(words, some)
        disc_s = coverage.union_seconds(some.file, some.onset_s, some.offset_s)
        notes = {}
        if crashes:
            notes["token"] = notes["type"] = (
                f"{crashes} fragments meet no word: tde 0.2.1 stops with ValueError, "
                "here they are misses"
            )
        if (1, 1) in neds[scope] and "" in texts:
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
                **_counts(case, words, some, dropped),
                "pairs": neds[scope].total(),
            },
            notes=notes,
        )
    return result


def definition(case: Case, scopes: Sequence[Scope]) -> dict[Scope, Scores]:
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
    type_of, texts = _types(phones.text(), runs)
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
        _repeated_inside(phones, begins, inside),
        timing,
        group[voiced],
        member[voiced],
        runs,
        scopes,
    )
    equal_type = np.where(runs.hi > runs.lo, type_of, -1)
    neds = _scoped_ned(pairs, type_of, texts, talker, scopes)
    word_runs = transcription.literal(phones, token_type.as_fragments(words))
    word_types = _texts(phones.text(), word_runs)
    degrees = {scope: pairs.counts(talker, scope)[1] for scope in scopes}
    result: dict[Scope, Scores] = {}
    for scope in scopes:
        mated = degrees[scope] > 0
        mine = mated if scope != "all" else np.ones(len(merged), np.bool_)
        some_runs = runs.where(mine)
        token, type_ = token_type.literal_sets(
            some_runs, word_runs, [texts[t] for t in type_of[mine].tolist()], word_types
        )
        covered = coverage.covered_rows(len(phones), runs.lo[mated], runs.hi[mated])
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
                **_counts(case, words, merged.where(mine), int((runs.hi == runs.lo).sum())),
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


def _texts(text: str, runs: Runs) -> list[str]:
    """The transcription of each run, one character per phone."""
    return [text[lo:hi] for lo, hi in zip(runs.lo.tolist(), runs.hi.tolist(), strict=True)]


def _types(text: str, runs: Runs) -> tuple[Ints, list[str]]:
    """Number the distinct transcriptions: type of each run, and the types."""
    index: dict[str, int] = {}
    of = [index.setdefault(one, len(index)) for one in _texts(text, runs)]
    return np.array(of, dtype=np.int64), list(index)


def _without(text: str, drop: Bools, runs: Runs) -> tuple[str, Runs]:
    """A text and its runs without the rows to drop."""
    kept = np.append(0, np.cumsum(~drop))
    thin = "".join(one for one, gone in zip(text, drop.tolist(), strict=True) if not gone)
    return thin, Runs(kept[runs.lo], kept[runs.hi], runs.found)


def _tokens(phones: Track, runs: Runs) -> Ints:
    """Number the runs by the times and symbols of their phones, without the file."""
    columns = np.stack((phones.onset_s, phones.offset_s, phones.label.astype(np.float64)))
    identity = np.unique(columns, axis=1, return_inverse=True)[1].astype(np.int32).ravel()
    content = identity.tobytes()
    index: dict[bytes, int] = {}
    of = [
        index.setdefault(content[4 * lo : 4 * hi], len(index))
        for lo, hi in zip(runs.lo.tolist(), runs.hi.tolist(), strict=True)
    ]
    return np.array(of, dtype=np.int64)


def _scoped_ned(
    pairs: pairing.Pairs,
    type_of: Ints,
    texts: Sequence[str],
    talker: Ints,
    scopes: Iterable[Scope],
) -> dict[Scope, ned.Distances]:
    """Distances of all pairs, of those within talkers, and of the rest."""
    everything = ned.distances(pairs, type_of, texts)
    result: dict[Scope, ned.Distances] = {"all": everything}
    if "within" in scopes:
        same = ned.distances(pairs.within(talker), type_of, texts)
        rest = everything.copy()
        rest.subtract(same)
        result |= {"within": same, "cross": rest}
    return result


def _in_scope(pairs: pairing.Pairs, talker: Ints, scope: Scope) -> Bools:
    """Fragments that measures without pairs see: all, or those in a pair of the scope."""
    if scope == "all":
        return np.ones(len(talker), np.bool_)
    return pairs.counts(talker, scope)[1] > 0


def _with_company(discovery: Discovery) -> Bools:
    """Fragments that are members of a class of at least two."""
    group, member = pairing.distinct_members(discovery)
    _, at, sizes = np.unique(group, return_inverse=True, return_counts=True)
    result = np.zeros(len(discovery), np.bool_)
    result[member[sizes[at] > 1]] = True
    return result


def _repeated_inside(phones: Track, begins: Ints, inside: Bools) -> Iterable[ngrams.Level]:
    """The n-grams repeated among the phones of the fold."""
    ends = np.where(inside, ngrams.stretch_ends(phones, begins), 0)
    return ngrams.repeated(phones.label, ends)


def repeated_2015(phones: Track) -> list[ngrams.Level]:
    """The n-grams repeated in the whole corpus, inside contiguous stretches as tde 0.2.1 cuts."""
    begins = transcription.stretch_begins_2015(phones)
    return list(ngrams.repeated(phones.label, ngrams.stretch_ends(phones, begins)))


def _discoverable_2015(
    phones: Track, levels: Sequence[ngrams.Level], inside: matching.Inside
) -> float:
    """Seconds of the repeated n-grams, overlapping repeats included: trigrams make up the rest."""
    for level in levels:
        if level.length == ngrams.SHORTEST:
            lo, hi = level.position, level.position + level.length
            mine = inside(lo, hi)
            lo, hi = lo[mine], hi[mine]
            return coverage.union_seconds(
                phones.file[lo], phones.onset_s[lo], phones.offset_s[hi - 1]
            )
    return 0.0


def _counts(case: Case, words: Track, some: Discovery, without_phones: int) -> dict[str, int]:
    """What the measures were computed from."""
    return {
        "phones": int(case.inside.sum()),
        "words": len(words),
        "classes": case.discovery.classes,
        "members": len(some.member),
        "fragments": len(some),
        "fragments_without_phones": without_phones,
    }
