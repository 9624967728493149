"""Services' JSON as tables of paths: which documents there are, and where their utterances stand.

    Shape         the utterances of a kind of document, each with its words or its alternatives
    declared      shapes -> the function that parses JSON of them
    reading       a function that adds one document -> the function that parses a file
    has_keys      sets of keys -> the function that tells JSON that has all of one set

The words themselves are `indexer.formats.shared.json_words.Words`. A reader that needs more than a
`Shape` says has code for that, and may take its words by such a table, too.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.json_words import Words
from indexer.formats.shared.numbered import NO_SPAN, NumberedUtterances
from indexer.formats.shared.reader import LooksLike
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.service_answers import require_transcript
from indexer.formats.shared.stated import speaker_in, stated_language
from indexer.networks.hypotheses import UtteranceHypothesis, spoken, weighted
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.values import Recording

ParseJson = Callable[[BinaryIO, Path, ReaderOptions], Iterator[Utterances]]
AddDocument = Callable[[NumberedUtterances, Part, Recording, ReaderOptions], None]


def has_keys(*sets: str) -> LooksLike:
    """Tell JSON that has all keys of one of some sets, each a text with blanks between the keys.

    >>> looks_like = has_keys("words case", "alignedWord")
    >>> looks_like(b'{"alignedWord": 1}'), looks_like(b'{"words": []}')
    (True, False)
    """
    wanted = [[b'"%b"' % key.encode() for key in one.split()] for one in sets]
    return lambda head: any(all(key in head for key in one) for one in wanted)


def reading(add: AddDocument, names: Sequence[str] = ()) -> ParseJson:
    """Return what parses a file, from what adds one of its documents.

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
    """Return what parses a file whose documents have these shapes; the last is that of others."""

    def add(
        utterances: NumberedUtterances,
        document: Part,
        recording: Recording,
        options: ReaderOptions,
    ) -> None:
        shape = next((one for one in shapes if one.when(document)), shapes[-1])
        shape.add(utterances, document, recording, options)

    return reading(add)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The utterances of a kind of document.

    Args:
        words: of an utterance, or of each of its alternatives; None: the document says nothing.
        when: tells documents of this kind.
        at: key of the list of utterances; empty: the document is one.
        expected: what messages call that list, where an answer without it says why it has none.
        alternatives: key of an utterance's alternatives, the best first.
        score: key of an alternative's logarithmic score.
        is_timed: whether an utterance has times, under the keys of its words.
        pauses: whether it is long, and cut where nothing is said for half a second.
        written: whether it is written text: with punctuation, and remarks in brackets.
        channel: key of an utterance's channel, counted from 0.
        languages: whether it, or the document, says its language.
        speakers: whether it says its speaker.
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
            InputError: something is missing, or must not be repaired.
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
