"""Functions for notebooks: lists or arrays in, plain results out.

Columns of one list belong together row by row. Terms and files are named by any strings; times
are in seconds. `pandas.DataFrame(terms_table(evaluation))` is a table, if pandas is there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from scoring.evaluate import Evaluation
from scoring.files import read_reference, score_hits
from scoring.matching.counts import Counts
from scoring.measures import cnxe, det, ranking, twv
from scoring.options import ScoringOptions
from scoring.report.csv_tables import TERMS_HEADER, term_rows
from std.errors import StdError
from std.matching.alignment import align
from std.matching.occurrences import Occurrences
from std.nist.rttm import Transcript
from std.values import Bools, Detections, Float64s, Int32s, Recording

Numbers = Sequence[float] | npt.NDArray[Any]
Truths = Sequence[bool] | Bools


def score_files(
    hits: str | PathLike[str],
    *,
    terms_path: str | PathLike[str],
    ecf_path: str | PathLike[str] | None = None,
    rttm_path: str | PathLike[str] | None = None,
    reference: Transcript | None = None,
    probabilities: str | PathLike[str] | None = None,
    encoding: str | None = None,
    options: ScoringOptions | None = None,
    **changes: Any,
) -> Evaluation:
    """Score a hit list, as ``std-score`` does.

    Args:
        hits, terms_path: files, plain or gzip, either NIST dialect.
        ecf_path: the scored speech; None: the speech of the reference.
        rttm_path: the reference transcript.
        reference: a transcript in its place, as `indexer.read_transcript` reads it from other
            files.
        probabilities: a second list of the same hits (``std-search --probabilities``), whose
            numbers are used for Cnxe and calibration.
        encoding: the encoding of the transcript; by default the one that the term list names.
        options, changes: see `ScoringOptions`; ``changes`` are its fields by name.

    Raises:
        InputError: a file cannot be read or does not fit the others.
        StdError: there is no reference, or there are two.

    For example::

        evaluation = score_files("hits.xml", ecf_path="ecf.xml", rttm_path="ref.rttm",
                                 terms_path="terms.xml", tolerance_s=1.0)
        evaluation.groups[0].measures["ATWV"]
    """
    if (rttm_path is None) == (reference is None):
        raise StdError("expected rttm_path or reference, got both or neither")
    options = replace(options or ScoringOptions(), **changes)
    read = read_reference(
        None if ecf_path is None else Path(ecf_path),
        reference or Path(rttm_path or ""),
        Path(terms_path),
        turns=options.segments,
        encoding=encoding,
    )
    second = Path(probabilities) if probabilities is not None else None
    return score_hits(Path(hits), read, options, probabilities_path=second)


def term_weighted_value(
    *, correct: Numbers, false_alarms: Numbers, targets: Numbers, trials: float, beta: float = 999.9
) -> float:
    """TWV of one decision per hit, averaged over the terms that occur.

    TWV = 1 - mean_t [ 1 - correct/targets + beta * false_alarms/(trials - targets) ]

    Args:
        correct, false_alarms, targets: (T,) counts by term.
        trials: per term; one per second of speech by convention.
        beta: cost/value * (1/P(term) - 1); 999.9 for 0.1 and 1e-4.

    Returns:
        1 for a perfect system, 0 for one that returns nothing, unbounded below.

    Raises:
        ValueError: no term occurs, one has as many targets as there are trials, or one has more
            correct hits than targets.

    Source: NIST STD 2006 evaluation plan, section 4.

    >>> term_weighted_value(correct=[399], false_alarms=[20], targets=[500], trials=100_500)
    0.59802
    """
    given = (correct, false_alarms, targets)  # counts, which may be expected ones
    right, wrong, all_targets = (np.asarray(column, np.float64) for column in given)
    occurs = all_targets > 0
    if (right > all_targets).any():
        raise ValueError("some term has more correct hits than targets")
    if not occurs.any():
        raise ValueError("TWV is undefined: none of the terms occurs")
    if (all_targets[occurs] >= trials).any():
        raise ValueError(f"{trials} trials leave no non-target trial for some term")
    p_miss = twv.ratio(all_targets - right, all_targets)[occurs]
    p_fa = twv.ratio(wrong, trials - all_targets)[occurs]
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
        beta: weight of P_fa, cost/value * (1/P(term) - 1).

    Returns:
        Points by ascending threshold; `scoring.maximum` gives the best.

    Raises:
        ValueError: a score is NaN, or a term has no entry in ``targets``.

    Source: F4DE 3.5.0 (its behaviour).

    >>> from scoring import maximum
    >>> curve = detection_curve(terms=["a", "a", "b"], scores=[0.9, 0.4, 0.7],
    ...                         correct=[True, False, True], targets={"a": 1, "b": 2}, trials=3600)
    >>> curve.p_miss.tolist(), maximum(curve).threshold
    ([0.25, 0.25, 0.5], 0.7)
    """
    return det.sweep(*_ranked(terms, scores, correct, targets), trials, beta)


