"""Learn a model from an index and its transcript, from marks of people, or from both.

stores --language--> segments --> phonetic indexes      the searched speech, without copies
ECF, RTTM, terms     --> transcript of the recordings   the spoken words, and the terms
marks                --> places                         the places that people judged
all of them          --searcher.tuning--> Model
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from searcher.calibration.model import Model
from searcher.found_terms import find_terms, prepare
from searcher.index.copies import Copies, find_copies, without_copies
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import (
    adapted,
    by_language,
    open_stores,
    recording_table,
    snapshot,
    urls_of,
)
from searcher.phonetic.indexes import PhoneticIndexes, open_phonetic_indexes
from searcher.results.candidates import Candidates
from searcher.search import judge
from searcher.tuning.gain import Transcribed
from searcher.tuning.labels import MarkedPlace, TuningTranscript, make_transcript, marked_places
from searcher.tuning.learning import learned_model
from std.config import Config, load_config
from std.errors import NONE, ConfigError, InputError, Unquoted, quoted
from std.files import AnyPath, read
from std.imports import required
from std.languages.detection import language_code
from std.marks import Mark, read_marks
from std.nist import ecf, rttm, term_file
from std.numbers import counted
from std.store import Segment
from std.values import Excerpt, Lexemes, Recording, Term

WHAT_TO_LEARN_FROM = "a transcript (ECF, RTTM and terms together), marks (feedback), or both"


def tune(
    *stores: AnyPath,
    ecf_path: AnyPath | None = None,
    rttm_path: AnyPath | None = None,
    terms_path: AnyPath | None = None,
    feedback_path: AnyPath | None = None,
    config: Config | str | Path | None = None,
    language: str | None = None,
    seed: int = 1,
    even_if_worse: bool = False,
    advance: Callable[[float], None] = lambda share: None,
) -> Model:
    """Learn score calibration, and phone confusions if there is a transcript.

    Args:
        stores: index of the speech that is transcribed or was searched; several are its shards.
        ecf_path: the speech that is transcribed. Give this and the next two, or marks, or both.
        rttm_path: its transcript.
        terms_path: terms like those that will be searched, above all phrases.
        feedback_path: marks of people (`std.marks`): the file of `std-serve --feedback`.
        config: a configuration or its TOML file; None = the default.
        language: the language to learn from, if the index has several: its name or code.
        seed: draws the in-vocabulary words that are learned from.
        even_if_worse: return the model even if it is expected to be worse on other speech.
        advance: called with each share of the work that is done; the shares add up to 1.

    Raises:
        InputError: a file or a store cannot be read, has no phones, or another language.
        ConfigError: there is too little to learn from, or the model is expected to be worse.

    For example::

        model = tune("DEV", ecf_path="dev.xml", rttm_path="dev.rttm", terms_path="terms.xml")
        open_index("INDEX", model=model).search("polizei gewalt")
    """
    _require_inputs(stores, (ecf_path, rttm_path, terms_path), feedback_path)
    urls = urls_of(stores)
    required("scipy.optimize", "tune")  # now, not after minutes of work
    with ExitStack() as opened:
        shards = [opened.enter_context(closing(shard)) for shard in open_stores(urls)]
        config = adapted(_configuration(config), shards)
        marks = read_marks(Path(feedback_path)) if feedback_path else []
        indexed = in_one_language(snapshot(shards, config), language, urls[0])
        segments = without_copies(indexed, copies := find_copies(indexed))
        recordings = recording_table(segments).recordings  # that of `find_terms`
        transcribed = None
        if ecf_path and rttm_path and terms_path:
            transcribed = _transcribed(ecf_path, rttm_path, terms_path, recordings, config, copies)
        progress = _differences(advance)
        model = learned_model(
            transcribed,
            _places(marks, recordings, copies, config, need_some=not transcribed),
            _phonetic_indexes(segments, recordings, config, urls[0]),
            partial(lexical_candidates, segments=segments, config=config),
            seed=seed,
            even_if_worse=even_if_worse,
            progress=progress,
        )
    progress(1.0)
    return _with_unused_marks(model, len(marks)) if feedback_path else model


def _configuration(config: Config | str | Path | None) -> Config:
    return config if isinstance(config, Config) else load_config(Path(config) if config else None)


def _require_inputs(
    stores: Sequence[object], transcript: Sequence[object], feedback: object
) -> None:
    """Refuse a call of `tune` without a transcript or marks."""
    if not stores:
        raise ValueError("tune: expected at least one store, got none")
    is_transcribed = all(transcript)
    if any(transcript) != is_transcribed or not (is_transcribed or feedback):
        raise ValueError(f"tune: expected {WHAT_TO_LEARN_FROM}")


def _with_unused_marks(model: Model, marks: int) -> Model:
    """The model with the number of marks that were not used."""
    used = {"marks_right": 0, "marks": 0} | dict(model.tuned_on)
    return replace(model, tuned_on=used | {"marks_unused": marks - used["marks"]})


def _transcribed(
    ecf_path: AnyPath,
    rttm_path: AnyPath,
    terms_path: AnyPath,
    recordings: Sequence[Recording],
    config: Config,
    copies: Copies,
) -> Transcribed:
    """The transcript of the recordings of the ECF, and the terms.

    Raises:
        InputError: a file cannot be read, or none of the recordings is transcribed.
    """
    experiment = read(ecf.parse, Path(ecf_path))
    terms = read(term_file.parse, Path(terms_path))
    lexemes = read(partial(rttm.parse, encoding=terms.encoding), Path(rttm_path))
    excerpts, lexemes = _of_originals(experiment.excerpts, lexemes, copies)
    transcript = make_transcript(lexemes, recordings, config.text)
    return Transcribed(
        _within_ecf(transcript, excerpts, Path(rttm_path)),
        [config.text.phrase(term.text) for term in terms.terms],
        excerpts,
    )


def _of_originals(
    excerpts: Sequence[Excerpt], lexemes: Lexemes, copies: Copies
) -> tuple[Sequence[Excerpt], Lexemes]:
    """The transcript of the first copy in the ECF, under the original's name."""
    first: dict[Recording, Recording] = {}  # of each original: itself or a copy
    for recording in sorted({excerpt.recording for excerpt in excerpts}):
        first.setdefault(copies.original(recording), recording)
    original_of = {recording: original for original, recording in first.items()}
    named = [
        replace(one, recording=original_of[one.recording])
        for one in excerpts
        if one.recording in original_of
    ]
    exchanged = first | original_of  # a copy takes the name of an original outside the ECF
    recordings = tuple(exchanged.get(recording, recording) for recording in lexemes.recordings)
    return named, replace(lexemes, recordings=recordings)


