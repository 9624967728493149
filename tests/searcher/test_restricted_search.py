"""A part of an archive is searched: what is heard there does not depend on the rest."""

import json
import pickle
from dataclasses import replace
from functools import partial
from weakref import WeakKeyDictionary

import numpy as np
import pytest

from indexer import index_files
from searcher import open_index
from searcher.evidence.pairing import pair_with_hits
from searcher.found_terms import find_terms
from searcher.index.searched_speech import inside_ecf
from searcher.phonetic.archive import FILE, KEPT_STATISTICS
from searcher.phonetic.hits import phonetic_hits
from searcher.phonetic.indexes import searched_archive, slots_inside
from searcher.phonetic.ratios import pronounced
from searcher.tuning.development_set import lexical_candidates
from searcher.tuning.examples import JudgedSpeech, by_transcript, labelled, labelled_by_words
from searcher.tuning.labels import make_transcript
from std.config import Config, PhoneticSearchConfig
from std.files import read
from std.nist import ecf as ecfs
from std.nist import rttm
from std.spoken_queries import SpokenQuery, WeightedWords
from std.store.columns import TIME_MASK
from std.values import Excerpt, Recording, Term

UNKNOWN = [("hahnenfedern",), ("biosfären",), ("spreewaldgurke",)]


@pytest.fixture(scope="module")
def index(german, tmp_path_factory):
    store = str(tmp_path_factory.mktemp("restricted") / "index")
    meshes = sorted((german / "mesh").glob("*.mesh"))
    index_files(meshes[:9], store)
    index_files(meshes[9:], store)
    index_files([], store, delete=["KERSTIN_03"])
    with open_index(store) as opened:
        yield opened


@pytest.fixture(scope="module")
def phonetic(index):
    found, _ = index._prepared.languages[0].phonetic
    return found


@pytest.fixture(scope="module")
def experiment(german):
    return read(ecfs.parse, german / "ecf.xml")


@pytest.fixture(scope="module")
def alone(german, experiment, tmp_path_factory):
    """The first recordings of the archive in an index of their own: their number -> the index."""
    folder = tmp_path_factory.mktemp("alone")

    def open_part(n):
        names = {excerpt.recording.file for excerpt in experiment.excerpts[:n]}
        store = str(folder / f"{n}")
        index_files([german / "mesh" / f"{name}.mesh" for name in sorted(names)], store)
        index_files([], store, delete=["KERSTIN_03"] if "KERSTIN_03" in names else [])
        return open_index(store)

    return open_part


def phonetic_of(index):
    found, _ = index._prepared.languages[0].phonetic
    return found


def evidence(index, words, excerpts=None):
    """Places of a term found by its phones, and what is known of each."""
    recordings, phonetic = index._prepared.table.recordings, phonetic_of(index).within(excerpts)
    inside = partial(inside_ecf, recordings=recordings, excerpts=excerpts)
    searched = searched_archive(phonetic, excerpts)
    ways, none = pronounced([words], phonetic.lexicon), np.zeros(1, np.int64)
    (hits,) = phonetic_hits(ways, none, none, phonetic, searched.archive.null, inside)
    nothing = index.search_terms([]).candidates
    paired = pair_with_hits(words, nothing, hits, searched)
    found = hits.rows(paired.unpaired)
    features = np.stack([paired.features[name] for name in sorted(paired.features)], axis=1)
    files = [recordings[row].file for row in found.recording.tolist()]
    places = zip(files, found.start_ms.tolist(), strict=True)
    return dict(zip(places, features.tolist(), strict=True)), paired.log_chances


@pytest.mark.parametrize("n", [1, 3, 7, 11])
@pytest.mark.parametrize("is_large", [False, True])
def test_a_place_has_the_evidence_that_it_has_in_an_index_of_the_part(
    index, alone, experiment, monkeypatch, n, is_large
):
    monkeypatch.setattr("searcher.phonetic.search.FULL_SCAN_ARCS", 0 if is_large else 10**9)
    monkeypatch.setattr("searcher.phonetic.seeds.MIN_SEEDS", 150)  # of a term: some hundreds
    monkeypatch.setattr("searcher.phonetic.seeds.MIN_WINDOWS", 20)
    monkeypatch.setattr("searcher.phonetic.archive._known", WeakKeyDictionary())
    with alone(n) as part:
        found = [evidence(index, words, experiment.excerpts[:n]) for words in UNKNOWN]
        assert found == [evidence(part, words) for words in UNKNOWN]
        assert any(places for places, _ in found)


@pytest.mark.parametrize("n", [2, 7, 12])
def test_terms_have_the_probabilities_that_they_have_in_an_index_of_the_part(
    index, alone, experiment, n
):
    every = _terms([*(word for (word,) in UNKNOWN), "landschaft", "die", "wo und", "haus"])
    with alone(n) as part:
        terms = [term for term in every if is_known(part, term) == is_known(index, term)]
        assert {is_known(index, term) for term in terms} == {True, False}
        found = index.search_terms(terms, replace(experiment, excerpts=experiment.excerpts[:n]))
        expected = part.search_terms(terms)
        assert len(expected.probability) > 20
        assert found.probability.tolist() == expected.probability.tolist()
        assert found.candidates.start_ms.tolist() == expected.candidates.start_ms.tolist()


