"""std-search --explain-query: its contract, its errors, and what a person sees."""

import json
import subprocess
import sys
from contextlib import closing
from dataclasses import replace

import numba
import numpy as np
import pytest

from indexer import index_files
from indexer.segments.invert import invert
from searcher import open_index, query_terms
from searcher.commands.arguments import MOVED, parser
from searcher.commands.command_line import configuration
from searcher.commands.search import main as std_search
from searcher.terms.language_words import variants_in
from spoken_terms import start
from std.config import Config, PhoneticSearchConfig, range_of
from std.numbers import written
from std.store import open_store
from std.text import Normalisation
from std.values import Term

WORDS = "Burg\t7\nanlagen\t3\nanlage\t5\ndie\t90\nvon\t80\nburgen\t1\nstartmenge\nbürg\n"


@pytest.fixture
def words(tmp_path):
    path = tmp_path / "words.tsv"
    path.write_text(WORDS, "utf-8")
    return path


def main(arguments):
    return std_search(["--explain-query", *arguments])


def run(capsys, *arguments):
    status = main([str(one) for one in arguments])
    out, err = capsys.readouterr()
    return status, out, err


def described(capsys, *arguments):
    status, out, err = run(capsys, "--json", *arguments)
    assert (status, err) == (0, "")
    return json.loads(out)


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


def test_the_vocabulary_of_a_store(capsys, tmp_path, network):
    url = str(tmp_path / "index")
    said = network([("burg", 1.0)], [("anlagen", 0.9), ("anlage", 0.1)], [("burg", 1.0)])
    with closing(open_store(url, create=True)) as store, store.writing():
        store.commit([invert([said])], normalisation=Normalisation())
    (one,) = described(capsys, "--store", url, "--set=splitting.ranking=geometric", "Burganlagen")
    first = one["words"][0]["splits"][0]
    assert first["parts"] == ["burg", "anlagen"]
    assert first["quality"] == pytest.approx(2**0.5)  # eq. 3.1 of the counts 2 and 1

    config = tmp_path / "other.toml"
    config.write_text('[text]\ncase = "keep"\n', "utf-8")
    status, _, err = run(capsys, "--store", url, "--config", config, "burg")
    assert status == 2
    assert "expected text.case = 'lower'" in err
    assert run(capsys, "--store", str(tmp_path / "none"), "burg")[0] == 2


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


def test_a_wildcard_shows_what_it_stands_for(capsys, words, tmp_path):
    one, other = described(capsys, "--vocabulary", words, "Anlage*", "die b*g burganlagen")
    (starred,) = one["words"]
    assert starred["wildcard"] == [["anlage", 5], ["anlagen", 3]]
    assert (starred["in_vocabulary"], starred["splits"], starred["fitting"]) == (True, [], 2)
    assert one["variants"] == [
        {
            "words": ["anlage*"],
            "similarity": 1.0,
            "channel": "wildcard",
            "how": "anlage*: 2 words of the index: anlage, anlagen",
        }
    ]
    assert [word["in_vocabulary"] for word in other["words"]] == [True, True, False]
    assert other["words"][1]["wildcard"] == [["burg", 7], ["bürg", 1]]
    status, out, _ = run(capsys, "--vocabulary", words, "anlage*")
    assert (status, "anlage*: 2 words of the index: anlage, anlagen" in out) == (0, True)
    config = tmp_path / "few.toml"
    config.write_text("[search]\nwildcard_words = 1\n")
    (one,) = described(capsys, "--vocabulary", words, "anlage*", "--config", config)
    assert (one["words"][0]["wildcard"], one["words"][0]["fitting"]) == ([["anlage", 5]], 2)
    status, out, err = run(capsys, "--vocabulary", words, "die *")
    assert (status, out) == (2, "")
    assert "expected letters beside * (robo*" in err


def test_the_terms_of_a_list_are_those_of_a_search_for_a_list(capsys, words, tmp_path):
    """No wildcard is expanded."""
    terms = tmp_path / "terms.txt"
    terms.write_text("anlage*\nburg\ndie *\n")
    one, _, star = described(capsys, "--vocabulary", words, "--terms", terms)
    (starred,) = one["words"]
    assert "wildcard" not in starred
    assert (starred["in_vocabulary"], starred["spellings"]) == (False, [])
    assert one["variants"] == []
    assert [word["word"] for word in star["words"]] == ["die", "*"]


@pytest.mark.parametrize("fold", [False, True])
def test_a_search_for_a_list_finds_the_words_that_are_said_of_it(tmp_path, fold):
    spoken = tmp_path / "one.ctm"
    words = ["la", "razón", "no", "son", "las", "razones", "de", "que", "el", "niño", "razon"]
    spoken.write_text("".join(f"x 1 {i} 0.5 {word} 0.9\n" for i, word in enumerate(words)), "utf-8")
    config = Config(
        text=Normalisation(fold_accents=fold), phonetic_search=PhoneticSearchConfig(words="none")
    )
    index_files([spoken], tmp_path / "index", config=config, language="es")
    terms = ["razon", "nino", "razon*", "razón", "niños"]
    with open_index(tmp_path / "index", config=config) as index:
        hits = [*index.hits(index.search_terms([Term(text, text) for text in terms]))]
    for text, one in zip(
        terms,
        query_terms(terms, store=tmp_path / "index", config=config, mode="list"),
        strict=True,
    ):
        found = {hit.searched for hit in hits if (hit.term, hit.method) == (text, "exact")}
        (word,) = one["words"]
        own = {text} & set(words)
        assert found == own | {other for other, _ in word["spellings"]}, text
        assert word["in_vocabulary"] == bool(found)


