"""Praat TextGrids, in the long and in the short text form.

    file  := "ooTextFile" "TextGrid" FROM TO <exists> COUNT tier*
    tier  := "IntervalTier" NAME FROM TO COUNT ( FROM TO TEXT )*
           | "TextTier"     NAME FROM TO COUNT ( TIME TEXT )*             points: skipped

As in Praat, only free-standing numbers, texts in quotation marks (doubled inside) and <flags>
count; ``xmin =`` and ``item [1]:`` of the long form, letters after a number (``2.3s``) and comments
after ``!`` are ignored. Which tiers are speech: see `indexer.formats.shared.tiers`. In tiers of
words each label is a word with its times; the words of any other interval share its time. The
speaker is the rest of a tier's name beside "words", or the tier's name if the tiers are people who
take turns. Praat's spellings of letters (``\\a"``, ``\\ss``) become these letters. Labels for
silence (sp, sil, <p:>, #, _) are skipped.

Source: Praat manual, "TextGrid file formats", "Special symbols"; files of Praat, the Montreal
Forced Aligner and WebMAUS. Encodings: see `std.encodings`.
"""

import re
import unicodedata
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.cues import Cue, all_single, timed_cues, utterances_of_cues
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, whole_text
from indexer.formats.shared.recordings import recording_for
from indexer.formats.shared.speaker_shapes import is_label, is_name
from indexer.formats.shared.tiers import Tier, chosen, speaker_of_tier
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import InputError, Unquoted
from std.nist.xml import parse_number

_HEAD = re.compile(
    rb'\s*(?:File type\s*=\s*)?"ooTextFile[^"]*"\s*(?:Object class\s*=\s*)?"TextGrid'
)
_TOKEN = re.compile(
    r'"((?:[^"]|"")*)"|(?<!\S)(<\w+>)|(?<!\S)([+-]?\d[\d.]*(?:[eE][+-]?\d+)?)[^\s!"]*|!.*|(")'
)
_SILENCE = {"sp", "sil", "<p:>", "#", "_", "<sil>", "-", "...", "{sl}", "spn"}
_LETTER = re.compile(r"\\([A-Za-z])([\"'`^~,])|\\(ss|ae|AE|oe|OE|o/|O/|ao|Ao|d-|th)")
_ACCENTS = {
    '"': "\u0308",
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    "~": "\u0303",
    ",": "\u0327",
}
_LETTERS = {
    "ss": "\u00df", "ae": "\u00e6", "AE": "\u00c6", "oe": "\u0153", "OE": "\u0152", "o/": "\u00f8",
    "O/": "\u00d8", "ao": "\u00e5", "Ao": "\u00c5", "d-": "\u00f0", "th": "\u00fe",
}  # fmt: skip
MOST_TOGETHER = 0.3  # of speech: what several people say at once


