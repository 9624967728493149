"""Transcripts: of recogniser output as a reference for scoring, and of an index as files.

    read_transcript       one-best output of any recogniser or person -> a reference transcript:
                          the likeliest word of each slot; utterances are speech turns
    transcript_cues       the likeliest words of a recording in an index -> cues
    recording_transcript  a recording of an index -> WebVTT, SRT, text, JSON
    export_transcripts    a file for each recording

Words of a reference are normalised as in an index, so that a term occurs in the reference exactly
where a search of the same file finds it. Words of written transcripts are as in the index: in lower
case and without punctuation, unless they were corrected. A cue ends at a pause, at a change of
speaker, and before it becomes too long to read. `std-index` reads every form.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from indexer.export import index_networks
from indexer.inputs import InputOptions, input_files, read_input
from indexer.segments.separate import separated
from indexer.shards import Stores, contents, open_stores, recordings_in, urls_of
from std.characters import text_of
from std.distinct import require_outside
from std.errors import InputError
from std.files import AnyPath, paths_of
from std.nist.rttm import Transcript, Turns
from std.outputs import make_folder, open_output, recording_file_names
from std.recordings import chosen, index_recordings
from std.text import Normalisation
from std.timelines import SubtitleCue, clock, subtitle_file
from std.values import ConfusionNetwork, Float64s, Lexemes, Recording

UNNAMED_SPEAKER = "unknown"  # the speaker if a file names none

TranscriptForm = Literal["vtt", "srt", "txt", "json"]
MOST_LETTERS = 84  # two lines of 42, usual in subtitles
MOST_MS = 7000
PAUSE_MS = 800


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
    files = input_files(paths_of(inputs), options.name_by).files
    source: dict[Recording, Path] = {}
    networks: list[ConfusionNetwork] = []
    passed_over: list[Path] = []
    for file in files:
        blocks = read_input(file, options.input_format, options.load())
        if blocks is None:
            passed_over.append(file.path)
        for block in blocks or ():
            for recording in dict.fromkeys(block.recordings):
                if source.setdefault(recording, file.path) != file.path:
                    expected = f"recordings that {source[recording]} does not hold"
                    raise InputError(file.path, 0, expected, recording.file)
            networks.extend(separated(block, text))
    words = [word for network in networks for word in _words(network, text)]
    return _transcript(words, networks)._replace(passed_over=tuple(passed_over))


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
    return "_".join(network.speaker.split()) or UNNAMED_SPEAKER


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


class TranscriptWord(NamedTuple):
    """The likeliest word of a place."""

    word: str
    start_ms: int
    end_ms: int
    posterior: float


class TranscriptCue(NamedTuple):
    """Words shown together."""

    speaker: str
    words: tuple[TranscriptWord, ...]

    @property
    def text(self) -> str:
        return text_of([one.word for one in self.words])

    @property
    def span_ms(self) -> tuple[int, int]:
        return self.words[0].start_ms, self.words[-1].end_ms


def transcript_cues(networks: Iterable[ConfusionNetwork]) -> Iterator[TranscriptCue]:
    """The likeliest words of a recording as cues.

    Args:
        networks: the networks of one recording, in the order of time.
    """
    words: list[TranscriptWord] = []
    speaker = ""
    for network in networks:
        for one in _likeliest(network):
            letters = sum(len(before.word) + 1 for before in words) + len(one.word)
            is_new = words and (
                network.speaker != speaker
                or one.start_ms - words[-1].end_ms > PAUSE_MS
                or letters > MOST_LETTERS
                or one.end_ms - words[0].start_ms > MOST_MS
            )
            if is_new:
                yield TranscriptCue(speaker, tuple(words))
                words = []
            speaker = network.speaker
            words.append(one)
    if words:
        yield TranscriptCue(speaker, tuple(words))


def _likeliest(network: ConfusionNetwork) -> Iterator[TranscriptWord]:
    for slot in network:
        best = max(slot.alternatives, key=lambda one: one.posterior, default=None)
        if best is not None and best.posterior >= slot.epsilon:
            yield TranscriptWord(best.word, best.start_ms, best.end_ms, best.posterior)


def export_transcripts(
    store: Stores,
    folder: AnyPath,
    *,
    form: TranscriptForm = "vtt",
    where: str | None = None,
    recordings: Sequence[str] = (),
) -> list[Path]:
    """Write the likeliest words of each recording, as ``std-store transcripts`` does.

    Args:
        store: the index.
        folder: the folder of the files, which are named after the recordings; it is made.
        form: ``vtt``, ``srt``, ``txt`` or ``json``.
        where: conditions on the recordings' metadata (`std.query`).
        recordings: patterns of names; none: all.

    Returns:
        the files.

    Raises:
        StdError: ``where`` is not a condition, a pattern fits no recording, or a file cannot be
            written or would be inside the index.
    """
    require_outside(Path(folder), urls_of(store))
    with open_stores(store, apart=True) as stores:
        segments, metadata = contents(stores)
        held = index_recordings(segments, metadata)
        wanted = [one.recording for one in chosen(held, metadata, where, recordings)]
        make_folder(Path(folder))
        names = zip(held, recording_file_names(one.recording for one in held), strict=True)
        name_of = {one.recording: name for one, name in names}
        paths = {one: Path(folder) / f"{name_of[one]}.{form}" for one in wanted}
        unwritten = dict(paths)
        networks = index_networks(segments, paths)
        for recording, own in groupby(networks, lambda one: one.recording):
            with open_output(unwritten.pop(recording)) as sink:
                sink.write(_transcript_of(own, form))
        for path in unwritten.values():  # recordings without an utterance
            with open_output(path) as sink:
                sink.write(_transcript_of((), form))
    return [*paths.values()]


def _transcript_of(networks: Iterable[ConfusionNetwork], form: TranscriptForm) -> bytes:
    networks = [*networks]
    cues = [*transcript_cues(sorted(networks, key=lambda one: one.start_ms))]
    return transcript_file(cues, form, next((one.language for one in networks), ""))


def recording_transcript(
    store: Stores, recording: Recording, form: TranscriptForm = "vtt"
) -> bytes | None:
    """The likeliest words of a recording as a file; None if the index does not have it.

    Args:
        store: the index.
        recording: with its channel.
        form: ``vtt``, ``srt``, ``txt`` or ``json``.
    """
    with open_stores(store, apart=True) as stores:
        segments, _ = contents(stores)
        if recording not in recordings_in(segments):
            return None
        return _transcript_of(index_networks(segments, {recording}), form)


def transcript_file(cues: Sequence[TranscriptCue], form: TranscriptForm, language: str) -> bytes:
    """Cues as a file.

    Args:
        language: a code, for the forms that name it.
    """
    if form == "json":
        document = {"language": language or None, "segments": [*map(_segment, cues)]}
        return json.dumps(document, ensure_ascii=False, indent=1).encode() + b"\n"
    if form == "txt":
        return "".join(
            f"[{clock(one.span_ms[0] / 1000, '.')}] {_said(one)}\n" for one in cues
        ).encode()
    texts = (SubtitleCue(one.span_ms[0] / 1000, one.span_ms[1] / 1000, _said(one)) for one in cues)
    return subtitle_file(texts, form)


def _said(cue: TranscriptCue) -> str:
    return f"{cue.speaker}: {cue.text}" if cue.speaker else cue.text


def _segment(cue: TranscriptCue) -> Mapping[str, object]:
    """A cue in the form of Whisper's segments."""
    start_ms, end_ms = cue.span_ms
    return {
        "start": start_ms / 1000,
        "end": end_ms / 1000,
        "text": cue.text,
        **({"speaker": cue.speaker} if cue.speaker else {}),
        "words": [
            {
                "word": one.word,
                "start": one.start_ms / 1000,
                "end": one.end_ms / 1000,
                "probability": round(one.posterior, 6),
            }
            for one in cue.words
        ],
    }
