"""std-tune --check: do probabilities hold, without a reference?"""

import json

import numpy as np
import pytest

from indexer import index_files
from searcher import open_index
from searcher.commands.tune import check_summary, main
from searcher.tuning.check import Unwritten, check, unwritten_words


def test_words_of_stems_that_the_index_has_often_are_asked_for():
    counts = {"informationen": 30, "informiert": 4, "maschinen": 50, "formen": 9}
    known = ["informationes", "maschinelles", "informationen", "formenwelt", "kurz", "maschine"]
    assert unwritten_words(known, counts) == [
        Unwritten("maschine", 50),
        Unwritten("informationes", 30),
    ]
    assert unwritten_words(known, counts, most=1) == [Unwritten("maschine", 50)]


def test_compounds_of_a_part_that_the_index_has_often_are_asked_for():
    counts = {"regierung": 60, "revolution": 12, "bundes": 70, "reich": 9, "haus": 90, "leiter": 11}
    known = ["bundesregierung", "revolutionsplatz", "kaiserreich", "hausboote", "baustellenleiter"]
    assert unwritten_words(known, counts) == [
        Unwritten("bundesregierung", 60, "regierung"),  # the longest such part
        Unwritten("revolutionsplatz", 12, "revolution"),  # "leiter" is less than half of the word
    ]
    many = [f"{'abcdefghij'[i // 10]}{'abcdefghij'[i % 10]}xxxregierung" for i in range(100)]
    assert unwritten_words([*known, *many], counts, most=3) == [
        Unwritten(word, 60, "regierung") for word in (*many[:2], many[2])
    ]
    assert {one.kind for one in unwritten_words(["revolutionäre", *many], counts)} == {
        "sibling", "compound",
    }  # fmt: skip


def test_words_with_vowel_signs_are_words():
    counts = {"हिन्दुस्तानी": 30, "हिन्दुस्तान": 4}
    known = ["हिन्दुस्तानों", "हिन्दुस्तान4"]
    assert unwritten_words(known, counts) == [Unwritten("हिन्दुस्तानों", 34)]


@pytest.mark.parametrize(
    ("probability", "hold"), [([0.4, 0.3, 0.2], True), ([0.9] * 6, False), ([], True)]
)
def test_expected_hits_of_words_that_nobody_says_are_too_many(probability, hold):
    words = [Unwritten("maschine", 50), Unwritten("informationes", 30)]
    rows = np.zeros(len(probability), np.int64)
    found = check(words, 2.0, rows, np.array(probability))
    assert found.expected == pytest.approx(sum(probability))
    assert (found.words, found.hold) == (2, hold)
    assert found.most[0].word == ("maschine" if probability else "informationes")


def test_each_kind_of_word_must_hold():
    words = [Unwritten(f"a{i}", 50) for i in range(20)] + [Unwritten("bc", 60, "c")]
    found = check(words, 2.0, np.array([20, 20]), np.array([0.4, 0.3]))
    assert [one[:2] for one in found.kinds] == [("sibling", 20), ("compound", 1)]
    assert [round(one.expected, 9) for one in found.kinds] == [0.0, 0.7]
    assert not found.hold  # though all together have less than .5 for each word
    assert check(words, 2.0, np.array([20]), np.array([0.4])).hold
    assert "1 word with a part that was written often: 0.7; 0 hits; sums above 5 for 0 words" in (
        check_summary(found, None)
    )
    assert check_summary(found, None)[-1].endswith(
        "largest: bc (c) 0.7, a0 0.0, a1 0.0, a10 0.0, a11 0.0"
    )


def test_what_to_do_is_said_where_probabilities_are_too_high():
    row = np.zeros(6, np.int64)
    high = check([Unwritten("maschine", 50)], 2.0, row, np.full(6, 0.9))
    *_, told = check_summary(high, "the words.txt")
    assert "search with --set 'calibration.vocabulary=the words.txt'" in told
    one = check([Unwritten("maschine", 50)], 2.0, row[:1], np.full(1, 0.9))
    assert check_summary(one, None)[0].endswith("add up to 0.9; 1 hit from probability 0.5 up")
    right = check([Unwritten("maschine", 50)], 2.0, row, np.full(6, 0.01))
    for lines in (check_summary(high, None), check_summary(right, "the words.txt")):
        assert "vocabulary" not in " ".join(lines)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    store = tmp_path_factory.mktemp("check") / "index"
    index_files(["examples/german/mesh"], store, language="de")
    return store


def test_the_command_says_it(store, tmp_path, capsys):
    words = tmp_path / "words.txt"
    with open_index(store) as index:
        vocabulary = index.vocabulary
    often = [
        word
        for word, n in zip(vocabulary.words, vocabulary.counts.tolist(), strict=True)
        if n >= 10 and len(word) >= 5
    ]
    made = [f"{word}chs" for word in often]
    words.write_text("\n".join([*made, *often]) + "\n")
    argv = ["--store", str(store), "--check", str(words)]
    assert main([*argv, "--json", "--quiet"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["words"] == len(made) > 0
    assert {one["word"] for one in found["most"]} <= {*made}
    assert found["expected"] == pytest.approx(sum(one["expected"] for one in found["most"]), 0.5)
    assert isinstance(found["hold"], bool)
    assert found["kinds"][0]["kind"] == "sibling"
    assert {one["kind"] for one in found["most"]} == {"sibling"}
    assert main(argv) == 0
    assert "that most probably nobody says in 0.4 h" in capsys.readouterr().err


def test_without_words_to_search_one_line_says_so(store, tmp_path, capsys):
    words = tmp_path / "words.txt"
    words.write_text("der\ndie\n")
    assert main(["--store", str(store), "--check", str(words), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert "got none among 2 words" in told
    assert told.count("\n") == 1


@pytest.mark.parametrize(
    "more",
    [["--output", "m.json"], ["--feedback", "x.jsonl"], ["--seed", "1"], ["--even-if-worse"]],
)
def test_options_of_learning_are_refused(more, capsys):
    assert main(["--store", "x", "--check", "words.txt", *more]) == 2
    assert f"expected --check without {more[0]}, got both" in capsys.readouterr().err


def test_nothing_to_write_is_one_line(capsys):
    assert main(["--store", "x", "--feedback", "x.jsonl"]) == 2
    assert "expected --output, or --check, got neither" in capsys.readouterr().err


def test_words_that_are_written_in_another_spelling_are_not_unwritten(tmp_path, capsys):
    line = "c'est l'anniversaire de mon frère, les anniversaires sont beaux"
    captions = [f"{i}\n00:00:{i}0,000 --> 00:00:{i}3,000\n{line}\n" for i in range(6)]
    captions += [f"{i}\n00:01:{i}0,000 --> 00:01:{i}3,000\n{line}\n" for i in range(6)]
    (tmp_path / "a.srt").write_text("\n".join(captions))
    index_files([tmp_path / "a.srt"], tmp_path / "index", language="fr")
    words = tmp_path / "words.txt"
    words.write_text("anniversaire\nanniversaireux\n")
    argv = ["--store", str(tmp_path / "index"), "--check", str(words), "--json", "--quiet"]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["word"] for one in found["most"]] == ["anniversaireux"]
    assert found["words"] == 1
    words.write_text("anniversaire\n")
    assert main(argv) == 2
    assert "got none among 1 words" in capsys.readouterr().err
