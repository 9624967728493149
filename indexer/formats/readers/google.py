"""Google Speech-to-Text's JSON, v1 and v2, in the spellings of REST and of the client libraries.

    {"results": [{"alternatives": [{"transcript": "das haus", "confidence": 0.92, "words":
        [{"word": "das", "startTime": "1.300s", "endTime": "1.500s", "confidence": 0.9}]}],
        "resultEndTime": "2.0s", "channelTag": 1}]}
    v2                       startOffset, endOffset, resultEndOffset
    client libraries         start_time ...; times as {"seconds": "1", "nanos": 300000000}
    long-running operations  {"done": true, "response": {"results": [...]}}
    v2 batches               {"results": {"gs://.../news.wav": {"transcript": {"results": [...]}}}},
                             the transcript perhaps in an "inlineResult"
    a list of results        without anything around it

Each result is an utterance. Its alternatives are aligned, weighted by their confidence
(equal where none is given; scaled where they sum to more than 1). Usually only the first has
words with times: the others get theirs from the words aligned with them. A single alternative's
words have their own confidence. Only final results of a stream are read. With speakers, v1 repeats
all words: of a result that starts at the beginning again, the words after those of earlier results
are read. A last result that repeats the others, or has no transcript, is read only if the others
lack times of words; then the others are not read.
"""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.readers import riva
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import (
    NO_SPAN,
    NumberedUtterances,
    Span,
    recording_for,
    recording_of,
)
from indexer.formats.shared.stated import (
    require_transcript,
    speaker_in,
    start_left_out,
    stated_confidence,
    stated_language,
)
from indexer.networks.hypotheses import (
    HypothesisWord,
    bare,
    by_confidence,
    spoken,
    turns_of,
    untimed,
)
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents
from std.repairs import UNKNOWN, UNREAD
from std.values import Recording

ENDS = ("resultEndTime", "resultEndOffset", "result_end_time", "result_end_offset")
SPANS = (
    ("startTime", "endTime"),
    ("startOffset", "endOffset"),
    ("start_time", "end_time"),
    ("start_offset", "end_offset"),
)
WRAPPERS = ("response", "inlineResult", "inline_result", "transcript")
SPEAKERS = ("speakerTag", "speaker_tag", "speakerLabel", "speaker_label")
FINAL = ("isFinal", "is_final")
BILLED = ("totalBilledTime", "total_billed_time", "totalBilledDuration", "total_billed_duration")
NANO = 1e-9
NONE = 0.0  # how Google says that there is no confidence


def looks_like(head: bytes) -> bool:
    """Whether JSON with this beginning is Google's."""
    if any(b'"%b"' % key.encode() in head for key in (*ENDS, *BILLED)):
        return not riva.looks_like(head)
    return b"google.cloud.speech" in head or (
        b'"alternatives"' in head and b'"transcript"' in head
        and b'"timestamps"' not in head and b'"word_alternatives"' not in head
        and b'"jobName"' not in head and b'"channels"' not in head and not riva.looks_like(head)
    )  # fmt: skip


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's results in order.

    Raises:
        InputError: the file is not JSON, or not Google's.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    utterances.stem = recording.file
    by_file: dict[str | None, list[Part]] = {}
    for document in documents(stream, path, repairs=options.repairs):
        for file, result in _results(document):
            by_file.setdefault(file, []).append(result)
    everything = [result for results in by_file.values() for result in results]
    is_stream = any(result.first((*FINAL, "stability")) for result in everything)
    said_in: dict[Recording, _Said] = {}
    for file, results in by_file.items():
        name = recording.file if file is None else recording_of(file).file
        if is_stream:
            results = [one for one in results if any(one[key].value is True for key in FINAL)]
        for result in _without_repetition(results):
            tag = result.first(("channelTag", "channel_tag"))
            where = Recording(name, tag.channel() if tag and tag.value else recording.channel)
            before = said_in.setdefault(where, _Said())
            words = [
                _words(alternative, options.nonwords, before.last_s)
                for alternative in result.each("alternatives")
            ]
            words = before.fresh(words, may_repeat=_tells_speakers(result))
            span = Span(*before.span(result))
            utterances.language = stated_language(result)
            if len(words) == 1:
                several = len(turns_of(words[0])) > 1
                utterances.add(result.line, where, words[0], NO_SPAN if several else span)
            elif any(words):
                confidences = [stated_confidence(one, NONE) for one in result["alternatives"]]
                hypotheses = by_confidence(confidences, words)
                utterances.add_n_best(result.line, where, hypotheses, span)
    yield utterances.collected()


