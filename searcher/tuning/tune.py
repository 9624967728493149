"""Learn from a development set: how sounds are confused, and what evidence is worth.

    transcript --missed words-->  where the recogniser wrote something else
    align each, count, repeat --> confusion counts (expectation maximisation, best path only)
    transcript + terms  -->       queries: words the index lacks, words and pairs that it has
    search each, mark right hits  --> examples --> weights of the evidence

Confusions are counted only where a word was missed: where words are right their phones are too,
and those of out-of-vocabulary (OOV) words are not.
"""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from searcher.calibration.archive import archive_of
from searcher.calibration.decoys import LENGTHS, draw_decoys, phone_chain
from searcher.calibration.features import Evidence, iv_features
from searcher.calibration.model import Model, default_model
from searcher.calibration.weights import Examples, Weights, examples_of, fit, refit
from searcher.candidates import NONE, Candidates
from searcher.pairing import Paired, SearchedArchive, pair_with_hits
from searcher.phonetic.alignment import align_windows
from searcher.phonetic.index import PhoneticIndex
from searcher.phonetic.ratios import background, confusion_log_ratios, ratios_in
from searcher.phonetic_candidates import (
    Inside,
    PhoneticHits,
    PhoneticIndexes,
    phonetic_hits,
    pronounced,
)
from searcher.tuning.reference import Transcript, correct_hits, find_occurrences
from std.errors import ConfigError
from std.phonetics.confusion import Confusion, Counts
from std.phonetics.phones import Pronunciation
from std.store.columns import MAX_TIME_MS, Int64s
from std.values import Bools, Float64s

ROUNDS = 3  # of expectation maximisation; the fourth changes nothing that counts
MISSED_BELOW = 0.3  # posterior of a spoken word below which it counts as missed
MIN_QUERY_PHONES = 4  # of a query; shorter ones are learned from badly
NEAR_MS = 250  # how far from the transcript's times an alignment may lie
MIN_SCORE = -3.0  # of an alignment that is counted
IV_WORDS, IV_PAIRS = 500, 350  # queries drawn for the calibration of in-vocabulary (IV) terms
ABSENT, ABSENT_SEED = 0.15, 2  # decoys for each OOV phrase: terms that were not said
MIN_EXAMPLES = 30  # correct hits without which nothing is learned

WrittenSearch = Callable[[Sequence[Sequence[str]]], list[Candidates]]
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Token:
    """A word that was spoken and not recognised; its recording counts in the transcript."""

    recording: int
    start_ms: int
    end_ms: int
    word: str


def tune(
    transcript: Transcript,
    indexes: PhoneticIndexes,
    written: WrittenSearch,
    terms: Sequence[Phrase],
    inside: Inside,
    *,
    seed: int = 1,
    progress: Callable[[float], None] = lambda share: None,
) -> Model:
    """Learn a model from a development set.

    Args:
        transcript: of the development set; its recordings are the search's table.
        indexes: the phonetic indexes, without a model.
        written: searches phrases by their words; candidates merged, one list per phrase.
        terms: further queries, above all phrases.
        inside: which places lie inside the transcribed speech.

    Raises:
        ConfigError: there is too little to learn from.
    """
    confusion = learn_confusion(transcript, indexes)
    progress(0.2)
    tuned = PhoneticIndexes(
        indexes.indexes, indexes.recordings, indexes.lexicon, _with_confusion(indexes, confusion)
    )
    oov, in_vocabulary = queries(transcript, indexes, terms, seed)
    oov_weights, n_oov = learn(transcript, tuned, written, oov, inside, in_vocabulary=False)
    progress(0.5)
    iv_weights, n_iv = learn(transcript, tuned, written, in_vocabulary, inside, in_vocabulary=True)
    return Model(
        indexes.pronouncer,
        confusion,
        oov_weights,
        iv_weights,
        {
            "recordings": len(transcript.recordings),
            "words": len(transcript.words),
            "phones_aligned": float(confusion.substituted.sum() + confusion.deleted.sum()),
            "unknown_queries": len(oov),
            "unknown_right": n_oov,
            "known_queries": len(in_vocabulary),
            "known_right": n_iv,
        },
    )


