"""std-search --explain-query: wildcards, spellings, and that a search looks up what it lists."""

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from indexer import index_files
from indexer.segments.invert import invert
from searcher import open_index, query_terms
from searcher.commands.arguments import parser
from searcher.commands.command_line import configuration
from searcher.terms.language_words import variants_in
from std.config import Config, PhoneticSearchConfig
from std.store import open_store
from std.text import Normalisation
from std.values import Term
from tests.searcher.commands.explained import described, main, run


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
    terms = tmp_path / "terms.txt"
    terms.write_text("homme\n")
    (of_list,) = described(capsys, "--vocabulary", path, "--terms", terms)
    (word,) = of_list["words"]  # known, and found in no other spelling
    assert (word["in_vocabulary"], word["spellings"], of_list["variants"]) == (True, [], [])


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
