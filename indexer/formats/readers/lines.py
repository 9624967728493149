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

A line without an end lasts until the next, at most as long as its letters take. Text before the
first time is a heading. If most lines with a time and a text are followed by a text of their own,
the text beside the time is the speaker.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.caption_text import spoken_part
from indexer.formats.shared.clock import SLOWEST, seconds_of
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, whole_text
from indexer.formats.shared.speaker_names import utterances_of_captions
from indexer.formats.shared.speaker_shapes import is_label, is_name
from indexer.formats.shared.timed_lines import (
    TIME,
    TimedLine,
    is_plausible,
    timed_lines,
    with_clocks,
)
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.raw import SECONDS_PER_LETTER
from indexer.networks.utterances import Utterances
from std.errors import NONE, InputError
from std.repairs import IMPLAUSIBLE_RATE

_CAPTION = re.compile(rf"(?m)^[ \t]*{TIME}[ \t]*-+>")
_WORD_TIME = re.compile(rf"<\s*({TIME})\s*>")
_LONGER = r"\d{4,}:\d{1,2}:\d\d(?:[.,]\d+)?"  # hours that no recording has
_GARBLED = r"\d{1,3}:(?=[\d:.]{0,12}[A-Za-z])[\w:]{1,12}(?:\.\w{1,9})?"  # a letter in a time
_NO_TIME = rf"-{TIME}|{_LONGER}|{_GARBLED}|[+-]?(?:inf(?:inity)?|nan|\d+(?:\.\d+)?(?:e[+-]?\d+)?)"
_NEVER_TIME = (
    rf"-{TIME}|{_LONGER}|[+-]?(?:inf(?:inity)?|nan)|-\d+(?:\.\d+)?|\d{{6,}}|\d+(?:\.\d+)?e[+-]?\d+"
)
_HALF_RANGE = re.compile(  # a range of which one time is invalid, or both; or one in brackets
    rf"(?im)^[ \t]*+(?:[\[(]?[ \t]*+(?:"
    rf"(?>{TIME})[ \t]*--?>[ \t]*({_NO_TIME})(?=[\])\s]|$)|({_NO_TIME})[ \t]*--?>[ \t]*{TIME}|"
    rf"(?>{TIME})[ \t]*,[ \t]*({_NO_TIME})(?=[ \t]*(?:,|$))|"
    rf"({_NO_TIME})[ \t]*,[ \t]*(?>{TIME})(?=[ \t]*(?:,|$))|"
    rf"((?>{TIME})[ \t]*,)[ \t]*$|"
    rf"({_NEVER_TIME})[ \t]*--?>[ \t]*(?:{_NO_TIME})(?=[\])\s]|$))|"
    rf"[\[(]({_NEVER_TIME})[\])])"
)
_BORDER = re.compile(r"(?<!\s)\s*(?:\t|\s\|\s| {3,})\s*")  # between columns of a line
_LABELLED = re.compile(r"\s*\[?([^\W\d_]+[ _-]?\w{1,3})\]?\s*[-\u2013\u2014:|]?\s+(.*)", re.DOTALL)
SPEAKERS = 0.7  # of lines of a time and a text that are followed by a text of their own
SPARSE = 0.1  # of the slowest rate of speech
SPARSE_FROM_S = 300.0
LEAST_NAMED = 4  # times beside which something tells that it is a name


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is such a transcript."""
    text = head.decode("utf-8", "replace")
    if _CAPTION.search(text) or text.startswith("Scenarist_SCC"):  # SRT, WebVTT; codes of captions
        return False
    return is_transcript(text.rpartition("\n")[0] if len(text) >= len(head) > 1000 else text)


def is_transcript(text: str) -> bool:
    """Whether a text with this beginning has lines with times."""
    lines = text.split("\n")[:400]
    written = sum(bool(line.strip()) for line in lines)
    return is_plausible(timed_lines(with_clocks("\n".join(lines))), written)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the transcript's lines as utterances, in order.

    Raises:
        InputError: no line has a time, or one has an invalid time.
    """
    text = with_clocks(whole_text(stream, path, options))
    lines = timed_lines(text)
    if lines and (wrong := _HALF_RANGE.search(text)):
        line = text.count("\n", 0, wrong.start()) + 1
        got = next(filter(None, wrong.groups()))
        raise InputError(path, line, "a time such as 0:05", got)
    if not lines:
        raise InputError(path, 0, "lines with times such as 0:05 or [00:05.000]", NONE)
    if _are_sparse(lines):
        options.repairs.doubt(IMPLAUSIBLE_RATE, lines[0].line)
    yield from utterances_of_captions(map(_cue, _with_speakers(lines)), path, options)


