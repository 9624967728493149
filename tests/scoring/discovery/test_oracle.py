"""The fast measures beside a slow, literal reading of the published definitions.

Everything here lists pairs, occurrences and substrings one by one, straight from the formulas of
the ZeroSpeech task description and the description of the 2015 toolkit, and shares no code with
the measures: times are integers of 0.1 ms, sets are Python sets, averages are fractions.
"""

import io
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.discovery.corpus import make_corpus, make_discovery
from scoring.discovery.evaluate import evaluate
from scoring.discovery.formats import alignments, classes
from scoring.discovery.ned import distances
from scoring.discovery.pairs import Pairs

SILENT = ("SIL", "SPN")
TALKER = {"a1": "a", "a2": "a", "b1": "b"}


# ---------------------------------------------------------------- small corpora full of edge cases


def small_corpus(seed, wide=True):
    """(phones, words, classes) with times in ticks of 0.1 ms; rows (file, on, off, symbol)."""
    rng = random.Random(seed)
    files = list(TALKER)[: rng.choice([1, 2, 3])]
    lexicon = [[rng.choice("abc") for _ in range(rng.randint(1, 5))] for _ in range(3)]
    phones, words, edges = [], [], {}
    for file in files:
        now, mine = 10 * rng.randint(0, 5), []
        for _ in range(rng.randint(2, 7)):
            chance = rng.random()
            if chance < 0.15:
                now += 10 * rng.choice([1, 20, 50])  # a gap
            elif chance < 0.3:
                end = now + 10 * rng.choice([31, 50, 120])
                phones.append((file, now, end, rng.choice(SILENT)))
                mine.append((now, end))
                now = end
            else:
                which, start = rng.randrange(3), now
                for symbol in lexicon[which]:
                    end = now + 10 * rng.choice([30, 50, 59, 60, 61, 100, 20])
                    phones.append((file, now, end, symbol))
                    mine.append((now, end))
                    now = end
                words.append((file, start, now, rng.choice([f"w{which}", f"w{which}", "same"])))
        edges[file] = mine
    if not any(edges.values()):
        phones, words, edges = [("a1", 0, 900, "a")], [("a1", 0, 900, "w")], {"a1": [(0, 900)]}
    used = [file for file in edges if edges[file]]
    found, seen = [], []
    for _ in range(rng.randint(1, 4)):
        members = []
        for _ in range(rng.randint(0, 5 if wide else 3)):
            if seen and rng.random() < 0.3:
                members.append(rng.choice(seen))
                continue
            file = rng.choice(used)
            first = rng.randrange(len(edges[file]))
            last = min(len(edges[file]) - 1, first + rng.choice([0, 1, 2, 3, 5, 8]))
            start, end = edges[file][first][0], edges[file][last][1]
            if rng.random() < 0.5:
                start = max(0, start + 10 * rng.choice([0, 5, -5, 30, -30, 20]))
                end += 10 * rng.choice([0, 5, -5, 30, -30, 25])
            members.append((file, start, max(end, start + 40)))
        seen += members
        found.append(members)
    return phones, words or [(used[0], 0, 900, "w")], found


def fast(phones, words, found, profile, talkers=False):
    """The scores of the fast code, through the readers."""

    def lines(rows):
        return io.BytesIO(
            "".join(f"{f} {a / 1e4:.4f} {b / 1e4:.4f} {s}\n" for f, a, b, s in rows).encode()
        )

    text = "".join(
        f"Class {i}\n" + "".join(f"{f} {a / 1e4:.4f} {b / 1e4:.4f}\n" for f, a, b in one) + "\n"
        for i, one in enumerate(found)
    )
    corpus = make_corpus(
        alignments.parse(lines(phones)), alignments.parse(lines(words)), TALKER if talkers else None
    )
    discovery = make_discovery(classes.parse(io.BytesIO(text.encode())), corpus)
    return evaluate(corpus, discovery, profile).scores


def same(value, exact):
    """A float beside a fraction, where None is undefined."""
    return isnan(value) if exact is None else value == pytest.approx(float(exact), abs=1e-12)


def share(part, whole):
    return Fraction(part, whole) if whole else None


def levenshtein(one, other):
    row = list(range(len(other) + 1))
    for i, x in enumerate(one, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(other, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (x != y))
    return row[-1]


def shared_time(one, other):
    """Ticks that two (file, on, off, ...) share; negative or zero when apart."""
    if one[0] != other[0]:
        return 0
    return min(one[2], other[2]) - max(one[1], other[1])


def more_than_half(one, other):
    return 2 * shared_time(one, other) > min(one[2] - one[1], other[2] - other[1])


def talkers_fit(one, other, scope):
    alike = TALKER[one[0]] == TALKER[other[0]]
    return scope == "all" or alike == (scope == "within")


def weighted(both, whole, type_of):
    """Sum over types of freq(t, whole) |match(t, both)| / |match(t, whole)|, as the task says."""
    flat = {item for pair in whole for item in pair}
    hit = {item for pair in both for item in pair}
    if not flat:
        return None
    total = Fraction(0)
    for kind in {type_of(item) for item in flat}:
        match = [item for item in flat if type_of(item) == kind]
        matched = [item for item in hit if type_of(item) == kind]
        total += Fraction(len(match), len(flat)) * Fraction(len(matched), len(match))
    return total


# ------------------------------------------------------------------------------- the definition


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


# ------------------------------------------------------------------------ matching of zrc2017


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


# ----------------------------------------------------------------------------- the 2015 toolkit


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


# ------------------------------------------------------- the same, a few pairs at a time


@pytest.mark.parametrize("check", [test_definition, test_matching_of_zrc2017, test_zrc2015])
def test_in_small_blocks(check, monkeypatch):
    """What is done by the million in large corpora is done by the handful here."""
    for module in ("partners", "completion"):
        monkeypatch.setattr(f"scoring.discovery.{module}.CHUNK", 3)
    for seed in range(12):
        check.hypothesis.inner_test(seed)


def test_distances_of_many_types(monkeypatch):
    """Distance matrices, whole and in slices, beside a loop over all pairs."""
    rng = random.Random(1)
    texts = sorted({"".join(rng.choices("abc", k=rng.randint(0, 6))) for _ in range(40)})
    type_of = np.array([rng.randrange(len(texts)) for _ in range(90)])
    members = [sorted(rng.sample(range(90), 30)) for _ in range(2)]
    group = np.repeat([0, 1], 30)
    none = np.empty(0, np.int64)
    pairs = Pairs(90, group, np.concatenate(members), none, none, none, none)
    slow = Counter()
    for one in members:
        for a, b in combinations(one, 2):
            x, y = texts[type_of[a]], texts[type_of[b]]
            slow[levenshtein(x, y), max(len(x), len(y))] += 1
    assert distances(pairs, type_of, texts) == slow
    monkeypatch.setattr("scoring.discovery.ned.MATRIX", 50)
    assert distances(pairs, type_of, texts) == slow
    monkeypatch.setattr("scoring.discovery.ned.MAX_LOOP_TYPES", 100)
    assert distances(pairs, type_of, texts) == slow
