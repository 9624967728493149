"""The common interface of an index and of fused indexes: terms as text in, hits out.

SearchableIndex    `searcher.api.Index`, `searcher.fusion.fused_index.FusedIndex`
"""

from abc import abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import get_args

import numpy as np

from searcher.index.copies import live_counts
from searcher.lexical.deduplicate import best_of_each_place
from searcher.open_snapshot import OpenSnapshot
from searcher.queries.combined import Searched, UnitHits, UnitKind, places, units
from searcher.queries.events import read_asked
from searcher.queries.units import recordings_as_units, turns, unfitting
from searcher.results.hits import Hits, WordKind
from searcher.results.search_result import SearchResult, require_probability
from searcher.terms.description import words_of
from searcher.terms.related_forms import RelatedForms
from searcher.terms.vocabulary import Vocabulary, of_counts
from searcher.terms.wildcards import is_wildcard
from std.characters import text_of
from std.config import SHOWN_FROM
from std.errors import quoted
from std.execution.workers import IN_PROCESS, Executor
from std.languages.detection import of_segment
from std.metadata.table import SPEAKER
from std.query.expression import columns_in
from std.query.grammar import parse_where
from std.recordings import OWN_COLUMNS, Recordings
from std.store import Segment
from std.store.speakers import Speakers
from std.values import Term


