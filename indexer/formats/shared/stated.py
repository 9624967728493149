"""Facts beside the words in the JSON of recognisers and services, in the spellings of all.

speaker_in            the speaker: under many keys, as a name or a number
speaker_by_time       turns -> the function from a time to the speaker of the turn
stated_confidence     the probability of a word or an utterance
stated_language       the recognised language; a hint: a value that is no text is ignored
start_left_out        the start of a word that is 0 and left out, as protocol buffers are written
what_instead          what an answer is that has no transcript: an error, or a job that is not done
require_transcript    refuses such an answer

Looked up in the documentation of the services and in the samples of their readers' tests:

    whisper      "language": "de" or "german"; whisper.cpp: "result": {"language": "de"}
    aws          "results": {"language_code": "de-DE"}; analytics: "LanguageCode"
    azure        "locale": "de-DE"; the SDK: "PrimaryLanguage": {"Language": "de-DE"}
    google       "languageCode": "de-de"
    RunPod       "detected_language": "de"; Cloudflare: "transcription_info": {"language": "de"}
    assemblyai   "language_code": "en_us"; elevenlabs: "deu"
    our JSONL    "language": "de"

Seen as answers: AssemblyAI's ``{"status": "error", "error"}``, Deepgram's ``{"err_code",
"err_msg"}``, Rev.ai's ``{"status": "failed", "failure_detail"}``, Speechmatics' ``{"message":
"Error", "reason"}`` and ``{"job": {"status": "running"}}``, Azure's ``{"error": {"code",
"message"}}``, AWS's ``{"TranscriptionJob": {"TranscriptionJobStatus"}}``, Gentle's ``{"status":
"TRANSCRIBING"}``, Cloudflare's ``{"errors": [{"message"}]}``, ElevenLabs' ``{"detail":
{"message"}}``, Google's ``{"name", "metadata": {"@type"}}``, an operation that is not done.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from std.errors import InputError, Unquoted, cut
from std.json_fields import Part
from std.repairs import NO_START

SPEAKER_KEYS = (
    "speaker_name", "speakerName", "display_name", "speaker", "speakerId", "speaker_id",
    "speaker_label", "speakerLabel", "speakerTag", "speaker_tag", "SpeakerId", "spk", "spk_id",
    "Speaker", "ParticipantRole", "ParticipantId", "participant",
)  # fmt: skip
_KNOWN = frozenset(SPEAKER_KEYS)
NAME_KEYS = ("name", "displayName", "label", "id")  # if a speaker is an object
NO_NAME = "unknown"  # how vosk-transcriber calls all

LANGUAGE_KEYS = (
    "language",
    "language_code",
    "LanguageCode",
    "languageCode",
    "locale",
    "Locale",
    "Language",
    "detected_language",
)
WITHIN = ("result", "results", "PrimaryLanguage", "transcription_info")
_ANYWHERE = frozenset((*LANGUAGE_KEYS, *WITHIN))


def speaker_in(part: Part) -> str:
    """Return the speaker of a word or an utterance; empty if it names none.

    >>> [speaker_in(Part("a", 1, one)) for one in ({"speaker": 0}, {"speaker": {"name": "Ada"}})]
    ['0', 'Ada']
    """
    return speaker_named(part.value)


def speaker_named(value: Any) -> str:
    """The speaker that an object of JSON names; empty without one."""
    if not isinstance(value, dict) or _KNOWN.isdisjoint(value):
        return ""
    return next((name for key in SPEAKER_KEYS if (name := _name(value.get(key)))), "")


def _name(value: Any) -> str:
    if isinstance(value, dict):
        return next((name for key in NAME_KEYS if (name := _name(value.get(key)))), "")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    named = value.strip(" ?") if isinstance(value, str) else ""  # whisper.cpp: "?" if in doubt
    return "" if named == NO_NAME else named


def speaker_by_time(turns: Iterable[tuple[float, str]]) -> Callable[[float], str]:
    """Return the function from a time to the speaker of the last turn that has begun by then.

    >>> speaker = speaker_by_time([(2.0, "Bob"), (0.5, "Ada")])
    >>> speaker(0.4), speaker(1.9), speaker(2.0)
    ('', 'Ada', 'Bob')
    """
    starts_s, speakers = [*zip(*sorted(turns), strict=True)] or ((), ())
    return lambda at_s: speakers[at - 1] if (at := bisect_right(starts_s, at_s)) else ""


def stated_confidence(part: Part, otherwise: float = 1.0, key: str = "confidence") -> float:
    """The probability under a key; another value if there is none.

    Raises:
        InputError: it is no probability, and repairs are not allowed.
    """
    return part[key].probability() if part.has(key) else otherwise


def start_left_out(word: Part, end_s: float, before_s: float) -> float:
    """The start of a word without one, in seconds: 0, if that is possible.

    Args:
        word: as written.
        end_s: its end.
        before_s: the end of the word before; 0 of the first.

    Raises:
        InputError: it cannot be 0, and repairs are not allowed.
    """
    if not 0 < before_s < end_s:
        return 0.0
    word.repairs.note(NO_START, word.error("a word with its start"))
    return before_s


def stated_language(part: Part) -> str:
    """The name or code of a language as written; empty if there is none."""
    if not isinstance(part.value, dict) or _ANYWHERE.isdisjoint(part.value):
        return ""
    for key in LANGUAGE_KEYS:
        if part.has(key) and isinstance(part[key].value, str):
            return str(part[key].value).strip()
    for key in WITHIN:
        if part.has(key) and isinstance(part[key].value, dict) and (language := _own(part[key])):
            return language
    return ""


def _own(part: Part) -> str:
    return next(
        (str(part[key].value).strip() for key in LANGUAGE_KEYS if isinstance(part[key].value, str)),
        "",
    )


JOBS = ("job", "TranscriptionJob", "transcript")
STATUSES = ("status", "state", "TranscriptionJobStatus")
WAITING = (
    "queued", "processing", "running", "in_progress", "in-progress", "inprogress", "submitted",
    "notstarted", "not_started", "pending", "transcribing", "uploaded", "uploading", "started",
    "accepted", "encoding",
)  # fmt: skip
FAILED = ("error", "failed", "failure", "rejected", "cancelled", "canceled", "quarantined")
DONE = ("completed", "complete", "done", "succeeded", "finished", "transcribed", "processed")
REASONS = (
    "err_msg", "error", "error_message", "errorMessage", "errors", "failure_detail",
    "failureMessage", "FailureReason", "detail", "reason",
)  # fmt: skip
_OF_ERRORS = (
    "message",
    "Message",
    "msg",
    "detail",
    "code",
)  # what an error is, where it is an object
JOB_KEYS = {  # of which a status has one beside it
    "id", "job_id", "jobId", "self", "request_id", "session_id", "audio_url", "created_on",
    "created_at", "createdDateTime", "TranscriptionJobName", "accountId", "transcript",
}  # fmt: skip
WHEN_DONE = "ask the service for the transcript when the job is done"
ASK_FOR_IT = "ask the service for the job's transcript"
LONGEST_REASON = 60


class Instead(NamedTuple):
    """The content of an answer without a transcript, and what to do about it."""

    what: str
    hint: str = ""


def what_instead(one: Part) -> Instead | None:
    """Return the kind of an answer without a transcript."""
    inner = (one[key] for key in JOBS if one.has(key) and isinstance(one[key].value, dict))
    return next(filter(None, map(_what, (one, *inner))), None)


def require_transcript(one: Part, expected: str) -> None:
    """Refuse an answer that is an error or a job's state.

    Args:
        one: a document in which a reader has found no words.
        expected: what the reader looks for.

    Raises:
        InputError: it is one of them.
    """
    if instead := what_instead(one):
        raise InputError(one.path, one.line, expected, Unquoted(instead.what), instead.hint)


def _what(part: Part) -> Instead | None:
    is_operation = part.has("metadata") and part["metadata"].has("@type")
    if is_operation and not (part.has("done") and part["done"].value):
        return Instead("a job that is running", WHEN_DONE)
    written = part.first(STATUSES)
    status = written.value if written and isinstance(written.value, str) else ""
    folded = status.lower().replace(" ", "_")
    reason = next(filter(None, (_reason(part[key]) for key in REASONS if part.has(key))), "")
    if folded in FAILED or (reason and _is_error(part)):
        return Instead(f"an error of the service: {cut(reason or status, LONGEST_REASON)}")
    if not status or not JOB_KEYS & {*part.value}:
        return None
    if folded in WAITING:
        return Instead(f"a job that is {status}", WHEN_DONE)
    return Instead(f"a job that is {status}, without words", ASK_FOR_IT) if folded in DONE else None


def _is_error(part: Part) -> bool:
    is_message = part["message"].value == "Error"  # Speechmatics' stream
    return is_message or any(part.has(key) for key in REASONS if key != "reason")


def _reason(part: Part) -> str:
    if isinstance(part.value, list):
        return next(filter(None, map(_reason, part)), "")
    if isinstance(part.value, dict):
        return part.name(_OF_ERRORS)
    return part.value if isinstance(part.value, str) else ""
