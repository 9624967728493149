"""An index of several languages: a term is looked for in each, and hits say which."""

import json
import math
from collections import Counter
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import searcher.found_terms
import searcher.phonetic.indexes
import searcher.search
from indexer.segments.invert import invert
from indexer.segments.phone_columns import phone_columns
from searcher.calibration.model import default_model
from searcher.commands.search import main
from searcher.found_terms import find_terms, prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import by_language
from searcher.results.candidates import concatenate
from searcher.search import decide, judge, search
from searcher.terms.language_words import (
    ALPHABET,
    MAX_LOG_ODDS,
    PER_NAT,
    SMOOTHING,
    log_odds,
    vocabulary_trigrams,
)
from searcher.terms.request import Variant
from searcher.tuning.development_set import in_one_language
from std.config import Config
from std.errors import ConfigError, InputError
from std.phonetics.lexicon import Lexicon
from std.store import open_store
from std.store.resident import ResidentSegment
from std.text import Normalisation
from std.values import Excerpt, Recording, Term

GERMAN = "das haus garten schule strasse kirche wasser schiff"
DUTCH = "het huis tuin school straat kerk water schip"

SPEECH = SearchedSpeech(None, 60.0)


class Letters:
    """A language in which words sound as they are written; ``nl`` says ou for au."""

    def __init__(self, language):
        self.name = f"letters:{language}"
        self.dutch = language == "nl"

    def pronounce(self, words):
        return [tuple(word.replace("au", "ou") if self.dutch else word) for word in words]


@pytest.fixture(autouse=True)
def letters(monkeypatch):
    monkeypatch.setattr(
        searcher.phonetic.indexes,
        "lexicon_of",
        lambda pronouncer, *rest: Lexicon(Letters(pronouncer[-2:])),
    )


@pytest.fixture
def segment(network):
    def made(text, language, file):
        columns = invert([network(*([(word, 0.9)] for word in text.split()), file=file)])
        extra = phone_columns(columns, Lexicon(Letters(language))) if language else {}
        return ResidentSegment(file, replace(columns, extra=extra))

    return made


def found_in(segments, *texts, model=None):
    terms = [Term(text, text) for text in texts]
    return search(terms, prepare(segments, Config(), model), SPEECH)


def rows(found):
    return [
        (
            found.terms[term].text,
            found.recordings[recording].file,
            found.languages[recording],
            found.variants[variant].method,
            found.variants[variant].how,
        )
        for term, variant, recording in zip(
            *(found.candidates[i].tolist() for i in range(3)), strict=True
        )
    ]


def test_a_term_is_pronounced_in_each_language(segment):
    segments = [segment(GERMAN, "de", "g"), segment(DUTCH + " bouhous", "nl", "n")]
    found = rows(found_in(segments, "bauhaus"))
    dutch = [one for one in found if one[1] == "n"]
    assert any("b o u h o u s heard in 'bouhous'" in how for *_, how in dutch)
    assert {language for _, file, language, *_ in found if file == "n"} == {"nl"}
    german = [one for one in found if one[1] == "g" and one[3] == "phonetic"]
    assert all("b a u h a u s" in one[4] for one in german)


def test_what_one_recogniser_knows_may_be_unknown_to_another(segment):
    segments = [segment(GERMAN, "de", "g"), segment(DUTCH + " kir che", "nl", "n")]
    found = found_in(segments, "kirche")
    assert found.oov_words == ((),)  # the index knows it
    methods = {(file, method) for _, file, _, method, _ in rows(found)}
    assert ("g", "exact") in methods
    assert ("n", "split") in methods or ("n", "phonetic") in methods


def test_in_its_own_recordings_a_language_is_searched_as_alone(segment):
    german, dutch = segment(GERMAN, "de", "g"), segment(DUTCH, "nl", "n")
    alone = found_in([german], "kirchenschiff", "garten")
    together = found_in([dutch, german], "kirchenschiff", "garten")
    assert [one for one in rows(together) if one[1] == "g"] == rows(alone)


def test_a_language_that_an_ecf_leaves_out_makes_no_place_of_another_less_likely(segment):
    german, dutch = segment(GERMAN, "de", "g"), segment(DUTCH + " kirchenboot", "nl", "n")
    ecf = SearchedSpeech([Excerpt(Recording("g", 1), 0, 60)], 60)
    terms = [Term("kirchenboot", "kirchenboot")]
    alone, together = (
        search(terms, prepare(some, Config()), ecf) for some in ([german], [dutch, german])
    )
    assert len(alone.probability)
    np.testing.assert_allclose(together.probability, alone.probability)


def test_a_term_of_one_language_makes_no_place_of_another_likelier(segment, monkeypatch):
    """That it occurs in German says nothing of what sounds like it in Dutch."""
    monkeypatch.setattr(
        searcher.search, "term_log_odds", lambda words, _: np.zeros((len(words), 2))
    )
    german, dutch = segment(GERMAN, "de", "g"), segment(DUTCH + " kerkes", "nl", "n")
    alone, together = found_in([dutch], "kirche"), found_in([german, dutch], "kirche")
    in_dutch = np.array([together.recordings[row].file == "n" for row in together.candidates[2]])
    assert set(in_dutch.tolist()) == {False, True}
    assert together.occurs[0] > 1.1 * alone.occurs[0]
    np.testing.assert_allclose(together.probability[in_dutch], alone.probability)