FRENCH = (
    "l'homme\t3\nle\t90\net\t80\nles\t70\nune\t60\ndes\t50\nque\t40\ncœur\t2\ncoeur\t4\nhommes\n"
)


def test_other_spellings_of_the_language_are_shown(capsys, tmp_path):
    path = tmp_path / "french.tsv"
    path.write_text(FRENCH, "utf-8")
    homme, heart, les = described(capsys, "--vocabulary", path, "homme", "Cœur", "les")
    (word,) = homme["words"]
    assert (word["in_vocabulary"], word["spellings"]) == (True, [["l'homme", 3]])
    assert word["splits"] == word["levenshtein"] == []  # a search makes none of a word it knows
    assert heart["words"][0]["spellings"] == [["coeur", 4]]
    assert les["words"][0]["spellings"] == []
    _, table, _ = run(capsys, "--vocabulary", path, "--fmt", "table", "homme")
    assert "all words known" in table
    assert "spellings of homme: l'homme (3)" in table
    _, rows, _ = run(capsys, "--vocabulary", path, "--csv", "homme")
    assert "homme,,homme,l'homme,,spelling,3 postings" in rows.splitlines()


@pytest.mark.parametrize("other", ["search.spelling=exact", "pronunciation.language=en"])
def test_other_spellings_are_those_that_a_search_finds(capsys, tmp_path, other):
    path = tmp_path / "french.tsv"
    path.write_text(FRENCH, "utf-8")
    (homme,) = described(capsys, "--vocabulary", path, "--set", other, "homme")
    (word,) = homme["words"]
    assert (word["in_vocabulary"], word["spellings"]) == (False, [])


def test_spellings_are_those_of_the_recordings_language(capsys, tmp_path, network):
    store = tmp_path / "index"
    with closing(open_store(str(store), create=True)) as opened, opened.writing():
        for language, file in (("fr", "one"), ("en", "two")):
            columns = invert([network([("l'homme", 1.0)], [(f"cœur-{file}", 1.0)], file=file)])
            extra = {"language": np.frombuffer(language.encode(), np.uint8)}
            opened.commit([replace(columns, extra=extra)], normalisation=Normalisation())
    described_terms = described(capsys, "--store", store, "homme", "coeur-one", "coeur-two")
    found = [one["words"][0]["spellings"] for one in described_terms]
    # œ is typed as oe in any language; l'homme is a spelling of homme in French.
    assert found == [[["l'homme", 1]], [["cœur-one", 1]], [["cœur-two", 1]]]


def test_accented_words_that_a_search_finds_are_shown(capsys, tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("razón\t3\nrazones\t2\nlos\t9\n", "utf-8")
    assert main(["razon", "--vocabulary", str(path), "--json"]) == 0
    (word,) = json.loads(capsys.readouterr().out)[0]["words"]
    assert word["in_vocabulary"]
    assert word["spellings"] == [["razón", 3]]


@pytest.mark.parametrize("expansion", ["none", "unknown", "all"])
@pytest.mark.parametrize("splitting", ["none", "unknown", "all"])
def test_what_is_listed_is_what_a_search_looks_up(capsys, tmp_path, network, splitting, expansion):
    url = str(tmp_path / "index")
    said = network([("burg", 1.0)], [("anlagen", 0.9), ("anlage", 0.1)], [("die", 1.0)])
    with closing(open_store(url, create=True)) as store, store.writing():
        store.commit([invert([said])], normalisation=Normalisation())
    methods = 'expansion.methods=["levenshtein", "dice"]'
    given = [f"splitting.words={splitting}", f"expansion.words={expansion}", methods]
    options = [part for setting in given for part in ("--set", setting)]
    config = configuration(parser().parse_args(["x", "--explain-query", "--store", url, *options]))
    for text in ("Burganlagen", "die burganlage", "burg"):
        (one,) = described(capsys, "--store", url, *options, text)
        listed = [tuple(variant["words"]) for variant in one["variants"]]
        with open_index(url, config=config) as index:
            words = config.text.phrase(text)
            (language,) = index._prepared.languages
            (looked_up,) = variants_in([words], language)
            known = set(index.vocabulary.words)
        assert listed == [one.words for one in looked_up if known.issuperset(one.words)]
        assert {one.words for one in looked_up} - set(listed) <= {words}


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


def test_shards_have_their_words_together(capsys, tmp_path, network):
    urls = [str(tmp_path / name) for name in ("one", "two")]
    for url, word in zip(urls, ("burg", "anlagen"), strict=True):
        with closing(open_store(url, create=True)) as store, store.writing():
            columns = invert([network([(word, 1.0)], file=word)])
            store.commit([columns], normalisation=Normalisation())
    shards = [f"--store={url}" for url in urls]
    (one,) = described(capsys, *shards, "burganlagen")
    assert one["words"][0]["splits"][0]["parts"] == ["burg", "anlagen"]
    assert run(capsys, shards[0], shards[0], "burg")[0] == 2
