"""Shards: an audio file is in one of them, whichever way it comes in."""

import json
from contextlib import ExitStack

import pytest

from indexer import index_files
from indexer.build import build, worthwhile_jobs
from indexer.file_columns import index_file, shard_of
from indexer.formats.readers import jsonl
from indexer.formats.shared.reader import DEFAULT
from indexer.inputs import Input
from indexer.maintain import delete, upkeep
from indexer.shards import audio_files
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import open_stores, snapshot
from searcher.search import search
from std.config import Config, IndexConfig
from std.errors import InputError, StoreError
from std.execution.processes import executor
from std.execution.workers import InProcess
from std.repairs import AT_ONE_TIME, CLOCK_GOES_BACK, IMPLAUSIBLE_RATE, SEVERAL_RECORDINGS
from std.store import open_store
from std.values import Term

CONFIG = Config()
FILES = ["anna", "berta", "cäsar", "dora", "emil", "fritz", "gustav", "heinrich"]
TERMS = [Term("1", "polizei"), Term("2", "die polizei"), Term("3", "fehlt")]


@pytest.fixture
def inputs(network, tmp_path):
    """One input file for each two audio files."""
    folder = tmp_path / "in"
    folder.mkdir()
    for i in range(0, len(FILES), 2):
        some = [
            network(
                [("die", 0.9)],
                [("polizei", 0.1 * (i + j) + 0.1), ("poliert", 0.1)],
                file=file,
                utterance=file,
            )
            for j, file in enumerate(FILES[i : i + 2])
        ]
        with (folder / f"{i}.jsonl").open("wb") as stream:
            jsonl.dump(some, stream)
    return sorted(folder.iterdir())


def index(inputs, urls, config=CONFIG, **options):
    stores = [open_store(str(url), create=True) for url in urls]
    with ExitStack() as locks:
        for store in stores:
            locks.enter_context(store.writing())
        report = build(inputs, stores, config, **options)
    for store in stores:
        store.close()
    return stores, report


def hits(urls, **options):
    found = search(
        TERMS,
        prepare(snapshot(open_stores([str(url) for url in urls]), CONFIG), CONFIG),
        SearchedSpeech(None, 9),
        **options,
    )
    where = [found.recordings[i] for i in found.candidates.recording.tolist()]
    columns = found.candidates._asdict()
    del columns["first_slot"], columns["last_slot"]  # rows of whichever segment it is
    rows = [column.tolist() for column in columns.values()]
    return where, rows, found.n_true.tolist(), found.oov_words


def test_shards_find_what_one_store_finds(inputs, tmp_path):
    shards = [tmp_path / f"shard{i}" for i in range(3)]
    _, whole = index(inputs, [tmp_path / "whole"])
    stores, parts = index(inputs, shards)
    assert hits(shards) == hits([tmp_path / "whole"])
    assert [audio_files(store) for store in stores] == [
        {file for file in FILES if shard_of(file, 3) == i} for i in range(3)
    ]
    assert all(audio_files(store) for store in stores)
    assert (parts.postings, parts.words, parts.recordings) == (
        whole.postings,
        whole.words,
        whole.recordings,
    )
    assert {one.file for one in parts.recordings} == set(FILES)
    assert parts.utterances == 8


def test_processes_find_the_same(inputs, tmp_path):
    shards = [tmp_path / f"shard{i}" for i in range(2)]
    with executor(2) as workers:
        stores, _ = index(inputs, shards, workers=workers)
        upkeep(stores, workers, everything=True)
        assert hits(shards, workers=workers) == hits(shards)
    index(inputs, [tmp_path / "whole"])
    assert hits(shards) == hits([tmp_path / "whole"])


@pytest.fixture
def opened(monkeypatch):
    """Stores that a search opens: for a command they live as long as the process."""
    stores = []

    def open_and_note(url):
        stores.append(open_store(url))
        return stores[-1]

    monkeypatch.setattr("searcher.index.stores.open_store", open_and_note)
    yield stores
    for store in stores:
        store.close()


