"""Several recognisers' indexes of the same speech, searched as one.

open_fused   one store of each recogniser --> FusedIndex
FusedIndex   what `searcher.api.Index` offers to searches; hits at one place are one
"""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import TracebackType

import numpy as np

from searcher.api import Index, Speech, open_index, restricted
from searcher.calibration.model import Model
from searcher.fusion.doubt import doubt
from searcher.fusion.fused_candidates import FusedVariant, Recogniser, fuse
from searcher.hit import Hit
from searcher.output.context import Context, contexts
from searcher.output.explain import explained
from searcher.query import words_of
from searcher.search import SearchResult, decide
from std.config import Config
from std.ecf_filter import speech_s
from std.execution.workers import IN_PROCESS, Executor
from std.metadata.table import NO_METADATA, Metadata, updated
from std.recordings import IndexRecording, chosen
from std.store import Segment, require_different
from std.values import ECF, Excerpt, Recording, Term, TermList

Models = Model | str | Path | Sequence[Model | str | Path] | None


def open_fused(
    *stores: str, config: Config | str | Path | None = None, model: Models = None
) -> "FusedIndex":
    """Open the indexes of several recognisers of the same speech.

    Args:
        stores: one of each recogniser; the results do not depend on their order.
        config: a configuration or its TOML file; None = the default.
        model: what `std-tune` learned, or its JSON file: one for all, or one for each store.

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
    require_different(stores)
    with ExitStack() as opened:
        indexes = {}
        for store, learned in sorted(zip(stores, models, strict=True), key=lambda pair: pair[0]):
            indexes[store] = opened.enter_context(open_index(store, config=config, model=learned))
        fused = FusedIndex(indexes)
        opened.pop_all()
    return fused


class FusedIndex:
    """A snapshot of several recognisers' indexes. Closes as a context manager.

    Made by `open_fused`.
    """

    def __init__(self, indexes: dict[str, Index]) -> None:
        """Put indexes side by side.

        Args:
            indexes: of each recogniser, by name; the fused index closes them.
        """
        self._indexes = indexes
        self.config = next(iter(indexes.values())).config
        self.segments: tuple[Segment, ...] = tuple(
            segment for index in indexes.values() for segment in index.segments
        )

    def __enter__(self) -> "FusedIndex":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the indexes."""
        for index in self._indexes.values():
            index.close()

    @property
    def round_trips(self) -> int:
        """Requests made so far, of all stores."""
        return sum(index.round_trips for index in self._indexes.values())

    @cached_property
    def metadata(self) -> Metadata:
        """What is known of the recordings beside their words, of all indexes."""
        metadata = NO_METADATA
        for index in self._indexes.values():
            metadata = updated(metadata, index.metadata)
        return metadata

    def recordings(
        self, *, where: str | None = None, recordings: Sequence[str] = ()
    ) -> list[IndexRecording]:
        """The recordings that any recogniser has, ascending: see `Index.recordings`."""
        longest: dict[Recording, IndexRecording] = {}
        for index in self._indexes.values():
            for one in index.recordings():
                known = longest.get(one.recording, one)
                longest[one.recording] = max(known, one, key=lambda each: each.speech_ms)
        everything = [
            replace(longest[recording], metadata=self.metadata.values(recording.file))
            for recording in sorted(longest)
        ]
        return chosen(everything, self.metadata, where, recordings)

    def search(
        self,
        *terms: str,
        decide: bool = False,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
    ) -> list[Hit]:
        """Search terms; hits of all of them, the most probable first: see `Index.search`."""
        found = self.find(*terms, where=where, recordings=recordings, workers=workers)
        return sorted(self.hits(found, decided=decide), key=lambda hit: -hit.probability)

    def find(
        self,
        *terms: str,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """Search terms and return everything that is known of them: see `Index.find`."""
        for term in terms:
            words_of(term, self.config.text)
        wanted = [Term(f"TERM-{i}", text) for i, text in enumerate(terms, start=1)]
        config = replace(self.config, decision=replace(self.config.decision, terms="any"))
        speech = self._searched(None, where, recordings)
        return self._search(wanted, config, speech, workers, wildcards=True)

    def search_terms(
        self,
        terms: TermList | Sequence[Term],
        ecf: ECF | None = None,
        *,
        where: str | None = None,
        recordings: Sequence[str] = (),
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """Search a term list as an evaluation does: see `Index.search_terms`."""
        wanted = terms.terms if isinstance(terms, TermList) else terms
        speech = self._searched(ecf.excerpts if ecf else None, where, recordings)
        return self._search(wanted, self.config, speech, workers, wildcards=False)

    def hits(self, result: SearchResult, *, decided: bool = True) -> list[Hit]:
        """The hits of a search of this index, by term, recording and time.

        Args:
            result: what `find` or `search_terms` returned.
            decided: whether the hits show the decision.
        """
        variants = [result.variants[i] for i in result.candidates.variant.tolist()]
        fused = [one for one in variants if isinstance(one, FusedVariant)]
        surest = np.array([one.recogniser for one in fused], np.int64)
        around = [Context("", "", "")] * len(surest)
        for i, index in enumerate(self._indexes.values()):
            rows = np.flatnonzero(surest == i)
            own = contexts(result.candidates.rows(rows), result.recordings, index.segments)
            for row, context in zip(rows.tolist(), own, strict=True):
                around[row] = context
        hits = explained(result, around, decided=decided, metadata=self.metadata)
        return [
            replace(hit, found_by=variant.found_by)
            for hit, variant in zip(hits, fused, strict=True)
        ]

    def _searched(
        self, excerpts: Sequence[Excerpt] | None, where: str | None, recordings: Sequence[str]
    ) -> Speech:
        """The speech that is searched."""
        if where is not None or recordings:
            return restricted(excerpts, self.recordings(where=where, recordings=recordings))
        if excerpts is None:
            return Speech(None, sum(one.speech_ms for one in self.recordings()) / 1000)
        return Speech(excerpts, speech_s(excerpts))

    def _search(
        self,
        terms: Sequence[Term],
        config: Config,
        speech: Speech,
        workers: Executor,
        *,
        wildcards: bool,
    ) -> SearchResult:
        """Search each index, fuse what they found, decide."""
        recognisers = [
            Recogniser(
                name,
                index.find_candidates(terms, speech.excerpts, workers=workers, wildcards=wildcards),
                doubt(index.segments),
            )
            for name, index in self._indexes.items()
        ]
        return decide(fuse(recognisers), config, speech.seconds)
