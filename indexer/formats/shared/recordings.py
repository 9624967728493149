"""Names of recordings and utterances: from files and their contents, or else numbered.

    require_name, recording_of     a file is named after its recording; a pipe has no name
    recording_for                  the recording of a file that does not say it
    recording_in, lacks_of_a_ctm   NIST's lines (CTM, STM) name it in their first two fields
    NumberedUtterances             utterances without names in the file: they get their recording's
                                   name and a number; collects words, or n-best lists, and returns
                                   them as `Utterances`

`require_name` refuses a recording that neither the content nor the path names.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from indexer.formats.shared.reader import ReaderOptions
from indexer.networks.columns import rated, utterances_of
from indexer.networks.hypotheses import (
    HypothesisWord,
    UtteranceHypothesis,
    by_pauses,
    scaled,
    speaker_of,
    turns_of,
    write_hypotheses,
    write_words,
)
from indexer.networks.raw import NetworkBuilder
from indexer.networks.utterances import Utterances
from std.errors import NONE, InputError, Unquoted
from std.fields import shown, text
from std.files import is_nameless
from std.languages.detection import NAMES, language_code
from std.nist.audio_names import recording_name
from std.ranges import CHANNEL
from std.repairs import UNKNOWN
from std.values import Recording

_EXTENSION = re.compile(
    r"(\.words)?\.(mesh|jsonl?|ctm|slf|lat|txt|sau|sausage|plf|wlat|htk"
    r"|srt|vtt|ass|ssa|smi|sami|sbv|lrc|stl|json3|srv[123]|cha|trs|exb|docx|fcpxml|fl[nk]|otr|ttml|dfxp|xml|tei|eaf|textgrid|tsv|csv|stm)$",
    re.IGNORECASE,
)

_LANGUAGE = re.compile(r"\.([a-z]{2}(?:-[A-Za-z]{2,4})?)$")

NAMELESS = "<nameless>"  # the recording of standard input, unless its content names another

MOST_FIELDS = 20  # of a line that may be meant as a CTM's, rather than prose
LEAST_GOOD = 0.9  # of a file's first lines
RTTM_TYPES = (  # of lines, NIST's "RTTM file format" of 2009
    rb"SPEAKER|LEXEME|SPKR-INFO|NON-LEX|NON-SPEECH|SU|NOSCORE|NO_RT_METADATA|SEGMENT|FILLER|EDIT"
    rb"|IP|CB|A/P"
)
_HEADSET = re.compile(rb"[A-Z](\d{1,2})")


def require_name(recording: Recording, path: Path | str) -> None:
    """Refuse a recording without a name.

    Raises:
        InputError: neither its file's content nor the file's name names it.
    """
    if recording.file == NAMELESS and is_nameless(path):
        raise InputError(
            path,
            0,
            "a recording's name in the content, or in the name of a file",
            Unquoted("neither"),
        )


def recording_of(path: Path | str, file: str | None = None, channel: int = 1) -> Recording:
    """Name a recording after its file, without folder, ``.gz`` and extensions of formats.

    Args:
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
        raise InputError(path, 0, expected, NONE, "--name-by stem uses the file's name")
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


class Span(NamedTuple):
    """Start and end of an utterance in seconds; NaN if unknown."""

    start_s: float = UNKNOWN
    end_s: float = UNKNOWN


NO_SPAN = Span()