def average_precisions(
    *, terms: Sequence[str], scores: Numbers, correct: Truths, targets: Mapping[str, int]
) -> dict[str, float]:
    """Average precision by term.

    Args:
        terms: (n,) term of each hit.
        scores: (n,) its score, higher is more likely.
        correct: (n,) whether it is paired with a reference occurrence.
        targets: number of reference occurrences by term; terms without hits belong here too.

    Raises:
        ValueError: a score is NaN, or a term has no entry in ``targets``.

    >>> average_precisions(terms=["a", "a"], scores=[0.9, 0.8], correct=[False, True],
    ...                    targets={"a": 2})
    {'a': 0.25}
    """
    by_term = ranking.average_precision(*_ranked(terms, scores, correct, targets))
    return dict(zip(targets, by_term.tolist(), strict=True))


def normalised_cross_entropy(
    *,
    llr: Numbers,
    correct: Truths,
    targets: int,
    trials: float,
    prior: float = 0.00015,
    cost_miss: float = 100.0,
    cost_fa: float = 1.0,
    default: float | None = None,
) -> cnxe.Cnxe:
    """Cnxe, its minimum and the isotonic bound; the default is the point of MediaEval SWS 2013.

    Args:
        llr: (n,) natural log-likelihood ratio of each hit.
        correct: (n,) whether it is paired with a reference occurrence.
        targets: all reference occurrences.
        trials: all trials: terms * trials per second * seconds of speech.
        prior: probability that a trial is a target.
        cost_miss, cost_fa: of a miss and of a false alarm.
        default: log-likelihood ratio of trials without a hit; None: the lowest of the hits.

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
        lowest=default,
    )


class TermSpan(NamedTuple):
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
    hit_spans = [TermSpan(*row) for row in hits]
    reference_spans = [TermSpan(*row) for row in references]
    spans = hit_spans + reference_spans
    terms = {name: i for i, name in enumerate(dict.fromkeys(span.term for span in spans))}
    files = {name: i for i, name in enumerate(dict.fromkeys(span.file for span in spans))}
    recordings = tuple(Recording(name, 1) for name in files)

    def columns(rows: Sequence[TermSpan]) -> tuple[Any, ...]:
        return (
            np.array([terms[span.term] for span in rows], np.int32),
            np.array([files[span.file] for span in rows], np.int32),
            np.array([span.start_s for span in rows], np.float64),
            np.array([span.end_s for span in rows], np.float64),
        )

    term, file, start_s, end_s = columns(hit_spans)
    detections = Detections(
        tuple(terms), recordings, term, file, start_s, end_s - start_s,
        np.array([span.score for span in hit_spans], np.float64), np.ones(len(hit_spans), np.bool_),
    )  # fmt: skip
    term, file, start_s, end_s = columns(reference_spans)
    word = np.arange(len(reference_spans), dtype=np.int32)
    occurrences = Occurrences(
        recordings, term, file, start_s, end_s, end_s.copy(), word, word.copy()
    )
    alignment = align(detections, occurrences, tolerance_s=tolerance_s)
    reference_of = alignment.occurrence_of.tolist()
    pairs: list[tuple[int | None, int | None]] = [
        (hit, reference) for hit, reference in enumerate(reference_of) if reference >= 0
    ]
    pairs.extend((hit, None) for hit, reference in enumerate(reference_of) if reference < 0)
    pairs.extend((None, i) for i, hit in enumerate(alignment.hit_of.tolist()) if hit < 0)
    return pairs


def terms_table(evaluation: Evaluation) -> dict[str, list[str | int | float]]:
    """The per-term table as columns by name, as `pandas.DataFrame` takes it.

    Args:
        evaluation: the evaluation of one system.

    Returns:
        Group, term id and term are strings, counts integers, measures floats (NaN: undefined).
    """
    rows = list(term_rows(evaluation))
    return {name: [row[i] for row in rows] for i, name in enumerate(TERMS_HEADER)}


def _ranked(
    terms: Sequence[str], scores: Numbers, correct: Truths, targets: Mapping[str, int]
) -> tuple[Int32s, Float64s, Bools, Counts]:
    """The term, score and label of each hit, and the targets of each term, as arrays."""
    index = {name: i for i, name in enumerate(targets)}
    unknown = next((term for term in terms if term not in index), None)
    if unknown is not None:
        raise ValueError(f"no targets are given for the term {unknown!r}")
    of_hits = np.asarray(scores, np.float64)
    if np.isnan(of_hits).any():
        raise ValueError("a score is NaN")
    return (
        np.array([index[term] for term in terms], np.int32),
        of_hits,
        np.asarray(correct, np.bool_),
        np.array(list(targets.values()), np.int64),
    )
