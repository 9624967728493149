# letters of many languages are meant
"""A term finds what its word is in another spelling of the recording's language."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer import index_files
from indexer.segments.invert import invert
from searcher import open_index
from searcher.found_terms import prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.search import search
from searcher.terms.typed_words import respelt, same_words
from std.config import Config, PhoneticSearchConfig, SearchConfig
from std.languages.spelling import bare_spellings, spellings
from std.store.resident import ResidentSegment
from std.values import Term

CONFIG = Config(phonetic_search=PhoneticSearchConfig(words="none"))
EXACT = replace(CONFIG, search=SearchConfig(spelling="exact"))


@pytest.fixture
def segment(network):
    def made(*slots, language="fr", file="file1"):
        columns = invert([network(*slots, file=file)])
        extra = {"language": np.frombuffer(language.encode(), np.uint8)}
        return ResidentSegment(None, replace(columns, extra=extra))

    return made


def found(segments, text, config=CONFIG, mode="adhoc"):
    index, speech = prepare(segments, config), SearchedSpeech(None, 100.0)
    result = search([Term("t", text)], index, speech, mode=mode)
    rows = result.candidates
    return result, [
        (result.variants[variant].words, round(float(score), 3))
        for variant, score in zip(rows.variant, result.probability, strict=True)
    ]


def test_a_word_with_an_article_is_the_word(segment):
    said = segment([("l'homme", 0.9)], [("et", 1.0)], [("homme", 0.8)])
    result, hits = found([said], "homme")
    assert [words for words, _ in hits] == [("l'homme",), ("homme",)]
    assert [result.variants[v].how for v in result.candidates.variant] == ["homme as l'homme", ""]
    assert not result.oov_words[0]
    assert [words for words, _ in found([said], "l'homme")[1]] == [("l'homme",)]


@pytest.mark.parametrize(
    ("language", "written", "term", "to_a_person"),
    [
        ("fr", "l'homme", "homme", True),
        ("it", "dell'arte", "arte", True),
        ("ca", "d'avui", "avui", True),
        ("tr", "i̇stanbul'da", "İstanbul", False),  # a related form
        ("az", "gəncə'də", "Gəncə", False),
    ],
)
def test_a_list_has_no_words_that_an_evaluation_tells_apart(
    segment, language, written, term, to_a_person
):
    said = segment([(written, 0.9)], [("un", 0.8)], language=language)
    result, hits = found([said], term, mode="list")
    assert hits == []
    assert not result.oov_words[0]  # the recogniser knows it
    assert len(found([said], term)[1]) == to_a_person
    asked = replace(CONFIG, search=SearchConfig(spelling="elided"))
    assert len(found([said], term, asked, "list")[1]) == to_a_person


@pytest.mark.parametrize(
    ("language", "written", "term"),
    [("fr", "d'orléans", "Orléans"), ("tr", "i̇stanbul'da", "İstanbul")],
)
def test_neither_has_it_places_by_phones_there(tmp_path, language, written, term):
    words = [written, "de", "la", "un", "sur", "bir", "ve", "için", "çok"]
    lines = [f"a 1 {5 * i}.0 0.5 {word} 0.9" for i, word in enumerate(words)]
    (tmp_path / "a.ctm").write_text("\n".join(lines) + "\n", "utf-8")
    index_files([tmp_path / "a.ctm"], tmp_path / "index", language=language)
    with open_index(tmp_path / "index") as index:
        candidates = index.search_terms([Term("t", term)]).candidates
    assert 0 not in candidates.start_ms.tolist()


def test_spellings_of_one_slot_add_up(segment):
    said = segment([("cœur", 0.5), ("coeur", 0.3), ("peur", 0.2)])
    whole = segment([("coeur", 0.8), ("peur", 0.2)])
    (hit,) = found([said], "coeur")[1]
    (expected,) = found([whole], "coeur")[1]
    assert hit == (("cœur",), expected[1])  # shown as the likelier one


def test_phrases_are_joined_over_spellings(segment):
    said = segment([("le", 1.0)], [("cœur", 0.9)], [("d'une", 0.9)], [("mère", 0.9)])
    assert [words for words, _ in found([said], "coeur une mère")[1]] == [("cœur", "d'une", "mère")]


def test_only_the_language_of_the_recording_counts(segment):
    english = segment([("l'homme", 0.9)], language="en")
    assert not found([english], "homme")[1]
    french = segment([("l'homme", 0.9)], file="file2")
    result, hits = found([english, french], "homme")
    assert len(hits) == 1
    assert result.recordings[result.candidates.recording[0]].file == "file2"


def test_exact_means_as_written(segment):
    said = segment([("l'homme", 0.9)], [("homme", 0.8)])
    assert [words for words, _ in found([said], "homme", EXACT)[1]] == [("homme",)]


@pytest.mark.parametrize(
    ("language", "written", "term"),
    [
        ("de", "straße", "Strasse"),
        ("tr", "kâtip", "Katip"),
        ("it", "perche'", "perché"),
        ("el", "αθηνα", "Αθήνα"),
        ("ar", "كِتَاب", "كتاب"),
        ("he", "שלום", "שָׁלוֹם"),
        ("ru", "ёлка", "елка"),
    ],
)
def test_a_term_is_found_however_it_is_spelt(segment, language, written, term):
    said = segment([(written, 0.9)], language=language)
    result, hits = found([said], term)
    assert len(hits) == 1
    assert not result.oov_words[0]
    assert not found([said], term, EXACT)[1]


WORDS = ["l'homme", "homme", "cœur", "coeur", "l'coeur", "d'cœur", "qu'", "l'", "peur"]
vocabularies = st.lists(st.sampled_from(WORDS), unique=True).map(sorted)


@given(vocabularies, vocabularies)
def test_as_comparing_each_word_with_each(vocabulary, asked):
    """The obvious way: a word of the index is a term's if one of its two spellings is."""
    segment = ResidentSegment(None, _columns_of(vocabulary))
    fast = same_words([*asked, "c*"], [segment], "fr")
    for word in asked:
        (spelling,) = spellings([word], "fr")
        same = {
            other
            for other in vocabulary
            if spelling in ((whole := spellings([other], "fr")) + bare_spellings(whole, "fr"))
        }
        assert {one for one in fast.get(word, (word,)) if one in vocabulary} == same
    assert "c*" not in fast


def _columns_of(vocabulary):
    from indexer.networks.utterances import stacked
    from std.values import ConfusionNetwork, Recording

    n = len(vocabulary)
    spans = np.arange(n)[:, None] * 100 + np.array([0, 100])
    network = ConfusionNetwork(
        recording=Recording("f", 1),
        utterance="u",
        start_ms=0,
        end_ms=100 * n,
        slot_spans_ms=spans.astype(np.int32),
        epsilons=np.zeros(n, np.float32),
        offsets=np.arange(n + 1, dtype=np.int32),
        words=tuple(vocabulary),
        posteriors=np.ones(n, np.float32),
        spans_ms=spans.astype(np.int32),
    )
    return invert(stacked([network]))


def test_a_vocabulary_without_other_spellings_has_none():
    assert respelt(["haus", "garten"], "de") == {}
    assert same_words(["haus"], [], "de") == {}
