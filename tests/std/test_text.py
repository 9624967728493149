import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.cli import main as index
from indexer.formats.readers import jsonl
from searcher.commands.search import main as search
from spoken_terms.start import std_query as query
from std.errors import StoreError
from std.store.manifest import digest_of
from std.text import Normalisation, as_indexed, require_same

CASES = [
    # written, settings, normal
    ("STRASSE", {}, "strasse"),
    ("STRAẞE", {}, "straße"),
    ("Straße", {"sharp_s": "ss"}, "strasse"),
    ("Straße", {"case": "keep"}, "Straße"),
    ("u\u0308ber", {}, "über"),  # NFD input
    ("ﬁnden", {"unicode_form": "NFKC"}, "finden"),
    ("ﬁnden", {}, "finden"),
    ("ﬁnden", {"punctuation": "keep"}, "ﬁnden"),
    ("İ", {}, unicodedata.normalize("NFC", "i̇")),
]


@pytest.mark.parametrize(("written", "settings", "normal"), CASES)
def test_words(written, settings, normal):
    assert Normalisation(**settings).word(written) == normal


FOLDED = [
    # as people, editors and recognisers write it; what is indexed and searched
    *((f"foto{apostrophe}s", "foto's") for apostrophe in "'’‘ʼ′`´＇‛"),
    *((f"polizei{hyphen}gewalt", "polizei-gewalt") for hyphen in "-‐‑‒−－"),
    *((f"{one}haus{other}", "haus") for one, other in ("“”", "„“", "«»", "»«", "‹›", '""', "‚‘")),
    ("soft\u00adhyphen", "softhyphen"),
    ("zero\u200bwidth\ufeff", "zerowidth"),
    ("ĳsland", "ijsland"),
    ("hals-", "hals"),
    ("-chen", "chen"),
    ("maybe?", "maybe"),
    ("¿qué?", "qué"),
    ("'tis", "'tis"),  # an apostrophe that stands alone belongs to the word
    ("‘t", "'t"),
    ("dogs’", "dogs'"),
    ("qu’", "qu'"),
    ("‘yes’", "yes"),
    ("'n'", "n"),
    ("u.s.", "u.s"),
    ("j.", "j."),
    ("people.", "people"),
    ("c++", "c++"),
    ("...", "..."),
    ("—", "-"),
    ("\u200b", "\u200b"),
    ("צה״ל", 'צה"ל'),
]


@pytest.mark.parametrize(("written", "normal"), FOLDED)
def test_typographic_punctuation_is_folded(written, normal):
    assert Normalisation().word(written) == normal
    assert Normalisation().words(["a", written, "b"]) == ["a", normal, "b"]
    assert Normalisation(punctuation="keep").word(written) == unicodedata.normalize("NFC", written)


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("dollar—maybe", ("dollar", "maybe")),
        ("dollar – maybe", ("dollar", "maybe")),
        ("dollar--maybe", ("dollar", "maybe")),
        ("well…maybe", ("well", "maybe")),
        ("“Hello, world!”", ("hello", "world")),
        ("‘hello world’", ("hello", "world")),
        ("rock ’n’ roll", ("rock", "n", "roll")),
        ("’s ochtends", ("'s", "ochtends")),
        ("5\u202f000", ("5", "000")),
        ("at & t", ("at", "&", "t")),
        ("foto \u200b -", ("foto",)),
        ("—", ("-",)),
    ],
)
def test_dashes_separate_words_and_punctuation_is_no_word(term, words):
    assert Normalisation().phrase(term) == words


def test_an_index_that_keeps_punctuation_is_read_as_it_was_made():
    kept = Normalisation(punctuation="keep")
    assert as_indexed(Normalisation(), kept) == kept
    assert as_indexed(Normalisation(), Normalisation()) == Normalisation()
    assert as_indexed(Normalisation(), None) == Normalisation()
    assert kept.phrase("dollar—maybe foto’s") == ("dollar—maybe", "foto’s")
    with pytest.raises(StoreError, match=r"text.punctuation = 'fold' .* got 'keep'"):
        require_same(as_indexed(kept, Normalisation()), Normalisation(), "idx")


