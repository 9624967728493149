import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.formats.detect import parse_file
from indexer.formats.readers import sausage
from indexer.formats.shared.reader import (
    ReaderOptions,
    is_sidecar,
    read_segments,
    read_symbols,
    with_sidecar_files,
)
from indexer.networks.utterances import UtteranceSpan
from std.errors import InputError
from std.values import Recording
from tests.networks import networks_in

GERMAN = Path(__file__).parents[2] / "data" / "asr" / "german"

# The example of asr-formats 1.2, as lattice-mbr-decode writes it.
SAUSAGES = "utt1 [ 0 0.98 7 0.02 ] [ 12 0.9 13 0.1 ] [ 0 1 ]\n"
TIMES = "utt1 0 3 ; 3 41 ; 41 41\n"
WORDS = "<eps> 0\näh 7\ndas 12\ndass 13\n"
SEGMENTS = "utt1 news.sph 60.0 61.3\n"


@pytest.fixture
def folder(tmp_path):
    def write(sausages=SAUSAGES, times=TIMES, words=WORDS, segments=SEGMENTS):
        contents = {
            "kaldi_sausages.txt": sausages, "kaldi_times.txt": times, "words.txt": words,
            "segments": segments,
        }  # fmt: skip
        for name, content in contents.items():
            if content is not None:
                (tmp_path / name).write_text(content)
        return tmp_path / "kaldi_sausages.txt"

    return write


def rows(network):
    return [
        (s.start_ms, s.end_ms, round(s.epsilon, 6), [(a.word, round(a.posterior, 6)) for a in s[3]])
        for s in network
    ]


def test_what_lies_beside_is_found(folder):
    (network,) = networks_in(parse_file(folder()))
    assert (network.recording, network.utterance) == (Recording("news", 1), "utt1")
    assert (network.start_ms, network.end_ms) == (60_000, 61_300)
    assert rows(network) == [
        (60_000, 60_030, 0.98, [("äh", 0.02)]),
        (60_030, 60_410, 0, [("das", 0.9), ("dass", 0.1)]),
        (60_410, 60_410, 1, []),
    ]
    assert not network.times_estimated


def test_frames_of_chain_models(folder):
    (network,) = networks_in(parse_file(folder(), options=ReaderOptions(frame_s=0.03)))
    assert rows(network)[1][:2] == (60_090, 61_230)


def test_without_times_words_share_the_segment(folder):
    (network,) = networks_in(parse_file(folder(times=None)))
    # "äh" (2 letters) and "das" (3) share 1300 ms; the last slot says nothing
    assert [row[:2] for row in rows(network)] == [
        (60_000, 60_520), (60_520, 61_300), (61_300, 61_300),
    ]  # fmt: skip
    assert network.times_estimated


def test_without_segments_times_count_from_the_recordings_start(folder):
    (network,) = networks_in(parse_file(folder(segments=None)))
    assert network.recording == Recording("kaldi_sausages", 1)
    assert rows(network)[1][:2] == (30, 410)


def test_ids_may_have_been_made_words(folder):
    written = SAUSAGES.replace("12 0.9", "das 0.9").replace("13", "dass").replace("7 ", "äh ")
    (network,) = networks_in(parse_file(folder(sausages=written, words=None)))
    assert network.words == ("äh", "das", "dass")


def test_overlapping_slots_meet_halfway(folder):
    (network,) = networks_in(parse_file(folder(times="utt1 0 5 ; 3 41 ; 41 41\n")))
    assert [row[:2] for row in rows(network)][:2] == [(60_000, 60_040), (60_040, 60_410)]


def test_a_word_in_a_long_silence_stays_storable(folder):
    (network,) = networks_in(
        parse_file(folder(times="utt1 0 9000 ; 9000 9041 ; 9041 9041\n", segments=None))
    )
    assert network.spans_ms[0].tolist() == [0, 65_535]


def test_many_utterances(monkeypatch, folder):
    monkeypatch.setattr(sausage, "UTTERANCES_AT_ONCE", 2)
    utterances = range(5)
    path = folder(
        "\n".join(SAUSAGES.replace("utt1", f"u{i}") for i in utterances),
        "".join(TIMES.replace("utt1", f"u{i}") for i in utterances),
        segments=None,
    )
    assert [one.utterance for one in networks_in(parse_file(path))] == [f"u{i}" for i in utterances]


