"""Recordings on a cluster: the same files as here, and what becomes of a run that ends early."""

from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from recogniser import cluster, processes, recognise_files
from recogniser.options import RecognitionOptions
from recogniser.processes import Failed, OutputSettings, Stopping
from recogniser.recording import RecordingReport, StoppedError, Task
from std.errors import StdError
from std.execution.cost import paid
from std.execution.stop import check_stop
from std.execution.workers import Workers
from tests.recogniser.conftest import write_speech
from tests.recogniser.test_recording import Echo

pytest.importorskip("av", reason="needs the extra 'whisper' or 'pocketsphinx' (PyAV)")


class EndedError(Exception):
    """Several workers ended at a piece of work."""


def submit(function, item):
    """What a worker does, done at once."""
    future = Future()
    try:
        future.set_result(paid(function, item))
    except Exception as error:  # whatever the work raises
        future.set_exception(error)
    return future


@pytest.fixture(autouse=True)
def workers(monkeypatch):
    """One worker, in this process, and its recogniser."""

    @contextmanager
    def there(address):
        assert address == "tcp://there:1"
        yield Workers(1, submit, (EndedError,), (EndedError,), reason=lambda error: str(error))

    monkeypatch.setattr(cluster, "cluster", there)
    monkeypatch.setattr(processes, "open_backend", lambda options, gpu: Echo())
    cluster._work.cache_clear()
    yield
    cluster._work.cache_clear()


def run(tasks, *, stopping=None, options=None):
    options = options or RecognitionOptions()
    return cluster.run_there(tasks, options, "tcp://there:1", stopping or Stopping())


def test_the_files_are_those_of_a_run_here(tmp_path, monkeypatch):
    speech = write_speech(tmp_path / "speech.wav", np.zeros_like)
    (tmp_path / "broken.mp3").write_bytes(b"no audio" * 99)
    (tmp_path / "here").mkdir()
    processes.RecordingWork(RecognitionOptions(), 0)(
        Task(speech, "speech", tmp_path / "here"), lambda seconds: None, lambda: False
    )
    monkeypatch.chdir(tmp_path)
    given = ["speech.wav", "broken.mp3"]
    report = recognise_files(given, "there", scheduler="tcp://there:1")
    assert [one.file for one in report.recordings] == ["speech"]
    (failure,) = report.failures
    assert f"{tmp_path}/broken.mp3: expected audio" in failure
    assert (tmp_path / "there/speech.jsonl").read_bytes() == (
        tmp_path / "here/speech.jsonl"
    ).read_bytes()
    again = recognise_files(given[:1], "there", scheduler="tcp://there:1")
    assert [one.file for one in again.already] == ["speech"]


def test_a_recording_at_which_workers_end_is_named_and_the_others_go_on(tmp_path, monkeypatch):
    def recognised(self, task, progress, stop):
        if task.name == "second":
            raise EndedError("4 ended")
        return RecordingReport(task.name)

    monkeypatch.setattr(processes.RecordingWork, "__call__", recognised)
    tasks = [Task(tmp_path / name, name, tmp_path) for name in ("first", "second", "third")]
    settings, *events = run(tasks)
    assert isinstance(settings, OutputSettings)
    assert events[1] == Failed("second", f"{tmp_path}/second: no worker finished it: 4 ended")
    assert [one.file for one in (events[0], events[2])] == ["first", "third"]


def test_workers_with_another_recogniser_are_refused(tmp_path):
    tasks = [Task(tmp_path / "speech.wav", "speech", tmp_path)]
    events = run(tasks)
    next(events)
    cluster._work(RecognitionOptions())._recogniser.identity = {"model": "another"}
    with pytest.raises(StdError, match=r"the same recogniser, .*echo.*, got .*another"):
        next(events)


def test_a_stopped_run_ends_and_the_work_notices(tmp_path, monkeypatch):
    stopping = Stopping()

    def recognised(self, task, progress, stop):
        stopping.wanted = True
        assert not stop()

    monkeypatch.setattr(processes.RecordingWork, "__call__", recognised)
    tasks = [Task(tmp_path / "speech.wav", "speech", tmp_path)]
    with pytest.raises(StoppedError):
        list(run(tasks, stopping=stopping))
    check_stop()  # it ended with the run


def test_workers_get_absolute_paths(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    options = RecognitionOptions(model="model", encoder="small", sound="signs")
    wanted = replace(options, model=f"{tmp_path}/model")
    assert cluster._with_absolute_paths(options) == wanted


def test_what_another_process_finished_meanwhile_stays(tmp_path):
    """The one whose lock this one waited for, of a run that was killed."""
    from recogniser import folder

    with folder.unfinished(tmp_path, "speech", 1) as (stream, _):
        (tmp_path / "speech.jsonl.part").rename(tmp_path / "speech.jsonl")
        folder.finish(tmp_path, "speech", stream)
    assert [path.name for path in tmp_path.iterdir()] == ["speech.jsonl"]
