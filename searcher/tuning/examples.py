"""Examples to learn from: candidates of phrases with labels (right, wrong, unknown).

    examples_of_phrases     of OOV and IV phrases, with labels from a `Judge`
        labelled_by_words       candidates that IV phrases have by their words
        labelled                candidates that phrases have by their words and their phones
    decoy_examples          of decoys, which nobody said
        decoy_evidence          the evidence of their hits

Labels come from the transcript (`by_transcript`), which has all of them, or from people's marks
(`searcher.tuning.labels`), which have some.
"""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from searcher.calibration.weights import Evidence, Examples, examples_of, together
from searcher.evidence.features import iv_features
from searcher.evidence.pairing import pair_with_hits
from searcher.index.searched_speech import inside_ecf
from searcher.phonetic.archive import SearchedArchive
from searcher.phonetic.hits import phonetic_hits
from searcher.phonetic.indexes import PhoneticIndexes, searched_archive
from searcher.phonetic.layout import PhoneticHits
from searcher.phonetic.null_distribution import LENGTHS, draw_decoy_words
from searcher.phonetic.ratios import mean_phones, pronounced
from searcher.results.candidates import NO_CANDIDATES, Candidates, Spans
from searcher.tuning.labels import (
    Judge,
    Labels,
    Phrase,
    Places,
    SearchByWords,
    TuningTranscript,
    correct_hits,
    find_occurrences,
)
from std.values import Excerpt, Recording

ABSENT_SHARE, ABSENT_SEED = 0.15, 2  # decoys for each OOV phrase: terms that were not said


class KindsOfExamples(NamedTuple):
    """Examples of terms with a word that the index lacks (OOV), and of the others (IV)."""

    oov: Examples
    iv: Examples


class JudgedSpeech(NamedTuple):
    """The part of an archive that the judge knows, in which phrases are searched."""

    indexes: PhoneticIndexes
    search_by_words: SearchByWords
    recordings: Sequence[Recording]  # that candidates point into
    excerpts: Sequence[Excerpt] | None  # None: all of the archive

    @property
    def part(self) -> PhoneticIndexes:
        """The recordings of the excerpts, or all recordings if these have no phones."""
        return self.indexes.within(self.excerpts) or self.indexes

    def found_by_words(self, phrases: Sequence[Phrase]) -> list[Candidates]:
        """The places of phrases by their words: one list per phrase."""
        return self.search_by_words(phrases, self.excerpts)

    def with_phones(self, phrases: Sequence[Phrase]) -> list[PhoneticHits | None]:
        """The phonetic hits of each phrase; None if it cannot be pronounced."""
        inside = partial(inside_ecf, recordings=self.recordings, excerpts=self.excerpts)
        null, none = self.searched().archive.null, np.zeros(len(phrases), np.int64)
        ways = pronounced(phrases, self.indexes.lexicon)
        return phonetic_hits(ways, none, none, self.part, null, inside)

    def searched(self) -> SearchedArchive:
        """The speech that is searched."""
        return searched_archive(self.part, self.excerpts)


def by_transcript(transcript: TuningTranscript) -> Judge:
    """A candidate is right if it is the best one of an occurrence in the transcript."""

    def judge(phrases: Sequence[Phrase], places: Places) -> Labels:
        if not len(places.phrase):
            return Labels.all_known(np.empty(0, bool))
        return Labels.all_known(correct_hits(*places, find_occurrences(transcript, phrases)))

    return judge


def examples_of_phrases(
    judge: Judge, speech: JudgedSpeech, oov: Sequence[Phrase], in_vocabulary: Sequence[Phrase]
) -> KindsOfExamples:
    """The examples of phrases.

    Args:
        oov: phrases with a word that the index lacks.
        in_vocabulary: the other phrases.
    """
    return KindsOfExamples(
        labelled(judge, speech, oov, in_vocabulary=False),
        labelled_of_any_length(judge, speech, in_vocabulary),
    )


def vocabulary_of(indexes: PhoneticIndexes) -> set[str]:
    """The words that the index has."""
    return {word for index in indexes.indexes for word in index.words}


