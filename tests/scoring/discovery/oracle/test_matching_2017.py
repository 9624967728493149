"""The matching of zrc2017."""

from collections import defaultdict
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scoring.discovery.oracle.conftest import (
    fast,
    same,
    shared_time,
    small_corpus,
    talkers_fit,
)
from tests.scoring.discovery.oracle.test_definition import Definition


class Matching2017(Definition):
    """zrc2017's matching: that toolkit's transcription, silences are symbols, no shared time."""

    def __init__(self, phones, words, found, scope):
        self.phones = sorted(phones)
        self.scope = scope
        fragments = [{(*f, self.rows(f)) for f in one} for one in found]
        self.disc = {
            frozenset(pair)
            for one in fragments
            for pair in combinations([f for f in one if f[3]], 2)
            if talkers_fit(*pair, scope)
        }

    def rows(self, span):
        rows = [i for i, p in enumerate(self.phones) if shared_time(p, span) > 0]
        return tuple(i for i in rows if i not in (rows[0], rows[-1]) or self.stays(i, span))

    def stays(self, row, span):
        """Behaviour of zerospeech-tde 2.0.3, in ticks (times here are whole ms: no ties)."""
        _, on, off, _ = self.phones[row]
        shared = shared_time(self.phones[row], span)
        if off - on >= 600:
            return shared >= 300
        a, b, x, y = (t / 1e4 for t in (on, off, span[1], span[2]))
        return (min(b, y) - max(a, x)) / (b - a) >= 0.5  # the toolkit's own float noise

    def all_pairs(self):
        by_text = defaultdict(list)
        for gram in self.all_grams():
            by_text[self.text(gram)].append(gram)
        return {
            frozenset(pair)
            for grams in by_text.values()
            for pair in combinations(grams, 2)
            if shared_time(*pair) <= 0 and talkers_fit(*pair, self.scope)
        }


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_matching_of_zrc2017(seed):
    corpus = small_corpus(seed)
    for scope, scores in fast(*corpus, "zrc2017", talkers=True).items():
        precision, recall = Matching2017(*corpus, scope).matching()
        assert same(scores.matching.precision, precision), scope
        assert same(scores.matching.recall, recall), scope