def test_equals_our_own_format():
    """The same networks: sausages have frames of 10 ms, and their words the slots' times."""
    sausages = list(networks_in(parse_file(GERMAN / "kaldi_sausages.txt")))
    ours = list(networks_in(parse_file(GERMAN / "networks.jsonl")))
    assert len(sausages) == len(ours) == 10
    for a, b in zip(sausages, ours, strict=True):
        assert (a.recording, a.utterance) == (b.recording, b.utterance)
        assert sorted(a.words) == sorted(b.words)
        assert np.abs(a.slot_spans_ms - b.slot_spans_ms).max() <= 10
        np.testing.assert_allclose(a.epsilons, b.epsilons, atol=2e-5)
        np.testing.assert_allclose(sorted(a.posteriors), sorted(b.posteriors), atol=2e-5)


def test_words_stand_for_themselves_beside_words_txt(folder):
    (network,) = networks_in(parse_file(folder(sausages="\ufeff" + SAUSAGES.replace("12", "dies"))))
    assert (network.utterance, network.words) == ("utt1", ("äh", "dies", "dass"))


def test_more_words_than_we_take(folder, monkeypatch):
    monkeypatch.setattr(sausage, "MAX_LINKS", 5)
    with pytest.raises(InputError, match=r"kaldi_sausages.txt:1: expected at most 5 words"):
        list(networks_in(parse_file(folder())))


def test_longer_lines_than_we_take(folder, monkeypatch):
    monkeypatch.setattr(sausage, "LONGEST_LINE", len(SAUSAGES))
    assert len(list(networks_in(parse_file(folder(sausages=SAUSAGES))))) == 1
    with pytest.raises(InputError, match=r"kaldi_sausages.txt:2: expected lines of at most 49"):
        list(networks_in(parse_file(folder(sausages="\n " + SAUSAGES))))


ERRORS = [
    # which file is changed how, the file and line of the message, what it expects
    ({"sausages": ""}, "kaldi_sausages.txt", 0, "sausages, one utterance per line"),
    ({"sausages": SAUSAGES[:-3]}, "kaldi_sausages.txt", 1, "] at the end of a slot"),
    ({"sausages": "utt1 [ 0\n"}, "kaldi_sausages.txt", 1, "a posterior"),
    ({"sausages": "utt1 0 1\n"}, "kaldi_sausages.txt", 1, "[ at the beginning"),
    ({"sausages": SAUSAGES.replace("0.9", "nan")}, "kaldi_sausages.txt", 1, "a posterior"),
    ({"sausages": SAUSAGES.replace("0.9", "1.9")}, "kaldi_sausages.txt", 1, "a posterior in"),
    ({"sausages": SAUSAGES.replace("0.1", "0.9")}, "kaldi_sausages.txt", 1, "posteriors summing"),
    ({"sausages": SAUSAGES.replace("12", "99")}, "kaldi_sausages.txt", 1, "the id of a word"),
    ({"words": None}, "kaldi_sausages.txt", 1, "words, or words.txt"),
    ({"words": "das\n"}, "words.txt", 1, "a word and its number"),
    ({"words": WORDS + "die 12\n"}, "words.txt", 5, "each number once"),
    ({"times": "utt2 0 1\n"}, "kaldi_sausages.txt", 1, "an utterance that"),
    ({"times": "utt1 0 3 ; 3 41\n"}, "kaldi_sausages.txt", 1, "2 slots, as"),
    ({"times": "utt1 0 3 ; 3 ; 41 41\n"}, "kaldi_times.txt", 1, "pairs of frames"),
    ({"times": "utt1 0 x ; 3 4 ; 41 41\n"}, "kaldi_times.txt", 1, "a frame"),
    ({"times": "utt1 5 3 ; 3 4 ; 41 41\n"}, "kaldi_times.txt", 1, "0 <= begin <= end"),
    ({"times": "utt1 0 3 ; 3 1e300 ; 41 41\n"}, "kaldi_times.txt", 1, "<= 1073742 s"),
    ({"times": "utt1 0 3 ; 3 nan ; 41 41\n"}, "kaldi_times.txt", 1, "a frame"),
    ({"times": TIMES * 2}, "kaldi_times.txt", 2, "each utterance once"),
    ({"times": None, "segments": None}, "kaldi_sausages.txt", 1, "times of its words"),
    ({"segments": "utt2 news 0 1\n"}, "kaldi_sausages.txt", 1, "an utterance that the segments"),
    ({"segments": "utt1 news 0\n"}, "segments", 1, "utterance, recording, start, end"),
    ({"segments": "utt1 news 2 1\n"}, "segments", 1, "0 <= start <= end"),
    ({"segments": "utt1 news 0 x\n"}, "segments", 1, "an end in seconds"),
    ({"segments": SEGMENTS * 2}, "segments", 2, "each utterance once"),
]


