"""A recording goes on where it stopped, and gives the same bytes as in one go."""

import json
import multiprocessing
import os
import wave
from dataclasses import replace

import numpy as np
import pytest

from recogniser import api, audio, folder, processes
from recogniser.again import Again, read_stretches, with_told
from recogniser.options import RecognitionOptions
from recogniser.processes import OutputSettings
from recogniser.protocol import FRAME, Hypothesis, Recognition
from recogniser.recording import StoppedError, Task, recognise
from recogniser.sound import sound_file
from std.errors import ConfigError, InputError
from std.networks import TimedWord
from std.values import Recording
from tests.recogniser.conftest import write_speech

pytest.importorskip("av", reason="needs the extra 'whisper' or 'pocketsphinx' (PyAV)")


class Echo:
    """Says how many seconds it was given, and in which block."""

    windows_at_once, longest_window_s = 2, 6.0
    identity = {"model": "echo"}  # noqa: RUF012  # a value of the test

    def __init__(self):
        self.blocks = []

    def speech_probabilities(self, samples):
        frames = samples.reshape(-1, FRAME)
        return (np.abs(frames).mean(axis=1) > 0.05).astype(np.float32)

    def language_of(self, windows):
        return "de" if windows else "en"

    def recognise(self, block, windows, language):
        self.blocks.append(block)
        results = []
        for window in windows:
            word = TimedWord(f"{block}-{len(window.samples)}", 0.0, 0.5)
            empty = not window.samples.any()
            results.append(
                Recognition([] if empty else [Hypothesis(0.9, [word])], {"silent": empty})
            )
        return results


@pytest.fixture
def speech(tmp_path):
    """31 s of noise with pauses, two channels, as a WAV file."""
    return write_speech(tmp_path / "speech.wav", np.zeros_like)


def task(path, output, **more):
    output.mkdir(exist_ok=True)
    return Task(path, "speech", output, **more)


def lines(path):
    return [json.loads(line) for line in path.read_bytes().splitlines()]


@pytest.mark.parametrize("channels", ["mix", "split"])
def test_stopped_after_any_block_it_gives_the_same_bytes(speech, tmp_path, channels):
    whole = task(speech, tmp_path / "whole", channels=channels)
    report = recognise(whole, Echo())
    wanted = folder.finished(whole.output, "speech").read_bytes()
    assert report.seconds == pytest.approx(30.8 * (2 if channels == "split" else 1), abs=0.01)
    assert report.language == "de"
    for stop_after in range(1, 4):
        again = task(speech, tmp_path / f"again{stop_after}", channels=channels)
        runs = 0
        while not folder.finished(again.output, "speech").exists():
            runs += 1
            assert runs < 20
            blocks = iter(range(1, stop_after))
            try:
                recognise(again, Echo(), stop=lambda left=blocks: next(left, None) is None)
            except StoppedError:
                continue
        assert runs > 1
        assert folder.finished(again.output, "speech").read_bytes() == wanted


def test_torn_at_any_byte_it_gives_the_same_bytes(speech, tmp_path):
    whole = task(speech, tmp_path / "whole")
    recognise(whole, Echo())
    wanted = folder.finished(whole.output, "speech").read_bytes()
    torn = task(speech, tmp_path / "torn")
    for size in range(0, len(wanted), 97):
        part = torn.output / "speech.jsonl.part"
        part.write_bytes(wanted[:size])
        recognise(torn, Echo())
        assert folder.finished(torn.output, "speech").read_bytes() == wanted
        assert not part.exists()


def test_only_what_is_missing_is_recognised_again(speech, tmp_path):
    whole = task(speech, tmp_path / "whole")
    recognise(whole, first := Echo())
    content = folder.finished(whole.output, "speech").read_bytes().splitlines(keepends=True)
    again = task(speech, tmp_path / "again")
    (again.output / "speech.jsonl.part").write_bytes(b"".join(content[:5]))
    report = recognise(again, second := Echo())
    assert first.blocks == list(range(first.blocks[-1] + 1))
    assert second.blocks == first.blocks[2:]
    assert report.resumed_windows == 4


