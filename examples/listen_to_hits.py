"""Cut a clip for each likely hit, with half a second before and after it (needs PyAV: extra audio).

python examples/listen_to_hits.py
"""

import wave
from pathlib import Path

import av
import numpy as np

from indexer import index_files
from searcher import open_index

GERMAN = Path(__file__).parent / "german"
STORE, CLIPS, RATE, AROUND_S = "demo/index", Path("demo/clips"), 16_000, 0.5


def samples(audio: Path) -> np.ndarray:
    """A recording as 16-bit samples at `RATE`."""
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    with av.open(audio) as container:
        frames = [part for frame in container.decode(audio=0) for part in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray()[0] for frame in frames])


index_files(GERMAN / "mesh", STORE, ecf=GERMAN / "ecf.xml")
CLIPS.mkdir(parents=True, exist_ok=True)
with open_index(STORE) as index:
    hits = [hit for hit in index.search("hahnenfedern", "spreewald") if hit.probability > 0.5]
for hit in hits:
    sound = samples(GERMAN / "audio" / f"{hit.file}.ogg")
    begin_s, end_s = hit.start_s - AROUND_S, hit.start_s + hit.duration_s + AROUND_S
    clip = sound[max(0, round(begin_s * RATE)) : round(end_s * RATE)]
    path = CLIPS / f"{hit.term} {hit.file} {hit.start_s:.1f}.wav"
    with wave.open(str(path), "wb") as writer:
        writer.setparams((1, 2, RATE, 0, "NONE", ""))
        writer.writeframes(clip.tobytes())
    print(f"{path}: {len(clip) / RATE:.2f} s, probability {hit.probability:.2f}")
