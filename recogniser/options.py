"""The options of recognition, checked, and the recogniser that they name, opened.

    RecognitionOptions    the options of a run, the same in every process
    open_backend          options -> the recogniser, on a GPU if its number is given
    sound_writer          options -> the writer of an encoder's frames, or None
    settings              the settings with which an output folder was begun
    read_hotwords         a file of words, or a lexicon of std-search --oov-lexicon -> words that
                          may occur

A backend's module is imported only when it is asked for.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recogniser.again import Again
from recogniser.protocol import Recogniser
from recogniser.sound import HamaSound, Kept, SoundEncoder, SoundWriter
from std.errors import NONE, ConfigError, InputError
from std.files import AnyPath, read_text

BACKENDS = ("whisper", "pocketsphinx")
COMMENTS = ("#", ";;;")  # of a file of hotwords


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
    words: bool = True  # False: only the sound
    sound: Kept | None = None  # how frames of the encoder are kept beside the networks
    again: Again | None = None  # only stretches of what was recognised before
    encoder: str = ""  # Whisper model whose encoder makes them, or hama; "" = the recogniser's

    @property
    def shares_encoder(self) -> bool:
        """Whether the frames come from the recogniser itself."""
        return self.words and self.backend == "whisper" and self.encoder in ("", self.model)


def settings(options: RecognitionOptions, recogniser: Recogniser) -> dict[str, Any]:
    """What determines the output, as JSON."""
    return {
        "backend": options.backend,
        "language": options.language,
        "window_s": options.longest_s or recogniser.longest_window_s,
        "vad": options.vad,
        "channels": options.channels,
        "recogniser": dict(recogniser.identity),
        **({"again": options.again.digest} if options.again else {}),
    }


def sound_settings(options: RecognitionOptions, writer: SoundWriter) -> dict[str, Any]:
    """What determines the files of frames, as JSON."""
    return {
        "window_s": options.longest_s or writer.encoder.longest_window_s,
        "vad": options.vad,
        "channels": options.channels,
        **writer.settings(),
    }


def sound_writer(
    options: RecognitionOptions, recogniser: Recogniser | None, gpu: int
) -> SoundWriter | None:
    """Load the writer of an encoder's frames; None: they are not requested.

    Args:
        recogniser: the run's recogniser, whose encoder may be used; None: words are not requested.

    Raises:
        ConfigError: the extra is not installed, or the model does not exist.
    """
    if options.sound is None:
        return None
    encoder: SoundEncoder
    if options.shares_encoder:
        encoder = recogniser.sound()  # type: ignore[union-attr]  # it is Whisper
    elif options.encoder == HamaSound.name:
        encoder = HamaSound()
    else:
        from recogniser.whisper.recognise import WhisperOptions, open_whisper

        encoder = open_whisper(
            options.encoder or (options.model if options.backend == "whisper" else ""),
            "auto",
            WhisperOptions(vad=options.vad),
            device=options.device,
            compute=options.compute,
            threads=options.threads,
            gpu=gpu,
        ).sound()
    return SoundWriter(encoder, options.sound)


def open_backend(options: RecognitionOptions, gpu: int) -> Recogniser:
    """Load a recogniser.

    Raises:
        ConfigError: the extra is not installed, the model does not exist, or the recogniser lacks
        an option.
    """
    if options.backend == "whisper":
        from recogniser.whisper.recognise import WhisperOptions, open_whisper

        decoding = WhisperOptions(
            samples=options.samples, beam=options.beam, hotwords=options.hotwords, vad=options.vad
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


def read_hotwords(path: AnyPath) -> tuple[str, ...]:
    """The words of a file, in order, each once.

    Args:
        path: words, one a line; text after a tab or two spaces is a pronunciation and is ignored.

    Raises:
        InputError: it cannot be read, or holds no word.
    """
    words: dict[str, None] = {}
    for line in read_text(path := Path(path)).splitlines():
        if line.strip() and not line.startswith(COMMENTS):
            words[line.replace("  ", "\t").split("\t")[0].strip()] = None
    if not words:
        raise InputError(path, 0, "words, one a line", NONE)
    return tuple(words)