def test_unfinished_output_of_other_audio_is_not_continued(speech, tmp_path):
    begun = task(speech, tmp_path / "out")
    with pytest.raises(StoppedError):
        recognise(begun, Echo(), stop=lambda: True)
    write_speech(speech, np.zeros_like, pause_s=0.7)
    with pytest.raises(InputError, match=r"speech\.jsonl\.part: expected the windows of the same"):
        recognise(begun, Echo())


def run_here(tasks, *_):
    """The events of a run, in this process."""
    yield OutputSettings({})
    for one in tasks:
        yield recognise(one, Echo())


def test_another_file_of_the_name_of_a_finished_recording_is_told(tmp_path, monkeypatch):
    """Two days' recordings with the same names, one folder for the networks of both."""
    monkeypatch.setattr(api, "run", run_here)
    monday, tuesday, output = tmp_path / "monday", tmp_path / "tuesday", tmp_path / "out"
    for day, pause_s in ((monday, 0.4), (tuesday, 0.7)):
        day.mkdir()
        write_speech(day / "speech.wav", np.zeros_like, pause_s=pause_s)
    assert not api.recognise_files(monday, output, with_text=True).failures
    said = (output / "speech.txt").read_text()
    (failure,) = api.recognise_files(tuesday, output, with_text=True).failures
    assert "tuesday/speech.wav: expected the audio that " in failure
    folder.finished(output, "speech").unlink()
    for _ in range(2):
        assert not api.recognise_files(tuesday, output, with_text=True).failures
    assert (output / "speech.txt").read_text() != said


@pytest.mark.parametrize("name", ["esc\x1b[31m", os.fsdecode(b"l\xe4rm"), "ü" * 125])
def test_a_name_that_the_output_cannot_have_is_told_and_the_others_go_on(
    tmp_path, monkeypatch, name
):
    """Code pages of old archives, escapes of terminals, and titles as names."""
    monkeypatch.setattr(api, "run", run_here)
    for one in (name, "speech"):
        write_speech(tmp_path / f"{one}.wav", np.zeros_like)
    report = api.recognise_files(tmp_path, tmp_path / "out")
    (failure,) = report.failures
    assert ".wav: expected a name " in failure
    assert [one.file for one in report.recordings] == ["speech"]
    assert api.recognise_files(tmp_path, tmp_path / "out").already[0].file == "speech"


def test_a_file_that_ends_too_early_is_told(speech, tmp_path, as_flac):
    path = as_flac(speech)
    whole = recognise(task(path, tmp_path / "whole"), Echo())
    assert (whole.warning, whole.seconds) == ("", pytest.approx(30.8, abs=0.01))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    half = recognise(task(path, tmp_path / "half"), Echo())
    missing_s = 30.8 - half.seconds
    assert 10 < missing_s < 20
    assert f"{missing_s:.0f} s less sound than the file states: is it complete?" in half.warning


@pytest.mark.parametrize("name", ["audio", "recognise", "sound"])
def test_a_transcript_does_not_replace_a_file_of_the_folder(tmp_path, monkeypatch, name):
    monkeypatch.setattr(api, "run", run_here)
    path = write_speech(tmp_path / f"{name}.wav", np.zeros_like)
    with pytest.raises(InputError, match=rf"{name}\.wav: expected another name"):
        api.recognise_files(path, tmp_path / "out", with_text=True)
    assert not api.recognise_files(path, tmp_path / "out").failures


def test_split_channels_are_recordings_of_their_own(speech, tmp_path):
    split = task(speech, tmp_path / "split", channels="split")
    recognise(split, Echo())
    written = lines(folder.finished(split.output, "speech"))
    assert {(line["file"], line["channel"]) for line in written} == {("speech", 1), ("speech", 2)}
    assert sum(bool(line["slots"]) for line in written if line["channel"] == 1) > 3
    assert not any(line["slots"] for line in written if line["channel"] == 2)
    excerpts = folder.excerpts_of(folder.read_lines(folder.finished(split.output, "speech")))
    assert [(e.recording.channel, e.duration_s) for e in excerpts] == [(1, 30.8), (2, 30.8)]


