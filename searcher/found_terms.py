"""Terms in a prepared index: their places in each language.

prepare                segments, configuration, model -> PreparedIndex, made once at the first use:
                       the recordings, their copies (`searcher.index.copies`), and the segments of
                       each language, searched as a separate index
find_terms             terms -> their places in the segments of each language
    requested            the words of the terms, and what words with * stand for in the whole index
                         (`searcher.terms.wildcards`); then each language is searched separately,
                         and a word that its segments lack is OOV there
    as_terms             the possible word sequences of spoken queries (`searcher.terms.variants`)
    find_by_words        look-up, compound splitting, expansion (`searcher.lexical.candidates`)
    find_by_phones       phonetic search (`searcher.phonetic.candidates`)
    heard_search         the phones heard in the sound (`searcher.heard.search`)
    calibrate            probabilities, if a term occurs (`searcher.evidence.calibrate`)
    mixed                the probabilities of spoken queries (`searcher.evidence.pairing`)

A program that shows its progress may search a long list in parts; the list is judged as a whole
(`searcher.search.judge`).
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from searcher.calibration.model import Model
from searcher.evidence.calibrate import calibrate
from searcher.evidence.pairing import mixed
from searcher.heard.search import heard_search
from searcher.index.copies import Copies, find_copies, live_counts, without_copies
from searcher.index.searched_speech import SearchedSpeech
from searcher.index.stores import RecordingTable, by_language, recording_table
from searcher.lexical.candidates import find_by_words
from searcher.phonetic.candidates import PreparedLanguage, find_by_phones
from searcher.results.candidates import FoundTerms
from searcher.terms.request import Request, SpokenWords, require_terms
from searcher.terms.typed_words import looked_up
from searcher.terms.variants import as_terms
from searcher.terms.wildcards import Expansion, expand, is_wildcard
from std.config import Config
from std.corrections import CorrectedWord, words_that_stand
from std.errors import StdError
from std.execution.stop import TimeLimit, stopped_by
from std.execution.workers import IN_PROCESS, Executor
from std.metadata.table import NO_METADATA, Metadata
from std.spoken_queries import SpokenQuery
from std.store import Segment
from std.values import Recording, SearchMode, Term


@dataclass(frozen=True, eq=False)
class PreparedIndex:
    """A snapshot; candidates do not depend on the division into segments."""

    segments: tuple[Segment, ...]
    table: RecordingTable
    copies: Copies  # of all languages
    config: Config
    languages: tuple[PreparedLanguage, ...]  # the one with most speech first
    certain: Mapping[Recording, Sequence[CorrectedWord]] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """The count of each word in live recordings."""
        return live_counts(self.segments)

    @property
    def has_model(self) -> bool:
        """Whether a model of `std-tune` is used."""
        return any(language.model for language in self.languages)


def prepare(
    segments: Sequence[Segment],
    config: Config,
    model: Model | None = None,
    folder: Path | None = None,
    metadata: Metadata = NO_METADATA,
) -> PreparedIndex:
    """Prepare segments for searches.

    Args:
        model: a model of `std-tune`; None = the shipped weights. A model of another language gives
            its weights, not its phone confusions.
        folder: the folder of the index, if it has one, for stored statistics.
    """
    table = recording_table(segments)
    needs_language = config.expansion.words != "none" or config.search.spelling != "exact"
    originals: dict[Recording, Recording] = {}
    languages, certain = [], words_that_stand(metadata)
    for group in by_language(segments, named=needs_language):
        copies = find_copies(group.segments)
        originals |= copies.originals
        languages.append(
            PreparedLanguage(
                group.language,
                without_copies(group.segments, copies),
                tuple(table.rows[segment] for segment in group.segments),
                table,
                group.configured(config),
                folder,
                certain,
                model,
            )
        )
    return PreparedIndex(
        tuple(segments), table, Copies(originals), config, tuple(languages), certain
    )


def find_terms(
    terms: Sequence[Term],
    index: PreparedIndex,
    speech: SearchedSpeech,
    *,
    mode: SearchMode = "list",
    spoken: Sequence[SpokenQuery] = (),
    by_phones: bool = True,
    workers: Executor = IN_PROCESS,
    advance: Callable[[float], None] = lambda share: None,
) -> FoundTerms:
    """Find the candidates of every term in every segment, with their probabilities if it occurs.

    Args:
        terms: what to search for; their words are normalised as the index's are.
        speech: candidates outside it are left out and counted.
        mode: ``adhoc`` looks up in-vocabulary terms by their words only, if there is no model,
            which takes milliseconds.
        spoken: spoken queries, as further terms.
        by_phones: whether terms are searched by phones, as the configuration says.
        workers: the executor of the segments.
        advance: called with each finished share of the work; the shares add up to 1 at most, as
            words are looked up all at once.

    Raises:
        StdError: this takes more candidates, or seconds, than the configuration allows.
        TypeError: a term is no `std.Term`.
    """
    begin = time.perf_counter()
    terms = (*require_terms(terms), *(query.term for query in spoken))
    request = requested(terms, index, speech, mode, spoken, by_phones=by_phones)
    n = max(1, len(index.languages))
    request = request._replace(workers=workers, advance=lambda share: advance(share / n))
    of_language = []
    with stopped_by(time_limit(index.config.search.max_seconds)):
        for language in index.languages:
            asked = request
            if spoken:
                asked = asked.with_alternatives(
                    as_terms(asked.spoken, language.counts, language.doubt)
                )
            found = find_by_words(asked, language)
            phonetic, left_out = find_by_phones(asked, language, found)
            heard = heard_search(asked, language, phonetic)
            phonetic = heard.phonetic if heard else phonetic
            found = calibrate(asked, language, found, phonetic, heard)
            if spoken:
                found = mixed(asked, found)
            found = found._replace(left_out=left_out, is_phonetic=phonetic is not None)
            of_language.append(found)
    seconds = time.perf_counter() - begin
    words = request.words
    return FoundTerms(terms, words, request.wildcards, tuple(of_language), speech, seconds)


def requested(
    terms: Sequence[Term],
    index: PreparedIndex,
    speech: SearchedSpeech,
    mode: SearchMode,
    spoken: Sequence[SpokenQuery],
    *,
    by_phones: bool,
) -> Request:
    """The request that is searched in every language.

    Args:
        terms: written terms, then those of the spoken queries.
    """
    config, is_adhoc = index.config, mode == "adhoc"
    words = tuple(_spoken(config.text.phrase(term.text), index) for term in terms)
    phonetic_words = config.phonetic_search.words if by_phones else "none"
    if is_adhoc and phonetic_words == "all" and not index.has_model:
        phonetic_words = "unknown"
    alternatives = tuple(
        tuple(SpokenWords(config.text.phrase(one.words), one.weight) for one in query.alternatives)
        for query in spoken
    )
    return Request(
        words,
        expand_wildcards(words, index) if is_adhoc else {},
        phonetic_words,
        None if speech.excerpts is None else index.copies.searched(speech.excerpts),
        alternatives,
        is_typed=is_adhoc,
        fold_accents=is_adhoc or config.text.fold_accents,
        spoken_by=speech.spoken_by,
    )


def _spoken(words: tuple[str, ...], index: PreparedIndex) -> tuple[str, ...]:
    """A term's words without signs that the index lacks, such as the & of rock & roll."""
    signs = {word for word in words if not any(c.isalnum() or c == "*" for c in word)}
    if signs:
        signs = {word for word in signs if not index.counts.get(word)}
    said = tuple(word for word in words if word not in signs) or words
    return looked_up(said, index.counts.get)


def time_limit(seconds: float) -> TimeLimit:
    """The time limit of a search; 0 = no limit."""
    reason = f"the search took more than {seconds:g} s ([search] max_seconds) and was stopped"
    return TimeLimit(seconds, StdError(reason))


def expand_wildcards(
    terms: Sequence[tuple[str, ...]], index: PreparedIndex
) -> dict[str, Expansion]:
    """The words that the wildcards of the terms stand for."""
    patterns = sorted({word for words in terms for word in words if is_wildcard(word)})
    if not patterns:
        return {}
    return expand(patterns, index.counts, index.config.search.wildcard_words)
