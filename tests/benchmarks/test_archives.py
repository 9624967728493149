"""Simulated archives of known truth: their truth is true, and their posteriors are right."""

import json
import sys

import numpy as np
import pytest

from benchmarks.archives import __main__ as command
from benchmarks.archives import slots
from benchmarks.archives.measures import LEAST, find, rows
from benchmarks.archives.mishearings import heard, mishearings
from benchmarks.archives.parts import Parts, Said, occurrences, said_in
from benchmarks.archives.real_slots import slots_of, words_of_example
from benchmarks.archives.recognisers import Blocks, Exact, Mistaken, captions, one_best
from benchmarks.archives.speech import drawn, of_text, with_names
from benchmarks.archives.terms import asked
from benchmarks.archives.words import Counted, cast, of_file
from searcher.found_terms import prepare
from std.config import load_config
from std.phonetics.lexicon import lexicon_in

pytestmark = pytest.mark.slow

OF_CAPTIONS = ("archives", "--recognisers", "captions", "--terms", "5", "--json")
UNKNOWN, SEED = 40, 1  # few: what unknown words become is wrong at known ones


@pytest.fixture(scope="module")
def words():
    counted = words_of_example()
    return cast(counted, len(counted.words) - UNKNOWN, 15, 10, SEED)


@pytest.fixture(scope="module")
def config():
    return load_config(None, ["pronunciation.language=de"])


@pytest.fixture(scope="module")
def archive(words, config):
    speech = with_names(drawn(words, 1.0, SEED), [5] * len(words.names), SEED)
    found = mishearings(words, lexicon_in("de", config.pronunciation, config.text))
    one = heard(speech, found, SEED)
    parts = Parts(words, [lambda: one])
    return one, parts, list(asked(said_in(parts), 10, SEED, "de"))


def test_nobody_says_or_writes_words_that_are_absent(archive, words):
    one, _, _ = archive
    absent = {*words.absent_usual.tolist(), *words.absent_rare.tolist()}
    assert len(absent) == 30
    assert absent.isdisjoint(one.speech.word.tolist())
    written = slots.recognised(one, Exact(Blocks.of(words, SEED)), SEED).words
    assert (absent | set(words.names.tolist())).isdisjoint(written.tolist())


def test_a_word_that_is_said_in_another_spelling_is_not_absent():
    counted = Counted(["gründe", "gruende", "xylophon"], np.array([9.0, 0, 0]))
    words = cast(counted, 1, 2, 0, SEED)
    none = np.zeros(3, np.int64)
    said = Said(words, 1.0, np.array([9, 0, 0]), none, np.empty(0, np.int64), np.empty(0, np.int64))
    absent = [one.phrase for one in asked(said, 10, SEED, "de") if one.kind == "rare"]
    assert absent == [(2,)]


def test_names_are_said_as_often_as_asked_and_heard_as_known_words(archive, words):
    one, _, _ = archive
    assert one.speech.counts[words.names].tolist() == [5] * len(words.names)
    assert words.known[one.word].all()
    assert (np.diff(one.said) >= 0).all()
    assert (one.end_ms >= one.start_ms).all()


def test_occurrences_of_a_phrase_are_those_of_a_slow_count(archive):
    speech = archive[0].speech
    phrase = speech.word[10:12].tolist()
    expected = [
        i
        for i in range(len(speech.word) - 1)
        if speech.word[i : i + 2].tolist() == phrase
        and speech.utterance[i] == speech.utterance[i + 1]
    ]
    assert speech.occurrences(phrase).tolist() == expected


