"""Utterances without names in the file: they get their recording's name and a number.

NumberedUtterances    collects words, or n-best lists, and returns them as `Utterances`
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.builder import NetworkBuilder
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import (
    HypothesisWord,
    UtteranceHypothesis,
    by_pauses,
    speaker_of,
    turns_of,
    write_hypotheses,
    write_words,
)
from indexer.networks.utterances import Utterances
from std.repairs import UNKNOWN
from std.values import Recording


class Span(NamedTuple):
    """Start and end of an utterance in seconds; NaN if unknown."""

    start_s: float = UNKNOWN
    end_s: float = UNKNOWN


NO_SPAN = Span()


class NumberedUtterances:
    """Collects utterances in the order they are added; those without words are left out."""

    def __init__(self, path: Path | str, options: ReaderOptions) -> None:
        self._builder = NetworkBuilder(path, options.characters, options.repairs)
        self._path, self._options = path, options
        self._count = 0
        self.language = ""  # of the utterances that are added from now on
        self.speaker = ""  # of words that name no speaker, in utterances added from now on
        self.stem = ""  # of the utterances' names, if it is not that of their recordings

    def add(
        self,
        line: int,
        recording: Recording,
        words: Sequence[HypothesisWord],
        span: Span = NO_SPAN,
    ) -> None:
        """Add an utterance of one word sequence, or one for each speaker's turn in it.

        Raises:
            InputError: times or posteriors are none.
        """
        turns = turns_of(words)
        for i, said in enumerate(turns if words else []):
            start_s = said[0].start_s if i else span.start_s
            end_s = said[-1].end_s if i < len(turns) - 1 else span.end_s
            self._begin(line, recording, Span(start_s, end_s), said)
            write_words(self._builder, line, said)

    def add_by_pauses(
        self, line: int, recording: Recording, words: Sequence[HypothesisWord]
    ) -> None:
        """Add a long word sequence: an utterance ends at a pause of half a second."""
        for said in by_pauses(words):
            self.add(line, recording, said)

    def add_slots_by_pauses(
        self, line: int, recording: Recording, slots: Sequence[Sequence[HypothesisWord]]
    ) -> None:
        """Add words with their alternatives, best first, as utterances that end in pauses.

        Confidences of competing words are scaled if they sum to more than 1.
        """
        at = 0
        for utterance in by_pauses([words[0] for words in slots]):
            self._begin(line, recording, NO_SPAN, utterance)
            for words in slots[at : at + len(utterance)]:
                total = max(1.0, sum(word.confidence for word in words))
                competing = [UtteranceHypothesis(word.confidence / total, [word]) for word in words]
                if len(words) == 1:
                    write_words(self._builder, line, words)
                else:
                    write_hypotheses(self._builder, line, competing)
            at += len(utterance)

    def add_n_best(
        self,
        line: int,
        recording: Recording,
        hypotheses: Sequence[UtteranceHypothesis],
        span: Span = NO_SPAN,
    ) -> None:
        """Add an utterance of several hypotheses, the best first; of one, as `add` does."""
        if len(hypotheses) == 1:
            self.add(line, recording, hypotheses[0].words, span)
        elif any(hypothesis.words for hypothesis in hypotheses):
            self._begin(line, recording, span, hypotheses[0].words)
            write_hypotheses(self._builder, line, hypotheses)

    def collected(self) -> Utterances:
        """Return what was added.

        Raises:
            InputError: an utterance has words but no times.
        """
        return utterances_of(self._builder.columns(), self._path, nonwords=self._options.nonwords)

    def _begin(
        self, line: int, recording: Recording, span: Span, words: Sequence[HypothesisWord]
    ) -> None:
        self._count += 1
        self._builder.speaker = speaker_of(words) or self.speaker
        self._builder.language = self.language
        name = f"{self.stem or recording.file}-{self._count}"
        self._builder.utterance(line, recording, name, *span)
