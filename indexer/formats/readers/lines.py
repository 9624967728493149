"""Transcripts as people copy and print them: lines of text, each with a time, mostly a start only.

    [00:00.000 --> 00:04.000]  hello there        what Whisper's programs print
    [0.00s -> 4.00s] hello there                  faster-whisper's example
    [00:12.50] hello there                        LRC lyrics; with <00:12.90> before single words
    0:00:00.500,0:00:01.400                       SBV: the text in the lines below
    00:00:00:12 , 00:00:01:10 , hello there       EBU-STL and Spruce as text, with frames
    0:05 hello there                              YouTube's copied transcript, Gemini; or the text
    (0:05) Anna: hello there                      in the lines below
    Anna Smith  0:05                              Otter, Rev, Word: the speaker and the time, the
    Speaker 1 (00:05):                            text in the lines below
    00:00:05 Speaker 1
    Speaker 1:                                    or the speaker above the time
    00:05

A line without an end lasts until the next, at most as long as its letters take. What stands before
the first time is a heading. In a line of a time and a text that others follow, the text is the
speaker, if that is so throughout the file.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.caption_text import spoken_part
from indexer.formats.shared.clock import frames_as_decimals, seconds_of
from indexer.formats.shared.cues import Cue, utterances_of_cues
from indexer.formats.shared.encodings import as_utf8, decoded
from indexer.formats.shared.reader import FormatReader
from indexer.formats.shared.reader_options import DEFAULT, ReaderOptions
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_names import spoken_cues
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import InputError
from std.files import content_of
from std.limits import MAX_UTTERANCE_BYTES
from std.repairs import UNKNOWN

_TIME = r"(?:\d{1,3}:)?\d{1,2}:\d{2}(?:[.,]\d{1,9})?"
_BOTH = re.compile(
    rf"\s*[\[(]?\s*({_TIME})\s*(?:--?>|[-\u2013\u2014,]|\s,\s)\s*({_TIME})\s*[\])]?(.*)"
)
_FIRST = re.compile(rf"\s*((?:[\[(]\s*{_TIME}\s*[\])]\s*)+|{_TIME}(?=[\s:\u2013-]|$))(.*)")
_NAMED = re.compile(
    rf"\s*(?:\*\*|#+ )?([^\W\d_][^\t\n:\[\]()]{{0,60}}?)(?:\*\*)?[\s,]*"
    rf"(?:[\[(]\s*({_TIME})\s*[\])]\s*:?(.*)|(?:\s{{2,}}|\t|,\s?)({_TIME})\s*)"
)
_BULLET = re.compile(
    r"^\s*(?:[*\u2022\u2013-]|\d{1,4}[.)])\s+(?=[\d\[(*])|^\s*\*\*(?=[\d\[(])"
)  # of lists
_CAPTION = re.compile(rf"(?m)^\s*{_TIME}[ \t]*-+>")
_SECONDS = re.compile(r"(?m)^\s*\[(\d{1,6})\.(\d{1,3})s?\s*-+>\s*(\d{1,6})\.(\d{1,3})s?\]")
_NUMBERED = re.compile(r"(?i)(speaker|sprecher(in)?|locuteur|hablante|spreker)[ _]?(\d+|[A-Z])")
_STAMP = re.compile(_TIME)
_WORD_TIME = re.compile(rf"<\s*({_TIME})\s*>")
_LEADING = re.compile(r"^[\s:,\u2013\u2014|-]+")
_FOOTER = re.compile(r"(?i)\s*(transcribed|transcript|generated|created) (by|with|at) \S+")
LATEST_FIRST_S = 1800.0  # a transcript begins near its recording's
LEAST_TIMED = 0.2  # of lines
SPEAKERS = 0.7  # of lines of a time and a text that are followed by a text of their own

LEAST_NAMED = 4  # times whose first lines below tell that they are names


class _Line(NamedTuple):
    """A line with a time: where it stands, what it says."""

    line: int
    start_s: float
    end_s: float
    text: str
    speaker: str = ""
    below: tuple[str, ...] = ()  # lines without a time that follow
    above: str = ""  # the one before it


def looks_like(head: bytes) -> bool:
    """Tell whether a file that begins like this is such a transcript."""
    text = as_utf8(head).decode("utf-8", "replace")
    if _CAPTION.search(text) or text.startswith("Scenarist_SCC"):  # SRT, WebVTT; codes of captions
        return False
    return is_transcript(text.rpartition("\n")[0] if len(text) >= len(head) > 1000 else text)


def is_transcript(text: str) -> bool:
    """Tell whether a text that begins like this has lines with times."""
    lines = text.split("\n")[:400]
    found = list(_lines(_clocks("\n".join(lines))))
    written = sum(bool(line.strip()) for line in lines)
    starts = [one.start_s for one in found]
    if not found or len(found) < LEAST_TIMED * written or starts[0] > LATEST_FIRST_S:
        return False
    rising = sum(a <= b for a, b in pairwise(starts))
    said = sum(bool(one.text or one.below) for one in found)
    has_text = any(letter.isalpha() for one in found for letter in one.text + "".join(one.below))
    return has_text and rising >= 0.9 * (len(starts) - 1) and 2 * said > len(found)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the transcript's lines as utterances, in order.

    Raises:
        InputError: no line has a time.
    """
    content = content_of(stream, path, MAX_UTTERANCE_BYTES)
    text = _clocks(decoded(content, path, options.repairs, options.encoding))
    lines = list(_lines(text))
    if not lines:
        raise InputError(path, 0, "lines with times such as 0:05 or [00:05.000]", "none")
    cues = spoken_cues(map(_cue, _with_speakers(lines)), options.speaker_names)
    yield from utterances_of_cues(cues, path, recording_for(path, options), options)


