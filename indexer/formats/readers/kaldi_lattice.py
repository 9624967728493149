"""Kaldi's lattices as text (``lattice-copy ark:X ark,t:-``), many per file.

    compact  := UTTERANCE NL ( FROM TO WORD [COSTS] | FINAL [COSTS] )* NL     a blank line ends it
    lattice  := UTTERANCE NL ( FROM TO TID WORD [COSTS] | FINAL [COSTS] )* NL
    COSTS    := GRAPH,ACOUSTIC,TID_TID_...              costs in both; TIDs in compact ones only

The first line's state is the start. Costs are negative natural logarithms; log score =
-(lm_scale * GRAPH + acoustic_scale * ACOUSTIC) with scales 1 and 0.1 unless the options have others
(chain models need 1 and 1); a cost of ``Infinity`` means impossible. A state's time is the number
of transition ids before it times ``frame_s``. Words are words, or ids of the ``words.txt`` beside
the file; 0 is no word. A name followed by nothing but a blank line is an empty lattice.

Times of words are accurate only after ``lattice-align-words``. In a lattice that is not compact a
word lasts until its path branches or the next word begins. A lattice without transition ids
(``lattice-rmali``) has no times: its states share the utterance's segment.

Source: Kaldi ``src/lat/kaldi-lattice.cc``, ``src/fstext/lattice-weight.h``.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from indexer.formats.readers.sausage import word_of
from indexer.formats.shared.reader import (
    DEFAULT,
    FormatReader,
    ReaderOptions,
    lacks_where,
    with_sidecar_files,
)
from indexer.formats.shared.recordings import recording_for
from indexer.lattices.lattice import Lattice, evenly_timed, ordered
from indexer.networks.utterances import SEGMENTS_HINT, span_of
from std.errors import EMPTY_FILE, InputError, Unquoted
from std.fields import number, numbered, shown, text, whole_number
from std.ranges import MAX_LINKS, MAX_TIME_S

ACOUSTIC_SCALE = 0.1
MAX_STATE = 1 << 26
INFINITE = (b"Infinity", b"inf", b"infinity")

_ARC = re.compile(rb"\s*\d+\s+\d+\s+\S+(\s+\S+){0,2}\s*$")


class _Arc(NamedTuple):
    line: int
    source: int
    target: int
    word: str
    cost: float
    frames: int
    is_frame: bool  # one transition id, as in lattices that are not compact


class _Final(NamedTuple):
    line: int
    state: int
    cost: float
    frames: int


def looks_like(head: bytes) -> bool:
    """Whether a file with this beginning is a Kaldi lattice as text."""
    name, _, rest = head.partition(b"\n")
    return len(name.split()) == 1 and bool(_ARC.match(rest.split(b"\n")[0]))


def parse(
    stream: BinaryIO, path: Path | str, options: ReaderOptions = DEFAULT
) -> Iterator[Lattice]:
    """Yield the file's lattices in order.

    Raises:
        InputError: a line is not an arc, an id has no word, or two paths give a state two times.
    """
    options = with_sidecar_files(Path(path), options)
    block: list[tuple[int, list[bytes]]] = []
    any_lattice = False
    for at, line in numbered(stream, path):
        fields = line.split()
        if fields:
            any_lattice = True
            block.append((at, fields))
            if len(block) > MAX_LINKS:
                raise InputError(
                    path, at, f"at most {MAX_LINKS} arcs in one lattice", Unquoted("one more")
                )
            continue
        if len(block) > 1 or (block and len(block[0][1]) > 1):
            yield _lattice(path, block, options)
        block = []
    if block:
        yield _lattice(path, block, options)
    if not any_lattice:
        raise InputError(path, 0, "lattices, a name and then arcs", EMPTY_FILE)


def _lattice(
    path: Path | str, block: list[tuple[int, list[bytes]]], options: ReaderOptions
) -> Lattice:
    (begin, name), *lines = block
    if len(name) != 1:
        raise InputError(path, begin, "the name of an utterance", shown(b" ".join(name)))
    utterance = text(path, begin, name[0])
    arcs: list[_Arc] = []
    finals: list[_Final] = []
    for at, fields in lines:
        if len(fields) < 3:
            costs = _costs(path, at, fields[1:], options)
            finals.append(_Final(at, _state(path, at, fields[0]), *costs))
        else:
            arcs.append(_arc(path, at, fields, options))
    if not finals:
        raise InputError(path, block[-1][0], "a final state", Unquoted("the end of the lattice"))
    start = arcs[0].source if len(lines[0][1]) > 2 else finals[0].state
    frames = _frames(path, arcs, start)
    reached = [arc for arc in arcs if arc.source in frames]
    compact = not any(arc.is_frame for arc in reached)
    arcs = reached if compact else _joined(reached, {final.state for final in finals})

    recording, offset, until = recording_for(path, options), 0.0, None
    if options.segments is not None:
        recording, offset, until = span_of(options.segments, utterance, path, begin)
    timed = not arcs or any(frames.values()) or any(final.frames for final in finals)
    if not timed and until is None:
        expected = "transition ids, which times are counted by, or segments"
        raise InputError(path, begin, expected, f"{utterance} without", SEGMENTS_HINT)
    states = {state: i for i, state in enumerate(sorted(frames))}
    times = [offset + options.frame_s * frames[state] for state in states]
    ends = [final for final in finals if final.state in states]
    end = len(times)  # a node after all states, in which final states end
    last = max((frames[final.state] + final.frames for final in ends), default=0)
    if options.frame_s * last > MAX_TIME_S:
        raise InputError(path, begin, f"times up to {MAX_TIME_S} s", f"{options.frame_s * last:g}")
    try:
        lattice = ordered(
            recording,
            utterance,
            [*times, offset + options.frame_s * last],
            [states[one.source] for one in arcs] + [states[one.state] for one in ends],
            [states[one.target] for one in arcs] + [end] * len(ends),
            [None if one.word == "<eps>" else one.word for one in arcs] + [None] * len(ends),
            [-one.cost for one in arcs] + [-one.cost for one in ends],
            [states[start]],
            [end],
        )
    except ValueError as error:
        raise InputError(path, begin, "paths from start to end", Unquoted(str(error))) from error
    return lattice if timed or until is None else evenly_timed(lattice, offset, until)


def _arc(path: Path | str, at: int, fields: list[bytes], options: ReaderOptions) -> _Arc:
    source, target = (_state(path, at, state) for state in fields[:2])
    compact = len(fields) == 3 or (len(fields) == 4 and fields[3].count(b",") == 2)
    if compact:
        cost, frames = _costs(path, at, fields[3:], options)
        return _Arc(at, source, target, word_of(path, at, fields[2], options), cost, frames, False)
    if len(fields) > 5:
        raise InputError(path, at, "an arc of 3 to 5 fields", shown(b" ".join(fields)))
    cost, _ = _costs(path, at, fields[4:], options)
    word = word_of(path, at, fields[3], options)
    return _Arc(at, source, target, word, cost, int(fields[2] != b"0"), True)


def _state(path: Path | str, at: int, token: bytes) -> int:
    state = whole_number(path, at, token, "a state's number")
    if state > MAX_STATE:
        raise InputError(path, at, f"a state's number up to {MAX_STATE}", str(state))
    return state


def _costs(
    path: Path | str, at: int, fields: list[bytes], options: ReaderOptions
) -> tuple[float, int]:
    """Return the scaled cost and the number of transition ids."""
    if not fields:
        return 0.0, 0
    graph, *rest = fields[0].split(b",")
    if len(rest) not in (1, 2):
        raise InputError(path, at, "costs: graph,acoustic,ids", shown(fields[0]))
    acoustic_scale = ACOUSTIC_SCALE if options.acoustic_scale is None else options.acoustic_scale
    lm_scale = 1.0 if options.lm_scale is None else options.lm_scale
    cost = math.inf
    if graph not in INFINITE and rest[0] not in INFINITE:
        cost = lm_scale * number(path, at, graph, "a graph cost")
        cost += acoustic_scale * number(path, at, rest[0], "an acoustic cost")
    ids = rest[1] if len(rest) == 2 else b""
    return cost, ids.count(b"_") + 1 if ids else 0


def _frames(path: Path | str, arcs: list[_Arc], start: int) -> dict[int, int]:
    """Count the frames before each state that can be reached."""
    leaving = defaultdict(list)
    for arc in arcs:
        leaving[arc.source].append(arc)
    frames, waiting = {start: 0}, [start]
    while waiting:
        state = waiting.pop()
        for arc in leaving[state]:
            reached = frames[state] + arc.frames
            if arc.target not in frames:
                frames[arc.target] = reached
                waiting.append(arc.target)
            elif frames[arc.target] != reached:
                raise InputError(
                    path,
                    arc.line,
                    f"state {arc.target} at frame {frames[arc.target]}, as by another path",
                    str(reached),
                )
    return frames


def _joined(arcs: list[_Arc], finals: set[int]) -> list[_Arc]:
    """Join a word's arc with the wordless arcs behind it that no other path enters or leaves."""
    leaving: dict[int, list[_Arc]] = defaultdict(list)
    entering = Counter(arc.target for arc in arcs)
    for arc in arcs:
        leaving[arc.source].append(arc)
    joined, skipped = [], set()
    for arc in arcs:
        if arc.word == "<eps>" or arc in skipped:
            continue
        while (
            arc.target not in finals
            and entering[arc.target] == 1
            and len(leaving[arc.target]) == 1
            and leaving[arc.target][0].word == "<eps>"
        ):
            (following,) = leaving[arc.target]
            skipped.add(following)
            cost, frames = arc.cost + following.cost, arc.frames + following.frames
            arc = arc._replace(target=following.target, cost=cost, frames=frames)
        joined.append(arc)
    return joined + [arc for arc in arcs if arc.word == "<eps>" and arc not in skipped]


READER = FormatReader(
    name="kaldi-lattice",
    title="Kaldi lattices",
    section="kaldi-lattices",
    content="lattices",
    needs="words, segments",
    kinds=("text",),
    looks_like=looks_like,
    parse=parse,
    sample=(b"x\n0 1 das 0.5,10.5,1_2\n1 2 haus 0.5,10.5,1_2_3\n2 0,0,\n\n"),
    words=("das", "haus"),
    lacks=lacks_where(
        rb"(?m)^\d+\s+\d+\s+\S+\s+[\d.-]+,[\d.-]+", "an utterance's name alone in the first line"
    ),
)
