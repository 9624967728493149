"""What a file looks like that no reader knows, and which readers come near."""

import json
import time

import pytest

import indexer.cli
from indexer.formats.detect import detect, parse_file
from indexer.formats.looks import WITHOUT_TIMES
from indexer.formats.registry import readers
from std.errors import ForeignFileError, InputError
from tests.networks import networks_in

KINDS = [
    (b"RIFF\x24\x00\x00\x00WAVEfmt ", "WAV audio"),
    (b"RF64\xff\xff\xff\xffWAVEds64", "WAV audio"),
    (b"NIST_1A\n   1024\n", "NIST SPHERE audio"),
    (b"ID3\x04\x00\x00", "MP3 audio"),
    (b"\xff\xfb\x90\x64\x00", "MP3 audio"),
    (b"fLaC\x00\x00\x00\x22", "FLAC audio"),
    (b"OggS" + bytes(24) + b"\x13OpusHead", "Opus audio"),
    (b"OggS" + bytes(24) + b"\x1e\x01vorbis", "Ogg audio"),
    (b"\xff\xf1\x50\x80", "AAC audio"),
    (b"\x00\x00\x00\x20ftypM4A \x00", "M4A audio"),
    (b"\x00\x00\x00\x20ftypisom\x00", "an MP4 film"),
    (b"\x1a\x45\xdf\xa3\x01", "a WebM or Matroska film"),
    (b"FORM\x00\x00\x00\x00AIFF", "AIFF audio"),
    (b".snd\x00\x00\x00\x18", "AU audio"),
    (b"#!AMR\n", "AMR audio"),
]
OTHERS = [
    (b"PK\x03\x04\x14", "a ZIP archive or an office document"),
    (b"%PDF-1.7\n", "a PDF document"),
    (b"\x89PNG\r\n\x1a\n", "an image"),
    (b"x\x00\x01\x02", "binary data"),
    (
        b'File type = "ooTextFile"\nObject class = "Pitch 1"\n',
        "a Praat object other than a TextGrid",
    ),
    (b"ooBinaryFile\x08TextGrid", "a binary Praat file"),
    (b"SPEAKER news 1 0.0 1.0 <NA> <NA> anna <NA> <NA>\n", "RTTM"),
    (b";; a comment\n\n;; more\nFILLER news 1 0.0 1.0 um filled_pause anna <NA>\n", "RTTM"),
    (b'<?xml version="1.0"?>\n<kwlist ecf_filename="x">', "XML, a document <kwlist>"),
    (b"Scenarist_SCC V1.0\n\n00:00:00:12\t9420 9420 94ae\n", "SCC, closed captions as codes"),
    (b"{12}{50}purple carrots|grow\n", "MicroDVD captions, whose times are frames"),
    (b"0.500000\t2.100000\tpurple carrots\n", "labels of Audacity, a table without headings"),
    (b"<!DOCTYPE xmeml>\n<xmeml version='4'>", "XML, a document <xmeml>"),
    (b"<!DOCTYPE html><html>", "HTML"),
    (b"Das Haus ist gut.\n", "text"),
    (b"\x1b[31mred\x1b[0m\n", "text"),
    (b'{"name": "x", "version": 2}', "JSON with the keys name, version"),
    (b"[1, 2]", "JSON without keys"),
]


def refused(head, path="x.bin"):
    with pytest.raises(ForeignFileError) as error:
        detect(head, path)
    return error.value


@pytest.mark.parametrize(("head", "what"), KINDS)
def test_audio_needs_a_recogniser_first(head, what):
    error = refused(head + bytes(100))
    assert error.got == what
    assert "a recogniser must turn speech into words first" in str(error)


def test_audio_without_a_header_is_known_by_its_name():
    assert refused(b"\x01\x00\x02\x00", "x.pcm").got == "audio, by its name"


def test_empty_lines_below_a_comment_take_linear_time():
    """They took twice as long for each one more, in any file."""
    began_s = time.process_time()
    assert refused(b"; a\n" + b"\n" * 5000 + b"x").got == "text"
    assert time.process_time() - began_s < 2