def labelled_by_words(judge: Judge, speech: JudgedSpeech, phrases: Sequence[Phrase]) -> Examples:
    """The candidates that IV phrases have by their words."""
    highest = speech.searched().archive.highest_posterior
    candidates = [
        (words, rows)
        for words, rows in zip(phrases, speech.found_by_words(phrases), strict=True)
        if len(rows.term)
    ]
    places = [
        Places(
            np.full(len(rows.term), i), rows.recording, rows.start_ms, rows.end_ms, rows.probability
        )
        for i, (_, rows) in enumerate(candidates)
    ]
    speech_s = speech.part.speech_s
    evidence = [
        iv_features(rows.probability, len(words), sum(map(len, words)), highest, speech_s)
        for words, rows in candidates
    ]
    return _examples(judge, [words for words, _ in candidates], places, evidence)


def labelled(
    judge: Judge, speech: JudgedSpeech, phrases: Sequence[Phrase], *, in_vocabulary: bool
) -> Examples:
    """The candidates that phrases have by their words and their phones.

    Args:
        phrases: phrases that cannot be pronounced are left out.
    """
    searched, speech_s = speech.searched(), speech.part.speech_s
    found = dict(zip(phrases, speech.found_by_words(phrases), strict=True))
    evidence: list[Evidence] = []
    places: list[Places] = []
    with_hits = _phrases_with_hits(phrases, speech)
    for words, hits in with_hits:
        rows = found[words]
        paired = pair_with_hits(words, rows, hits, searched)
        posterior = paired.posterior if in_vocabulary else np.zeros(len(paired.posterior))
        places.append(
            Places(
                np.full(len(posterior), len(places)),
                *Spans.of(rows, hits.rows(paired.unpaired)),
                100 * posterior + paired.score,
            )
        )
        letters = sum(map(len, words))
        evidence.append(
            paired.iv_evidence(len(words), letters, speech_s)
            if in_vocabulary
            else paired.oov_evidence()
        )
    return _examples(judge, [words for words, _ in with_hits], places, evidence)


def labelled_of_any_length(
    judge: Judge, speech: JudgedSpeech, phrases: Sequence[Phrase]
) -> Examples:
    """As `labelled` for IV phrases; short phrases have the evidence of their words only."""
    by_phones = labelled(judge, speech, phrases, in_vocabulary=True)
    sounds = pronounced(phrases, speech.indexes.lexicon)
    short = [words for words, ways in zip(phrases, sounds, strict=True) if not ways]
    return together([by_phones, labelled_by_words(judge, speech, short)])


def decoy_examples(n_phrases: int, speech: JudgedSpeech) -> Examples:
    """Candidates of terms that were not said, all of them wrong.

    Args:
        n_phrases: the number of OOV phrases; the number of decoys is a share of it.
    """
    evidence = [
        one for _, one in decoy_evidence(round(ABSENT_SHARE * n_phrases / len(LENGTHS)), speech)
    ]
    return examples_of(evidence, [np.zeros(len(one.offset), bool) for one in evidence])


def decoy_evidence(of_length: int, speech: JudgedSpeech) -> list[tuple[float, Evidence]]:
    """Search decoys that are spelt as words.

    Args:
        of_length: the number of decoys by number of letters.

    Returns:
        for each decoy that can be pronounced: its number of phones (the mean of its
        pronunciations), and the evidence of its hits.
    """
    if not of_length:
        return []
    searched = speech.searched()
    decoys = draw_decoy_words(searched.words.counts, of_length, ABSENT_SEED)
    return [
        (
            mean_phones(hits.pronunciations),
            pair_with_hits(words, NO_CANDIDATES, hits, searched).oov_evidence(),
        )
        for words, hits in _phrases_with_hits([(word,) for word in decoys], speech)
    ]


def _examples(
    judge: Judge, phrases: Sequence[Phrase], places: Sequence[Places], evidence: Sequence[Evidence]
) -> Examples:
    """The evidence of places with their labels."""
    if not phrases:
        return examples_of([], [])
    labels = judge(phrases, Places(*map(np.concatenate, zip(*places, strict=True))))
    ends = np.cumsum([len(candidates.offset) for candidates in evidence], dtype=np.int64)[:-1]
    examples = examples_of(evidence, np.split(labels.is_right, ends))
    return examples._replace(is_known=labels.is_known)


def _phrases_with_hits(
    phrases: Sequence[Phrase], speech: JudgedSpeech
) -> list[tuple[Phrase, PhoneticHits]]:
    """The phrases that can be pronounced, each with its hits in the speech."""
    return [
        (words, hits_of_term)
        for words, hits_of_term in zip(phrases, speech.with_phones(phrases), strict=True)
        if hits_of_term is not None
    ]
