# ruff: noqa: RUF001  # IPA letters are meant
import pickle
import sys
from importlib.util import find_spec

import pytest

import std.phonetics.g2p
from std.errors import ConfigError
from std.phonetics.g2p import UnpronounceableError, converter, hint, named

espeak = pytest.mark.skipif(
    std.phonetics.g2p.find_spec("espeakng_loader") is None,
    reason="espeakng-loader is not installed",
)


@espeak
def test_german_by_espeak():
    german = converter("german")
    assert german.name == "espeak-ng:de"
    # against the phones of the recogniser that data/german was made with (same espeak-ng voice)
    assert german.pronounce(["zeit", "-", "lausitz"]) == [
        ("ts", "aɪ", "t"),
        (),
        ("l", "aʊ", "z", "ɪ", "ts"),
    ]
    assert german.pronounce(["zeit\0zeit"]) != [()]


@espeak
def test_two_languages_take_turns():
    german, french = converter("de"), converter("fr")
    first = german.pronounce(["restaurant"])
    assert french.pronounce(["restaurant"]) != first
    assert german.pronounce(["restaurant"]) == first


@espeak
def test_a_language_espeak_does_not_know_is_refused():
    with pytest.raises(ConfigError, match="expected a language of espeak-ng, got 'xx'"):
        converter("xx")


# CMUdict 0.7b
ENGLISH = {
    "cat": "k æ t",
    "school": "s k uː l",
    "knight": "n aɪ t",
    "phone": "f oʊ n",
    "thing": "θ ɪ ŋ",
    "judge": "dʒ ʌ dʒ",
    "computer": "k ə m p j uː t ɚ",
    "vision": "v ɪ ʒ ə n",
}


def test_english_without_nltk():
    english = converter("en")
    assert english.name == "g2p-en:en"
    found = english.pronounce(list(ENGLISH))
    assert [" ".join(one) for one in found] == list(ENGLISH.values())
    assert not {"nltk", "g2p_en"} & sys.modules.keys()


def test_english_takes_anything():
    english = converter("en")
    words = ["", "-", "ÀÉ", "日本", "İ", "x" * 300, "don't"]
    found = english.pronounce(words)
    assert found[:2] == [(), ()]
    assert all(len(one) <= 20 for one in found)
    assert english.pronounce(["cat", "knight"]) == [
        english.pronounce(["cat"])[0],
        english.pronounce(["knight"])[0],
    ]


@pytest.fixture
def without_espeak(monkeypatch):
    monkeypatch.setattr(
        std.phonetics.g2p,
        "find_spec",
        lambda name: None if name == "espeakng_loader" else find_spec(name),
    )


@pytest.mark.usefixtures("without_espeak")
def test_a_missing_package_is_named():
    with pytest.raises(ConfigError, match=r"expected the package espeakng-loader.*'Finnish'"):
        converter("Finnish")


@pytest.mark.usefixtures("without_espeak")
def test_our_rules_stand_in_for_espeak():
    german = converter("German")
    assert german.name == "rules-1:de"
    assert german.pronounce(["zeit", "-"]) == [("ts", "aɪ", "t"), ()]
    assert "espeak-ng is better" in hint(german.name)
    assert hint("rules-1:en") == hint("g2p-en:en") == ""
    assert pickle.loads(pickle.dumps(german)).pronounce(["tag"]) == [("t", "aː", "k")]
    with pytest.raises(
        ConfigError, match=r"expected espeak-ng:de, .* got nothing of that name installed; pip "
    ):
        named("espeak-ng:de")


def test_an_index_names_its_converter():
    assert named("rules-1:de").name == "rules-1:de"
    assert named("g2p-en:en").name == "g2p-en:en"
    for name in ("rules-0:de", "rules-1:xx", "rules:de", "festival:en"):
        with pytest.raises(ConfigError, match=f"expected {name}, as the index was made with, got"):
            named(name)


def test_english_without_any_package(monkeypatch):
    monkeypatch.setattr(std.phonetics.g2p, "find_spec", lambda name: None)
    english = converter("en")
    assert english.name == "rules-1:en"
    assert english.pronounce(["Vision", "-"]) == [("v", "ɪ", "ʒ", "ə", "n"), ()]
    with pytest.raises(ConfigError, match=r"expected g2p-en:en, .*pip install 'spoken-terms\[eng"):
        named("g2p-en:en")


@espeak
def test_espeak_is_preferred_where_it_is_installed():
    assert converter("de").name == "espeak-ng:de"
    assert named("espeak-ng:de").name == "espeak-ng:de"
    assert hint("rules-1:de") == hint("espeak-ng:de") == ""


@pytest.mark.parametrize("language", ["Japanese", "th", "my", "lo", "km"])
def test_a_language_whose_characters_nothing_pronounces_is_refused(language):
    with pytest.raises(UnpronounceableError, match="found as it is written"):
        converter(language)
