"""An archive after many weeks: any operations in any order, killed at any time, lose nothing.

A model says what must be there: for each recording its words, its title, its corrections and its
marks. Each operation is done by a process that is killed (SIGKILL) at a random time, and then done
again as a person would repeat the command.
"""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from indexer import (
    correct_recording,
    delete_recordings,
    index_files,
    list_corrections,
    list_recordings,
    merge_segments,
    rename_recording,
    sync_folder,
    undo_corrections,
    verify_index,
)
from indexer.written_transcripts import transcript_cues
from std.config import load_config
from std.errors import InputError
from std.marks import Mark, dump, read_marks
from std.metadata.table import of_rows
from std.store import open_store
from std.values import Recording

OPERATIONS = int(os.environ.get("STD_YEAR_OPERATIONS", "60"))
WORDS = ["haus", "baum", "burg", "see", "wald", "berg"]
LONGEST_S = 0.06  # of an operation that is killed


class Archive:
    """The folder, the index and the marks; and what must be in them."""

    def __init__(self, root, seed):
        self.random = random.Random(seed)
        self.folder, self.store, self.marks = root / "in", str(root / "index"), root / "marks.jsonl"
        self.folder.mkdir()
        self.marks.touch()
        config = root / "config.toml"
        config.write_text('[phonetic_search]\nwords = "none"\n')
        self.config = load_config(config)
        self.files = {}  # by path: the recording's name
        self.said = {}  # by recording: words
        self.corrected = {}  # by recording: words, where they are corrected
        self.titles, self.marked = {}, {}
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
        self.write(path, words)
        self.said[name] = words
        self.done(self.sync)

    def remove(self):
        if len(self.files) < 3:
            return
        path = self.random.choice([*self.files])
        name = self.files.pop(path)
        path.unlink()
        for table in (self.said, self.corrected, self.titles):
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
                rename_recording(old, new, self.store, feedback=self.marks)
            except InputError:
                assert new in [one.about.recording.file for one in list_recordings(self.store)]

        self.done(operation)
        self.files[path] = new
        for table in (self.said, self.corrected, self.titles, self.marked):
            if old in table:
                table[new] = table.pop(old)

    def title(self):
        name = self.random.choice([*self.files.values()])
        self.titles[name] = str(self.random.random())
        rows = of_rows({name: {"title": self.titles[name]}})
        self.done(lambda: index_files((), self.store, metadata=rows, config=self.config))

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

    def merge(self):
        self.done(lambda: merge_segments(self.store, config=self.config))

    def delete(self):
        if len(self.files) < 3:
            return
        path = self.random.choice([*self.files])
        name = self.files.pop(path)
        path.unlink()
        for table in (self.said, self.corrected, self.titles):
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
            words = [
                self.corrected.get(name, {}).get(place, word)
                for place, word in enumerate(self.said[name])
            ]
            assert self.transcript(name) == words
        marks = {}
        for mark in read_marks(self.marks):
            marks.setdefault(mark.recording.file, set()).add(mark.start_s)
        assert marks == self.marked
        for path, name in self.files.items():
            assert listed[name].about.inputs == (str(path),)

    def transcript(self, name):
        from indexer.export import index_networks

        segments = open_store(self.store).segments()
        networks = index_networks(segments, {Recording(name, 1)})
        return [one.word for cue in transcript_cues(networks) for one in cue.words]


@pytest.mark.parametrize("seed", [1])
def test_nothing_is_lost(tmp_path, seed):
    archive = Archive(tmp_path, seed)
    for _ in range(3):
        archive.add()
    often = ("add", "change", "rename", "title", "correct", "mark")
    kinds = [*often, *often, "remove", "move", "undo", "merge", "delete"]
    done = []
    for _ in range(OPERATIONS):
        done.append(archive.random.choice(kinds))
        getattr(archive, done[-1])()
        try:
            archive.check()
        except AssertionError as error:
            raise AssertionError(f"after {done}") from error
    assert len({*done}) > 8
    assert Path(archive.store).is_dir()
