"""Annotations in tiers, ELAN's and Praat's: which tiers are speech."""

import io

import pytest

from indexer.formats.readers import eaf
from indexer.formats.readers import textgrid as praat
from indexer.formats.shared.reader import ReaderOptions
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


def textgrid(**tiers):
    """Tiers by name: starts, ends and labels."""
    written = [
        f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n9\n<exists>\n{len(tiers)}\n'
    ]
    for name, intervals in tiers.items():
        written.append(f'"IntervalTier"\n"{name.replace("_", " - ")}"\n0\n9\n{len(intervals)}\n')
        written += [f'{start}\n{end}\n"{label}"\n' for start, end, label in intervals]
    return "".join(written).encode()


@pytest.mark.parametrize(
    ("tiers", "speakers"),
    [
        ({"Anna": [(0, 2, "purple carrots")], "Ben": [(2, 4, "green beans")]}, ["Anna", "Ben"]),
        ({"INT": [(0, 2, "purple carrots")], "SPK1": [(2, 4, "green beans")]}, ["INT", "SPK1"]),
        ({"Anna_words": [(0, 2, "purple")], "Ben_words": [(1, 4, "green")]}, ["Anna", "Ben"]),
        ({"Anna": [(0, 2, "purple carrots")], "Topic": [(0, 2, "gardening")]}, ["", ""]),
        ({"utterance": [(0, 2, "purple carrots")]}, [""]),
        ({"words": [(0, 2, "purple")]}, [""]),
    ],
)
def test_tiers_of_people(tiers, speakers):
    blocks = praat.parse(io.BytesIO(textgrid(**tiers)), "x.TextGrid")
    assert [one.speaker for block in blocks for one in block] == speakers


def test_a_tier_called_words_may_have_sentences():
    """Of an aligner whose tier is called Token whatever it aligns."""
    text = '"ooTextFile" "TextGrid" 0 4 <exists> 1 "IntervalTier" "Token" 0 4 2 {}'
    sentences = text.format('0 2 "purple carrots" 2 4 "grow in a valley"')
    networks = [*praat.parse(io.BytesIO(sentences.encode()), "x", ReaderOptions())]
    assert [one.times_estimated.tolist() for one in networks] == [[True, True]]
    (words,) = praat.parse(io.BytesIO(text.format('0 2 "purple" 2 4 "carrots"').encode()), "x")
    assert words.times_estimated.tolist() == [False]


def elan(*tiers):
    """ELAN's XML of tiers: attributes, and annotations of a second each, or that refer to them."""
    slots = "".join(
        f'<TIME_SLOT TIME_SLOT_ID="s{at}" TIME_VALUE="{1000 * at}"/>' for at in range(9)
    )
    written, number = "", 0
    for attributes, texts, refers in tiers:
        inside = ""
        for at, text in enumerate(texts):
            number += 1
            value = f"<ANNOTATION_VALUE>{text}</ANNOTATION_VALUE>"
            kind, own = (
                ("REF", f'ANNOTATION_REF="a{at + 1}"')
                if refers
                else ("ALIGNABLE", f'TIME_SLOT_REF1="s{at}" TIME_SLOT_REF2="s{at + 1}"')
            )
            tag = f"{kind}_ANNOTATION"
            inside += (
                f'<ANNOTATION><{tag} ANNOTATION_ID="a{number}" {own}>{value}</{tag}></ANNOTATION>'
            )
        written += f"<TIER {attributes}>{inside}</TIER>"
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{slots}</TIME_ORDER>{written}</ANNOTATION_DOCUMENT>"


def read_elan(*tiers):
    content = io.BytesIO(elan(*tiers).encode())
    return said([one for block in eaf.parse(content, "x.eaf", ReaderOptions()) for one in block])


def test_texts_that_refer_to_numbers_of_sentences_have_their_times():
    ref = ('TIER_ID="ref@Anna"', ["S_001", "S_002"], False)
    tx = ('TIER_ID="tx@Anna" PARENT_REF="ref@Anna"', ["purple carrots", "green beans"], True)
    ft = ('TIER_ID="ft@Anna" PARENT_REF="ref@Anna"', ["carottes", "haricots"], True)
    assert read_elan(ref, tx, ft) == [(0, 1000, "purple carrots"), (1000, 2000, "green beans")]


def test_a_mother_is_no_tier_of_words():
    mother, child = ('TIER_ID="MOT"', ["look here"], False), ('TIER_ID="CHI"', ["mummy"], False)
    assert [row[2] for row in read_elan(mother, child)] == ["look here", "mummy"]
    assert [Tier(name).of_words for name in ("mots", "MOT")] == [True, False]
