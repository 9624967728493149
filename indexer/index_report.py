"""What one run of `index_files` did: `IndexReport`, and how it is made."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from indexer.build import IndexedInput, Mended
from indexer.describe import Described
from indexer.file_columns import Skipped
from indexer.index_run import Changes
from indexer.languages.pronounce import Pronouncer
from indexer.languages.report import (
    doubts,
    found_languages,
)
from std.ecf_filter import speech_s
from std.errors import StdError
from std.execution.cost import Cost
from std.values import ECF, Recording

Language = Mapping[str, Any]  # language, pronouncer, recordings, told_by


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What one run of `index_files` did."""

    recordings: tuple[Recording, ...]  # indexed in this run, in order
    inputs: tuple[IndexedInput, ...]  # that were indexed, and the utterances of each recording
    utterances: int
    slots: int
    postings: int
    words: int  # different ones
    speech_s: float  # by the ECF where there is one, else by the utterances
    seconds: float  # that passed
    cpu_seconds: float  # of all processes, without compiling kernels
    compile_seconds: float  # CPU time of compiling them
    languages: tuple[Language, ...]  # the most frequent first
    deleted: int  # audio files
    nonwords: Mapping[str, int]  # noises that were dropped, the most frequent first
    speakers: Mapping[str, int]  # who is named, and in how many recordings
    tiers: Mapping[str, int]  # of annotations: how many files had each tier that was read
    tiers_left_out: Mapping[str, int]  # and each that was not
    repairs: Mapping[str, Mended]  # values that could not be and were put right, by kind
    estimated: tuple[Recording, ...]  # recordings with estimated times of words, in order
    with_sound: tuple[Recording, ...]  # recordings that have sound, in order
    skipped: tuple[Skipped, ...]  # files of folders that are no recogniser output
    wordless: tuple[Path, ...]  # inputs that hold no word
    not_in_ecf: tuple[Recording, ...]
    without_turns: tuple[Recording, ...]  # that the diarisation which was given does not have
    warnings: tuple[str, ...]
    language_warnings: tuple[str, ...]  # recordings of unclear language
    unmerged: tuple[str, ...]  # shards whose segments somebody else's writing kept from merging
    failures: tuple[StdError, ...]  # with ``keep_going``: what could not be read
    described: Described  # what became of the metadata that were given


def report_of(
    changes: Changes,
    pronouncer: Pronouncer,
    experiment: ECF | None,
    cost: Cost,
    diarised: Collection[Recording] | None = None,
) -> IndexReport:
    """What a run did, with what its pronouncer found and its ECF and its diarisation lack."""
    built = changes.built
    audio_s, not_in_ecf = built.speech_s, []
    if experiment:
        excerpts = experiment.excerpts
        audio_s = speech_s(excerpt for excerpt in excerpts if excerpt.recording in built.recordings)
        not_in_ecf = sorted(built.recordings - {excerpt.recording for excerpt in excerpts})
    return IndexReport(
        recordings=tuple(sorted(built.recordings)),
        inputs=tuple(built.inputs),
        utterances=built.utterances,
        slots=built.slots,
        postings=built.postings,
        words=len(built.words),
        speech_s=audio_s,
        **cost._asdict(),
        languages=tuple(found_languages(pronouncer)),
        deleted=changes.deleted,
        nonwords=dict(built.nonwords.most_common()),
        speakers=dict(built.speakers.most_common()),
        tiers=dict(built.tiers.read.most_common()),
        tiers_left_out=dict(built.tiers.left_out.most_common()),
        repairs=built.repairs,
        estimated=tuple(sorted(built.estimated)),
        with_sound=tuple(sorted(built.with_sound)),
        skipped=tuple(built.skipped),
        wordless=tuple(built.wordless),
        not_in_ecf=tuple(not_in_ecf),
        without_turns=()
        if diarised is None
        else tuple(sorted(built.recordings.difference(diarised))),
        warnings=tuple(built.warnings),
        language_warnings=tuple(doubts(pronouncer)),
        unmerged=changes.unmerged,
        failures=tuple(built.failures),
        described=changes.described,
    )
