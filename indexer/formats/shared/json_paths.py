"""Tables for services' JSON: the keys of utterances and words.

    Shape         the utterances of a kind of document, each with its words or its alternatives
    declared      shapes -> the function that parses JSON of them
    Words         the keys of the words' texts, times and confidences
    reading       a function that adds one document -> the function that parses a file
    has_keys      sets of keys -> the function that recognises JSON with all keys of one set

A reader that needs more than a `Shape` has code for that, and may still use a table of `Words`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from indexer.formats.shared.reader import DEFAULT, LooksLike, ReaderOptions
from indexer.formats.shared.recordings import NO_SPAN, NumberedUtterances, Span, recording_for
from indexer.formats.shared.stated import (
    require_transcript,
    speaker_in,
    speaker_named,
    stated_language,
)
from indexer.networks.hypotheses import (
    UNNAMED,
    HypothesisWord,
    UtteranceHypothesis,
    spoken,
    weighted,
)
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.ranges import MAX_TIME_S
from std.values import Recording

ParseJson = Callable[[BinaryIO, Path, ReaderOptions], Iterator[Utterances]]
AddDocument = Callable[[NumberedUtterances, Part, Recording, ReaderOptions], None]

Marked = tuple[str, tuple[Any, ...]]  # a key, and values of it
_NUMBERS = (float, int)  # not bool
MOST_LOG = 1e9  # of a log probability, absolute; exponentials of larger ones may overflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The list of an utterance's words, and the meaning of their keys.

    Args:
        at: key of the list.
        optional: whether there may be no such list.
        empty: key of the utterance's text: if that is empty, there are no words.
        text: key of the written word.
        start: key of when it begins.
        end: key of when it ends.
        duration: key of how long it lasts, in place of an end.
        per_second: units of the times in a second.
        whole: name of those units in messages, if times are whole numbers of them.
        may_lack_times: whether start and end may be missing.
        confidence: key of the word's probability, 1 if it is missing.
        log: whether that is its natural logarithm.
        only: a key, and its values in words; other rows are no words.
        skip: a key, and its values in rows that are no words.
        unnamed: a key, and its values in unknown words.
        speakers: whether words say who spoke them.
    """

    at: str = "words"
    optional: bool = False
    empty: str = ""
    text: str = "word"
    start: str = "start"
    end: str = "end"
    duration: str = ""
    per_second: float = 1.0
    whole: str = ""
    may_lack_times: bool = False
    confidence: str = "confidence"
    log: bool = False
    only: Marked | None = None
    skip: Marked | None = None
    unnamed: Marked | None = None
    speakers: bool = False

    def of(self, utterance: Part) -> list[HypothesisWord]:
        """The words of an utterance, as they are written.

        Raises:
            InputError: there is no list of them, or a value is invalid and not repaired.
        """
        if self.empty and utterance.has(self.empty) and not utterance[self.empty].text():
            return []
        if self.optional and not utterance.has(self.at):
            return []
        return self.each(utterance[self.at])

    def each(self, rows: Part) -> list[HypothesisWord]:
        """The words of a list; errors as `of`."""
        if isinstance(rows.value, list):
            words = [self._plain(row) for row in rows.value if self._is_word(row)]
            if all(words):
                return words  # type: ignore[return-value]  # none is None
        return [self.word(row) for row in rows if self._is_word(row.value)]

    def word(self, row: Part) -> HypothesisWord:
        """A word; errors as `of`."""
        return self._plain(row.value) or self._mended(row)

    def _mended(self, row: Part) -> HypothesisWord:
        text, confidence = row[self.text].text(), 1.0
        if self.unnamed and row[self.unnamed[0]].value in self.unnamed[1]:
            text = UNNAMED
        if row.has(self.confidence):
            written = row[self.confidence]
            confidence = written.log_probability() if self.log else written.probability()
        speaker = speaker_in(row) if self.speakers else ""
        return HypothesisWord(text, confidence, *self.span(row), speaker)

    def span(self, row: Part) -> Span:
        """When a word begins and ends, or an utterance with the same keys; errors as `of`."""
        last = self.duration or self.end
        if self.may_lack_times and not (row.has(self.start) and row.has(last)):
            return NO_SPAN
        for key in (self.start, last) if self.whole else ():
            if row[key].number() % 1:
                raise row[key].error(self.whole)
        start_s, last_s = (row[key].seconds(self.per_second) for key in (self.start, last))
        return Span(start_s, start_s + last_s if self.duration else last_s)

    def _is_word(self, row: Any) -> bool:
        if not isinstance(row, dict):
            return True  # `word` refuses it
        if self.only and row.get(self.only[0]) not in self.only[1]:
            return False
        return not (self.skip and row.get(self.skip[0]) in self.skip[1])

    def _plain(self, row: Any) -> HypothesisWord | None:
        """The result of `_mended` for a valid row, as nearly all are."""
        if type(row) is not dict or (self.unnamed and row.get(self.unnamed[0]) in self.unnamed[1]):
            return None
        keys = self.text, self.start, self.duration or self.end, self.confidence
        values: list[Any] = [row.get(key) for key in keys]
        text, start, last, mass = values
        if not (type(text) is str and type(start) in _NUMBERS and type(last) in _NUMBERS):
            return None
        latest = MAX_TIME_S * self.per_second
        if not (0 <= start <= latest and 0 <= last <= latest and is_whole(text)):
            return None
        if self.whole and (start % 1 or last % 1):
            return None
        if mass is None:
            mass = 1.0
        elif type(mass) not in _NUMBERS or not (-MOST_LOG if self.log else 0) <= mass <= 1:
            return None
        elif self.log:
            mass = math.exp(min(0.0, mass))
        speaker = speaker_named(row) if self.speakers else ""
        start_s, last_s = start / self.per_second, last / self.per_second
        end_s = start_s + last_s if self.duration else last_s
        return HypothesisWord(text, float(mass), start_s, end_s, speaker)