def test_posteriors_of_the_exact_recogniser_are_right(words):
    known = np.flatnonzero(words.known)
    rng = np.random.default_rng(3)
    said = rng.choice(known, 200_000, p=words.share[known] / words.share[known].sum())
    made = Exact(Blocks.of(words, SEED))(said, np.zeros(len(said), bool), rng)
    there = made.word != slots.NO_WORD
    posterior, right = made.posterior[there], (made.word == said[:, None])[there]
    assert (made.posterior.sum(axis=1) + made.epsilon)[there.any(axis=1)] == pytest.approx(1)
    for low, high in ((0.01, 0.1), (0.1, 0.3), (0.3, 0.7), (0.7, 0.95)):
        some = (posterior >= low) & (posterior < high)
        assert posterior[some].sum() / right[some].sum() == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize("name", ["exact", "mistaken", "one-best", "captions"])
def test_plain_posteriors_of_known_words_hold(archive, words, config, name):
    """But for what real posteriors of the example are off themselves."""
    one, parts, listed = archive
    blocks = Blocks.of(words, SEED)
    if name in ("exact", "captions"):
        recognise = Exact(blocks) if name == "exact" else captions(blocks)
    else:
        known = frozenset(np.array(words.words)[words.known].tolist())
        recognise = Mistaken.of(blocks, slots_of(None, "de"), known)
        recognise = one_best(recognise) if name == "one-best" else recognise
    made = slots.recognised(one, recognise, SEED, times_estimated=name == "captions")
    plain = prepare([slots.indexed(made, config)], load_config(command.PLAIN))
    of_known = [term for term in listed if term.kind == "known" and term.times > 1]
    places = occurrences([term.phrase for term in of_known], parts)
    found = find(of_known, said_in(parts), places, plain)
    total, right = found.probability.sum(), found.is_right.sum()
    assert total / right == pytest.approx(1, abs=0.05 if name == "exact" else 0.15)
    assert right > 0.7 * found.said.sum()
    for row in rows(found):
        assert row.said > 0
        assert row.error <= 1 - LEAST


def test_a_text_keeps_its_order(words):
    counted = Counted(["eins", "zwei", "drei"], np.array([3.0, 2.0, 1.0]))
    of_three = cast(counted, 3, 0, 0, SEED)
    speech = of_text(of_three, [["eins", "zwei"], ["drei"]], SEED)
    assert speech.word.tolist() == [0, 1, 2]
    assert speech.utterance.tolist() == [0, 0, 1]


def test_a_line_that_is_no_count_is_named(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("die\t7\nund 8\n")
    with pytest.raises(SystemExit, match=r"words.tsv:2: expected a word, a tab and a count"):
        of_file(path)


def test_an_archive_in_parts_is_searched_as_a_whole(tmp_path, capsys, monkeypatch):
    """Names are said as often as in one part, and nearly everything is found at its place."""
    picture = tmp_path / "picture.svg"
    given = ["--hours", "2", "--part", "1", "--picture", str(picture)]
    monkeypatch.setattr(sys, "argv", [*OF_CAPTIONS, *given])
    command.main()
    table = json.loads(capsys.readouterr().out)
    assert {row["recogniser"] for row in table} == {"captions"}
    names = [row for row in table if row["name"] == "name, said 10"]
    assert [row["said"] for row in names] == [10 * row["terms"] for row in names] != []
    known = [row for row in table if row["name"].startswith("known")]
    assert {"known, said 10", "known, said 100"} <= {row["name"] for row in known}
    assert sum(row["right"] for row in known) > 0.9 * sum(row["said"] for row in known)
    assert "<svg" in picture.read_text()


def test_parts_count_as_one_archive(words, config):
    """Pairs of words, and places, of two parts are those of both together."""
    found = mishearings(words, lexicon_in("de", config.pronunciation, config.text))
    two = [heard(drawn(words, 0.1, seed), found, seed) for seed in (1, 2)]
    said = said_in(Parts(words, [lambda: two[0], lambda: two[1]]))
    counts = sum(one.speech.counts for one in two)
    assert said.counts.tolist() == counts.tolist()
    assert said.hours == pytest.approx(sum(one.speech.hours for one in two))
    often = int(said.pair_counts.argmax())
    phrase = divmod(int(said.pairs[often]), len(words.words))
    assert said.pair_counts[often] == sum(len(one.speech.occurrences(phrase)) for one in two)