@pytest.mark.parametrize(("head", "what"), OTHERS)
def test_what_it_looks_like(head, what):
    error = refused(head)
    assert error.got == what
    assert str(error).startswith(("x.bin: expected recogniser output, ", "x.bin:1: expected"))
    assert str(error).isprintable()


NEAR = [
    (b"align 0 das 1\n", "mesh comes near, but lacks numaligns N"),
    (b"news 0.0 0.4 das\nnews 0.4 0.5 haus\n", "ctm comes near, but lacks file channel start"),
    (b"news 1 0.0 0.4 das\nnews 1 0.4 haus 1 1\n", "in line 2, whose third and fourth fields"),
    (b"I=0 t=0\nI=1 t=1\nJ=0 S=0 E=1 W=das\n", "slf comes near, but lacks VERSION= or N="),
    (b"[ das 0.9 dass 0.1 ] [ haus 1 ]\n", "sausage comes near, but lacks an utterance's name"),
    (b"0 1 das 0.1,0.2,1_2\n1\n", "kaldi-lattice comes near, but lacks"),
    (b'{"slots": [], "x": 1}', "jsonl comes near, but lacks utt"),
    (b'{"chunks": [{"text": "das", "when": 1}]}', "whisper comes near, but lacks timestamp"),
    (b'{"turns": [{"arcs": []}]}', "dstc comes near, but lacks cnet"),
]


@pytest.mark.parametrize(("head", "hint"), NEAR)
def test_formats_that_come_near(head, hint):
    assert hint in str(refused(head))


def test_every_json_format_is_compared():
    assert all(reader.keys for reader in readers("json"))


WORDS = [{"word": " Das", "start": 0.0, "end": 0.2}, {"word": " Haus.", "start": 0.2, "end": 0.6}]
ODD_WHISPER = [
    {"segments": [{"start": 0.0, "end": 0.6, "words": WORDS}]},
    [{"start": 0.0, "end": 0.6, "text": "Das Haus."}],
    {"start": 0.0, "end": 0.6, "text": "Das Haus."},
    {"words": WORDS},
    {"word_segments": WORDS},
    {"transcript": "", "alternatives": [], "segments": [{"start": 0, "end": 1, "text": "Das"}]},
]


@pytest.mark.parametrize("value", ODD_WHISPER)
def test_json_that_whispers_reader_reads_is_detected(tmp_path, value):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(value))
    said = [network.words for network in networks_in(parse_file(path, "whisper"))]
    assert said
    assert [network.words for network in networks_in(parse_file(path))] == said


def test_what_a_reader_misses_in_json_is_said(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"segments": [{"begin": 1.0, "end": 2.0}]}')
    with pytest.raises(ForeignFileError, match=r"whisper comes near, but lacks a number at seg"):
        list(networks_in(parse_file(path)))


