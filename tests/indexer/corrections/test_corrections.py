"""What people correct is in the index, stays there, and can be undone to the last byte."""

import json
import uuid
from contextlib import closing, nullcontext

import numpy as np
import pytest

from indexer import (
    correct_by_table,
    correct_recording,
    delete_recordings,
    index_files,
    list_corrections,
    list_recordings,
    merge_segments,
    rename_recording,
    undo_corrections,
)
from indexer.corrections.align import said_at, said_in_all
from indexer.corrections.slots import SpokenWord, corrected, spoken_words, uncorrected
from indexer.networks.utterances import stacked
from indexer.segments.invert import invert
from indexer.segments.merge import merged
from indexer.store_cli import main
from searcher import open_index
from searcher.commands import search
from std import corrections as layer
from std.errors import InputError, StoreError
from std.metadata.table import of_rows
from std.store import open_store
from std.values import ConfusionNetwork, Recording, Term

FILES = ["KERSTIN_00", "KERSTIN_04", "KERSTIN_07"]
WORDS = ["haus", "baum", "hahnenfedern", "er"]


@pytest.fixture(scope="module")
def columns(german, tmp_path_factory):
    """The columns of an index, without phones."""
    store = tmp_path_factory.mktemp("store") / "index"
    index_files([german / "mesh" / f"{file}.mesh" for file in FILES], store, language="de")
    with closing(open_store(str(store))) as opened:
        return merged(opened.segments())


@pytest.fixture
def store(german, tmp_path):
    store = str(tmp_path / "index")
    index_files([german / "mesh" / f"{file}.mesh" for file in FILES], store, language="de")
    return store


def digests(store):
    with closing(open_store(store)) as opened:
        assert not [*opened.damage()]
        return sorted(segment.columns().digest() for segment in opened.segments())


def said(store, file="KERSTIN_00"):
    with closing(open_store(store)) as opened:
        for segment in opened.segments():
            columns = merged([segment])
            for row, one in enumerate(columns.recordings):
                if one.recording.file == file:
                    return [word.word for word in next(spoken_words(columns, [row]))[0]]
    return None


def test_any_corrections_hold_and_are_taken_back_to_the_same_bytes(columns):
    random = np.random.default_rng(4)
    for _ in range(40):
        row = int(random.integers(len(columns.recordings)))
        file = columns.recordings[row].recording.file
        now, done = columns, ()
        for _ in range(3):
            spoken, middles = next(spoken_words(now, [row]))
            before = [one.word for one in spoken]
            i = int(random.integers(len(spoken)))
            j = min(len(spoken), i + int(random.integers(4)))
            words = [str(word) for word in random.choice(WORDS, int(random.integers(4)))]
            after = [*before[:i], *words, *before[j:]]
            found, _ = said_in_all(spoken, middles, after)
            for one in found:
                now, noted = corrected(now, {file: (one,)})
                done += noted[file]
            assert [one.word for one in next(spoken_words(now, [row]))[0]] == after
        assert layer.parse(layer.dump(done), file) == done
        assert uncorrected(now, {file: done}).digest() == columns.digest()
        again, noted = corrected(columns, {file: done})
        assert (again.digest(), noted[file]) == (now.digest(), done)


def network(words, times, speaker=""):
    spans = np.array(times, np.int32)
    return ConfusionNetwork(
        Recording("a", 1), "1", 0, 9000, spans, np.zeros(len(words), np.float32),
        np.arange(len(words) + 1, dtype=np.int32), tuple(words),
        np.full(len(words), 0.5, np.float32), spans, speaker=speaker,
    )  # fmt: skip


def test_slots_at_one_time_and_the_speaker_of_what_is_replaced():
    times = [(0, 10), (0, 10), (0, 10), (10, 11), (11, 12), (5000, 5400)]
    columns = invert(stacked([network(["a", "b", "c", "d", "e", "f"], times, "Ada")]))
    for i in range(6):
        for words in ([], ["x"], ["x", "y", "z"]):
            spoken, middles = next(spoken_words(columns, [0]))
            wanted = [*"abcdef"[:i], *words, *"abcdef"[i + 1 :]]
            found, _ = said_in_all(spoken, middles, wanted)
            new, noted = corrected(columns, {"a": tuple(found)})
            assert [one.word for one in next(spoken_words(new, [0]))[0]] == wanted
            assert uncorrected(new, noted).digest() == columns.digest()
            assert new.extra["speakers"].tobytes() == b"Ada\n"


