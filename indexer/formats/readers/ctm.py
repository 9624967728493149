"""NIST CTM: one word per line with its time, usually one-best output.

    file channel start_s duration_s word [confidence [type [speaker]]]
    file channel * * <ALT_BEGIN>          then words, <ALT>, words, ..., <ALT_END>
    ;; comment

A word becomes a separate slot: its confidence is its posterior (1 if there is none, or NA, or
ROVER's -1), the rest is "no word". Between ALT_BEGIN and ALT_END are alternatives (``@`` is no
word). Their words become slots by time; those without confidence have equal shares. An utterance
ends at a pause of half a second. Channels may be letters: A is 1, B is 2. Words of the types frag,
fp (a filled pause), non-lex and misc are noises; an optional word, ``(she)``, is a word.

Source: NIST SCTK, "ctm" in doc/infmts.htm, ctmValidator, hubscr; Kaldi ``lattice-to-ctm-conf``.
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.shared.clock import note_restarts
from indexer.formats.shared.reader import DEFAULT, FormatReader, ReaderOptions
from indexer.formats.shared.recordings import LEAST_GOOD, is_time, lacks_of_a_ctm, recording_in
from indexer.networks.chunks import goes_back, parts_of
from indexer.networks.columns import utterances_of
from indexer.networks.hypotheses import PAUSE_S, aligned_alternatives
from indexer.networks.nonwords import SOUNDS
from indexer.networks.raw import NetworkBuilder
from indexer.networks.utterances import Utterances
from std.errors import EMPTY_FILE, InputError, Unquoted
from std.fields import number, numbered, shown, text
from std.networks import TimedWord
from std.repairs import REFUSED, Repairs, confidence
from std.values import Recording

SLOTS_AT_ONCE = 1 << 16
NULL_WORD = "@"
NO_WORDS = (b"frag", b"fp", b"non-lex", b"misc")  # types
TYPE = 6  # its column
MARKS = (b"<ALT_BEGIN>", b"<ALT>", b"<ALT_END>")
NO_CONFIDENCE = (b"NA", b"-", b"nan", b"NaN")
NO_NUMBER = -1.0  # the same in ROVER's output
_OPTIONAL = re.compile(r"\([^()]+\)")


class _Word(NamedTuple):
    line: int
    start_s: float
    end_s: float
    token: str
    confidence: float | None


_Slot = list[_Word]  # words that exclude each other


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is a CTM."""
    lines = [line.split() for line in head.split(b"\n")[:-1] or [head]]
    rows = [row for row in lines if row and not row[0].startswith(b";;")]
    if not rows:
        return head.startswith(b";;")
    good = sum(
        5 <= len(row) <= 8
        and all(map(is_time, row[2:4]))
        and (len(row) == 5 or row[5] in NO_CONFIDENCE or is_time(row[5]))
        for row in rows
    )
    return good >= LEAST_GOOD * len(rows)


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Utterances]:
    """Yield the utterances of each recording, in order of time.

    With segments, field 1 is an utterance and times count from its start, as Kaldi writes them.

    Raises:
        InputError: a line is not a word or a part of an alternation.
    """
    builder, waiting = NetworkBuilder(path, repairs=options.repairs), 0
    by_recording = _read(stream, path, options.repairs)
    for recording in list(by_recording):
        if waiting > SLOTS_AT_ONCE:
            yield utterances_of(
                builder.columns(), path, options.segments, nonwords=options.nonwords
            )
            builder, waiting = NetworkBuilder(path, repairs=options.repairs), 0
        slots = by_recording.pop(recording)  # frees memory: a file may hold a whole corpus
        waiting += len(slots)
        if options.segments is None:
            lines = [words[0].line for words in slots]
            note_restarts([_start_s(words) for words in slots], lines, options.repairs)
        count, said_until = 0, 0.0
        before = 0.0
        for words in _in_order(slots, in_parts=options.chunks is not None):
            start = _start_s(words)
            end = max(start, *(word.end_s for word in words))
            apart = start > said_until + PAUSE_S or goes_back(before, start)
            before = start
            if not count or (options.segments is None and apart):
                count, said_until = count + 1, end
                name = recording.file if options.segments else f"{recording.file}-{count}"
                builder.utterance(words[0].line, recording, name)
            said_until = max(said_until, end)
            _write(builder, [_sure(word, path, options.repairs) for word in words], start, end)
    yield utterances_of(builder.columns(), path, options.segments, nonwords=options.nonwords)


def timed_words(stream: BinaryIO, path: Path | str) -> dict[str, list[TimedWord]]:
    """Read the words of each file (field 1) with their times; of alternatives the first.

    Raises:
        InputError: as for `parse`.
    """
    return {
        recording.file: [
            TimedWord(words[0].token, words[0].start_s, words[0].end_s)
            for words in sorted(slots, key=_start_s)
        ]
        for recording, slots in _read(stream, path, REFUSED).items()
    }


def _in_order(slots: Sequence[_Slot], *, in_parts: bool) -> list[_Slot]:
    """Sort slots by start; with ``in_parts``, only within parts, each of which counts from 0."""
    starts_s = [*map(_start_s, slots)]
    parts = parts_of(starts_s).tolist() if in_parts else [0] * len(slots)
    return [slots[at] for at in sorted(range(len(slots)), key=lambda at: (parts[at], starts_s[at]))]


def _start_s(words: _Slot) -> float:
    return words[0].start_s if len(words) == 1 else min(word.start_s for word in words)


