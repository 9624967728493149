"""std-search --explain-query: its contract, its errors, and what a person sees."""

import json
import subprocess
import sys

import numba
import pytest

from searcher import query_terms
from searcher.commands.arguments import MOVED
from searcher.commands.search import main as std_search
from spoken_terms import start
from std.config import Config, range_of
from std.numbers import written
from tests.searcher.commands.explained import described, main, run


def test_json_keys_and_values(capsys, words):
    (one,) = described(capsys, "--vocabulary", words, "die Burganlagen")
    costs = ["seconds", "cpu_seconds", "compile_seconds", "split_seconds"]
    assert list(one) == ["term", "words", "variants", *costs]
    assert one["term"] == "die Burganlagen"
    known, unknown = one["words"]
    assert known == {
        "word": "die",
        "in_vocabulary": True,
        "spellings": [],
        "splits": [],
        "levenshtein": [],
        "dice": [],
        "pronunciation": [],
    }
    assert (unknown["word"], unknown["in_vocabulary"]) == ("burganlagen", False)
    first = unknown["splits"][0]
    assert list(first) == ["parts", "segments", "distance", "quality"]
    assert (first["parts"], first["distance"]) == (["burg", "anlagen"], 0)
    assert unknown["levenshtein"][0] == ["anlagen", written((18 - 8) / 18)]  # eq. 2.3
    assert unknown["dice"][0] == ["anlagen", 2 * 6 / 16]  # eq. 2.4
    assert one["variants"][0] == {
        "words": ["die", "burg", "anlagen"],
        "similarity": 1.0,
        "channel": "split",
        "how": "burg|anlagen as burg anlagen",
    }
    assert 0 < one["split_seconds"] < one["cpu_seconds"] + one["compile_seconds"]


@pytest.mark.parametrize("method", ["linear", "bktree", "trie"])
def test_all_matches(capsys, words, method):
    found = described(
        capsys,
        "--vocabulary",
        words,
        "--all-matches",
        f"--set=splitting.method={method}",
        "burganla",
        "die",
    )
    expected = [
        # split[4] by burg; 0:5 burga and 0:6 burgan one edit from burg(en); then anla is too short
        [0, 4, "burg", 0],
        [0, 5, "burg", 1],
        [0, 6, "burgen", 1],
    ]
    assert found[0]["words"][0]["matches"] == expected
    assert found[1]["words"][0]["matches"] == []  # of a known word as well; never the whole word


def test_min_part_length_and_limits(capsys, words):
    limits = ("max_edits=1", "max_ratio=0.25", "min_part_letters=5")
    arguments = ("--vocabulary", words, "--all-matches")
    given = [f"--set=splitting.{limit}" for limit in limits]
    (one,) = described(capsys, *arguments, *given, "burganlagen")
    assert one["words"][0]["matches"] == [
        [0, 5, "burg", 1],  # the word itself may be shorter than a part
        [0, 6, "burgen", 1],
        [5, 10, "anlage", 1],
        [5, 11, "anlagen", 1],
    ]


def test_all_words_and_numbers(capsys, words):
    few = ("--set=splitting.nbest=1", "--set=expansion.candidates=2")
    arguments = ("--vocabulary", words, "--all-words", *few)
    (one,) = described(capsys, *arguments, "burgen")
    assert [like for like, _ in one["words"][0]["levenshtein"]] == ["burg", "bürg"]
    (one,) = described(capsys, *arguments, "burganlagen")
    assert len(one["words"][0]["splits"]) == len(one["variants"]) == 1
    assert len(one["words"][0]["dice"]) == 2


def test_methods_and_rankings(capsys, words, tmp_path):
    for extra in (
        ["--set=splitting.method=primitive"],
        ["--set=splitting.method=rules"],
        ["--set=splitting.method=bktree", "--bktree", tmp_path / "tree"],
        ["--set=splitting.ranking=geometric"],
    ):
        (one,) = described(capsys, "--vocabulary", words, *extra, "burganlagen")
        assert ["burg", "anlagen"] in [split["parts"] for split in one["words"][0]["splits"]]
    assert (tmp_path / "tree/bktree.json").exists()


def test_letters_without_pairs(capsys, tmp_path):
    path = tmp_path / "letters.tsv"
    path.write_text("a\nb\n", "utf-8")
    (one,) = described(capsys, "--vocabulary", path, "abx")
    assert one["words"][0]["dice"] == []


def test_table_for_a_person(capsys, words):
    status, out, err = run(capsys, "--vocabulary", words, "--all-matches", "burganlagen", "die")
    assert (status, err) == (0, "")
    assert "burganlagen  (not in the vocabulary: burganlagen)" in out
    assert "burg anlagen" in out
    assert "burg|anlagen as burg anlagen" in out
    assert "match 0:4 burg burg 0" in out
    assert "levenshtein of burganlagen: anlagen 0.56" in out
    assert "die  (all words known)" in out
    assert "no split" in run(capsys, "--vocabulary", words, "xyz")[1]