def test_the_words_that_sound_most_alike_are_replaced():
    words = ["knopf", "hand", "in", "vielen", "gesteckt"]
    spoken = [SpokenWord(word, 1000 * i, 1000 * i + 900, i) for i, word in enumerate(words)]
    middles = np.arange(5) * 1000 + 450
    one = said_at(spoken, middles, ["hahnenfedern"], (1100, None))
    assert (one.start_ms, one.end_ms, one.words) == (951, 3950, (("hahnenfedern", 1000, 3900),))
    nothing = said_at(spoken, middles, [], (1000, 2800))
    assert (nothing.start_ms, nothing.end_ms, nothing.words) == (951, 2950, ())
    added = said_at(spoken, middles, ["dort"], (9000, None))  # nobody spoke there
    assert added.start_ms > 4450
    assert added.words[0].start_ms == 4900


@pytest.mark.parametrize("later_ms", [-400, -100, 100, 400])
def test_another_recogniser_keeps_the_words_beside_a_correction(network, tmp_path, later_ms):
    words = ["der", "raum", "im", "wald"]

    def written(later_ms):
        spans = [(1000 * i + later_ms, 1000 * i + later_ms + 800) for i in range(1, 5)]
        return invert([network(*([(w, 0.9)] for w in words), file="a", spans_ms=spans)])

    spoken, middles = next(spoken_words(written(0), [0]))
    one = said_at(spoken, middles, ["traum"], (2100, None))
    columns, _ = corrected(written(later_ms), {"a": (one,)})
    assert [word.word for word in next(spoken_words(columns, [0]))[0]] == [
        "der",
        "traum",
        "im",
        "wald",
    ]


def test_a_correction_stays_until_it_is_taken_back(store, german, tmp_path):
    before = digests(store)
    index_files((), store, metadata=of_rows({"KERSTIN_00": {"title": "A"}}))
    (done,) = correct_recording("KERSTIN_00.wav", store, words="Hahnenfedern!", at_s=10.6)
    assert (done.correction.replaced, done.correction.text) == ("hand in vielen", "hahnenfedern")
    after = said(store)
    assert "hahnenfedern" in after
    with open_index(store) as index:
        (hit,) = [one for one in index.search("hahnenfedern") if one.file == "KERSTIN_00"]
        assert (hit.start_s, hit.method) == (10.448, "exact")
        assert hit.probability == 1
        listed = index.search_terms([Term("T", "hahnenfedern"), Term("U", "hahn*")])
        (row,) = np.flatnonzero(listed.probability == 1)  # * stands for itself in a list
        assert listed.candidates.start_ms[row] == 10448
        (again,) = [one for one in index.search("hahnenf*") if one.file == "KERSTIN_00"]
        assert (again.probability, again.start_s) == (1, 10.448)
        (other,) = [one for one in index.search("hahnenfeder") if one.file == "KERSTIN_00"]
        assert other.probability < 1  # by its phones
        assert hit.metadata == {"title": "A"}
    index_files(german / "mesh" / "KERSTIN_00.mesh", store, language="de")  # again
    assert said(store) == after
    assert list_corrections(store) == [done]
    index_files(
        german / "mesh" / "KERSTIN_00.mesh", store, language="de", delete=["KERSTIN_00"],
        metadata=of_rows({"KERSTIN_00": {"title": "B"}}),
    )  # fmt: skip
    assert said(store) == after
    rename_recording("KERSTIN_00", "ADA", store)
    assert said(store, "ADA") == after
    assert [one.recording.file for one in list_corrections(store)] == ["ADA"]
    rename_recording("ADA", "KERSTIN_00", store)
    merge_segments(store)
    assert undo_corrections("KERSTIN_00", store, at_s=10.7) == [done]
    assert list_corrections(store) == []
    merge_segments(store)
    assert digests(store) == before
    listed = list_recordings(store, recordings=["KERSTIN_00"])
    assert dict(listed[0].about.metadata) == {"title": "B"}


TWO_CHANNELS = "".join(
    f"call {channel} {start} 0.4 {word} 0.9\n"
    for channel in (1, 2)
    for start, word in ((0.5, "hallo"), (2.0, "burg"))
)


def test_the_correction_of_one_channel_is_taken_back(tmp_path, capsys):
    store = str(tmp_path / "index")
    (tmp_path / "two.ctm").write_text(TWO_CHANNELS)
    index_files(tmp_path / "two.ctm", store, language="de")
    for channel in (1, 2):
        correct_recording("call", store, words="hahn", at_s=0.7, channel=channel)
    (gone,) = undo_corrections("call", store, at_s=0.7, channel=2)
    assert gone.recording == ("call", 2)
    assert [one.recording.channel for one in list_corrections(store)] == [1]
    assert main(["correct", store, "call", "--undo", "--channel", "2"]) == 2
    assert "a correction of channel 2 of call, got none" in capsys.readouterr().err
    assert main(["correct", store, "--table", "x.csv", "--channel", "2"]) == 2
    assert "expected no other option" in capsys.readouterr().err
    assert main(["correct", store, "call", "--undo", "--channel", "1"]) == 0
    assert list_corrections(store) == []


