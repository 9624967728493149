"""An archive after many weeks: any operations in any order, killed at any time, lose nothing.

A model says what must be there: for each recording its words, its title, its corrections, its
audio, its marks and what was told of it. Each operation is done by a process that is killed
(SIGKILL) at a random time, and then done again as a person would repeat the command.
"""

import contextlib
import csv
import io
import json
import os
import random
import signal
import time
import wave
from pathlib import Path

import pytest

from indexer import (
    correct_recording,
    delete_recordings,
    index_files,
    list_corrections,
    list_recordings,
    merge_segments,
    move_audio,
    relink_inputs,
    rename_recording,
    sync_folder,
    undo_corrections,
    verify_index,
)
from indexer.store_cli import main as std_store
from indexer.transcripts import transcript_cues
from std.appended import told_path
from std.config import load_config
from std.errors import InputError
from std.marks import Mark, dump, read_marks
from std.store import open_store
from std.values import Recording

OPERATIONS = int(os.environ.get("STD_YEAR_OPERATIONS", "60"))
WORDS = ["haus", "baum", "burg", "see", "wald", "berg"]
LONGEST_S = 0.06  # of an operation that is killed


class Archive:
    """The folder, the index and the marks; and what must be in them."""

    def __init__(self, root, seed):
        self.random = random.Random(seed)
        self.root, self.store = root, str(root / "index")
        self.folder, self.audio_root = root / "in", root / "audio"
        self.marks, self.alerts = root / "marks.jsonl", root / "names.txt"
        for folder in (self.folder, self.audio_root):
            folder.mkdir()
        for file in (self.marks, told_path(self.alerts)):
            file.touch()
        config = root / "config.toml"
        config.write_text('[phonetic_search]\nwords = "none"\n')
        self.config = load_config(config)
        self.files = {}  # by path: the recording's name
        self.said = {}  # by recording: words
        self.corrected = {}  # by recording: words, where they are corrected
        self.titles, self.marked = {}, {}
        self.told, self.audio = {}, {}  # by recording: times; the name of the file
        self.number = 0

    def write(self, path, words):
        path.write_text(
            "".join(
                f"{i}\n00:00:{2 * i:02d},000 --> 00:00:{2 * i + 1:02d},500\n{word}\n\n"
                for i, word in enumerate(words)
            )
        )

    def words(self):
        return [self.random.choice(WORDS) for _ in range(self.random.randint(2, 6))]

    def write_other(self, path, words):
        """As another recogniser: in another format, its times a little off."""
        off, slots = self.random.uniform(0, 0.4), []
        for i, word in enumerate(words):
            start, end = 2 * i + off, 2 * i + off + 1.5
            slots.append({"s": start, "e": end, "eps": 0.1, "w": [[word, 0.9, start, end]]})
        line = {"utt": "u", "file": path.stem, "channel": 1, "start": 0.0, "end": 2.0 * len(words)}
        path.write_text(json.dumps({**line, "slots": slots}))

    def new_name(self):
        self.number += 1
        return f"rec {self.number}"

    def done(self, operation):
        """Do it in a process that is killed at a random time; then do it again, to the end."""
        if self.random.random() < 0.5:
            child = os.fork()
            if not child:
                try:
                    operation()
                finally:
                    os._exit(0)
            time.sleep(self.random.uniform(0, LONGEST_S))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        operation()

    def sync(self):
        sync_folder(self.folder, self.store, config=self.config, language="de", allow_gone=True)

    def add(self):
        name, words = self.new_name(), self.words()
        path = self.folder / f"{name}.srt"
        self.write(path, words)
        self.files[path], self.said[name] = name, words
        self.done(self.sync)

    def change(self):
        path = self.random.choice([*self.files])
        name, words = self.files[path], self.words()
        if name in self.corrected:  # the same length: corrections keep their places
            words = [self.random.choice(WORDS) for _ in self.said[name]]
        (self.write_other if path.suffix == ".jsonl" else self.write)(path, words)
        self.said[name] = words
        self.done(self.sync)

    def remove(self):
        if len(self.files) < 3:
            return
        path = self.random.choice([*self.files])
        name = self.files.pop(path)
        path.unlink()
        for table in (self.said, self.corrected, self.titles, self.audio):
            table.pop(name, None)
        self.done(self.sync)

    def move(self):
        path = self.random.choice([*self.files])
        if [one.read_text() for one in self.files].count(path.read_text()) > 1:
            return  # nobody knows which of two is which
        target = self.folder / f"{self.number}" / path.name
        target.parent.mkdir(exist_ok=True)
        if target.exists():
            return
        path.rename(target)
        self.files[target] = self.files.pop(path)
        self.done(self.sync)

    def rename(self):
        path = self.random.choice([*self.files])
        old, new = self.files[path], self.new_name()

        def operation():
            try:
                rename_recording(old, new, self.store, feedback=self.marks, alerts=self.alerts)
            except InputError:
                assert new in [one.about.recording.file for one in list_recordings(self.store)]

        self.done(operation)
        self.files[path] = new
        tables = (self.said, self.corrected, self.titles, self.marked, self.told, self.audio)
        for table in tables:
            if old in table:
                table[new] = table.pop(old)

    def title(self):
        name = self.random.choice([*self.files.values()])
        self.titles[name] = str(self.random.random())
        path = self.root / "title.json"
        path.write_text(json.dumps({name: {"title": self.titles[name]}}))
        self.done(lambda: index_files((), self.store, metadata=path, config=self.config))

    def table(self):
        """The table that std-store lists comes back from a spreadsheet."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            assert std_store(["list", self.store, "--csv"]) == 0
        rows = [*csv.DictReader(io.StringIO(printed.getvalue()))]
        edited = self.random.choice(rows)
        if "title" in edited:
            edited["title"] = self.random.choice(["", str(self.random.random())])
            name = edited["recording"]
            self.titles.pop(name, None)
            if edited["title"]:
                self.titles[name] = edited["title"]
        path = self.root / "table.csv"
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0]], delimiter=self.random.choice(",;\t"))
            writer.writeheader()
            writer.writerows(rows)
        self.done(lambda: index_files((), self.store, metadata=path, config=self.config))

    def recognise_again(self):
        """Another recogniser writes a recording again, in a file of another format."""
        path = self.random.choice([*self.files])
        name = self.files[path]
        other = path.with_suffix(".jsonl" if path.suffix == ".srt" else ".srt")
        if name != path.stem:
            return
        path.unlink()
        (self.write_other if other.suffix == ".jsonl" else self.write)(other, self.said[name])
        self.files[other] = self.files.pop(path)
        self.done(self.sync)

    def record(self):
        """The audio of a recording, in the folder of all audio."""
        name = self.random.choice([*self.files.values()])
        if name in self.audio:
            return
        self.number += 1
        self.audio[name] = f"take {self.number}.wav"
        with wave.open(str(self.audio_root / self.audio[name]), "wb") as sink:
            sink.setnchannels(1)
            sink.setsampwidth(2)
            sink.setframerate(8000)
            sink.writeframes(self.random.randbytes(4000))
        path = self.root / "audio.csv"
        path.write_text(f"recording,audio\n{name},{self.audio[name]}\n")
        index_files((), self.store, metadata=path, config=self.config)
        self.done(lambda: move_audio(self.audio_root, self.store))

    def move_audio(self):
        """All audio moves to another root, and one file in it."""
        moved = self.root / f"audio {self.number}"
        if moved.exists():
            return
        self.audio_root.rename(moved)
        self.audio_root = moved
        if self.audio:
            name = self.random.choice([*self.audio])
            below = f"{self.number}/{Path(self.audio[name]).name}"
            if not (moved / below).exists():
                (moved / below).parent.mkdir(exist_ok=True)
                (moved / self.audio[name]).rename(moved / below)
                self.audio[name] = below
        self.done(lambda: move_audio(self.audio_root, self.store))

    def relink(self):
        """The folder of all inputs moves."""
        moved = self.root / f"in {self.number}"
        if moved.exists():
            return
        self.folder.rename(moved)
        self.files = {moved / path.relative_to(self.folder): n for path, n in self.files.items()}
        self.folder = moved
        self.done(lambda: relink_inputs(self.folder, self.store))

    def correct(self):
        name = self.random.choice([*self.files.values()])
        place = self.random.randrange(len(self.said[name]))
        word = f"richtig{self.random.randrange(100)}"
        at_s = (2 * place + 0.0, 2 * place + 1.5)
        self.corrected.setdefault(name, {})[place] = word
        self.done(
            lambda: correct_recording(name, self.store, words=word, at_s=at_s, config=self.config)
        )

    def undo(self):
        if self.corrected:
            name = self.random.choice([*self.corrected])
            del self.corrected[name]

            def operation():
                if list_corrections(self.store, recordings=[name]):
                    undo_corrections(name, self.store, config=self.config)

            self.done(operation)

    def mark(self):
        name = self.random.choice([*self.files.values()])
        mark = Mark(
            "haus", Recording(name, 1), self.number, self.number + 0.5, True, "2026-11-25T00:00:00Z"
        )
        self.number += 1
        with self.marks.open("ab") as stream:
            stream.write(dump(mark))
        self.marked.setdefault(name, set()).add(mark.start_s)

    def tell(self):
        """A standing search tells a hit."""
        name = self.random.choice([*self.files.values()])
        line = {"term": "haus", "file": name, "start_s": self.number}
        with told_path(self.alerts).open("a") as stream:
            stream.write(f"{json.dumps(line)}\n")
        self.told.setdefault(name, []).append(self.number)
        self.number += 1

    def merge(self):
        self.done(lambda: merge_segments(self.store, config=self.config))

    def delete(self):
        if len(self.files) < 3:
            return
        path = self.random.choice([*self.files])
        name = self.files.pop(path)
        path.unlink()
        for table in (self.said, self.corrected, self.titles, self.audio):
            table.pop(name, None)

        def operation():
            if name in [one.about.recording.file for one in list_recordings(self.store)]:
                delete_recordings([name], self.store, config=self.config)

        self.done(operation)

    def check(self):
        """The index has what the model has."""
        assert not [one.damage for one in verify_index(self.store) if one.damage]
        listed = {one.about.recording.file: one for one in list_recordings(self.store)}
        assert listed.keys() == self.said.keys()
        for name, one in listed.items():
            assert one.about.metadata.get("title") == self.titles.get(name)
            got = one.about.metadata.get("audio")
            assert got == self.audio.get(name), (name, one.about.metadata)
            words = [
                self.corrected.get(name, {}).get(place, word)
                for place, word in enumerate(self.said[name])
            ]
            assert self.transcript(name) == words
        marks = {}
        for mark in read_marks(self.marks):
            marks.setdefault(mark.recording.file, set()).add(mark.start_s)
        assert marks == self.marked
        told = {}
        for line in map(json.loads, told_path(self.alerts).read_text().splitlines()):
            told.setdefault(line["file"], []).append(line["start_s"])
        assert told == self.told
        for path, name in self.files.items():
            assert listed[name].about.inputs == (str(path),)

    def transcript(self, name):
        from indexer.export import index_networks

        segments = open_store(self.store).segments()
        networks = index_networks(segments, {Recording(name, 1)})
        return [one.word for cue in transcript_cues(networks) for one in cue.words]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1])
def test_nothing_is_lost(tmp_path, seed):
    archive = Archive(tmp_path, seed)
    for _ in range(3):
        archive.add()
    often = ("add", "change", "rename", "title", "correct", "mark")
    kinds = [*often, *often, "remove", "move", "undo", "merge", "delete"]
    kinds += ["table", "recognise_again", "record", "move_audio", "relink", "tell", "tell"]
    done = []
    for _ in range(OPERATIONS):
        done.append(archive.random.choice(kinds))
        getattr(archive, done[-1])()
        try:
            archive.check()
        except AssertionError as error:
            raise AssertionError(f"after {done}") from error
    assert len({*done}) > 14
    assert Path(archive.store).is_dir()
