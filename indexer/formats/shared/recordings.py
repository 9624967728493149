"""Which recording a recogniser's file belongs to, if the file does not say it.

A file is named after its recording; a pipe has no name. `require_name` refuses a recording that
neither the content nor the path names.
"""

import re
from pathlib import Path
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from indexer.formats.shared.reader import ReaderOptions
from std.errors import InputError
from std.files import is_nameless
from std.languages.detection import NAMES, language_code
from std.nist.audio_names import recording_name
from std.values import Recording

_EXTENSION = re.compile(
    r"(\.words)?\.(mesh|jsonl?|ctm|slf|lat|txt|sau|sausage|plf|wlat|htk"
    r"|srt|vtt|ass|ssa|sbv|lrc|stl|json3|srv[123]|cha|trs|exb|docx|fcpxml|fl[nk]|otr|ttml|dfxp|xml|tei|eaf|textgrid|tsv|csv|stm)$",
    re.IGNORECASE,
)

_LANGUAGE = re.compile(r"\.([a-z]{2}(?:-[A-Za-z]{2,4})?)$")

NAMELESS = "<nameless>"  # the recording of standard input, unless its content names another


def require_name(recording: Recording, path: Path | str) -> None:
    """Refuse a recording without a name.

    Raises:
        InputError: neither its file's content nor the file's name names it.
    """
    if recording.file == NAMELESS and is_nameless(path):
        raise InputError(
            path, 0, "a recording's name in the content, or in the name of a file", "neither"
        )


def recording_of(path: Path | str, file: str | None = None, channel: int = 1) -> Recording:
    """Name a recording after its file, without folder, ``.gz`` and extensions of formats.

    Args:
        path: the file.
        file: name to use instead of the file's; its letters are composed.
        channel: counted from 1.

    >>> recording_of("/out/news.v1.wav.mesh.gz")
    Recording(file='news.v1', channel=1)
    """
    if file is None and is_nameless(path):
        file = NAMELESS
    elif file is None:
        name = Path(path).name.removesuffix(".gz")
        file = recording_name(_EXTENSION.sub("", name) or name)
    return Recording(normalize("NFC", file), channel)


def language_in_name(path: Path | str) -> str:
    """The language in a file's name before its extension; empty if there is none.

    >>> [language_in_name(name) for name in ("Folge 1.de.srt", "a.pt-BR.vtt", "a.v1.srt")]
    ['de', 'pt-BR', '']
    """
    found = _LANGUAGE.search(_EXTENSION.sub("", Path(path).name.removesuffix(".gz")))
    return found[1] if found and language_code(found[1]) in NAMES.values() else ""


def recording_for(path: Path | str, options: ReaderOptions, source: str = "") -> Recording:
    """Name the one recording of a file, as the options demand.

    Args:
        path: the file.
        options: ``names`` says what comes first; ``file`` is used instead of the file's stem.
        source: the recording according to the file's content: a name, a path or an address.

    Raises:
        InputError: the content should name the recording, and does not.
    """
    name = _named(source)
    if name and options.names != "file":
        return Recording(name, options.channel)
    if options.names == "content" and options.segments is None:
        expected = "content that names its recording, as --name-by content asks for"
        raise InputError(path, 0, expected, "none", "--name-by stem uses the file's name")
    return recording_of(path, options.file, options.channel)


def _named(source: str) -> str:
    """Return the recording's name from a name, a path or an address.

    >>> _named("https://x.example/calls/Call%201.wav?sv=2020&sig=x"), _named("job-1"), _named("")
    ('Call 1', 'job-1', '')
    """
    if "://" in source:
        try:
            source = unquote(urlsplit(source).path)
        except ValueError:  # no address after all
            return ""
    return recording_name(source.rstrip("/"))