def test_long_tables_say_what_is_missing(capsys, tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text("".join(f"hau{letter}\nbau{letter}\n" for letter in "abcdefg"), "utf-8")
    out = run(capsys, "--vocabulary", path, "--set=splitting.max_ratio=0.3", "hauxbaux")[1]
    assert "... and 15 more; --json shows all" in out


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("maß".encode("latin-1"), ["haus"], "words.tsv:1: expected utf-8 text, got"),
        (b"haus\n", ["..!"], "TERM: expected a word or a phrase, got '..!'"),
        (b"haus\n", [""], "TERM: expected a word or a phrase, got ''"),
        (b"haus\n", ["x" * 200], "expected a word of at most 192 letters, got 200 letters"),
        (b"haus\n", ["x" * 5000], "expected a word of at most 192 letters, got 5000 letters"),
        (b"haus\n", ["haus", "die " + "x" * 5000], "got 5000 letters"),
        (b"", ["haus"], "words.tsv: expected at least one word, got"),
        (b"a\tb\n", ["haus"], "words.tsv:1: expected a whole number >= 0 as count, got 'b'"),
    ],
)
def test_errors_are_one_line(capsys, tmp_path, content, arguments, message):
    path = tmp_path / "words.tsv"
    path.write_bytes(content)
    status, out, err = run(capsys, "--vocabulary", path, *arguments)
    assert (status, out) == (2, "")
    assert err.startswith("std-search: ")
    assert err.count("\n") == 1
    assert message in err


def test_an_empty_index_is_refused(capsys):
    status, _, err = run(capsys, "--store", "memory:", "haus")
    assert status == 2
    assert "expected an index with recordings" in err


def test_query_terms_gives_what_the_command_prints(capsys, words):
    printed = described(capsys, "--vocabulary", words, "--all-matches", "die Burganlagen", "von")
    returned = query_terms(["die Burganlagen", "von"], vocabulary=words, all_matches=True)
    for description in (*printed, *returned):
        for cost in ("seconds", "cpu_seconds", "compile_seconds", "split_seconds"):
            del description[cost]
    assert json.loads(json.dumps(written(returned))) == printed


@pytest.mark.parametrize("given", [{}, {"store": "memory:", "vocabulary": "words.tsv"}])
def test_query_terms_takes_one_source_of_words(given):
    with pytest.raises(ValueError, match="either a store or a vocabulary"):
        query_terms(["haus"], **given)


def test_usage(capsys, words):
    for arguments in (["haus"], ["--vocabulary", str(words)], ["--store", "x", "--bad", "haus"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    assert "std-search: " in capsys.readouterr().err


def test_help_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from searcher.commands.search import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'numba', 'numpy', 'scipy', 'sklearn', 'rich'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "examples:" in done.stdout


def test_kernels_compile_where_no_cache_can_be_written(monkeypatch):
    """Numba refuses cache=True without a place for it; we go on without."""
    from std.execution.compiled import compiled

    njit = numba.njit

    def without_cache(*functions, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return njit(*functions, **options)

    monkeypatch.setattr(numba, "njit", without_cache)
    assert compiled(lambda a: a + 1)(2) == 3


def test_configured_values_hold_unless_given(capsys, words, tmp_path):
    config = tmp_path / "thesis.toml"
    config.write_text('[splitting]\nranking = "geometric"\nmax_edits = 0\nnbest = 1\n', "utf-8")
    arguments = ("--vocabulary", words, "--config", config, "--all-matches", "burganlagen")
    (one,) = described(capsys, *arguments)
    assert {distance for *_, distance in one["words"][0]["matches"]} == {0}
    (split,) = one["words"][0]["splits"]
    assert split["quality"] == pytest.approx(21**0.5)  # eq. 3.1 of burg 7 and anlagen 3
    (one,) = described(capsys, *arguments, "--set=splitting.max_edits=1", "--set=splitting.nbest=5")
    assert {distance for *_, distance in one["words"][0]["matches"]} == {0, 1}
    assert len(one["words"][0]["splits"]) > 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x", "--store", "i", "--where", "a = 1"], "searches nothing: expected no --where"),
        (["x", "--store", "i", "--fuse", "--limit", "3"], "expected no --fuse, --limit"),
        (["x", "--terms", "t", "--store", "i"], "one TERM or --terms FILE, got both"),
        (["--store", "i"], "one TERM or --terms FILE, got neither"),
        (["x"], "expected --store or --vocabulary, got neither"),
        (["x", "--store", "i", "--vocabulary", "v"], "expected --store or --vocabulary, got both"),
    ],
)
def test_what_does_not_go_together(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--vocabulary=x", "--all-words", "--all-matches", "--bktree=x"])
def test_a_search_takes_none_of_its_options(option, capsys):
    with pytest.raises(SystemExit, match="2"):
        std_search(["x", "--store", "i", option])
    assert "go with --explain-query" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "now"), MOVED.items())
def test_options_that_std_query_had(option, now, capsys):
    with pytest.raises(SystemExit, match="2"):
        start.std_query(["x", "--store", "i", option, "1"])
    assert capsys.readouterr().err == f"std-search {option} is now: {now}\n"
    key = now.removeprefix("--set ").partition("=")[0]
    assert range_of(key) if key.startswith("expansion") else hasattr(Config().splitting, key[10:])


def test_std_query_is_another_name(capsys, words, monkeypatch):
    printed = described(capsys, "--vocabulary", words, "Burganlagen")
    arguments = ["--vocabulary", str(words), "Burganlagen", "--json"]
    assert start.std_query(arguments) == 0
    by_argument = json.loads(capsys.readouterr().out)
    monkeypatch.setattr(sys, "argv", ["std-query", *arguments])
    assert start.std_query() == 0
    by_line = json.loads(capsys.readouterr().out)
    assert printed[0]["variants"] == by_argument[0]["variants"] == by_line[0]["variants"]
