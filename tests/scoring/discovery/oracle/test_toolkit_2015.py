"""All measures of the 2015 toolkit."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scoring.discovery.oracle.conftest import (
    fast,
    levenshtein,
    same,
    share,
    small_corpus,
    talkers_fit,
)


class Toolkit2015:
    """spec of tde 0.2.1, in its own floats: seconds as written, file names ignored in overlaps."""

    def __init__(self, phones, words, found, scope):
        self.phones, self.words = (
            [(f, a / 1e4, b / 1e4, s) for f, a, b, s in sorted(rows)] for rows in (phones, words)
        )
        self.scope = scope
        spans = [[(f, a / 1e4, b / 1e4) for f, a, b in one] for one in found]
        stretches = self.stretches(self.phones)
        self.rows = {}
        for span in {f for one in spans for f in one}:
            rows = self.tokens(self.phones, stretches, span)
            if rows is not None:
                self.rows[span] = rows
        self.pairs = {
            tuple(sorted(pair))
            for one in spans
            for pair in combinations([f for f in one if f in self.rows], 2)
            if not self.overlap(*pair) and talkers_fit(*pair, scope)
        }
        self.found = set(self.rows)
        if scope != "all":
            self.found = {f for pair in self.pairs for f in pair}

    @staticmethod
    def overlap(one, other):
        shared = min(one[2], other[2]) - max(one[1], other[1])
        if shared < 1e-8:
            return False
        return (
            shared > 0.03
            or shared > 0.5 * (other[2] - other[1])
            or shared > 0.5 * (one[2] - one[1])
        )

    @staticmethod
    def stretches(track):
        result = []
        for i, row in enumerate(track):
            last = track[i - 1]
            if i and last[0] == row[0] and abs(last[2] - row[1]) <= 1e-8 + 1e-5 * row[1]:
                result[-1].append(i)
            else:
                result.append([i])
        return result

    def tokens(self, track, stretches, span):
        """Rows of the last stretch that is not after the span; None if it shares no time."""
        chosen = None
        for stretch in stretches:
            whole = (span[0], track[stretch[0]][1], track[stretch[-1]][2])
            if track[stretch[0]][0] != span[0]:
                continue
            shared = min(whole[2], span[2]) - max(whole[1], span[1])
            begins_before = whole[1] < span[1] if shared > 0 else whole[2] <= span[1]
            if begins_before or self.overlap(whole, span):
                chosen = stretch
        if chosen is None:
            return None
        if min(track[chosen[-1]][2], span[2]) - max(track[chosen[0]][1], span[1]) <= 0:
            return None
        return tuple(i for i in chosen if self.overlap(track[i], span))

    def text(self, rows):
        return tuple(self.phones[i][3] for i in rows)

    def ned(self):
        total = Fraction(0)
        for pair in self.pairs:
            one, other = (self.text(self.rows[f]) for f in pair)
            longer = max(len(one), len(other))
            total += Fraction(levenshtein(one, other), longer) if longer else 1
        return total / len(self.pairs) if self.pairs else None

    def kind(self, span):
        return self.text(self.rows[span])

    def share(self, part, whole, type_of):
        """Weights are shares of elements, fractions are counts of pairs by their second type."""
        flat = Counter(type_of(item) for item in {item for pair in whole for item in pair})
        if not flat:
            return None
        hits = Counter(type_of(second) for _, second in part)
        pairs = Counter(type_of(second) for _, second in whole)
        size = sum(flat.values())
        return sum(Fraction(flat[t], size) * Fraction(hits[t], pairs[t]) for t in pairs)

    def grouping(self):
        gold = {
            pair
            for pair in combinations(sorted(self.rows), 2)
            if self.kind(pair[0]) == self.kind(pair[1])
            and not self.overlap(*pair)
            and not (pair[0][0] == pair[1][0] and pair[0][2] > pair[1][1])
            and talkers_fit(*pair, self.scope)
        }
        both = self.pairs & gold
        return self.share(both, self.pairs, self.kind), self.share(both, gold, self.kind)

    def occurrences(self):
        result = defaultdict(list)
        for stretch in self.stretches(self.phones):
            for i in range(len(stretch)):
                for j in range(i + 3, min(i + 20, len(stretch)) + 1):
                    result[self.text(stretch[i:j])].append(tuple(stretch[i:j]))
        return {text: grams for text, grams in result.items() if len(grams) > 1}

    def span(self, rows):
        return (self.phones[rows[0]][0], self.phones[rows[0]][1], self.phones[rows[-1]][2])

    def matching(self):
        gold = {
            pair
            for grams in self.occurrences().values()
            for one in grams
            for pair in ((one, other) for other in grams if other != one)
            if not self.overlap(self.span(pair[0]), self.span(pair[1]))
            and talkers_fit(self.span(pair[0]), self.span(pair[1]), self.scope)
        }
        disc = set()
        for pair in self.pairs:
            short, long = sorted((self.rows[f] for f in pair), key=len)
            for shift in range(len(long) - len(short) + 1):
                for i in range(len(short)):
                    for j in range(i + 3, min(i + 19, len(short)) + 1):
                        one, other = short[i:j], long[i + shift : j + shift]
                        disc |= {(one, other), (other, one)}
        both = disc & gold
        return self.share(both, disc, self.text), self.share(both, gold, self.text)

    def seconds(self, spans):
        total = 0.0
        now = None
        for file, start, end in sorted(spans):
            if now and now[0] == file and start <= now[2] + 1e-8 + 1e-5 * start:
                now = (file, now[1], max(now[2], end))
                continue
            total += now[2] - now[1] if now else 0
            now = (file, start, end)
        return total + (now[2] - now[1] if now else 0)

    def coverage(self):
        gold = self.seconds(self.span(g) for grams in self.occurrences().values() for g in grams)
        disc = self.seconds(self.found)
        return disc / gold if gold and disc else None

    def boundary(self):
        disc = {(f[0], t) for f in self.found for t in f[1:3]}
        gold = {(w[0], t) for w in self.words for t in w[1:3]}

        def close(points, others):
            return sum(any(f == g and abs(t - u) < 0.03 for g, u in others) for f, t in points)

        return share(close(disc, gold), len(disc)), share(close(gold, disc), len(gold))

    def token_and_type(self):
        stretches = self.stretches(self.words)
        hits, seen, right = 0, set(), set()
        for f in self.found:
            rows = self.tokens(self.words, stretches, f) or ()
            seen.add(tuple(self.words[i][3] for i in rows))
            if len(rows) == 1:
                word = self.words[rows[0]]
                if abs(word[1] - f[1]) <= 0.03 and abs(word[2] - f[2]) <= 0.03:
                    hits += 1
                    right.add(word[3])
        lexicon = {w[3] for w in self.words}
        return (
            (share(hits, len(self.found)), share(hits, len(self.words))),
            (share(len(right), len(seen)), share(len(right), len(lexicon))),
        )


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_zrc2015(seed):
    corpus = small_corpus(seed)
    for scope, scores in fast(*corpus, "zrc2015", talkers=True).items():
        slow = Toolkit2015(*corpus, scope)
        assert same(scores.ned, slow.ned()), scope
        assert same(scores.coverage, slow.coverage()), scope
        token, type_ = slow.token_and_type()
        for measure, (precision, recall) in {
            "boundary": slow.boundary(),
            "token": token,
            "type": type_,
            "grouping": slow.grouping(),
            "matching": slow.matching(),
        }.items():
            got = getattr(scores, measure)
            assert same(got.precision, precision), (scope, measure)
            assert same(got.recall, recall), (scope, measure)
