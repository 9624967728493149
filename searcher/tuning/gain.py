"""The expected gain of tuning, measured on speech that it does not learn from.

    halves          transcribed speech -> two parts of it
    expected_gain   evaluate each half with the model of the other -> `Gain`, and the strength of
                    the pull towards the prior weights (`PULLS`)

The measure is the likelihood of the labels of each term's places (`searcher.calibration.weights`):
with phone confusions and weights of the other half, and with the prior without confusions. The two
searches find different places; a right place that one search lacks counts as its last place.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import NamedTuple

import numpy as np

from searcher.calibration.weights import WEIGHT_RIDGE, Examples, Weights
from searcher.tuning.labels import Phrase, TuningTranscript
from std.errors import ConfigError
from std.values import Excerpt, Float64s

PULLS = tuple(WEIGHT_RIDGE * times for times in (3, 10, 30, 100, 1000))
LOST = -log(1e-3)  # nats for a right place without a hit: less likely hits are left out
DEVIATIONS = 1.64  # of the gain to either side: nine intervals of ten have the gain


@dataclass(frozen=True, slots=True)
class Transcribed:
    """A transcript and its terms."""

    transcript: TuningTranscript  # of the development set; its recordings are the search's table
    terms: Sequence[Phrase]  # further queries, above all phrases
    excerpts: Sequence[Excerpt]  # the transcribed speech


class HeldOut(NamedTuple):
    """A half's examples, and the weights learned from the other half."""

    before: Examples  # searched without confusions
    after: Examples  # searched with those of the other half
    learned: Callable[[float], Weights]  # weights of the other half, by the pull to the prior's


class Gain(NamedTuple):
    """The gain of log likelihood of held-out labels, in nats per right place."""

    nats: float
    low: float  # of an interval that has the gain nine times in ten
    high: float
    pull: float  # to the prior's weights, with which the gain is largest

    def figures(self) -> dict[str, float]:
        """The figures as a model stores them (`Model.tuned_on`)."""
        return {
            "gain": self.nats, "gain_low": self.low, "gain_high": self.high, "pull": self.pull
        }  # fmt: skip

    def require(self) -> None:
        """Refuse a model that is expected to lose.

        Raises:
            ConfigError: the model is expected to lose.
        """
        if self.nats < 0:
            raise ConfigError(
                "expected a model that gains where it was not tuned, got one that loses "
                f"{-self.nats:.3f} nats a right place ({self.low:+.3f} to {self.high:+.3f}); "
                "search without a model, or take it with --even-if-worse"
            )


def halves(transcribed: Transcribed) -> tuple[Transcribed, Transcribed]:
    """Every second recording, and the others; if there is one recording, its two halves."""
    recordings = sorted({one.recording for one in transcribed.excerpts})
    parts: tuple[list[Excerpt], list[Excerpt]] = ([], [])
    for one in transcribed.excerpts:
        if len(recordings) > 1:
            parts[recordings.index(one.recording) % 2].append(one)
        else:
            half_s = one.duration_s / 2
            parts[0].append(replace(one, duration_s=half_s))
            parts[1].append(replace(one, start_s=one.start_s + half_s, duration_s=half_s))
    first, second = (
        replace(transcribed, transcript=transcribed.transcript.inside(part), excerpts=part)
        for part in parts
    )
    return first, second


def expected_gain(held_out: Sequence[HeldOut], prior: Weights) -> Gain:
    """The gain of tuning on speech that it did not learn from."""
    before = np.concatenate([one.before.errors(prior) + _lost(one)[0] for one in held_out])
    right = sum(int(np.maximum(*map(_right, one[:2])).sum()) for one in held_out)
    gains = {
        pull: before
        - np.concatenate([one.after.errors(one.learned(pull)) + _lost(one)[1] for one in held_out])
        for pull in PULLS
    }
    pull = max(gains, key=lambda one: float(gains[one].sum()))
    nats = float(gains[pull].sum()) / right
    error = DEVIATIONS * float(gains[pull].std()) * len(before) ** 0.5 / right
    return Gain(nats, nats - error, nats + error, pull)


def _right(examples: Examples) -> Float64s:
    """(terms,) the number of right places of each term."""
    return np.bincount(examples.term, examples.is_right, examples.n_terms).astype(np.float64)


def _lost(half: HeldOut) -> tuple[Float64s, Float64s]:
    """(terms,) nats for right places that only one of the two searches has: before, after."""
    before, after = _right(half.before), _right(half.after)
    return LOST * np.maximum(after - before, 0.0), LOST * np.maximum(before - after, 0.0)
