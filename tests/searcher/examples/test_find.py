"""A stretch of sound is found where it comes again, and not where it is from."""

import json
import shutil
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from indexer import delete_recordings, index_files, rename_recording
from searcher import ExampleTerm, open_index
from searcher.calibration.occurring_terms import said_again_evidence, term_occurrence
from searcher.commands.search import main
from searcher.examples import example, find
from searcher.examples.example import archive_of, read_example
from searcher.examples.find import FEWEST, probabilities, standing
from searcher.examples.kernels import alignment
from searcher.examples.places import MARGIN, best_places, costs_at, costs_between, usual_at
from searcher.results.candidates import Spans
from std.errors import InputError, StdError
from std.execution.processes import executor
from std.execution.workers import Threads
from std.sound import files
from std.sound.columns import FRAME_MS, Encoder, Sound
from std.values import ECF, Excerpt, Recording, Term

pytestmark = pytest.mark.slow

EAR = Encoder("whisper", "aa")
RANDOM = np.random.default_rng(3)
WORD = RANDOM.integers(0, 256, (30, 32)).astype(np.uint8)  # .6 s
AT_S = {"a": 4.0, "b": 10.0, "c": 16.0}


def nearly(stored, share=0.15):
    """The same frames with some of the signs changed."""
    changed = RANDOM.random((len(stored), 256)) < share
    return stored ^ np.packbits(changed, axis=1)


def stretched(stored):
    """Said more slowly: every third frame twice."""
    return np.repeat(stored, np.where(np.arange(len(stored)) % 3, 1, 2), axis=0)


def write_sound(folder, file, stored, encoder=EAR):
    sound = Sound(Recording(file, 1), encoder, stored)
    path = folder / files.sound_name(sound.recording)
    path.write_bytes(files.header(sound) + stored.tobytes())
    return path


@pytest.fixture(scope="module")
def networks(tmp_path_factory):
    """Three recordings of 20 s in each of which the word is said, in c slowly; b has words."""
    folder = tmp_path_factory.mktemp("networks")
    for file, at_s in AT_S.items():
        frames = RANDOM.integers(0, 256, (1000, 32)).astype(np.uint8)
        word = nearly(stretched(WORD)) if file == "c" else WORD if file == "a" else nearly(WORD)
        first = round(50 * at_s)
        frames[first : first + len(word)] = word
        write_sound(folder, file, frames)
    words = [("dem", 9.6), ("spreewald", 10.1), ("und", 11.0)]
    slots = [{"s": s, "e": s + 0.4, "eps": 0.1, "w": [[w, 0.9, s, s + 0.4]]} for w, s in words]
    line = {"utt": "b-1", "file": "b", "channel": 1, "start": 0, "end": 20, "slots": slots,
            "speaker": "Anna"}  # fmt: skip
    (folder / "b.jsonl").write_text(json.dumps(line) + "\n")
    index_files(folder, folder / "i", language="de")
    return folder


@pytest.fixture
def store(networks, tmp_path):
    """An index of them."""
    return shutil.copytree(networks / "i", tmp_path / "i")


def found(store, *examples, **options):
    with open_index(store) as index:
        result = index.find_examples([ExampleTerm(Term("T", "it"), examples)], **options)
        return sorted(index.hits(result), key=lambda hit: -hit.probability)


def test_what_is_said_again_is_found_where_it_is_said(store):
    first, second, *others = found(store, "a@4.0-4.6")
    places = {hit.file: (hit.start_s, hit.duration_s) for hit in (first, second)}
    assert places["b"] == pytest.approx((10.0, 0.6), abs=0.06)
    assert places["c"] == pytest.approx((16.0, 0.8), abs=0.06)
    assert second.probability > 0.9 > 0.01 > others[0].probability
    assert not [hit for hit in others if hit.file == "a" and 3.8 < hit.start_s < 4.6]


