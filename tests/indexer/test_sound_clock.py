"""Words and sound of a recording with different clocks are told."""

import json

import numpy as np
import pytest

from indexer import index_files, verify_index
from indexer.cli import main
from indexer.sound import (
    MOST_FRAMES,
    ClockDifference,
    _agreements,
    changes_of,
    clock_doubts,
    offset_at_place,
    offset_s,
)
from indexer.store_cli import main as std_store
from searcher import open_index
from std.sound import files
from std.sound.columns import FRAME_MS, Encoder, Sound
from std.values import Recording

LENGTH_S = 60
RNG = np.random.default_rng(7)
BORDERS_S = np.cumsum(np.column_stack([RNG.uniform(0.1, 0.6, 60), RNG.uniform(0.3, 1.5, 60)]))
WORDS_S = [
    (float(begin), float(end))
    for begin, end in zip(BORDERS_S[::2], BORDERS_S[1::2], strict=True)
    if end < LENGTH_S - 6
]


def said(words_s, by_s=0.0):
    """(n,) frames in which somebody speaks."""
    frames = np.zeros(LENGTH_S * 1000 // FRAME_MS, bool)
    for begin, end in words_s:
        frames[int((begin + by_s) * 50) : int((end + by_s) * 50)] = True
    return frames


@pytest.mark.parametrize("by_s", [0.4, -0.2, 2.0, 0.0])
def test_the_offset_of_words_is_found(by_s):
    words_s = [word for word in WORDS_S if word[0] > 1]
    found = offset_s(~said(words_s), ~said(words_s, by_s))
    assert found == pytest.approx(by_s, abs=0.021)


def test_what_tells_no_offset_gives_none():
    silence = ~said(WORDS_S)
    assert offset_s(silence, np.ones_like(silence)) == 0
    assert offset_s(np.zeros_like(silence), silence) == 0
    assert offset_s(silence[:100], np.roll(silence, 20)[:100]) == 0  # too short
    assert offset_s(silence, RNG.random(len(silence)) < 0.5) == 0  # unrelated


def test_words_that_fill_the_pauses_behind_them_are_not_late():
    """As Whisper's do, whose times are late besides; what is later by seconds is told."""
    starts_s = np.arange(1.0, LENGTH_S - 8, 2.0)
    silence = ~said([(start, start + 1) for start in starts_s])
    filling = [(start, start + 1.6) for start in starts_s]
    assert offset_s(silence, ~said(filling, 0.1)) == 0
    assert offset_s(silence, ~said(filling, 0.8)) == pytest.approx(0.8, abs=0.021)


def slow_agreement(silence, unsaid, by):
    """The correlation at one offset, of the frames that both have."""
    pairs = [
        (heard, unsaid[at + by]) for at, heard in enumerate(silence) if 0 <= at + by < len(unsaid)
    ]
    heard, written = np.array(pairs).T
    flat = heard.all() or written.all() or not (heard.any() and written.any())
    return 0.0 if flat else np.corrcoef(heard, written)[0, 1]


def test_agreements_equal_their_slow_twin():
    silence, unsaid = ~said(WORDS_S), ~said(WORDS_S, 0.3)
    unsaid[: len(unsaid) // 2] = True
    found = _agreements(silence, unsaid)
    for by in (-MOST_FRAMES, -7, 0, 15, MOST_FRAMES):
        expected = slow_agreement(silence, unsaid, by)
        assert found[by + MOST_FRAMES] == pytest.approx(expected, abs=1e-9)
    assert not _agreements(silence, np.ones_like(silence)).any()


def test_the_offset_of_a_place():
    n = 2250
    silence = ~said(WORDS_S)[:n]
    for by_s in (0.0, 0.6, -1.2):
        found = offset_at_place(silence, ~said(WORDS_S, by_s)[:n])
        assert found == pytest.approx(by_s, abs=0.021)
    assert offset_at_place(silence, RNG.random(n) < 0.5) is None
    cut = np.concatenate([~said(WORDS_S)[: n // 2], ~said(WORDS_S, 0.8)[n // 2 : n]])
    assert offset_at_place(silence, cut) is None  # one part before the cut, one after it


@pytest.fixture
def networks(tmp_path):
    """Words of a at their times, of b half a second late."""
    noise = RNG.integers(0, 256, 32).astype(np.uint8)
    stored = RNG.integers(0, 256, (LENGTH_S * 1000 // FRAME_MS, 32)).astype(np.uint8)
    stored[~said(WORDS_S)] = noise
    for name, by_s in (("a", 0.0), ("b", 0.5)):
        sound = Sound(Recording(name, 1), Encoder("whisper", "aa"), stored)
        (tmp_path / files.sound_name(sound.recording)).write_bytes(
            files.header(sound) + stored.tobytes()
        )
        slots = [
            {"s": begin, "e": end, "eps": 0.1, "w": [["hello", 0.9, begin, end]]}
            for begin, end in ((begin + by_s, end + by_s) for begin, end in WORDS_S)
        ]
        line = {"utt": name, "file": name, "channel": 1, "start": 0.0, "end": float(LENGTH_S),
                "language": "en", "slots": slots}  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(line) + "\n")
    return tmp_path


def test_indexing_and_verifying_tell_of_clocks_that_differ(networks, capsys):
    store = networks / "index"
    inputs = sorted(networks.glob("*.jsonl"))
    report = index_files(inputs, store)
    (check,) = verify_index(store)
    for warnings in (report.warnings, check.warnings):
        (line,) = [line for line in warnings if "sound" in line]
        assert line.startswith("b: its words stand about 0.5 s behind its sound")
    assert check.clock_offsets == {"b": pytest.approx(0.5, abs=0.021)}
    assert std_store(["verify", str(store), "--json", "--quiet"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["clock_offsets"] == {str(store): check.clock_offsets}
    assert document["clock_changes"] == {str(store): {}}
    assert not index_files([inputs[0]], store).warnings
    for offset in (0.5, networks / "offsets.txt"):
        (networks / "offsets.txt").write_text("b\t0.5\nelsewhere 3\n")
        given = offset if isinstance(offset, float) else str(offset)
        argv = [str(inputs[1]), "--store", str(store), "--clock-offset", str(given), "--quiet"]
        assert main(argv) == 0
        (check,) = verify_index(store)
        assert (check.clock_offsets, check.damage) == ({}, ())


@pytest.mark.parametrize("option", ["--clock-offset", "--chunks"])
def test_clocks_of_recordings_that_are_not_there_are_told(tmp_path, capsys, option):
    (tmp_path / "a.ctm").write_text("a 1 0.5 0.2 hello\n")
    (tmp_path / "clocks.txt").write_text(
        "a 0.1\naa 3\nbb 4\n" if "offset" in option else "aa 0 9\nbb 0\n"
    )
    argv = [str(tmp_path / "a.ctm"), "--store", str(tmp_path / "index"), "--quiet"]
    assert main([*argv, option, str(tmp_path / "clocks.txt")]) == 0
    told = f"std-index: warning: 2 recordings of {option} not in the index: aa ...\n"
    assert capsys.readouterr().err.endswith(told)


def test_words_that_fill_pauses_tell_no_offset():
    silence = ~said(WORDS_S)
    filled = np.zeros_like(silence)
    filled[np.flatnonzero(silence)[::6]] = True  # a sixth of the silence has no word
    assert offset_s(silence, np.roll(filled, 25)) == 0


@pytest.mark.parametrize("rate", [0.0, 0.012])
def test_words_that_are_cut_or_run_slower_are_told(tmp_path, rate):
    """As if one minute had lost .8 s in the middle, or the sound ran faster."""
    words_s = [(t, u) for k in (0, 60, 120) for t, u in (np.array(WORDS_S) + k).tolist()]
    stored = RNG.integers(0, 256, (180 * 1000 // FRAME_MS, 32)).astype(np.uint8)
    silence = np.ones(len(stored), bool)
    for begin, end in words_s:
        silence[int(begin * 50) : int(end * 50)] = False
    stored[silence] = stored[0]
    sound = Sound(Recording("a", 1), Encoder("whisper", "aa"), stored)
    (tmp_path / files.sound_name(sound.recording)).write_bytes(
        files.header(sound) + stored.tobytes()
    )
    moved = [
        [t * (1 + rate) + (0.8 if t > 90 and not rate else 0.0) for t in span] for span in words_s
    ]
    lines = "".join(f"a 1 {begin:.3f} {end - begin:.3f} hello\n" for begin, end in moved)
    (tmp_path / "a.ctm").write_text(lines)
    report = index_files(tmp_path / "a.ctm", tmp_path / "index")
    (line,) = [line for line in report.warnings if "keep to its sound" in line]
    assert line.startswith("a: its words do not keep to its sound: 0.")
    (check,) = verify_index(tmp_path / "index")
    (first, *_, last) = check.clock_changes["a"]
    assert not check.clock_offsets
    assert first == pytest.approx((22.5, 22.5 * rate), abs=0.15)
    assert last[1] - first[1] == pytest.approx(
        rate * (last[0] - first[0]) if rate else 0.8, abs=0.1
    )


def test_many_places_are_told_by_the_first_and_the_last():
    places = tuple((600.0 * (k + 1), 0.5 * k - 0.5) for k in range(12))
    (line,) = clock_doubts([ClockDifference(Recording("a", 1), 0.0, places)])
    assert "0.5 s early at 10:00.0 to 5.0 s late at 2:00:00.0, 12 places;" in line, line


def test_recordings_with_one_offset_are_told_in_one_line():
    """All of an archive may be cut alike; a file's channels are one recording to the option."""
    late = [ClockDifference(Recording(f"r{k // 2:02}", 1 + k % 2), 0.58) for k in range(24)]
    one, other = clock_doubts([*late, ClockDifference(Recording("x", 1), -0.3)])
    assert one.startswith(
        "r00, r01, r02, r03, r04, r05, r06, r07, r08, r09 and 2 more: their words"
    )
    assert one.endswith(
        "moves them: 0.6 for all of its inputs, or a file with the line r00 0.6 and so on"
    )
    assert other.startswith("x: its words stand about 0.3 s before its sound;")


def test_changes_of_offsets():
    assert changes_of([]) == changes_of([(20.0, 0.4)]) == ()
    assert changes_of([(20.0, 0.0), (40.0, 0.2), (60.0, 0.4)]) == ((20.0, 0.0), (60.0, 0.4))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "expected a recording and how far its words stand behind its sound in seconds, got"),
        ("a b\n", "offsets.txt:1: expected an offset in seconds, got 'b'"),
        ("a 1\na 2\n", "offsets.txt:2: expected each recording once, got 'a'"),
        ("a nan\n", "offsets.txt:1: expected an offset in seconds, got 'nan'"),
        ("3\n", "offsets.txt:1: expected a recording and how far"),
        ("a 1e99\n", "offsets.txt:1: expected"),
    ],
)
def test_what_are_no_offsets_is_named(networks, capsys, content, told):
    (networks / "offsets.txt").write_text(content)
    offset = str(networks / "offsets.txt")
    argv = [str(networks / "b.jsonl"), "--store", str(networks / "i"), "--clock-offset", offset]
    assert main(argv) == 2
    assert told in capsys.readouterr().err


def test_what_would_stand_before_the_beginning_stands_there(tmp_path):
    words = "".join(f"a 1 {at / 10} 0.1 w{at}\n" for at in range(10))
    (tmp_path / "a.ctm").write_text(words)
    index_files(tmp_path / "a.ctm", tmp_path / "i", clock_offset=0.55)
    assert not next(iter(verify_index(tmp_path / "i"))).damage
    with open_index(tmp_path / "i") as index:
        found = [(word.word, word.start_s) for word in index.words("a")]
    assert {word for word, start_s in found if start_s == 0} >= {"w0", "w4", "w5"}
    assert [start_s for word, start_s in found if word == "w9"] == [0.35]