def _places(
    marks: Sequence[Mark],
    recordings: Sequence[Recording],
    copies: Copies,
    config: Config,
    *,
    need_some: bool,
) -> list[MarkedPlace]:
    """The places of marks; those of copies are those of their originals.

    Raises:
        ConfigError: marks are needed, and none is about a term in a recording of the index.
    """
    of_originals = [mark._replace(recording=copies.original(mark.recording)) for mark in marks]
    places = marked_places(of_originals, recordings, config.text)
    if places or not need_some:
        return places
    got: str = NONE
    if marks:
        first = f"{quoted(marks[0].term)} in {marks[0].recording.file}"
        got = f"{counted(len(marks), 'mark')} of other recordings or of queries, as of {first}"
    raise ConfigError(f"expected marks of hits of this index, got {got}")


def _phonetic_indexes(
    segments: Sequence[Segment], recordings: Sequence[Recording], config: Config, store: str
) -> PhoneticIndexes:
    """The phonetic indexes of segments, without a model."""
    row_of = {recording: row for row, recording in enumerate(recordings)}
    indexes, _ = open_phonetic_indexes(segments, row_of, config, None)
    if indexes is None:
        raise InputError(store, 0, "an index with sounds", Unquoted("one made without a converter"))
    return indexes


def _within_ecf(
    transcript: TuningTranscript, excerpts: Sequence[Excerpt], path: Path
) -> TuningTranscript:
    """The spoken words in the recordings of an ECF."""
    searched = {excerpt.recording for excerpt in excerpts}
    rows = [row for row, recording in enumerate(transcript.recordings) if recording in searched]
    spoken = transcript.within(rows)
    if not spoken.words:
        raise InputError(path, 0, "words of the recordings in the ECF", NONE)
    return spoken


def in_one_language(
    segments: Sequence[Segment], language: str | None, store: str
) -> tuple[Segment, ...]:
    """The segments of the language that is learned.

    Args:
        language: name or code of the language; None = the only one that the index has.

    Raises:
        InputError: the index has several languages and none is named, or lacks the named one.
    """
    groups = by_language(segments)
    if not language:
        if len(groups) == 1:
            return tuple(segments)
        indexed = " and ".join(group.language for group in groups)
        raise InputError(store, 0, "one language, or --language to choose one", Unquoted(indexed))
    for group in groups:
        if group.language == language_code(language):
            return tuple(group.segments)
    indexed = " and ".join(group.language or "none that is known" for group in groups)
    raise InputError(store, 0, f"recordings in {language!r}", Unquoted(indexed))


def lexical_candidates(
    phrases: Sequence[Sequence[str]],
    excerpts: Sequence[Excerpt] | None,
    *,
    segments: Sequence[Segment],
    config: Config,
) -> list[Candidates]:
    """The places where phrases are written: candidates with posteriors, one list per phrase.

    Args:
        excerpts: the excerpts that are searched; None = everything.
        config: the configuration of the search; without phonetic search, calibration.
    """
    config = replace(
        config,
        phonetic_search=replace(config.phonetic_search, words="none"),
        calibration=replace(config.calibration, words="none"),
    )
    terms = [Term(str(i), " ".join(words)) for i, words in enumerate(phrases)]
    index = prepare(segments, config)
    candidates = judge([find_terms(terms, index, SearchedSpeech(excerpts, 0.0))], index)[
        0
    ].candidates
    candidates = candidates.rows(candidates.probability >= config.search.min_probability)
    bounds = np.searchsorted(candidates.term, np.arange(len(terms) + 1)).tolist()
    return [candidates.rows(slice(bounds[i], bounds[i + 1])) for i in range(len(terms))]


def _differences(advance: Callable[[float], None]) -> Callable[[float], None]:
    """Call ``advance`` with the increments of a share that grows to 1."""
    done = 0.0

    def progress(share: float) -> None:
        nonlocal done
        advance(share - done)
        done = share

    return progress