def test_lines_say_where_they_lie_and_in_which_language(speech, tmp_path):
    whole = task(speech, tmp_path / "whole", language="nl")
    recognise(whole, Echo())
    written = lines(folder.finished(whole.output, "speech"))
    assert {line["language"] for line in written} == {"nl"}
    assert [line["start"] for line in written[1:]] == [line["end"] for line in written[:-1]]
    assert written[-1]["end"] == 30.8


def test_an_audio_file_of_no_length_is_an_empty_recording(tmp_path):
    path = tmp_path / "speech.wav"
    with wave.open(str(path), "wb") as sink:
        sink.setnchannels(1)
        sink.setsampwidth(2)
        sink.setframerate(8000)
        sink.writeframes(b"")
    report = recognise(task(path, tmp_path / "out"), Echo())
    assert (report.seconds, report.words) == (0.0, 0)
    assert report.warning
    assert lines(tmp_path / "out" / "speech.jsonl")[0]["slots"] == []


def test_a_film_in_two_languages_is_told(speech, tmp_path, monkeypatch):
    """The track is the first; a player may show another."""
    assert recognise(task(speech, tmp_path / "one"), Echo()).warning == ""
    monkeypatch.setattr(audio, "tracks", lambda path: 2)
    found = recognise(task(speech, tmp_path / "two"), Echo())
    assert found.warning == "the first of its 2 sound tracks is read"


def test_tracks_are_those_of_sound(tmp_path):
    import av

    quiet = av.AudioFrame.from_ndarray(np.zeros((1, 800), np.int16), layout="mono")
    quiet.sample_rate = 8000
    with av.open(str(tmp_path / "film.mkv"), "w") as film:
        tracks = [film.add_stream("pcm_s16le", rate=8000, layout="mono") for _ in range(2)]
        for track in tracks:
            film.mux(track.encode(quiet))
    assert audio.tracks(tmp_path / "film.mkv") == 2


class Loading:
    """A process that loads its recogniser, or that a signal has ended before it could."""

    exitcode, pid = -15, None
    join = kill = lambda self, *_: None
    is_alive = lambda self: False  # noqa: E731  # shorter


@pytest.mark.parametrize("ended", [True, False])
def test_stopped_while_recognisers_are_loaded_nothing_begins(tmp_path, monkeypatch, ended):
    ours, theirs = multiprocessing.Pipe()
    monkeypatch.setattr(processes, "_started", lambda *_: processes._Worker(Loading(), ours, 0))
    if ended:
        theirs.close()
    else:
        theirs.send(OutputSettings({}))
    given = [task(tmp_path / "speech.wav", tmp_path)]
    with pytest.raises(StoppedError):
        list(processes.run(given, RecognitionOptions(), 1, processes.Stopping(wanted=True)))
    assert ended or theirs.recv() is None  # told to leave, with no task before
    assert processes._done(given[0], None, None, processes.Stopping(wanted=True)) == ()


def test_what_is_no_audio_is_named(tmp_path):
    path = tmp_path / "speech.mp3"
    for content in (b"", b"no audio at all" * 100):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"speech\.mp3: expected audio, got"):
            recognise(task(path, tmp_path / "out"), Echo())


def test_another_setting_in_the_same_folder_is_refused(tmp_path):
    settings = {"recognise.json": {"backend": "whisper", "recogniser": {"samples": 10}}}
    with folder.opened(tmp_path, settings):
        pass
    with folder.opened(tmp_path, settings):
        pass
    with (
        pytest.raises(InputError, match=r'recogniser = {"samples": 10}, as this folder was begun'),
        folder.opened(
            tmp_path, {"recognise.json": {"backend": "whisper", "recogniser": {"samples": 5}}}
        ),
    ):
        pass


