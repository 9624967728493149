"""Annotations in tiers, ELAN's and Praat's: which tiers are speech."""

import pytest

from indexer.formats.shared.reader_options import ReaderOptions
from indexer.formats.shared.tiers import Tier, Tiers, chosen
from std.errors import InputError
from tests.indexer.formats.captions.conftest import options, read, said


def test_eaf():
    own = options()
    networks = read("utterances.eaf", own)
    # "ist" and "gut" share 1000..2000, whose middle border is not aligned
    assert said(networks) == [(0, 650, "Das Haus"), (1000, 2000, "ist gut")]
    assert networks[0].language == "deu"
    assert (own.tiers.read, own.tiers.left_out) == ({"Anna": 1}, {"translation@Anna": 1})


def test_textgrids():
    own = options()
    (network,) = read("long.TextGrid", own)
    assert network.words == ("Das", "Haus")
    assert own.tiers.left_out == {"phones": 1}
    (network,) = read("short_utf16.TextGrid")
    assert network.words == ("Das", "Haus")


def test_tiers_can_be_named():
    own = ReaderOptions(tiers=Tiers(("phon*",)))
    assert said(read("long.TextGrid", own)) == [(0, 80, "d")]
    with pytest.raises(InputError, match="expected a tier Berta, got 'phones, Anna - words'"):
        read("long.TextGrid", ReaderOptions(tiers=Tiers(("Berta",))))


TIERS = [
    (["words", "phones"], ["words"]),
    (["Anna - words", "Anna - phones", "Berta - words"], ["Anna - words", "Berta - words"]),
    (["ORT-MAU", "KAN-MAU", "MAU"], ["ORT-MAU"]),
    (["Anna", "Berta", "gestures"], ["Anna", "Berta"]),
    (["utterance", "gloss", "POS", "translation"], ["utterance"]),
    (["default"], ["default"]),
    (["swords"], ["swords"]),
]


@pytest.mark.parametrize(("names", "expected"), TIERS)
def test_which_tiers_are_speech(names, expected):
    assert [names[row] for row in chosen([Tier(n) for n in names], Tiers(), "x")] == expected


def test_no_tier_of_speech():
    with pytest.raises(InputError, match=r"a tier of speech, got 'phones'.*--tier NAME"):
        chosen([Tier("phones")], Tiers(), "x")