def queries(
    transcript: Transcript, indexes: PhoneticIndexes, terms: Sequence[Phrase], seed: int
) -> tuple[list[Phrase], list[Phrase]]:
    """Phrases to learn from: those with a word the index lacks, and those without.

    A term list is small; every word of the transcript that the index lacks is an OOV word
    that was really spoken, and makes as good an example. IV phrases may be short: they are found
    by their words.
    """
    vocabulary = {word for index in indexes.indexes for word in index.words}
    single: set[Phrase] = {(word,) for word in transcript.words}
    follows = (transcript.recording[1:] == transcript.recording[:-1]) & (
        transcript.start_ms[1:] - transcript.end_ms[:-1] < 500
    )
    pairs = {transcript.words[i : i + 2] for i in np.flatnonzero(follows).tolist()}
    asked = sorted(single | set(terms))
    sounds = pronounced(asked, indexes.lexicon)
    audible = {
        words for words, ways in zip(asked, sounds, strict=True)
        if ways and len(ways[0]) >= MIN_QUERY_PHONES
    }  # fmt: skip
    oov = sorted(words for words in audible if not vocabulary.issuperset(words))
    in_vocabulary = {words for words in asked if vocabulary.issuperset(words)}
    rng = random.Random(seed)  # a sample, not a secret
    words = sorted(single & in_vocabulary)
    both = sorted(words for words in pairs if vocabulary.issuperset(words))
    drawn = rng.sample(words, min(IV_WORDS, len(words)))
    drawn += rng.sample(both, min(IV_PAIRS, len(both)))
    return oov, sorted({*drawn, *(in_vocabulary & set(terms))})


def learn(
    transcript: Transcript,
    indexes: PhoneticIndexes,
    written: WrittenSearch,
    phrases: Sequence[Phrase],
    inside: Inside,
    *,
    in_vocabulary: bool,
) -> tuple[Weights, int]:
    """Weights of the evidence for terms of one kind, and from how many right places.

    Args:
        transcript: of the development set.
        indexes: phonetic indexes, with the confusions learned.
        written: searches phrases by their words.
        phrases: to learn from.
        inside: which spans lie inside the transcribed speech.
        in_vocabulary: whether the phrases are in-vocabulary ones.

    Raises:
        ConfigError: there are too few.
    """
    prior = default_model().iv_weights if in_vocabulary else default_model().oov_weights
    if in_vocabulary:  # first what the words say, then what the phones add
        prior = refit(labelled_by_words(transcript, written, phrases), prior)
    examples = labelled(transcript, indexes, written, phrases, inside, in_vocabulary=in_vocabulary)
    n = int(np.count_nonzero(examples.is_right))
    if n < MIN_EXAMPLES or n == len(examples.is_right):
        kind = "knows" if in_vocabulary else "does not know"
        raise ConfigError(
            f"expected at least {MIN_EXAMPLES} occurrences of words that the index {kind} in "
            f"the transcript, got {n}"
        )
    return fit(examples, sorted(examples.features), prior), n


def labelled_by_words(
    transcript: Transcript, written: WrittenSearch, phrases: Sequence[Phrase]
) -> Examples:
    """The candidates that IV phrases have by their words, right or wrong.

    Args:
        transcript, written, phrases: see `learn`.
    """
    candidates = [
        (words, rows)
        for words, rows in zip(phrases, written(phrases), strict=True)
        if len(rows.term)
    ]
    hits = [
        (np.full(len(rows.term), i), rows.recording, rows.start_ms, rows.end_ms)
        for i, (_, rows) in enumerate(candidates)
    ]
    posteriors = [rows.score for _, rows in candidates]
    right = _correct_hits(transcript, [words for words, _ in candidates], hits, posteriors)
    evidence = [
        iv_features(rows.score, len(words), sum(map(len, words))) for words, rows in candidates
    ]
    ends = np.cumsum([len(one.offset) for one in evidence], dtype=np.int64)[:-1]
    return examples_of(evidence, np.split(right, ends) if evidence else [])


