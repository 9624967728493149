"""What speech services answer instead of a transcript: an error, or that a job is not done.

    what_instead          JSON -> its kind, and how to get a transcript; None where it is neither
    require_transcript    refuses such an answer

Seen: AssemblyAI's ``{"status": "error", "error"}``, Deepgram's ``{"err_code", "err_msg"}``,
Rev.ai's ``{"status": "failed", "failure_detail"}``, Speechmatics' ``{"message": "Error",
"reason"}`` and ``{"job": {"status": "running"}}``, Azure's ``{"error": {"code", "message"}}``,
AWS's ``{"TranscriptionJob": {"TranscriptionJobStatus"}}``, Gentle's ``{"status": "TRANSCRIBING"}``.
"""

from typing import NamedTuple

from std.errors import InputError, cut
from std.json_fields import Part

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
    "err_msg", "error", "error_message", "errorMessage", "failure_detail", "failureMessage",
    "FailureReason", "reason",
)  # fmt: skip
WITHIN = ("message", "Message", "detail", "code")  # what an error is, where it is an object
JOB_KEYS = {  # of which a status has one beside it
    "id", "job_id", "jobId", "self", "request_id", "session_id", "audio_url", "created_on",
    "created_at", "createdDateTime", "TranscriptionJobName", "accountId", "transcript",
}  # fmt: skip
WHEN_DONE = "ask the service for the transcript when the job is done"
ASK_FOR_IT = "ask the service for the job's transcript"
LONGEST_REASON = 60


class Instead(NamedTuple):
    """What stands there instead of a transcript, and what to do about it."""

    what: str
    hint: str = ""


def what_instead(one: Part) -> Instead | None:
    """Tell what an answer without a transcript is."""
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
        raise InputError(one.path, one.line, expected, *instead)


def _what(part: Part) -> Instead | None:
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
    if isinstance(part.value, dict):
        return part.name(WITHIN)
    return part.value if isinstance(part.value, str) else ""