def test_phones_that_the_index_lacks_change_nothing_of_other_terms(segment):
    index = prepare([segment(GERMAN, "de", "g")], Config())
    assert not set("qvx") & set(GERMAN)
    alone = find_terms([Term("T1", "kirsche")], index, SPEECH).of_language[0]
    together = find_terms([Term("T1", "kirsche"), Term("T2", "vexq")], index, SPEECH).of_language[0]
    some = together.candidates.rows(together.candidates.term == 0)
    assert len(some.probability) == len(alone.candidates.probability) > 0
    assert some.probability.tolist() == alone.candidates.probability.tolist()
    assert together.log_evidence[0] == alone.log_evidence[0]


@pytest.mark.parametrize("at_once", [1, 2])
def test_a_list_in_parts_is_judged_as_one_in_each_language(segment, at_once):
    german, dutch = segment(GERMAN, "de", "g"), segment(DUTCH + " kerkes", "nl", "n")
    index = prepare([german, dutch], Config())
    texts = ["kirche", "bauhaus", "unbekannt", "garten", "gumlik"]
    terms = [Term(text, text) for text in texts]
    whole = search(terms, index, SPEECH)
    found = [
        find_terms(terms[i : i + at_once], index, SPEECH) for i in range(0, len(terms), at_once)
    ]
    parts = [decide(one, index.config) for one in judge(found, index)]
    assert np.concatenate([part.occurs for part in parts]).tolist() == whole.occurs.tolist()
    for name in ("probability", "yes"):
        together = np.concatenate([getattr(part, name) for part in parts])
        assert together.tolist() == getattr(whole, name).tolist()


def test_each_language_is_a_share_of_the_work(segment):
    segments = [segment(GERMAN, "de", "g"), segment(DUTCH, "nl", "n")]
    terms, shares = [Term("T1", "bauhaus"), Term("T2", "kirchenschiff")], []
    search(terms, prepare(segments, Config()), SPEECH, advance=shares.append)
    assert shares == [0.25] * 4


def test_groups(segment):
    g, n, no = segment(GERMAN, "de", "g"), segment("het huis", "nl", "n"), segment("a", "", "x")
    assert [(one.language, one.segments) for one in by_language([n, no, g])] == [
        ("de", (no, g)),
        ("nl", (n,)),
    ]
    assert [(one.language, one.segments) for one in by_language([no, n])] == [("nl", (no, n))]
    assert [(one.language, len(one.segments)) for one in by_language([no, no])] == [("", 2)]
    assert by_language([g], named=False) == (("", (g,)),)
    assert found_in([g, no, n], "unbekannt").without_phones == ("",)


def test_a_model_is_used_for_its_language_only(segment):
    segments = [segment(GERMAN, "de", "g"), segment(DUTCH, "nl", "n")]
    model = replace(default_model(), pronouncer="letters:nl")
    found = found_in(segments, "bauhaus", model=model)
    assert found.without_model == ("letters:de",)
    assert found_in(segments[1:], "bauhaus", model=model).without_model == ()
    foreign = found_in(segments, "bauhaus", model=replace(model, pronouncer="letters:fr"))
    assert foreign.without_model == ("letters:de", "letters:nl")


WORDS = st.lists(st.text("abcß", min_size=1, max_size=5), min_size=1, max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, min_size=2, max_size=3))
def test_spelling_against_plain_counting(terms, vocabularies):
    def grams(word):
        padded = f"\x02\x02{word}\x03"
        return [padded[i : i + 3] for i in range(len(padded) - 2)]

    expected = []
    for words in terms:
        logs = []
        for vocabulary in vocabularies:
            three = Counter(gram for word in vocabulary for gram in grams(word))
            two = Counter(gram[:2] for word in vocabulary for gram in grams(word))
            logs.append(
                sum(
                    math.log((three[gram] + SMOOTHING) / (two[gram[:2]] + SMOOTHING * ALPHABET))
                    for word in words
                    for gram in grams(word)
                )
            )
        expected.append([-min(PER_NAT * (max(logs) - one), MAX_LOG_ODDS) for one in logs])
    np.testing.assert_allclose(
        log_odds(terms, list(map(vocabulary_trigrams, vocabularies))), expected, atol=1e-9
    )


def test_a_german_word_is_not_likely_in_dutch():
    german, dutch = vocabulary_trigrams(GERMAN.split()), vocabulary_trigrams(DUTCH.split())
    odds = log_odds([["kirchenschule"], ["schipstraat"]], [german, dutch])
    assert odds[0, 0] == 0 > odds[0, 1]
    assert odds[1, 1] == 0 > odds[1, 0]
    assert log_odds([], [german, dutch]).shape == (0, 2)
    assert (log_odds([["x"]], [vocabulary_trigrams([]), dutch]) <= 0).all()


