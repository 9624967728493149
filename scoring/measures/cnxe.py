"""Normalised cross entropy (Cnxe): how little information the scores carry about the truth.

    Cnxe = [ P_tar mean(-log2 P(true | llr), targets)
             + (1 - P_tar) mean(-log2 P(false | llr), non-targets) ]  /  H(P_tar)

0 is a perfect system, 1 a system without information; above 1 the scores mislead. P_tar is the
effective prior: costs and prior of the operating point in one number. Every term has as many
trials as there are seconds of speech. Trials without a hit have the hit list's ``default_score``,
or, if it has none, the system's lowest score.

The minimum over affine recalibrations ``gamma * llr + delta`` is a logistic regression with one
input; the isotonic bound allows any recalibration that keeps the order.

Source: MediaEval 2013 Spoken Web Search, system performance measures, equations 22-23 and 32-45.

Cases that the source leaves open:
    no hit at all             no trial has information: Cnxe = minimum = 1
    infinite scores           are taken as the system's highest (lowest) finite score
    fewer trials than hits    undefined (NaN), as without occurrences; `Cnxe.undefined` says why
    separable scores          the minimum is a limit for infinite gamma, which is given
    one distinct score        nothing to recalibrate but a constant: minimum 1, gamma 0
    gamma < 0                 is used if it gives the minimum: low scores then mean targets
"""

from typing import NamedTuple

import numpy as np

from scoring.measures.ranking import ascending_means
from std.values import Bools, Float64s

NAN = float("nan")
MAX_LLR = 36.0  # stands for infinity if no score is finite: beyond it a double's probability is 1
MAX_STEPS = 2000
MAX_HALVINGS = 40
MIN_GAIN = 1e-24  # predicted gain of a Newton step below which the search stops
ROUNDING = 1e-15  # error of a sum of bits: near the minimum the derivatives are more exact


class Cnxe(NamedTuple):
    """Cross entropies as fractions of the prior entropy; NaN where undefined."""

    actual: float
    minimum: float
    gamma: float  # of the best affine recalibration; infinite where scores separate
    delta: float
    isotonic: float
    unlisted: float = 0.0  # the part of ``actual`` that trials without a hit carry
    undefined: str = ""  # why it has no value

    @property
    def calibration_loss(self) -> float:
        """The gain of the best affine recalibration."""
        return self.actual - self.minimum


class _Trials(NamedTuple):
    """Trials by distinct score: the weights of targets and of other trials.

    The weights of each class sum to its prior.
    """

    llr: Float64s  # (n,) ascending
    target: Float64s  # (n,)
    other: Float64s  # (n,)


def effective_prior(prior: float, cost_miss: float, cost_fa: float) -> float:
    """P_tar, equation 23.

    >>> round(effective_prior(0.00015, 100, 1), 10)
    0.0147805094
    """
    miss = cost_miss * prior
    return miss / (miss + cost_fa * (1 - prior))


def from_probabilities(scores: Float64s, p_tar: float) -> Float64s:
    """Log-likelihood ratios of scores that are posterior probabilities, the inverse of equation 35.

    The cross entropy of a hit is then -log2 of its probability.
    """
    with np.errstate(divide="ignore"):
        llr: Float64s = np.log(scores) - np.log1p(-scores) - logit(p_tar)
    return llr


def cross_entropy(
    llr: Float64s,
    paired: Bools,
    targets: int,
    trials: float,
    p_tar: float,
    *,
    lowest: float | None = None,
) -> Cnxe:
    """Cross entropies of a system.

    Args:
        llr: (n,) natural log-likelihood ratios of the hits.
        paired: (n,) the hit is paired with a reference occurrence.
        targets: number of reference occurrences.
        trials: number of all trials, not necessarily whole: terms * trials per second * seconds.
        p_tar: effective prior.
        lowest: score of the trials without a hit; by default the lowest of these hits (equation
            42). A slice of a system's terms takes that of the whole system.

    Raises:
        ValueError: a score is NaN, or the prior is not between 0 and 1.
    """
    if not 0 < p_tar < 1:
        raise ValueError(f"the effective prior must be between 0 and 1, not {p_tar}")
    if np.isnan(llr).any():
        raise ValueError("a score is NaN")
    if not len(llr) and lowest is None:
        return Cnxe(1.0, 1.0, 0.0, 0.0, 1.0)
    undefined = _undefined(paired, targets, trials)
    if undefined:
        return Cnxe(NAN, NAN, NAN, NAN, NAN, undefined=undefined)
    llr = finite(llr)
    missing = float(llr.min()) if lowest is None else lowest
    target, other = np.append(paired, 0.0), np.append(~paired, 0.0)
    target[-1], other[-1] = targets - target.sum(), trials - targets - other.sum()  # equation 42
    weighed = _weigh(
        np.append(llr, missing),
        target * (p_tar / targets),
        other * (1 - p_tar) / (trials - targets),
    )
    unlisted = _Trials(
        np.array([missing]),
        target[-1:] * (p_tar / targets),
        other[-1:] * (1 - p_tar) / (trials - targets),
    )
    prior_entropy = entropy_bits(p_tar)
    minimum, gamma, delta = _minimise(weighed, p_tar)
    return Cnxe(
        _bits(weighed, weighed.llr + logit(p_tar)) / prior_entropy,
        minimum / prior_entropy,
        gamma,
        delta,
        _isotonic_bits(weighed) / prior_entropy,
        _bits(unlisted, unlisted.llr + logit(p_tar)) / prior_entropy,
    )


