"""Search in an index whose phones were heard: a word that the recogniser lost, beside the others.

The sound is drawn from the words of the example; then one word is taken out of what was written.
"""

import json
import shutil
from math import log
from types import SimpleNamespace

import numpy as np
import pytest

from indexer import delete_recordings, index_files, merge_segments
from searcher import open_fused, open_index
from searcher.commands.search import main
from searcher.evidence.calibrate import _explained, not_at
from searcher.heard.search import HeardSearch, HeardTerm
from searcher.index.stores import recording_table
from searcher.phonetic.indexes import open_phonetic_indexes
from searcher.phonetic.path_words import SAME, RecognisedWords
from searcher.results.candidates import Spans
from std.config import Config, PhoneticSearchConfig
from std.spoken_queries import SpokenQueries, SpokenQuery, WeightedWords
from std.values import Term
from tests.heard_sound import MESHES, inputs, learned, sounds_of, write_sound

pytestmark = pytest.mark.slow

LOST, WRITTEN, WHERE = "historische", "lawine", "KERSTIN_03"
KNOWN = "spreewald"
TERMS = [Term(str(i), text) for i, text in enumerate((LOST, KNOWN, "dem spreewald", "quarkknödel"))]


@pytest.fixture(scope="module")
def folder(made_once):
    """The files of the example, without the word, and the sound that has it; two indexes of them.

    The one is DEAF: it has no phones heard.
    """

    def make(folder):
        sound = sounds_of(made_once("learned", learned))
        for mesh in MESHES:
            text = mesh.read_text(encoding="utf-8")
            assert (LOST in text) == (mesh.stem == WHERE)
            (folder / mesh.name).write_text(text.replace(LOST, WRITTEN), encoding="utf-8")
            write_sound(folder, mesh.stem, sound[mesh.stem])
        index_files(inputs(folder), folder / "INDEX", language="German")
        index_files(inputs(folder), folder / "DEAF", language="German", learn_phones=False)

    return made_once("heard", make)


@pytest.fixture(scope="module")
def store(folder):
    return folder / "INDEX"


@pytest.fixture(scope="module")
def deaf(folder):
    return folder / "DEAF"


def with_phones(phones):
    return Config(phonetic_search=PhoneticSearchConfig(phones=phones))


def documents(*stores, phones="both", terms=TERMS, **selection):
    with open_index(*stores, config=with_phones(phones)) as index:
        return index.hits(index.search_terms(terms, **selection))


def same(hits):
    return [
        (hit.term, hit.file, hit.start_s, hit.probability, hit.method, hit.heard) for hit in hits
    ]


def best(hits, term):
    return max((hit for hit in hits if hit.term == term), key=lambda hit: hit.probability)


@pytest.mark.parametrize("phones", ["sound", "both"])
def test_a_word_that_was_not_written_is_found_where_it_was_said(store, phones):
    hit = best(documents(store, phones=phones), LOST)
    assert (hit.file, hit.decision) == (WHERE, "YES")
    assert abs(hit.start_s - 0.33) < 0.15
    assert hit.likeliest == WRITTEN
    assert "s t" in hit.heard
    assert hit.document()["heard"] == hit.heard


def test_words_of_other_spelling_do_not_hide_what_was_heard(store):
    terms = [Term("1", "demspreewald")]  # written as two words
    by_words, heard = (
        best(documents(store, phones=phones, terms=terms), "demspreewald")
        for phones in ("words", "sound")
    )
    assert [one.method for one in (by_words, heard)] == ["split", "heard"]
    assert by_words.file == heard.file
    assert abs(by_words.start_s - heard.start_s) < 0.2
    assert heard.probability > 0.5


def test_phones_of_words_are_searched_where_there_is_no_sound(tmp_path, folder, deaf):
    terms = [Term("1", "demspreewald")]
    without = best(documents(deaf, phones="words", terms=terms), "demspreewald")
    assert same(documents(deaf, phones="sound")) == same(documents(deaf, phones="words"))
    for path in folder.glob("KERSTIN*"):
        if path.name != f"{without.file}.sound":
            shutil.copy(path, tmp_path)
    index_files(inputs(tmp_path), tmp_path / "PARTLY", language="German")
    hit = best(documents(tmp_path / "PARTLY", phones="sound", terms=terms), "demspreewald")
    assert (hit.method, hit.file, hit.start_s) == ("split", without.file, without.start_s)
    assert hit.probability > 0.5
    assert best(documents(tmp_path / "PARTLY", phones="sound"), LOST).method == "heard"


def test_it_is_not_found_by_phones_guessed_from_the_words(store):
    hits = documents(store, phones="words")
    assert not [hit for hit in hits if hit.term == LOST and hit.probability > 0.5]
    assert not any("heard" in hit.document() for hit in hits)


def test_without_the_phones_heard_all_is_as_in_an_index_without_sound(store, deaf):
    without = [hit.document() for hit in documents(deaf)]
    assert without == [hit.document() for hit in documents(store, phones="words")]


def test_it_is_found_where_an_index_without_sound_is_fused_with_it(store, deaf):
    with open_fused(store, deaf) as index:
        hit = best(index.hits(index.search_terms(TERMS)), LOST)
    assert hit.file == WHERE
    assert hit.likeliest == WRITTEN
    assert "heard" in {finding.method for finding in hit.found_by}


def test_words_that_were_written_are_found_as_before_and_surer(store):
    without, heard = (best(documents(store, phones=p), KNOWN) for p in ("words", "both"))
    assert (without.file, without.start_s) == (heard.file, heard.start_s)
    assert heard.probability > 0.9


