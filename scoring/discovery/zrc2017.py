"""The profile of the 2017 and 2020 challenges: zerospeech-tde 2.0.3 and its leaderboard."""

from collections.abc import Sequence

import numpy as np

from scoring.discovery import coverage, grouping, matching, ned, segmentation, transcription
from scoring.discovery import pairs as pairing
from scoring.discovery.case import Case, counts_of, in_scope, repeated_inside, scoped_ned, types_of
from scoring.discovery.corpus import SILENCE, SPOKEN_NOISE, Track
from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import Scores
from scoring.discovery.transcription import Runs, ticks
from std.values import Bools, Integers


def score(case: Case, scopes: Sequence[TalkerScope]) -> dict[TalkerScope, Scores]:
    """The profile of the 2017 challenge; fragments that transcribe to nothing are discarded."""
    phones, words = case.phones, case.words.where(~case.words.labelled(SILENCE))
    runs = transcription.inclusive(phones, case.discovery)
    kept, discarded = case.discovery.where(runs.located), int((~runs.located).sum())
    runs = runs.where(runs.located)
    type_of, texts = types_of(phones.text(), runs)
    silent = phones.labelled(SILENCE)
    spoken_of, spoken = types_of(*_without(phones.text(), silent, runs))
    token_of = _tokens(phones, runs)
    talker = case.talker[kept.file]
    timing = matching.Timing(
        phones.file, case.talker[phones.file], phones.onset_s, phones.offset_s, literal=False
    )
    begins = pairing.exact_stretch_begins(
        ticks(phones.onset_s), ticks(phones.offset_s), phones.file, case.inside
    )
    flat = matching.by_flat_sets(
        repeated_inside(phones, begins, case.inside),
        timing,
        *pairing.distinct_members(kept),
        runs,
        scopes,
    )
    listed = pairing.listed(kept)
    neds = scoped_ned(listed, spoken_of, spoken, talker, scopes)
    countable = case.inside & ~phones.labelled(SILENCE, SPOKEN_NOISE)
    result: dict[TalkerScope, Scores] = {}
    for scope in scopes:
        seen_rows = in_scope(listed, talker, scope)
        seen, seen_runs = kept.where(seen_rows), runs.where(seen_rows)
        token, type_ = segmentation.by_symbols(
            phones, words, seen, [texts[t] for t in type_of[seen_rows].tolist()]
        )
        result[scope] = Scores(
            boundary=segmentation.snapped_edges(phones, words, seen, seen_runs),
            token=token,
            type=type_,
            grouping=grouping.by_flat_sets(
                listed, token_of, type_of, kept.file, kept.onset_s, kept.offset_s, talker, scope
            ),
            matching=flat[scope].rates,
            coverage=coverage.phones_covered(countable, seen_runs.lo, seen_runs.hi),
            ned=ned.mean(neds[scope]),
            counts=counts_of(case, words, seen, discarded, neds[scope]),
        )
    return result


def _without(text: str, drop: Bools, runs: Runs) -> tuple[str, Runs]:
    """A text and its runs without the rows to drop."""
    kept = np.append(0, np.cumsum(~drop))
    thin = "".join(
        character for character, gone in zip(text, drop.tolist(), strict=True) if not gone
    )
    return thin, Runs(kept[runs.lo], kept[runs.hi], runs.located)


def _tokens(phones: Track, runs: Runs) -> Integers:
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
