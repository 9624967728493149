"""Builds `indexer.networks.columns.RawUtterances` word by word; each check names its line.

For formats without a bulk parser, and for naming the line of an error that a bulk parser met.
"""

import math
from pathlib import Path

import numpy as np

from indexer.networks.columns import RawUtterances
from std.errors import InputError
from std.limits import MAX_TIME_S, MAX_WORD_S, POSTERIOR_TOLERANCE, SUM_TOLERANCE
from std.values import Recording

UNKNOWN = math.nan


class NetworkBuilder:
    """Collects utterances: `utterance`, then its `slot`s, each with its `word`s."""

    def __init__(self, path: Path | str, characters: bool = False) -> None:
        self.path = path
        self.characters = characters  # whether hypotheses are cut into characters
        self.language = ""  # of the utterances that are begun from now on, where the file says it
        self._languages: list[str] = []
        self._recordings: list[Recording] = []
        self._utterances: list[str] = []
        self._lines: list[int] = []
        self._utterance_spans: list[tuple[float, float]] = []
        self._bounds: list[int] = []
        self._slot_spans: list[tuple[float, float]] = []
        self._epsilons: list[float] = []
        self._offsets: list[int] = []
        self._tokens: list[str] = []
        self._posteriors: list[float] = []
        self._spans: list[tuple[float, float]] = []
        self._mass = 0.0  # of the slot being written

    def utterance(
        self,
        line: int,
        recording: Recording,
        name: str,
        start_s: float = UNKNOWN,
        end_s: float = UNKNOWN,
    ) -> None:
        """Begin an utterance.

        Args:
            line: of the file, for messages.
            recording: that it is part of.
            name: of the utterance.
            start_s, end_s: s; unknown unless the file says them.
        """
        self._check_span(line, start_s, end_s, MAX_TIME_S)
        self._recordings.append(recording)
        self._utterances.append(name)
        self._languages.append(self.language)
        self._lines.append(line)
        self._utterance_spans.append((start_s, end_s))
        self._bounds.append(len(self._epsilons))

    def slot(
        self, line: int, start_s: float = UNKNOWN, end_s: float = UNKNOWN, epsilon: float = 0.0
    ) -> None:
        """Begin a slot of the utterance begun last.

        Args:
            line: of the file, for messages.
            start_s, end_s: s; unknown unless the file says them.
            epsilon: probability that there is no word here.
        """
        self._check_span(line, start_s, end_s, MAX_TIME_S)
        if len(self._epsilons) > self._bounds[-1] and start_s < self._slot_spans[-1][0]:
            before = self._slot_spans[-1][0]
            raise InputError(self.path, line, f"slots in time order, from {before} s", f"{start_s}")
        self._mass = 0.0
        self._add_mass(line, epsilon)
        self._slot_spans.append((start_s, end_s))
        self._epsilons.append(epsilon)
        self._offsets.append(len(self._tokens))

    def word(
        self,
        line: int,
        token: str,
        posterior: float,
        start_s: float = UNKNOWN,
        end_s: float = UNKNOWN,
        *,
        times_line: int = 0,
    ) -> None:
        """Add an alternative to the slot begun last; its times may stand in another line.

        Args:
            line: of the file, for messages.
            token: the word as written.
            posterior: probability of the word in its slot.
            start_s, end_s: s; unknown unless the file says them.
            times_line: line of the times, if they stand in another.
        """
        self._check_span(times_line or line, start_s, end_s, MAX_WORD_S)
        self._add_mass(line, posterior)
        self._tokens.append(token)
        self._posteriors.append(posterior)
        self._spans.append((start_s, end_s))

    def columns(self) -> RawUtterances:
        """Return the utterances collected."""
        ids = {token: i for i, token in enumerate(dict.fromkeys(self._tokens))}
        return RawUtterances(
            recordings=self._recordings,
            utterances=self._utterances,
            lines=np.array(self._lines, dtype=np.int64),
            utterance_spans_s=np.array(self._utterance_spans, dtype=np.float64).reshape(-1, 2),
            bounds=np.array([*self._bounds, len(self._epsilons)], dtype=np.int64),
            slot_spans_s=np.array(self._slot_spans, dtype=np.float64).reshape(-1, 2),
            epsilons=np.array(self._epsilons, dtype=np.float64),
            offsets=np.array([*self._offsets, len(self._tokens)], dtype=np.int64),
            vocabulary=list(ids),
            tokens=np.array([ids[token] for token in self._tokens], dtype=np.int64),
            posteriors=np.array(self._posteriors, dtype=np.float64),
            spans_s=np.array(self._spans, dtype=np.float64).reshape(-1, 2),
            languages=self._languages,
        )

    def _add_mass(self, line: int, posterior: float) -> None:
        if not -POSTERIOR_TOLERANCE <= posterior <= 1 + POSTERIOR_TOLERANCE:
            raise InputError(self.path, line, "a posterior in [0, 1]", f"{posterior:g}")
        self._mass += posterior
        if self._mass > 1 + SUM_TOLERANCE:
            raise InputError(self.path, line, "posteriors summing to 1", f"{self._mass:g}")

    def _check_span(self, line: int, start_s: float, end_s: float, longest_s: float) -> None:
        if math.isnan(start_s) and math.isnan(end_s):
            return
        got = f"{start_s:.3f} to {end_s:.3f}"
        if not 0 <= start_s <= end_s:
            raise InputError(self.path, line, "0 <= start <= end in seconds", got)
        if not end_s <= MAX_TIME_S:
            raise InputError(self.path, line, f"times up to {MAX_TIME_S} s", got)
        if end_s - start_s > longest_s:
            raise InputError(self.path, line, f"a word of at most {longest_s} s", got)
