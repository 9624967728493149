"""What no word mesh should hold: errors name the line, and any bytes give networks or an error."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.readers import mesh
from std.errors import InputError
from tests.indexer.formats.both_ways import require_agreement
from tests.indexer.formats.test_mesh import EXAMPLE, GERMAN, carefully, in_order, parse


def test_what_only_the_careful_way_notices():
    """Each was once read by the fast way, which looked at less than it should."""
    for old, new in [
        ("numaligns 3", "numaligns 3 4"),
        ("posterior 1", "posterior 1 2"),
        ("numaligns 3\nposterior 1\nalign 0 das 0.97 dass 0.03",
         "align 0 das 0.97 dass 0.03\nnumaligns 3\nposterior 1"),
    ]:  # fmt: skip
        with pytest.raises(InputError):
            parse(edit(old, new))
    with pytest.raises(InputError, match="99999999999999 align lines"):
        parse(edit("numaligns 3", "numaligns 99999999999999"))
    with pytest.raises(InputError, match="a posterior in"):
        parse(edit("posterior 1", "posterior 1e-300").replace("0.97", "1e300"))


def edit(old, new):
    assert old in EXAMPLE
    return EXAMPLE.replace(old, new, 1)


ERRORS = [
    ("empty", "", 0, "a word mesh"),
    ("other format", "<xml/>\n", 1, "a word mesh's line"),
    ("slot missing", in_order(EXAMPLE, [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11]), 12, "3 align"),
    ("truncated in align", EXAMPLE[: EXAMPLE.index(" 0.07")], 7, "pairs of word and posterior"),
    ("truncated after header", "name u\nnumaligns 2\n", 3, "2 align"),
    ("slot twice", edit("align 1", "align 0"), 7, "each slot once"),
    ("slot too high", edit("align 1", "align 3"), 7, "a slot below numaligns 3"),
    ("slot no number", edit("align 1", "align one"), 7, "a slot number"),
    ("slot fraction", edit("align 1", "align 1.5"), 7, "a slot number"),
    ("posterior NaN", edit("0.97", "nan"), 4, "a posterior"),
    ("posterior word", edit("0.97", "viel"), 4, "a posterior"),
    ("posterior below", edit("0.03", "-0.03"), 4, "a posterior in [0, 1]"),
    ("posterior above", edit("0.97", "1.97"), 4, "a posterior in [0, 1]"),
    ("sum above", edit("0.03", "0.53"), 4, "posteriors summing to 1"),
    ("scale 0", edit("posterior 1", "posterior 0"), 3, "a posterior above 0"),
    ("scale inf", edit("posterior 1", "posterior inf"), 3, "posterior and a number"),
    ("negative start", edit("das 0.00", "das -0.10"), 5, "0 <= start <= end"),
    ("negative duration", edit("0.44", "-0.44"), 8, "0 <= start <= end"),
    ("start NaN", edit("das 0.00", "das nan"), 5, "a start in seconds"),
    ("duration word", edit("0.44", "lang"), 8, "a duration in seconds"),
    ("word too long", edit("0.44", "66"), 8, "a word of at most 65.535 s"),
    ("far future", edit("0.64", "1e9"), 11, "times up to"),
    ("info of no word", edit("info 1 polizei ", "info 1 polizist "), 8, "a word of slot 1"),
    ("info twice", edit("info 1 polizeien", "info 1 polizei"), 9, "one info for each word"),
    ("info cut short", edit("0.44 -700.1 -4.0 : :", ""), 8, "info slot word start duration"),
    ("no times", "name u\nnumaligns 1\nposterior 1\nalign 0 an 1\n", 1, "times of its words"),
    ("not UTF-8", EXAMPLE.encode().replace(b"gewalten", b"gew\xe4lten"), 10, "UTF-8 text"),
    ("count no number", edit("numaligns 3", "numaligns drei"), 2, "numaligns and a count"),
    ("align before header", "align 0 an 1\n", 1, "a word mesh's line"),
    ("second mesh cut short", EXAMPLE + EXAMPLE[:39], 16, "3 align"),
]  # fmt: skip


@pytest.mark.parametrize("row", ERRORS, ids=[row[0] for row in ERRORS])
def test_errors_name_the_line(row):
    _, text, line, expected = row
    with pytest.raises(InputError) as caught:
        parse(text)
    assert (caught.value.line, str(caught.value.path)) == (line, "news.mesh")
    assert expected in caught.value.expected


def test_slightly_wrong_posteriors_are_mended():
    text = (
        "name u\nnumaligns 2\nposterior 1\nalign 0 an 1.0005 ab -0.0005\nalign 1 zu 0.6 so 0.405\n"
    )
    info = "info 0 an 0 1 0 0 : :\ninfo 0 ab 0 1 0 0 : :\ninfo 1 zu 1 1 0 0 : :\n"
    (network,) = parse(text + info)
    assert network.words == ("an", "zu", "so")
    np.testing.assert_allclose(network.posteriors, [1, 0.6 / 1.005, 0.405 / 1.005], rtol=1e-6)


CONTENT = EXAMPLE.encode() + (GERMAN / "KERSTIN_14.mesh").read_bytes()[:1500]
PIECES = [
    b"name u\n",
    b"numaligns 1\n",
    b"align 0 a 1\n",
    b"nan",
    b"-1",
    b"1e999",
    b"1e308",
    b"1e-3",
    b"0.1234567890123456789",
    b"\xff",
    b"\n",
    b" ",
    b"\t",
    b"\r\n",
    b"\v",
    b"\x1c",
    b"\nname v\nnumaligns 0\nposterior 1\n",
    b"\nposterior 2\n",
    b"\nalign 1 a 1\n",
    b"\ninfo 0 das 0 0.1\n",
]


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, len(CONTENT)), st.integers(0, 30), st.sampled_from(PIECES)),
        min_size=1,
        max_size=3,
    )
)
def test_any_bytes_give_networks_or_an_input_error(edits):
    """And what the fast way accepts, the careful way reads the same."""
    require_agreement(CONTENT, edits, parse, carefully)


@settings(max_examples=50)
@given(st.binary(max_size=60))
def test_noise_is_refused(content):
    with pytest.raises(InputError):
        parse(content)


def test_absurdly_long_meshes_are_refused(monkeypatch):
    monkeypatch.setattr(mesh, "BLOCK_BYTES", 100)
    monkeypatch.setattr(mesh, "MAX_UTTERANCE_BYTES", 300)
    with pytest.raises(InputError, match="meshes of at most 300 bytes"):
        parse(EXAMPLE)
