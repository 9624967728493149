from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import std.phonetics.g2p
from indexer.segments.invert import invert
from indexer.segments.phone_columns import PhoneColumnBuilder, phone_columns
from std.config import Config, PhoneticSearchConfig, PronunciationConfig
from std.errors import ConfigError
from std.phonetics.lexicon import Lexicon
from std.store.columns import unpack_vocabulary
from std.text import Normalisation

TEXT = st.text("abc-", min_size=1, max_size=5)


class Letters:
    name = "letters:xx"

    def pronounce(self, words):
        return [tuple(word.replace("-", "")) for word in words]


def made(network, *slots):
    columns = invert([network(*slots)], Normalisation(punctuation="keep"))
    return columns, phone_columns(columns, Lexicon(Letters()))


@given(st.lists(st.lists(TEXT, min_size=1, max_size=4, unique=True), min_size=1, max_size=5))
def test_columns_against_the_obvious_loops(network, network_slots):
    slots = [[(word, 1 / len(slot)) for word in slot] for slot in network_slots]
    columns, extra = made(network, *slots)
    words = unpack_vocabulary(columns.vocabulary)
    phones = unpack_vocabulary(extra["phone_inventory"])
    spoken = [tuple(word.replace("-", "")) for word in words]
    offsets = extra["word_phone_offsets"]
    for i, expected in enumerate(spoken):
        row = extra["word_phones"][offsets[i] : offsets[i + 1]]
        assert tuple(phones[p] for p in row) == expected

    grams = {}
    for i, said in enumerate(spoken):
        for three in zip(said, said[1:], said[2:], strict=False):
            a, b, c = map(phones.index, three)
            grams.setdefault((a * len(phones) + b) * len(phones) + c, set()).add(i)
    assert extra["gram_codes"].tolist() == sorted(grams)
    for i, code in enumerate(sorted(grams)):
        first, last = extra["gram_offsets"][i : i + 2]
        assert extra["gram_words"][first:last].tolist() == sorted(grams[code])

    bounds = extra["slot_arc_offsets"]
    for i, slot in enumerate(network_slots):
        rows = extra["arc_rows"][bounds[i] : bounds[i + 1]]
        assert (columns.posting_slot[rows] == i).all()
        owner = np.searchsorted(columns.posting_offsets, rows, side="right") - 1
        assert sorted(words[word] for word in owner) == sorted(slot)


def test_sounds_name_their_pronouncer_and_can_be_stored(network):
    columns, extra = made(network, [("ab", 1.0)])
    assert bytes(extra["phone_maker"]) == b"letters:xx"
    again = replace(columns, extra=extra)
    assert again.digest() != columns.digest()


def test_no_sounds_are_made_where_none_are_wanted(network):
    columns = invert([network([("the", 1.0)])])
    assert (
        PhoneColumnBuilder(Config(phonetic_search=PhoneticSearchConfig(words="none")))(columns)
        == {}
    )
    assert PhoneColumnBuilder(Config())(invert([])) == {}
    phone_builder = PhoneColumnBuilder(Config(pronunciation=PronunciationConfig(language="en")))
    assert bytes(phone_builder(columns)["phone_maker"]) == b"g2p-en:en"
    assert not phone_builder.problems
    assert phone_builder.pronouncer("English") == "g2p-en:en"


def test_what_is_missing_is_said_not_raised_unless_it_was_asked_for(network, monkeypatch):
    monkeypatch.setattr(std.phonetics.g2p, "find_spec", lambda name: None)
    finnish = invert([network([("että", 1.0)], [("oli", 1.0)], [("ja", 1.0)])])  # no rules of ours
    phone_builder = PhoneColumnBuilder(Config())
    assert {name: bytes(column) for name, column in phone_builder(finnish).items()} == {
        "language": b"fi"
    }
    assert "espeakng-loader" in phone_builder.problems["fi"]
    assert phone_builder.pronouncer("fi") is None
    with pytest.raises(ConfigError, match="espeakng-loader"):
        PhoneColumnBuilder(Config(pronunciation=PronunciationConfig(language="fi")))(finnish)
