"""Find and load faster-whisper's model, tokenizer and features.

model_folder    a name or a folder -> the folder
Engine          what decoding needs: encode, generate, align, features, tokens
FasterWhisper   the engine
device_of       the device that `auto` stands for
gpus            the number of GPUs
"""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from std.errors import ConfigError, meant
from std.imports import required
from std.values import Float32s

WHISPER_EXTRA = "whisper"
LONGEST_FRAMES = 3000  # of features: 30 s
FRAMES_PER_S = 100


class Engine(Protocol):
    """Whisper's parts, as decoding uses them. Handles of encoded windows are opaque."""

    def restart(self, seed: int) -> None:
        """Seed the next draws."""

    def encode(self, samples: Float32s) -> Any:
        """Encode a window of at most 30 s."""

    def generate(
        self, encoded: Sequence[Any], prompt: Sequence[int], **options: Any
    ) -> Sequence[Any]:
        """CTranslate2's results, one for each window: sequences_ids, scores, no_speech_prob."""

    def align(self, encoded: Any, tokens: Sequence[int], seconds: float, language: str) -> Any:
        """CTranslate2's alignment of text tokens: alignments, text_token_probs."""

    def languages(self, encoded: Any) -> Sequence[tuple[str, float]]:
        """Codes of languages with probabilities, the likeliest first."""

    def tokenizer(self, language: str) -> Any:
        """faster-whisper's tokenizer."""


def model_folder(model: str) -> Path:
    """The folder of a model, given by its path or by its name; a named model may be downloaded.

    Raises:
        ConfigError: the model does not exist, or cannot be downloaded.
    """
    folder = Path(model)
    if folder.is_dir():
        if not (folder / "model.bin").is_file():
            raise ConfigError(
                f"Whisper model {model}: expected a model of CTranslate2 (model.bin, config.json, "
                "tokenizer.json; ct2-transformers-converter makes it), got a folder without "
                "model.bin"
            )
        return folder
    utils = required("faster_whisper.utils", WHISPER_EXTRA)
    if "/" not in model and model not in utils.available_models():
        names = utils.available_models()
        raise ConfigError(
            f"Whisper model: expected a folder or one of {', '.join(names)}, got {model!r}"
            f"{meant(model, names)}"
        )
    try:
        try:
            return Path(utils.download_model(model, local_files_only=True))
        except Exception:
            return Path(utils.download_model(model))
    except Exception as error:  # the hub's client raises many kinds
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ConfigError(
            f"Whisper model {model}: expected it in {_cache()} or to be downloaded there "
            f"(HF_HUB_OFFLINE=1 forbids it), got: {reason.removeprefix('Got: ')}"
        ) from error


def _cache() -> str:
    return str(required("huggingface_hub.constants", WHISPER_EXTRA).HF_HUB_CACHE)


class FasterWhisper:
    """The engine of faster-whisper."""

    def __init__(self, folder: Path, device: str, compute: str, threads: int, index: int) -> None:
        whisper = required("faster_whisper", WHISPER_EXTRA)
        self._ctranslate2 = required("ctranslate2", WHISPER_EXTRA)
        self._settings = {
            "device": device,
            "device_index": index,
            "compute_type": compute,
            "intra_threads": threads,
        }
        self._path = str(folder)  # CTranslate2 takes no Path
        self._fresh = False
        try:
            self._loaded = whisper.WhisperModel(
                self._path,
                device=device,
                device_index=index,
                compute_type=compute,
                cpu_threads=threads,
                local_files_only=True,
            )
        except (RuntimeError, ValueError) as error:
            raise ConfigError(f"Whisper model {folder}: {error}") from error
        self._model = self._loaded.model
        self._fresh = True
        self.multilingual = bool(self._model.is_multilingual)

    def restart(self, seed: int) -> None:
        # CTranslate2 seeds the generator of a model's thread once, at its first use: only a model
        # that has not drawn yet follows the seed.
        if not self._fresh:
            self._model = None
            self._model = self._ctranslate2.models.Whisper(self._path, **self._settings)
        self._ctranslate2.set_random_seed(seed)
        self._fresh = False

    def encode(self, samples: Float32s) -> Any:
        audio = required("faster_whisper.audio", WHISPER_EXTRA)
        features = audio.pad_or_trim(self._loaded.feature_extractor(samples))
        view = self._ctranslate2.StorageView.from_array(
            np.ascontiguousarray(features[None], np.float32)
        )
        return self._model.encode(view, to_cpu=True)

    def generate(
        self, encoded: Sequence[Any], prompt: Sequence[int], **options: Any
    ) -> Sequence[Any]:
        views = encoded[0]
        if len(encoded) > 1:
            joined = np.concatenate([np.asarray(view) for view in encoded])
            views = self._ctranslate2.StorageView.from_array(joined)
        prompts = [[*prompt]] * len(encoded)
        results: Sequence[Any] = self._model.generate(views, prompts, **options)
        return results

    def align(self, encoded: Any, tokens: Sequence[int], seconds: float, language: str) -> Any:
        sequence = self.tokenizer(language).sot_sequence
        frames = min(LONGEST_FRAMES, int(seconds * FRAMES_PER_S))
        return self._model.align(encoded, sequence, [[*tokens]], frames)[0]

    def languages(self, encoded: Any) -> Sequence[tuple[str, float]]:
        if not self.multilingual:
            return [("en", 1.0)]
        found = self._model.detect_language(encoded)[0]
        return [(token[2:-2], probability) for token, probability in found]

    def tokenizer(self, language: str) -> Any:
        module = required("faster_whisper.tokenizer", WHISPER_EXTRA)
        return module.Tokenizer(
            self._loaded.hf_tokenizer, self.multilingual, task="transcribe", language=language
        )

    def codes(self) -> Sequence[str]:
        """The languages of a multilingual model."""
        return [*required("faster_whisper.tokenizer", WHISPER_EXTRA)._LANGUAGE_CODES]

    def versions(self) -> Mapping[str, str]:
        """The versions of the libraries that compute."""
        whisper = required("faster_whisper", WHISPER_EXTRA)
        return {
            "faster-whisper": str(whisper.__version__),
            "ctranslate2": str(self._ctranslate2.__version__),
        }


def digest(folder: Path) -> str:
    """SHA-256 of the model."""
    with (folder / "model.bin").open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def device_of(device: str) -> str:
    """The device that ``auto`` stands for: a GPU if there is one."""
    if device != "auto":
        return device
    return "cuda" if gpus() else "cpu"


def gpus() -> int:
    """The number of GPUs that CTranslate2 can use; it is loaded only if there is a GPU device."""
    if not any(Path("/dev").glob("nvidia[0-9]*")) and not Path("/dev/dxg").exists():
        return 0
    return int(required("ctranslate2", WHISPER_EXTRA).get_cuda_device_count())
