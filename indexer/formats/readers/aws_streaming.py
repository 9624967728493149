"""The events of AWS Transcribe's streams, one after the other or in a list.

    {"TranscriptEvent": {"Transcript": {"Results": [{"ResultId", "StartTime": 0.0, "EndTime": 0.65,
        "IsPartial": false, "ChannelId": "ch_0", "LanguageCode": "de-DE", "Alternatives":
        [{"Transcript": "Das Haus.", "Items": [{"Content": "Das", "StartTime": 0.0, "EndTime": 0.21,
          "Type": "pronunciation", "Confidence": 0.97}]}]}]}}}

``TranscriptEvent`` may be missing, or stand in a ``TranscriptResultStream``. Each result that is
not partial is an utterance; its alternatives are laid side by side, weighted by the geometric mean
of their words' confidences, as those of recordings are (`indexer.formats.readers.aws`). Punctuation
is left out; where there are no items the transcript's words share the result's time. ``ch_0`` is
channel 1.

Source: the API reference of StartStreamTranscription (Result, Alternative, Item), awslabs'
amazon-transcribe-streaming-sdk (``tests/unit/test_deserialize.py``).
"""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from indexer.formats.readers.aws import channel_named, mean_log, named
from indexer.formats.shared.json_paths import has_keys
from indexer.formats.shared.numbered import NO_SPAN, NumberedUtterances, Span
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.stated_language import stated_language
from indexer.networks.hypotheses import HypothesisWord, rated, untimed, weighted
from indexer.networks.nonwords import Nonwords
from indexer.networks.utterances import Utterances
from std.json_fields import Part, documents

WRAPPERS = ("TranscriptResultStream", "TranscriptEvent", "Transcript")


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the final results in order.

    Raises:
        InputError: the file is no JSON, or not of an AWS stream.
    """
    utterances, recording = NumberedUtterances(path, options), recording_for(path, options)
    for document in documents(stream, path, repairs=options.repairs):
        for key in WRAPPERS:
            document = document[key] if document.has(key) else document
        for result in document["Results"]:
            if result["IsPartial"].value is True:
                continue
            where = recording
            if result.has("ChannelId"):
                where = channel_named(recording, result["ChannelId"])
            word_lists = [_words(part, options.nonwords) for part in result.each("Alternatives")]
            utterances.language = stated_language(result)
            hypotheses = weighted([mean_log(words) for words in word_lists], word_lists)
            if len(word_lists) == 1:
                hypotheses = [hypotheses[0]._replace(weight=1.0)]
            utterances.add_n_best(result.line, where, hypotheses, _span(result))
    yield utterances.collected()


def _words(alternative: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    if not alternative.has("Items"):
        return untimed(alternative["Transcript"].text(), nonwords=nonwords)
    words = [
        HypothesisWord(
            named(item["Content"].text(), item),
            item["Confidence"].probability() if item.has("Confidence") else 1.0,
            *_span(item),
        )
        for item in alternative["Items"]
        if item["Type"].value != "punctuation"
    ]
    return rated(words)


def _span(part: Part) -> Span:
    if not part.has("StartTime") or not part.has("EndTime"):
        return NO_SPAN
    return Span(part["StartTime"].seconds(), part["EndTime"].seconds())


READER = FormatReader(
    name="aws-streaming",
    title="AWS Transcribe, streams",
    section="cloud-services",
    content="words, n best",
    kinds=("json",),
    looks_like=has_keys("TranscriptEvent", "TranscriptResultStream", "Results IsPartial"),
    parse=parse,
    sample=(
        b'{"TranscriptEvent": {"Transcript": {"Results": [{"StartTime": 0.0, "EndTime": 0.65, '
        b'"IsPartial": false, "Alternatives": [{"Transcript": "das haus", "Items": [{"Content": '
        b'"das", "StartTime": 0.0, "EndTime": 0.21, "Type": "pronunciation"}, {"Content": '
        b'"haus", "StartTime": 0.21, "EndTime": 0.65, "Type": "pronunciation"}]}]}]}}}'
    ),
    words=("das", "haus"),
    keys=("Results IsPartial Alternatives Items",),
)
