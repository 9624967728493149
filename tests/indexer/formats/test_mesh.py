import gzip
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import mesh
from indexer.formats.readers.ctm import timed_words
from indexer.formats.shared import mesh_bulk
from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.columns import utterances_of
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.files import read
from std.values import ConfusionNetwork, Recording
from tests.indexer.formats.both_ways import plain
from tests.networks import networks_in, write_meshes

GERMAN = Path(__file__).parents[2] / "data" / "asr" / "german"
# The example of SRILM's manual page wlat-format(5), shortened, with our own times.
EXAMPLE = """\
name spk1_utt7
numaligns 3
posterior 1
align 0 das 0.97 dass 0.03
info 0 das 0.00 0.21 -310.2 -1.9 d:a:s 4:9:8
info 0 dass 0.00 0.21 -310.2 -1.9 : :
align 1 polizei 0.81 polizeien 0.12 *DELETE* 0.07
info 1 polizei 0.21 0.44 -700.1 -4.0 : :
info 1 polizeien 0.21 0.46 -700.1 -4.0 : :
align 2 gewalt 0.9 gewalten 0.06 *DELETE* 0.04
info 2 gewalt 0.64 0.36 -310.2 -1.9 : :
info 2 gewalten 0.66 0.34 -310.2 -1.9 : :
"""


def parse(text, path="news.mesh", **options):
    content = text if isinstance(text, bytes) else text.encode()
    return list(networks_in(mesh.parse(io.BytesIO(content), path, **options)))


def carefully(content, path="news.mesh"):
    return list(utterances_of(mesh.parse_strictly(content, path, Recording("news", 1)), path))


def test_example():
    (network,) = parse(EXAMPLE)
    assert network.recording == Recording("news", 1)
    assert network.utterance == "spk1_utt7"
    assert not network.times_estimated
    assert network.words == ("das", "dass", "polizei", "polizeien", "gewalt", "gewalten")
    np.testing.assert_allclose(network.posteriors, [0.97, 0.03, 0.81, 0.12, 0.9, 0.06], rtol=1e-6)
    np.testing.assert_allclose(network.epsilons, [0, 0.07, 0.04], rtol=1e-6)
    assert network.spans_ms.tolist() == [
        [0, 210], [0, 210], [210, 650], [210, 670], [640, 1000], [660, 1000],
    ]  # fmt: skip
    # slot 1 ends at (.81 * 650 + .12 * 670) / .93 = 652.58, slot 2 begins at
    # (.9 * 640 + .06 * 660) / .96 = 641.25: they meet halfway at 646.9
    assert network.slot_spans_ms.tolist() == [[0, 210], [210, 647], [647, 1000]]
    assert (network.start_ms, network.end_ms) == (0, 1000)


def test_recording_can_be_named():
    (network,) = parse(EXAMPLE, "/x/job17.mesh.gz", options=ReaderOptions(file="news", channel=2))
    assert network.recording == Recording("news", 2)


def in_order(text, order):
    lines = text.splitlines(keepends=True)
    return "".join(lines[i] for i in order)


SAME = [
    ("slots out of order", lambda t: in_order(t, [0, 1, 2, 9, 10, 11, 6, 7, 8, 3, 4, 5])),
    ("scaled by 2", lambda t: t.replace("posterior 1", "posterior 2").replace("0.97", "1.94")
        .replace("0.03", "0.06").replace("0.81", "1.62").replace("0.12 ", "0.24 ")
        .replace("0.07", "0.14").replace(" 0.9 ", " 1.8 ").replace("n 0.06 *", "n 0.12 *")
        .replace("E* 0.04", "E* 0.08")),
    ("CR LF", lambda t: t.replace("\n", "\r\n")),
    ("byte order mark", lambda t: "\ufeff" + t),
    ("blank lines", lambda t: t.replace("\nalign", "\n\nalign")),
    ("other silence", lambda t: t.replace("*DELETE*", "-pause-")),
    ("two kinds of silence", lambda t: t.replace("*DELETE* 0.07", "<s> 0.03 [NOISE] 0.04")),
    ("lines we do not use", lambda t: t.replace("align 1", "hyps 0 das 1\nalign 1")),
    ("no posterior line", lambda t: t.replace("posterior 1\n", "")),
    ("info first", lambda t: in_order(t, [0, 1, 2, 4, 5, 7, 8, 10, 11, 3, 6, 9])),
    ("short info", lambda t: t.replace(" -310.2 -1.9 : :", "")),
    ("a word without mass", lambda t: t.replace("dass 0.03", "dass 0.03 nass 0")),
    ("no last newline", lambda t: t.removesuffix("\n")),
]  # fmt: skip


