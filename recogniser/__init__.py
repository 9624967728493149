"""Phase zero: audio into confusion networks, which std-index reads.

    audio file --audio--> samples --windows--> Window --Recogniser--> Recognition
    Recognition --networks--> ConfusionNetwork --folder--> NETWORKS/recording.jsonl

Read `recogniser.recording` first: one recording on one screen. From Python:

    from recogniser import RecognitionOptions, recognise_files

    report = recognise_files("interviews", "NETWORKS", RecognitionOptions(model="small.en"))

`recogniser.api` describes this interface, docs/recognisers.md how to add a recogniser.
"""

from typing import TYPE_CHECKING

from std.imports import lazy_names

if TYPE_CHECKING:
    from recogniser.again import Again, AskedStretch, read_stretches
    from recogniser.api import Watcher, recognise_files
    from recogniser.given_frames import keep_frames
    from recogniser.options import RecognitionOptions, read_hotwords
    from recogniser.processes import Stopping
    from recogniser.protocol import Hypothesis, Recogniser, Recognition, Window
    from recogniser.recording import RecogniseReport, RecordingReport, StoppedError

__all__ = [
    "Again",
    "AskedStretch",
    "Hypothesis",
    "RecogniseReport",
    "Recogniser",
    "Recognition",
    "RecognitionOptions",
    "RecordingReport",
    "StoppedError",
    "Stopping",
    "Watcher",
    "Window",
    "keep_frames",
    "read_hotwords",
    "read_stretches",
    "recognise_files",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "again": "Again AskedStretch read_stretches",
        "api": "Watcher recognise_files",
        "given_frames": "keep_frames",
        "options": "RecognitionOptions read_hotwords",
        "processes": "Stopping",
        "protocol": "Hypothesis Recogniser Recognition Window",
        "recording": "RecogniseReport RecordingReport StoppedError",
    },
)
