import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from std.errors import StoreError
from std.text import Normalisation, require_same

CASES = [
    # written, settings, normal
    ("STRASSE", {}, "strasse"),
    ("STRAẞE", {}, "straße"),
    ("Straße", {"sharp_s": "ss"}, "strasse"),
    ("Straße", {"case": "keep"}, "Straße"),
    ("u\u0308ber", {}, "über"),  # NFD input
    ("ﬁnden", {"unicode_form": "NFKC"}, "finden"),
    ("ﬁnden", {}, "ﬁnden"),
    ("İ", {}, unicodedata.normalize("NFC", "i̇")),
]


@pytest.mark.parametrize(("written", "settings", "normal"), CASES)
def test_words(written, settings, normal):
    assert Normalisation(**settings).word(written) == normal


@given(st.text(), st.sampled_from([{}, {"sharp_s": "ss"}, {"unicode_form": "NFKC"}]))
def test_normalising_twice_changes_nothing(written, settings):
    rules = Normalisation(**settings)
    assert rules.word(rules.word(written)) == rules.word(written)


def test_phrases_are_split_at_any_white_space():
    assert Normalisation().phrase(" Die\u00a0Burg\tvon\n") == ("die", "burg", "von")


def test_another_normalisation_is_refused_by_its_first_difference():
    with pytest.raises(StoreError, match=r"idx: expected text.case = 'lower' .* got 'keep'"):
        require_same(Normalisation(case="keep"), Normalisation(), "idx")
    require_same(Normalisation(), Normalisation(), "idx")
