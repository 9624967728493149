"""espeak-ng as a converter, through the shared library that espeakng-loader ships.

The library speaks one language at a time and keeps that as global state: every call happens
under one lock, and sets the voice first if another converter was the last to speak.
"""

import ctypes
from collections.abc import Sequence
from functools import cache
from threading import Lock

from std.errors import ConfigError
from std.phonetics.phones import Pronunciation, segmented

_SYNCHRONOUS = 2  # AUDIO_OUTPUT_SYNCHRONOUS: no audio device is opened
_DONT_EXIT = 0x8000  # espeakINITIALIZE_DONT_EXIT: errors are returned, the process lives on
_UTF8 = 1  # espeakCHARS_UTF8
_IPA_WITH_UNDERSCORES = 0x02 | ord("_") << 8

_lock = Lock()
_speaking = ""  # whose voice the library has


class Espeak:
    """Pronunciations by espeak-ng (GPL-3; the optional extra ``espeak``)."""

    def __init__(self, language: str) -> None:
        self._language = language
        with _lock:
            _speak(language)

    @property
    def name(self) -> str:
        return f"espeak-ng:{self._language}"

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        with _lock:
            _speak(self._language)
            return [segmented(_phonemes(word)) for word in words]


@cache
def _library() -> ctypes.CDLL:
    import espeakng_loader

    library = ctypes.CDLL(str(espeakng_loader.get_library_path()))
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
        ctypes.c_int,
    ]
    folder = str(espeakng_loader.get_data_path()).encode()
    if library.espeak_Initialize(_SYNCHRONOUS, 0, folder, _DONT_EXIT) < 0:
        raise ConfigError("pronunciation: espeak-ng could not load its data")
    return library


def _speak(language: str) -> None:
    global _speaking
    if _speaking != language:
        if _library().espeak_SetVoiceByName(language.encode()) != 0:
            raise ConfigError(
                f"pronunciation.language: expected a language of espeak-ng, got {language!r}"
            )
        _speaking = language


def _phonemes(word: str) -> str:
    """IPA of a text; espeak-ng stops at each clause and moves the pointer, NULL at the end."""
    rest = ctypes.c_char_p(word.replace("\0", " ").encode())
    clauses = []
    while rest.value:
        clause = _library().espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _IPA_WITH_UNDERSCORES)
        clauses.append(clause.decode() if clause else "")
    return "_".join(clauses)