def test_the_words_of_a_spoken_query_are_heard_too(store):
    said = SpokenQueries((SpokenQuery("q", ("q",), (WeightedWords(LOST, 0.9),)),), "German")
    with open_index(store) as index:
        hit = best(index.hits(index.search_queries(said)), LOST)
    assert (hit.file, hit.likeliest) == (WHERE, WRITTEN)
    assert hit.probability > 0.5


def test_shards_give_the_same_hits(tmp_path, folder, store):
    shards = [tmp_path / "SHARD_1", tmp_path / "SHARD_2"]
    index_files(inputs(folder), shards, language="German")
    assert same(documents(*shards)) == same(documents(store))


def test_deleted_recordings_leave_no_trace(tmp_path, store):
    store = shutil.copytree(store, tmp_path / "FEWER")
    delete_recordings([MESHES[0].stem], store)
    before = same(documents(store))
    assert before
    assert MESHES[0].stem not in {hit[1] for hit in before}
    merge_segments(store)
    assert same(documents(store)) == before


def test_a_restricted_search_finds_what_an_index_of_that_part_would(store):
    hits = documents(store, recordings=[WHERE])
    assert {hit.file for hit in hits} == {WHERE}
    assert best(hits, LOST).probability > 0.5
    elsewhere = documents(store, recordings=["KERSTIN_00"])
    assert best(elsewhere, LOST).probability < 0.2


def test_the_command_says_what_was_heard(store, capsys):
    asked = ["--store", str(store), LOST, "--min-probability", "0.5", "--json"]
    assert main([*asked, "--phones", "words"]) == 1
    assert json.loads(capsys.readouterr().out) == []
    assert main(asked) == 0
    hit, *_ = json.loads(capsys.readouterr().out)
    assert hit["method"] == "heard"
    assert hit["how"].endswith("heard in the sound")


def heard_in(store):
    """The phones heard of an index, as a search has them, and its recordings."""
    with open_index(store) as index:
        table = recording_table(index.segments)
        indexes, _ = open_phonetic_indexes(index.segments, table.row_of, Config(), None)
        words = RecognisedWords(tuple(one.words for one in indexes.indexes), {})
        archive = SimpleNamespace(log_slots=7.0)
        phonetic = SimpleNamespace(
            indexes=indexes, searched=SimpleNamespace(words=words, archive=archive)
        )
    return HeardSearch(None, phonetic, None), table.recordings


def slots_in(store, recordings):
    """(row, middle and begin in ms, likeliest word) of every slot that has one, in order."""
    slots = []
    with open_index(store) as index:
        for segment in index.segments:
            columns, words = segment.columns(), segment.words()
            for slot, word in enumerate(columns.slot_word.tolist()):
                own, middle_ms = divmod(int(columns.slot_key[slot]), 1 << 32)
                row = recordings.index(columns.recordings[own].recording)
                begin_ms = columns.posting_start_ms[columns.posting_slot == slot].min()
                if word >= 0:
                    slots.append((row, middle_ms, int(begin_ms), words[word]))
    return sorted(slots, key=lambda one: one[:2])


def places(rows, middles_ms):
    middles_ms = np.array(middles_ms)
    return Spans(np.array(rows), middles_ms - 50, middles_ms + 50)


def test_the_word_at_a_place_is_the_last_that_begins_before_its_middle(store):
    search, recordings = heard_in(store)
    spoken = slots_in(store, recordings)
    random = np.random.default_rng(1)
    rows = random.integers(0, len(recordings), 200)
    middles_ms = random.integers(60, 20_000, 200)
    expected = []
    for row, at_ms in zip(rows.tolist(), middles_ms.tolist(), strict=True):
        own = [one for one in spoken if one[0] == row]
        before = [word for _, middle_ms, _, word in own if middle_ms < at_ms]
        behind = [one for one in own if one[1] >= at_ms][:1]
        inside = [word for *_, begin_ms, word in behind if begin_ms <= at_ms]
        expected.append([None, *before, *inside][-1])
    assert search.written_at(places(rows, middles_ms)) == expected
    assert len({*expected}) > 20


def test_a_term_is_not_heard_in_words_that_it_is_attached_to(store):
    search, recordings = heard_in(store)
    spoken = slots_in(store, recordings)[:40]
    spans = places([row for row, *_ in spoken], [middle_ms for _, middle_ms, *_ in spoken])
    term = HeardTerm(("a",), spans, np.arange(40.0), np.arange(40.0))
    written = search.written_at(spans)
    others = {written[3], written[30]}
    kept = [i for i in range(40) if i < 10 or written[i] not in others]
    assert len(kept) < 40
    assert not_at(others, term, 10, search).score.tolist() == kept


def test_places_in_words_of_which_a_term_may_be_a_part_are_explained_together(store):
    search, recordings = heard_in(store)
    spoken = slots_in(store, recordings)
    long = [(row, ms) for row, ms, _, word in spoken if len(word) > 8]
    none = SimpleNamespace(segment=np.empty(0, int), paths=np.empty((0, 4)))
    some = [*long[: 2 * SAME], (long[0][0], 0)]  # at 0 nothing is written yet
    found = _explained(["xyzqa"], none, places(*zip(*some, strict=True)), search)
    assert found[:-1] == pytest.approx(log(2))
    assert found[-1] == 0.0
    few = _explained(["xyzqa"], none, places(*zip(*long[:SAME], strict=True)), search)
    assert (few == 0.0).all()
