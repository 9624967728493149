"""Learn a model: phone confusions and weights of the evidence.

    transcript            --> confusion counts (`searcher.tuning.confusion`)
    transcript + terms    --> queries: words that the index lacks, words and pairs that it has
    queries, marked terms --> examples, right or wrong (`searcher.tuning.examples`)
    examples              --> weights of the evidence, near the shipped ones

Confusions are counted in a transcript only, not from marks.
"""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from searcher.calibration.model import DOUBT, Model, default_model
from searcher.calibration.weights import WEIGHT_RIDGE, Weights, refit, together
from searcher.phonetic.indexes import PhoneticIndexes
from searcher.phonetic.ratios import pronounced
from searcher.tuning.confusion import learn_confusion, nothing_counted, spoken_doubt
from searcher.tuning.examples import (
    JudgedSpeech,
    KindsOfExamples,
    by_transcript,
    decoy_examples,
    examples_of_phrases,
    labelled,
    labelled_of_any_length,
    vocabulary_of,
)
from searcher.tuning.gain import PULLS, Gain, HeldOut, Transcribed, expected_gain, halves
from searcher.tuning.labels import (
    MarkedPlace,
    Phrase,
    SearchByWords,
    TuningTranscript,
    by_marks,
    phrases_said,
    remembered,
)
from std.errors import ConfigError
from std.numbers import counted
from std.phonetics.confusion import Counts

MIN_QUERY_PHONES = 4  # of a query; shorter ones are learned from badly
IV_WORDS, IV_PAIRS = 500, 350  # queries drawn for the calibration of in-vocabulary (IV) terms
# Chosen on halves of sets: evidence is learned with confusions of the same speech, with which its
# places fit too well; marks come in clusters, many of few terms.
RIDGE = 10 * WEIGHT_RIDGE
USUAL_WORDS, USUAL_PAIRS, USUAL_OOV = 100, 50, 400  # terms that say how much evidence varies
MIN_EXAMPLES = 30  # right places of a transcript without which nothing is learned


def learned_model(
    transcribed: Transcribed | None,
    marked: Sequence[MarkedPlace],
    indexes: PhoneticIndexes,
    search_by_words: SearchByWords,
    *,
    seed: int = 1,
    even_if_worse: bool = False,
    progress: Callable[[float], None] = lambda share: None,
) -> Model:
    """Learn a model from a transcript, from marks, or from both.

    Args:
        transcribed: speech with its transcript; without one no phone confusions are learned.
        indexes: the phonetic indexes, without a model.
        seed: draws the in-vocabulary words of the transcript that are learned from.
        even_if_worse: return the model even if it is expected to lose on other speech.
        progress: called with the share that is done.

    Raises:
        ConfigError: there is too little to learn from, or tuning is expected to lose.
    """
    prior, gain = default_model(), None  # the shipped weights stay where examples say nothing
    search_by_words = remembered(search_by_words)
    if transcribed:
        gain = gain_of_tuning(transcribed, indexes, search_by_words, prior, seed)
        if gain and not even_if_worse:
            gain.require()
        progress(0.5)
        confusion = learn_confusion(transcribed.transcript, indexes)
    else:
        confusion = nothing_counted(indexes)
    progress(0.6)
    tuned = replace(indexes, model=_with_confusion(prior, indexes, confusion))
    sources: list[KindsOfExamples] = []
    learned_from: dict[str, float] = {}
    if transcribed:
        excerpts = transcribed.excerpts
        speech = JudgedSpeech(tuned, search_by_words, transcribed.transcript.recordings, excerpts)
        examples, figures = _of_transcript(transcribed, speech, seed)
        sources.append(examples)
        learned_from |= figures | {DOUBT: spoken_doubt(transcribed.transcript, indexes)}
        learned_from |= gain.figures() if gain else {}
    progress(0.8)
    if marked or not transcribed:
        speech = JudgedSpeech(tuned, search_by_words, (), None)
        examples, figures = examples_of_marks(marked, speech, seed)
        sources.append(examples)
        learned_from |= figures
    # Marks are of what people look for: each says something. Of a short transcript that is not so.
    pull = gain.pull if gain else RIDGE if marked else PULLS[-1]
    return Model(indexes.pronouncer, confusion, learn(sources, prior, pull), learned_from)


def gain_of_tuning(
    transcribed: Transcribed,
    indexes: PhoneticIndexes,
    search_by_words: SearchByWords,
    prior: Model,
    seed: int,
) -> Gain | None:
    """The gain of tuning on speech that it does not learn from; None if there is too little."""

    def examples(of: Transcribed, searched: PhoneticIndexes) -> KindsOfExamples:
        recordings = transcribed.transcript.recordings
        speech = JudgedSpeech(searched, search_by_words, recordings, of.excerpts)
        return _of_transcript(of, speech, seed)[0]

    first, second = halves(transcribed)
    held_out = []
    for learned_from, judged in ((first, second), (second, first)):
        confusion = learn_confusion(learned_from.transcript, indexes)
        tuned = replace(indexes, model=_with_confusion(prior, indexes, confusion))
        try:
            source = examples(learned_from, tuned)
            before, after = (together([*examples(judged, one)]) for one in (indexes, tuned))
        except ConfigError:
            return None
        held_out.append(HeldOut(before, after, partial(learn, [source], prior)))
    return expected_gain(held_out, prior.weights)