@pytest.mark.couchdb
@pytest.mark.usefixtures("opened")
def test_a_database_and_a_folder_are_shards_of_one_index(inputs, tmp_path, couchdb_url):
    """A CouchDB segment travels to a worker as its address, too."""
    shards = [couchdb_url, tmp_path / "shard"]
    index(inputs, shards)
    index(inputs, [tmp_path / "whole"])
    with executor(2) as workers:
        assert hits(shards, workers=workers) == hits([tmp_path / "whole"])


class TwoWorkers(InProcess):
    """Two in name."""

    workers = 2


def test_shards_that_others_write_to_stay_as_they_are(inputs, tmp_path):
    """Between indexing and merging by several workers the right to write is free."""
    shards = [tmp_path / f"shard{i}" for i in range(2)]
    stores, _ = index(inputs, shards, Config(index=IndexConfig(segment_postings=1)))
    before = [len(one.segments()) for one in stores]
    number = before.index(max(before))
    assert before[number] > 1
    with open_store(str(shards[number])).writing():
        (busy,) = upkeep(stores, TwoWorkers(), everything=True)
    assert f"{shards[number]}: somebody else is writing" in str(busy)
    assert len(stores[number].segments()) == before[number]
    assert len(stores[1 - number].segments()) == 1
    assert upkeep(stores, TwoWorkers(), everything=True) == []
    assert len(stores[number].segments()) == 1


def test_another_number_of_shards_moves_files(inputs, tmp_path):
    shards = [tmp_path / f"shard{i}" for i in range(3)]
    index(inputs, shards[:2])
    stores, _ = index(inputs, shards)
    assert sorted(file for store in stores for file in audio_files(store)) == sorted(FILES)


def test_small_batches_are_the_same_index(inputs, tmp_path):
    index(inputs, [tmp_path / "whole"])
    stores, _ = index(inputs, [tmp_path / "small"], Config(index=IndexConfig(segment_postings=1)))
    assert len(stores[0].segments()) == len(inputs)
    assert hits([tmp_path / "small"]) == hits([tmp_path / "whole"])
    upkeep(stores, everything=True)
    once, twice = (sorted((tmp_path / n / "segments").iterdir()) for n in ("whole", "small"))
    assert [p.name for p in once] == [p.name for p in twice]


def test_a_file_is_deleted_where_it_is(inputs, tmp_path):
    shards = [tmp_path / f"shard{i}" for i in range(2)]
    stores, _ = index(inputs, shards)
    delete(["anna"], stores)
    assert not any("anna" in audio_files(store) for store in stores)
    with pytest.raises(InputError, match=r"name of an indexed audio file.*anna"):
        delete(["berta", "anna"], stores)
    assert any("berta" in audio_files(store) for store in stores)


def test_the_same_recording_in_two_stores_is_refused(inputs, tmp_path):
    index(inputs, [tmp_path / "a"])
    index(inputs[:1], [tmp_path / "b"])
    with pytest.raises(InputError, match=r"recordings that no other --store has.*anna"):
        hits([tmp_path / "a", tmp_path / "b"])
    with pytest.raises(StoreError, match="expected an index"):
        hits([tmp_path / "a", tmp_path / "none"])


def test_errors_come_back_as_values(tmp_path, network):
    path = tmp_path / "twice.jsonl"
    with path.open("wb") as stream:
        jsonl.dump([network([("a", 1.0)])] * 2, stream)
    assert "each utterance once, got 'u1 of news twice'" in str(
        index_file(Input(path), CONFIG, "auto", DEFAULT, 1)
    )


def test_a_repeated_utterance_is_a_failure_of_its_file(inputs, tmp_path):
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(inputs[0].read_bytes())
    _, report = index([*inputs, copy], [tmp_path / "i"], keep_going=True)
    assert [str(one).split(":")[0] for one in report.failures] == [str(copy)]
    assert report.utterances == 8
    with pytest.raises(InputError, match="each utterance in one input file"):
        index([*inputs, copy], [tmp_path / "j"])


def test_few_bytes_need_no_processes(inputs, tmp_path):
    assert worthwhile_jobs(inputs, 8) == 1
    big = tmp_path / "big"
    with big.open("wb") as stream:
        stream.truncate(10**8)
    assert worthwhile_jobs([*inputs, big], 8) == 5


TEXT = "purple carrots grow in a quiet valley for the whole winter"


