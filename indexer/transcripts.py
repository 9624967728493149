"""One-best output of any recogniser or person -> a reference transcript, for scoring.

    networks of a file  --the likeliest word of each slot-->  words with times
    utterances                                                speech turns

Words are normalised as in an index, so that a term occurs in the reference exactly where a search
of the same file finds it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from indexer.formats.detect import foreign
from indexer.formats.shared.reader import ReaderOptions
from indexer.inputs import Input, InputOptions, input_files, utterances_in
from indexer.networks.utterances import Utterances
from indexer.segments.separate import separated
from std.errors import InputError
from std.nist.rttm import Transcript, Turns
from std.text import Normalisation
from std.values import ConfusionNetwork, Float64s, Lexemes, Recording

AnyPath = str | PathLike[str]
NOBODY = "unknown"  # the speaker if a file names none


class _Word(NamedTuple):
    recording: Recording
    speaker: str
    start_ms: int
    end_ms: int
    word: str
    error_ms: int  # how far its time may be off


def read_transcript(
    inputs: AnyPath | Sequence[AnyPath],
    *,
    options: InputOptions | None = None,
    text: Normalisation | None = None,
) -> Transcript:
    """Read files with words and times as a reference for `scoring`.

    Args:
        inputs: files and folders of any format that `index_files` reads; of words that compete for
            a place the likeliest counts.
        options: how they are read.
        text: how words are normalised; by default as an index does.

    Raises:
        InputError: a file cannot be read, or two hold one recording.

    For example::

        evaluation = score_files("hits.xml", reference=read_transcript("talk.TextGrid"),
                                 terms_path="terms.txt")
    """
    options, text = options or InputOptions(), text or Normalisation()
    given = [inputs] if isinstance(inputs, str | PathLike) else inputs
    files = input_files([Path(path) for path in given], options.name_by).files
    source: dict[Recording, Path] = {}
    networks: list[ConfusionNetwork] = []
    passed_over: list[Path] = []
    for file in files:
        for block in _blocks(file, options.input_format, options.load(), passed_over):
            for recording in dict.fromkeys(block.recordings):
                if source.setdefault(recording, file.path) != file.path:
                    expected = f"recordings that {source[recording]} does not hold"
                    raise InputError(file.path, 0, expected, recording.file)
            networks.extend(separated(block, text))
    words = [word for network in networks for word in _words(network, text)]
    return _transcript(words, networks)._replace(passed_over=tuple(passed_over))


def _blocks(
    file: Input, input_format: str, options: ReaderOptions, passed_over: list[Path]
) -> Iterator[Utterances]:
    """The utterances of a file; none if a folder's file is something else: it is skipped."""
    own = replace(options, file=file.name or options.file)
    try:
        yield from utterances_in(file.path, input_format, own)
    except InputError as error:
        other = foreign(file.path, error, input_format, options)
        if not (other and file.in_folder):
            raise (other or error) from error
        passed_over.append(file.path)


def _words(network: ConfusionNetwork, text: Normalisation) -> Iterator[_Word]:
    """The likeliest words of an utterance; the only one if a file has one per place."""
    is_one_best = bool((np.diff(network.offsets) <= 1).all())
    errors_ms = network.slot_errors_ms
    for i, slot in enumerate(network):
        best = max(slot.alternatives, key=lambda one: one.posterior, default=None)
        if best is None or not (is_one_best or best.posterior >= slot.epsilon):
            continue
        error_ms = 0 if errors_ms is None else int(errors_ms[i])
        for word in text.phrase(best.word):
            yield _Word(
                network.recording, _speaker(network), best.start_ms, best.end_ms, word, error_ms
            )


def _speaker(network: ConfusionNetwork) -> str:
    """The speaker as a field of a line, without spaces."""
    return "_".join(network.speaker.split()) or NOBODY


def _transcript(words: Sequence[_Word], networks: Sequence[ConfusionNetwork]) -> Transcript:
    recordings = {one: i for i, one in enumerate(dict.fromkeys(one.recording for one in networks))}
    speakers = {name: i for i, name in enumerate(dict.fromkeys(map(_speaker, networks)))}
    words_ms = [word[2:4] for word in words]
    turns_ms = [(one.start_ms, one.end_ms) for one in networks]
    lexemes = Lexemes(
        tuple(recordings),
        tuple(speakers),
        np.array([recordings[word.recording] for word in words], np.int32),
        np.array([speakers[word.speaker] for word in words], np.int32),
        *_seconds(words_ms),
        tuple(word.word for word in words),
        ("lex",) * len(words),
    )
    turns = Turns(
        tuple(recordings),
        tuple(speakers),
        np.array([recordings[one.recording] for one in networks], np.int32),
        np.array([speakers[_speaker(one)] for one in networks], np.int32),
        *_seconds(turns_ms),
    )
    within_s = np.array([word.error_ms for word in words], np.float64) / 1000
    return Transcript(lexemes, turns, within_s, is_normalised=True)


def _seconds(spans_ms: Sequence[tuple[int, int]]) -> tuple[Float64s, Float64s]:
    """Starts and durations; negative starts become 0."""
    start_ms, end_ms = np.maximum(np.array(spans_ms, np.int64).reshape(-1, 2), 0).T
    return start_ms / 1000, np.maximum(end_ms - start_ms, 0) / 1000