def learn(sources: Sequence[KindsOfExamples], prior: Model, ridge: float = RIDGE) -> Weights:
    """The weights of the evidence.

    Args:
        sources: the examples of each kind of source.
        prior: the weights without examples.
        ridge: the strength of the penalty that keeps the weights near the prior.
    """
    return refit(together([kind for source in sources for kind in source]), prior.weights, ridge)


def _of_transcript(
    transcribed: Transcribed, speech: JudgedSpeech, seed: int
) -> tuple[KindsOfExamples, dict[str, float]]:
    """The examples of a transcript, and their number.

    Raises:
        ConfigError: there are too few examples.
    """
    transcript = transcribed.transcript
    oov, in_vocabulary = (
        with_few_absent(asked, transcript, seed)
        for asked in queries(transcript, speech.indexes, transcribed.terms, seed)
    )
    examples = examples_of_phrases(by_transcript(transcript), speech, oov, in_vocabulary)
    right = {
        "does not know": int(np.count_nonzero(examples.oov.is_right)),
        "knows": int(np.count_nonzero(examples.iv.is_right)),
    }
    if (n := sum(right.values())) < MIN_EXAMPLES:
        raise ConfigError(
            f"expected at least {MIN_EXAMPLES} occurrences of words in the transcript, got {n}"
        )
    decoys = decoy_examples(examples.oov.n_terms, speech)
    confusion = speech.indexes.confusion_counts
    said = {transcript.recordings[row] for row in transcript.recording.tolist()}
    asked = {one.recording for one in transcribed.excerpts}.intersection(transcript.recordings)
    figures: dict[str, float] = {
        "recordings": len(said),
        "without_words": len(asked - said),  # recordings of the index, though the ECF has them
        "words": len(transcript.words),
        "terms_said": len({*phrases_said(transcript, transcribed.terms)}),
        "phones_aligned": float(confusion.substituted.sum() + confusion.deleted.sum()),
        "unknown_queries": len(oov),
        "unknown_right": right["does not know"],
        "known_queries": len(in_vocabulary),
        "known_right": right["knows"],
    }
    return examples._replace(oov=together([examples.oov, decoys])), figures


def examples_of_marks(
    marked: Sequence[MarkedPlace], speech: JudgedSpeech, seed: int
) -> tuple[KindsOfExamples, dict[str, float]]:
    """The candidates of the terms that people marked, and the number of labelled ones.

    The spread of a feature limits the change of its weight, and a few terms do not show it. So
    candidates of usual terms are added, without labels.

    Args:
        seed: draws the usual terms.

    Raises:
        ConfigError: no candidate is at a marked place.
    """
    phrases = sorted({place.phrase for place in marked})
    vocabulary = vocabulary_of(speech.indexes)
    in_vocabulary = {words for words in phrases if vocabulary.issuperset(words)}
    oov = [words for words in phrases if words not in in_vocabulary]
    in_vocabulary |= usual_phrases(sorted(vocabulary), seed)
    judge = by_marks(marked)
    decoys = decoy_examples(USUAL_OOV, speech)
    decoys = decoys._replace(is_known=np.zeros_like(decoys.is_known))
    examples = KindsOfExamples(
        together([labelled(judge, speech, oov, in_vocabulary=False), decoys]),
        labelled_of_any_length(judge, speech, sorted(in_vocabulary)),
    )
    kinds = examples.oov, examples.iv
    figures: dict[str, float] = {
        "marks": sum(int(kind.is_known.sum()) for kind in kinds),
        "marks_right": sum(int(kind.is_right.sum()) for kind in kinds),
    }
    if not figures["marks"]:
        said = counted(len(marked), "mark")
        raise ConfigError(f"expected marks of hits of this index, got {said} of other places")
    return examples, figures


def usual_phrases(vocabulary: Sequence[str], seed: int) -> set[Phrase]:
    """Words of the index, and pairs of them."""
    rng = random.Random(seed)  # a sample, not a secret
    pairs = {(rng.choice(vocabulary), rng.choice(vocabulary)) for _ in range(USUAL_PAIRS)}
    words = rng.sample(vocabulary, min(USUAL_WORDS, len(vocabulary)))
    return {*((word,) for word in words), *pairs}


def queries(
    transcript: TuningTranscript, indexes: PhoneticIndexes, terms: Sequence[Phrase], seed: int
) -> tuple[list[Phrase], list[Phrase]]:
    """Phrases to learn from: phrases with a word that the index lacks, and the others.

    A term list is small. Every word of the transcript that the index lacks is a spoken OOV word and
    as good an example as a term. IV phrases may be short, because they are found by their words.
    """
    vocabulary = vocabulary_of(indexes)
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


def with_few_absent(
    asked: Sequence[Phrase], transcript: TuningTranscript, seed: int
) -> list[Phrase]:
    """The queries that are said, and at most as many that are not said.

    Like decoys, queries that are not said show the evidence at wrong places. But a list may have
    any number of them, and the weights would depend on that number.

    Args:
        asked: queries, each once.
        seed: draws the queries that are not said.

    Returns:
        queries in their order.
    """
    said = {*phrases_said(transcript, asked)}
    absent = [words for words in asked if words not in said]
    rng = random.Random(seed)  # a sample, not a secret
    kept = said.union(rng.sample(absent, min(len(absent), len(said))))
    return [words for words in asked if words in kept]


def _with_confusion(prior: Model, indexes: PhoneticIndexes, confusion: Counts) -> Model:
    """The prior with other confusions, for the searches during the learning of weights."""
    return replace(prior, pronouncer=indexes.pronouncer, confusion=confusion)
