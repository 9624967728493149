"""Deepgram's JSON: of recordings, and the messages of its streams, one after the other.

    {"metadata": {...}, "results": {"channels": [{"detected_language": "de", "alternatives":
        [{"transcript", "confidence": 0.99, "words": [{"word": "das", "start": 0.0, "end": 0.21,
          "confidence": 0.97, "punctuated_word": "Das"}]}]}],
      "utterances": [{"start", "end", "channel": 0, "confidence", "words": [...]}]}}
    {"type": "Results", "channel_index": [0, 2], "is_final": true, "start": 0.0, "duration": 2.5,
        "channel": {"alternatives": [...]}}                                          a stream
    {"type": "TurnInfo", "event": "EndOfTurn", "audio_window_start", "audio_window_end",
        "transcript", "words": [{"word", "confidence"}]}                         Flux's stream

Utterances are those of the file, else a channel's words cut at pauses of half a second. Several
alternatives of a channel are aligned, weighted by their confidences (`by_confidence`). Channel 0 is
our channel 1. Of a stream the final results and whole turns count; Flux's words have no times: they
share those of the turn. Confidences that are all 0 are ignored. An answer may be inside another
object, under any key; several are recordings, named by their keys.

Source: real answers of nova-2, nova-3 and base models in the public repositories
deepgram/deepgram-go-sdk, pgg1309/deepgram_transcribe, moneybot968/PodTranser and
shahuldxb/Goodcontact (wrapped); streams as the types of deepgram-js-sdk and Deepgram's pages say.
"""

from indexer.formats.shared.json_paths import Words, has_keys, reading
from indexer.formats.shared.reader import FormatReader, ReaderOptions
from indexer.formats.shared.recordings import NumberedUtterances, Span
from indexer.formats.shared.stated import require_transcript, speaker_in, stated_confidence
from indexer.networks.hypotheses import (
    HypothesisWord,
    UtteranceHypothesis,
    at_common_pauses,
    by_confidence,
    rated,
    spoken,
    untimed,
)
from indexer.networks.nonwords import Nonwords
from std.json_fields import Part
from std.nist.audio_names import recording_name
from std.values import Recording

MESSAGES = ("Metadata", "SpeechStarted", "UtteranceEnd", "Connected", "Finalize")
WORDS = Words(optional=True, may_lack_times=True, speakers=True)


def _add(
    utterances: NumberedUtterances, document: Part, recording: Recording, options: ReaderOptions
) -> None:
    for key, answer in (answers := _answers(document)).items():
        several = len(answers) > 1 and options.names != "file"
        where = Recording(recording_name(key), recording.channel) if several else recording
        _answer(utterances, answer, where, options)


def _answer(
    utterances: NumberedUtterances, answer: Part, recording: Recording, options: ReaderOptions
) -> None:
    kind = answer["type"].value
    if answer.has("channel_index") and answer.has("channel"):
        _result(utterances, answer, recording, options.nonwords)
    elif kind == "TurnInfo":
        _turn(utterances, answer, recording, options.nonwords)
    elif kind not in MESSAGES:
        require_transcript(answer, "Deepgram's channels")
        _recording(utterances, answer["results"], recording, options.nonwords)


def _answers(document: Part) -> dict[str, Part]:
    """Return the service's answers without the objects that other programs wrap around them."""
    if document.has("results") or not isinstance(document.value, dict):
        return {"": document}
    inner = {key: document[key] for key in document.value}
    return {key: part for key, part in inner.items() if _is_answer(part)} or {"": document}


def _is_answer(part: Part) -> bool:
    return part.has("results") and part["results"].has("channels")


def _recording(
    utterances: NumberedUtterances, results: Part, recording: Recording, nonwords: Nonwords
) -> None:
    channels = list(results["channels"])
    n_best = [_n_best(channel, nonwords) for channel in channels]
    languages = [_language(channel) for channel in channels]
    parts = list(results.each("utterances"))
    if all(len(best) < 2 for best in n_best) and any(part.has("words") for part in parts):
        for part in parts:
            channel = part["channel"].channel() if part.has("channel") else 0
            utterances.language = languages[channel] if channel < len(languages) else ""
            where = _channel(recording, channel)
            utterances.speaker = speaker_in(part)
            utterances.add(part.line, where, _words(part, nonwords), WORDS.span(part))
        return
    for number, (hypotheses, language) in enumerate(zip(n_best, languages, strict=True)):
        utterances.language = language
        for piece in at_common_pauses(hypotheses):
            utterances.add_n_best(results.line, _channel(recording, number), piece)


def _result(
    utterances: NumberedUtterances, message: Part, recording: Recording, nonwords: Nonwords
) -> None:
    """Add a message of a stream, unless a later one will revise it."""
    if message["is_final"].value is False:
        return
    index = next(iter(message["channel_index"]), None)
    channel = 0 if index is None else index.channel()
    utterances.language = _language(message["channel"])
    start, duration = (message[key].seconds() for key in ("start", "duration"))
    hypotheses = _n_best(message["channel"], nonwords)
    utterances.add_n_best(
        message.line, _channel(recording, channel), hypotheses, Span(start, start + duration)
    )


def _turn(
    utterances: NumberedUtterances, message: Part, recording: Recording, nonwords: Nonwords
) -> None:
    if message["event"].value == "EndOfTurn":
        span = Span(message["audio_window_start"].seconds(), message["audio_window_end"].seconds())
        utterances.add(message.line, recording, _words(message, nonwords), span)


def _channel(recording: Recording, number: int) -> Recording:
    return Recording(recording.file, number + 1) if number else recording


def _language(channel: Part) -> str:
    language = channel.first(("detected_language",))
    for alternative in channel.each("alternatives"):
        language = language or next(alternative.each("languages"), None)
    return language.value if language and isinstance(language.value, str) else ""


def _n_best(channel: Part, nonwords: Nonwords) -> list[UtteranceHypothesis]:
    alternatives = list(channel["alternatives"])
    words = [_words(alternative, nonwords) for alternative in alternatives]
    return by_confidence([stated_confidence(one, 0.0) for one in alternatives], words)


def _words(part: Part, nonwords: Nonwords) -> list[HypothesisWord]:
    words = WORDS.of(part)
    if words:
        return rated(spoken(words, nonwords))
    return untimed(part["transcript"].text(), stated_confidence(part, 0.0) or 1.0, nonwords)


READER = FormatReader(
    name="deepgram",
    title="Deepgram",
    section="cloud-services",
    content="words, n best",
    kinds=("json",),
    looks_like=has_keys(
        "channels alternatives transcript !channel_label",
        "channel_index alternatives",
        "turn_index audio_window_end",
        "err_code err_msg",
    ),
    parse=reading(_add),
    sample=(
        b'{"metadata": {"request_id": "0", "channels": 1}, "results": {"channels": '
        b'[{"alternatives": [{"transcript": "das haus", "words": [{"word": "das", "start": 0.0, '
        b'"end": 0.21, "confidence": 0.97}, {"word": "haus", "start": 0.21, "end": 0.65, '
        b'"confidence": 0.8}]}]}]}}'
    ),
    words=("das", "haus"),
    keys=("results channels alternatives words", "channel_index channel is_final"),
)
