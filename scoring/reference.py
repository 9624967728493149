"""The reference that hits are compared with: RTTM, or other files through a given reader.

    read_transcript   files -> `Transcript`
    speech_of         Transcript -> the ECF of its speech
    write_reference   Transcript -> RTTM and ECF

This package reads RTTM only, because it does not import `indexer`. The command gets the indexer's
reader of other formats from `spoken_terms.start`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from std.errors import NONE, InputError, StdError, named
from std.files import AnyPath, is_regular, open_input, paths_of, read, read_twice
from std.nist import ecf, rttm
from std.nist.ecf import speech_s
from std.nist.rttm import Transcript, Turns
from std.numbers import counted
from std.outputs import open_output
from std.text import Normalisation
from std.values import ECF, Excerpt, Float64s, Int32s, Lexemes, Recording, TermList

Reader = Callable[[Sequence[Path], str | None], Transcript]  # files and folders, their encoding
HEAD_BYTES = 1 << 14
AFTER_S = 0.5  # of speech that count after the last word: hits do not end to the millisecond


def read_transcript(
    paths: AnyPath | Sequence[AnyPath],
    encoding: str | None = None,
    *,
    default: str = "UTF-8",
    turns: bool = True,
    reader: Reader | None = None,
) -> Transcript:
    """Read a reference transcript.

    Args:
        paths: RTTM, and formats that the reader knows, of different recordings.
        encoding: the encoding of the files, as the user gives it.
        default: the encoding of RTTM if ``encoding`` is not given.
        turns: whether to read the speech turns of RTTM.
        reader: the reader of files that are not RTTM, and of folders; None: all are RTTM.

    Raises:
        InputError: a file cannot be read, or is invalid.
    """
    codec, paths = encoding or default, paths_of(paths)
    in_folders = [inside for path in paths if path.is_dir() for inside in _rttm_in(path, codec)]
    others = [path for path in paths if reader and not _is_rttm(path, codec)]
    files = [path for path in paths if path not in others and not path.is_dir()]
    parsed = [_parse(path, codec, turns=turns) for path in (*files, *in_folders)]
    if others and reader:
        parsed.append(reader(others, encoding))
    if not files and not any(part.lexemes.words for part in parsed):
        raise InputError(paths[0], 0, "a transcript: words with their times", NONE)
    joined = parsed[0] if len(parsed) == 1 else _joined(parsed)
    passed_over = tuple(path for path in joined.passed_over if path not in in_folders)
    return joined._replace(passed_over=passed_over)


def _is_rttm(path: Path, encoding: str) -> bool:
    """Whether a file is RTTM; a pipe, and an empty file, count as RTTM."""
    if path.is_dir() or not is_regular(path):
        return not path.is_dir()
    with open_input(path) as stream:
        head = stream.read(HEAD_BYTES)
    return not head.strip() or rttm.looks_like(head, encoding)


def _rttm_in(folder: Path, encoding: str) -> list[Path]:
    """The RTTM files of a folder, which the reader of other formats skips."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    seen = [p for p in files if not any(x.startswith(".") for x in p.relative_to(folder).parts)]
    return [path for path in seen if path.stat().st_size and _is_rttm(path, encoding)]


def _parse(path: Path, encoding: str, *, turns: bool) -> Transcript:
    parse_words = partial(rttm.parse, encoding=encoding)
    if not turns:
        lexemes = read(parse_words, path)
        return Transcript(lexemes, rttm.NO_TURNS, np.zeros(len(lexemes.words)))
    speech, lexemes = read_twice(partial(rttm.parse_turns, encoding=encoding), parse_words, path)
    return Transcript(lexemes, speech, np.zeros(len(lexemes.words)))


def _joined(parts: Sequence[Transcript]) -> Transcript:
    """Several transcripts as one.

    Raises:
        StdError: two of them have the same recording, whose words would count twice.
    """
    seen: set[Recording] = set()
    for part in parts:
        own = {*part.lexemes.recordings, *part.turns.recordings}
        if twice := seen & own:
            file, channel = min(twice)
            expected = "each recording in one file of words"
            raise StdError(f"--reference: expected {expected}, got {file}/{channel} in two")
        seen |= own
    words, turns = [part.lexemes for part in parts], [part.turns for part in parts]
    lexemes = Lexemes(
        *_stacked(words),
        tuple(word for part in words for word in part.words),
        tuple(subtype for part in words for subtype in part.subtypes),
    )
    within_s = np.concatenate([part.within_s for part in parts])
    is_normalised = any(part.is_normalised for part in parts)
    passed_over = tuple(path for part in parts for path in part.passed_over)
    return Transcript(lexemes, Turns(*_stacked(turns)), within_s, is_normalised, passed_over)