def _sure(word: _Word, path: Path | str, repairs: Repairs) -> _Word:
    """The word with a confidence in [0, 1], or None; an impossible one is repaired.

    Raises:
        InputError: it is impossible, and repairs are not allowed.
    """
    if word.confidence is None or 0 <= word.confidence <= 1:
        return word
    problem = InputError(path, word.line, "a posterior in [0, 1]", f"{word.confidence:g}")
    return word._replace(confidence=confidence(word.confidence, problem, repairs))


def _write(builder: NetworkBuilder, words: _Slot, start: float, end: float) -> None:
    if len(words) == 1:  # as nearly always
        word = words[0]
        mass = 1.0 if word.confidence is None else word.confidence
        builder.slot(word.line, start, end, max(0.0, 1 - mass))
        builder.word(word.line, word.token, mass, word.start_s, word.end_s)
        return
    masses = [1.0 if word.confidence is None else word.confidence for word in words]
    total = max(1.0, sum(masses))  # the confidences of alternatives may sum to more
    masses = [mass / total for mass in masses]
    builder.slot(words[0].line, start, end, max(0.0, 1 - sum(masses)))
    for word, mass in zip(words, masses, strict=True):
        builder.word(word.line, word.token, mass, word.start_s, word.end_s)


def _rows(
    stream: BinaryIO, path: Path | str, repairs: Repairs
) -> Iterator[tuple[int, Recording, bytes, _Word | None]]:
    """Yield each line's number, recording, word as written, and parsed word; None for a mark."""
    known: dict[tuple[bytes, bytes], Recording] = {}

    def read(numbered_line: tuple[int, bytes]) -> tuple[int, Recording, bytes, _Word | None]:
        at, line = numbered_line
        fields = line.split()
        if not 5 <= len(fields) <= 8:
            raise InputError(path, at, "5 to 8 fields", shown(line.strip()))
        word = None if fields[4] in MARKS else _word(path, at, fields)
        written = fields[0], fields[1]
        if (recording := known.get(written)) is None:
            recording = known[written] = recording_in(path, at, fields)
        return at, recording, fields[4], word

    lines = (
        (at, line)
        for at, line in numbered(stream, path)
        if line.strip() and not line.lstrip().startswith(b";;")
    )
    return repairs.rows(lines, read)


def _read(stream: BinaryIO, path: Path | str, repairs: Repairs) -> dict[Recording, list[_Slot]]:
    slots: dict[Recording, list[_Slot]] = {}
    alternatives: list[list[_Word]] = []  # of the alternation being read
    begun = at = 0
    for at, recording, mark, word in _rows(stream, path, repairs):
        where = slots.setdefault(recording, [])
        if mark == b"<ALT_BEGIN>" and not alternatives:
            begun, alternatives = at, [[]]
        elif mark == b"<ALT>" and alternatives:
            alternatives.append([])
        elif mark == b"<ALT_END>" and alternatives:
            where += _alternation(path, begun, alternatives)
            alternatives = []
        elif word is None:
            raise InputError(path, at, "ALT_BEGIN, ALT, ALT_END in this order", shown(mark))
        elif alternatives:
            alternatives[-1].append(word)
        elif mark != NULL_WORD.encode():
            where.append([word])
    if alternatives:
        raise InputError(
            path, at, f"<ALT_END> to the <ALT_BEGIN> of line {begun}", Unquoted("the end")
        )
    if not slots:
        raise InputError(path, 0, "words with their times", EMPTY_FILE)
    return slots


def _word(path: Path | str, line: int, fields: list[bytes]) -> _Word:
    token = text(path, line, fields[4])
    if token == NULL_WORD:  # takes no time; both times may be "*"
        return _Word(line, 0.0, 0.0, token, None)
    start = number(path, line, fields[2], "a start in seconds")
    duration = number(path, line, fields[3], "a duration in seconds")
    sure = None
    if len(fields) > 5 and fields[5] not in NO_CONFIDENCE:
        sure = number(path, line, fields[5], "a confidence")
        sure = None if sure == NO_NUMBER else sure
    if len(fields) > TYPE and fields[TYPE].lower() in NO_WORDS:
        token = f"[{token}]"  # as recognisers write noises
    elif _OPTIONAL.fullmatch(token) and not SOUNDS.search(token):
        token = token[1:-1]
    return _Word(line, start, start + duration, token, sure)


def _alternation(path: Path | str, line: int, alternatives: list[list[_Word]]) -> list[_Slot]:
    """Align alternatives into slots; words without confidence have equal shares."""
    share = 1 / len(alternatives)
    word_lists = [
        [
            word if word.confidence is not None else word._replace(confidence=share)
            for word in words
            if word.token != NULL_WORD
        ]
        for words in alternatives
    ]
    word_lists.sort(key=len, reverse=True)  # the others are aligned with the longest
    timed = [
        [TimedWord(word.token, word.start_s, word.end_s) for word in words] for words in word_lists
    ]
    slots = aligned_alternatives(timed, path, line)
    return [[word_lists[number][place] for number, place in slot] for slot in slots]


READER = FormatReader(
    name="ctm",
    title="NIST CTM",
    section="nist-ctm",
    content="words; `<ALT>` alternatives",
    needs="`--segments`, if field 1 is an utterance",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(b"x 1 0.00 0.21 das 0.97\nx 1 0.21 0.44 haus 0.80\n"),
    words=("das", "haus"),
    lacks=lacks_of_a_ctm,
    extensions=("ctm",),
)
