"""CHAT transcripts of TalkBank and CHILDES (.cha).

    @Languages:	eng
    @Participants:	CHI Anna Target_Child, MOT Mother
    @Media:	x, audio
    *CHI:	purple (be)cause [x 2] &-um carrots . ^U500_1400^U      ^U is the byte 15 hexadecimal
    %wor:	purple ^U500_900^U carrots ^U900_1400^U .

Lines that begin with a tab continue the line before. The times are milliseconds; an utterance
without a valid time begins where the one before ends. If a line ``%wor`` has times of words, these
are used, and those of the other words are estimated. Remarks of the transcriber (codes in brackets,
``&=laughs``, ``xxx``) are removed; letters that were not spoken (in round brackets) are kept.

Source: B. MacWhinney, "Tools for Analyzing Talk, part 1: the CHAT transcription format".
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, whole_text
from indexer.formats.shared.recordings import recording_for
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import InputError, Unquoted
from std.repairs import NO_TIME, UNKNOWN, Repairs

_FIRST = re.compile(rb"\s*(@Font:[^\n]*\n|@UTF8|@PID:|@Window:[^\n]*\n|@Begin\s*$)", re.MULTILINE)
_TIMES = re.compile(  # older files of CLAN name the sound, too; copies may lack the byte 15
    r"\x15(?:%\w+:\"[^\"\x15]*\"_)?(\d{1,10})_(\d{1,10})\x15|(?<=\s)(\d{1,10})_(\d{1,10})$"
)
_BULLET = re.compile(r"\x15([^\x15\n]*)\x15")
_NO_TIMES = re.compile(r"%\w+:\"[^\"]*\"")  # a picture, a text beside it
_WORD = re.compile(r"([^\s\x15]+)(?:\s+\x15(?:(\d{1,10})_(\d{1,10})|[^\x15\n]*)\x15)?")
_BRACKETED = re.compile(r"\[[^\[\]]*\]")
_CODES = re.compile(
    r"\[[^\[\]]*\]|&[=~+*]\S+|\x15[^\x15\n]*\x15|\+[^\s\w]\S*|\(\.+\)|\((?:\d+:)?\d*\.\d*\)"
    r"|\b(?:xxx|yyy|www)\b(?:@\S+)?|(?<!\S)0\w+"
)
_JOINS = re.compile(r"(?<=\w)[+_](?=\w)")  # parts of compounds, of names
_KEPT = re.compile(
    r"&-|@[\w$:]+|[()<>\u2308-\u230b\u2191\u2193\u201e\u2021\u2039\u203a]|(?<=\w):(?=\w)"
)


class _Line(NamedTuple):
    line: int
    name: str  # *CHI, @Media, %wor
    text: str


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the transcript's utterances, in order.

    Raises:
        InputError: no utterance has times.
    """
    lines = list(_lines(whole_text(stream, path, options)))
    head = {one.name: one.text for one in reversed(lines) if one.name.startswith("@")}
    cues = list(_cues(lines))
    _note_wrong(lines, path, options.repairs)
    if cues and not any(cue.start_s == cue.start_s for cue in cues):
        hint = "CLAN links a transcript to its recording, or Batchalign aligns it"
        expected = "times of utterances (\\x15START_END\\x15)"
        raise InputError(
            path, cues[0].line, expected, Unquoted("a CHAT transcript without any"), hint
        )
    names = _participants(head.get("@Participants", ""))
    language = head.get("@Languages", "").split(",")[0].strip()
    media = head.get("@Media", "").split(",")[0].strip(' "')
    spoken = [
        cue._replace(speaker=names.get(cue.speaker, cue.speaker), language=language)
        for cue in _placed(cues)
    ]
    yield from utterances_of_cues(spoken, path, recording_for(path, options, media), options)


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines, each joined with its continuation lines."""
    waiting: _Line | None = None
    for at, written in enumerate(text.split("\n"), start=1):
        if written[:1] in ("\t", " ") and waiting is not None:
            waiting = waiting._replace(text=f"{waiting.text} {written.strip()}")
            continue
        if waiting is not None:
            yield waiting
        name, _, rest = written.partition(":")
        waiting = _Line(at, name.strip(), rest.strip())
    if waiting is not None:
        yield waiting


def _cues(lines: Sequence[_Line]) -> Iterator[Cue]:
    for at, one in enumerate(lines):
        if not one.name.startswith("*"):
            continue
        times = [[int(t) / 1000 for t in found if t] for found in _TIMES.findall(one.text)]
        start_s = times[0][0] if times else UNKNOWN
        end_s = times[-1][1] if times else UNKNOWN
        speaker = one.name[1:]
        words: list[HypothesisWord] = []
        for below in lines[at + 1 : at + 9]:
            if not below.name.startswith("%"):
                break
            if below.name == "%wor":
                words = _words(below.text, speaker)
        text = " ".join(word.token for word in words) if words else _said(_TIMES.sub(" ", one.text))
        yield Cue(one.line, start_s, end_s, text, words, speaker=speaker)


def _note_wrong(lines: Sequence[_Line], path: Path | str, repairs: Repairs) -> None:
    """Note each time that cannot be read.

    Raises:
        InputError: there is one, and repairs are not allowed.
    """
    for one in lines:
        for found in _BULLET.finditer(one.text if one.name.startswith(("*", "%wor")) else ""):
            if not (_TIMES.fullmatch(found[0]) or _NO_TIMES.fullmatch(found[1])):
                repairs.note(NO_TIME, InputError(path, one.line, "START_END in ms", found[1]))


def _said(text: str) -> str:
    """The spoken words of a line.

    >>> _said("New_York choo+choo")
    'New York choo choo'
    >>> _said("purple (be)cause [x 2] &-um <xxx carrots> [/] dog@c +...")
    'purple because um carrots dog'
    """
    kept = _KEPT.sub("", _CODES.sub(" ", text))
    return " ".join(_JOINS.sub(" ", kept).split())


def _words(text: str, speaker: str) -> list[HypothesisWord]:
    """The words of a line ``%wor``; none if none of them has times."""
    found = []
    for written, *times in _WORD.findall(_BRACKETED.sub(" ", text)):
        word = _said(written).replace(" ", "-")
        start_s, end_s = (int(one) / 1000 if one else UNKNOWN for one in times)
        if any(map(str.isalnum, word)):
            found.append(HypothesisWord(word, 1.0, start_s, end_s, speaker))
    return found if any(word.start_s == word.start_s for word in found) else []


def _placed(cues: Sequence[Cue]) -> Iterator[Cue]:
    """Let utterances without times begin where the one before ends."""
    before_s = 0.0
    for cue in cues:
        placed = cue if cue.start_s == cue.start_s else cue._replace(start_s=before_s)
        yield placed
        before_s = max(before_s, placed.end_s if placed.end_s == placed.end_s else before_s)


def _participants(text: str) -> dict[str, str]:
    """Names of speakers by their codes: the name, where one is given.

    >>> _participants("CHI Anna Target_Child, MOT Mother")
    {'CHI': 'Anna', 'MOT': 'MOT'}
    """
    parts = [one.split() for one in text.split(",")]
    return {one[0]: one[1] if len(one) > 2 else one[0] for one in parts if one}


READER = FormatReader(
    name="chat",
    title="CHAT",
    section="annotations",
    content="utterances; words with times, if there are lines `%wor`",
    kinds=("text",),
    looks_like=begins(_FIRST),
    parse=parse,
    sample=(b"@UTF8\n@Begin\n*CHI:\tdas haus . \x150_650\x15\n@End\n"),
    words=("das", "haus"),
)
