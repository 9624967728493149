"""Names of clips and subtitles, whatever terms and recordings are called."""

import wave
from dataclasses import replace

import pytest

from searcher.output.media import write_clips, write_subtitles
from searcher.results.hits import Hit
from std.errors import StdError
from std.metadata.table import NO_METADATA, of_rows
from std.outputs import clip_name

HIT = Hit(
    term_id="1", term="rathaus", file="news", channel=1, language="de", start_s=1.0,
    duration_s=0.5, within_s=None, score=0.9, decision=None, searched="rathaus", method="exact",
    similarity=1.0, how="", context=("im", "rathaus", "<b>ist</b>"), likeliest="rathaus",
    slots=(0, 1), probability=0.9, threshold=None, expected_occurrences=1.0, because="",
)  # fmt: skip


def named(hit):
    return clip_name(hit.term, hit.file, hit.channel, hit.start_s)


@pytest.mark.parametrize(("changes", "name"), [
    ({}, "rathaus--news--00-00-01.000"),
    ({"start_s": 3723.4567}, "rathaus--news--01-02-03.457"),
    ({"term": "../../etc/passwd"}, "etc_passwd--news--00-00-01.000"),
    ({"term": "im bran*", "file": "a/b\\c:d\0"}, "im_bran--a_b_c_d--00-00-01.000"),
    ({"channel": 2}, "rathaus--news_2--00-00-01.000"),
    ({"term": "?", "file": ".hidden"}, "_--hidden--00-00-01.000"),
    ({"term": "straße", "file": "日本"}, "straße--日本--00-00-01.000"),
])  # fmt: skip
def test_names_are_safe(changes, name):
    assert named(replace(HIT, **changes)) == name


def test_long_names_fit_any_file_system():
    name = named(replace(HIT, term="日" * 500, file="ß" * 500))
    assert len(name.encode()) < 200
    assert name.startswith("日" * 20 + "--")


@pytest.fixture
def audio(tmp_path):
    """Three seconds of mono silence."""
    folder = tmp_path / "audio"
    folder.mkdir()
    with wave.open(str(folder / "news.wav"), "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(8000)
        writer.writeframes(bytes(2 * 8000 * 3))
    return folder


def cut(hits, folder, *, audio=None, metadata=NO_METADATA, around_s=0.25):
    return write_clips(hits, folder, audio=audio, metadata=metadata, kind="wav", around_s=around_s)


def test_each_hit_has_its_own_file(audio, tmp_path):
    hits = [HIT, replace(HIT, term="Rathaus"), replace(HIT, start_s=2.9), replace(HIT, start_s=9)]
    lost = cut(hits, tmp_path / "clips", audio=audio)
    assert lost == [f"{audio / 'news.wav'}: no sound from 8.75 s on"]
    lengths = {}
    for path in (tmp_path / "clips").iterdir():
        with wave.open(str(path)) as reader:
            lengths[path.name] = reader.getnframes() / reader.getframerate()
    assert lengths == {
        "rathaus--news--00-00-01.000.wav": pytest.approx(1.0, abs=0.01),
        "Rathaus--news--00-00-01.000-2.wav": pytest.approx(1.0, abs=0.01),
        "rathaus--news--00-00-02.900.wav": pytest.approx(0.35, abs=0.01),
    }


def test_audio_by_the_metadata(audio, tmp_path):
    rows = {"talk": {"audio": str(audio / "news.wav")}, "other": {"audio": "https://x.invalid/a"}}
    hits = [replace(HIT, file=file) for file in ("talk", "other")]
    lost = cut(hits, tmp_path / "clips", metadata=of_rows(rows))
    assert lost == ["other: no audio, its hits have no clips"]
    assert [path.name[:13] for path in (tmp_path / "clips").iterdir()] == ["rathaus--talk"]
    with pytest.raises(StdError, match="expected audio of other in the folder --audio"):
        cut(hits[1:], tmp_path / "none", metadata=of_rows(rows))
    assert not (tmp_path / "none").exists()
    moved = of_rows({"talk": {"audio": "/elsewhere/news.mp3"}})
    assert cut(hits[:1], tmp_path / "moved", audio=audio, metadata=moved) == []


def test_a_title_names_the_recording(audio, tmp_path):
    metadata = of_rows({"news": {"title": "Abendschau: Größe"}})
    assert cut([HIT], tmp_path / "clips", audio=audio, metadata=metadata) == []
    (clip,) = (tmp_path / "clips").iterdir()
    assert clip.name == "rathaus--Abendschau_Größe--00-00-01.000.wav"


def test_no_hits_are_no_error(tmp_path):
    assert cut([], tmp_path / "clips") == []
    write_subtitles([], tmp_path / "srt")
    assert [*(tmp_path / "srt").iterdir()] == []


def test_recordings_that_look_alike_have_two_files(tmp_path):
    write_subtitles([HIT, replace(HIT, file="NEWS"), replace(HIT, channel=2)], tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"NEWS.srt", "news-2.srt", "news_2.srt"}
    text = (tmp_path / "NEWS.srt").read_text()
    assert text == "1\n00:00:01,000 --> 00:00:01,500\nrathaus (90%): im rathaus ‹b›ist‹/b›\n\n"