def doubts(tmp_path, name, text):
    """What std-index says of a file, besides what it mends."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    report = index_files([path], "memory:")
    return {kind: mended.times for kind, mended in report.repairs.items()}


def clock(second):
    return f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"


def srt(starts):
    return "\n".join(f"{clock(s)},000 --> {clock(s + 4)},000\n{TEXT}\n" for s in starts)


def ctm(starts, speaker=""):
    words = TEXT.split()
    lines = [
        f"talk 1 {start + 0.4 * at:.2f} 0.30 {word} 0.9"
        for start in starts
        for at, word in enumerate(words)
    ]
    return "\n".join(lines) + "\n"


def rows(starts, **more):
    return json.dumps([{"start": s, "end": s + 4, "text": TEXT, **more} for s in starts])


DISCS = [*range(0, 60, 5), *range(0, 60, 5)]


@pytest.mark.parametrize(
    ("name", "text"), [("a.srt", srt(DISCS)), ("a.ctm", ctm(DISCS)), ("a.json", rows(DISCS))]
)
def test_a_clock_that_goes_back(tmp_path, name, text):
    assert doubts(tmp_path, name, text) == {CLOCK_GOES_BACK: 1}


def test_speakers_that_stand_one_after_the_other_are_none(tmp_path):
    some = [json.loads(rows(range(0, 60, 5), speaker=name)) for name in ("Anna", "Bo")]
    assert doubts(tmp_path, "a.json", json.dumps([*some[0], *some[1]])) == {}


def test_several_recordings(tmp_path):
    names = ["Anna", "Bo", "Cleo", "Dan", "Eva", "Finn"]
    rows = [{"start": 0.1, "end": 4, "text": TEXT, "speaker": name} for name in names]
    assert doubts(tmp_path, "a.json", json.dumps(rows)) == {SEVERAL_RECORDINGS: 1}
    later = [{**row, "start": 5 * at, "end": 5 * at + 4} for at, row in enumerate(rows)]
    assert doubts(tmp_path, "b.json", json.dumps(later)) == {}


def test_transcripts_at_the_same_time(tmp_path):
    """Two recordings of a few seconds in one file, which begin later than others do."""
    words = [{"word": word, "start": 3 + at, "end": 4 + at} for at, word in enumerate(TEXT.split())]
    twice = {"one.wav": words, "two.wav": [{**row, "word": row["word"] + "s"} for row in words]}
    assert doubts(tmp_path, "a.json", json.dumps(twice)) == {AT_ONE_TIME: len(words)}
    assert doubts(tmp_path, "b.json", json.dumps({"one.wav": words})) == {}


def test_captions_that_all_begin_at_once(tmp_path):
    assert doubts(tmp_path, "a.srt", srt([0] * 6)) == {IMPLAUSIBLE_RATE: 1}


def test_words_that_last_for_minutes(tmp_path):
    """Milliseconds that were taken for seconds."""
    lines = "".join(
        f"talk 1 {400 * at}.0 30.0 {word} 0.9\n" for at, word in enumerate(5 * TEXT.split())
    )
    assert doubts(tmp_path, "a.ctm", lines) == {IMPLAUSIBLE_RATE: 1}


def test_the_line_is_named_where_words_are_put_in_order(tmp_path):
    path = tmp_path / "a.ctm"
    path.write_text(ctm(DISCS), encoding="utf-8")
    mended = index_files([path], "memory:").repairs[CLOCK_GOES_BACK]
    assert mended.line == 1 + len(DISCS) // 2 * len(TEXT.split())


def test_the_command_says_so(tmp_path, capsys):
    from indexer.cli import main

    path = tmp_path / "a.srt"
    path.write_text(srt(DISCS), encoding="utf-8")
    assert main([str(path), "--store", str(tmp_path / "index")]) == 0
    said = capsys.readouterr().err
    assert f"in doubt: {CLOCK_GOES_BACK} (1, first " in said
    assert "a.srt" in said


def test_few_words_in_many_minutes(tmp_path):
    text = "\n".join(
        f"{clock(s)},000 --> {clock(s + 600)},000\n{title}\n"
        for s, title in ((0, "Introduction"), (600, "Beans"), (1200, "Questions"))
    )
    assert doubts(tmp_path, "chapters.srt", text)[IMPLAUSIBLE_RATE] == 1