def _undefined(paired: Bools, targets: int, trials: float) -> str:
    """The reason why these counts have no cross entropy; empty if they have one."""
    right, wrong = int(paired.sum()), int((~paired).sum())
    if targets <= 0:
        return "no term occurs in the reference"
    if right > targets:
        return f"{right} hits are right, of {targets} occurrences"
    if trials <= targets:
        return f"{targets} occurrences in {trials:.6g} trials leave none without one"
    if wrong > trials - targets:
        return f"{wrong} hits are wrong, of {trials - targets:.6g} trials without an occurrence"
    return ""


def finite(llr: Float64s) -> Float64s:
    """Infinite scores as the highest (lowest) finite one."""
    finite = llr[np.isfinite(llr)]
    low, high = (finite.min(), finite.max()) if len(finite) else (-MAX_LLR, MAX_LLR)
    clipped: Float64s = np.clip(llr, low, high)
    return clipped


def _weigh(llr: Float64s, target: Float64s, other: Float64s) -> _Trials:
    """Weights by distinct score."""
    distinct, where = np.unique(llr, return_inverse=True)
    n = len(distinct)
    target = np.bincount(where, target, n).astype(np.float64)
    other = np.bincount(where, other, n).astype(np.float64)
    weighty = target + other > 0  # no trial may be missing
    return _Trials(distinct[weighty], target[weighty], other[weighty])


def _bits(trials: _Trials, log_odds: Float64s) -> float:
    """Cross entropy in bits if the posterior log odds of each score are these."""
    surprise = trials.target * np.logaddexp(0, -log_odds) + trials.other * np.logaddexp(0, log_odds)
    return float(surprise.sum() / np.log(2))


def _minimise(trials: _Trials, p_tar: float) -> tuple[float, float, float]:
    """The least cross entropy in bits over gamma and delta, and these two."""
    if len(trials.llr) == 1:
        return entropy_bits(p_tar), 0.0, 0.0
    limit = _separable(trials)
    if limit is not None:
        return limit
    # Standardised, so that slope and offset are of one size.
    weight = trials.target + trials.other
    centre = float(np.average(trials.llr, weights=weight))
    scale = float(np.sqrt(np.average((trials.llr - centre) ** 2, weights=weight)))
    x = (trials.llr - centre) / scale
    as_it_is = (scale, centre + logit(p_tar))  # gamma 1, delta 0
    slope, offset = min((0.0, logit(p_tar)), as_it_is, key=lambda at: _bits(trials, _line(x, *at)))
    bits = _bits(trials, _line(x, slope, offset))
    for _ in range(MAX_STEPS):
        p = _sigmoid(_line(x, slope, offset))
        residual, curvature = weight * p - trials.target, weight * p * (1 - p)
        # About the mean that the curvature gives, slope and offset do not depend on each other:
        # two divisions instead of a system of equations that rounding can turn around.
        middle = float(np.average(x, weights=curvature)) if curvature.any() else 0.0
        gradient = np.array([residual @ (x - middle), residual.sum()])
        hessian = np.array([curvature @ (x - middle) ** 2, curvature.sum()])
        if not (hessian > 0).all():
            break  # flat to a double
        step = gradient / hessian
        if gradient @ step < MIN_GAIN:
            break
        # A step may change no log odds by much more than the curvature holds for.
        change = float(np.abs(step[0] * (x - middle) + step[1]).max())
        step *= np.log1p(change) / change
        for _halving in range(MAX_HALVINGS):
            at = (slope - step[0], offset - step[1] + step[0] * middle)
            better = _bits(trials, _line(x, *at))
            if better <= bits + ROUNDING:
                break
            step /= 2
        else:
            break  # no step goes down
        (slope, offset), bits = at, better
    gamma = float(slope / scale)
    # Doing nothing is one of the recalibrations: rounding must not make it look better.
    bits = min(bits, _bits(trials, trials.llr + logit(p_tar)))
    return bits, gamma, float(offset - slope * centre / scale - logit(p_tar))


def _line(x: Float64s, slope: float, offset: float) -> Float64s:
    return slope * x + offset


def _separable(trials: _Trials) -> tuple[float, float, float] | None:
    """The limit if one threshold separates targets from others, except trials exactly at it."""
    has_target, has_other = np.flatnonzero(trials.target), np.flatnonzero(trials.other)
    for sign, lowest_target, highest_other in (
        (1.0, has_target[0], has_other[-1]),
        (-1.0, -has_target[-1], -has_other[0]),
    ):
        if lowest_target > highest_other:
            return 0.0, sign * np.inf, NAN
        if lowest_target == highest_other:
            at = abs(int(lowest_target))
            target, other = trials.target[at], trials.other[at]
            bits = (target + other) * entropy_bits(target / (target + other))
            return float(bits), sign * np.inf, NAN
    return None


def _isotonic_bits(trials: _Trials) -> float:
    """Cross entropy in bits under the best recalibration that keeps the order of scores."""
    p = ascending_means(trials.target, trials.target + trials.other)
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.where(trials.target > 0, -trials.target * np.log2(p), 0.0)
        surprise += np.where(trials.other > 0, -trials.other * np.log2(1 - p), 0.0)
    return float(surprise.sum())


def entropy_bits(p: float) -> float:
    """Entropy of a binary choice."""
    return float(-(p * np.log2(p) + (1 - p) * np.log2(1 - p))) if 0 < p < 1 else 0.0


def surprise_bits(log_odds: Float64s, truth: Bools) -> Float64s:
    """Surprise in bits at each outcome, for these posterior log odds."""
    bits: Float64s = np.logaddexp(0, np.where(truth, -log_odds, log_odds)) / np.log(2)
    return bits


def logit(p: float) -> float:
    """Log odds."""
    return float(np.log(p) - np.log1p(-p))


def _sigmoid(x: Float64s) -> Float64s:
    positive = x >= 0
    e = np.exp(np.where(positive, -x, x))
    result: Float64s = np.where(positive, 1 / (1 + e), e / (1 + e))
    return result
