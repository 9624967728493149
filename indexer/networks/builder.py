"""Builds `indexer.networks.raw.RawUtterances` word by word; each check names its line.

Used for formats without a bulk parser, and to name the line of an error that a bulk parser found.
Impossible values are repaired by the rules of `std.repairs`, or refused.
"""

from pathlib import Path

import numpy as np

from indexer.networks.raw import RawUtterances
from std.errors import InputError
from std.ranges import MAX_TIME_S, MAX_WORD_S, POSTERIOR_TOLERANCE, SUM_TOLERANCE
from std.repairs import (
    NO_CONFIDENCE,
    OUT_OF_ORDER,
    REFUSED,
    TOO_MUCH,
    UNKNOWN,
    RepairedSpan,
    Repairs,
    span_s,
)
from std.values import Recording


class NetworkBuilder:
    """Collects utterances: `utterance`, then its `slot`s, each with its `word`s."""

    def __init__(
        self, path: Path | str, characters: bool = False, repairs: Repairs = REFUSED
    ) -> None:
        self.path = path
        self._repairs = repairs
        self.characters = characters  # whether hypotheses are cut into characters
        self.language = ""  # of the utterances begun from now on, if the file says it
        self.speaker = ""  # of the utterances begun from now on, if the file names one
        self._languages: list[str] = []
        self._speakers: list[str] = []
        self._recordings: list[Recording] = []
        self._utterances: list[str] = []
        self._lines: list[int] = []
        self._utterance_spans: list[tuple[float, float]] = []
        self._bounds: list[int] = []
        self._slot_spans: list[tuple[float, float]] = []
        self._slot_errors: list[float] = []
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
            line: the line of the file, for messages.
            recording: the recording that contains it.
            name: the name of the utterance.
            start_s, end_s: s; unknown unless the file says them.
        """
        span = self._span(line, start_s, end_s, MAX_TIME_S)
        self._recordings.append(recording)
        self._utterances.append(name)
        self._languages.append(self.language)
        self._speakers.append(self.speaker)
        self._lines.append(line)
        self._utterance_spans.append(span)
        self._bounds.append(len(self._epsilons))

    def slot(
        self,
        line: int,
        start_s: float = UNKNOWN,
        end_s: float = UNKNOWN,
        epsilon: float = 0.0,
        *,
        error_s: float = 0.0,
    ) -> None:
        """Begin a slot of the utterance begun last.

        Args:
            line: the line of the file, for messages.
            start_s, end_s: s; unknown unless the file says them.
            epsilon: probability that there is no word here.
            error_s: how far these times may be off; 0 unless the file says so.

        Raises:
            InputError: ``error_s`` is no time.
        """
        if not 0 <= error_s <= MAX_TIME_S:
            expected = f"an error of times from 0 to {MAX_TIME_S} s"
            raise InputError(self.path, line, expected, f"{error_s:g}")
        span = self._whole_span(line, start_s, end_s, MAX_TIME_S)
        if len(self._epsilons) > self._bounds[-1] and span.start_s < self._slot_spans[-1][0]:
            before = self._slot_spans[-1][0]
            expected = f"slots in time order, from {before} s"
            self._repairs.note(
                OUT_OF_ORDER, InputError(self.path, line, expected, f"{span.start_s}")
            )
            span = RepairedSpan(before, max(before, span.end_s))
        self._mass = 0.0
        self._slot_spans.append(span)
        self._slot_errors.append(error_s)
        self._epsilons.append(self._added_mass(line, epsilon))
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
        """Add an alternative to the slot begun last; its times may be in another line.

        Args:
            line: the line of the file, for messages.
            token: the word as written.
            posterior: probability of the word in its slot.
            start_s, end_s: s; unknown unless the file says them.
            times_line: line of the times, if it is another.
        """
        span = self._whole_span(times_line or line, start_s, end_s, MAX_WORD_S)
        self._posteriors.append(self._added_mass(line, posterior))
        self._tokens.append(token)
        self._spans.append(span)

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
            speakers=self._speakers,
            slot_errors_s=np.array(self._slot_errors) if any(self._slot_errors) else None,
        )

    def _added_mass(self, line: int, posterior: float) -> float:
        if not -POSTERIOR_TOLERANCE <= posterior <= 1 + POSTERIOR_TOLERANCE:
            problem = InputError(self.path, line, "a posterior in [0, 1]", f"{posterior:g}")
            self._repairs.note(NO_CONFIDENCE, problem)
            posterior = max(0.0, 1.0 - self._mass)
        self._mass += posterior
        if self._mass > 1 + SUM_TOLERANCE:
            problem = InputError(self.path, line, "posteriors summing to 1", f"{self._mass:g}")
            self._repairs.note(TOO_MUCH, problem)
        return posterior

    def _span(self, line: int, start_s: float, end_s: float, longest_s: float) -> RepairedSpan:
        return span_s(start_s, end_s, longest_s, (self.path, line), self._repairs)

    def _whole_span(
        self, line: int, start_s: float, end_s: float, longest_s: float
    ) -> RepairedSpan:
        """Times of a slot or a word; one of unknown end has no length."""
        if 0 <= start_s <= end_s <= MAX_TIME_S and end_s - start_s <= longest_s:
            return RepairedSpan(start_s, end_s)  # as nearly always
        span = self._span(line, start_s, end_s, longest_s)
        return span if span.end_s == span.end_s else RepairedSpan(span.start_s, span.start_s)
