"""Search processes give the answers of the service's threads, and are not missed when they die."""

import asyncio
import os
import re
import signal
import threading
import warnings
from dataclasses import replace

import pytest

from indexer import index_files
from service import processes
from service.problems import ProblemError
from service.processes import Question, SearchProcesses
from service.searching import Wish
from service.settings import Limits, Settings
from std.errors import StoreError, StoreWarning
from std.numbers import written
from tests.service.served import meshes, wait_for


def answer(client, **query):
    return re.sub(rb'"elapsed_ms":[0-9.]+', b"", client("/api/search", **query).body)


def pids(client):
    return [one.process.pid for one in client.service.processes._started]


def exists(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.fixture(scope="module")
def several(german_settings, serve, tmp_path_factory):
    """A service with two processes."""
    marks = tmp_path_factory.mktemp("marks") / "marks.jsonl"
    with serve(replace(german_settings, jobs=2, feedback=marks)) as one:
        wait_for(lambda: one.service.processes.free == 2)
        yield one


@pytest.fixture
def asked(several, monkeypatch):
    """Whether processes gave each answer since the test began."""
    answers, ask = [], several.service.ask

    async def counted(question, snapshot, request):
        content = await ask(question, snapshot, request)
        answers.append(content is not None)
        return content

    monkeypatch.setattr(several.service, "ask", counted)
    return answers


@pytest.mark.parametrize(
    "query",
    [
        {"term": "und"},
        {"term": ["und", "spreewald", "dem spreewald"], "limit": 7, "cursor": "3"},
        {"term": "die", "recording": "KERSTIN_01", "min_probability": 0.3, "sort": "time"},
        {"term": "der", "where": "speaker:Kerstin", "sort": "recording"},
        {"term": ["und", "die", "der", "das", "ist", "in"], "limit": 500},  # more than a pipe holds
    ],
)
def test_processes_give_the_bytes_of_threads(several, client, asked, query):
    found = several("/api/search", **query).json
    assert found == written(found)
    assert answer(several, **query) == answer(client, **query)
    assert asked == [True]


def test_marks_are_in_the_answers_of_processes(several, asked):
    (hit, *_) = several("/api/search", term="spreewald").json["hits"]
    assert hit["right"] is None
    mark = {
        "term": hit["term"],
        "recording": hit["recording_id"],
        "start": hit["start_s"],
        "end": hit["start_s"] + hit["duration_s"],
    }
    several("/api/feedback", method="POST", body=mark | {"right": True})
    marked = several("/api/search", term="spreewald").json
    several("/api/feedback", method="DELETE", body=mark)
    assert marked["hits"][0]["right"] is True
    assert marked["marked"] == {"right": 1, "wrong": 0}
    assert asked == [True, True]


def test_unknown_words_are_searched_by_threads(several, asked):
    assert several("/api/search", term="hahnenfedern").json["total"] > 0
    assert several("/api/search", term=["hahnenfedern", "und"]).json["total"] > 0
    assert asked == [False, False]


def test_problems_are_told_by_the_service(several, client, asked):
    before = {*pids(several)}
    wrong = several("/api/search", term="und", where="nothing:x")
    assert wrong.status == 400
    assert wrong.body == client("/api/search", term="und", where="nothing:x").body
    assert asked == [False]
    assert {*pids(several)} == before


def metric(client, name):
    (value,) = re.findall(rf"^std_{name} (\S+)$", client("/metrics").body.decode(), re.M)
    return float(value)


def test_metrics_show_the_processes(several, asked):
    before = metric(several, "search_processes_answers_total")
    several("/api/search", term="knopf")
    assert asked == [True]
    assert metric(several, "search_processes_answers_total") == before + 1
    assert metric(several, "search_processes") == 2
    assert metric(several, "search_processes_starting") == 0
    assert metric(several, "search_processes_memory_bytes") > 10**7


def test_a_process_that_dies_is_replaced_and_missed_by_nobody(several, asked):
    before, replaced = pids(several), metric(several, "search_processes_replaced_total")
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert several("/api/search", term="sieben").json["total"] > 0
    assert asked == [False]
    assert several("/api/search", term="schwarze").status == 200
    wait_for(lambda: several.service.processes.free == 2)
    assert not {*pids(several)} & {*before}
    assert metric(several, "search_processes_replaced_total") == replaced + 2
    assert several("/api/search", term="federn").json["total"] > 0
    assert asked[-1]


def test_processes_search_what_was_committed(serve, german, tmp_path):
    store = str(tmp_path / "index")
    index_files(meshes(german, 0), store=store)
    with serve(Settings((store,), poll_s=0.1, jobs=2)) as client:
        wait_for(lambda: client.service.processes.free == 2)
        for _ in range(2):
            assert client("/api/search", term="und").json["snapshot"] == 1
        index_files(meshes(german, 1), store=store)
        wait_for(lambda: client("/healthz").json["snapshot"] == 2)
        for limit in (40, 41):  # whichever process it is
            found = client("/api/search", term="und", limit=limit).json
            assert found["snapshot"] == 2
            assert {hit["file"] for hit in found["hits"]} == {"KERSTIN_00", "KERSTIN_01"}
        left = pids(client)
    wait_for(lambda: not any(map(exists, left)))


def test_a_process_that_cannot_open_the_index_is_not_asked(tmp_path):
    async def asked():
        processes = SearchProcesses(Settings((str(tmp_path / "nothing"),), jobs=2), 1000)
        processes.start()
        while any(thread.name == "search process" for thread in threading.enumerate()):
            await asyncio.sleep(0.05)
        assert processes.free == processes.busy == 0
        assert processes.ask(Question(1, ("und",), Wish(), 0, 50, ())) is None
        processes.close()

    asyncio.run(asked())


def test_questions_are_answered_in_the_order_they_came(german_index):
    limits = Limits(waiting=3)

    async def ask_many():
        processes = SearchProcesses(Settings((german_index,), jobs=2, limits=limits), 10**6)
        processes._count = 1
        processes.start()
        while not processes.free:
            await asyncio.sleep(0.05)
        question, order = Question(1, ("und",), Wish(), 0, 5, ()), []
        answers = [processes.ask(question) for _ in range(4)]
        for number, one in enumerate(answers):
            one.add_done_callback(lambda _, number=number: order.append(number))
        assert (processes.busy, processes.waiting) == (1, 3)
        with pytest.raises(ProblemError) as refused:
            processes.ask(question)
        assert refused.value.status == 429
        answers[2].cancel()  # its client went away
        await asyncio.wait(answers)
        assert {one.result() for one in answers if not one.cancelled()} == {answers[0].result()}
        await asyncio.sleep(0)
        assert processes.free == 1
        left = processes.ask(question)
        processes.close()
        assert left.result() is None
        assert [number for number in order if number != 2] == [0, 1, 3]

    asyncio.run(ask_many())


def test_a_warning_of_the_store_is_left_to_the_service(monkeypatch):
    """In a search process it was shown as Python does, with a path of Python's own."""

    def opened(settings):
        warnings.warn("no answer for 5 s", StoreWarning, stacklevel=2)
        raise StoreError("no answer")

    monkeypatch.setattr(processes, "LiveIndex", opened)
    monkeypatch.setattr(processes.signal, "signal", lambda *_: None)
    monkeypatch.setattr(processes.os, "_exit", lambda status: None)
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        processes._work(None, Settings(("index",)), 1)
    assert not shown