def test_a_hit_shows_the_words_that_the_recogniser_wrote_there(store):
    hits = {hit.file: hit for hit in found(store, "a@4.0-4.6")[:2]}
    assert hits["b"].context == ("dem", "spreewald", "und")
    assert hits["c"].context == ("", "", "")
    assert (hits["b"].method, hits["b"].how) == ("example", "sounds like a@4.0-4.6")
    assert hits["b"].found_as == "sounds like a@4.0-4.6"


def test_places_do_not_depend_on_workers_or_segments(networks, store, tmp_path):
    segments = tmp_path / "segments"
    for file in "abc":
        index_files(sorted(networks.glob(f"{file}.*")), segments, language="de")
    excerpt = ECF((Excerpt(Recording("b", 1), 5.0, 10.0), Excerpt(Recording("c", 1), 0.0, 20.0)))
    texts = ("a@4.0-4.6", "b@10.0-10.6", "c@1-3")
    terms = [ExampleTerm(Term(text, text), (text,)) for text in texts]
    found = []
    with executor(2) as processes:
        for place, workers in product((store, segments), (Threads(1), Threads(3), processes)):
            with open_index(place) as index:
                assert len(index.segments) == (1 if place == store else 3)
                for ecf in (None, excerpt):
                    hits = index.hits(index.find_examples(terms, ecf, workers=workers))
                    found.append(
                        [(one.term, one.file, one.start_s, one.probability) for one in hits]
                    )
    assert len(found[0]) > len(found[1]) > 20
    for i, one in enumerate(found):
        assert one == found[i % 2]


def test_several_examples_find_what_one_finds_and_none_of_them(store):
    hits = found(store, "a@4.0-4.6", "b@10.0-10.6")
    assert hits[0].file == "c"
    assert hits[0].probability > 0.9
    near = [hit for hit in hits if (hit.file, round(hit.start_s)) in {("a", 4), ("b", 10)}]
    assert not near
    assert hits[0].how == "sounds like a@4.0-4.6 and 1 more"


def test_an_example_that_is_given_twice_counts_once(store, tmp_path):
    once = found(store, "a@4.0-4.6")
    assert found(store, "a@4.0-4.6", "a/1@4.02-4.62") == [
        replace(hit, how=f"{hit.how} and 1 more") for hit in once
    ]
    path = str(write_sound(tmp_path, "query", WORD))
    once, twice = found(store, path), found(store, path, f"{path}@0-0.6")
    assert [hit.probability for hit in twice] == [hit.probability for hit in once]


def test_examples_are_read_before_the_first_is_searched(store, monkeypatch):
    monkeypatch.setattr(find, "best_places", lambda *_: pytest.fail("searched"))
    terms = [ExampleTerm(Term(one, one), (one,)) for one in ("a@4.0-4.6", "a@4")]
    with open_index(store) as index, pytest.raises(StdError, match="a@4: expected RECORDING"):
        index.find_examples(terms)


def test_a_recording_may_be_called_like_a_file_of_frames(store):
    rename_recording("a", "a.sound", store)
    assert {hit.file for hit in found(store, "a.sound@4.0-4.6")[:2]} == {"b", "c"}


def test_some_recordings_are_searched(store):
    assert {hit.file for hit in found(store, "a@4.0-4.6", recordings=["b"])} == {"b"}


def test_an_ecf_that_cuts_a_recording_leaves_the_places_inside(tmp_path):
    """Many better places outside take no room from those inside."""
    frames = RANDOM.integers(0, 256, (700, 50, 32)).astype(np.uint8)
    frames[:, :30] = WORD
    frames[300, :30] = nearly(WORD, 0.2)
    write_sound(tmp_path, "long", frames.reshape(-1, 32))
    index_files(tmp_path / "long.sound", tmp_path / "i")
    ecf = ECF((Excerpt(Recording("long", 1), 299.5, 2.0),), 2.0, "", "")
    with open_index(tmp_path / "i") as index:
        result = index.find_examples([ExampleTerm(Term("T", "word"), ("long@0-0.6",))], ecf)
        hits = index.hits(result)
    assert result.speech.seconds == pytest.approx(2.0)
    assert max(hits, key=lambda hit: hit.probability).start_s == 300.0


