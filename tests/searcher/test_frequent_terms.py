"""A term that is said more often than there are hits of other terms: all places are found."""

import json

import numpy as np
import pytest

from indexer import index_files
from searcher import open_index
from searcher.lexical.lookup import LexicalResult
from searcher.phonetic.pronunciations import pronounced
from searcher.phonetic.ratios import MAX_HITS
from searcher.results.candidates import NO_CANDIDATES, Candidates
from searcher.terms.request import Variant

SAID = ("hahnen federn", "hahn federn", "hahnen feder", "hahn feder")
UTTERANCES, WORDS, EACH = 600, 8, 6


@pytest.fixture(scope="module")
def index(german, tmp_path_factory):
    """Speech of words of the German example, in which a name becomes one of `SAID`."""
    folder = tmp_path_factory.mktemp("often")
    index_files(sorted((german / "mesh").glob("*.mesh"))[:5], folder / "words")
    with open_index(folder / "words") as words_of:
        words = [word for word in words_of.vocabulary.words if len(word) > 3 and word.isalpha()]
    rng = np.random.default_rng(3)
    with (folder / "networks.jsonl").open("w", encoding="utf-8") as sink:
        for i in range(UTTERANCES):
            said = rng.choice(words, WORDS).tolist()
            if i % EACH == 0:
                said[4:5] = SAID[i // EACH % len(SAID)].split()
            ends = np.cumsum([0.065 * len(word) for word in said]).round(3).tolist()
            slots = [
                {"s": start, "e": end, "eps": 0.02, "w": [[word, 0.7], [other, 0.2]]}
                for start, end, word, other in zip(
                    [0.0, *ends], ends, said, rng.choice(words, len(said)).tolist(), strict=False
                )
            ]
            utterance = {
                "utt": f"u{i}",
                "file": f"r{i}",
                "channel": 1,
                "start": 0.0,
                "end": ends[-1],
            }
            sink.write(json.dumps(utterance | {"slots": slots}) + "\n")
    index_files([folder / "networks.jsonl"], folder / "index", language="de")
    with open_index(folder / "index") as opened:
        yield opened


def places(index, *terms):
    """Of each term the probabilities of its places, by the words that stand there."""
    found = index.find(*terms)
    of_terms = [{} for _ in terms]
    candidates = found.candidates
    for term, variant, p in zip(
        candidates.term.tolist(), candidates.variant.tolist(), found.probability.tolist(),
        strict=True,
    ):  # fmt: skip
        words = " ".join(found.variants[variant].words)
        of_terms[term].setdefault(words, []).append(p)
    return of_terms


@pytest.mark.parametrize("is_large", [False, True])
def test_all_places_are_found_and_equal_ones_are_equally_probable(index, monkeypatch, is_large):
    monkeypatch.setattr("searcher.phonetic.search.FULL_SCAN_ARCS", 0 if is_large else 10**9)
    (of_words,) = places(index, "hahnenfedern")
    for words in SAID[:3]:
        found = [p for p in of_words[words] if p > 0.5]
        assert len(found) == UTTERANCES // EACH // len(SAID)
    assert max(of_words["hahn federn"]) - min(of_words["hahn federn"]) < 1e-9
    good = [p for found in of_words.values() for p in found if p > 0.1]
    assert len(good) > UTTERANCES // EACH * 0.9 > MAX_HITS


def test_a_term_that_sounds_the_same_changes_nothing(index):
    lexicon = index._prepared.languages[0].phonetic[0].lexicon
    (sounds,), (same,) = (
        pronounced([(word,)], lexicon) for word in ("hahnenfedern", "hahnenphedern")
    )
    assert sounds == same
    both = places(index, "hahnenfedern", "hahnenphedern")
    assert both[0] == places(index, "hahnenfedern")[0]
    assert both[1] == places(index, "hahnenphedern")[0]
    assert sum(map(len, both[1].values())) < sum(map(len, both[0].values()))  # it has no split


def test_places_are_counted_where_words_are_split_or_joined():
    """Similar words are no reason to expect that a term is said often."""
    methods = ("split", "levenshtein", "join", "exact")
    variants = tuple(Variant((method,), 1.0, method, "") for method in methods)
    term, variant, start_ms = np.array(
        [(0, 0, 5), (0, 2, 5), (0, 0, 9), (0, 1, 20), (2, 2, 5), (2, 3, 7)]
    ).T
    zeros, score = np.zeros(6, np.int64), np.ones(6)
    candidates = Candidates(
        term, variant, zeros, start_ms, start_ms + 1, score, variant, zeros, zeros
    )
    lexical = LexicalResult(candidates, variants, set(), 0)
    assert lexical.places_of_parts(4).tolist() == [2, 0, 1, 0]
    assert LexicalResult(NO_CANDIDATES, (), set(), 0).places_of_parts(2).tolist() == [0, 0]
