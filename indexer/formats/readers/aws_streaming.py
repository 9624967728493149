"""The events of AWS Transcribe's streams, one after the other or in a list.

    {"TranscriptEvent": {"Transcript": {"Results": [{"ResultId", "StartTime": 0.0, "EndTime": 0.65,
        "IsPartial": false, "ChannelId": "ch_0", "LanguageCode": "de-DE", "Alternatives":
        [{"Transcript": "Das Haus.", "Items": [{"Content": "Das", "StartTime": 0.0, "EndTime": 0.21,
          "Type": "pronunciation", "Confidence": 0.97}]}]}]}}}

``TranscriptEvent`` may be missing, or stand in a ``TranscriptResultStream``. Each result that is
not partial is an utterance; its alternatives are aligned, weighted by the geometric mean of their
words' confidences, as those of recordings are (`indexer.formats.readers.aws`). Punctuation is left
out; without items, the transcript's words share the result's time. ``ch_0`` is channel 1.

Source: the API reference of StartStreamTranscription (Result, Alternative, Item), awslabs'
amazon-transcribe-streaming-sdk (``tests/unit/test_deserialize.py``).
"""

from indexer.formats.readers.aws import channel_named, mean_log, named
from indexer.formats.shared.json_paths import Words, has_keys, reading
from indexer.formats.shared.reader import FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances
from indexer.formats.shared.stated import speaker_in, stated_confidence, stated_language
from indexer.networks.hypotheses import HypothesisWord, rated, untimed, weighted
from indexer.networks.nonwords import Nonwords
from std.json_fields import Part
from std.values import Recording

TIMES = Words(start="StartTime", end="EndTime", may_lack_times=True)
WRAPPERS = ("TranscriptResultStream", "TranscriptEvent", "Transcript")


def _add(
    utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
) -> None:
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
        utterances.add_n_best(result.line, where, hypotheses, TIMES.span(result))


def _words(alternative: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    if not alternative.has("Items"):
        return untimed(alternative["Transcript"].text(), nonwords=nonwords)
    words = [
        HypothesisWord(
            named(item["Content"].text(), item),
            stated_confidence(item, key="Confidence"),
            *TIMES.span(item),
            speaker_in(item),
        )
        for item in alternative["Items"]
        if item["Type"].value != "punctuation"
    ]
    return rated(words)


READER = FormatReader(
    name="aws-streaming",
    title="AWS Transcribe, streams",
    section="cloud-services",
    content="words, n best",
    kinds=("json",),
    looks_like=has_keys("TranscriptEvent", "TranscriptResultStream", "Results IsPartial"),
    parse=reading(_add),
    sample=(
        b'{"TranscriptEvent": {"Transcript": {"Results": [{"StartTime": 0.0, "EndTime": 0.65, '
        b'"IsPartial": false, "Alternatives": [{"Transcript": "das haus", "Items": [{"Content": '
        b'"das", "StartTime": 0.0, "EndTime": 0.21, "Type": "pronunciation"}, {"Content": '
        b'"haus", "StartTime": 0.21, "EndTime": 0.65, "Type": "pronunciation"}]}]}]}}}'
    ),
    words=("das", "haus"),
    keys=("Results IsPartial Alternatives Items",),
)