def test_deleted_recordings_are_not_found(store):
    delete_recordings(["b"], store)
    assert {hit.file for hit in found(store, "a@4.0-4.6")} == {"a", "c"}


def test_a_file_of_frames_is_an_example(store, tmp_path):
    path = write_sound(tmp_path, "query", nearly(WORD))
    assert {hit.file for hit in found(store, str(path))[:3]} == {"a", "b", "c"}
    stretch = write_sound(tmp_path, "longer", np.concatenate([WORD, nearly(WORD, 0.5)]))
    assert {hit.file for hit in found(store, f"{stretch}@0-0.6")[:3]} == {"a", "b", "c"}


@pytest.mark.parametrize(
    ("example", "message"),
    [
        ("a@4.0-4.1", "expected 0.2 to 10 s of sound, got 0.1 s"),
        ("a@4.0-15", "got 11 s"),
        ("a@4.6-4.0", "an end behind the beginning"),
        ("nobody@4.0-4.6", "expected the name of one of 3 recordings, got 'nobody'"),
        ("A@4.0-4.6", "got 'A'; is 'a' meant?"),
        ("a@90-91", "no sound of a there"),
        ("a@19.7-21", r"a@19\.7-21: expected sound in most of it, got 0\.3 s of 1\.3 s"),
        ("a/2@4.0-4.6", "got 'a/2'"),
        ("spreewald", "expected RECORDING@BEGIN-END"),
        (f"a@4-{'9' * 400}", "expected RECORDING@BEGIN-END"),
        (f"a/{'9' * 5000}@4-4.6", "got 'a/9999"),
    ],
)
def test_what_is_no_example_is_refused_in_one_line(store, example, message):
    with pytest.raises(StdError, match=message) as caught:
        found(store, example)
    assert "\n" not in str(caught.value)


def test_a_message_calls_an_example_as_the_person_did(store, tmp_path):
    path = write_sound(tmp_path, "frames", WORD[:5])
    term = ExampleTerm(Term("T", "query.mp3"), (str(path),), ("query.mp3",))
    with open_index(store) as index, pytest.raises(StdError, match=r"^query\.mp3: expected 0\.2"):
        index.find_examples([term])


def test_frames_of_another_encoder_are_refused(store, tmp_path):
    path = write_sound(tmp_path, "query", WORD, Encoder("whisper", "bb"))
    with pytest.raises(StdError, match="the encoder of the index"):
        found(store, str(path))


def test_an_index_without_sound_says_what_makes_some(tmp_path):
    index_files("examples/german/mesh/KERSTIN_00.mesh", tmp_path / "i")
    with pytest.raises(StdError, match="std-recognise --sound"):
        found(tmp_path / "i", "KERSTIN_00@1-2")


def test_without_words_no_term_is_explained(tmp_path):
    """As in an archive whose language nobody recognises; `std-serve` asks as it starts."""
    index_files(write_sound(tmp_path, "village", WORD), tmp_path / "i")
    with open_index(tmp_path / "i") as index, pytest.raises(InputError, match="words to explain"):
        index.query("haus")