def test_an_empty_transcript_is_none_of_words(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"segments": []}')
    assert list(networks_in(parse_file(path))) == []


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.json", b'{"segments": [{"st'), ("x.json", b""), ("x.ctm", b"no words\n"),
     ("x.mesh", b"\xff\xfeh\x00i\x00"), ("x", b"utt1 \0B\x04")],
)  # fmt: skip
def test_a_damaged_file_is_not_a_foreign_one(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as error:
        list(networks_in(parse_file(path)))
    assert not isinstance(error.value, ForeignFileError)


@pytest.fixture
def folder(tmp_path):
    """A transcript among what else lies in folders."""
    inside = tmp_path / "in"
    (inside / ".git").mkdir(parents=True)
    (inside / "news.json").write_text(json.dumps(ODD_WHISPER[0] | {"language": "de"}))
    (inside / "news.wav").write_bytes(b"RIFF\x24\x00\x00\x00WAVEfmt " + bytes(100))
    (inside / "notes.txt").write_text("Das ist keine Ausgabe eines Erkenners.\n")
    (inside / "[todo].txt").write_text("[todo] alles\n")
    (inside / "package.json").write_text('{"name": "x"}')
    (inside / "other.json").write_text('{"person": 1}\n{"person": ')
    (inside / ".DS_Store").write_bytes(b"\0\0\0\1Bud1")
    (inside / ".git" / "config").write_text("[core]\n")
    return inside


def index(*argv):
    index = argv[0].parent if argv[0].is_dir() else argv[0].parent.parent
    return indexer.cli.main([*map(str, argv), "--store", str(index / "index")])


@pytest.mark.parametrize("more", [[], ["--format", "whisper"]])
def test_foreign_files_of_a_folder_are_skipped(folder, capsys, more):
    assert index(folder, *more) == 0
    skipped, report, language = capsys.readouterr().err.splitlines()
    assert language.startswith("language de (")
    assert skipped.startswith("std-index: 7 files skipped: no recogniser output")
    assert report.startswith("1 file, 1 utterance, ")
    assert index(folder, "--verbose", "--json", *more) == 0
    printed = capsys.readouterr()
    assert len(json.loads(printed.out)["skipped"]) == 7
    assert f"std-index: skipped {folder}/news.wav: WAV audio" in printed.err
    assert f"std-index: skipped {folder}/.git/config: a hidden file" in printed.err


@pytest.mark.parametrize("name", ["news.wav", "notes.txt", "package.json", ".DS_Store"])
def test_a_file_named_by_the_user_is_never_skipped(folder, capsys, name):
    assert index(folder / name, folder) == 2
    assert f"{name}:" in capsys.readouterr().err
    assert index(folder / name) == 2


def test_a_damaged_file_of_a_folder_is_not_skipped(folder, capsys):
    (folder / "other.json").write_text('{"segments": [{"st')
    assert index(folder) == 2
    assert "other.json:1: expected JSON" in capsys.readouterr().err
    (folder / "other.json").write_text("")
    assert index(folder) == 2
    assert "other.json:1: expected recogniser output" in capsys.readouterr().err


def test_a_folder_of_foreign_files_only(folder, capsys):
    (folder / "news.json").unlink()
    assert index(folder) == 2
    assert "expected a folder with recogniser output" in capsys.readouterr().err


def test_audio_is_called_by_name_though_a_format_was_said(folder, capsys):
    assert index(folder / "news.wav", "--format", "mesh") == 2
    assert "got WAV audio" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (
            b"utt_0000 rec1 0.50 1.40 -0.0154 PURPLE CARROTS\nutt_0001 rec1 3.00 4.00 -0.1 BEANS\n",
            "got segments of an aligner.*STM",
        ),
        (
            b"anna\t\t0.500\t1.400\t0.900\tpurple carrots\nbob\t\t1.6\t2.8\t1.2\tbeans\n",
            "got a table without headings.*headings",
        ),
    ],
)
def test_a_refusal_names_what_was_seen_and_the_way_out(text, what):
    with pytest.raises(InputError, match=what):
        detect(text, "x.txt")


def test_prose_is_told_that_it_lacks_times():
    error = refused(
        "Grüße an alle, die heute nicht hier sein können, und an ihre Kinder.\n".encode()
    )
    assert (error.got, error.hint) == ("text", WITHOUT_TIMES)
    long = b"Well, I am next to a 7 11 and it is 3 o'clock now, " * 20
    assert "ctm" not in str(refused(long))


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("[INFORMATION]\n[TITLE]x\n", "SubViewer captions", "SRT"),
        ("### read waveform\n..pass1_best: purple carrots\nscore1: -1\n", "log of Julius", "CTM"),
        ("850STL25.01100" + " " * 99, "STL, subtitles", "SRT"),
        ('<window duration="9"><time begin="1"/>beans</window>', "<window>", "SRT"),
        ("[10][30]Purple carrots|grow\n[40][60]here\n", "MPL2 captions", "SRT"),
        ("utt1 rec1 10.0 20.0\nutt2 rec1 30 40.5\n", "segments of Kaldi", "--segments"),
        ("#,Name,Start,End,Length\nR1,beans,0:01.0,0:03.0,0:02.0\n", "#, Name, Start", "Text"),
    ],
)
def test_texts_that_are_read_in_no_form_are_named(tmp_path, text, what, hint):
    path = tmp_path / "talk.txt"
    path.write_text(text)
    with pytest.raises(ForeignFileError) as error:
        list(parse_file(path))
    assert what in error.value.got
    assert hint in error.value.hint
