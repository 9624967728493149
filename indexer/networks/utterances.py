"""Utterances as columns: what readers return, and what pruning and inverting work on.

Utterances     many utterances at once, in milliseconds, words as ids of a vocabulary
stacked        networks -> Utterances
concatenated   several Utterances -> one
UtteranceSpan  where an utterance lies in its recording, as Kaldi's ``segments`` say
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from std.errors import InputError
from std.store.columns import row_ranges
from std.values import Bools, ConfusionNetwork, Float32s, Int32s, Int64s, Recording

Scalar = TypeVar("Scalar", bound=np.generic)
SEGMENTS_HINT = "--segments FILE says where in their recordings the utterances lie"


@dataclass(frozen=True, slots=True, eq=False)
class Utterances:
    """Confusion networks in CSR layout: utterance -> slots -> words. Iterate for one at a time.

    Utterance j owns slots ``bounds[j]:bounds[j + 1]``; slot i of all owns words
    ``offsets[i]:offsets[i + 1]``. Not every word of the vocabulary need be used.
    """

    recordings: Sequence[Recording]  # (u,)
    names: Sequence[str]  # (u,)
    languages: Sequence[str]  # (u,) name or code; "" if the file says none
    speakers: Sequence[str]  # (u,) who spoke; "" if the file does not say it
    spans_ms: Int64s  # (u, 2) start, end
    times_estimated: Bools  # (u,) slot times are interpolated, not the recogniser's
    bounds: Int64s  # (u + 1,)
    slot_spans_ms: Int32s  # (n, 2)
    slot_errors_ms: Int32s  # (n,) how far estimated times may be off; 0: they were written
    epsilons: Float32s  # (n,) posterior of 'no word'
    offsets: Int64s  # (n + 1,)
    vocabulary: Sequence[str]  # (v,)
    words: Int64s  # (m,) index into vocabulary
    posteriors: Float32s  # (m,)
    word_spans_ms: Int32s  # (m, 2)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[ConfusionNetwork]:
        words = np.array([*self.vocabulary, None], dtype=object)[self.words].tolist()
        offsets = self.offsets.astype(np.int32)
        bounds, firsts = self.bounds.tolist(), self.offsets[self.bounds].tolist()
        for i, (start_ms, end_ms) in enumerate(self.spans_ms.tolist()):
            lo, hi, first, last = bounds[i], bounds[i + 1], firsts[i], firsts[i + 1]
            yield ConfusionNetwork(
                recording=self.recordings[i],
                utterance=self.names[i],
                start_ms=start_ms,
                end_ms=end_ms,
                slot_spans_ms=self.slot_spans_ms[lo:hi],
                epsilons=self.epsilons[lo:hi],
                offsets=offsets[lo : hi + 1] - offsets[lo],
                words=tuple(words[first:last]),
                posteriors=self.posteriors[first:last],
                spans_ms=self.word_spans_ms[first:last],
                times_estimated=bool(self.times_estimated[i]),
                slot_errors_ms=self.slot_errors_ms[lo:hi],
                language=self.languages[i],
                speaker=self.speakers[i],
            )

    @property
    def used(self) -> Bools:
        """(v,) which words of the vocabulary are in a slot."""
        return np.bincount(self.words, minlength=len(self.vocabulary)) > 0

    def take(self, rows: Sequence[int]) -> "Utterances":
        """Some utterances, in the order of ``rows``; ``self`` if these are all, in order."""
        if rows == range(len(self)) or list(rows) == list(range(len(self))):
            return self
        picked = np.asarray(rows, dtype=np.int64)
        slots = row_ranges(self.bounds[picked], np.diff(self.bounds)[picked])
        words = row_ranges(self.offsets[slots], np.diff(self.offsets)[slots])
        return replace(
            self,
            recordings=[self.recordings[row] for row in rows],
            names=[self.names[row] for row in rows],
            languages=[self.languages[row] for row in rows],
            speakers=[self.speakers[row] for row in rows],
            spans_ms=self.spans_ms[picked],
            times_estimated=self.times_estimated[picked],
            bounds=_ends(np.diff(self.bounds)[picked]),
            slot_spans_ms=self.slot_spans_ms[slots],
            slot_errors_ms=self.slot_errors_ms[slots],
            epsilons=self.epsilons[slots],
            offsets=_ends(np.diff(self.offsets)[slots]),
            words=self.words[words],
            posteriors=self.posteriors[words],
            word_spans_ms=self.word_spans_ms[words],
        )


def stacked(networks: Iterable[ConfusionNetwork]) -> Utterances:
    """Networks as columns, in their order."""
    networks = list(networks)
    words = list(chain.from_iterable(network.words for network in networks))
    ids = dict(zip(dict.fromkeys(words), count(), strict=False))
    return Utterances(
        recordings=[network.recording for network in networks],
        names=[network.utterance for network in networks],
        languages=[network.language for network in networks],
        speakers=[network.speaker for network in networks],
        spans_ms=_array([(n.start_ms, n.end_ms) for n in networks], np.int64).reshape(-1, 2),
        times_estimated=_array([network.times_estimated for network in networks], np.bool_),
        bounds=_ends(_array([len(network) for network in networks], np.int64)),
        slot_spans_ms=_joined([network.slot_spans_ms for network in networks], np.int32, 2),
        slot_errors_ms=_joined([_slot_errors(network) for network in networks], np.int32),
        epsilons=_joined([network.epsilons for network in networks], np.float32),
        offsets=_ends(_joined([np.diff(network.offsets) for network in networks], np.int64)),
        vocabulary=list(ids),
        words=np.fromiter(map(ids.__getitem__, words), np.int64, len(words)),
        posteriors=_joined([network.posteriors for network in networks], np.float32),
        word_spans_ms=_joined([network.spans_ms for network in networks], np.int32, 2),
    )


def concatenated(blocks: Sequence[Utterances]) -> Utterances:
    """Blocks of utterances as one, in order; each word once in its vocabulary."""
    if len(blocks) == 1:
        return blocks[0]
    ids: dict[str, int] = {}
    words = []
    for block in blocks:
        new_ids = [ids.setdefault(word, len(ids)) for word in block.vocabulary]
        words.append(_array(new_ids, np.int64)[block.words])
    return Utterances(
        recordings=[recording for block in blocks for recording in block.recordings],
        names=[name for block in blocks for name in block.names],
        languages=[language for block in blocks for language in block.languages],
        speakers=[speaker for block in blocks for speaker in block.speakers],
        spans_ms=_joined([block.spans_ms for block in blocks], np.int64, 2),
        times_estimated=_joined([block.times_estimated for block in blocks], np.bool_),
        bounds=_ends(_joined([np.diff(block.bounds) for block in blocks], np.int64)),
        slot_spans_ms=_joined([block.slot_spans_ms for block in blocks], np.int32, 2),
        slot_errors_ms=_joined([block.slot_errors_ms for block in blocks], np.int32),
        epsilons=_joined([block.epsilons for block in blocks], np.float32),
        offsets=_ends(_joined([np.diff(block.offsets) for block in blocks], np.int64)),
        vocabulary=list(ids),
        words=_joined(words, np.int64),
        posteriors=_joined([block.posteriors for block in blocks], np.float32),
        word_spans_ms=_joined([block.word_spans_ms for block in blocks], np.int32, 2),
    )


def _slot_errors(network: ConfusionNetwork) -> Int32s:
    if network.slot_errors_ms is not None:
        return network.slot_errors_ms
    if network.times_estimated:  # only the utterance is known
        return slot_errors(network.slot_spans_ms, network.start_ms, network.end_ms)
    return np.zeros(len(network), np.int32)


def slot_errors(slot_spans_ms: Int32s, start_ms: int, end_ms: int) -> Int32s:
    """The largest errors of the estimated times of slots between two known times.

    Args:
        slot_spans_ms: (n, 2) start, end as they were estimated.
        start_ms, end_ms: the two times.

    Returns:
        (n,) ms.
    """
    off = np.maximum(end_ms - slot_spans_ms[:, 0], slot_spans_ms[:, 1] - start_ms)
    return np.maximum(off, 0).astype(np.int32)


def _array(values: Sequence[Any], dtype: type[Scalar]) -> npt.NDArray[Scalar]:
    return np.array(values, dtype=dtype)


def _ends(counts: npt.NDArray[Any]) -> Int64s:
    """(k + 1,) first row of each of k ranges of given lengths, and the end."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])


def _joined(
    columns: Sequence[npt.NDArray[Any]], dtype: type[Scalar], width: int | None = None
) -> npt.NDArray[Scalar]:
    """Concatenate columns of (n,) or (n, width), also when there are none."""
    shape = (0,) if width is None else (0, width)
    return np.concatenate([np.empty(shape, dtype), *columns]).astype(dtype, copy=False)


class UtteranceSpan(NamedTuple):
    """Where an utterance lies in its recording."""

    recording: Recording
    start_s: float
    end_s: float


def span_of(
    segments: Mapping[str, UtteranceSpan], utterance: str, path: Path | str, line: int
) -> UtteranceSpan:
    """Return an utterance's segment.

    Raises:
        InputError: the segments do not name it.
    """
    if utterance not in segments:
        raise InputError(path, line, "an utterance that the segments name", utterance)
    return segments[utterance]