def _are_sparse(lines: Sequence[TimedLine]) -> bool:
    """Whether the texts are too short for the time between them, as titles of chapters are."""
    length_s = lines[-1].start_s - lines[0].start_s
    letters = sum(len(one.text) + sum(map(len, one.below)) for one in lines[:-1])
    has_ends = any(one.end_s == one.end_s for one in lines)
    return not has_ends and length_s >= SPARSE_FROM_S and letters < SPARSE * SLOWEST * length_s


def _with_speakers(lines: Sequence[TimedLine]) -> list[TimedLine]:
    """Find the speakers: beside the times, in the line above each, or first in the lines below."""
    spans = [one for one in lines if one.end_s == one.end_s and not one.speaker]
    if spans and len(spans) == len(lines) and _are_names(spans):
        return [one._replace(speaker=one.below[0], below=one.below[1:]) for one in lines]
    if _are_above(lines):
        spoken = [one._replace(below=one.below[:-1]) for one in lines[:-1]] + [*lines[-1:]]
        return [one._replace(speaker=one.above.rstrip(":")) for one in spoken]
    if columns := _in_columns(lines) or _behind_labels(lines):
        return columns
    beside = [one for one in lines if one.text and one.end_s != one.end_s and not one.speaker]
    above = sum(bool(one.below) for one in beside)
    if not beside or above < SPEAKERS * len(beside):
        return list(lines)
    return [
        one._replace(speaker=one.text.rstrip(":").strip("[]"), text="")
        if one.below and one.text and not one.speaker
        else one
        for one in lines
    ]


def _are_names(lines: Sequence[TimedLine]) -> bool:
    """Whether the first line below each time is a label, or one of few names that recur."""
    if any(one.text or len(one.below) < 2 for one in lines):
        return False
    names = {one.below[0] for one in lines}
    labelled = all(map(is_label, names))
    return labelled or (len(lines) >= LEAST_NAMED and len(names) <= len(lines) / 2)


def _are_above(lines: Sequence[TimedLine]) -> bool:
    """Whether the line above each time is a label, or one of few names that recur."""
    if len(lines) < 2 or any(one.text or one.speaker or not one.above for one in lines):
        return False
    if any(len(one.below) < 2 for one in lines[:-1]):
        return False
    names = {one.above for one in lines}
    marked = all(name.endswith(":") or is_label(name) for name in names)
    return marked or (len(lines) >= LEAST_NAMED and len(names) <= len(lines) / 2)


def _in_columns(lines: Sequence[TimedLine]) -> list[TimedLine]:
    """Lines whose texts are a name and what it says, in columns; none if they are not."""
    if len(lines) < LEAST_NAMED or any(one.speaker for one in lines):
        return []
    parts = [_BORDER.split(one.text, maxsplit=1) for one in lines]
    if any(len(own) < 2 for own in parts):
        return []
    names = {own[0].rstrip(":").strip("[]") for own in parts}
    if len(names) > len(lines) / 2 or not all(is_name(name) or is_label(name) for name in names):
        return []
    return [
        one._replace(speaker=own[0].rstrip(":").strip("[]"), text=own[1])
        for one, own in zip(lines, parts, strict=True)
    ]


def _behind_labels(lines: Sequence[TimedLine]) -> list[TimedLine]:
    """Lines whose texts begin with ``SPEAKER_00 -``; none if not most do."""
    found = [_LABELLED.fullmatch(one.text) for one in lines]
    labels = [one[1] for one in found if one and is_label(one[1])]
    if len(labels) < max(LEAST_NAMED, SPEAKERS * len(lines)) or any(one.speaker for one in lines):
        return []
    return [
        one._replace(speaker=match[1], text=match[2]) if match and is_label(match[1]) else one
        for one, match in zip(lines, found, strict=True)
    ]


def _cue(one: TimedLine) -> Cue:
    text = "\n".join(filter(None, (one.text, *one.below)))
    if times := list(_WORD_TIME.finditer(text)):
        return _of_words(one, text, times)
    return Cue(one.line, one.start_s, one.end_s, text, speaker=one.speaker)


def _of_words(one: TimedLine, text: str, times: Sequence[re.Match[str]]) -> Cue:
    """Make a cue of words with times, as karaoke lyrics have."""
    borders = [*times, None]
    words = []
    for here, following in pairwise(borders):
        assert here is not None  # only the last one is
        end = following.start() if following else len(text)
        said = spoken_part(text[here.end() : end]).strip()
        start_s = seconds_of(here[1])
        end_s = seconds_of(following[1]) if following else start_s + SECONDS_PER_LETTER * len(said)
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
