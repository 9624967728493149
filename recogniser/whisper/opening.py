"""Load Whisper from a model's name and the options of decoding."""

from pathlib import Path

from recogniser.whisper.engine import EXTRA, FasterWhisper, digest, model_folder
from recogniser.whisper.recognise import WhisperOptions, WhisperRecogniser
from std.errors import ConfigError
from std.imports import required

DEFAULT_MODEL = "small.en"


def open_whisper(
    model: str,
    language: str,
    decoding: WhisperOptions,
    *,
    device: str = "auto",
    compute: str = "default",
    threads: int = 1,
    gpu: int = 0,
) -> WhisperRecogniser:
    """Load Whisper.

    Args:
        model: a folder in CTranslate2's form, or a name of faster-whisper's; "" = small.en.
        language: a code, or auto.
        decoding: how windows are decoded.
        device: cpu, cuda or auto.
        compute: CTranslate2's type; default = int8 on a CPU, float16 on a GPU.
        threads: the number of CPU threads.
        gpu: the number of the GPU, if there are several.

    Raises:
        ConfigError: the extra is not installed, the model does not exist, or it lacks the language.
    """
    required("faster_whisper", EXTRA)
    folder = model_folder(model or DEFAULT_MODEL)
    device = device_of(device)
    if compute == "default":
        compute = "int8" if device == "cpu" else "float16"
    engine = FasterWhisper(folder, device, compute, threads, gpu)
    if not engine.multilingual and language not in ("auto", "en"):
        raise ConfigError(f"--language {language}: {folder} recognises English only")
    if engine.multilingual and language != "auto" and language not in engine.codes():
        raise ConfigError(f"--language: expected a code such as en or de, got {language!r}")
    identity = {
        "model_sha256": digest(folder),
        "device": device,
        "compute": compute,
        "threads": threads,
        **engine.versions(),
    }
    return WhisperRecogniser(engine, decoding, identity)


def device_of(device: str) -> str:
    """The device that ``auto`` stands for: a GPU if there is one."""
    if device != "auto":
        return device
    return "cuda" if gpus() else "cpu"


def gpus() -> int:
    """The number of GPUs that CTranslate2 can use; it is loaded only if there is a GPU device."""
    if not any(Path("/dev").glob("nvidia[0-9]*")) and not Path("/dev/dxg").exists():
        return 0
    return int(required("ctranslate2", EXTRA).get_cuda_device_count())
