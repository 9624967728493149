"""One name for a recording, whatever file wrote it.

ECFs name audio files (``audio/x.sph``), transcripts and hit lists name recordings (``x``), and
people mix the two. Every reader of `indexer.formats` converts names with this module, so each
recording has one name. (NIST's scorer drops *any* last extension in the ECF, only ``.sph`` in hit
lists, and none in transcripts: a hit in ``x.wav`` then never meets the ECF's ``x.wav``.)
"""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from unicodedata import is_normalized, normalize

AUDIO_EXTENSION = re.compile(
    r"\.(sph|nist|wav|wave|flac|mp[234]|m4a|aac|ogg|oga|opus|wma|amr|webm|aiff?|aifc|au|snd|caf"
    r"|raw|pcm|ul|ulaw|al|alaw|shn|shorten|wv|mkv|mov|avi|mpe?g)$",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def recording_name(filename: str) -> str:
    """Remove the folder and audio extensions; any other dot belongs to the name.

    All extensions of ``x.wav.mp3`` are removed, so that the name of a recording is its own name.
    Letters are composed, because macOS decomposes them in file names.

    >>> recording_name("audio/bnews_000.sph"), recording_name("x.WAV"), recording_name("f.v1")
    ('bnews_000', 'x', 'f.v1')
    >>> recording_name("x.wav.mp3"), recording_name(".wav.mp3")
    ('x', '.wav.mp3')
    """
    base = normalize("NFC", filename).strip().replace("\\", "/").rsplit("/", 1)[-1]
    name = base
    while (parts := name.rpartition("."))[1] and AUDIO_EXTENSION.fullmatch("." + parts[2]):
        name = parts[0]
    return name or base


def spelt_otherwise(names: Collection[str], stored: Iterable[str]) -> dict[str, str]:
    """Stored names that differ from given names only by decomposed letters, with the given names.

    >>> spelt_otherwise(["\u00f6", "x"], ["o\u0308", "x"]) == {"o\u0308": "\u00f6"}
    True
    """
    odd = ((name, normalize("NFC", name)) for name in stored if not is_normalized("NFC", name))
    return {name: composed for name, composed in odd if composed in names}


def as_named(names: Iterable[str], stored: Collection[str]) -> dict[str, str]:
    """Names of recordings as in an index, given as there, or with a folder and an audio extension.

    >>> as_named(["a/x.wav", "y.wav"], ["x", "y", "y.wav"])
    {'a/x.wav': 'x', 'y.wav': 'y.wav'}
    """
    given = {name: name if name in stored else recording_name(name) for name in names}
    found = as_stored(given.values(), stored)
    return {name: found[own] for name, own in given.items()}


def as_stored(names: Iterable[str], stored: Collection[str]) -> dict[str, str]:
    """Names of recordings as in an index, which may have names with decomposed letters.

    >>> as_stored(["\u00f6", "x"], ["o\u0308"])["\u00f6"] == "o\u0308"
    True
    """
    odd = {normalize("NFC", name): name for name in stored if not is_normalized("NFC", name)}
    return {name: name if name in stored else odd.get(name, name) for name in names}
