"""The Whisper family's JSON: one best sequence, words with times if they were requested.

    openai-whisper       {"segments": [{"start", "end", "text", "words":
                             [{"word": " das", "start", "end", "probability"}]}]}
    faster-whisper       the same segments, as an object, a list or one per line; words may be
                             rows [start, end, word, probability] (its named tuples as JSON)
    whisperX             ... "words": [{"word", "start", "end", "score"}]; numerals lack times
    whisper-timestamped  ... "words": [{"text", "start", "end", "confidence"}]
    OpenAI's API         {"segments": [...], "words": [...]} (verbose_json), one may be missing;
                             "word_segments" of older whisperX is the same
    transformers         {"chunks": [{"timestamp": [start, end], "text"}]}, words or phrases, and
                             insanely-fast-whisper's, which has "speakers": [{"timestamp",
                             "speaker"}]; or the list of chunks alone; fal's name their "speaker"
    whisper.cpp -oj      {"transcription": [{"offsets": {"from", "to"}, "text"}]}   in ms
    whisper.cpp -ojf     ... "tokens": [{"text": " d", "p": 0.97, "offsets": {"from", "to"}}]
    whisper.cpp server   openai-whisper's, but its words are tokens: they have "t_dtw"

Each segment is an utterance. If words are not in segments, or each segment holds a single word
(whisper.cpp ``-ml 1``), an utterance ends at a pause of half a second. Blanks and punctuation
around words are stripped; remarks such as [Musik] and (laughs) are no words. Words without times
share the gap between their neighbours; the words of a segment without times of words share its time
by letters (``times_estimated``).

whisper.cpp writes tokens, parts of words. A blank before a token begins a new word. Marks such as
[_BEG_] are skipped. A word's probability is the mean of its tokens', without those of punctuation
only; the bytes of one letter may be spread over tokens.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances, Span, recording_for
from indexer.formats.shared.stated import speaker_by_time, speaker_in, stated_language
from indexer.networks.hypotheses import HypothesisWord, bare, by_pauses, spoken, untimed
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents, whole
from std.repairs import UNKNOWN

KEYS = (  # a file of the family has all keys of one of these
    "transcription offsets", "segments text", "segments language", "avg_logprob text",
    "words text language", "chunks timestamp",
)  # fmt: skip
CONFIDENCES = ("probability", "score", "confidence", "conf")  # the last one is LinTO's
WORD_LISTS = ("words", "word_segments")
MS = 1000.0
_CHUNK = re.compile(rb'"timestamp"\s*:\s*\[\s*\d+(\.\d+)?\s*,')

_MARK = re.compile(r"\[_\w+\]")


class _Utterance(NamedTuple):
    start_s: float
    end_s: float
    words: Sequence[HypothesisWord]
    speaker: str = ""  # of words that name no speaker
    language: str = ""  # if it is not that of the document


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is of the Whisper family."""
    return any(all(b'"%b"' % key.encode() in head for key in keys.split()) for keys in KEYS) or (
        b'"text"' in head and _CHUNK.search(head) is not None
    )


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's utterances in order.

    Raises:
        InputError: the file is not JSON, or none of these.
    """
    collected, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document, chunks in _by_kind(
        documents(stream, path, split_letters=True, repairs=options.repairs)
    ):
        everywhere = stated_language(document)
        utterances = _chunks(chunks, options.nonwords) if chunks else None
        for start, end, words, speaker, language in utterances or _utterances(
            document, options.nonwords
        ):
            collected.speaker, collected.language = speaker, language or everywhere
            collected.add(document.line, recording, words, Span(start, end))
    yield collected.collected()


def _by_kind(parts: Iterable[Part]) -> Iterator[tuple[Part, list[Part]]]:
    """Yield each document; successive documents that are chunks are yielded together."""
    for is_chunk, group in groupby(parts, lambda part: part.has("timestamp") and part.has("text")):
        if is_chunk:
            chunks = list(group)
            yield chunks[0], chunks
        else:
            yield from ((document, []) for document in group)


def _utterances(document: Part, nonwords: Nonwords) -> Iterable[_Utterance]:
    if document.has("transcription"):
        return _cpp(list(document["transcription"]), nonwords)
    if document.has("chunks"):
        return _chunks(list(document["chunks"]), nonwords, _turns(document))
    if document.has("start"):
        return [_segment(document, nonwords)]
    words = next(
        (document[key] for key in WORD_LISTS if document.has(key) and document[key].value), None
    )
    if words is not None and not any(segment.has("words") for segment in document.each("segments")):
        return _cut(_words(words, nonwords))
    rows = document["segments"]
    if lacking := next((row for row in rows if row.has("text") and not row.has("start")), None):
        raise lacking["start"].error("a number")  # indexer.formats.readers.timed_text estimates it
    return rows.repairs.rows(rows, lambda segment: _segment(segment, nonwords))


def _segment(segment: Part, nonwords: Nonwords) -> _Utterance:
    start, end = segment["start"].seconds(), segment["end"].seconds()
    words = _words(segment["words"], nonwords) if segment.has("words") else []
    if not words and not (segment.has("words") and segment["words"].value):
        words = untimed(segment["text"].text(), nonwords=nonwords)
    return _Utterance(start, end, words, speaker_in(segment), stated_language(segment))


def _words(part: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    tokens = list(map(_token, part))
    if any(word.has("t_dtw") for word in part):
        return spoken(joined(tokens), nonwords)
    words = (HypothesisWord(token.written.text(), *token[1:]) for token in tokens)
    return spoken(words, nonwords)


class Token(NamedTuple):
    """A piece of text; NaN = time unknown."""

    written: Part
    confidence: float = 1.0
    start_s: float = UNKNOWN
    end_s: float = UNKNOWN
    speaker: str = ""

    @property
    def text(self) -> str:
        """The text without marks; it may end within a letter."""
        value = self.written.value
        return without_marks(value if isinstance(value, str) else self.written.text())


def _token(word: Part) -> Token:
    """Read a word of any of the family but whisper.cpp -ojf."""
    if isinstance(word.value, list) and len(word.value) == 4:
        start, end, written, probability = word
        return Token(written, probability.probability(), start.seconds(), end.seconds())
    written = word["word"] if word.has("word") else word["text"]
    start_s, end_s = (word[key].seconds() if word.has(key) else UNKNOWN for key in ("start", "end"))
    if start_s != start_s or end_s != end_s:  # both or neither
        start_s = end_s = UNKNOWN
    confidence = next((word[key].probability() for key in CONFIDENCES if word.has(key)), 1.0)
    return Token(written, confidence, start_s, end_s, speaker_in(word))


def _cut(words: Sequence[HypothesisWord]) -> Iterator[_Utterance]:
    return (_Utterance(UNKNOWN, UNKNOWN, utterance) for utterance in by_pauses(words))


def _turns(document: Part) -> list[tuple[float, str]]:
    """Starts and speakers of the turns beside chunks."""
    return [
        (start.seconds(), speaker_in(turn))
        for turn in document.each("speakers")
        if turn.has("timestamp")
        for start in list(turn["timestamp"])[:1]
    ]


def _chunks(
    chunks: Sequence[Part], nonwords: Nonwords, turns: Sequence[tuple[float, str]] = ()
) -> Iterable[_Utterance]:
    """Read phrases or words; one without an end lasts until the next, the last one 0 s."""
    texts = [chunk["text"].text() for chunk in chunks]
    spans: list[tuple[float, float]] = []
    following = UNKNOWN
    for chunk in reversed(chunks):
        pair = list(chunk["timestamp"])
        if len(pair) != 2:
            raise chunk["timestamp"].error("a list of 2")
        start = pair[0].seconds()
        end = pair[1].seconds() if pair[1].value is not None else max(start, following)
        spans.append((start, end))
        following = start
    spans.reverse()
    at_time = speaker_by_time(turns)
    speakers = [
        speaker_in(chunk) or at_time(start_s)
        for chunk, (start_s, _) in zip(chunks, spans, strict=True)
    ]
    if any(len(text.split()) > 1 for text in texts):
        return [
            _Utterance(*span, untimed(text, nonwords=nonwords), speaker, stated_language(chunk))
            for chunk, text, span, speaker in zip(chunks, texts, spans, speakers, strict=True)
        ]
    words = (
        HypothesisWord(text, 1.0, *span, speaker)
        for text, span, speaker in zip(texts, spans, speakers, strict=True)
    )
    return _cut(spoken(words, nonwords))


def _cpp(segments: Sequence[Part], nonwords: Nonwords) -> Iterable[_Utterance]:
    wholes = [Token(segment["text"], 1.0, *_offsets(segment)) for segment in segments]
    texts = [whole.text for whole in wholes]
    begin_words = sum(text.startswith(" ") for text in texts)
    if begin_words > 1 and all(len(text.split()) < 2 for text in texts):
        return _cut(spoken(joined(wholes), nonwords))
    return [
        _Utterance(
            whole.start_s,
            whole.end_s,
            spoken(joined(map(_cpp_token, segment["tokens"])), nonwords)
            if segment.has("tokens")
            else untimed(without_marks(whole.written.text()), nonwords=nonwords),
            speaker_in(segment),
        )
        for segment, whole in zip(segments, wholes, strict=True)
    ]


def _cpp_token(token: Part) -> Token:
    span = _offsets(token) if token.has("offsets") else (UNKNOWN, UNKNOWN)
    return Token(token["text"], token["p"].probability() if token.has("p") else 1.0, *span)


def _offsets(part: Part) -> tuple[float, float]:
    start, end = (part["offsets"][key].seconds(MS) for key in ("from", "to"))
    return start, end


READER = FormatReader(
    name="whisper",
    title="Whisper and its family",
    section="whisper-and-its-family",
    content="words",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"text": " Das Haus.", "language": "de", "segments": [{"start": 0.0, "end": 0.65, '
        b'"text": " Das Haus.", "avg_logprob": -0.2, "words": [{"word": " Das", "start": 0.0, '
        b'"end": 0.21, "probability": 0.97}, {"word": " Haus.", "start": 0.21, "end": 0.65, '
        b'"probability": 0.8}]}]}'
    ),
    words=("Das", "Haus"),
    keys=(
        "segments start end text",
        "transcription offsets text",
        "chunks timestamp text",
        "start end words",
        "words start end word",
        "word_segments start end",
    ),
)


def without_marks(text: str) -> str:
    """Remove marks such as [_BEG_] and [_TT_50]."""
    return _MARK.sub("", text)


def joined(tokens: Iterable[Token]) -> list[HypothesisWord]:
    """Make words of tokens, with the punctuation around them.

    Raises:
        InputError: a token has no text, or a letter is incomplete.
    """
    groups: list[list[Token]] = []
    for token in tokens:
        if not token.text.strip() and _MARK.search(token.written.value):
            continue
        if token.text.startswith(" ") or not groups:
            groups.append([])
        groups[-1].append(token)
    return list(map(_word, groups))


def _word(tokens: Sequence[Token]) -> HypothesisWord:
    first = tokens[0].written
    text = Part(first.path, first.line, whole("".join(token.text for token in tokens)), first.where)
    spoken_tokens = [token for token in tokens if bare(token.text)] or tokens
    timed = [token for token in spoken_tokens if token.start_s == token.start_s]
    return HypothesisWord(
        text.text(),
        sum(token.confidence for token in spoken_tokens) / len(spoken_tokens),
        min((token.start_s for token in timed), default=UNKNOWN),
        max((token.end_s for token in timed), default=UNKNOWN),
        next((token.speaker for token in tokens if token.speaker), ""),
    )
