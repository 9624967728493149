"""Whole transcripts of an index as files: WebVTT, SRT, text, JSON.

    transcript_cues     the likeliest words of a recording -> cues
    export_transcripts  a file for each recording

Words are as in the index: in small letters and without punctuation, unless they were corrected. A
cue ends at a pause, at a change of speaker, and before it becomes too long to read. `std-index`
reads every form.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from indexer.export import index_networks
from indexer.opening import AnyPath, Stores, open_stores, urls_of
from indexer.shards import contents
from std.characters import text_of
from std.distinct import require_outside
from std.outputs import distinct_names, make_folder, open_output, safe_name
from std.recordings import chosen, index_recordings
from std.store import Store
from std.timelines import SubtitleCue, clock, subtitle_file
from std.values import ConfusionNetwork, Recording

TranscriptForm = Literal["vtt", "srt", "txt", "json"]
MOST_LETTERS = 84  # two lines of 42, usual in subtitles
MOST_MS = 7000
PAUSE_MS = 800


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
        where: conditions on the recordings' metadata (`std.metadata.where`).
        recordings: patterns of names; none: all.

    Returns:
        the files.

    Raises:
        StdError: ``where`` is no condition, a pattern fits no recording, or a file cannot be
            written or would lie in the index.
    """
    require_outside(Path(folder), urls_of(store))
    with open_stores(store) as stores:
        return _write(stores, Path(folder), form, where, recordings)


def _write(
    stores: Sequence[Store],
    folder: Path,
    form: TranscriptForm,
    where: str | None,
    patterns: Sequence[str],
) -> list[Path]:
    segments, metadata = contents(stores)
    listed = chosen(index_recordings(segments, metadata), metadata, where, patterns)
    make_folder(folder)
    wanted = [one.recording for one in listed]
    paths = []
    for recording, name in zip(wanted, distinct_names(map(_file_name, wanted)), strict=True):
        networks = [*index_networks(segments, {recording})]
        cues = [*transcript_cues(sorted(networks, key=lambda one: one.start_ms))]
        language = next((one.language for one in networks), "")
        path = folder / f"{name}.{form}"
        with open_output(path) as sink:
            sink.write(transcript_file(cues, form, language))
        paths.append(path)
    return paths


def _file_name(recording: Recording) -> str:
    return safe_name(recording.file) + (f"_{recording.channel}" if recording.channel != 1 else "")


def transcript_file(
    cues: Sequence[TranscriptCue], form: TranscriptForm, language: str = ""
) -> bytes:
    """Cues as a file.

    Args:
        cues: in the order of time.
        form: the form of the file.
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