def test_sound_may_join_words_that_are_there(tmp_path):
    words, sound = {"recognise.json": {"beam": 5}}, {"sound.json": {"kept": "signs"}}
    with folder.opened(tmp_path, words):
        pass
    with folder.opened(tmp_path, words | sound):
        pass
    with (
        pytest.raises(InputError, match=r"sound.json: expected kept = .signs"),
        folder.opened(tmp_path, words | {"sound.json": {"kept": "exact"}}),
    ):
        pass


def test_two_writers_in_one_folder_are_refused(tmp_path):
    with (
        folder.opened(tmp_path, {}),
        pytest.raises(InputError, match="another std-recognise at work"),
        folder.opened(tmp_path, {}),
    ):
        pass


def listened_again(tmp_path, text):
    table = tmp_path / "again.csv"
    table.write_text("recording,channel,start_s,end_s,words\n" + text)
    return Again(tmp_path / "whole", read_stretches(table))


def test_a_place_without_duration_is_a_stretch(tmp_path):
    table = tmp_path / "again.csv"
    table.write_text("recording,channel,start_s,end_s,words\nnews,1,82.8,82.800,Ada\n")
    (stretch,) = read_stretches(table)
    assert (stretch.start_ms, stretch.end_ms) == (82800, 82801)


class Hearing(Echo):
    """Says the words that it was told of."""

    def told(self, windows, language):
        self.blocks += [(window.start_ms / 1000, window.words) for window in windows]
        return [window.words for window in windows]


def test_listening_again_recognises_only_windows_of_the_stretches(speech, tmp_path):
    whole = task(speech, tmp_path / "whole")
    recognise(whole, Echo())
    before = lines(folder.finished(whole.output, "speech"))
    chosen = before[2], before[3]
    again = listened_again(
        tmp_path,
        f"speech,1,{chosen[0]['start'] + 1},{chosen[0]['start'] + 2},Ada; Bob\n"
        f"speech,1,{chosen[0]['end'] - 0.5},{chosen[1]['start'] + 0.5},Ada; Cy\n"
        "speech,2,1,2,Dan\nother,1,1,2,Eve\n",
    )
    anew = task(speech, tmp_path / "anew", again=again)
    report = recognise(anew, hearing := Hearing())
    assert hearing.blocks == [
        (chosen[0]["start"], ("Ada", "Bob", "Cy")),
        (chosen[1]["start"], ("Ada", "Cy")),
    ]
    after = lines(folder.finished(anew.output, "speech"))
    assert [a for i, a in enumerate(after) if i not in (2, 3)] == before[:2] + before[4:]
    assert {word for slot in after[2]["slots"] for word, *_ in slot["w"]} >= {"Ada", "Bob", "Cy"}
    assert after[2]["told"] == "Ada Bob Cy"
    assert [line["utt"] for line in after] == [line["utt"] for line in before]
    assert (report.windows, report.language) == (len(before), "de")
    (whole.output / folder.SETTINGS).write_text("{}")
    assert again.digest != listened_again(tmp_path, "speech,1,1,2,Ada\n").digest


def test_what_no_stretch_is_of_is_copied_with_its_sound(speech, tmp_path, monkeypatch):
    whole = task(speech, tmp_path / "whole", channels="split")
    recognise(whole, Echo())
    sounds = [sound_file(whole.output, Recording("speech", channel)) for channel in (1, 2)]
    for one in sounds:
        one.write_bytes(one.name.encode())
    anew = task(speech, tmp_path / "anew", channels="split")
    for text, is_decoded in (("speech,2,1,2,Ada\n", True), ("other,1,1,2,Ada\n", False)):
        again = replace(anew, again=listened_again(tmp_path, text))
        if not is_decoded:
            monkeypatch.setattr(audio, "decode", None)
        report = recognise(again, Hearing())
        copied = [(again.output / one.name).read_bytes() for one in sounds]
        assert copied == [one.read_bytes() for one in sounds]
        paths = [folder.finished(one.output, "speech") for one in (whole, anew)]
        assert (paths[0].read_bytes() == paths[1].read_bytes()) is not is_decoded
        assert report.windows == len(lines(paths[0]))
        paths[1].unlink()