class SearchableIndex(OpenSnapshot):
    """A snapshot that people search."""

    @property
    @abstractmethod
    def speaker_segments(self) -> Sequence[Segment]:
        """The segments with the names of speakers."""

    def find(
        self,
        *terms: str,
        where: str | None = None,
        recordings: Sequence[str] = (),
        min_probability: float = SHOWN_FROM,
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """Search terms as `search` does, and return the complete result.

        The terms of a query (`std.query`) are its words; a text without operators and conditions is
        one term, as written.

        Raises:
            InputError: a term has no letter and no digit.
            StdError: ``where`` is not a condition, a pattern fits no recording, or a query is
                invalid.
        """
        self.require_open()
        require_probability(min_probability)
        asked = read_asked(terms, self.columns)
        wanted = self.adhoc_terms(asked.terms)
        speech = self.searched_speech(None, where, recordings)
        found = self.candidates(wanted, speech, mode="adhoc", workers=workers)
        if not asked.all_plain:
            found = places(found, asked, self._searched(where, recordings, "recording"))
        elif understood := tuple(asked.understood()):
            found = replace(found, understood=understood)
        given = (*asked.expressions, *([parse_where(where)] if where else []))
        if any(map(columns_in, given)):
            named = self.all_recordings(with_speakers=True)
            gaps = [line for one in given for line in unfitting(one, named, self.metadata)]
            found = replace(found, understood=(*found.understood, *dict.fromkeys(gaps)))
        return self.decided(found).at_least(min_probability)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The recognised words with their counts."""
        return of_counts(live_counts(self.segments))

    @cached_property
    def related_forms(self) -> RelatedForms:
        """The related forms of these words."""
        exact = self.config.search.spelling == "exact"
        return RelatedForms(self.vocabulary, {*map(of_segment, self.segments)}, exact=exact)

    def find_forms(
        self,
        *terms: str,
        where: str | None = None,
        recordings: Sequence[str] = (),
        min_probability: float = SHOWN_FROM,
        workers: Executor = IN_PROCESS,
    ) -> SearchResult:
        """Search the related forms of terms (*hauses*, *häuser* of *haus*) as separate terms.

        A place counts as the likeliest of the forms and the term itself. Queries with operators
        and words with ``*`` have no forms.

        Args:
            terms, where, recordings, min_probability, workers: as of `search`.

        Returns:
            the hits of forms; ``form_of`` has the term of each, ``forms`` counts them.
        """
        self.require_open()
        require_probability(min_probability)
        asked, phrase = read_asked(terms, self.columns), self.config.text.phrase
        plain = {text: phrase(text) for i, text in enumerate(asked.texts) if asked.is_plain(i)}
        plain = {text: words for text, words in plain.items() if not any(map(is_wildcard, words))}
        of_form = {
            form: text
            for text, words in reversed(plain.items())
            for form in self.related_forms.of_phrase(words)
            if form not in plain.values()
        }
        plain = plain if of_form else {}  # without forms there is nothing to search
        wanted = [Term(f"FORM-{i}", text_of(form)) for i, form in enumerate(of_form, start=1)]
        wanted += [Term(f"TERM-{i}", text) for i, text in enumerate(plain, start=1)]
        form_of = (*of_form.values(), *plain)
        speech = self.searched_speech(None, where, recordings)
        found = self.candidates(wanted, speech, mode="adhoc", by_phones=False, workers=workers)
        decided = self.decided(replace(found, form_of=form_of))
        number = {text: row for row, text in enumerate(plain)}
        of_term = np.array([number[text] for text in form_of], np.int64)
        places = decided.candidates._replace(term=of_term[decided.candidates.term])
        best = decided.rows(best_of_each_place(places, decided.probability))
        return best.rows(best.candidates.term < len(of_form)).at_least(min_probability)

    def find_units(
        self,
        query: str,
        unit: UnitKind = "recording",
        *,
        where: str | None = None,
        recordings: Sequence[str] = (),
        min_probability: float = SHOWN_FROM,
        workers: Executor = IN_PROCESS,
    ) -> UnitHits:
        """The recordings, or the turns of speakers, in which a query holds, the likeliest first.

        Args:
            query: words, operators and conditions (`std.query`), also ``NOT goodbye``.
            unit: ``recording`` or ``turn``.
            where, recordings: search some recordings only, see `recordings`.
            min_probability: least probability of the results.
            workers: see `search_terms`.

        Raises:
            StdError: the query is invalid, or the index has no speakers for turns.
            ValueError: ``unit`` or ``min_probability`` is invalid.
        """
        self.require_open()
        require_probability(min_probability)
        if unit not in get_args(UnitKind):
            raise ValueError(f"unit: expected recording or turn, got {quoted(unit)}")
        asked = read_asked([query], self.columns, need_words=False)
        wanted = self.adhoc_terms(asked.terms)
        speech = self.searched_speech(None, where, recordings)
        found = self.candidates(wanted, speech, mode="adhoc", workers=workers)
        searched = self._searched(where, recordings, unit)
        return units(found, asked, searched, unit, min_probability)

    def phrases(self, text: str, *, need_words: bool = True) -> tuple[str, ...]:
        """The words and phrases of a query; a text without operators itself.

        Args:
            text: a term or a query.
            need_words: refuse a query without words that are said, which has no places.

        Raises:
            QueryError: the query is invalid."""
        (found,) = read_asked([text], self.columns, need_words=need_words).terms_of_each
        return found

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of columns for the conditions of a query."""
        names = {*OWN_COLUMNS, *self.metadata.names}
        segments = self.speaker_segments
        if any(any(Speakers.of(segment).names) for segment in segments):
            names.add(SPEAKER)
        return frozenset(names)

    def _searched(self, where: str | None, recordings: Sequence[str], unit: UnitKind) -> Searched:
        """The searched data of a query."""
        segments = self.speaker_segments
        searched = self.recordings(where=where, recordings=recordings)
        named = {one.recording: one for one in self.all_recordings(with_speakers=True)}
        searched = Recordings(named[one.recording] for one in searched)
        if unit == "turn":
            divided = turns(searched, segments)
        else:
            divided = recordings_as_units(searched, self.segments)
        return Searched(divided, self.metadata, segments, self.copies)

    def outside_words(self, result: SearchResult, but: Collection[WordKind] = ()) -> SearchResult:
        """The detections outside other words; an evaluation by words counts the others as wrong.

        Args:
            result: the result of a search of this index.
            but: kinds of containing words that are permitted (`searcher.output.explain`).
        """
        hits = self.hit_columns(result)
        return result.rows(
            np.array([not one or one.kind in but for one in hits.within_words()], bool)
        )

    def search(
        self,
        *terms: str,
        decide: bool = False,
        where: str | None = None,
        recordings: Sequence[str] = (),
        inflections: bool = False,
        min_probability: float = SHOWN_FROM,
        workers: Executor = IN_PROCESS,
    ) -> Hits:
        """Search terms; hits of all of them, the most probable first.

        Args:
            terms: words or phrases; ``*`` stands for any letters of a word. Or queries, as
                ``polizei AND NOT gewalt`` (`std.query`): the places of their words.
            decide: accept or reject each hit (``config.decision``).
            where, recordings: search some recordings only, see `recordings`; decisions then refer
                to these recordings, as to the speech of an ECF.
            inflections: also find related forms, listed after the hits of the terms, see
                `find_forms`.
            min_probability: the least probability of hits; less likely ones are left out. 0 = all.
            workers: the executor of the segments, see `std.execution.processes.executor`.

        Raises:
            InputError: a term has no letter and no digit.
            StdError: ``where`` is not a condition, or a pattern fits no recording. TypeError: a
                term is not a text, or ``recordings`` is a text.
            ValueError: the index is closed.
        """
        hits = Hits()
        for find in (self.find, self.find_forms)[: 1 + inflections]:
            found = find(
                *terms, where=where, recordings=recordings, min_probability=min_probability,
                workers=workers,
            )  # fmt: skip
            hits += sorted(self.hits(found, decided=decide), key=lambda hit: -hit.probability)
        return hits

    def adhoc_terms(self, terms: Sequence[str]) -> list[Term]:
        """Convert typed texts to terms.

        Raises:
            InputError: a text has no letter and no digit.
            ValueError: the index is closed.
        """
        self.require_open()
        for term in terms:
            words_of(term, self.config.text)
        return [Term(f"TERM-{i}", text) for i, text in enumerate(terms, start=1)]
