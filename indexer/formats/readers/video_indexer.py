"""Azure Video Indexer's JSON: the transcript in the insights of a video, API 2 and 1.

    {"name", "videos": [{"state": "Processed", "sourceLanguage": "de-DE", "insights":
        {"transcript": [{"text": "Das Haus.", "confidence": 0.9, "language": "de-DE",
            "instances": [{"start": "0:00:00.5", "end": "0:00:01.65"}]}]}}]}
    {"breakdowns": [{"insights": {"transcriptBlocks": [{"lines": [{"text": "Das Haus.",
        "confidence": 0.9, "timeRange": {"start": "00:00:00", "end": "00:00:01.6500000"}}]}]}}]}

Each line is an utterance; its words share its time and its confidence. ``start`` counts in the
video; ``adjustedStart`` counts in a playlist and is not read. The language is the line's, which in
a translated index is not the spoken one. A recording is named after the video, in a playlist by the
video's id. A video that is not processed yet is refused; one without speech has no transcript.

Source: microsoft/Video-Indexer-Processor (API 2), MasterGunner/Vindexer-Test (API 1), the service's
pages in MicrosoftDocs/azure-video-indexer.
"""

import re
from collections.abc import Iterator

from indexer.formats.shared.json_paths import has_keys, reading
from indexer.formats.shared.reader import FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances, Span, recording_of
from indexer.formats.shared.stated import require_transcript, speaker_in, stated_confidence
from indexer.networks.hypotheses import untimed
from std.json_fields import Part
from std.values import Recording

VIDEOS = ("videos", "breakdowns")
_TIME = re.compile(r"(\d{1,3}):(\d\d):(\d\d(?:\.\d+)?)")


def _add(
    utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
) -> None:
    videos = list(document.first(VIDEOS) or ())
    for video in videos or [document]:
        insights = video["insights"] if video.has("insights") else video
        if not (insights.has("transcript") or insights.has("transcriptBlocks")):
            _require_processed(video, document)
        where = recording_of(video["id"].text()) if len(videos) > 1 else recording
        _video(utterances, video, insights, where, options)


def _require_processed(video: Part, index: Part) -> None:
    """Refuse a file without a transcript, unless it is a processed video without speech."""
    if video.has("insights") and video.name(["state"]) == "Processed":
        return
    for part in (video, index):
        require_transcript(part, "Video Indexer's transcript")
    raise index.error("insights with a transcript")


def _video(
    utterances: NumberedUtterances,
    video: Part,
    insights: Part,
    recording: Recording,
    options: ReaderOptions,
) -> None:
    spoken_language = insights.name(["language"]) or video.name(["language", "sourceLanguage"])
    names = {
        str(one["id"].value): one.name(["name"])
        for one in insights.each("speakers")
        if one.name(["name"])
    }
    for line, time in _lines(insights):
        sure = stated_confidence(line, 0.0) or 1.0
        words = untimed(line["text"].text(), sure, options.nonwords)
        utterances.language = line.name(["language"]) or spoken_language
        utterances.speaker = names.get(speaker_in(line), speaker_in(line))
        utterances.add(line.line, recording, words, Span(_time(time["start"]), _time(time["end"])))


def _lines(insights: Part) -> Iterator[tuple[Part, Part]]:
    """Yield the lines, each with the place of its times."""
    for line in insights.each("transcript"):
        yield from ((line, instance) for instance in line["instances"])
    for block in insights.each("transcriptBlocks"):
        yield from ((line, line["timeRange"]) for line in block.each("lines"))


def _time(part: Part) -> float:
    """Read ``0:01:02.5``, in seconds."""
    found = _TIME.fullmatch(part.value) if isinstance(part.value, str) else None
    if not found:
        raise part.error("a time such as 0:01:02.5")
    hours, minutes, seconds = map(float, found.groups())
    return 3600 * hours + 60 * minutes + seconds


READER = FormatReader(
    name="video-indexer",
    title="Azure Video Indexer",
    section="cloud-services",
    content="text of lines",
    kinds=("json",),
    looks_like=has_keys(
        "summarizedInsights",
        "transcriptBlocks",
        "adjustedStart",
        "insights videos",
        "insights breakdowns",
    ),
    parse=reading(_add, names=("name",)),
    sample=(
        b'{"name": "x.mp4", "videos": [{"state": "Processed", "insights": {"transcript": '
        b'[{"text": "Das Haus.", "confidence": 0.9, "instances": [{"adjustedStart": "0:00:00", '
        b'"start": "0:00:00", "end": "0:00:00.65"}]}]}}]}'
    ),
    words=("Das", "Haus"),
    keys=("videos insights transcript", "transcriptBlocks lines timeRange"),
)