def test_listening_again_goes_on_where_it_stopped(speech, tmp_path):
    recognise(task(speech, tmp_path / "whole"), Echo())
    again = listened_again(tmp_path, "speech,1,1,2,Ada\nspeech,1,20,21,Ada\n")
    anew = task(speech, tmp_path / "anew", again=again)
    recognise(anew, Hearing())
    wanted = folder.finished(anew.output, "speech").read_bytes()
    torn = task(speech, tmp_path / "torn", again=again)
    (torn.output / "speech.jsonl.part").write_bytes(wanted[: len(wanted) // 2])
    recognise(torn, Hearing())
    assert folder.finished(torn.output, "speech").read_bytes() == wanted


@pytest.mark.parametrize(("text", "expected"), [
    ("speech,1,2,1,Ada\n", "again.csv:2: expected an end behind the start"),
    ("speech,0,1,2,Ada\n", "again.csv:2: expected a whole number"),
    ("speech,1,soon,2,Ada\n", "again.csv:2: expected a number"),
])  # fmt: skip
def test_bad_stretches_are_named(tmp_path, text, expected):
    (tmp_path / "whole").mkdir()
    with pytest.raises(InputError, match=expected):
        listened_again(tmp_path, text)


def test_what_was_not_recognised_before_cannot_be_listened_to_again(speech, tmp_path):
    (tmp_path / "whole").mkdir()
    again = listened_again(tmp_path, "speech,1,1,2,Ada\n")
    anew = task(speech, tmp_path / "anew", again=again)
    with pytest.raises(InputError, match=r"speech\.jsonl"):
        recognise(anew, Hearing())
    recognise(task(speech, tmp_path / "whole", longest_s=5), Echo())
    with pytest.raises(InputError, match="windows of the same audio"):
        recognise(anew, Hearing())
    with pytest.raises(ConfigError, match="takes hotwords"):
        recognise(anew, Echo())


EVERYWHERE = [(0.0, 10.0)]


def told(line, said, weight=0.5):
    """What each slot has after a hypothesis: its words with posteriors, and the rest."""
    slots = with_told(line, said.split(), weight, EVERYWHERE)["slots"]
    for slot in slots:
        assert slot["eps"] + sum(p for _, p, _, _ in slot["w"]) == pytest.approx(1)
        assert slot["w"] == sorted(slot["w"], key=lambda word: -word[1])
    return [{word: round(p, 3) for word, p, _, _ in slot["w"]} for slot in slots]


LINE = {
    "start": 0.0, "end": 1.2,
    "slots": [
        {"s": 0.0, "e": 0.4, "eps": 0.0, "w": [["a", 1.0, 0.0, 0.4]]},
        {"s": 0.4, "e": 0.9, "eps": 0.0, "w": [["Unique", 0.6, 0.4, 1], ["eunuch", 0.4, 0, 1]]},
        {"s": 0.9, "e": 1.2, "eps": 0.2, "w": [["said", 0.8, 0.9, 1.2]]},
    ],
}  # fmt: skip


@pytest.mark.parametrize(("said", "slots"), [
    ("a unique said", [{"a": 1}, {"Unique": 0.8, "eunuch": 0.2}, {"said": 0.9}]),
    ("a eunuch said", [{"a": 1}, {"eunuch": 0.7, "Unique": 0.3}, {"said": 0.9}]),
    ("ephraim said", [{"a": 0.5, "ephraim": 0.5}, {"Unique": 0.3, "eunuch": 0.2}, {"said": 0.9}]),
    ("a unique ada said",
     [{"a": 1}, {"Unique": 0.8, "eunuch": 0.2}, {"ada": 0.5}, {"said": 0.9}]),
    ("a ada bob cy said",
     [{"a": 1}, {"ada": 0.5, "Unique": 0.3, "eunuch": 0.2}, {"bob": 0.5}, {"cy": 0.5},
      {"said": 0.9}]),
    ("", [{"a": 1}, {"Unique": 0.6, "eunuch": 0.4}, {"said": 0.8}]),
])  # fmt: skip
def test_a_hypothesis_joins_a_network(said, slots):
    assert told(LINE, said) == slots
    before = json.dumps(LINE)
    with_told(LINE, said.split(), 0.5, EVERYWHERE)
    assert json.dumps(LINE) == before


def test_a_word_for_several_stands_for_the_time_of_all():
    ephraim = with_told(LINE, ["ephraim", "said"], 0.6, EVERYWHERE)["slots"][0]["w"][0]
    assert ephraim == ["ephraim", 0.6, 0.0, 0.9]
    slots = with_told(LINE, ["ada", "bob", "cy", "Unique", "said"], 0.6, EVERYWHERE)["slots"]
    assert [slot["w"][0] for slot in slots if slot["w"][0][0] in ("ada", "bob", "cy")] == [
        ["ada", 0.6, 0.0, 0.133],
        ["bob", 0.6, 0.133, 0.267],
        ["cy", 0.6, 0.267, 0.4],
    ]


def test_words_that_were_less_likely_than_none_align_with_nothing():
    doubtful = {"s": 0.0, "e": 0.1, "eps": 0.9, "w": [["said", 0.1, 0.0, 0.1]]}
    line = {**LINE, "slots": [doubtful, *LINE["slots"]]}
    assert told(line, "a eunuch said") == [{"said": 0.05}, *told(LINE, "a eunuch said")]


def test_what_is_not_near_a_place_stays_as_it_is():
    late = {**LINE, "slots": [*LINE["slots"], {"s": 5, "e": 6, "eps": 0, "w": [["so", 1, 5, 6]]}]}
    for places, near in (([(3.0, 4.5)], [3]), ([(0.0, 0.3)], [0, 1, 2]), ([], [])):
        slots = with_told(late, ["x", "y", "z", "u", "v"], 0.5, places)["slots"]
        changed = [i for i, slot in enumerate(late["slots"]) if slot not in slots]
        assert changed == near


@pytest.mark.parametrize(("start", "slots", "said", "places", "spans"), [
    (0.0, LINE["slots"], "a Unique said ada bob", [(20.0, 22.0)], [(20.0, 21.0), (21.0, 22.0)]),
    (3.0, [], "ada", [(20.0, 21.0)], [(20.0, 21.0)]),
    (3.0, [], "ada", [(2.0, 2.5)], [(3.0, 3.0)]),
    (0.0, [LINE["slots"][0], {"s": 25, "e": 26, "eps": 0, "w": [["so", 1, 25, 26]]}],
     "a ada bob so", [(5.0, 6.0), (8.0, 9.0)], [(5.0, 7.0), (7.0, 9.0)]),
])  # fmt: skip
def test_a_word_where_nothing_was_written_is_at_the_place_searched(
    start, slots, said, places, spans
):
    line = {"start": start, "end": 30.0, "slots": slots}
    found = with_told(line, said.split(), 0.5, places)["slots"]
    added = [slot["w"][0] for slot in found if slot["w"][0][0] in ("ada", "bob")]
    assert [word for word, *_ in added] == [one for one in ("ada", "bob") if one in said]
    assert [(first, last) for _, _, first, last in added] == spans


def test_no_word_gets_surer_than_the_recogniser_is_of_any():
    line = {"start": 0.0, "end": 2.0, "slots": [
        {"s": 0.0, "e": 1.0, "eps": 0.1, "w": [["a", 0.9, 0.0, 1.0]]},
        {"s": 1.0, "e": 2.0, "eps": 0.5, "w": [["b", 0.5, 1.0, 2.0]]},
    ]}  # fmt: skip
    assert told(line, "a b") == [{"a": 0.9}, {"b": 0.75}]
    assert told(line, "a b", 0.9) == [{"a": 0.9}, {"b": 0.9}]
