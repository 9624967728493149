"""A recogniser that counted from 0 in each part of a recording is put right, whatever it wrote."""

import json

import pytest

from indexer import InputOptions, index_files
from indexer.cli import main
from indexer.networks.chunks import read_chunks
from std.errors import InputError
from std.repairs import CLOCK_GOES_BACK
from tests.networks import networks_of

SAID = ["purple carrots grow", "in a quiet valley", "for the whole winter"]
STARTS = [0, 20, 40, 12, 30, 5, 25]  # of three parts
PLACES = [0, 20, 40, 72, 90, 125, 145]  # if each has 60 s


def clock(second):
    return f"00:{second // 60:02d}:{second % 60:02d}"


def srt(starts):
    return "\n".join(f"{clock(s)},000 --> {clock(s + 4)},000\n{SAID[s % 3]}\n" for s in starts)


def ctm(starts):
    return "".join(
        f"talk 1 {s + 0.4 * at:.2f} 0.30 {word} 0.9\n"
        for s in starts
        for at, word in enumerate(SAID[s % 3].split())
    )


def rows(starts):
    return json.dumps([{"start": s, "end": s + 4, "text": SAID[s % 3]} for s in starts])


def words(starts):
    return json.dumps({"words": [
        {"word": word, "start": s + 0.4 * at, "end": s + 0.4 * at + 0.3}
        for s in starts for at, word in enumerate(SAID[s % 3].split())
    ]})  # fmt: skip


def table(starts):
    said = [f"{s + 0.4 * at:.2f},{s + 0.4 * at + 0.3:.2f},{word}" for s in starts
            for at, word in enumerate(SAID[s % 3].split())]  # fmt: skip
    return "start,end,word\n" + "\n".join(said) + "\n"


def whisper(starts):
    segments = [{"id": n, "start": s, "end": s + 4, "text": SAID[s % 3], "avg_logprob": -0.1,
                 "words": [{"word": f" {word}", "start": s + 0.4 * at, "end": s + 0.4 * at + 0.3,
                            "probability": 0.9} for at, word in enumerate(SAID[s % 3].split())]}
                for n, s in enumerate(starts)]  # fmt: skip
    return json.dumps({"text": "", "segments": segments, "language": "en"})


SHAPES = {"talk.srt": srt, "talk.ctm": ctm, "rows.json": rows, "words.json": words,
          "talk.csv": table, "whisper.json": whisper}  # fmt: skip


def read(tmp_path, name, content, chunks):
    path = tmp_path / name
    path.write_text(content)
    options = InputOptions(chunks=chunks).load()
    return [
        (round(network.start_ms / 1000), " ".join(network.words))
        for network in networks_of(path, options=options)
    ]


@pytest.mark.parametrize("name", SHAPES)
def test_parts_of_one_length(tmp_path, name):
    found = read(tmp_path, name, SHAPES[name](STARTS), 60.0)
    assert found == [(at, SAID[s % 3]) for at, s in zip(PLACES, STARTS, strict=True)]


@pytest.mark.parametrize("name", SHAPES)
def test_starts_that_are_listed(tmp_path, name):
    listed = tmp_path / "starts.txt"
    listed.write_text("other 0 9\n\ntalk 0 100.5 200\nrows 0 100.5 200\nwords 0 100.5 200\n"
                      "whisper\t0\t100.5\t200\n")  # fmt: skip
    found = read(tmp_path, name, SHAPES[name](STARTS), listed)
    assert [said for _, said in found] == [SAID[s % 3] for s in STARTS]
    assert [round(at) for at, _ in found][3:] == [112, 130, 205, 225]


def test_the_warning_names_the_option_and_the_place_and_goes_with_it(tmp_path):
    path = tmp_path / "talk.srt"
    path.write_text(srt(STARTS))
    warned = index_files([path], "memory:").repairs
    assert "--chunks" in CLOCK_GOES_BACK
    assert (warned[CLOCK_GOES_BACK].times, warned[CLOCK_GOES_BACK].line) == (
        1,
        16,
    )  # the other part begins after 10 s
    fixed = index_files([path], "memory:", options=InputOptions(chunks=60.0))
    assert CLOCK_GOES_BACK not in fixed.repairs


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "talk 0 60\n",
            "expected 2 parts of talk, as --chunks lists starts, got 3 parts or more",
        ),
        (
            "talk 0 60 120 180\n",
            "expected 4 parts of talk, as --chunks lists starts, got 3 parts",
        ),
        ("talk 0 30 120\n", "expected speech of part 1 of talk up to 30 s"),
        ("talk 0 60 60\n", "starts.txt:1: expected a recording and the starts of its parts"),
        ("talk\n", "starts.txt:1: expected a recording and the starts"),
        ("talk 0 60\ntalk 120\n", "starts.txt:2: expected each recording once, got 'talk'"),
        ("talk 0 x\n", "starts.txt:1: expected a start in seconds"),
        ("talk -1 60\n", "starts.txt:1: expected a recording and the starts"),
        ("", "starts.txt: expected a recording and the starts"),
    ],
)
def test_lists_that_cannot_be(tmp_path, content, message):
    listed = tmp_path / "starts.txt"
    listed.write_text(content)
    with pytest.raises(InputError, match=message):
        read(tmp_path, "talk.srt", srt(STARTS), listed)


def test_a_length_that_is_too_short(tmp_path):
    with pytest.raises(InputError, match="speech of part 1 of talk up to 30 s"):
        read(tmp_path, "talk.srt", srt(STARTS), 30.0)


def test_recordings_that_are_not_listed_stay_as_they_are(tmp_path):
    listed = tmp_path / "starts.txt"
    listed.write_text("Other talk\t0\t60\n")
    assert read_chunks(str(listed)) == read_chunks(listed)
    assert read_chunks(listed).starts_s == {"Other talk": (0.0, 60.0)}
    assert [at for at, _ in read(tmp_path, "talk.srt", srt(STARTS), listed)] == STARTS


def test_each_channel_has_its_own_parts(tmp_path):
    lines = [f"talk {channel} {s} 0.5 word\n" for channel in "12" for s in (1, 30, 2, 31)]
    found = read(tmp_path, "talk.ctm", "".join(lines), 60.0)
    assert [at for at, _ in found] == [1, 30, 62, 91] * 2


def test_on_the_command_line(tmp_path, capsys):
    (tmp_path / "talk.srt").write_text(srt(STARTS))
    (tmp_path / "starts.txt").write_text("talk 0 60\n")
    asked = [str(tmp_path / "talk.srt"), "--store", str(tmp_path / "INDEX"), "--chunks"]
    assert main([*asked, str(tmp_path / "starts.txt")]) == 2
    assert "expected 2 parts of talk" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*asked, "-5"])
    assert "expected" in capsys.readouterr().err
    assert main([*asked, "60"]) == 0
