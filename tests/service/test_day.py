"""The archive after a day of eight users, some with stale tabs, compared with a model of it.

``python -m tests.service.test_day SEED STEPS`` runs a longer day by hand, with added recordings.
"""

import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from indexer import index_files
from service.settings import Limits, Settings
from tests.service.conftest import running

USERS = ("ann", "ben", "cem", "dee", "eva", "fay", "gil", "hal")
WORDS = (
    *("heute", "steht", "das", "haus", "an", "der", "burg"),
    *("und", "wir", "sehen", "den", "fluss", "von", "oben"),
)
RECORDINGS = ("one", "two")


@dataclass
class Model:
    """What the archive should hold, by what the service said of each request."""

    marks: dict = field(default_factory=dict)  # right, author and version by place
    changes: dict = field(default_factory=dict)  # the last change of each user: id, place, before
    standing: dict = field(default_factory=dict)  # the ids of changes not undone, by place
    corrected: dict = field(default_factory=dict)  # the words of a person by place
    watched: set = field(default_factory=set)
    uploads: dict = field(default_factory=dict)  # the title by name
    deleted: set = field(default_factory=set)


def settings_of(folder, **others):
    """An archive of two recordings, where people may do everything."""
    for name in ("captions", "audio"):
        (folder / name).mkdir()
    for name in RECORDINGS:
        cues = (f"00:{i:02}.000 --> 00:{i:02}.900\n{word}" for i, word in enumerate(WORDS, 1))
        (folder / "captions" / f"{name}.vtt").write_text("WEBVTT\n\n" + "\n\n".join(cues) + "\n")
    index_files(folder / "captions", folder / "index", language="de")
    return Settings(
        (str(folder / "index"),), audio=folder / "audio", feedback=folder / "marks.jsonl",
        alerts=folder / "terms.txt", user_header="X-User", allow_corrections=True, poll_s=0.1,
        **others,
    )  # fmt: skip


class Day:
    """Users who work at random, one step after the other, each as the archive looked to them."""

    def __init__(self, client, seed):
        self.client, self.random, self.model = client, random.Random(seed), Model()
        self.places = [
            (name, one["word"], one["start_s"], one["start_s"] + one["duration_s"])
            for name in RECORDINGS
            for one in client(f"/api/recordings/{name}/words").json["words"]
        ]
        assert len(self.places) == len(RECORDINGS) * len(WORDS)
        self.seen = {user: {} for user in USERS}  # the versions of marks, by place
        self.read = {user: {} for user in USERS}  # the words, by place
        self.done = dict.fromkeys(("refused", "marks", "undone", "words", "watched", "added"), 0)

    def ask(self, user, path, method, body=None, **how):
        headers = {"X-User": user} | how.pop("headers", {})
        return self.client(path, method=method, body=body, headers=headers, **how)

    def look(self, user):
        """Reload the tab."""
        self.seen[user] = {place: one[2] for place, one in self.model.marks.items()}
        self.read[user] = dict(self.model.corrected)

    def mark(self, user):
        place = self.random.choice(self.places)
        right = self.random.choice((True, False, None))
        before, _, version = self.model.marks.get(place, (None, "", "0"))
        seen = self.seen[user].get(place, "0")
        if right == before:
            return
        name, word, start, end = place
        body = {"term": word, "recording": name, "start": start, "end": end}
        body |= {} if right is None else {"right": right}
        answer = self.ask(
            user, "/api/feedback", "DELETE" if right is None else "POST", body,
            headers={"If-Match": f'"{seen}"'},
        )  # fmt: skip
        if seen != version:
            assert answer.status == 412, (place, seen, version)
            self.done["refused"] += 1
            return
        assert answer.status == 200, answer.body
        self.keep(user, place, right, answer)
        change = answer.json["change"]
        self.model.changes[user] = change, place, before
        self.model.standing.setdefault(place, []).append(change)
        self.done["marks"] += 1

    def keep(self, user, place, right, answer):
        version = answer.headers["etag"].strip('"')
        self.model.marks[place] = right, user, version
        self.seen[user][place] = version

    def undo(self, user):
        change, place, before = self.model.changes.pop(user, (None, None, None))
        if change is None:
            return
        is_last = self.model.standing[place][-1] == change
        answer = self.ask(user, "/api/feedback/undo", "POST", {}, change=change)
        assert answer.status == (200 if is_last else 412), (answer.body, is_last)
        if is_last:
            self.model.standing[place].pop()
            self.keep(user, place, before, answer)
            self.done["undone"] += 1

    def correct(self, user):
        place = self.random.choice(self.places)
        name, word, start, end = place
        path, now = f"/api/recordings/{name}/corrections", self.model.corrected.get(place, word)
        if self.random.random() < 0.3 and place in self.model.corrected:
            answer = self.ask(user, path, "DELETE", at=(start + end) / 2)
            assert answer.status == 200, answer.body
            del self.model.corrected[place]
            return
        read = self.read[user].get(place, word)
        after = self.random.choice(("schloss", "garten", "turm"))
        if after == now:
            return
        body = {"from": start, "to": end, "words": after, "before": read}
        answer = self.ask(user, path, "POST", body)
        assert answer.status == (200 if read == now else 412), (answer.body, read, now)
        if read == now:
            self.model.corrected[place] = self.read[user][place] = after
            self.done["words"] += 1
        else:
            self.done["refused"] += 1

    def watch(self, user):
        term = self.random.choice(WORDS)
        if self.random.random() < 0.6:
            assert self.ask(user, "/api/alerts", "POST", {"term": term}).status == 200
            self.model.watched.add(term)
            self.done["watched"] += 1
        else:
            answer = self.ask(user, "/api/alerts", "DELETE", term=term)
            assert answer.status == (200 if term in self.model.watched else 404)
            self.model.watched.discard(term)

    def search(self, user):
        term = self.random.choice(WORDS)
        assert self.ask(user, "/api/search", "GET", term=term).status == 200

    def add(self, user):
        """Add a recording, or describe, delete or bring back one."""
        model, name = self.model, f"added{len(self.model.uploads) + len(self.model.deleted)}"
        known, gone = sorted(model.uploads), sorted(model.deleted)
        what = self.random.choice(("add", "describe", "delete", "restore"))
        if what == "add":
            text = f"WEBVTT\n\n00:01.000 --> 00:02.000\n{name} wort\n".encode()
            sent = self.ask(user, "/api/uploads", "POST", text, name=f"{name}.vtt")
            assert sent.status < 300, sent.body
            model.uploads[name] = ""
            self.done["added"] += 1
        elif what == "describe" and known:
            one, title = self.random.choice(known), f"title {self.random.random():.3f}"
            body = {"metadata": {"title": title}}
            assert self.ask(user, f"/api/uploads/{one}", "PATCH", body).status == 200
            model.uploads[one] = title
        elif what == "delete" and known:
            one = self.random.choice(known)
            assert self.ask(user, f"/api/uploads/{one}", "DELETE").status < 300
            del model.uploads[one]
            model.deleted.add(one)
        elif what == "restore" and gone:
            one = self.random.choice(gone)
            assert self.ask(user, f"/api/uploads/{one}/restore", "POST", {}).status < 300
            model.deleted.discard(one)
            model.uploads[one] = None  # its title of before

    def live(self, steps, *, adds):
        often = [self.mark] * 8 + [self.undo, self.watch, self.search] + [self.look] * 3
        often += [self.correct] + ([self.add] * 2 if adds else [])
        for _ in range(steps):
            self.random.choice(often)(self.random.choice(USERS))