def test_a_word_that_only_people_put_there_is_found_elsewhere_by_its_sound(german, tmp_path):
    store, term = str(tmp_path / "index"), "ungleichung"
    index_files(german / "mesh" / "KERSTIN_14.mesh", store, language="de")
    with open_index(store) as index:
        before = {hit.start_s: hit.probability for hit in index.search(term)}
    first, second, *_ = sorted(start for start, likely in before.items() if likely > 0.5)
    correct_recording("KERSTIN_14", store, words="Ungleichung", at_s=first + 0.3)
    with open_index(store) as index:
        assert "ungleichung" in index.vocabulary
        found = index.find(term, "gleichung", "ungleich*")
        hits = {(hit.term, hit.start_s): hit for hit in index.hits(found)}
    corrected, other = hits[term, first], hits[term, second]
    assert (corrected.method, corrected.probability) == ("exact", 1)
    assert other.method == "phonetic"
    assert other.probability == pytest.approx(before[second], abs=0.05)
    assert hits["ungleich*", first].probability == 1
    assert found.oov_words == ((term,), (), ())


def test_a_corrected_recording_moves_between_shards(store, german, tmp_path):
    correct_recording("KERSTIN_00", store, words="hahnenfedern", at_s=(10.45, 11.38))
    shards = [store, str(tmp_path / "second"), str(tmp_path / "third")]
    mesh = [german / "mesh" / f"{file}.mesh" for file in FILES]
    index_files(mesh, shards, language="de")
    assert sum("hahnenfedern" in (said(shard) or ()) for shard in shards) == 1
    assert len(list_corrections(shards)) == 1
    undo_corrections("KERSTIN_00", shards)
    fresh = str(tmp_path / "fresh")
    index_files(mesh, fresh, language="de")
    assert next(filter(None, map(said, shards))) == said(fresh)


def test_deleting_a_recording_deletes_its_corrections(store, german):
    correct_recording("KERSTIN_00", store, words="hahnenfedern", at_s=10.6)
    delete_recordings(["KERSTIN_00"], store)
    assert list_corrections(store) == []
    index_files(german / "mesh" / "KERSTIN_00.mesh", store, language="de")
    assert "hahnenfedern" not in said(store)


@pytest.mark.parametrize("form", ["txt", "srt", "json"])
def test_a_corrected_transcript_is_right_where_it_differs(store, tmp_path, form):
    before = said(store)
    i = before.index("hand")
    words = [*before[:i], "Hahnenfedern", *before[i + 3 :]]
    path = tmp_path / f"corrected.{form}"
    if form == "txt":
        path.write_text(" ".join(words))
    elif form == "srt":
        path.write_text(f"1\n00:00:00,000 --> 00:03:00,000\n{' '.join(words)}\n")
    else:
        segment = {"start": 0.0, "end": 180.0, "text": " ".join(words)}
        path.write_text(json.dumps({"text": " ".join(words), "segments": [segment]}))
    shown = correct_recording("KERSTIN_00", store, transcript=path, dry_run=True)
    assert said(store) == before
    assert [(one.correction.replaced, one.correction.text) for one in shown] == [
        ("hand in vielen", "hahnenfedern")
    ]
    assert correct_recording("KERSTIN_00", store, transcript=path) == shown
    assert said(store) == [word.lower() for word in words]


def test_a_transcript_of_a_part_says_nothing_of_the_rest(store, tmp_path):
    before = said(store)
    path = tmp_path / "part.srt"
    path.write_text("1\n00:00:08,700 --> 00:00:12,200\nKnopf sind sieben schwarze Hahnenfedern "
                    "gesteckt\n")  # fmt: skip
    correct_recording("KERSTIN_00", store, transcript=path)
    after = said(store)
    assert "hahnenfedern" in after
    assert after[:5] == before[:5]
    assert after[-20:] == before[-20:]