class _Interval(NamedTuple):
    line: int
    start_s: float
    end_s: float
    label: str


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the intervals of the tiers that are speech as utterances.

    Raises:
        InputError: a value is missing or of the wrong kind, or no tier is speech.
    """
    values = _Values(whole_text(stream, path, options), path)
    values.begin()
    tiers = [_tier(values) for _ in range(values.count("a number of tiers"))]
    names = [Tier(name, intervals is not None) for name, intervals in tiers]
    cues: list[Cue] = []
    rows = chosen(names, options.tiers, path)
    speakers = _speakers([names[row] for row in rows], [tiers[row][1] or [] for row in rows])
    for row, speaker in zip(rows, speakers, strict=True):
        intervals = tiers[row][1]
        if intervals is None:
            raise InputError(
                path, 0, f"intervals in the tier {names[row].name}", Unquoted("points")
            )
        are_words = names[row].of_words and all_single(one.label for one in intervals)
        own = _words(intervals) if are_words else _cues(intervals)
        cues += [cue._replace(speaker=speaker) for cue in own]
    yield from utterances_of_cues(cues, path, recording_for(path, options), options)


def _tier(values: "_Values") -> tuple[str, list[_Interval] | None]:
    """Read a tier: its name, and its intervals; None where it has points."""
    kind = values.text("a tier, IntervalTier or TextTier")
    if kind not in ("IntervalTier", "TextTier"):
        raise values.error("IntervalTier or TextTier", kind)
    name = values.text("a tier's name")
    values.number("where the tier starts")
    values.number("where the tier ends")
    count = values.count("a number of intervals")
    if kind == "TextTier":
        for _ in range(count):
            values.number("a time")
            values.text("a label")
        return name, None
    intervals = []
    for _ in range(count):
        start_s, end_s = values.number("a start"), values.number("an end")
        label = _spelt(values.text("a label"))
        if label.strip() and label.strip().lower() not in _SILENCE:
            intervals.append(_Interval(values.line, start_s, end_s, label))
    return name, intervals


def _speakers(names: list[Tier], tiers: list[list[_Interval]]) -> list[str]:
    """The speaker of each tier of speech, if the tiers are people who take turns."""
    speakers = [speaker_of_tier(name.name) for name in names]
    if all(name.of_words for name in names):  # Anna - words
        return speakers
    are_names = all(is_name(one) or is_label(one) or one.isupper() for one in speakers)
    spans_s = sorted((one.start_s, one.end_s) for own in tiers for one in own)
    until_s = overlap_s = 0.0
    for start_s, end_s in spans_s:
        overlap_s += max(0.0, min(until_s, end_s) - start_s)
        until_s = max(until_s, end_s)
    take_turns = overlap_s <= MOST_TOGETHER * sum(end_s - start_s for start_s, end_s in spans_s)
    return speakers if are_names and take_turns else [""] * len(names)


def _cues(intervals: list[_Interval]) -> Iterator[Cue]:
    return (Cue(*interval) for interval in intervals)


def _words(intervals: list[_Interval]) -> Iterator[Cue]:
    return timed_cues(
        (one.line, HypothesisWord(one.label, 1.0, one.start_s, one.end_s)) for one in intervals
    )


def _spelt(label: str) -> str:
    """Replace Praat's spellings of letters by the letters.

    >>> _spelt("\\\\ssen, Fa\\\\c,on, M\\\\u\\"ller")
    'ßen, Façon, Müller'
    """
    if "\\" not in label:
        return label
    found = _LETTER.sub(lambda m: _LETTERS[m[3]] if m[3] else m[1] + _ACCENTS[m[2]], label)
    return unicodedata.normalize("NFC", found)


class _Values:
    """Reads the values of a file in order; the caller names the kind of each."""

    def __init__(self, text: str, path: Path | str) -> None:
        self._text, self._path = text, path
        self._tokens = _TOKEN.finditer(text)
        self._at, self.line = 0, 1

    def begin(self) -> None:
        """Read the header up to the number of tiers."""
        for expected in ("ooTextFile", "TextGrid"):
            if not self.text(expected).startswith(expected):
                raise self.error(expected, Unquoted("something else"))
        self.number("where it starts")
        self.number("where it ends")
        exists = self._next("<exists>")
        if exists is None or exists[2] != "<exists>":
            raise self.error("<exists>", exists[0] if exists else Unquoted("the end"))

    def text(self, expected: str) -> str:
        found = self._next(expected)
        if found is None or found[1] is None:
            raise self.error(
                f"{expected} in quotation marks", found[0] if found else Unquoted("the end")
            )
        return found[1].replace('""', '"')

    def number(self, expected: str) -> float:
        found = self._next(expected)
        value = parse_number(found[3] or "") if found else None
        if value is None or not isfinite(value):
            raise self.error(expected, found[0] if found else Unquoted("the end"))
        return value

    def count(self, expected: str) -> int:
        """Read a count: at most the number of the file's letters; 0 if it is negative."""
        value = self.number(expected)
        if not (value == int(value) and value <= len(self._text)):
            raise self.error(expected, f"{value:g}")
        return max(0, int(value))

    def error(self, expected: str, got: str) -> InputError:
        return InputError(self._path, self.line, expected, got)

    def _next(self, expected: str) -> re.Match[str] | None:
        for found in self._tokens:
            self.line += self._text.count("\n", self._at, found.start())
            self._at = found.start()
            if found[4]:
                raise self.error(f"{expected}, its quotation mark closed", found[0])
            if found[0][0] != "!":
                return found
        return None


READER = FormatReader(
    name="textgrid",
    title="Praat TextGrid",
    section="annotations",
    content="annotations, or words with times",
    needs="`--tier`, if the default chooses other tiers than you want",
    kinds=("text",),
    looks_like=begins(_HEAD),
    parse=parse,
    sample=(
        b'"ooTextFile" "TextGrid" 0 0.65 <exists> 1\n'
        b'"IntervalTier" "words" 0 0.65 2\n'
        b'0 0.21 "das"\n'
        b'0.21 0.65 "haus"\n'
    ),
    words=("das", "haus"),
    extensions=("textgrid",),
)