def test_a_condition_on_speakers_leaves_their_places(tmp_path):
    """Bob says the word better than Anna does, 199 times; d is hers by its metadata."""
    frames = RANDOM.integers(0, 256, (200, 50, 32)).astype(np.uint8)
    frames[:, 10:40] = nearly(np.tile(WORD, (200, 1)), 0.1).reshape(200, 30, 32)
    frames[100, 10:40] = nearly(WORD, 0.3)
    write_sound(tmp_path, "long", frames.reshape(-1, 32))
    for name in "de":
        own = RANDOM.integers(0, 256, (500, 32)).astype(np.uint8)
        own[100:130] = nearly(WORD)
        write_sound(tmp_path, name, own)
    turns = [("Bob", 0, 100), ("Anna", 100, 101), ("Bob", 101, 200)]
    with (tmp_path / "long.jsonl").open("w") as lines:
        for name, begin_s, end_s in turns:
            words = [("ja", begin_s + 0.1), ("so", end_s - 0.4)]
            slots = [{"s": s, "e": s + 0.3, "eps": 0.1, "w": [[w, 0.9, s, s + 0.3]]}
                     for w, s in words]  # fmt: skip
            line = {"utt": f"{begin_s}", "file": "long", "channel": 1, "start": begin_s,
                    "end": end_s, "slots": slots, "speaker": name}  # fmt: skip
            lines.write(json.dumps(line) + "\n")
    (tmp_path / "metadata.csv").write_text("file,speaker\nd,Anna\n")
    index_files(sorted(tmp_path.glob("*.[js]*o*[ld]")), tmp_path / "i", language="de",
                metadata=tmp_path / "metadata.csv")  # fmt: skip
    term = [ExampleTerm(Term("T", "word"), ("e@2.0-2.6",))]
    with open_index(tmp_path / "i") as index:
        anna = index.find_examples(term, where='speaker = "Anna"')
        others = index.find_examples(term, where="speaker != Anna")
        best = sorted(index.hits(anna), key=lambda hit: -hit.probability)[:2]
        assert {(hit.file, hit.start_s) for hit in best} == {("long", 100.2), ("d", 2.0)}
        assert {hit.file for hit in index.hits(anna)} == {"long", "d"}
        assert anna.speech.seconds == pytest.approx(11, abs=1)
        assert others.speech.seconds == pytest.approx(209, abs=2)
        places = [(hit.file, hit.start_s) for hit in index.hits(others)]
    assert len(places) > 100
    assert not [place for place in places if place[0] == "d" or 100 <= place[1] < 101]


def test_the_command_finds_more_like_a_hit(store, tmp_path, capsys):
    assert main(["--store", str(store), "--like", "a@4.0-4.6", "--json", "--quiet"]) == 0
    hits = json.loads(capsys.readouterr().out)
    assert {hit["file"] for hit in hits} == {"b", "c"}
    assert hits[0]["decision"] is None
    path = write_sound(tmp_path, "query", WORD)
    assert main(["--store", str(store), "--query-audio", str(path), "--json", "--quiet"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 3


def test_the_command_writes_a_hit_list(store, tmp_path, capsys):
    table = tmp_path / "examples.csv"
    table.write_text("term,example\nspreewald,a@4.0-4.6\nspreewald,b@10-10.6\nnoise,a@1-2\n")
    hits, terms = tmp_path / "hits.xml", tmp_path / "terms.xml"
    arguments = ["--examples", str(table), "--output", str(hits), "--term-list", str(terms)]
    assert main(["--store", str(store), *arguments, "--quiet"]) == 0
    assert 'file="c"' in hits.read_text()
    assert "spreewald" in terms.read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--like", "a@4-5", "spreewald", "haus"], "are examples of one TERM"),
        (["--like", "a@4-5", "--examples", "x.csv"], "are examples of one TERM"),
        (["--like", "a@4-5", "--terms", "x.csv"], "those of a list are --examples"),
        (["--like", "a@4-5", "spreewald", "--inflections"], "--inflections finds words"),
        (["--like", "a@4-5", "spreewald AND haus"], "a word or a phrase beside examples"),
        (["--like", "a@4-5", "--output", "x.xml"], "--json"),
        (
            ["--like", "talks/a.OGG"],
            "RECORDING@BEGIN-END in seconds, as interview@12.3-13.1, or a file",
        ),
        (["--like", "talks/a.OGG"], "(NAME.sound); --query-audio takes files of audio"),
        (["--like", "talks/a.OGG@4-5"], "got 'talks/a.OGG'; --query-audio takes files of audio"),
        (["--query-audio", "x.wav"], "--encoder MODEL"),
        (["--like", "a@4-5", "--encoder", "tiny"], "--encoder is the model of --query-audio"),
    ],
)
def test_misuse_is_one_line(store, capsys, arguments, message):
    try:
        status = main(["--store", str(store), *arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "message"),
    [("a,b\n", "columns term and example"), ("term,example\n", "at least one"),
     ("term,example\nx,\n", "a term and an example")],
)  # fmt: skip
def test_a_table_without_examples_is_refused(store, tmp_path, capsys, text, message):
    table = tmp_path / "examples.csv"
    table.write_text(text)
    assert main(["--store", str(store), "--examples", str(table)]) == 2
    assert message in capsys.readouterr().err


