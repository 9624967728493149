"""Work of a service that is too much, too slow or not wanted; its lanes and slow jobs."""

import http.client
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from service import jobs
from service.jobs import JobStoppedError, Lane, SlowJobs, Stop
from service.problems import ProblemError
from service.searching import may_be_slow
from service.settings import Limits
from std.execution.stop import check_stop
from std.execution.workers import IN_PROCESS, Threads
from tests.service.served import wait_for

# A thread that waits for a server which was killed warns of it, perhaps during the next test.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:.*no answer from the server")]


def test_more_than_waits_is_refused_with_429(serve, changed):
    with serve(changed(limits=Limits(known_workers=1, waiting=2))) as client:
        go_on = threading.Event()
        blocked = client.service.known.submit(lambda stop: go_on.wait(300), Stop(300))
        wait_for(lambda: client.service.known.running == 1)
        words = ["und", "der", "die", "das", "ein", "ist"]
        with ThreadPoolExecutor(6) as pool:
            asked = [pool.submit(client, "/api/search", term=word) for word in words]
            wait_for(lambda: sum(one.done() for one in asked) == 4)
            assert client.service.known.waiting == 2
            go_on.set()
            answers = [one.result() for one in asked]
        assert blocked.result(60)
        assert sorted(answer.status for answer in answers) == [200, 200, 429, 429, 429, 429]
        refused = next(answer for answer in answers if answer.status == 429)
        assert int(refused.headers["retry-after"]) > 0
        assert "too many requests" in refused.json["detail"]
        assert client("/api/search", term="und").status == 200


def test_a_slow_term_does_not_delay_a_fast_one(serve, changed):
    with serve(changed(limits=Limits(other_workers=1))) as client:
        go_on = threading.Event()
        client.service.other.submit(lambda stop: go_on.wait(300), Stop(300))
        slow = threading.Thread(
            target=client, args=("/api/search",), kwargs={"term": "xylofonwald"}
        )
        slow.start()
        wait_for(lambda: client.service.other.waiting >= 1)
        assert client("/api/search", term="und").status == 200
        assert slow.is_alive()
        go_on.set()
        slow.join(60)
        assert not slow.is_alive()


def test_what_takes_too_long_is_stopped(serve, changed):
    with serve(changed(limits=Limits(search_s=0.5, known_workers=1))) as client:
        wait_for(lambda: client.service.warm)
        go_on = threading.Event()
        client.service.known.submit(lambda stop: go_on.wait(300), Stop(300))
        answer = client("/api/search", term="und")
        assert answer.status == 503
        assert "more than 0.5 s" in answer.json["detail"]
        go_on.set()


def test_a_client_that_goes_away_stops_its_work(serve, changed):
    with serve(changed(limits=Limits(known_workers=1))) as client:
        go_on = threading.Event()
        client.service.known.submit(lambda stop: go_on.wait(300), Stop(300))
        wait_for(lambda: client.service.known.running == 1)
        with socket.create_connection(client.service_address, 10) as one:
            one.sendall(b"GET /api/search?term=sieben HTTP/1.1\r\nHost: localhost\r\n\r\n")
            wait_for(lambda: client.service.known.waiting == 1)
        wait_for(lambda: client.service.known._jobs[0][2].is_stopped)
        go_on.set()
        wait_for(lambda: client.service.known.waiting == client.service.known.running == 0)
        assert client.service.cache.get((1, "sieben")) is None


def test_a_stopped_job_ends_between_its_pieces():
    stop, done, lane = Stop(60), [], Lane("test", 1, 1)

    def piece(number):
        done.append(number)
        if number == 2:
            stop.stop()
        return number

    with pytest.raises(JobStoppedError):
        lane.submit(lambda stop: list(IN_PROCESS.map(piece, range(10))), stop).result(300)
    assert done == [0, 1, 2]
    with pytest.raises(JobStoppedError):
        Stop(-1).check()


