"""Several recognisers' indexes of the same speech, searched as one.

open_fused   one store of each recogniser --> FusedIndex
FusedIndex   searches as in `searcher.api.Index`; hits at one place become one
"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Unpack

import numpy as np

from searcher.api import Index, open_index
from searcher.calibration.model import Model
from searcher.fusion.fused_candidates import FusedRecogniser, fuse
from searcher.fusion.pooling import MEASURED_SURENESS, SURENESS, measured
from searcher.index.copies import NO_COPIES, Copies, common_copies
from searcher.index.searched_speech import SearchedSpeech, doubt
from searcher.index.stores import urls_of
from searcher.open_snapshot import HowToSearch
from searcher.output.context import Context, contexts
from searcher.output.explain import explained, within_words
from searcher.results.candidates import with_slots
from searcher.results.hits import FusedVariant, HitColumns, WithinWord
from searcher.results.search_result import SearchResult, TermCandidates
from searcher.search import decide
from searcher.searchable_index import SearchableIndex
from std.config import Config
from std.languages.detection import pronouncer_of_segment
from std.metadata.table import NO_METADATA, Metadata, updated
from std.recordings import IndexRecording
from std.store import Segment, require_different
from std.values import Recording, SearchMode, Term

Models = Model | str | Path | Sequence[Model | str | Path] | None


def open_fused(
    *stores: str | PathLike[str], config: Config | str | Path | None = None, model: Models = None
) -> "FusedIndex":
    """Open the indexes of several recognisers of the same speech.

    Args:
        stores: one store for each recogniser; the results do not depend on their order.
        config: a configuration or its TOML file; None = the default.
        model: a model of `std-tune` or its JSON file: one for all, or one for each store.

    Raises:
        StdError: a store, the configuration or a model cannot be read, or they do not fit.
        ValueError: fewer than two stores, or neither one model nor one for each.

    For example::

        with open_fused("POCKETSPHINX", "WHISPER") as index:
            index.search("polizei gewalt")
    """
    if len(stores) < 2:
        raise ValueError(f"open_fused: expected at least two stores, got {len(stores)}")
    models = list(model) if isinstance(model, Sequence) and not isinstance(model, str) else [model]
    if len(models) == 1:
        models *= len(stores)
    if len(models) != len(stores):
        raise ValueError(f"open_fused: expected 1 or {len(stores)} models, got {len(models)}")
    urls = urls_of(stores)
    require_different(urls)
    with ExitStack() as opened:
        indexes = {}
        for store, learned in sorted(zip(urls, models, strict=True), key=lambda pair: pair[0]):
            indexes[store] = opened.enter_context(open_index(store, config=config, model=learned))
        fused = FusedIndex(indexes)
        opened.pop_all()
    return fused


class FusedIndex(SearchableIndex):
    """A snapshot of several recognisers' indexes. Closes as a context manager.

    Made by `open_fused`.
    """

    def __init__(self, indexes: dict[str, Index]) -> None:
        """Combine the indexes of several recognisers.

        Args:
            indexes: the indexes of each recogniser, by name; the fused index closes them.
        """
        self._indexes = indexes
        self.config = next(iter(indexes.values())).config
        self.segments: tuple[Segment, ...] = tuple(
            segment for index in indexes.values() for segment in index.segments
        )

    def __repr__(self) -> str:
        """The indexes that are searched as one."""
        return f"<FusedIndex of {', '.join(self._indexes)}>"

    @property
    def is_closed(self) -> bool:
        """Whether it is closed."""
        return any(index.is_closed for index in self._indexes.values())

    def close(self) -> None:
        """Close the indexes."""
        for index in self._indexes.values():
            index.close()

    @property
    def round_trips(self) -> int:
        """Requests made so far, of all stores."""
        return sum(index.round_trips for index in self._indexes.values())

    @property
    def speech_s(self) -> float:
        """The amount of speech, in seconds."""
        return sum(recording.speech_ms for recording in self.recordings()) / 1000

    @cached_property
    def distinct_speech_s(self) -> float:
        """The amount of speech in seconds, with that of copies counted once."""
        distinct = (one for one in self.recordings() if one.recording not in self.copies)
        return sum(recording.speech_ms for recording in distinct) / 1000

    @cached_property
    def copies(self) -> Copies:
        """The recordings that are copies for every recogniser that has them."""
        of_each = [index.copies for index in self._indexes.values()]
        if not any(of_each):
            return NO_COPIES
        return common_copies(self.recordings_of_each, of_each)

    @cached_property
    def recordings_of_each(self) -> list[set[Recording]]:
        """The recordings that each recogniser has."""
        return [{one.recording for one in index.recordings()} for index in self._indexes.values()]

    @cached_property
    def metadata(self) -> Metadata:
        """The metadata of the recordings, of all indexes."""
        metadata = NO_METADATA
        for index in self._indexes.values():
            metadata = updated(metadata, index.metadata)
        return metadata

    def all_recordings(self, *, with_speakers: bool) -> list[IndexRecording]:
        """The recordings that any recogniser has; speakers are those of `speaker_segments`."""
        longest: dict[Recording, IndexRecording] = {}
        for index in self._indexes.values():
            for recording in index.all_recordings(with_speakers=False):
                known = longest.get(recording.recording, recording)
                longest[recording.recording] = max(
                    known, recording, key=lambda each: each.speech_ms
                )
        speakers: dict[Recording, Mapping[str, int]] = {}
        if with_speakers:
            named = self._speaker_index.all_recordings(with_speakers=True)
            speakers = {one.recording: one.speakers for one in named}
        return [
            replace(
                longest[recording],
                metadata=self.metadata.of_recording(recording),
                speakers=speakers.get(recording, {}),
            )
            for recording in sorted(longest)
        ]

    def decided(self, found: TermCandidates, mode: SearchMode = "adhoc") -> SearchResult:
        """See `OpenSnapshot.decided`."""
        return decide(found, self.config, mode)

    @cached_property
    def speaker_segments(self) -> Sequence[Segment]:
        """The segments of the index that names the speakers of the most recordings.

        If several name equally many, the first by the store's name.
        """
        return self._speaker_index.segments

    @cached_property
    def _speaker_index(self) -> Index:
        def named(index: Index) -> int:
            recordings = index.all_recordings(with_speakers=True)
            return sum(any(one.speakers) for one in recordings)

        return max(self._indexes.values(), key=named)

    def hit_columns(self, result: SearchResult, *, decided: bool = True) -> HitColumns:
        """See `OpenSnapshot.hit_columns`."""
        variants = [result.variants[i] for i in result.candidates.variant.tolist()]
        fused = [variant for variant in variants if isinstance(variant, FusedVariant)]
        surest = np.array([variant.recogniser for variant in fused], np.int64)
        around = [Context("", "", "")] * len(surest)
        within: list[WithinWord | None] = [None] * len(surest)
        for i, index in enumerate(self._indexes.values()):
            rows = np.flatnonzero(surest == i)
            places = with_slots(result.candidates.rows(rows), result.recordings, index.segments)
            own = contexts(places, result.recordings, index.segments, index.copies)
            placed = replace(result.rows(rows), candidates=places)
            inside = within_words(placed, own, index.segments, self.related_forms, index.copies)
            for row, context, one in zip(rows.tolist(), own, inside, strict=True):
                around[row], within[row] = context, one
        found_by = [variant.found_by for variant in fused]
        return explained(
            result, around, decided=decided, metadata=self.metadata, found_by=found_by,
            within=within,
        )  # fmt: skip

    @cached_property
    def _spoken_doubts(self) -> list[float]:
        """The doubt of each recogniser measured by `std-tune`; empty unless each has its own model.

        One model for several recognisers does not tell which of them is better.
        """
        doubts: list[float] = []
        learned: list[dict[str, float]] = []
        for index in self._indexes.values():
            model = index.model
            if not model or model.spoken_doubt is None or not _is_about(model, index.segments):
                return []
            doubts.append(model.spoken_doubt)
            learned.append(dict(model.tuned_on))
        is_repeated = any(one in learned[:i] for i, one in enumerate(learned))
        return [] if is_repeated else doubts

    def candidates(
        self, terms: Sequence[Term], speech: SearchedSpeech, **how: Unpack[HowToSearch]
    ) -> TermCandidates:
        """See `OpenSnapshot.candidates`: search each index, and fuse the candidates."""
        excerpts = None if speech.excerpts is None else self.copies.searched(speech.excerpts)
        searched = speech._replace(excerpts=excerpts)
        if advance := how.get("advance"):
            how["advance"] = lambda share: advance(share / len(self._indexes))
        found_by = [index.candidates(terms, searched, **how) for index in self._indexes.values()]
        doubts, sureness = [doubt(index.segments) for index in self._indexes.values()], SURENESS
        if self._spoken_doubts:
            doubts = [measured(*both) for both in zip(doubts, self._spoken_doubts, strict=True)]
            sureness = MEASURED_SURENESS
        recognisers = [*map(FusedRecogniser, self._indexes, found_by, doubts)]
        return replace(fuse(recognisers, self.copies, sureness), speech=speech)


def _is_about(model: Model, segments: Sequence[Segment]) -> bool:
    """Whether a model was learned with the pronouncer of some of the segments."""
    return bool(model.pronouncer) and model.pronouncer in map(pronouncer_of_segment, segments)
