"""Options of a run -> Whisper, loaded."""

from recogniser.extras import required
from recogniser.options import DEFAULT_MODEL, Options
from recogniser.whisper.engine import EXTRA, FasterWhisper, digest, model_folder
from recogniser.whisper.recognise import WhisperOptions, WhisperRecogniser
from std.errors import ConfigError


def open_whisper(options: Options, gpu: int) -> WhisperRecogniser:
    """Load Whisper.

    Raises:
        ConfigError: the extra is not installed; no such model; it has not the language.
    """
    required("faster_whisper", EXTRA)
    folder = model_folder(options.model or DEFAULT_MODEL)
    device = device_of(options.device)
    compute = options.compute
    if compute == "default":
        compute = "int8" if device == "cpu" else "float16"
    engine = FasterWhisper(folder, device, compute, options.threads, gpu)
    if not engine.multilingual and options.language not in ("auto", "en"):
        raise ConfigError(f"--language {options.language}: {folder} recognises English only")
    decoding = WhisperOptions(
        samples=options.samples,
        beam=options.beam,
        hotwords=options.hotwords,
        vad=options.vad,
    )
    identity = {
        "model": folder.name if options.model == str(folder) else options.model,
        "model_sha256": digest(folder),
        "device": device,
        "compute": compute,
        "threads": options.threads,
        **engine.versions(),
    }
    return WhisperRecogniser(engine, decoding, identity)


def device_of(device: str) -> str:
    """The device that is meant by ``auto``: a GPU if there is one."""
    if device != "auto":
        return device
    return "cuda" if gpus() else "cpu"


def gpus() -> int:
    """How many GPUs CTranslate2 can use."""
    return int(required("ctranslate2", EXTRA).get_cuda_device_count())