def test_a_lane_does_its_jobs_in_order_and_survives_faults():
    lane = Lane("test", 1, 3)
    order = []
    hold = threading.Event()
    first = lane.submit(lambda stop: hold.wait(300), Stop(300))
    wait_for(lambda: lane.running == 1)
    futures = [
        lane.submit(lambda stop, i=i: order.append(i) or 1 // (i - 1), Stop(60)) for i in range(3)
    ]
    with pytest.raises(ProblemError) as refused:
        lane.submit(lambda stop: None, Stop(60))
    assert refused.value.status == 429
    hold.set()
    assert first.result(60)
    assert [type(future.exception(60)) for future in futures] == [
        type(None),
        ZeroDivisionError,
        type(None),
    ]
    assert order == [0, 1, 2]


def test_slow_jobs_delay_no_other_while_a_thread_is_spare():
    lane, hold = Lane("test", 1, 9, spare=2), threading.Event()
    slow = [lane.submit(lambda stop: hold.wait(300), Stop(300)) for _ in range(2)]
    assert lane.submit(lambda stop: "answered", Stop(60)).result(60) == "answered"
    slow.append(lane.submit(lambda stop: hold.wait(300), Stop(300)))
    late = lane.submit(lambda stop: "after all", Stop(60))
    wait_for(lambda: lane.running == 3)
    assert not late.done()
    hold.set()
    assert late.result(60) == "after all"
    assert all(one.result(60) for one in slow)


def test_a_slow_job_takes_its_turns_once_for_all_of_its_threads(monkeypatch):
    """No thread waits for the turn that another one took, which has done its part since."""
    monkeypatch.setattr(jobs, "QUICK_S", 0.0)

    def work(steps):
        for _ in range(steps):
            check_stop()
            time.sleep(jobs.TURN_S)
        return steps

    with SlowJobs(lambda: False).taken(Stop(3)):
        assert [*Threads(3).map(work, [1, 3, 2, 1, 4])] == [1, 3, 2, 1, 4]


def test_slow_jobs_work_one_at_a_time_and_each_goes_on(monkeypatch):
    monkeypatch.setattr(jobs, "QUICK_S", 0.0)  # every job is slow at its first check
    monkeypatch.setattr(jobs, "TURN_S", 0.0)  # and each check begins a turn
    turns = SlowJobs(lambda: False)
    lane, working, together, pieces = Lane("test", 3, 9, turns=turns), set(), [], [0] * 3

    def work(number):
        def work_on(stop):
            while min(pieces) < 6:  # each goes on, or the job takes too long and fails
                check_stop()
                stop.check()
                working.add(number)
                time.sleep(0.002)  # in which another could work
                together.append(len(working))
                pieces[number] += 1
                working.discard(number)

        return work_on

    for one in [lane.submit(work(number), Stop(60)) for number in range(3)]:
        one.result(60)
    assert set(together) == {1}
    assert not turns._working.locked()


def test_slow_jobs_wait_for_quick_ones_but_not_for_ever(monkeypatch):
    monkeypatch.setattr(jobs, "QUICK_S", 0.0)
    monkeypatch.setattr(jobs, "TURN_S", 0.0)
    looks = {True: 0, False: 0}

    def answer(is_busy):
        looks[is_busy] += 1
        return is_busy

    for is_busy in (False, True):
        with SlowJobs(lambda busy=is_busy: answer(busy)).taken(Stop(60)):
            for _ in range(3):  # turns
                check_stop()
    assert looks == {True: 3 * jobs.MOST_PAUSES, False: 3}


def test_a_service_that_ends_stops_its_jobs():
    turns = SlowJobs(lambda: False)
    lane, begun = Lane("test", 1, 1, turns=turns), threading.Event()

    def work(stop):
        begun.set()
        while True:
            check_stop()
            time.sleep(0.001)

    one = lane.submit(work, Stop(300))
    assert begun.wait(60)
    lane.close()
    assert lane.running == 0
    with pytest.raises(JobStoppedError):
        one.result(1)


def test_a_query_has_threads_of_its_own(client):
    wait_for(lambda: client.service.warm)
    hold = threading.Event()
    for term, lane in (("robo*", "queries"), ("und NOT die", "queries"), ("xyzzyx", "other")):
        assert may_be_slow(term, client.service.snapshot) is (lane == "queries")
    held = [client.service.queries.submit(lambda stop: hold.wait(300), Stop(300)) for _ in range(8)]
    assert client("/api/search", term="xyzzyx").status == 200  # beside eight that do not end
    hold.set()
    assert all(one.result(60) for one in held)


def test_a_slow_sender_and_a_slow_reader_hold_up_nobody(serve, changed):
    with serve(changed(limits=Limits(body_s=1))) as client, ExitStack() as ends:
        sender = ends.enter_context(socket.create_connection(client.service_address, 60))
        begun = b"POST /api/searches HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        sender.sendall(begun)
        connection = http.client.HTTPConnection(*client.service_address, timeout=60)
        ends.callback(connection.close)
        connection.request("GET", "/api/audio/KERSTIN_00")
        reader = connection.getresponse()  # and reads nothing of it
        for word in ("und", "der", "die"):
            assert client("/api/search", term=word).status == 200
        assert sender.recv(20).startswith(b"HTTP/1.1 4")
        assert reader.status == 200