@pytest.mark.parametrize("change", [row[1] for row in SAME], ids=[row[0] for row in SAME])
def test_the_same_network_written_differently(change):
    assert change(EXAMPLE) != EXAMPLE
    (network,), (expected,) = parse(change(EXAMPLE)), parse(EXAMPLE)
    assert network.words == expected.words
    np.testing.assert_array_equal(network.spans_ms, expected.spans_ms)
    np.testing.assert_array_equal(network.slot_spans_ms, expected.slot_spans_ms)
    np.testing.assert_allclose(network.posteriors, expected.posteriors, rtol=1e-6)
    np.testing.assert_allclose(network.epsilons, expected.epsilons, atol=1e-7)


def test_variants_are_one_word_with_the_times_of_the_likelier():
    (network,) = parse(
        "name u\nnumaligns 1\nposterior 1\nalign 0 and 0.2 and(2) 0.5 an 0.3\n"
        "info 0 and 1 1 0 0 : :\ninfo 0 and(2) 1.5 0.5 0 0 : :\ninfo 0 an 1 0.5 0 0 : :\n"
    )
    assert network.words == ("and", "an")
    np.testing.assert_allclose(network.posteriors, [0.7, 0.3], rtol=1e-6)
    assert network.spans_ms.tolist() == [[1500, 2000], [1000, 1500]]


def test_an_unknown_word_is_neither_word_nor_silence():
    (network,) = parse(
        "name u\nnumaligns 1\nposterior 1\nalign 0 <unk> 0.6 an 0.3\ninfo 0 an 1 1 0 0 : :"
    )
    assert network.words == ("an",)
    assert network.epsilons.tolist() == [0]


def test_a_pause_keeps_its_times():
    text = "name u\nnumaligns 2\nposterior 1\nalign 0 -pause- 1\ninfo 0 -pause- 0 0.7 0 0 : :\n"
    (network,) = parse(text + "align 1 an 1\ninfo 1 an 0.7 0.2 0 0 : :\n")
    assert plain(network)[-1] == [(0, 700, 1, []), (700, 900, 0, [("an", 1, 700, 900)])]


def test_words_without_info_share_the_gap():
    (network,) = parse(
        "name u\nnumaligns 3\nposterior 1\nalign 0 eins 1\nalign 1 drei 0.9 fuenfundzwanzig 0.1\n"
        "align 2 vier 1\ninfo 0 eins 0 0.5 0 0 : :\ninfo 2 vier 1 0.5 0 0 : :\n"
    )
    assert network.times_estimated
    assert network.slot_spans_ms.tolist() == [[0, 500], [500, 1000], [1000, 1500]]
    assert network.spans_ms.tolist()[1:3] == [[500, 1000], [500, 1000]]


def test_many_meshes_and_names():
    text = EXAMPLE.removeprefix("name spk1_utt7\n")
    assert [one.utterance for one in parse(text + text)] == ["news-1", "news-2"]
    named = [one.utterance for one in parse(EXAMPLE + EXAMPLE.replace("spk1_utt7", "ein Name"))]
    assert named == ["spk1_utt7", "ein Name"]


def test_a_mesh_without_slots():
    (network,) = parse("name u\nnumaligns 0\nposterior 1\n")
    assert plain(network) == ("news", 1, "u", (0, 0), False, [])


def test_only_silence_needs_no_times():
    (network,) = parse("name u\nnumaligns 2\nposterior 1\nalign 0 <s> 1\nalign 1 </s> 1\n")
    assert plain(network)[-1] == [(0, 0, 1, []), (0, 0, 1, [])]