@pytest.mark.parametrize("row", ERRORS, ids=[row[3] for row in ERRORS])
def test_errors_name_file_and_line(folder, row):
    changes, name, line, expected = row
    with pytest.raises(InputError) as caught:
        list(networks_in(parse_file(folder(**changes), "sausage")))
    assert (Path(caught.value.path).name, caught.value.line) == (name, line)
    assert expected in caught.value.expected


def test_segments_may_be_a_table(tmp_path):
    path = tmp_path / "utts.tsv"
    path.write_text("utt\tfile\tchannel\tstart\tend\tspeaker\nu 1\tnews.wav\t2\t1.5\t2.5\tx\n")
    assert read_segments(path) == {"u 1": UtteranceSpan(Recording("news", 2), 1.5, 2.5)}
    path.write_text("utt\tfile\tchannel\tstart\tend\nu1\tx\t99999\t0\t1\n")
    with pytest.raises(InputError, match="a channel number up to 9999"):
        read_segments(path)
    path.write_text("utt\tfile\tbegin\n")
    with pytest.raises(InputError, match="columns utt, file, start, end"):
        read_segments(path)


def test_a_table_beside_will_do(folder, tmp_path):
    path = folder(segments=None)
    table = "utt\tfile\tchannel\tstart\tend\nutt1\tnews\t2\t60.0\t61.3\n"
    (tmp_path / "utts.tsv").write_text(table)
    (network,) = networks_in(parse_file(path))
    assert (network.recording, network.start_ms) == (Recording("news", 2), 60_000)


def test_what_is_said_goes_before_what_is_found(folder, tmp_path):
    path = folder()
    other = tmp_path / "other.txt"
    other.write_text("<eps> 0\nhm 7\ndies 12\ndiese 13\n")
    options = with_sidecar_files(
        path, ReaderOptions(times=tmp_path / "kaldi_times.txt", symbols=read_symbols(other))
    )
    assert options.symbols["12"] == "dies"
    assert options.segments["utt1"].start_s == 60


def test_files_beside_are_not_read_on_their_own(folder, tmp_path):
    folder()
    assert sorted(one.name for one in tmp_path.iterdir() if not is_sidecar(one)) == [
        "kaldi_sausages.txt"
    ]


def test_beside_a_file_of_another_name(tmp_path):
    for name, content in (("sau.txt", SAUSAGES), ("times.txt", TIMES), ("words.txt", WORDS)):
        (tmp_path / name).write_text(content)
    (network,) = networks_in(parse_file(tmp_path / "sau.txt"))
    assert network.slot_spans_ms[1].tolist() == [30, 410]


@settings(max_examples=100)
@given(
    st.integers(0, len(SAUSAGES)),
    st.integers(0, 9),
    st.sampled_from(["[", "]", " ", "nan", "-1", "\n", "0", "x"]) | st.text(max_size=5),
)
def test_any_text_gives_networks_or_an_input_error(at, length, piece):
    content = (SAUSAGES[:at] + piece + SAUSAGES[at + length :]).encode(errors="replace")
    options = ReaderOptions(
        symbols={"7": "äh", "12": "das", "13": "dass"},
        segments={"utt1": UtteranceSpan(Recording("news", 1), 0, 1)},
    )
    try:
        found = list(networks_in(sausage.parse(io.BytesIO(content), "/nowhere/x.txt", options)))
    except InputError:
        return
    assert found