class _Said:
    """The times up to which results of a channel have been read."""

    def __init__(self) -> None:
        self.until_s = 0.0  # end of the result before
        self.first_s = math.inf  # of the words before
        self.last_s = 0.0

    def span(self, result: Part) -> tuple[float, float]:
        """Return the result's start and end, UNKNOWN if it has no end or ends too early."""
        written = result.first(ENDS)
        start, end = self.until_s, UNKNOWN if written is None else _time(written)
        self.until_s = end if end == end else start
        return (start, end) if start <= end else (UNKNOWN, UNKNOWN)

    def fresh(
        self, alternatives: list[list[HypothesisWord]], *, may_repeat: bool
    ) -> list[list[HypothesisWord]]:
        """Return the words that earlier results did not have: a result may repeat all words."""
        if may_repeat and any(words and words[0].start_s <= self.first_s for words in alternatives):
            alternatives = [
                [word for word in words if not word.start_s < self.last_s] for words in alternatives
            ]
        timed = [word for words in alternatives for word in words if word.start_s == word.start_s]
        self.first_s = min([self.first_s, *(word.start_s for word in timed)])
        self.last_s = max([self.last_s, *(word.end_s for word in timed)])
        return alternatives


def _results(document: Part, file: str | None = None) -> Iterator[tuple[str | None, Part]]:
    """Yield every result with its file, where it is named."""
    if document.has("alternatives"):
        yield file, document
        return
    document = document.first(WRAPPERS) or document
    if not document.has("results"):
        if document.has("@type") or document.first(BILLED):
            return  # nothing was said
        require_transcript(document, "results of Google")
    results = document["results"]
    if file is None and isinstance(results.value, dict):
        yield from _batch(results)
    else:
        yield from ((file, result) for result in results)


def _batch(results: Part) -> Iterator[tuple[str, Part]]:
    """Yield the results of each file.

    Raises:
        InputError: there are none, or those of a file are missing and repairs are not allowed.
    """
    unread = []
    for name in results.value:
        inner = results[name].first(WRAPPERS)
        if inner is None and not results[name].has("results"):
            unread.append(results[name])
            continue
        inner = inner or results[name]
        inner = inner.first(WRAPPERS) or inner
        yield from ((name, result) for result in inner.each("results"))  # none: nothing was said
    for part in unread:
        problem = part.error("a transcript")
        if len(unread) == len(results.value):
            require_transcript(part, problem.expected)
            raise problem
        part.repairs.note(UNREAD, problem)


def _without_repetition(results: list[Part]) -> list[Part]:
    """Leave out the last result if it repeats the others, or the others if it alone has times."""
    if len(results) < 2 or not _tells_speakers(results[-1]):
        return results
    *others, last = results
    once_more = _transcript([last])
    if once_more and once_more != _transcript(others):
        return results
    timed = any(a["words"].value for result in others for a in result.each("alternatives"))
    return others if timed else [last]


def _transcript(results: list[Part]) -> str:
    """Join the best transcripts of results."""
    best = (next(result.each("alternatives"), None) for result in results)
    return " ".join(one.name(["transcript"]).strip() for one in best if one).strip()


def _tells_speakers(result: Part) -> bool:
    return any(
        word[key].value
        for alternative in result.each("alternatives")
        for word in alternative.each("words")
        for key in SPEAKERS
    )


def _time(part: Part) -> float:
    """Read a time in seconds: ``"1.3s"``, or an object of seconds and nanoseconds."""
    if not isinstance(part.value, dict):
        return part.seconds()
    seconds = part["seconds"].seconds() if part.has("seconds") else 0.0
    return seconds + (NANO * part["nanos"].number() if part.has("nanos") else 0.0)


def _words(alternative: Part, nonwords: Nonwords, before_s: float) -> list[HypothesisWord]:
    confidence = stated_confidence(alternative, NONE) or 1.0
    words: list[HypothesisWord] = []
    for word in alternative.each("words"):
        words.append(_word(word, confidence, before_s))
        before_s = max(before_s, words[-1].end_s)  # as it was, if the word has no end
    if any(bare(word.token) for word in words) or not alternative.has("transcript"):
        return spoken(words, nonwords)
    return untimed(alternative["transcript"].text(), confidence, nonwords)


def _word(word: Part, otherwise: float, before_s: float) -> HypothesisWord:
    times = UNKNOWN, UNKNOWN
    for start, end in SPANS:
        if word.has(end):
            end_s = _time(word[end])
            has_start = word.has(start)
            start_s = _time(word[start]) if has_start else start_left_out(word, end_s, before_s)
            times = start_s, end_s
    return HypothesisWord(
        word["word"].text(), stated_confidence(word, NONE) or otherwise, *times, speaker_in(word)
    )


READER = FormatReader(
    name="google",
    title="Google Speech-to-Text",
    section="cloud-services",
    content="words, n best",
    kinds=("json",),
    looks_like=looks_like,
    parse=parse,
    sample=(
        b'{"results": [{"alternatives": [{"transcript": "das haus", "confidence": 0.9, "words": '
        b'[{"startTime": "0s", "endTime": "0.210s", "word": "das"}, {"startTime": "0.210s", '
        b'"endTime": "0.650s", "word": "haus"}]}], "resultEndTime": "0.700s"}]}'
    ),
    words=("das", "haus"),
    keys=("results alternatives transcript words", "alternatives transcript words"),
)
