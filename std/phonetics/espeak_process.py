"""espeak-ng in a separate process, which `std.phonetics.g2p_espeak` starts.

    python -I -S espeak_process.py LIBRARY DATA

It answers each line of standard input with one line of standard output:

    =LANGUAGE    the voice to speak with: ``ok``, or empty if there is none
    +TEXT        the phones of a text in IPA, with ``_`` between them
    ?            seconds of CPU time that the process has taken

The library is written in C and writes beyond its buffers: seven letters of Greenlandic end its
process. So this process does nothing else, imports nothing of std, and answers each line at once:
if it dies, it is known which lines it has answered. It ends with its standard input.
"""

import ctypes
import os
import signal
import sys
import time
from importlib.util import find_spec

_SYNCHRONOUS = 2  # AUDIO_OUTPUT_SYNCHRONOUS: no audio device is opened
_DONT_EXIT = 0x8000  # espeakINITIALIZE_DONT_EXIT: errors are returned, the process lives on
_UTF8 = 1  # espeakCHARS_UTF8
_IPA_WITH_UNDERSCORES = 0x02 | ord("_") << 8


def main(library_path: str, data: str) -> int:
    """Answer the lines of standard input, as described above."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent process
    if find_spec("resource"):  # not on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    library = ctypes.CDLL(library_path)
    library.espeak_TextToPhonemes.restype = ctypes.c_char_p
    library.espeak_TextToPhonemes.argtypes = [
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int,
        ctypes.c_int,
    ]
    if library.espeak_Initialize(_SYNCHRONOUS, 0, data.encode(), _DONT_EXIT) < 0:
        return 1
    for line in sys.stdin.buffer:
        kind, text = line[:1], line[1:].rstrip(b"\n")
        if kind == b"=":
            answer = b"ok" if library.espeak_SetVoiceByName(text) == 0 else b""
        elif kind == b"?":
            answer = b"%.6f" % time.process_time()
        else:
            answer = ipa(library, text).replace(b"\n", b" ")
        os.write(1, answer + b"\n")
    return 0


def ipa(library: ctypes.CDLL, text: bytes) -> bytes:
    """IPA of a text; espeak-ng stops at each clause and moves the pointer, NULL at the end."""
    rest = ctypes.c_char_p(text)
    clauses = []
    while rest.value:
        clause = library.espeak_TextToPhonemes(ctypes.byref(rest), _UTF8, _IPA_WITH_UNDERSCORES)
        clauses.append(clause or b"")
    return b"_".join(clauses)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