def test_few_places_are_measured_by_the_usual_ones():
    costs = np.linspace(0.2, 0.35, FEWEST)
    assert np.isfinite(standing(costs, costs)).all()
    assert (np.diff(probabilities(standing(costs, costs), 0.4 - costs)) < 0).all()


def test_a_place_costs_by_chance_what_its_frames_differ_from_few_others(store):
    with open_index(store) as index:
        archive = archive_of(index.segments)
        places, _ = best_places([read_example("a@4.0-4.6", archive)], archive)[0]
        sample = archive.sample()
        usual = usual_at(archive, places, sample)
        first = archive.recordings[places.recording[0]]
        frames = archive.frames(first, float(places.start_ms[0]), float(places.end_ms[0]))
    assert len(sample) == 1000
    differing = np.unpackbits((frames[:, None] ^ sample[None]).view(np.uint8), axis=2).sum(axis=2)
    assert usual[0] == pytest.approx(np.sort(differing, axis=1)[:, 5].mean() / 256)


def test_a_sample_is_from_all_segments_and_not_from_what_is_deleted(networks, tmp_path):
    store = tmp_path / "i"
    for file in "abc":
        index_files(networks / f"{file}.sound", store, language="de")
    delete_recordings(["b"], store)
    with open_index(store) as index:
        archive = archive_of(index.segments)
        sample = archive.sample()
        frames = {
            file: {one.tobytes() for one in archive.frames(Recording(file, 1), 0, 20_000)}
            for file in "ac"
        }
    found = [sum(one.tobytes() in of for one in sample) for of in frames.values()]
    assert found == [500, 500]


def test_places_cost_the_same_where_only_frames_around_them_are_read(store):
    with open_index(store) as index:
        whole, parts = (archive_of(index.segments, whole=one) for one in (True, False))
        word = read_example("a@4.0-4.6", whole)
        places = best_places([word], whole)[0][0].rows(np.arange(20))
        begins, ends = np.array([0, 19_900]), np.array([60, 20_000])  # at the ends of a recording
        places = Spans(
            np.append(places.recording, [1, 1]),
            np.append(places.start_ms, begins),
            np.append(places.end_ms, ends),
        )
        np.testing.assert_array_equal(whole.sample(), parts.sample())
        for archive in (whole, parts):
            costs = slow_costs(word, whole, places)
            np.testing.assert_allclose(costs_at(word, archive, places), costs)
        sample = whole.sample()
        for measure in (costs_between, lambda *of: usual_at(*of, sample)):
            np.testing.assert_array_equal(measure(whole, places), measure(parts, places))