def is_known(index, term):
    return set(index.vocabulary.words).issuperset(term.text.split())


def test_a_word_of_the_rest_of_the_archive_is_one_that_the_recogniser_knows(index, experiment):
    excerpts = [one for one in experiment.excerpts if one.recording.file == "KERSTIN_04"]
    found = index.search_terms(_terms(["mannschaft"]), replace(experiment, excerpts=excerpts))
    assert found.oov_words == ((),)


def test_speech_without_phones_is_told_of_where_it_is_searched(german, tmp_path):
    with_phones, without = (german / "mesh" / f"KERSTIN_{i:02}.mesh" for i in (0, 8))
    index_files([with_phones], tmp_path / "index")
    config = Config(phonetic_search=PhoneticSearchConfig("none"))
    index_files([without], tmp_path / "index", config=config)
    with open_index(tmp_path / "index") as index:
        told = {
            name: index.find("hahnenfedern", recordings=[name]).without_phones
            for name in ("KERSTIN_00", "KERSTIN_08", "*")
        }
    assert told == {"KERSTIN_00": (), "KERSTIN_08": ("",), "*": ("",)}


def test_a_part_goes_to_other_processes_as_a_part(phonetic, experiment):
    part = phonetic.within(experiment.excerpts[:2])
    assert phonetic.within(experiment.excerpts[:2]) is part
    for index, copied in zip(part.indexes, pickle.loads(pickle.dumps(part.indexes)), strict=True):
        assert copied.live.tolist() == index.live.tolist()
        assert copied.counts.tolist() == index.counts.tolist()
        assert 0 < index.live.sum() <= 2


def test_alternatives_of_a_part_are_counted_whichever_half_it_is(phonetic):
    for index in phonetic.indexes:
        names = [indexed.recording for indexed in index.columns.recordings]
        parts = [index.within({name}) for name in names]
        assert sum(part.counts for part in parts).tolist() == index.counts.tolist()
        others = [index.within({*names} - {name}) for name in names]
        for part, other in zip(parts, others, strict=True):
            assert (part.counts + other.counts).tolist() == index.counts.tolist()


def test_what_is_known_of_the_last_parts_is_kept_beside_the_index(index, experiment, monkeypatch):
    file = index._prepared.languages[0].folder / FILE
    monkeypatch.setattr("searcher.phonetic.archive._known", WeakKeyDictionary())

    def search(excerpts):
        index.search_terms(_terms(["hahnenfedern"]), replace(experiment, excerpts=excerpts))
        return [one["is_part"] for one in json.loads(file.read_bytes())["archives"]]

    file.unlink(missing_ok=True)
    assert search(experiment.excerpts) == [False]
    assert search(experiment.excerpts[:9]) == [True, False]  # all of a segment
    for n in range(1, KEPT_STATISTICS + 3):
        kept = search(experiment.excerpts[n : n + 1])
    assert (kept.count(True), kept.count(False)) == (KEPT_STATISTICS, 1)
    before = file.read_bytes()
    monkeypatch.setattr("searcher.phonetic.archive._known", WeakKeyDictionary())
    monkeypatch.setattr("searcher.phonetic.archive.learn_archive", None)
    search(experiment.excerpts[KEPT_STATISTICS + 2 : KEPT_STATISTICS + 3])
    search(experiment.excerpts)
    assert file.read_bytes() == before


def test_everything_is_no_part_and_of_nothing_there_is_none(phonetic, experiment):
    assert phonetic.within(None) is phonetic
    assert phonetic.within(experiment.excerpts) is phonetic
    assert phonetic.within([Excerpt(Recording("another", 1), 0.0, 60.0)]) is None


def test_slots_inside_are_those_that_begin_there(phonetic):
    rng = np.random.default_rng(7)
    for segment in phonetic.indexes:
        columns, key = segment.columns, segment.columns.slot_key
        of_slot = segment.recordings_of(np.arange(len(key)))
        start_ms = (key & TIME_MASK).astype(np.int64)
        recordings = [indexed.recording for indexed in columns.recordings]
        for _ in range(40):
            drawn = rng.integers(0, len(recordings), int(rng.integers(0, 9))).tolist()
            excerpts = [
                Excerpt(recordings[row], float(start_s), float(duration_s))
                for row, start_s, duration_s in zip(
                    drawn,
                    rng.integers(0, 90_000, len(drawn)) / 1000,
                    rng.choice([0.0, 0.5, 20.0, 9e6], len(drawn)),
                    strict=True,
                )
            ]
            expected = sum(
                bool(segment.live[row])
                and any(
                    excerpt.recording == recordings[row]
                    and round(1000 * excerpt.start_s) <= ms < 1000 * excerpt.end_s
                    for excerpt in excerpts
                )
                for row, ms in zip(of_slot.tolist(), start_ms.tolist(), strict=True)
            )
            other = Excerpt(Recording("another", 1), 0.0, 60.0)
            assert slots_inside(segment, [*excerpts, other]) == expected