class NumberedUtterances:
    """Collects utterances in the order they are added; those without words are left out."""

    def __init__(self, path: Path | str, options: ReaderOptions) -> None:
        self._builder = NetworkBuilder(path, options.characters, options.repairs)
        self._path, self._options = path, options
        self._count = 0
        self.language = ""  # of the utterances that are added from now on
        self.speaker = ""  # of words that name no speaker, in utterances added from now on
        self.stem = ""  # of the utterances' names, if it is not that of their recordings

    def add(
        self, line: int, recording: Recording, words: Sequence[HypothesisWord], span: Span = NO_SPAN
    ) -> None:
        """Add an utterance of one word sequence, or one for each speaker's turn in it.

        Raises:
            InputError: times or posteriors are invalid.
        """
        turns = turns_of(words)
        for i, said in enumerate(turns if words else []):
            start_s = said[0].start_s if i else span.start_s
            end_s = said[-1].end_s if i < len(turns) - 1 else span.end_s
            self._begin(line, recording, Span(start_s, end_s), said)
            write_words(self._builder, line, said)

    def add_by_pauses(
        self, line: int, recording: Recording, words: Sequence[HypothesisWord]
    ) -> None:
        """Add a long word sequence: an utterance ends at a pause of half a second."""
        for said in by_pauses(words):
            self.add(line, recording, said)

    def add_slots_by_pauses(
        self, line: int, recording: Recording, slots: Sequence[Sequence[HypothesisWord]]
    ) -> None:
        """Add words with their alternatives, best first, as utterances that end in pauses.

        Confidences of competing words are scaled if they sum to more than 1.
        """
        at = 0
        for utterance in by_pauses([words[0] for words in slots]):
            self._begin(line, recording, NO_SPAN, utterance)
            for words in slots[at : at + len(utterance)]:
                if len(words) == 1:
                    write_words(self._builder, line, words)
                else:
                    competing = scaled([one.confidence for one in words], [[one] for one in words])
                    write_hypotheses(self._builder, line, competing)
            at += len(utterance)

    def add_n_best(
        self,
        line: int,
        recording: Recording,
        hypotheses: Sequence[UtteranceHypothesis],
        span: Span = NO_SPAN,
    ) -> None:
        """Add an utterance of several hypotheses, the best first; of one, as `add` does."""
        if len(hypotheses) == 1:
            self.add(line, recording, hypotheses[0].words, span)
        elif any(hypothesis.words for hypothesis in hypotheses):
            self._begin(line, recording, span, hypotheses[0].words)
            write_hypotheses(self._builder, line, hypotheses)

    def collected(self) -> Utterances:
        """Return what was added.

        Raises:
            InputError: an utterance has words but no times.
        """
        columns = rated(self._builder.columns())
        return utterances_of(columns, self._path, nonwords=self._options.nonwords)

    def _begin(
        self, line: int, recording: Recording, span: Span, words: Sequence[HypothesisWord]
    ) -> None:
        self._count += 1
        self._builder.speaker = speaker_of(words) or self.speaker
        self._builder.language = self.language
        name = f"{self.stem or recording.file}-{self._count}"
        self._builder.utterance(line, recording, name, *span)


def recording_in(path: Path | str, line: int, fields: list[bytes]) -> Recording:
    """Read the recording from the first two fields of a line of NIST's: a file, a channel.

    Raises:
        InputError: the second is no letter, no number and no headset such as ``h02``.
    """
    channel = fields[1].upper()
    if headset := _HEADSET.fullmatch(channel):
        channel = headset[1]
    if len(channel) == 1 and b"A" <= channel <= b"Z":
        channel = b"%d" % (channel[0] - ord("A") + 1)
    try:
        number = int(CHANNEL.read(shown(channel)))
    except ValueError as error:
        expected = f"a channel, a letter or a number from {CHANNEL}"
        raise InputError(path, line, expected, shown(fields[1])) from error
    return Recording(recording_name(text(path, line, fields[0])), number)


def is_time(token: bytes) -> bool:
    """Whether a field is a time, or the ``*`` of a mark."""
    try:
        return token == b"*" or float(token) >= -1  # false of nan
    except ValueError:
        return False


def lacks_of_a_ctm(head: bytes) -> str:
    """Return what lines lack to be a CTM's, if most look like one."""
    lines = head.splitlines(keepends=True)
    whole = lines[:-1] if len(lines) > 1 and head[-1:] != b"\n" else lines
    rows = [fields for line in whole if (fields := line.split())]
    numbers = [sum(_is_number(token) for token in fields) for fields in rows]
    alike = sum(
        count > 1 and 2 < len(row) <= MOST_FIELDS for count, row in zip(numbers, rows, strict=True)
    )
    if 2 * alike <= len(rows):
        return ""
    wanted = "file channel start duration word [confidence]"
    for at, row in enumerate(rows, start=1):
        if not 5 <= len(row) <= 8:
            return f"{wanted} in line {at}, which has {len(row)} fields"
        if not (_is_number(row[2]) and _is_number(row[3])):
            return f"{wanted} in line {at}, whose third and fourth fields are no numbers"
    return ""


def _is_number(token: bytes) -> bool:
    return bool(re.fullmatch(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", token))