def _clocks(text: str) -> str:
    """Write times in seconds or with frames as clock times.

    >>> _clocks("[0.00s -> 64.50s] hello")
    '[0:00.00 -> 1:04.50] hello'
    """
    return frames_as_decimals(_SECONDS.sub(_clock, text))


def _clock(times: re.Match[str]) -> str:
    first, last = (f"{int(s) // 60}:{int(s) % 60:02}.{rest}" for s, rest in
                   ((times[1], times[2]), (times[3], times[4])))  # fmt: skip
    return f"[{first} -> {last}]"


def _lines(text: str) -> Iterator[_Line]:
    """Yield the lines with times, each with those below that have none."""
    waiting: list[_Line] = []
    below: list[str] = []
    for at, line in enumerate(text.split("\n"), start=1):
        found = _timed(at, _BULLET.sub("", line)) if ":" in line else []
        if found:
            yield from (one._replace(below=tuple(below)) for one in waiting)
            above = below[-1] if below else ""
            waiting, below = [one._replace(above=above) for one in found], []
        elif line.strip() and not _FOOTER.match(line):
            below.append(line.strip())
    yield from (one._replace(below=tuple(below)) for one in waiting)


def _timed(at: int, line: str) -> list[_Line]:
    """Read the times of a line; one of lyrics may have several."""
    if both := _BOTH.match(line):
        start_s, end_s = seconds_of(both[1]), seconds_of(both[2])
        if end_s >= start_s:
            return [_Line(at, start_s, end_s, _LEADING.sub("", both[3]).replace("|", "\n"))]
    if first := _FIRST.match(line):
        text = _LEADING.sub("", first[2])
        return [_Line(at, seconds_of(stamp), UNKNOWN, text) for stamp in _STAMP.findall(first[1])]
    if (named := _NAMED.fullmatch(line)) and (named[2] or named[4]):
        speaker = named[1].strip(" *#,-\u2013")
        return [_Line(at, seconds_of(named[2] or named[4]), UNKNOWN, named[3] or "", speaker)]
    return []


def _with_speakers(lines: Sequence[_Line]) -> list[_Line]:
    """Take for speakers what stands beside times, above other texts, or first of what is below."""
    spans = [one for one in lines if one.end_s == one.end_s]
    if spans and len(spans) == len(lines) and _are_names(spans):
        return [one._replace(speaker=one.below[0], below=one.below[1:]) for one in lines]
    if _are_above(lines):
        spoken = [one._replace(below=one.below[:-1]) for one in lines[:-1]] + [*lines[-1:]]
        return [one._replace(speaker=one.above.rstrip(":")) for one in spoken]
    beside = [one for one in lines if one.text and one.end_s != one.end_s and not one.speaker]
    above = sum(bool(one.below) for one in beside)
    if not beside or above < SPEAKERS * len(beside):
        return list(lines)
    return [
        one._replace(speaker=one.text.rstrip(":"), text="")
        if one.below and one.text and not one.speaker
        else one
        for one in lines
    ]


def _are_names(lines: Sequence[_Line]) -> bool:
    """Tell whether the first line below each time is a name: few recur, before other lines."""
    if len(lines) < LEAST_NAMED or any(one.text or len(one.below) < 2 for one in lines):
        return False
    return len({one.below[0] for one in lines}) <= len(lines) / 2


def _are_above(lines: Sequence[_Line]) -> bool:
    """Tell whether the line above each time is a name: few recur, or all are as names are."""
    if len(lines) < 2 or any(one.text or one.speaker or not one.above for one in lines):
        return False
    if any(len(one.below) < 2 for one in lines[:-1]):
        return False
    names = {one.above for one in lines}
    marked = all(name.endswith(":") or _NUMBERED.fullmatch(name) for name in names)
    return marked or (len(lines) >= LEAST_NAMED and len(names) <= len(lines) / 2)


def _cue(one: _Line) -> Cue:
    text = "\n".join(filter(None, (one.text, *one.below)))
    if times := list(_WORD_TIME.finditer(text)):
        return _of_words(one, text, times)
    return Cue(one.line, one.start_s, one.end_s, text, speaker=one.speaker)


def _of_words(one: _Line, text: str, times: Sequence[re.Match[str]]) -> Cue:
    """Make a cue of words with times of their own, as karaoke lyrics have."""
    borders = [*times, None]
    words = []
    for here, following in pairwise(borders):
        assert here is not None  # only the last is none
        end = following.start() if following else len(text)
        said = spoken_part(text[here.end() : end]).strip()
        start_s = seconds_of(here[1])
        end_s = seconds_of(following[1]) if following else start_s + 0.07 * len(said)
        if said:
            words.append(HypothesisWord(said, 1.0, start_s, max(start_s, end_s), one.speaker))
    said = " ".join(word.token for word in words)
    return Cue(one.line, one.start_s, one.end_s, said, words, speaker=one.speaker)


READER = FormatReader(
    name="lines",
    title="transcripts with times: LRC, SBV, Otter, Rev, printed lines",
    section="captions",
    content="lines of text, perhaps with starts only",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(b"Anna Smith  0:00\nDas Haus.\n\nBob Jones  0:05\nJa.\n"),
    words=("Das", "Haus", "Ja"),
)
