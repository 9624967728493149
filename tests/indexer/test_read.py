"""Whatever a recogniser writes, the same networks make the same index."""

import io
import json
from pathlib import Path

import numpy as np
import pytest

from indexer.cli import main
from indexer.formats.readers import mesh
from indexer.formats.registry import FORMATS
from indexer.formats.shared.reader import ReaderOptions, read_segments
from indexer.segments.invert import invert
from std.errors import InputError
from std.store.resident import ResidentSegment
from std.text import Normalisation
from tests.networks import networks_in, networks_of, write_meshes

ASR = Path(__file__).parents[1] / "data" / "asr"
GERMAN = ASR / "german"
SEGMENTS = ReaderOptions(segments=read_segments(GERMAN / "segments"))


def indexed(name):
    return ResidentSegment(None, invert(list(networks_of(GERMAN / name)), Normalisation()))


@pytest.mark.parametrize("name", ["KERSTIN_14.mesh", "kaldi_sausages.txt"])
def test_the_same_networks_index_identically(name):
    """To a frame of 10 ms; a sausage has no times of single words, only those of their slots."""
    ours, expected = indexed(name), indexed("networks.jsonl")
    assert ours.recordings[0].recording == expected.recordings[0].recording
    assert list(ours.words()) == list(expected.words())
    for word in expected.words():
        found, wanted = (one.postings([word])[word] for one in (ours, expected))
        np.testing.assert_allclose(found.posterior, wanted.posterior, atol=2e-5)
        np.testing.assert_array_equal(found.slot, wanted.slot)
        if name.endswith(".mesh"):
            assert np.abs(found.key.astype(np.int64) - wanted.key.astype(np.int64)).max() <= 10
            assert np.abs(found.duration_ms.astype(int) - wanted.duration_ms).max() <= 10


def test_lattices_are_indexed_where_segments_say(tmp_path, capsys):
    german = [str(path) for path in sorted((ASR / "slf").glob("de_rhasspy-*3*"))]
    arguments = ["--store", str(tmp_path / "index"), "--segments", str(GERMAN / "segments")]
    assert main([*german, *arguments, "--json", "--quiet"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["files"], figures["utterances"]) == (1, 2)  # both of one audio file
    assert figures["postings"] > 50
    # of another corpus: no segment names it
    assert main([str(ASR / "slf" / "LJ_LJ001-0002.slf.gz"), *arguments]) == 2
    assert "an utterance that the segments name" in capsys.readouterr().err


def test_kaldi_files_of_a_folder_are_one_input(tmp_path, capsys):
    for name in ("kaldi_sausages.txt", "kaldi_times.txt", "words.txt", "segments"):
        (tmp_path / name).write_bytes((GERMAN / name).read_bytes())
    assert main([str(tmp_path), "--store", "memory:", "--json", "--quiet"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["files"], figures["utterances"]) == (1, 10)


@pytest.mark.parametrize("is_ours", [True, False])
def test_an_ecf_in_a_folder_of_std_recognise_is_not_named(is_ours, tmp_path, capsys):
    (tmp_path / "news.ctm").write_text("news 1 0.0 0.4 das 0.9\n")
    (tmp_path / "ecf.xml").write_text("<ecf/>")
    if is_ours:
        (tmp_path / "recognise.json").write_text("{}")
    assert main([str(tmp_path), "--store", "memory:", "--json", "--quiet"]) == 0
    skipped = [] if is_ours else [str(tmp_path / "ecf.xml")]
    assert json.loads(capsys.readouterr().out)["skipped"] == skipped


@pytest.mark.parametrize("path", sorted((ASR / "json").iterdir()), ids=lambda path: path.name)
def test_json_is_indexed(path, capsys):
    assert main([str(path), "--store", "memory:", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out)["words"] >= 2


def test_every_format_can_be_named():
    assert {
        "ass", "assemblyai", "aws", "aws-streaming", "azure", "chat", "ctm", "deepgram",
        "deepspeech", "docx", "dstc", "eaf", "elevenlabs", "fcpxml", "gentle", "google", "jsonl",
        "kaldi-lattice", "lines", "mesh", "nemo", "otranscribe", "plf", "pocketsphinx",
        "pocketsphinx-json", "revai", "riva", "sami", "sausage", "sherpa-onnx", "slf",
        "speechmatics", "srt", "stm", "table", "tei", "textgrid", "timed-text", "timeline-xml",
        "transformers", "ttml", "video-indexer", "vosk", "vtt", "watson", "whisper", "youtube",
    } == set(FORMATS)  # fmt: skip


def test_a_lattice_becomes_a_mesh():
    """For users of other tools: read with the segments' times, write as SRILM would."""
    found = list(networks_of(ASR / "slf" / "de_rhasspy-2437.slf.gz", options=SEGMENTS))
    stream = io.BytesIO()
    write_meshes(found, stream)
    again = list(networks_in(mesh.parse(io.BytesIO(stream.getvalue()), "KERSTIN_14.mesh")))
    assert [one.words for one in again] == [one.words for one in found]
    assert again[0].recording == found[0].recording


def test_the_method_can_be_said():
    path = ASR / "slf" / "de_rhasspy-2437.slf.gz"
    mbr, pivot = (
        next(networks_of(path, options=ReaderOptions(lattice_method=method)))
        for method in ("mbr", "pivot")
    )
    assert len(mbr) != len(pivot) or mbr.words != pivot.words


def test_wrong_file_under_a_right_name(tmp_path):
    path = tmp_path / "x.slf"
    path.write_bytes((GERMAN / "KERSTIN_14.mesh").read_bytes())
    with pytest.raises(InputError, match=r"x\.slf:1: expected key=value fields of a lattice"):
        list(networks_of(path, input_format="slf"))