def test_the_command(store, tmp_path, capsys):
    argv = ["correct", store, "KERSTIN_00", "--at", "10.6", "--words", "Hahnenfedern"]
    with closing(open_store(store)) as other, other.writing():  # a dry run needs no right to write
        assert main([*argv, "--dry-run", "--csv"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "recording,channel,start_s,end_s,before,after",
        "KERSTIN_00,1,10.448,11.386,hand in vielen,hahnenfedern",
    ]
    assert err == "KERSTIN_00: 1 place corrected; nothing was written\n"
    assert main([*argv, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["corrections", store, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["before"], row["after"]) == ("hand in vielen", "hahnenfedern")
    assert main(["correct", store, "KERSTIN_00", "--undo", "--at", "10.5-10.9"]) == 0
    assert "1 place undone" in capsys.readouterr().err
    assert main(["corrections", store]) == 0
    assert "0 corrections" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("--at 10.6", "expected --at with --words, or --transcript, or --undo"),
        ("--undo --words x", "--undo takes corrections back"),
        ("--undo", "expected a correction of KERSTIN_00, got none"),
        (
            "--at 1 --words x --channel 2",
            "a channel of KERSTIN_00, got '2'; choose one with --channel",
        ),
        ("--transcript OTHER", "expected a transcript of KERSTIN_00, got one with 0 % of its"),
        ("--transcript CSV", "odd.csv"),
        ("--at 9999-10000 --words x", "KERSTIN_00, whose words end at 105.8 s, got 9999 s"),
    ],
)
def test_what_is_refused(store, tmp_path, capsys, line, told):
    (tmp_path / "other.txt").write_text("something else entirely")
    (tmp_path / "odd.csv").write_text("a,b\n1,2\n")
    line = line.replace("OTHER", str(tmp_path / "other.txt"))
    line = line.replace("CSV", str(tmp_path / "odd.csv"))
    assert main(["correct", store, "KERSTIN_00", *line.split()]) == 2
    (shown,) = capsys.readouterr().err.splitlines()
    assert told.replace(" %", "%") in shown.replace(" %", "%")
    with pytest.raises(ValueError, match="expected words and at_s"):
        correct_recording("KERSTIN_00", store, words="x")
    with pytest.raises(InputError, match="is 'KERSTIN_00' meant"):
        undo_corrections("KRESTIN_00", store)


@pytest.mark.parametrize("text", ["[[1]]", "{", "[[1,2,3,[[1]],[]]]", "[[1,2,3,[],[[1,2]]]]"])
def test_damaged_corrections_are_named(text):
    with pytest.raises(StoreError, match="a: expected corrections"):
        layer.parse(text, "a")


def test_without_corrections_nothing_is_other_than_before(store):
    with closing(open_store(store)) as opened:
        assert not opened.metadata()
        (segment,) = opened.segments()
        columns = merged([segment])
    assert corrected(columns, {}) == (columns, {})
    assert uncorrected(columns, {}) is columns


def test_every_kind_of_store(german, couchdb_url, tmp_path):
    for url in (str(couchdb_url), f"memory:{uuid.uuid4().hex}"):
        index_files(german / "mesh" / "KERSTIN_00.mesh", url, language="de")
        before = said(url)
        correct_recording("KERSTIN_00", url, words="hahnenfedern", at_s=10.6)
        assert "hahnenfedern" in said(url)
        index_files(german / "mesh" / "KERSTIN_00.mesh", url, language="de")
        undo_corrections("KERSTIN_00", url)
        assert said(url) == before


def test_names_that_are_written_otherwise_are_found_and_corrected(store, tmp_path, capsys):
    names, table = tmp_path / "names.csv", tmp_path / "found.csv"
    names.write_text("Name\nHahnenfedern\nSpreewald\nBrandenburgische\n")
    argv = ["--store", store, "--terms", str(names), "--corrections", str(table), "--csv"]
    assert search.main(argv) == 0
    assert "1 place written otherwise ->" in capsys.readouterr().err
    rows = table.read_text().splitlines()
    assert rows[0].startswith("recording,channel,start_s,end_s,before,after,probability,context")
    assert rows[1].startswith("KERSTIN_00,1,10.448,11.388,hand in vielen,Hahnenfedern,0.9")
    assert len(rows) == 2  # the others are written so, or within a longer word
    table.write_text("\n".join([rows[0], rows[1] + "no"]))
    assert main(["correct", store, "--table", str(table), "--csv"]) == 0
    assert "0 places corrected" in capsys.readouterr().err
    table.write_text("\n".join(rows))
    assert main(["correct", store, "--table", str(table), "--dry-run"]) == 0
    assert list_corrections(store) == []
    (done,) = correct_by_table(table, store)
    assert (done.correction.replaced, done.correction.text) == ("hand in vielen", "hahnenfedern")
    assert search.main(argv) == 0
    assert "0 places written otherwise ->" in capsys.readouterr().err
    other = rows[1].replace("Hahnenfedern", "Hahnenfeder")
    table.write_text("\n".join([rows[0], other]))
    with pytest.raises(InputError, match=r"found\.csv:2: expected 'hand in vielen' in KERSTIN_00"):
        correct_by_table(table, store)


def test_a_table_of_which_a_killed_run_has_made_half_is_made_whole(tmp_path):
    lines = ["a 1 0.0 0.3 eins", "a 1 0.4 0.3 eins", "b 1 1.0 0.5 zwei"]
    (tmp_path / "a.ctm").write_text("\n".join(lines) + "\n")
    index_files(tmp_path / "a.ctm", tmp_path / "index")
    rows = ["recording,channel,start_s,end_s,before,after", "a,1,0,0.3,eins,Fünf\n"]
    (tmp_path / "table.csv").write_text("\n".join(rows))
    assert len(correct_by_table(tmp_path / "table.csv", tmp_path / "index")) == 1
    (tmp_path / "table.csv").write_text("\n".join([*rows, "b,1,1,1.5,zwei,Sechs"]))
    done = correct_by_table(tmp_path / "table.csv", tmp_path / "index")
    assert [one.correction.text for one in done] == ["sechs"]
    made = list_corrections(tmp_path / "index")
    assert [one.correction.replaced for one in made] == ["eins", "zwei"]
    manifest = (tmp_path / "index" / "manifest.json").stat()
    assert correct_by_table(tmp_path / "table.csv", tmp_path / "index") == []
    assert (tmp_path / "index" / "manifest.json").stat().st_ino == manifest.st_ino  # not written
    correct_recording("a", tmp_path / "index", words="  ", at_s=0.5)
    assert list_corrections(tmp_path / "index")[-2].correction.written == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("recording,start_s,end_s,after\n", "expected a column before"),
        ("recording,start_s,end_s,before,after\nKERSTIN_00,x,2,a,b\n", "2: expected a time in"),
        ("recording,start_s,end_s,before,after\nKERSTIN_00,3,2,a,b\n", "expected an end not"),
        ("recording,start_s,end_s,before,after\n,1,2,a,b\n", "expected the name of a recording"),
        ("file,start,end,before,after\nKRESTIN,1,2,a,b\n", "indexed audio file, got 'KRESTIN'"),
        ("file,start,end,before,after\nKERSTIN_00,10,12,a,b\n", "expected 'a' in KERSTIN_00 at"),
        ("file,start,end,before,after,right\nKERSTIN_00,1,2,a,b,maybe\n", "expected yes or no"),
        ("file,channel,start,end,before,after\nKERSTIN_00,x,1,2,a,b\n", "number of a channel"),
    ],
)
def test_odd_tables(store, tmp_path, capsys, text, told):
    (tmp_path / "t.csv").write_text(text)
    assert main(["correct", store, "--table", str(tmp_path / "t.csv")]) == 2
    (shown,) = capsys.readouterr().err.splitlines()
    assert told in shown
    assert list_corrections(store) == []


