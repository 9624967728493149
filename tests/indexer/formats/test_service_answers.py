"""Errors, jobs that are not done, and other JSON that is no transcript: what the message says."""

import json

import pytest

from indexer.formats.detect import parse_file
from indexer.formats.shared.stated import what_instead
from std.errors import ForeignFileError, InputError
from std.json_fields import Part
from tests.networks import networks_in

WAITS = "ask the service for the transcript when the job is done"
ANSWERS = [
    # what a service answers, what it is, what to do about it
    ({"id": "0", "status": "queued", "audio_url": "x"}, "a job that is queued", WAITS),
    ({"job": {"id": "0", "status": "running"}}, "a job that is running", WAITS),
    ({"id": "0", "status": "in_progress", "created_on": "x"}, "a job that is in_progress", WAITS),
    ({"self": "x", "status": "NotStarted"}, "a job that is NotStarted", WAITS),
    (
        {"TranscriptionJob": {"TranscriptionJobName": "x", "TranscriptionJobStatus": "COMPLETED"}},
        "a job that is COMPLETED, without words",
        "ask the service for the job's transcript",
    ),
    ({"id": "0", "status": "failed", "failure_detail": "No speech"},
     "an error of the service: No speech", ""),
    ({"error": {"code": "InvalidArgument", "message": "bad locale"}},
     "an error of the service: bad locale", ""),
    ({"error": "Unauthorized"}, "an error of the service: Unauthorized", ""),
    ({"err_code": "X", "err_msg": "Bad Request"}, "an error of the service: Bad Request", ""),
    ({"message": "Error", "type": "x", "reason": "timeout"},
     "an error of the service: timeout", ""),
    ({"result": None, "success": False, "errors": [{"code": 5006, "message": "bad input"}]},
     "an error of the service: bad input", ""),
    ({"detail": {"status": "invalid_api_key", "message": "Invalid API key"}},
     "an error of the service: Invalid API key", ""),
    ({"detail": [{"loc": ["body", "file"], "msg": "field required", "type": "x"}]},
     "an error of the service: field required", ""),
    ({"detail": "Not Found"}, "an error of the service: Not Found", ""),
    ({"name": "7", "metadata": {"@type": "x", "progressPercent": 10}},
     "a job that is running", WAITS),
    ({"name": "7", "metadata": {"@type": "x"}, "done": False}, "a job that is running", WAITS),
    ({"status": "failed", "id": "0"}, "an error of the service: failed", ""),
]  # fmt: skip
NEITHER = [
    {"status": "ok"}, {"status": "running"}, {"reason": "it is late"}, {"state": "Bavaria"},
    {"id": "0", "status": "published"}, {"message": "Error"}, {"error": None, "id": "0"}, [], "x",
    {"errors": []}, {"metadata": {"@type": "x"}, "done": True}, {"detail": 7},
]  # fmt: skip


@pytest.mark.parametrize(("value", "what", "hint"), ANSWERS)
def test_what_it_is_instead(tmp_path, value, what, hint):
    assert what_instead(Part("x", 1, value)) == (what, hint)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    with pytest.raises(InputError) as caught:
        list(networks_in(parse_file(path)))
    assert caught.value.got == what
    assert str(caught.value).endswith(f"{hint}" if hint else f"got {what}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("value", NEITHER, ids=repr)
def test_what_is_neither(value):
    assert what_instead(Part("x", 1, value)) is None


@pytest.mark.parametrize(
    "value",
    [
        {"summary": "Ein Haus.", "chapters": [{"headline": "x"}]},
        [{"start_time": None, "end_time": None, "alternatives": [{"content": "das"}]}],
        {"results": [{"type": "translation", "content": "das Haus"}]},
    ],
)
def test_what_holds_text_is_not_read_as_empty(tmp_path, value):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    with pytest.raises(ForeignFileError, match="recogniser output"):
        list(networks_in(parse_file(path)))