def compare(client, day):
    """The archive and the model hold the same."""
    model = day.model
    found = {
        (one["recording"], one["term"], one["start"]): (one["right"], one["author"])
        for one in client("/api/feedback").json
    }
    assert found == {
        (name, word, start): (right, author)
        for (name, word, start, _), (right, author, _) in model.marks.items()
        if right is not None
    }
    for name in RECORDINGS:
        said = [one["word"] for one in client(f"/api/recordings/{name}/words").json["words"]]
        assert said == [model.corrected.get(one, one[1]) for one in day.places if one[0] == name]
    assert {*client("/api/alerts").json["terms"]} == model.watched
    uploads = client("/api/uploads").json
    assert {one["name"] for one in uploads["uploads"]} == {*model.uploads}
    assert {*uploads["deleted"]} == model.deleted
    titles = {one["name"]: one["metadata"].get("title", "") for one in uploads["uploads"]}
    for name, title in model.uploads.items():
        assert title in (None, "") or titles[name] == title


@pytest.mark.parametrize("seed", [1])
def test_a_day_of_eight_users(tmp_path, seed):
    settings = settings_of(tmp_path)
    with running(settings) as client:
        day = Day(client, seed)
        day.live(100, adds=False)
        compare(client, day)
    assert min(day.done[one] for one in ("refused", "marks", "undone", "words", "watched")) > 0
    with running(settings) as client:  # after a restart
        compare(client, day)


def long_day(seed, steps):
    """A longer day, with recordings that people add."""
    with tempfile.TemporaryDirectory() as name:
        settings = settings_of(Path(name), allow_uploads=True, limits=Limits(free_bytes=0))
        with running(settings) as client:
            day = Day(client, seed)
            day.live(steps, adds=True)
            while any(one["state"] not in ("ready", "failed")
                      for one in client("/api/uploads").json["uploads"]):  # fmt: skip
                time.sleep(0.5)
            compare(client, day)
        with running(settings) as client:
            compare(client, day)
        sys.stdout.write(f"seed {seed}: {day.done}\n")


if __name__ == "__main__":
    long_day(int(sys.argv[1]), int(sys.argv[2]))
