"""All measures of the ZeroSpeech task description."""

from collections import defaultdict
from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scoring.discovery.oracle.conftest import (
    SILENT,
    fast,
    levenshtein,
    more_than_half,
    same,
    share,
    shared_time,
    small_corpus,
    talkers_fit,
    weighted,
)


class Definition:
    """The task description on one small corpus; open choices as of `scoring.discovery`."""

    def __init__(self, phones, words, found, scope):
        self.phones = [p for p in sorted(phones) if p[3] not in SILENT]
        self.words = sorted(set(words))
        self.raw = sorted({f for one in found for f in one})
        self.scope = scope
        classes = [{self.fragment(f) for f in one} for one in found]
        self.found = {f for one in classes for f in one}
        self.clus = {
            frozenset(pair)
            for one in classes
            for pair in combinations(one, 2)
            if talkers_fit(*pair, scope)
        }
        self.disc = {pair for pair in self.clus if not more_than_half(*pair)}
        if scope != "all":
            self.found = {f for pair in self.disc for f in pair}

    def rows(self, span):
        """Phones with more than 30 ms, or more than half of their duration, in a span."""
        return tuple(
            i
            for i, p in enumerate(self.phones)
            if shared_time(p, span) > 0
            and (shared_time(p, span) > 300 or 2 * shared_time(p, span) > p[2] - p[1])
        )

    def fragment(self, span):
        """(file, on, off, rows): a fragment is the phonemes it transcribes to."""
        rows = self.rows(span)
        if not rows:
            return (*span[:3], ())
        return (span[0], self.phones[rows[0]][1], self.phones[rows[-1]][2], rows)

    def text(self, fragment):
        return tuple(self.phones[i][3] for i in fragment[3])

    def ned(self):
        if not self.disc:
            return None
        total = Fraction(0)
        for pair in self.disc:
            one, other = (self.text(f) for f in pair)
            if not one and not other:
                total += 1
            else:
                total += Fraction(levenshtein(one, other), max(len(one), len(other)))
        return total / len(self.disc)

    def all_grams(self):
        for i in range(len(self.phones)):
            for j in range(i, min(i + 20, len(self.phones))):
                before, now = self.phones[j - 1], self.phones[j]
                if j > i and (before[0], before[2]) != (now[0], now[1]):
                    break
                if j - i >= 2:
                    yield self.gram(tuple(range(i, j + 1)))

    def gram(self, rows):
        return (self.phones[rows[0]][0], self.phones[rows[0]][1], self.phones[rows[-1]][2], rows)

    def all_pairs(self):
        by_text = defaultdict(list)
        for gram in self.all_grams():
            by_text[self.text(gram)].append(gram)
        return {
            frozenset(pair)
            for grams in by_text.values()
            for pair in combinations(grams, 2)
            if not more_than_half(*pair) and talkers_fit(*pair, self.scope)
        }

    def completion(self):
        result = set()
        for pair in self.disc:
            short, long = sorted((f[3] for f in pair), key=len)
            for shift in range(len(long) - len(short) + 1):
                for i in range(len(short)):
                    for j in range(i + 3, min(i + 20, len(short)) + 1):
                        result.add((self.gram(short[i:j]), self.gram(long[i + shift : j + shift])))
        return result

    def matching(self):
        gold, disc = self.all_pairs(), self.completion()
        both = {pair for pair in disc if frozenset(pair) in gold}
        return weighted(both, disc, self.text), weighted(both, gold, self.text)

    def grouping(self):
        gold = {
            frozenset(pair)
            for pair in combinations(self.found_anywhere(), 2)
            if self.text(pair[0]) == self.text(pair[1]) != ()
            and shared_time(*pair) <= 0
            and talkers_fit(*pair, self.scope)
        }
        both = self.clus & gold
        return weighted(both, self.clus, self.text), weighted(both, gold, self.text)

    def found_anywhere(self):
        return {self.fragment(f) for f in self.raw}

    def coverage(self):
        gold = {i for pair in self.all_pairs() for f in pair for i in f[3]}
        disc = {i for pair in self.disc for f in pair for i in f[3]}
        duration = [p[2] - p[1] for p in self.phones]
        return share(sum(duration[i] for i in gold & disc), sum(duration[i] for i in gold))

    def boundary(self):
        table = {(p[0], t) for p in self.phones for t in p[1:3]}

        def index(file, time):
            near = [t for f, t in table if f == file and abs(t - time) < 300]
            if not near:
                return ("wrong", file, time)
            return (file, min(near, key=lambda t: (abs(t - time), t)))

        mine = [f for f in self.raw if self.fragment(f) in self.found]
        disc = {index(f[0], t) for f in mine for t in f[1:3]}
        gold = {index(w[0], t) for w in self.words for t in w[1:3]}
        hits = {b for b in disc & gold if b[0] != "wrong"}
        return share(len(hits), len(disc)), share(len(hits), len(gold))

    def token(self):
        gold = [self.rows(w) for w in self.words]
        words = {rows for rows in gold if rows}
        hits = {f[3] for f in self.found} & words
        return share(len(hits), len(self.found)), share(len(hits), len(words) + gold.count(()))

    def type(self):
        disc = {self.text(f) for f in self.found}
        gold = {tuple(self.phones[i][3] for i in self.rows(w)) for w in self.words}
        disc, gold = ({t for t in one if 3 <= len(t) <= 20} for one in (disc, gold))
        return share(len(disc & gold), len(disc)), share(len(disc & gold), len(gold))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_definition(seed):
    corpus = small_corpus(seed)
    for scope, scores in fast(*corpus, "definition", talkers=True).items():
        slow = Definition(*corpus, scope)
        assert same(scores.ned, slow.ned()), scope
        assert same(scores.coverage, slow.coverage()), scope
        for measure in ("boundary", "token", "type", "grouping", "matching"):
            precision, recall = getattr(slow, measure)()
            got = getattr(scores, measure)
            assert same(got.precision, precision), (scope, measure)
            assert same(got.recall, recall), (scope, measure)