def test_blocks_do_not_show(monkeypatch):
    content = (GERMAN / "KERSTIN_14.mesh").read_bytes()
    whole = [plain(one) for one in parse(content)]
    monkeypatch.setattr(mesh, "BLOCK_BYTES", 100)
    assert [plain(one) for one in parse(content)] == whole
    broken = content.replace(b"align 3 ", b"align x ")
    with pytest.raises(InputError) as caught:
        parse(broken)
    assert caught.value.line == broken[: broken.index(b"align x")].count(b"\n") + 1


def test_the_fast_way_is_taken_and_equals_the_careful_one():
    content = (GERMAN / "KERSTIN_14.mesh").read_bytes()
    assert mesh_bulk.columns_of(content, Recording("news", 1), 0, 0)
    assert [plain(one) for one in parse(content)] == [plain(one) for one in carefully(content)]


FAST_TOO = [
    "CR LF", "blank lines", "other silence", "two kinds of silence", "lines we do not use",
    "slots out of order", "info first", "short info", "a word without mass", "scaled by 2",
    "no last newline",
]  # fmt: skip


@pytest.mark.parametrize("name", FAST_TOO)
def test_the_fast_way_is_taken_for_ordinary_differences(name):
    content = dict(SAME)[name](EXAMPLE).encode()
    assert mesh_bulk.columns_of(content, Recording("news", 1), 0, 0)
    assert [plain(one) for one in parse(content)] == [plain(one) for one in carefully(content)]


def test_the_fast_way_is_taken_for_tabs_many_blanks_and_exponents():
    content = EXAMPLE.replace("align 1 ", "align\t1   ").replace("0.07\n", "7e-2 \n").encode()
    assert mesh_bulk.columns_of(content, Recording("news", 1), 0, 0)
    assert [plain(one) for one in parse(content)] == [plain(one) for one in carefully(content)]
    assert [plain(one) for one in parse(content)] == [plain(one) for one in parse(EXAMPLE)]


def test_equals_our_own_format():
    """Both files hold the same networks; the JSONL is rounded to 5 digits and 1 ms."""
    meshes = list(networks_in(parse_file(GERMAN / "KERSTIN_14.mesh")))
    ours = list(networks_in(parse_file(GERMAN / "networks.jsonl")))
    assert len(meshes) == len(ours) == 10
    for a, b in zip(meshes, ours, strict=True):
        assert (a.recording, a.utterance, a.words) == (b.recording, b.utterance, b.words)
        assert np.abs(a.spans_ms - b.spans_ms).max() <= 1
        assert np.abs(a.slot_spans_ms - b.slot_spans_ms).max() <= 10  # a frame
        np.testing.assert_allclose(a.posteriors, b.posteriors, atol=2e-5)
        np.testing.assert_allclose(a.epsilons, b.epsilons, atol=2e-5)


def test_gzip(tmp_path):
    path = tmp_path / "KERSTIN_14.mesh.gz"
    path.write_bytes(gzip.compress((GERMAN / "KERSTIN_14.mesh").read_bytes()))
    assert [plain(one) for one in networks_in(parse_file(path))] == [
        plain(one) for one in networks_in(parse_file(GERMAN / "KERSTIN_14.mesh"))
    ]


words = st.text(st.characters(min_codepoint=97, max_codepoint=122), min_size=1, max_size=4)
seconds = st.integers(0, 10_000)


@st.composite
def some_networks(draw):
    slots, offsets, start = [], [0], draw(seconds)
    alternatives = []
    for _ in range(draw(st.integers(1, 4))):
        end = start + draw(st.integers(0, 2000))
        chosen = draw(st.lists(words, unique=True, min_size=1, max_size=3))
        masses = draw(
            st.lists(st.integers(1, 99), min_size=len(chosen) + 1, max_size=len(chosen) + 1)
        )
        shares = [np.float32(mass / sum(masses)) for mass in masses]
        slots.append((start, end, shares[0]))
        alternatives += [(word, p, start, end) for word, p in zip(chosen, shares[1:], strict=True)]
        offsets.append(len(alternatives))
        start = end + draw(st.integers(0, 100))
    return ConfusionNetwork(
        Recording("news", 1),
        draw(words),
        slots[0][0],
        slots[-1][1],
        np.array([slot[:2] for slot in slots], dtype=np.int32),
        np.array([slot[2] for slot in slots], dtype=np.float32),
        np.array(offsets, dtype=np.int32),
        tuple(one[0] for one in alternatives),
        np.array([one[1] for one in alternatives], dtype=np.float32),
        np.array([one[2:] for one in alternatives], dtype=np.int32),
    )


