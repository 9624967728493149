"""Search the segments of one language: what its recogniser never wrote is OOV there.

search_language      candidates of every term, with probabilities
    as_terms             weights of what spoken queries may be (`searcher.query_alternatives`)
    variants_in          word sequences to look up (`searcher.term_variants`)
    search_segment       look-up and join in every segment, by any worker
                         (`searcher.lexical.lookup`)
    spoken_variants      likewise of spoken queries: all that the recogniser took them for
    phonetic_hits        alignment of their phones (`searcher.phonetic_candidates`)
    calibrate            probabilities of both (`searcher.calibrated_candidates`)
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from searcher.calibrated_candidates import PhoneticResult, calibrate
from searcher.calibration.archive import archive_of
from searcher.calibration.model import Model, default_model
from searcher.candidates import Candidates, concatenate, in_order
from searcher.languages import Group
from searcher.lexical.lookup import Plan, SegmentResult, inside_ecf, search_segment
from searcher.lexical.wildcards import Expansion
from searcher.pairing import SearchedArchive
from searcher.phonetic_candidates import Weighted, phonetic_hits, pronounced, pronounced_queries
from searcher.phonetic_indexes import PhoneticIndexes, open_phonetic_indexes
from searcher.query_alternatives import as_terms
from searcher.recording_table import RecordingTable
from searcher.spellings import same_words
from searcher.term_variants import spoken_variants, variants_in
from searcher.variant import Variant
from std.config import Config
from std.ecf_filter import speech_s
from std.errors import ConfigError
from std.execution.workers import Executor
from std.phonetics.phones import Pronunciation
from std.spoken_queries import SpokenQuery
from std.store import vocabulary_counts
from std.store.columns import Int64s
from std.values import Bools, Excerpt, Float64s


class Request(NamedTuple):
    """What is searched for in each language."""

    words: tuple[tuple[str, ...], ...]  # of each term, normalised
    wildcards: Mapping[str, Expansion]  # of the words with *, in all the index
    config: Config
    excerpts: Sequence[Excerpt] | None
    model: Model | None
    table: RecordingTable  # that candidates point into
    workers: Executor
    index_folder: Path | None
    spoken: tuple[SpokenQuery, ...] = ()  # what the last of the terms were spoken as

    @property
    def written(self) -> int:
        """How many terms, the first ones, were written."""
        return len(self.words) - len(self.spoken)

    @property
    def is_spoken(self) -> Bools:
        """(terms,) which are spoken queries."""
        return np.arange(len(self.words)) >= self.written

    @property
    def has_wildcard(self) -> Bools:
        """(terms,) which have a wildcard."""
        return np.array([not self.wildcards.keys().isdisjoint(term) for term in self.words], bool)


class LanguageResult(NamedTuple):
    """The candidates of every term in the segments of one language."""

    candidates: Candidates  # their scores are probabilities, if the term occurs
    occurs: Float64s  # (terms,) the probability that it does
    variants: tuple[Variant, ...]  # that they point into
    found_words: set[str]  # words of the variants and wildcards that these segments have
    outside_ecf: int  # candidates left out
    is_phonetic: bool  # whether phonetic search took part: its hits may overlap other candidates
    without_phones: tuple[str, ...]  # languages of segments left out of phonetic search
    without_model: str  # pronouncer of these segments, if the model is of another


def search_language(request: Request, group: Group) -> LanguageResult:
    """Search every term in the segments of one language."""
    config, model = group.configured(request.config), request.model
    if request.spoken:
        counts = vocabulary_counts(group.segments)
        request = request._replace(spoken=as_terms(request.spoken, counts, config.text))
    lexical, variants, found_words, outside_ecf = _search_words(request, group, config)
    is_oov = np.array(
        [any(word not in found_words for word in term) for term in request.words], dtype=bool
    )
    is_oov[request.is_spoken] = False  # their words are a guess: they are one kind of terms
    calibrated = config.calibration.words
    is_calibrated = is_oov if calibrated == "unknown" else np.full_like(is_oov, calibrated == "all")
    phonetic_result, without_phones, without_model = _search_phones(request, group, config, is_oov)
    candidates, variants, occurs = calibrate(
        request.words,
        (is_calibrated & ~request.has_wildcard) | request.is_spoken,
        is_oov,
        lexical,
        variants,
        phonetic_result,
        model or default_model(),
        {
            row: query.alternatives[0].weight
            for row, query in enumerate(request.spoken, request.written)
            if query.alternatives
        },
    )
    return LanguageResult(
        candidates,
        occurs,
        variants,
        found_words,
        outside_ecf,
        phonetic_result is not None,
        without_phones,
        without_model,
    )


def _search_phones(
    request: Request, group: Group, config: Config, is_oov: Bools
) -> tuple[PhoneticResult | None, tuple[str, ...], str]:
    """Search terms by their phones.

    Returns:
        what was found, None without phonetic search; the languages of the segments without phones;
        the pronouncer of these segments, if the model is of another.
    """
    is_searched = phonetic_terms(is_oov, config) & ~request.has_wildcard
    is_searched |= request.is_spoken  # the recogniser may have misheard them in words it knows
    if not is_searched.any():
        return None, (), ""
    is_needed = request.model is not None or bool(request.spoken)
    is_needed |= bool((is_oov & is_searched).any())
    try:
        phonetic, without_phones = open_phonetic_indexes(
            group.segments, request.table.row_of, config, request.model
        )
    except ConfigError:  # the pronouncer is not installed: known terms are found by their words
        if is_needed:
            raise
        phonetic, without_phones = None, ()
    if phonetic is None:
        return None, without_phones if is_needed else (), ""
    written = request.words[: request.written]
    terms = [words if is_searched[i] else () for i, words in enumerate(written)]
    inside = partial(inside_ecf, recordings=request.table.recordings, excerpts=request.excerpts)
    pronunciations: list[Sequence[Pronunciation] | Weighted] = [
        *pronounced(terms, phonetic.lexicon),
        *pronounced_queries(request.spoken, phonetic.lexicon, config.text),
    ]
    hits = phonetic_hits(pronunciations, phonetic, inside, request.workers)
    without_model = phonetic.pronouncer if request.model and not phonetic.model else ""
    return (
        PhoneticResult(hits, phonetic, searched_archive(request, phonetic)),
        without_phones,
        without_model,
    )


def searched_archive(request: Request, phonetic: PhoneticIndexes) -> SearchedArchive:
    """What is known of the segments that are searched by phones."""
    archive = archive_of(
        phonetic.indexes, phonetic.confusion_counts, request.index_folder, request.workers
    )
    quality = archive.quality_in(phonetic.recordings, len(request.table.recordings))
    if request.excerpts is None:
        return SearchedArchive(archive, quality, 1.0)
    live_s = {
        indexed.recording: indexed.speech_ms / 1000
        for index in phonetic.indexes
        for row, indexed in enumerate(index.columns.recordings)
        if index.live[row]
    }
    searched_s = speech_s([one for one in request.excerpts if one.recording in live_s])
    return SearchedArchive(archive, quality, min(1.0, searched_s / max(sum(live_s.values()), 1e-3)))


def phonetic_terms(is_oov: Bools, config: Config) -> Bools:
    """(terms,) which are searched by their phones."""
    if config.phonetic_search.words == "none":
        return np.zeros_like(is_oov)
    return np.ones_like(is_oov) if config.phonetic_search.words == "all" else is_oov


def _search_words(
    request: Request, group: Group, config: Config
) -> tuple[Candidates, tuple[Variant, ...], set[str], int]:
    """Look up the variants of every term in every segment.

    Returns:
        candidates, ordered; the variants that they point into; the variants' words that these
        segments have; the number of candidates outside the ECF.
    """
    written = request.words[: request.written]
    wildcards = {pattern: one.words for pattern, one in request.wildcards.items()}
    spelt = _spellings(request, group, config)
    of_term = variants_in(
        written, group.segments, config, request.index_folder, request.wildcards, spelt
    )
    of_term += [spoken_variants(query, config.text) for query in request.spoken]
    variants = tuple(variant for variants in of_term for variant in variants)
    term_of_variant = np.repeat(np.arange(len(of_term)), [len(variants) for variants in of_term])
    plan = Plan(variants, term_of_variant, config, request.excerpts, {**wildcards, **spelt})
    found_words: set[str] = set()
    outside_ecf, parts, variant_table = 0, [], VariantTable(variants)
    tasks = [
        (piece, segment)
        for segment in group.segments
        for piece in plan.pieces(group.segments, request.workers)
    ]
    results = request.workers.map(search_segment, tasks)
    for (piece, segment), part in zip(tasks, results, strict=True):
        found_words |= part.in_vocabulary
        outside_ecf += part.outside
        rows = request.table.rows[segment]
        parts.append(variant_table.renumbered(part, piece, rows))
    candidates = parts[0] if len(parts) == 1 else in_order(concatenate(parts))
    return candidates, variant_table.all(), found_words, outside_ecf


def _spellings(request: Request, group: Group, config: Config) -> dict[str, tuple[str, ...]]:
    """Words of the terms that these segments spell in other ways, too."""
    if config.search.spelling == "exact":
        return {}
    words = {word for term in request.words for word in term}
    return same_words(words, group.segments, group.language)


class VariantTable:
    """The variants of a search, and those that wildcards become in its segments."""

    def __init__(self, planned: Sequence[Variant]) -> None:
        self._planned = tuple(planned)
        self._expanded: dict[tuple[int, Variant], int] = {}  # by family, in the order they came

    def renumbered(self, part: SegmentResult, piece: Plan, recordings: Int64s) -> Candidates:
        """A segment's candidates of a piece of the plan, in the numbers of the whole search.

        Args:
            part: of the segment.
            piece: of the plan.
            recordings: (R,) row of each of the segment's recordings in the search's table.
        """
        candidates, first = part.candidates, piece.first_variant
        numbers = np.arange(first, first + len(piece.variants) + len(part.wildcard_variants))
        at = candidates.variant - len(piece.variants)
        for i in np.unique(at[at >= 0]).tolist():
            family = first + int(candidates.family[np.argmax(at == i)])
            key = family, part.wildcard_variants[i]
            number = self._expanded.setdefault(key, len(self._planned) + len(self._expanded))
            numbers[len(piece.variants) + i] = number
        return candidates._replace(
            recording=recordings[candidates.recording],
            variant=numbers[candidates.variant],
            family=candidates.family + first,
        )

    def all(self) -> tuple[Variant, ...]:
        """Every variant that candidates may point to."""
        return (*self._planned, *(variant for _, variant in self._expanded))