def slow_costs(example, archive, places):
    """With all frames of each recording at hand."""
    costs = []
    for number, begin_ms, end_ms in zip(*(column.tolist() for column in places), strict=True):
        signs = archive.frames(archive.recordings[number], 0, 20_000)
        middle = (begin_ms + end_ms) // (2 * FRAME_MS)
        around = max(len(example.signs), (end_ms - begin_ms) // FRAME_MS) // 2 + MARGIN
        signs = signs[max(0, middle - around) : middle + around]
        cost = np.empty(len(signs), np.int32)
        alignment(example.signs, signs, cost, np.empty(len(signs), np.int64))
        costs.append(cost.min() / (256 * len(example.signs)))
    return costs


def test_the_sample_of_a_long_archive_is_from_few_stretches(store, monkeypatch):
    monkeypatch.setattr(example, "STRETCHES", 4)
    monkeypatch.setattr(example, "STRETCH", 500)
    with open_index(store) as index:
        archive = archive_of(index.segments, whole=False)
        sample = archive.sample()
        frames = [archive.frames(Recording(file, 1), 0, 20_000) for file in "abc"]
    every = {frame.tobytes(): row for row, frame in enumerate(np.concatenate(frames))}
    rows = [every[frame.tobytes()] for frame in sample]
    assert rows == [begin + row for begin in (0, 833, 1666, 2500) for row in range(0, 500, 2)]


def test_a_list_tells_how_many_of_its_terms_are_said_again():
    """One of a hundred terms has a likely place; or all have one."""
    nothing, something = np.full(200, 0.002), np.append(np.full(199, 0.002), 0.95)
    evidence = np.array([said_again_evidence(something), *[said_again_evidence(nothing)] * 99])
    is_oov = np.ones(100, np.bool_)
    adhoc, listed = (term_occurrence(evidence, is_oov, mode) for mode in ("adhoc", "list"))
    assert adhoc[0] > listed[0] > 10 * listed[1]
    assert adhoc[1] > 0.2 > 0.1 > listed[1]
    all_said = np.array([said_again_evidence(something)] * 100)
    assert term_occurrence(all_said, is_oov, "list").min() > 0.97


def test_equal_places_do_not_divide_by_zero():
    costs = np.full(100, 0.3)
    assert np.isfinite(standing(costs, costs)).all()


def write_queries(folder, *stretches):
    """Spoken queries that were recognised as their ids, and where they are said."""
    queries = [
        {
            "id": name,
            "examples": [name],
            "alternatives": [{"words": name, "weight": 1}],
            "stretches": [{"recording": name, "start_s": begin_s, "end_s": end_s}],
        }
        for name, begin_s, end_s in stretches
    ]
    path = folder / "queries.json"
    path.write_text(json.dumps({"format": "std spoken queries 1", "queries": queries}))
    return path


def test_a_query_with_words_and_sound_finds_what_either_finds(store):
    """The recogniser wrote the word in b; in c it is only in the sound."""
    term = Term("T", "spreewald")
    with open_index(store) as index:
        alone = {hit.file: hit.probability for hit in index.search("spreewald")}
        result = index.find_examples([ExampleTerm(term, ("a@4.0-4.6",))], words=[term])
        hits = sorted(index.hits(result), key=lambda hit: -hit.probability)
    first, second, *others = hits
    assert (first.file, second.file) == ("b", "c")
    assert alone.keys() == {"b"}
    assert first.probability > alone["b"]
    assert second.probability > 10 * others[0].probability
    assert (first.method, first.searched, first.start_s) == ("exact", "spreewald", 10.1)
    assert [one.store for one in first.found_by] in (["words", "sound"], ["sound", "words"])
    assert first.how.startswith("found by words as 'spreewald' (exact, ")
    assert ", sounds like a@4.0-4.6 (" in first.how
    assert second.method == "example"
    assert second.how.startswith("not found by words, sounds like a@4.0-4.6 (")
    assert [(one.store, one.searched) for one in second.found_by] == [("sound", ""), ("words", "")]
    assert not [hit for hit in hits if hit.file == "a" and 3.8 < hit.start_s < 4.6]
    assert len([hit for hit in hits if hit.file == "b" and 9.5 < hit.start_s < 10.5]) == 1


def test_the_place_of_an_example_is_no_hit_of_its_words_either(store):
    term = Term("T", "spreewald")
    with open_index(store) as index:
        result = index.find_examples([ExampleTerm(term, ("b@10.0-10.6",))], words=[term])
        places = [(hit.file, hit.start_s, hit.searched) for hit in index.hits(result)]
        assert not [place for place in places if place[0] == "b" and 9.8 < place[1] < 10.5], places
        with pytest.raises(ValueError, match="expected the id of one of 1 term with words, got"):
            index.find_examples([ExampleTerm(Term("U", "und"), ("a@4.0-4.6",))], words=[term])


def test_terms_without_examples_are_searched_by_words_alone(store):
    terms = [Term("T", "spreewald"), Term("U", "und")]
    with open_index(store) as index:
        alone = index.hits(index.search_terms(terms[1:]))
        both = index.find_examples([ExampleTerm(terms[0], ("a@4.0-4.6",))], words=terms)
        assert {hit.term for hit in index.hits(both)} == {"spreewald", "und"}
        und = [hit for hit in index.hits(both) if hit.term_id == "U"]
    assert [(hit.start_s, hit.method) for hit in und] == [
        (hit.start_s, hit.method) for hit in alone
    ]
    assert all(hit.found_by == () for hit in und)


def test_words_count_alone_where_there_is_no_sound(networks, tmp_path):
    for name in ("a.sound", "b.jsonl", "c.sound"):  # without b.sound
        shutil.copy(networks / name, tmp_path)
    index_files(sorted(tmp_path.iterdir()), tmp_path / "i", language="de")
    term = Term("T", "spreewald")
    with open_index(tmp_path / "i") as index:
        alone = index.search_terms([term])
        result = index.find_examples([ExampleTerm(term, ("a@4.0-4.6",))], words=[term])
        hit, *_ = [hit for hit in index.hits(result) if hit.searched == "spreewald"]
        other, *_ = [hit for hit in index.hits(alone) if hit.searched == "spreewald"]
    assert hit.how == "found by words as 'spreewald', no sound there"
    assert [one.weight for one in hit.found_by] == [1.0, 0.0]
    assert (hit.file, hit.start_s) == (other.file, other.start_s) == ("b", 10.1)
    assert hit.found_by[0].probability == hit.probability


def test_the_command_searches_spoken_queries_by_their_words_and_their_sound(
    store, tmp_path, capsys
):
    folder = tmp_path / "queries"
    folder.mkdir()
    write_sound(folder, "spreewald", np.concatenate([WORD ^ 255, WORD, WORD ^ 255]))
    queries = write_queries(tmp_path, ("spreewald", 0.6, 1.2), ("und", 0.1, 0.4))
    ecf = tmp_path / "ecf.xml"
    excerpts = "".join(
        f'<excerpt audio_filename="{file}" channel="1" tbeg="0" dur="20" source_type="bnews"/>'
        for file in AT_S
    )
    ecf.write_text(f'<ecf source_signal_duration="60" version="1">{excerpts}</ecf>')
    asked = ["--store", str(store), "--queries", str(queries), "--ecf", str(ecf)]
    asked += ["--output", str(tmp_path / "hits.xml"), "--jobs", "2"]
    explained = tmp_path / "hits.jsonl"
    more = ["--examples", str(folder), "--explain", str(explained)]
    assert main([*asked, *more]) == 0
    assert "1 query (und) without sound in" in capsys.readouterr().err
    hits = [json.loads(line) for line in explained.read_text().splitlines()]
    likely = {(hit["term_id"], hit["file"]) for hit in hits if hit["probability"] > 0.2}
    assert {("spreewald", "a"), ("spreewald", "b"), ("und", "b")} <= likely
    (first,) = [hit for hit in hits if hit["term_id"] == "spreewald" and hit["file"] == "b"
                and hit["probability"] > 0.2]  # fmt: skip
    assert {one["store"] for one in first["found_by"]} == {"words", "sound"}
    table = tmp_path / "examples.csv"
    table.write_text("term,example\nspreewald,a@4.0-4.6\n")
    assert main([*asked, "--examples", str(table), "--quiet"]) == 0
    capsys.readouterr()
    table.write_text("term,example\nspreewald,a@4.0-4.6\nhaus,a@1-2\n")
    (tmp_path / "empty").mkdir()
    for examples, message in (
        (table, "examples.csv:3: expected the id or the text of a term of "),
        (tmp_path / "empty", "expected NAME.sound of the queries, got none"),
    ):
        assert main([*asked, "--examples", str(examples), "--quiet"]) == 2
        assert message in capsys.readouterr().err


def test_the_command_searches_a_term_by_its_word_and_an_example(store, capsys):
    given = ["--store", str(store), "spreewald", "--like", "a@4.0-4.6", "--json", "--quiet"]
    assert main(given) == 0
    hits = json.loads(capsys.readouterr().out)
    assert [(hit["term"], hit["file"]) for hit in hits[:2]] == [
        ("spreewald", "b"),
        ("spreewald", "c"),
    ]
