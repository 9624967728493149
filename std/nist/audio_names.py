"""One name for a recording, whatever file wrote it.

ECFs name audio files (``audio/x.sph``), transcripts and hit lists name recordings (``x``), and
people mix the two. Every reader of `indexer.formats` passes the name it finds through here, so that
one recording has one name. (NIST's scorer drops *any* last extension in the ECF, only ``.sph``
in hit lists, and none in transcripts: a hit in ``x.wav`` then never meets the ECF's ``x.wav``.)
"""

import re
from functools import lru_cache

AUDIO_EXTENSION = re.compile(
    r"\.(sph|nist|wav|wave|flac|mp[234]|m4a|aac|ogg|oga|opus|wma|amr|webm|aiff?|aifc|au|snd|caf"
    r"|raw|pcm|ul|ulaw|al|alaw|shn|shorten|wv|mkv|mov|avi|mpe?g)$",
    re.IGNORECASE,
)


@lru_cache(maxsize=65536)
def recording_name(filename: str) -> str:
    """Drop the folder and one audio extension; any other dot belongs to the name.

    >>> recording_name("audio/bnews_000.sph"), recording_name("x.WAV"), recording_name("f.v1")
    ('bnews_000', 'x', 'f.v1')
    """
    base = filename.strip().replace("\\", "/").rsplit("/", 1)[-1]
    return AUDIO_EXTENSION.sub("", base) or base
