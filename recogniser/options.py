"""The options of recognition, checked, and the recogniser that they name, opened.

    RecognitionOptions         of a run, the same in every process
    open_backend    options -> the recogniser, with a number of the GPU or none
    settings        the settings with which an output folder was begun

A backend's module is imported only when it is asked for.
"""

from dataclasses import dataclass
from typing import Any

from recogniser.protocol import Recogniser
from std.errors import ConfigError

BACKENDS = ("whisper", "pocketsphinx")


@dataclass(frozen=True, slots=True)
class RecognitionOptions:
    """How audio is recognised."""

    backend: str = "whisper"
    model: str = ""
    language: str = "auto"
    samples: int = 15
    beam: int = 5
    longest_s: float = 0.0  # of windows; 0 = as long as the recogniser takes
    vad: bool = True
    device: str = "auto"
    compute: str = "default"
    threads: int = 1
    channels: str = "mix"
    hotwords: tuple[str, ...] = ()


def settings(options: RecognitionOptions, recogniser: Recogniser) -> dict[str, Any]:
    """What decides the bytes of the output, as JSON."""
    return {
        "backend": options.backend,
        "language": options.language,
        "window_s": options.longest_s or recogniser.longest_window_s,
        "vad": options.vad,
        "channels": options.channels,
        "recogniser": dict(recogniser.identity),
    }


def open_backend(options: RecognitionOptions, gpu: int = 0) -> Recogniser:
    """Load a recogniser.

    Args:
        options: of the run.
        gpu: the number of the GPU to use, if it uses one.

    Raises:
        ConfigError: its extra is not installed, no such model, an option it cannot follow.
    """
    if options.backend == "whisper":
        from recogniser.whisper.opening import open_whisper
        from recogniser.whisper.recognise import WhisperOptions

        decoding = WhisperOptions(
            samples=options.samples,
            beam=options.beam,
            hotwords=options.hotwords,
            vad=options.vad,
        )
        return open_whisper(
            options.model,
            options.language,
            decoding,
            device=options.device,
            compute=options.compute,
            threads=options.threads,
            gpu=gpu,
        )
    if options.backend == "pocketsphinx":
        from recogniser.pocketsphinx import open_pocketsphinx

        return open_pocketsphinx(options.language)
    raise ConfigError(f"expected one of {', '.join(BACKENDS)} as backend, got {options.backend!r}")
