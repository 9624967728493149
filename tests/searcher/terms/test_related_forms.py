# ruff: noqa: RUF001  # letters of many languages are meant
"""Words of an index in other forms: which they are, how they are found, what they are not."""

import json
from collections import Counter
from itertools import pairwise, product
from math import prod

import pytest

import searcher.commands.search
from indexer import index_files
from searcher import open_index
from searcher.output.notices import form_notices
from searcher.terms.related_forms import RelatedForms, letters
from searcher.terms.vocabulary import of_counts
from std.errors import StdError


@pytest.fixture(scope="module")
def index(german_store):
    with open_index(german_store) as opened:
        yield opened


@pytest.mark.parametrize(("word", "forms", "others"), [
    ("haus", "hauses häuser", "hausen-bau hut haar"),
    ("helsinki", "helsingissä helsingin", "helppo help"),
    ("tampere", "tampereella", "tammi"),
    ("i̇stanbul", "i̇stanbul'da istanbul'un", "ispanya"),
    ("ankara", "ankara'nın", "anlamak"),
    ("москва", "москве москву москвой", "мост"),
    ("서울", "서울에서 서울은", "부산에서 서로"),
    ("부산", "부산에서", "부모"),
    ("وزير", "الوزير والوزير بالوزير", "قال وزن"),
    ("المدينة", "مدينة بالمدينة", "المدير"),
    ("בית", "הבית בבית", "ביצה"),
    ("budapest", "budapesten budapestre", "budak"),
    ("warszawa", "warszawie warszawy", "warunek"),
    ("çocuk", "çocuğu çocuklar", "çok"),
    ("αθήνα", "αθήνας", "αθώος"),
    ("लड़का", "लड़के लड़कों", "लगभग"),
    ("தமிழ்", "தமிழில்", "தலை"),
    ("wolf", "wolves", "wool"),
    ("científica", "científicas científico", "cien"),
])  # fmt: skip
def test_forms_of_many_languages_without_their_rules(word, forms, others):
    known = RelatedForms(of_counts(Counter(f"{forms} {others}".split())))
    assert {one.word for one in known.of_word(word)} == set(forms.split())


def test_what_an_ending_is_is_learned():
    """*-halt* is no ending where other words have it and not without it."""
    few = RelatedForms(of_counts(Counter(["haushalt", "häuser"])))
    many = RelatedForms(of_counts(Counter([
        *("haushalt", "inhalt", "aufenthalt", "unterhalt", "gehalt", "anhalt", "rückhalt"),
        *("vorbehalt", "einhalt", "häuser", "kind", "kinder", "bild", "bilder", "licht"),
        *("lichter", "feld", "felder"),
    ])))  # fmt: skip
    assert {one.word for one in few.of_word("haus")} == {"haushalt", "häuser"}
    assert {one.word for one in many.of_word("haus")} == {"häuser"}


def test_compounds_function_words_and_spellings_are_no_forms():
    words = ("hausbank", "bank", "aus", "königssohn", "sohn", "derer", "büro", "straße", "strasse")
    known = RelatedForms(of_counts(Counter(words)), ["de"])
    assert known.of_word("haus") == known.of_word("könig") == known.of_word("der") == ()
    assert known.of_word("straße") == known.of_word("ab") == ()
    assert RelatedForms(of_counts(Counter(["kâtip"])), ["tr"]).of_word("katip") == ()


@pytest.mark.slow
def test_other_spellings_are_forms_for_a_search_that_does_not_find_them():
    words = of_counts({"ali'nin": 1, "kâtip": 1, "müller": 1, "muller": 1})
    for exact, forms in ((False, []), (True, ["kâtip"])):
        related = RelatedForms(words, {"tr"}, exact=exact)
        assert [one.word for one in related.of_word("katip")] == forms
        assert [one.word for one in related.of_word("ali")] == ["ali'nin"]
        assert related.is_form("ali", "ali'nin")
        assert [one.word for one in related.of_word("müller")] == ["muller"] * exact


def test_the_likeliest_forms_of_a_long_phrase_are_found_without_making_all(index):
    known = index.related_forms
    words = sorted(index.vocabulary.words, key=lambda word: -len(known.of_word(word)))[:40]

    def all_ways(phrase):
        each = [[(word, 1.0), *known.of_word(word)] for word in phrase]
        ways = sorted(product(*each), key=lambda one: -prod(likeness for _, likeness in one))
        return [tuple(word for word, _ in one) for one in ways][1:51]

    for phrase in (words[:1], words[:2], words[:4], ["der", *words[5:7]]):
        assert known.of_phrase(phrase) == all_ways(phrase)
    assert len(known.of_phrase(words)) == 50  # of 1e30