def test_an_ecf_of_everything_is_the_whole_archive_whatever_its_source_type(phonetic, experiment):
    whole = searched_archive(phonetic)
    for source_type in ("bnews", "cts", "splitcts"):
        every = [replace(one, source_type=source_type) for one in experiment.excerpts]
        assert searched_archive(phonetic, every).slots == whole.slots


def test_an_ecf_and_chosen_recordings_are_the_same_search(index, experiment):
    terms = [*UNKNOWN, ("landschaft",)]
    chosen = experiment.excerpts[:3]
    names = [one.recording.file for one in chosen]
    texts = [" ".join(words) for words in terms]
    by_ecf = index.search_terms(_terms(texts), replace(experiment, excerpts=chosen))
    by_name = index.search_terms(_terms(texts), recordings=names)
    assert len(by_ecf.probability)
    assert by_name.probability.tolist() == by_ecf.probability.tolist()


def _terms(texts):
    return [Term(text, text) for text in texts]


@pytest.mark.parametrize("text", ["auguststrindbergs", "andererseitsgelangte"])
def test_a_candidate_inside_keeps_its_hit_that_ends_a_little_later(index, experiment, text):
    everywhere = index.search_terms(_terms([text]))
    candidates, best = everywhere.candidates, int(everywhere.probability.argmax())
    recording = everywhere.recordings[candidates.recording[best]]
    end_ms = int(candidates.end_ms[best])
    excerpts = (Excerpt(recording, 0.0, end_ms / 1000),)
    part = index.search_terms(_terms([text]), replace(experiment, excerpts=excerpts))
    there = part.candidates.start_ms == candidates.start_ms[best]
    assert everywhere.probability[best] > 0.9
    assert part.probability[there].max(initial=0) > 0.9


def test_a_spoken_query_that_cannot_be_found_says_nothing_of_a_list(index):
    queries = [
        SpokenQuery(text, (text,), (WeightedWords(text, 1.0),)) for text in ("ö", "landschaft")
    ]
    found = find_terms([], index._prepared, index.all_speech, spoken=queries)
    log_evidence = found.of_language[0].log_evidence
    assert np.isnan(log_evidence[0])
    assert np.isfinite(log_evidence[1])


def test_examples_of_a_transcript_are_of_its_part_of_the_archive(
    index, alone, phonetic, experiment, german
):
    lexemes = read(rttm.parse, german / "ref.rttm")
    language = index._prepared.languages[0]
    recordings = language.table.recordings
    transcript = make_transcript(lexemes, recordings, index.config.text)
    excerpts = experiment.excerpts[:2]
    names = {one.recording for one in excerpts}

    by_words = partial(lexical_candidates, segments=language.segments, config=index.config)
    part = JudgedSpeech(phonetic, by_words, recordings, excerpts)
    whole = JudgedSpeech(phonetic, by_words, recordings, None)
    judge = by_transcript(transcript)
    of_part = labelled(judge, part, UNKNOWN, in_vocabulary=False)
    with alone(2) as own:
        rows = make_transcript(lexemes, own._prepared.table.recordings, own.config.text)
        segments = own._prepared.languages[0].segments
        by_words = partial(lexical_candidates, segments=segments, config=own.config)
        speech = JudgedSpeech(phonetic_of(own), by_words, own._prepared.table.recordings, None)
        expected = labelled(by_transcript(rows), speech, UNKNOWN, in_vocabulary=False)
    assert of_part.is_right.tolist() == expected.is_right.tolist()
    for name, values in of_part.features.items():
        assert values.tolist() == expected.features[name].tolist()
    assert of_part.offset.max() == -part.searched().log_chances
    known = [("die",), ("und",)]
    (rows, _) = part.found_by_words(known)
    assert {recordings[row] for row in rows.recording.tolist()} <= names
    of_part = labelled_by_words(judge, part, known)
    of_whole = labelled_by_words(judge, whole, known)
    assert 0 < len(of_part.offset) < len(of_whole.offset)


def test_a_part_has_the_speech_of_its_recordings(index, phonetic, experiment, alone):
    language, excerpts = index._prepared.languages[0], experiment.excerpts[:2]
    with alone(2) as own:
        assert language.speech_s(excerpts) == own.speech_s > 0
    assert language.speech_s(None) == index.speech_s > language.speech_s(excerpts)
    assert phonetic.within(excerpts).speech_s == language.speech_s(excerpts)
    assert phonetic.speech_s == index.speech_s
