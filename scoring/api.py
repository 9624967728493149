"""Functions for notebooks: lists or arrays in, plain results out.

Columns of one list belong together row by row. Terms and files are named by any strings; times
are in seconds. `pandas.DataFrame(terms_table(evaluation))` is a table, if pandas is there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.evaluate import Evaluation, evaluate
from scoring.measures import cnxe, det, precision, twv
from scoring.options import Options
from scoring.report.csv_tables import TERMS_HEADER, term_rows
from std.files import read, read_twice
from std.matching.alignment import align
from std.matching.occurrences import Occurrences
from std.nist import ecf, rttm, std_list, term_list
from std.values import Detections, Recording

Numbers = Sequence[float] | npt.NDArray[Any]
Truths = Sequence[bool] | npt.NDArray[np.bool_]


def score_files(
    hits: str | PathLike[str],
    *,
    ecf_path: str | PathLike[str],
    rttm_path: str | PathLike[str],
    terms_path: str | PathLike[str],
    options: Options | None = None,
    **changes: Any,
) -> Evaluation:
    """Score a hit list, as ``std-score`` does.

    Args:
        hits, ecf_path, rttm_path, terms_path: files, plain or gzip, either NIST dialect.
        options, changes: see `Options`; ``changes`` are its fields by name.

    Raises:
        InputError: a file cannot be read or does not fit the others.

    For example::

        found = score_files("hits.xml", ecf_path="ecf.xml", rttm_path="ref.rttm",
                            terms_path="terms.xml", tolerance_s=1.0)
        found.groups[0].measures["ATWV"]
    """
    options = replace(options or Options(), **changes)
    terms = read(term_list.parse, Path(terms_path))
    excerpts = read(ecf.parse, Path(ecf_path))
    words = partial(rttm.parse, encoding=terms.encoding)
    turns = None
    if options.segments:
        speakers = partial(rttm.parse_turns, encoding=terms.encoding)
        turns, lexemes = read_twice(speakers, words, Path(rttm_path))
    else:
        lexemes = read(words, Path(rttm_path))
    known = {one.term_id for one in terms.terms}
    found = read(partial(std_list.parse, known_terms=known), Path(hits))
    return evaluate(
        excerpts,
        lexemes,
        terms,
        found,
        options,
        turns=turns,
        hits_path=str(hits),
        reference_path=str(rttm_path),
    )


def term_weighted_value(
    *,
    correct: Numbers,
    false_alarms: Numbers,
    targets: Numbers,
    trials: float,
    beta: float = 999.9,
) -> float:
    """TWV of one decision per hit, averaged over the terms that occur.

    TWV = 1 - mean_t [ 1 - correct/targets + beta * false_alarms/(trials - targets) ]

    Args:
        correct, false_alarms, targets: (T,) counts by term.
        trials: per term; one per second of speech by convention.
        beta: cost/value * (1/P(term) - 1); 999.9 for 0.1 and 1e-4.

    Returns:
        1 for a perfect system, 0 for silence, unbounded below.

    Raises:
        ValueError: no term occurs, or one has as many targets as there are trials.

    Source: NIST STD 2006 evaluation plan, section 4.

    >>> term_weighted_value(correct=[399], false_alarms=[20], targets=[500], trials=100_500)
    0.59802
    """
    right, wrong, all_targets = _columns(correct, false_alarms, targets)
    occurs = all_targets > 0
    if not occurs.any():
        raise ValueError("TWV is undefined: none of the terms occurs")
    if (all_targets[occurs] >= trials).any():
        raise ValueError(f"{trials} trials leave no non-target trial for some term")
    p_miss = twv.p_miss(all_targets - right, all_targets)[occurs]
    p_fa = twv.p_fa(wrong, all_targets, trials)[occurs]
    return twv.twv(twv.mean(p_miss), twv.mean(p_fa), beta)


def detection_curve(
    *,
    terms: Sequence[str],
    scores: Numbers,
    correct: Truths,
    targets: Mapping[str, int],
    trials: float,
    beta: float = 999.9,
) -> det.DET:
    """P_miss, P_fa and TWV at every threshold.

    Args:
        terms: (n,) term of each hit.
        scores: (n,) its score, higher is more likely.
        correct: (n,) whether it is paired with a reference occurrence.
        targets: number of reference occurrences by term; terms without hits belong here too.
        trials: per term.

    Returns:
        Points by ascending threshold; `scoring.maximum` gives the best.

    Source: F4DE 3.5.0 (its behaviour).

    >>> from scoring import maximum
    >>> curve = detection_curve(terms=["a", "a", "b"], scores=[0.9, 0.4, 0.7],
    ...                         correct=[True, False, True], targets={"a": 1, "b": 2}, trials=3600)
    >>> curve.p_miss.tolist(), maximum(curve).threshold
    ([0.25, 0.25, 0.5], 0.7)
    """
    index = {name: i for i, name in enumerate(targets)}
    return det.sweep(
        _term_indices(terms, index),
        np.asarray(scores, np.float64),
        np.asarray(correct, np.bool_),
        np.array(list(targets.values()), np.int64),
        trials,
        beta,
    )


def average_precisions(
    *, terms: Sequence[str], scores: Numbers, correct: Truths, targets: Mapping[str, int]
) -> dict[str, float]:
    """Average precision by term; arguments as of `detection_curve`.

    >>> average_precisions(terms=["a", "a"], scores=[0.9, 0.8], correct=[False, True],
    ...                    targets={"a": 2})
    {'a': 0.25}
    """
    index = {name: i for i, name in enumerate(targets)}
    found = precision.average_precision(
        _term_indices(terms, index),
        np.asarray(scores, np.float64),
        np.asarray(correct, np.bool_),
        np.array(list(targets.values()), np.int64),
    )
    return dict(zip(targets, found.tolist(), strict=True))


def normalised_cross_entropy(
    *,
    llr: Numbers,
    correct: Truths,
    targets: int,
    trials: float,
    prior: float = 0.00015,
    cost_miss: float = 100.0,
    cost_fa: float = 1.0,
) -> cnxe.Cnxe:
    """Cnxe, its minimum and the isotonic bound; the default is the point of MediaEval SWS 2013.

    Args:
        llr: (n,) natural log-likelihood ratio of each hit.
        correct: (n,) whether it is paired with a reference occurrence.
        targets: all reference occurrences.
        trials: all trials: terms * trials per second * seconds of speech.

    Raises:
        ValueError: a score is NaN, or costs and prior make no probability.

    Source: MediaEval 2013 SWS performance measures, equations 22-45.

    >>> normalised_cross_entropy(llr=[0, 0], correct=[True, False], targets=2, trials=99).minimum
    1.0
    """
    return cnxe.cross_entropy(
        np.asarray(llr, np.float64),
        np.asarray(correct, np.bool_),
        targets,
        trials,
        cnxe.effective_prior(prior, cost_miss, cost_fa),
    )


class Span(NamedTuple):
    """A hit or a reference occurrence."""

    term: str
    file: str
    start_s: float
    end_s: float
    score: float = 0.0


def pair_hits(
    hits: Sequence[tuple[Any, ...]],
    references: Sequence[tuple[Any, ...]],
    *,
    tolerance_s: float = 0.5,
) -> list[tuple[int | None, int | None]]:
    """Pair hits with reference occurrences one to one, as NIST does.

    Args:
        hits: rows of term, file, start, end (s), score.
        references: rows of term, file, start, end (s).
        tolerance_s: how far outside an occurrence a hit's middle may lie.

    Returns:
        Index pairs (hit, reference): the pairs, then unpaired hits (hit, None), then unpaired
        references (None, reference).

    Source: NIST STD 2006 evaluation plan, section 4.5.1.

    >>> pair_hits([("cat", "f", 1.0, 1.5, 0.9), ("cat", "f", 7.0, 7.5, 0.4)],
    ...           [("cat", "f", 1.1, 1.6), ("dog", "f", 7.0, 7.5)])
    [(0, 0), (1, None), (None, 1)]
    """
    said, spoken = [Span(*row) for row in hits], [Span(*row) for row in references]
    terms = {name: i for i, name in enumerate(dict.fromkeys(one.term for one in said + spoken))}
    files = {name: i for i, name in enumerate(dict.fromkeys(one.file for one in said + spoken))}
    recordings = tuple(Recording(name, 1) for name in files)

    def columns(rows: Sequence[Span]) -> tuple[Any, ...]:
        return (
            np.array([terms[one.term] for one in rows], np.int32),
            np.array([files[one.file] for one in rows], np.int32),
            np.array([one.start_s for one in rows], np.float64),
            np.array([one.end_s for one in rows], np.float64),
        )

    term, file, start_s, end_s = columns(said)
    found = Detections(
        tuple(terms), recordings, term, file, start_s, end_s - start_s,
        np.array([one.score for one in said], np.float64), np.ones(len(said), np.bool_),
    )  # fmt: skip
    term, file, start_s, end_s = columns(spoken)
    word = np.arange(len(spoken), dtype=np.int32)
    expected = Occurrences(recordings, term, file, start_s, end_s, end_s.copy(), word, word.copy())
    alignment = align(found, expected, tolerance_s=tolerance_s)
    reference_of = alignment.occurrence_of.tolist()
    pairs: list[tuple[int | None, int | None]] = [
        (hit, reference) for hit, reference in enumerate(reference_of) if reference >= 0
    ]
    pairs.extend((hit, None) for hit, reference in enumerate(reference_of) if reference < 0)
    pairs.extend((None, i) for i, hit in enumerate(alignment.hit_of.tolist()) if hit < 0)
    return pairs


def terms_table(evaluation: Evaluation) -> dict[str, list[str | int | float]]:
    """The per-term table as columns by name, as `pandas.DataFrame` takes it.

    Returns:
        Group, term id and term are strings, counts integers, measures floats (NaN: undefined).
    """
    rows = list(term_rows(evaluation))
    return {name: [row[i] for row in rows] for i, name in enumerate(TERMS_HEADER)}


def _columns(*columns: Numbers) -> list[npt.NDArray[np.int64]]:
    return [np.asarray(one, np.int64) for one in columns]


def _term_indices(terms: Sequence[str], index: Mapping[str, int]) -> npt.NDArray[np.int32]:
    unknown = next((one for one in terms if one not in index), None)
    if unknown is not None:
        raise ValueError(f"no targets are given for the term {unknown!r}")
    return np.array([index[one] for one in terms], np.int32)