def test_pairs_are_counted_as_each_word_says(index):
    known = index.related_forms
    words = {letters(word) for word in index.vocabulary.words if not any(map(str.isdigit, word))}
    for own, ending, other in (("", "es", "hauses"), ("e", "en", "decken"), ("", "heit", "")):
        stems = [w.removesuffix(ending) for w in words if w.endswith(ending) and w != other]
        stems = [stem for stem in stems if len(stem) >= 3]
        expected = len(stems), sum(stem + own in words for stem in stems)
        assert known._pairs(own, ending, other) == expected
    assert known._pairs("", "xqxq", "") == (0, 0)
    assert "qxq" not in known._by_last  # another thread may go through it


def test_forms_agree_with_snowballs_stems(index):
    """Of 20 minutes of German; what differs is mostly derived (lob, lobte), which both may be."""
    stemmer = pytest.importorskip("snowballstemmer", reason="snowballstemmer is missing")
    stem = stemmer.stemmer("german").stemWord
    words = [word for word in index.vocabulary.words if word.isalpha() and len(word) > 4][::8]
    of_stem = {}
    for word in index.vocabulary.words:
        of_stem.setdefault(stem(word), set()).add(word)
    found = {(w, one.word) for w in words for one in index.related_forms.of_word(w)}
    same = {(w, o) for w in words for o in of_stem[stem(w)] if letters(w) != letters(o)}
    assert len(found & same) >= 0.7 * len(found)
    assert len(found & same) >= 2 / 3 * len(same)


def test_forms_are_found_as_terms_of_their_own(index):
    hits = index.search("haus", "kind", inflections=True)
    own, forms = ([hit for hit in hits if bool(hit.form_of) == is_form] for is_form in (0, 1))
    assert hits == own + forms
    assert {(hit.form_of, hit.term) for hit in forms} >= {("haus", "häuser"), ("kind", "kinder")}
    assert all(
        hit.method == "inflection" and hit.how == f"a form of {hit.form_of}" for hit in forms
    )
    assert own == index.search("haus", "kind")
    assert "form_of" not in own[0].document()
    assert forms[0].document()["form_of"] == forms[0].form_of


def test_a_place_is_one_form_and_not_where_the_term_is_likelier(index):
    places = [(h.file, h.start_s) for h in index.search("haus", inflections=True)]
    assert ("KERSTIN_11", 7.241) in places  # haus .67, haust .46
    assert len(set(places)) == len(places)
    found = index.find_forms("haus", min_probability=0.0)
    spans = sorted((h.file, h.start_s, h.start_s + h.duration_s) for h in index.hits(found))
    assert all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(spans))


def test_forms_are_counted_and_told(index, german_store, capsys):
    found = index.find_forms("kind")
    assert list(form_notices(found)) == ["kind: related forms: kindern 3, kinder 1, kindes 1"]
    search = searcher.commands.search.main
    assert search(["--store", german_store, "kind"]) == 0
    printed = capsys.readouterr()
    assert "kinder\t" not in printed.out
    assert (
        "kind: related forms: kindern 3, kinder 1, kindes 1; --inflections shows them"
        in printed.err
    )
    assert search(["--store", german_store, "kind", "--inflections", "--json"]) == 0
    printed = capsys.readouterr()
    assert "kinder" in {hit["term"] for hit in json.loads(printed.out)}
    assert "1 hit from probability 0.5 up" in printed.err  # of the term itself
    with pytest.raises(SystemExit):
        search(["--store", german_store, "--terms", "terms.xml", "--inflections"])


def test_a_term_that_only_its_forms_have(tmp_path):
    (tmp_path / "fi.vtt").write_text(
        "WEBVTT\n\n00:01.000 --> 00:05.000\nolen asunut helsingissä jo kymmenen vuotta\n"
    )
    index_files([tmp_path / "fi.vtt"], tmp_path / "index")
    with open_index(tmp_path / "index") as index:
        assert [hit.term for hit in index.search("Helsinki", inflections=True)][-1] == "helsingissä"
        forms = index.find_forms("asunut Helsinki").forms
        assert [(one.form, one.hits) for one in forms] == [("asunut helsingissä", 1)]


def test_hits_of_forms_alone_are_no_hits_of_the_term(tmp_path, capsys):
    (tmp_path / "tr.vtt").write_text("WEBVTT\n\n00:01.000 --> 00:05.000\nistanbul'da hava güzel\n")
    index_files([tmp_path / "tr.vtt"], tmp_path / "index")
    arguments = ["--store", str(tmp_path / "index"), "istanbul", "--inflections"]
    assert searcher.commands.search.main(arguments) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("istanbul'da\ttr\t")
    assert "\nno hits\n" in printed.err
    assert "from probability" not in printed.err


def test_queries_and_wildcards_have_no_forms(index):
    for query in ("haus AND kind", "hau*", "haus recording:KERSTIN_11"):
        assert index.find_forms(query).forms == []
    with pytest.raises(StdError):
        index.find_forms("haus", recordings=["nothing"])
