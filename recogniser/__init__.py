"""Phase zero: audio into confusion networks, which std-index reads.

    audio file --audio--> samples --windows--> Window --Recogniser--> Recognition
    Recognition --networks--> ConfusionNetwork --folder--> NETWORKS/recording.jsonl

Read `recogniser.recording` first: one recording on one screen. From Python:

    from recogniser import RecognitionOptions, recognise_files

    report = recognise_files("interviews", "NETWORKS", RecognitionOptions(model="small.en"))

`recogniser.api` describes this interface, docs/recognisers.md how to add a recogniser.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recogniser.api import RecogniseReport, Watcher, recognise_files
    from recogniser.options import RecognitionOptions
    from recogniser.processes import Stopping
    from recogniser.protocol import Hypothesis, Recogniser, Recognition, Window
    from recogniser.recording import RecordingReport, StoppedError

__all__ = [
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
    "recognise_files",
]

# A command that only prints its help must not load numpy: names are looked up when asked for.
_MODULES = {
    "RecognitionOptions": "options",
    "Stopping": "processes",
    "RecordingReport": "recording",
    "StoppedError": "recording",
    **dict.fromkeys(("Hypothesis", "Recogniser", "Recognition", "Window"), "protocol"),
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'recogniser' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recogniser.{_MODULES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
