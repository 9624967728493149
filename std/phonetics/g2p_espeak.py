"""espeak-ng as a converter: the library of espeakng-loader, in a separate process.

The length of texts for the library is limited (`pieces`). If a text still crashes the library, only
its process ends (`std.phonetics.espeak_process`): the text is sent to a new process, then in
halves, down to letters; a letter that crashes it has no phones. All converters share one process,
under a lock, because it has one language at a time.
"""

import atexit
import os
import subprocess
import sys
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from select import POLLIN, poll
from threading import Lock

from std.errors import ConfigError, quoted
from std.execution.cost import LEDGER
from std.phonetics import espeak_process
from std.phonetics.phones import Pronunciation, segmented

# ruff: noqa: RUF001  # Greek and Cyrillic vowels are meant


# Of a word that espeak-ng 1.52 is given, whose buffers hold 160 bytes and 200 phones of it. Built
# with an address sanitiser it wrote past their ends from 158 bytes of Danish up. Below that only
# numbers and mixtures of scripts and signs do harm, at any length: hence its own process.
MAX_PIECE_LETTERS = 60
MAX_PIECE_BYTES = 120
_VOWELS = frozenset("aeiouyæøœаеиоуыэюяєіїαεηιουω")


def pieces(word: str) -> list[str]:
    """The word in pieces of at most `MAX_PIECE_LETTERS` and `MAX_PIECE_BYTES` of UTF-8.

    A piece ends at the best border of its second half: beside a character that is no letter
    (hyphens, digits); else where a syllable begins, before a consonant that a vowel follows; else
    anywhere. It ends before a combining mark only if there is no other border.

    >>> pieces("dort" * 20)[0] == "dort" * 15, pieces("guten")
    (True, ['guten'])
    """
    found = []
    while len(word) > MAX_PIECE_LETTERS or len(word.encode(errors="replace")) > MAX_PIECE_BYTES:
        length = _fitting(word)
        cut = max(range((length + 1) // 2, length + 1), key=lambda at: (_border(word, at), at))
        found.append(word[:cut])
        word = word[cut:]
    return [*found, word]


def _fitting(word: str) -> int:
    """The largest number of characters of a long word in one piece."""
    length = used = 0
    for letter in word[:MAX_PIECE_LETTERS]:
        used += len(letter.encode(errors="replace"))
        if used > MAX_PIECE_BYTES:
            break
        length += 1
    return length


def _border(word: str, at: int) -> int:
    """How good a border is before character ``at``: 0 inside a letter with its marks .. 3."""
    before, after, following = word[at - 1], word[at], word[at + 1 : at + 2]
    if unicodedata.category(after).startswith("M"):
        return 0
    if before.isalpha() != after.isalpha():
        return 3
    return 2 if _is_vowel(following) and not _is_vowel(after) else 1


def _is_vowel(letter: str) -> bool:
    return unicodedata.normalize("NFD", letter)[:1].lower() in _VOWELS


PIPE_BYTES = 16_384  # size that every system's pipes hold
AT_ONCE = PIPE_BYTES // (MAX_PIECE_BYTES + 2)  # texts: sending them never waits for reading answers
ANSWER_S = 20  # after which a text counts as hanging
_CONTROLS = str.maketrans(dict.fromkeys("\0\n\r", " "))


class Espeak:
    """Pronunciations by espeak-ng (GPL-3; the optional extra ``espeak``)."""

    def __init__(self, language: str) -> None:
        self._language = language
        with _lock:
            _speaking(language)

    @property
    def name(self) -> str:
        return f"espeak-ng:{self._language}"

    def pronounce(self, words: Sequence[str]) -> list[Pronunciation]:
        of_word = [pieces(word.translate(_CONTROLS)) for word in words]
        with _lock:
            spoken = iter(_spoken(self._language, [piece for one in of_word for piece in one]))
        return [segmented("_".join(next(spoken) for _ in one)) for one in of_word]


class _Process:
    """espeak-ng, running."""

    def __init__(self) -> None:
        import espeakng_loader

        library, data = espeakng_loader.get_library_path(), espeakng_loader.get_data_path()
        self.owner = os.getpid()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", espeak_process.__file__, str(library), str(data)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # output of C when it crashes
            bufsize=0,
        )
        self._read = b""  # of an incomplete answer
        self.language = ""  # language of its voice

    def ask(self, lines: Sequence[str]) -> list[str]:
        """The answers to lines, up to the line that ended the process."""
        assert self._process.stdin
        with suppress(BrokenPipeError):
            self._process.stdin.write(
                "".join(f"{line}\n" for line in lines).encode(errors="replace")
            )
        answers: list[str] = []
        while len(answers) < len(lines) and (answer := self._answer()) is not None:
            answers.append(answer)
        return answers

    def _answer(self) -> str | None:
        """The next line; None if the process has ended or hangs."""
        assert self._process.stdout
        waiting = poll()
        waiting.register(self._process.stdout, POLLIN)
        while b"\n" not in self._read:
            more = self._process.stdout.read(PIPE_BYTES) if waiting.poll(ANSWER_S * 1000) else b""
            if not more:
                return None
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace")

    def end(self) -> None:
        """End the process; a forked process only closes its pipes."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe:
                pipe.close()
        if self.owner == os.getpid():
            self._process.kill()
            self._process.wait()


_lock = Lock()
_process: _Process | None = None


def _speaking(language: str) -> _Process:
    """The process, with the voice of a language.

    Raises:
        ConfigError: the voice does not exist, or the library cannot be loaded.
    """
    global _process
    if _process and _process.owner != os.getpid():
        _end()
    if not _process:
        try:
            _process = _Process()
        except OSError as error:  # no Python to start, too many processes
            raise ConfigError(f"pronunciation: espeak-ng could not be started: {error}") from error
    if _process.language != language:
        answers = _process.ask([f"={language}"])
        if not answers:
            _end()
            raise ConfigError("pronunciation: espeak-ng could not load its data")
        if answers != ["ok"]:
            raise ConfigError(
                f"pronunciation.language: expected a language of espeak-ng, got {quoted(language)}"
            )
        _process.language = language
    return _process


def _spoken(language: str, texts: Sequence[str]) -> list[str]:
    """IPA of texts that are at most a piece long."""
    answers: list[str] = []
    while len(answers) < len(texts):
        asked = [f"+{text}" for text in texts[len(answers) : len(answers) + AT_ONCE]]
        found = _speaking(language).ask(asked)
        answers += found
        if len(found) < len(asked):
            _end()
            answers.append(_alone(language, texts[len(answers)]))
    return answers


def _alone(language: str, text: str) -> str:
    """IPA of a text that may have ended the process, although another text may be the cause."""
    if answer := _speaking(language).ask([f"+{text}"]):
        return answer[0]
    _end()
    middle = len(text) // 2
    return "_".join(_alone(language, half) for half in (text[:middle], text[middle:]) if middle)


def _cpu_s() -> float:
    """CPU time of the running process so far; the system's account includes ended ones."""
    with _lock:
        answers = _process.ask(["?"]) if _process and _process.owner == os.getpid() else []
    return float(answers[0]) if answers else 0.0


def _end() -> None:
    global _process
    if _process:
        _process.end()
    _process = None


atexit.register(_end)
LEDGER.helpers.append(_cpu_s)