@given(st.text(), st.sampled_from([{}, {"sharp_s": "ss"}, {"unicode_form": "NFKC"}]))
def test_normalising_twice_changes_nothing(written, settings):
    rules = Normalisation(**settings)
    assert rules.word(rules.word(written)) == rules.word(written)


settings = st.sampled_from(
    [{}, {"sharp_s": "ss"}, {"unicode_form": "NFKC"}, {"case": "keep"}, {"punctuation": "keep"}]
)
no_line_break = st.characters(exclude_characters="\n", codec="utf-8")
sigmas_and_marks = st.sampled_from(
    "\u03a3\u03c2A\u0301\u0308\u00df\u1e9e\u0130\ufb01\u1100\u1161'’-\u200b\u1fef"
)


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


@given(st.from_regex(r"[A-Za-z0-9]{1,12}", fullmatch=True), st.sampled_from(["lower", "keep"]))
def test_a_word_of_plain_letters_is_normalised_as_one_between_blanks(word, case):
    for normalisation in (Normalisation(case=case), Normalisation(case=case, punctuation="keep")):
        assert normalisation.phrase(word) == normalisation.phrase(f" {word} ")


@pytest.fixture
def old_index(network, tmp_path):
    """A folder whose manifest does not have the key."""
    with (tmp_path / "in.jsonl").open("wb") as stream:
        jsonl.dump([network([("foto’s", 0.9)], [("foto's", 0.7)])], stream)
    config = tmp_path / "keep.toml"
    config.write_text('[text]\npunctuation = "keep"\n')
    store = tmp_path / "index"
    arguments = [str(tmp_path / "in.jsonl"), "--store", str(store), "--config", str(config)]
    assert index([*arguments, "--quiet"]) == 0
    (path,) = [one for one in store.iterdir() if one.name.startswith("manifest")]
    document = json.loads(path.read_text())
    del document["digest"], document["normalisation"]["punctuation"]
    path.write_text(json.dumps(document | {"digest": digest_of(document)}))
    return store


def hits(store, term, capsys):
    assert search(["--store", str(store), term, "--json"]) in (0, 1)
    return [hit["searched"] for hit in json.loads(capsys.readouterr().out)]


def test_it_is_searched_as_it_was_made(old_index, capsys):
    assert "foto’s" in hits(old_index, "foto’s", capsys)
    assert "foto's" in hits(old_index, "foto's", capsys)
    assert query(["--store", str(old_index), "foto’s", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["words"][0]["in_vocabulary"]


def test_it_is_extended_as_it_was_made_and_says_so(old_index, network, tmp_path, capsys):
    with (tmp_path / "more.jsonl").open("wb") as stream:
        jsonl.dump([network([("auto’s", 0.9)], file="more")], stream)
    assert index([str(tmp_path / "more.jsonl"), "--store", str(old_index)]) == 0
    assert "text.punctuation = 'keep'" in capsys.readouterr().err
    assert "auto’s" in hits(old_index, "auto’s", capsys)


def test_a_new_index_finds_either_way_of_writing(network, tmp_path, capsys):
    with (tmp_path / "in.jsonl").open("wb") as stream:
        jsonl.dump([network([("foto’s", 0.9)], [("dollar—maybe", 0.7)])], stream)
    store = tmp_path / "index"
    assert index([str(tmp_path / "in.jsonl"), "--store", str(store), "--quiet"]) == 0
    for term in ("foto's", "foto’s", "dollar maybe", "dollar—maybe"):
        assert hits(store, term, capsys)


def test_it_finds_words_with_full_stops_either_way(old_index, network, tmp_path, capsys):
    with (tmp_path / "more.jsonl").open("wb") as stream:
        jsonl.dump([network([("u.s.", 0.9)], [("p.m", 0.9)], [("people.", 0.9)], file="m")], stream)
    assert index([str(tmp_path / "more.jsonl"), "--store", str(old_index), "--quiet"]) == 0
    for term, word in (("U.S.", "u.s."), ("u.s", "u.s."), ("P.M.", "p.m"), ("people", "people.")):
        assert hits(old_index, term, capsys)[0] == word