@given(st.lists(some_networks(), min_size=1, max_size=3))
def test_what_is_written_is_read(written):
    written = [one for one in written if not {"sil"} & set(one.words)]
    stream = io.BytesIO()
    write_meshes(written, stream)
    if not written:
        return
    for a, b in zip(written, parse(stream.getvalue()), strict=True):
        assert (a.utterance, a.words, a.recording) == (b.utterance, b.words, b.recording)
        np.testing.assert_array_equal(a.spans_ms, b.spans_ms)
        np.testing.assert_array_equal(a.slot_spans_ms, b.slot_spans_ms)
        np.testing.assert_allclose(a.posteriors, b.posteriors, atol=1e-6)
        np.testing.assert_allclose(a.epsilons, b.epsilons, atol=1e-6)


def test_a_word_with_a_blank_cannot_be_written():
    (network,) = parse(EXAMPLE.replace("dass", "das\xa0s"))
    with pytest.raises(ValueError, match="cannot carry"):
        write_meshes([network], io.BytesIO())


UNTIMED = "name u1\nnumaligns 4\nposterior 1\nalign 0 <s> 1\nalign 1 das 0.9 dass 0.1\n" + (
    "align 2 polizei 0.8 *DELETE* 0.2\nalign 3 gewalt 1\n"
)


def test_a_one_best_transcript_lends_its_times(tmp_path):
    (tmp_path / "one.ctm").write_text("u1 1 0.1 0.2 dass\nu1 1 0.8 0.4 gewalt\n")
    options = ReaderOptions(one_best=read(timed_words, tmp_path / "one.ctm"))
    (network,) = parse(UNTIMED, options=options)
    # "polizei" was not heard: it gets the gap between the words beside it
    assert network.slot_spans_ms.tolist() == [[100, 100], [100, 300], [300, 800], [800, 1200]]
    assert network.times_estimated
    placed = replace(options, segments={"u1": UtteranceSpan(Recording("news", 2), 60.0, 62.0)})
    (network,) = parse(UNTIMED, options=placed)
    assert network.slot_spans_ms.tolist()[1] == [60_100, 60_300]
    assert network.recording == Recording("news", 2)


def test_times_of_its_own_are_not_replaced(tmp_path):
    (tmp_path / "one.ctm").write_text("spk1_utt7 1 7.0 0.2 das\n")
    (network,) = parse(
        EXAMPLE, options=ReaderOptions(one_best=read(timed_words, tmp_path / "one.ctm"))
    )
    assert network.slot_spans_ms[0].tolist() == [0, 210]


def test_segments_lend_their_times():
    options = ReaderOptions(segments={"u1": UtteranceSpan(Recording("news", 1), 10.0, 11.6)})
    (network,) = parse(UNTIMED, options=options)
    # "das" (3 letters), "polizei" (7), "gewalt" (6) share 1.6 s; <s> takes none
    assert network.slot_spans_ms.tolist() == [
        [10_000, 10_000], [10_000, 10_300], [10_300, 11_000], [11_000, 11_600],
    ]  # fmt: skip
    assert network.times_estimated


def test_times_of_the_recording_contradict_segments():
    options = ReaderOptions(segments={"spk1_utt7": UtteranceSpan(Recording("news", 1), 60.0, 61.0)})
    (network,) = parse(EXAMPLE, options=options)
    assert network.spans_ms[-1].tolist() == [60_660, 61_000]
    late = EXAMPLE.replace("gewalten 0.66", "gewalten 60.66")
    with pytest.raises(InputError, match="times from the start of spk1_utt7, as there are segm"):
        parse(late, options=options)