def test_a_table_may_spell_a_recording_in_several_ways(tmp_path, monkeypatch):
    lines = ["\u00f6 1 0.0 0.5 eins", "\u00f6 1 1.0 0.5 zwei", "\u00f6 2 1.0 0.5 drei"]
    (tmp_path / "a.ctm").write_text("\n".join(lines) + "\n")
    index_files(tmp_path / "a.ctm", tmp_path / "index")
    rows = [
        "\u00f6,1,0,0.5,eins,fünf",
        "o\u0308.wav,1,1,1.5,zwei,sechs",
        "\u00f6,2,1,1.5,drei,acht",
    ]
    table = ["recording,channel,start_s,end_s,before,after", *rows]
    (tmp_path / "table.csv").write_text("\n".join(table) + "\n")
    merges, steps = [], []

    def counted(parts):
        merges.append(len(parts))
        return merged(parts)

    monkeypatch.setattr("indexer.corrections.slots.merged", counted)
    bar = lambda length: nullcontext(lambda n: steps.append(n / length))  # noqa: E731  # a few words
    done = correct_by_table(tmp_path / "table.csv", tmp_path / "index", progress=bar)
    assert [one.correction.text for one in done] == ["fünf", "sechs", "acht"]
    assert merges == [3]  # both channels at once; one for each row would take quadratic time
    assert sum(steps) == pytest.approx(1)
    assert {one.recording.file for one in done} == {"\u00f6"}
    assert len(list_corrections(tmp_path / "index")) == 3