@pytest.fixture
def store(segment, tmp_path):
    """A folder with two languages, and one without pronunciations."""
    url = str(tmp_path / "index")
    silent = segment(DUTCH, "", "s").columns()
    silent = replace(silent, extra={"language": np.frombuffer(b"sv", np.uint8)})
    made = [segment(GERMAN, "de", "g").columns(), segment(DUTCH, "nl", "n").columns(), silent]
    one = open_store(url, create=True)
    with one.writing():
        one.commit(made, normalisation=Normalisation())
    return url


def test_std_search_says_which_language(store, capsys):
    assert main(["--store", store, "garten", "water", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {(hit["file"], hit["language"]) for hit in found} <= {
        ("g", "de"),
        ("n", "nl"),
        ("s", "sv"),
    }
    assert main(["--store", store, "garten", "--fmt", "table"]) == 0
    out = capsys.readouterr().out
    assert "language" in out
    assert main(["--store", store, "fahrrad"]) in (0, 1)
    err = capsys.readouterr().err
    assert "1 segment indexed without phones" in err
    assert "they are in sv, for which std-index had no pronunciations" in err


def test_the_lexicon_of_unknown_words_has_every_language(store, tmp_path, monkeypatch, capsys):
    def nobody(language):
        raise ConfigError(f"nobody speaks {language}")

    monkeypatch.setattr("std.phonetics.lexicon.converter", nobody)
    path = tmp_path / "words.lex"
    main(["--store", store, "bauhaus", "--oov-lexicon", str(path)])
    de, nl = "bauhaus b a u h a u s\n", "bauhaus b o u h o u s\n"
    assert path.read_text() == f";;; de\n{de};;; nl\n{nl}"
    assert "words.lex is without language 'sv': nobody speaks sv" in capsys.readouterr().err


def test_tuning_learns_one_language(segment):
    segments = (segment(GERMAN, "de", "g"), segment(DUTCH, "nl", "n"))

    assert in_one_language(segments[:1], None, "STORE") == segments[:1]
    assert in_one_language(segments, "Dutch", "STORE") == segments[1:]
    with pytest.raises(InputError, match=r"one language, or --language .* got de and nl"):
        in_one_language(segments, None, "STORE")
    with pytest.raises(InputError, match="recordings in 'French', got de and nl"):
        in_one_language(segments, "French", "STORE")


def test_a_wildcard_is_of_all_the_index(segment):
    """Its words are chosen and explained once; each language is searched for those that it has."""
    segments = [segment(GERMAN, "de", "g"), segment(DUTCH, "nl", "n")]
    terms = [Term(text, text) for text in ("sch*", "*ch*", "school straat", "zz*", "sch* kirche")]
    found = search(terms, prepare(segments, Config()), SPEECH, mode="adhoc")
    assert found.wildcards["sch*"].words == ("schiff", "schip", "school", "schule")
    assert found.wildcards["zz*"].words == ()
    at = {(term, file, found.variants[variant].words)
          for (term, file, *_), variant in zip(rows(found), found.candidates.variant, strict=True)
          if term == "sch*"}  # fmt: skip
    assert at == {
        ("sch*", "g", ("schiff",)),
        ("sch*", "g", ("schule",)),
        ("sch*", "n", ("schip",)),
        ("sch*", "n", ("school",)),
    }
    starred = {method for term, *_, method, _ in rows(found) if "*" in term}
    assert starred == {"wildcard"}  # neither split nor heard
    assert set(np.round(found.probability[found.candidates.term == 0], 6)) == {0.9}
    alone = search(terms[:1], prepare(segments[1:], Config()), SPEECH, mode="adhoc")
    both = [one for one in rows(found) if one[:2] == ("sch*", "n")]
    assert both == rows(alone)
    limited = replace(Config(), search=replace(Config().search, wildcard_words=1))
    (one,) = search(terms[:1], prepare(segments, limited), SPEECH, mode="adhoc").wildcards.values()
    assert (len(one.words), one.fitting) == (1, 4)


def test_one_place_is_reported_once_in_each_language(segment, monkeypatch):
    """Whatever methods found it, in whichever group of segments."""
    genuine = searcher.found_terms.calibrate

    def twice(*args):
        every = genuine(*args)
        found, variants = every.candidates, every.variants
        again = found._replace(
            start_ms=found.start_ms + 10,
            probability=found.probability / 2,
            variant=np.full(len(found.term), len(variants)),
            family=np.full(len(found.term), len(variants)),
        )
        doubled = (*variants, Variant(("x",), 0.5, "phonetic"))
        return every._replace(candidates=concatenate([found, again]), variants=doubled)

    monkeypatch.setattr(searcher.found_terms, "calibrate", twice)
    segments = [segment(GERMAN, "de", "g"), segment(DUTCH + " kir che", "nl", "n")]
    found = found_in(segments, "kirche", "gartenschule", "waterschip").candidates
    places = zip(found.term, found.recording, found.start_ms, found.end_ms, strict=True)
    for one, other in combinations(places, 2):
        assert one[:2] != other[:2] or one[3] <= other[2] or other[3] <= one[2]
    assert {0, 1} <= {*found.recording.tolist()}