def labelled(
    transcript: Transcript,
    indexes: PhoneticIndexes,
    written: WrittenSearch,
    phrases: Sequence[Phrase],
    inside: Inside,
    *,
    in_vocabulary: bool,
) -> Examples:
    """The candidates of phrases, right or wrong; for OOV ones, of decoys that nobody said as well.

    Args:
        transcript, indexes, written, phrases, inside, in_vocabulary: see `learn`.
    """
    counts = indexes.confusion_counts
    archive = archive_of(indexes.indexes, counts, None)
    n_recordings = 1 + max(int(rows.max(initial=-1)) for rows in indexes.recordings)
    searched = SearchedArchive(archive, archive.quality_in(indexes.recordings, n_recordings), 1.0)
    found = dict(zip(phrases, written(phrases), strict=True))
    evidence: list[Evidence] = []
    hits: list[tuple[Int64s, ...]] = []  # of each phrase: term, recording, start_ms, end_ms
    scores: list[Float64s] = []
    with_hits = _phrases_with_hits(phrases, indexes, inside)
    for words, term_hits in with_hits:
        rows = found[words]
        paired = pair_with_hits(rows, term_hits, searched)
        alone = term_hits.hits.rows(paired.unpaired)
        posterior = paired.posterior if in_vocabulary else np.zeros(len(paired.posterior))
        hits.append(
            (
                np.full(len(posterior), len(hits)),
                np.concatenate([rows.recording, alone.recording]),
                np.concatenate([rows.start_ms, alone.start_ms]),
                np.concatenate([rows.end_ms, alone.end_ms]),
            )
        )
        scores.append(100 * posterior + paired.score)
        letters = sum(map(len, words))
        evidence.append(
            paired.iv_evidence(len(words), letters) if in_vocabulary else paired.oov_evidence()
        )
    right = _correct_hits(transcript, [words for words, _ in with_hits], hits, scores)
    ends = np.cumsum([len(one.offset) for one in evidence], dtype=np.int64)[:-1]
    labels = np.split(right, ends) if evidence else []
    if not in_vocabulary:
        for paired in _absent(len(with_hits), indexes, inside, searched):
            evidence.append(paired.oov_evidence())
            labels.append(np.zeros(len(paired.posterior), bool))
    return examples_of(evidence, labels)


def _absent(
    n_phrases: int, indexes: PhoneticIndexes, inside: Inside, searched: SearchedArchive
) -> Iterator[Paired]:
    """Hits of terms that were not said: a share of the phrases'."""
    of_length = round(ABSENT * n_phrases / len(LENGTHS))
    if not of_length:
        return
    decoys = draw_decoys(phone_chain(indexes.indexes), of_length, ABSENT_SEED)
    for term_hits in phonetic_hits([[decoy] for decoy in decoys], indexes, inside):
        if term_hits is not None:
            yield pair_with_hits(NONE, term_hits, searched)


def _correct_hits(
    transcript: Transcript,
    phrases: Sequence[Phrase],
    hits: Sequence[tuple[Int64s, ...]],
    scores: Sequence[Float64s],
) -> Bools:
    """(n,) which hits of all phrases, one phrase after the other, are where it was spoken."""
    if not hits:
        return np.empty(0, bool)
    term, recording, start_ms, end_ms = map(np.concatenate, zip(*hits, strict=True))
    occurrences = find_occurrences(transcript, phrases)
    return correct_hits(term, recording, start_ms, end_ms, np.concatenate(scores), occurrences)


def _phrases_with_hits(
    phrases: Sequence[Phrase], indexes: PhoneticIndexes, inside: Inside
) -> list[tuple[Phrase, PhoneticHits]]:
    """The phrases that can be pronounced, each with its hits in the speech."""
    term_hits = phonetic_hits(pronounced(phrases, indexes.lexicon), indexes, inside)
    return [(words, one) for words, one in zip(phrases, term_hits, strict=True) if one is not None]


def learn_confusion(transcript: Transcript, indexes: PhoneticIndexes) -> Counts:
    """Count what stands where missed words were spoken, aligning with the counts so far."""
    tokens = missed(transcript, indexes)
    words = [(one.word,) for one in tokens]
    sounds = pronounced(words, indexes.lexicon)
    pairs = [(one, ways[0]) for one, ways in zip(tokens, sounds, strict=True) if ways]
    inventory = sorted(
        {p for index in indexes.indexes for p in index.inventory} | {p for _, w in pairs for p in w}
    )
    p = len(inventory)
    background_counts = background(indexes.indexes, inventory)
    counts = Counts(tuple(inventory), np.zeros((p, p)), np.zeros(p), np.zeros(p), background_counts)
    for _ in range(ROUNDS):
        confusion = confusion_log_ratios(counts, indexes.indexes, [])
        counts = _count(pairs, indexes, confusion, background_counts)
    return counts


