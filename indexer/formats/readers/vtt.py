"""WebVTT captions (.vtt).

    file   := "WEBVTT" [ remark ] ( NAME ":" VALUE )* blank ( block blank )*
    block  := [ identifier ] TIME "-->" TIME [ settings ] TEXT*      a cue, up to a blank line or
                                                                     the next line of times
            | "NOTE" ... | "STYLE" ... | "REGION" ...                 skipped
    TIME   := [ hours ":" ] minutes ":" seconds "." decimals
    TEXT   := text, tags such as <i>, <v Name>, <c.yellow>, and times of words

The header's ``Language:`` is the recording's. Tags are removed; a voice's tag names the speaker, as
do names before speech (`indexer.formats.shared.speaker_names`).

Automatic captions of a video site have the time of each word, ``the<00:00:00.480><c> word</c>``,
and roll up (`indexer.formats.shared.caption_text`). The words between two times have the first as
their start and the second as their end: these are real times. The last word ends where the cue
does, or where the next cue begins, if that is earlier.

Webex names the speaker in a cue's identifier, ``1 "Anna Smith" (123)``. Pictures' addresses
(``sprite.jpg#xywh=0,0,160,90``), titles of chapters (``Kind: chapters``) and JSON as text are other
uses of the format and refused.

Source: W3C, "WebVTT: The Web Video Text Tracks Format", 2019; files of yt-dlp, Whisper's tools,
Zoom and Teams.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from pathlib import Path
from typing import BinaryIO

from indexer.formats.shared.caption_text import spoken_part, without_repeats
from indexer.formats.shared.clock import CLOCK, require_times, seconds, time_lines
from indexer.formats.shared.cues import Cue
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions, begins, whole_text
from indexer.formats.shared.speaker_names import one_voice, utterances_of_captions, voices
from indexer.networks.hypotheses import HypothesisWord
from indexer.networks.utterances import Utterances
from std.errors import ForeignFileError, InputError, Unquoted
from std.fields import shown
from std.ranges import MAX_WORD_S
from std.repairs import OUT_OF_ORDER, Repairs

_HEAD = re.compile(rb"WEBVTT(?:\s|$)")
_LANGUAGE = re.compile(r"(?mi)^language[ \t]*:[ \t]*(\S+)[ \t]*$")
_WORD_TIME = re.compile(rf"<{CLOCK}>")
_CHAPTERS = re.compile(r"(?mi)^(?:WEBVTT.*\bkind[ \t]*:|kind[ \t]*:)[ \t]*chapters\b")
_NAMED = re.compile(r"\d+[ \t]+\"([^\"\n]{1,100})\"[ \t]+\(\d+\)[ \t]*\n\Z")  # identifiers of Webex
_NO_SPEECH = re.compile(r"\s*(?:\S+#xywh=\d|\{\s*\")")
EXPECTED = "times as 00:01.000 --> 00:02.500"


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the file's cues as utterances, in order.

    Raises:
        InputError: there is no cue, the times of one cannot be read, or cues hold no text.
    """
    text = whole_text(stream, path, options).lstrip()
    if not text.startswith("WEBVTT"):
        raise InputError(path, 1, "WEBVTT", shown(text[:80].encode()))
    language = _LANGUAGE.search(text.partition("\n\n")[0])
    if _CHAPTERS.search(text.partition("\n\n")[0]):
        raise ForeignFileError(path, 1, "captions", Unquoted("titles of chapters"))
    captions = list(_cues(text, path, language[1] if language else "", options.repairs))
    if captions and all(_NO_SPEECH.match(cue.text) for cue in captions):
        raise ForeignFileError(
            path, captions[0].line, "captions", Unquoted("addresses of pictures, or data")
        )
    nexts = [*(cue.start_s for cue in captions[1:]), float("inf")]
    limits = dict(zip((cue.line for cue in captions), nexts, strict=False))
    read = [
        one
        for cue in without_repeats(captions)
        for one in _timed(cue, limits[cue.line], path, options.repairs)
    ]
    yield from utterances_of_captions(read, path, options)


def _cues(text: str, path: Path | str, language: str, repairs: Repairs) -> Iterator[Cue]:
    found = time_lines(text)
    if len(found) < text.count("-->"):
        require_times(text, path, EXPECTED, repairs)
    are_named = '" (' in text
    nexts = [following.begin for following in found[1:]]
    for times, end in zip(found, [*nexts, len(text)], strict=False):
        blank = text.find("\n\n", times.end, end)
        body = text[times.end : blank if blank >= 0 else end].lstrip("\n")
        speaker = ""
        if body.startswith("<v"):
            speaker, body = one_voice(body)
        elif are_named and (
            named := _NAMED.search(text[: times.begin], text.rfind("\n\n", 0, times.begin))
        ):
            speaker = named[1]
        yield Cue(times.line, times.start_s, times.end_s, body, (), None, language, speaker)


def _timed(cue: Cue, next_s: float, path: Path | str, repairs: Repairs) -> list[Cue]:
    """Read the words and times of a cue that has times of words; one cue for each voice."""
    if "<" not in cue.text or not (times := list(_WORD_TIME.finditer(cue.text))):
        return [cue]
    starts_s = [cue.start_s, *(seconds(*one.groups()) for one in times)]
    ends_s = [*starts_s[1:], max(starts_s[-1], min(cue.end_s, max(next_s, starts_s[-1])))]
    borders = [(0, 0), *(one.span() for one in times), (len(cue.text), len(cue.text))]
    if any(end < start for start, end in pairwise([*starts_s, cue.end_s])):
        expected = "times of words in order, inside those of the cue"
        problem = InputError(path, cue.line, expected, shown(cue.text.encode()))
        repairs.note(OUT_OF_ORDER, problem)
        return [cue]
    speakers = [(0, cue.speaker), *voices(cue.text)]
    words: list[HypothesisWord] = []
    for (_, begin), (end, _), start_s, end_s in zip(
        borders[:-1], borders[1:], starts_s, ends_s, strict=True
    ):
        said = spoken_part(cue.text[begin:end]).strip()
        if said:
            end_s = min(end_s, start_s + MAX_WORD_S)
            speaker = next(name for at, name in reversed(speakers) if at < end or not at)
            words.append(HypothesisWord(said, 1.0, start_s, end_s, speaker))
    if len({word.speaker for word in words}) < 2:
        return [_of_words(cue, words)]
    runs = groupby(words, key=lambda word: word.speaker)
    return [
        _of_words(cue._replace(start_s=own[0].start_s, end_s=own[-1].end_s), own)
        for own in (list(run) for _, run in runs)
    ]


def _of_words(cue: Cue, words: Sequence[HypothesisWord]) -> Cue:
    """Set a cue's words; a text without words stays empty."""
    text = " ".join(word.token for word in words)
    return cue._replace(text=text, words=words, speaker=words[0].speaker if words else "")


READER = FormatReader(
    name="vtt",
    title="WebVTT",
    section="captions",
    content="captions; words with times, if the file has them",
    kinds=("text",),
    looks_like=begins(_HEAD),
    parse=parse,
    sample=(b"WEBVTT\n\n00:00.000 --> 00:00.650\nDas Haus.\n"),
    words=("Das", "Haus"),
    extensions=("vtt",),
)
