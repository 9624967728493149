"""From files to evaluations: read a reference once, score hit lists against it, check files.

ECF, transcript, term list --read_reference--> Reference
hit list, Reference  --score_hits-->     Evaluation
any of the four      --check_files-->    CheckedFile for each
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar, cast

from scoring.evaluate import Evaluation, evaluate
from scoring.options import ScoringOptions
from scoring.reference import Reader, normalised, read_transcript, remarks, speech_of
from scoring.selection import with_probabilities
from std.errors import InputError, named
from std.files import AnyPath, content_bytes, open_input, paths_of, read
from std.nist import ecf, std_list, term_file
from std.nist.rttm import Transcript, Turns
from std.numbers import counted
from std.values import ECF, Lexemes, STDList, TermList

T = TypeVar("T")

# Called with a file's name and size in bytes; enters a context that is told of bytes read.
Progress = Callable[[str, int], AbstractContextManager[Callable[[float], None]]]

MIN_PROGRESS_BYTES = 20_000_000  # reading less takes less than about two seconds
NAMED = 3  # terms that a line names
PROGRESS_STEP_BYTES = 1 << 20  # progress need not be reported with every line


class Reference(NamedTuple):
    """Everything that hit lists are scored against."""

    ecf: ECF
    lexemes: Lexemes
    terms: TermList
    turns: Turns | None  # speech turns, for segment-based scoring
    path: str  # of the transcript, as messages name it
    terms_path: str = ""  # of the term list, as messages name it
    remarks: tuple[str, ...] = ()  # remarks for the user, a line each


class CheckedFile(NamedTuple):
    """Whether one file is valid."""

    file: str  # as messages name it
    kind: str  # "term list", "ECF", "transcript" or "hit list"
    contents: str | None  # contents of a valid file, in a few words
    error: str | None  # why the file is refused; None if it is valid


def read_reference(
    ecf_path: AnyPath | None,
    rttm_path: AnyPath | Sequence[AnyPath] | Transcript,
    terms_path: AnyPath,
    *,
    turns: bool = False,
    encoding: str | None = None,
    reader: Reader | None = None,
) -> Reference:
    """Read the reference that hit lists are scored against.

    Args:
        ecf_path: the scored speech; None: the speech of the reference.
        rttm_path: RTTM, plain or gzip; other files that ``reader`` reads; or its result.
        terms_path: the term list.
        turns: read the speech turns too; segment-based scoring needs them.
        encoding: the encoding of the transcript; by default the one that the term list names.
        reader: the reader of files that are no RTTM, such as `indexer.read_transcript`.

    Raises:
        InputError: a file cannot be read or is not valid.
    """
    terms = read(term_file.parse, Path(terms_path))
    if isinstance(rttm_path, Transcript):
        path, transcript = "<reference>", rttm_path
    else:
        paths = paths_of(rttm_path)
        path, transcript = (
            ", ".join(map(named, paths)),
            read_transcript(
                paths, encoding, default=terms.encoding, turns=turns or not ecf_path, reader=reader
            ),
        )
    if transcript.is_normalised:
        terms = normalised(terms)
    speech = read(ecf.parse, Path(ecf_path)) if ecf_path else speech_of(transcript)
    return Reference(
        speech,
        transcript.lexemes,
        terms,
        transcript.turns if turns else None,
        path,
        named(Path(terms_path)),
        remarks(transcript, None if ecf_path else speech),
    )


def score_hits(
    hits_path: AnyPath,
    reference: Reference,
    options: ScoringOptions | None = None,
    *,
    probabilities_path: AnyPath | None = None,
    progress: Progress | None = None,
) -> Evaluation:
    """Score one hit list.

    Args:
        hits_path: the hit list, either NIST dialect, plain or gzip.
        reference: from `read_reference`; with its turns if ``options.segments``.
        options: by default those of NIST's scorer.
        probabilities_path: a second list of the same hits, whose scores are probabilities; they are
            used for Cnxe and calibration, unless ``options.number`` says otherwise.
        progress: reports the reading of a long file.

    Raises:
        InputError: a file cannot be read, or does not fit the reference or the other list.
        StdError: the options do not fit the input.
    """
    hits = _read_hits(Path(hits_path), progress)
    if probabilities_path is not None:
        second = _read_hits(Path(probabilities_path), progress)
        hits = with_probabilities(hits, second, named(Path(probabilities_path)))
    return evaluate(
        reference.ecf,
        reference.lexemes,
        reference.terms,
        hits,
        options,
        turns=reference.turns,
        hits_path=named(Path(hits_path)),
        reference_path=reference.path,
        terms_path=reference.terms_path,
    )


def check_files(
    *,
    hits: AnyPath | Sequence[AnyPath] = (),
    ecf_path: AnyPath | None = None,
    rttm_path: AnyPath | Sequence[AnyPath] = (),
    terms_path: AnyPath | None = None,
    encoding: str | None = None,
    reader: Reader | None = None,
    progress: Progress | None = None,
) -> list[CheckedFile]:
    """Check files without scoring them; the terms of hit lists against the term list, if given.

    Args:
        hits: hit lists.
        ecf_path, terms_path: None for files that are not to be checked.
        rttm_path: RTTM, and other files that ``reader`` reads.
        encoding: the encoding of the transcript; default: that of the term list, else UTF-8.
        reader: see `read_reference`.
        progress: reports the reading of long hit lists.

    Returns:
        One result per file: term list, ECF, transcript, hit lists.
    """
    results: list[CheckedFile] = []
    terms: TermList | None = None

    def check(given: AnyPath | None, kind: str, parse: Callable[[Path], T]) -> T | None:
        if given is None:
            return None
        path = Path(given)
        try:
            value = parse(path)
        except InputError as error:
            results.append(CheckedFile(named(path), kind, None, str(error)))
            return None
        results.append(CheckedFile(named(path), kind, _contents(value, terms), None))
        return value

    terms = check(terms_path, "term list", lambda path: read(term_file.parse, path))
    check(ecf_path, "ECF", lambda path: read(ecf.parse, path))
    default = terms.encoding if terms else "UTF-8"
    parse_words = partial(read_transcript, encoding=encoding, default=default, reader=reader)
    for path in paths_of(rttm_path):
        check(path, "transcript", lambda path: parse_words([path], turns=False).lexemes)
    for hits_path in paths_of(hits):
        check(hits_path, "hit list", lambda path: _read_hits(path, progress))
    return results


def _contents(value: object, terms: TermList | None) -> str:
    """The contents of a valid file, in a few words; for a hit list, also unlisted terms."""
    match value:
        case ECF():
            recordings = {excerpt.recording for excerpt in value.excerpts}
            excerpts = counted(len(value.excerpts), "excerpt")
            return f"{excerpts} of {counted(len(recordings), 'recording')}"
        case TermList():
            return counted(len(value.terms), "term")
        case Lexemes():
            words = counted(len(value.words), "word")
            return f"{words} in {counted(len(value.recordings), 'recording')}"
        case STDList():
            hits = value.detections
            known = {term.term_id for term in terms.terms} if terms else {*hits.terms}
            strange = [term_id for term_id in hits.terms if term_id not in known]
            few = ", ".join(strange[:NAMED]) + (", ..." if len(strange) > NAMED else "")
            beside = f", {len(strange)} not in the term list ({few})" if strange else ""
            return f"{counted(len(hits), 'hit')} of {counted(len(hits.terms), 'term')}{beside}"
    raise TypeError(f"no description for {type(value).__name__}")


def _read_hits(path: Path, progress: Progress | None) -> STDList:
    with open_input(path) as stream, _reported(stream, path, progress) as reported:
        return std_list.parse(reported, path)


@contextmanager
def _reported(stream: BinaryIO, path: Path, progress: Progress | None) -> Iterator[BinaryIO]:
    """The same stream; reading it is reported if the file is long."""
    size_bytes = content_bytes(path)
    if progress is None or size_bytes < MIN_PROGRESS_BYTES:
        yield stream
        return
    with progress(path.name, size_bytes) as advance:
        yield cast(BinaryIO, _ReportedStream(stream, advance))


class _ReportedStream:
    """A stream of lines that reports how many bytes were read."""

    def __init__(self, stream: BinaryIO, advance: Callable[[float], None]) -> None:
        self._stream, self._advance, self._unreported_bytes = stream, advance, 0

    def readline(self, limit: int = -1) -> bytes:
        line = self._stream.readline(limit)
        self._unreported_bytes += len(line)
        if self._unreported_bytes > PROGRESS_STEP_BYTES:
            self._advance(self._unreported_bytes)
            self._unreported_bytes = 0
        return line