def _stacked(
    parts: Sequence[Lexemes] | Sequence[Turns],
) -> tuple[tuple[Recording, ...], tuple[str, ...], Int32s, Int32s, Float64s, Float64s]:
    """The common columns of words and turns of all parts, and the tables that they point into."""
    recordings = tuple(dict.fromkeys(one for part in parts for one in part.recordings))
    speakers = tuple(dict.fromkeys(one for part in parts for one in part.speakers))
    return (
        recordings,
        speakers,
        np.concatenate([_moved(p.recording, p.recordings, recordings) for p in parts]),
        np.concatenate([_moved(p.speaker, p.speakers, speakers) for p in parts]),
        np.concatenate([part.start_s for part in parts]),
        np.concatenate([part.duration_s for part in parts]),
    )


def _moved(index: Int32s, table: Sequence[object], wanted: Sequence[object]) -> Int32s:
    """Rows of one table as rows of another table that has all of its names."""
    row = {one: i for i, one in enumerate(wanted)}
    moved: Int32s = np.array([row[one] for one in table], np.int32)[index]
    return moved


def normalised(terms: TermList) -> TermList:
    """The terms, normalised as in an index if the transcript is."""
    normal = Normalisation().phrase
    return replace(
        terms,
        terms=tuple(
            replace(term, text=" ".join(normal(term.text)) or term.text) for term in terms.terms
        ),
    )


def speech_of(transcript: Transcript) -> ECF:
    """The speech of a reference: each recording from its start to shortly after its last word.

    Args:
        transcript: words and turns, in seconds.

    Raises:
        StdError: the reference has no speech.
    """
    ends_s: dict[Recording, float] = {}
    for part in (transcript.lexemes, transcript.turns):
        end_s = part.start_s + part.duration_s
        for i in np.unique(part.recording).tolist():
            last_s = float(end_s[part.recording == i].max())
            recording = part.recordings[i]
            ends_s[recording] = max(last_s, ends_s.get(recording, 0.0))
    if not ends_s:
        raise StdError(
            "--reference: expected words with their times, got none; give the speech with --ecf"
        )
    excerpts = tuple(
        Excerpt(recording, 0.0, round(ends_s[recording] + AFTER_S, 3))
        for recording in sorted(ends_s)
    )
    return ECF(excerpts, round(speech_s(excerpts), 3), version="1")


def remarks(transcript: Transcript, own_speech: ECF | None) -> tuple[str, ...]:
    """Remarks on a reference for a person, a line each.

    Args:
        transcript: the reference.
        own_speech: the speech of the reference, if no ECF was given.
    """
    lines = []
    if own_speech:
        number = counted(len(own_speech.excerpts), "recording")
        lines.append(
            f"no --ecf: the speech is that of the reference, {number}, each from 0 s to "
            f"{AFTER_S} s after its last word, {own_speech.source_signal_duration_s:.1f} s"
        )
    if others := transcript.passed_over:
        more = " ..." if len(others) > 1 else ""
        lines.append(
            f"{counted(len(others), 'file')} passed over, no transcript: {others[0]}{more}"
        )
    estimated = transcript.within_s > 0
    if estimated.any():
        lines.append(
            f"times of {int(estimated.sum()):,} of {counted(len(estimated), 'word')} of the "
            f"reference are estimated, within {transcript.within_s.max():.1f} s: pairs need times "
            "within --tolerance"
        )
    return tuple(lines)


def write_reference(
    transcript: Transcript, *, rttm_path: AnyPath | None = None, ecf_path: AnyPath | None = None
) -> None:
    """Write a reference as NIST's files.

    Args:
        transcript: the reference.
        rttm_path: for its words and speech turns.
        ecf_path: for its speech.

    Raises:
        InputError: a file cannot be written; it is then as before.
        StdError: a name has spaces, which RTTM cannot hold.
    """
    if rttm_path:
        with open_output(Path(rttm_path)) as sink:
            try:
                rttm.dump_turns(transcript.turns, sink)
                rttm.dump(transcript.lexemes, sink)
            except ValueError as error:
                raise StdError(f"{named(Path(rttm_path))}: {error}") from error
    if ecf_path:
        with open_output(Path(ecf_path)) as sink:
            ecf.dump(speech_of(transcript), sink)