def is_whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def has_keys(*sets: str) -> LooksLike:
    """Tell JSON that has all keys of one of some sets, each a text with blanks between the keys.

    A key after ``!`` is none of such JSON.

    >>> looks_like = has_keys("words !case", "alignedWord")
    >>> looks_like(b'{"alignedWord": 1, "case": 1}'), looks_like(b'{"words": [], "case": 1}')
    (True, False)
    """
    wanted = [
        [(not key.startswith("!"), b'"%b"' % key.lstrip("!").encode()) for key in one.split()]
        for one in sets
    ]
    return lambda head: any(all((key in head) is there for there, key in one) for one in wanted)


def reading(add: AddDocument, names: Sequence[str] = ()) -> ParseJson:
    """Return the function that parses a file, given one that adds one of its documents.

    Args:
        add: takes the utterances, the document, its recording and the options.
        names: keys of a document that name its recording.
    """

    def parse(
        stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
    ) -> Iterator[Utterances]:
        utterances = NumberedUtterances(path, options)
        recording = None if names else recording_for(path, options)
        for document in documents(stream, path, repairs=options.repairs):
            where = recording or recording_for(path, options, document.name(names))
            add(utterances, document, where, options)
        yield utterances.collected()

    return parse


def declared(*shapes: "Shape") -> ParseJson:
    """Return the function that parses documents of these shapes; the last one is the default."""

    def add(
        utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
    ) -> None:
        shape = next((one for one in shapes if one.when(document)), shapes[-1])
        shape.add(utterances, document, recording, options)

    return reading(add)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The utterances of a kind of document.

    Args:
        words: the words of an utterance, or of each of its alternatives; None: the document has
            none.
        when: recognises documents of this kind.
        at: key of the list of utterances; empty: the document is one.
        expected: name of that list in messages, if an answer without it gives a reason.
        alternatives: key of an utterance's alternatives, the best first.
        score: key of an alternative's logarithmic score.
        is_timed: whether an utterance has times, under the keys of its words.
        pauses: whether it is long, and cut at pauses of half a second.
        written: whether it is written text: with punctuation, and remarks in brackets.
        channel: key of an utterance's channel, counted from 0.
        languages: whether it, or the document, names its language.
        speakers: whether it names its speaker.
    """

    words: Words | None
    when: Callable[[Part], bool] = lambda _: True
    at: str = ""
    expected: str = ""
    alternatives: str = ""
    score: str = ""
    is_timed: bool = False
    pauses: bool = False
    written: bool = False
    channel: str = ""
    languages: bool = False
    speakers: bool = False

    def add(
        self,
        utterances: NumberedUtterances,
        document: Part,
        recording: Recording,
        options: ReaderOptions,
    ) -> None:
        """Add a document's utterances.

        Raises:
            InputError: a value is missing, or is invalid and not repaired.
        """
        if self.words is None:
            return
        if self.expected and not document.has(self.at or self.words.at):
            require_transcript(document, self.expected)
        for part in document[self.at] if self.at else [document]:
            utterances.speaker = speaker_in(part) if self.speakers else ""
            if self.languages:
                utterances.language = stated_language(part) or stated_language(document)
            index = part.first([self.channel])
            channel = index.channel() if index else 0
            where = Recording(recording.file, channel + 1) if channel else recording
            if self.alternatives:
                utterances.add_n_best(part.line, where, self._n_best(part, options))
                continue
            words = self.words.of(part)
            if self.written:
                words = spoken(words, options.nonwords)
            if self.pauses:
                utterances.add_by_pauses(part.line, where, words)
            else:
                span = self.words.span(part) if self.is_timed else NO_SPAN
                utterances.add(part.line, where, words, span)

    def _n_best(self, part: Part, options: ReaderOptions) -> list[UtteranceHypothesis]:
        assert self.words is not None  # `add` has seen that
        alternatives = list(part[self.alternatives])
        words = [self.words.of(one) for one in alternatives]
        logs = [options.scale * one[self.score].number() for one in alternatives]
        return weighted(logs, words)