def missed(transcript: Transcript, indexes: PhoneticIndexes) -> list[Token]:
    """Spoken words that the networks do not have where they were spoken."""
    table = {row: (s, i) for s, rows in enumerate(indexes.recordings) for i, row in enumerate(rows)}
    word_id = [{word: i for i, word in enumerate(index.words)} for index in indexes.indexes]
    found = []
    for recording, start, end, word in zip(
        transcript.recording.tolist(),
        transcript.start_ms.tolist(),
        transcript.end_ms.tolist(),
        transcript.words,
        strict=True,
    ):
        if recording not in table:
            continue
        segment, local = table[recording]
        at = word_id[segment].get(word)
        seen = 0.0 if at is None else _posterior(indexes.indexes[segment], at, local, start, end)
        if seen < MISSED_BELOW:
            found.append(Token(recording, start, end, word))
    return found


def _posterior(index: PhoneticIndex, word: int, recording: int, start: int, end: int) -> float:
    """Summed posterior of a word's occurrences around the middle of a span."""
    columns = index.columns
    rows = slice(int(columns.posting_offsets[word]), int(columns.posting_offsets[word + 1]))
    key = columns.posting_keys(rows).astype(np.int64)
    middle = (recording << 32) + (start + end) // 2
    there = (key - 100 <= middle) & (middle <= key + columns.posting_duration_ms[rows] + 100)
    return float(columns.posting_posterior[rows][there].sum())


def _count(
    pairs: Sequence[tuple[Token, Pronunciation]],
    indexes: PhoneticIndexes,
    confusion: Confusion,
    background_counts: Float64s,
) -> Counts:
    """One round: align every missed word where it was spoken, and count."""
    row = {phone: i for i, phone in enumerate(confusion.inventory)}
    p = len(row)
    substituted, deleted, inserted = np.zeros((p, p)), np.zeros(p), np.zeros(p)
    table = {r: (s, i) for s, rows in enumerate(indexes.recordings) for i, r in enumerate(rows)}
    for token, phones in pairs:
        segment, local = table[token.recording]
        index = indexes.indexes[segment]
        ratios = ratios_in(phones, index, confusion)
        hits = align_windows(ratios, index, _window(index, local, token), MIN_SCORE)
        near = np.flatnonzero(
            (np.abs(hits.start_ms - token.start_ms) <= NEAR_MS)
            & (np.abs(hits.end_ms - token.end_ms) <= NEAR_MS)
        )
        if len(near) == 0:
            continue
        best = near[0]  # hits of a window come best first
        numbers = np.array([row[phone] for phone in index.inventory])
        for phone, observed in zip(phones, hits.observed[best].tolist(), strict=True):
            if observed < 0:
                deleted[row[phone]] += 1
            else:
                substituted[row[phone], numbers[observed]] += 1
        for observed in hits.inserted[best].tolist():
            if observed >= 0:
                inserted[numbers[observed]] += 1
    return Counts(confusion.inventory, substituted, deleted, inserted, background_counts)


def _window(index: PhoneticIndex, recording: int, token: Token) -> npt.NDArray[np.int64]:
    """(1, 2) the slots from a second before a word to a second after it."""
    key = index.columns.slot_key
    first = (recording << 32) + min(max(0, token.start_ms - 1000), MAX_TIME_MS)
    last = (recording << 32) + min(token.end_ms + 1000, MAX_TIME_MS)  # a transcript may go on
    return np.searchsorted(key, np.array([[first, last]], dtype=np.uint64)).astype(np.int64)


def _with_confusion(indexes: PhoneticIndexes, confusion: Counts) -> Model:
    """The shipped weights with confusions, to search with while the others are learned."""
    return replace(default_model(), pronouncer=indexes.pronouncer, confusion=confusion)
