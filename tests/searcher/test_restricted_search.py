"""A part of an archive is searched: what a place is worth does not depend on which part."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from indexer import index_files
from searcher import open_index
from searcher.development_set import lexical_candidates
from searcher.found_terms import find_terms
from searcher.lexical.lookup import inside_ecf
from searcher.pairing import pair_with_hits
from searcher.phonetic_candidates import phonetic_hits
from searcher.phonetic_indexes import searched_archive, slots_inside
from searcher.pronunciations import pronounced
from searcher.tuning.examples import Speech, by_transcript, labelled, labelled_by_words
from searcher.tuning.reference import make_transcript
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


def paired(index, phonetic, words, excerpts):
    """Places of a term found by its phones, and what is known of each."""
    recordings = index._prepared.table.recordings
    inside = partial(inside_ecf, recordings=recordings, excerpts=excerpts)
    (hits,) = phonetic_hits(pronounced([words], phonetic.lexicon), phonetic, inside)
    nothing = index.search_terms([]).candidates
    evidence = pair_with_hits(words, nothing, hits, searched_archive(phonetic, excerpts))
    found = hits.hits.rows(evidence.unpaired)
    features = np.stack([evidence.features[name] for name in sorted(evidence.features)], axis=1)
    places = zip(found.recording.tolist(), found.start_ms.tolist(), strict=True)
    return dict(zip(places, features.tolist(), strict=True)), evidence


@pytest.mark.parametrize("words", UNKNOWN)
def test_a_place_has_the_evidence_that_it_has_in_the_whole_archive(
    index, phonetic, experiment, words
):
    everywhere, whole = paired(index, phonetic, words, None)
    for n in (1, 3, 7):
        excerpts = experiment.excerpts[:n]
        inside, part = paired(index, phonetic, words, excerpts)
        names = {excerpt.recording for excerpt in excerpts}
        recordings = index._prepared.table.recordings
        assert inside == {
            place: features for place, features in everywhere.items()
            if recordings[place[0]] in names
        }  # fmt: skip
        assert part.log_chances < whole.log_chances


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
    found = find_terms([], index._prepared, spoken=queries)
    log_evidence = found.of_language[0].log_evidence
    assert np.isnan(log_evidence[0])
    assert np.isfinite(log_evidence[1])


def test_examples_of_a_transcript_are_of_its_part_of_the_archive(
    index, phonetic, experiment, german
):
    lexemes = read(rttm.parse, german / "ref.rttm")
    language = index._prepared.languages[0]
    recordings = language.table.recordings
    transcript = make_transcript(lexemes, recordings, index.config.text)
    excerpts = experiment.excerpts[:2]
    names = {one.recording for one in excerpts}

    by_words = partial(lexical_candidates, segments=language.segments, config=index.config)
    part = Speech(phonetic, by_words, recordings, excerpts)
    whole = Speech(phonetic, by_words, recordings, None)
    judge = by_transcript(transcript)
    of_part, of_whole = (
        labelled(judge, one, UNKNOWN, in_vocabulary=False) for one in (part, whole)
    )
    assert set(of_part.features["common"]) == set(of_whole.features["common"])
    assert of_part.offset.max() == -part.searched().log_chances
    known = [("die",), ("und",)]
    (rows, _) = part.written(known)
    assert {recordings[row] for row in rows.recording.tolist()} <= names
    of_part = labelled_by_words(judge, part, known)
    of_whole = labelled_by_words(judge, whole, known)
    assert 0 < len(of_part.offset) < len(of_whole.offset)
