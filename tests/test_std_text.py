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


settings = st.sampled_from([{}, {"sharp_s": "ss"}, {"unicode_form": "NFKC"}, {"case": "keep"}])
no_line_break = st.characters(exclude_characters="\n", codec="utf-8")
sigmas_and_marks = st.sampled_from("\u03a3\u03c2A\u0301\u0308\u00df\u1e9e\u0130\ufb01\u1100\u1161'")


@given(st.lists(st.text(no_line_break | sigmas_and_marks)), settings)
def test_many_words_are_normalised_as_each_alone(written, settings):
    rules = Normalisation(**settings)
    assert rules.words(written) == [rules.word(one) for one in written]


def test_a_word_is_one_line():
    with pytest.raises(ValueError, match="line break"):
        Normalisation().words(["a\nb"])


def test_phrases_are_split_at_any_white_space():
    assert Normalisation().phrase(" Die\u00a0Burg\tvon\n") == ("die", "burg", "von")


def test_another_normalisation_is_refused_by_its_first_difference():
    with pytest.raises(StoreError, match=r"idx: expected text.case = 'lower' .* got 'keep'"):
        require_same(Normalisation(case="keep"), Normalisation(), "idx")
    require_same(Normalisation(), Normalisation(), "idx")
