"""Kernels against plain ones; classes, chance and words by hand."""

import numpy as np
import pytest

from searcher.discovery import seeds
from searcher.discovery.classes import Pair, Stretch, Written, classes_of, explained
from searcher.discovery.found import ChancePairs, Work, distinct, pairs_in
from searcher.discovery.seeds import DROP, SILENCE, WARPED, SeedFrames, extend, find_seeds
from searcher.discovery.sources import Block, Frames, backwards, blocks_of
from std.sound.usual import NEAREST, sample_of, silent, usual_distances

RANDOM = np.random.default_rng(7)


def random_signs(n):
    return RANDOM.integers(0, 2**64, (n, 4), dtype=np.uint64)


def nearly(signs, share=0.2):
    return signs ^ np.packbits(RANDOM.random((len(signs), 256)) < share, axis=1).view("<u8")


def differing(one, other):
    return int(np.unpackbits((one ^ other).view(np.uint8)).sum())


def block(*recordings, quiet=()):
    signs = np.concatenate(recordings)
    is_silent = np.zeros(len(signs), bool)
    is_silent[list(quiet)] = True
    offsets = np.cumsum([0, *map(len, recordings)])
    return Block(signs, np.full(len(signs), 100, np.int32), is_silent, offsets)


def test_usual_distances_are_those_of_a_plain_count():
    signs, sample = random_signs(40), random_signs(400)
    rank = NEAREST * 400 // 1000
    plain = [sorted(differing(one, other) for other in sample)[rank] for one in signs]
    assert usual_distances(signs, sample).tolist() == plain


def test_the_sample_is_from_all_over_an_archive_and_never_larger():
    signs = random_signs(2500)
    assert len(sample_of(signs)) == 1000
    assert (sample_of(signs)[[0, -1]] == signs[[0, -1]]).all()
    assert (sample_of(signs[:7]) == signs[:7]).all()


def test_a_single_frame_is_no_silence():
    usual = np.array([50, 100, 100, 50, 50, 100, 50, 50], np.int32)
    assert silent(usual, 100.0).tolist() == [0, 0, 0, 1, 1, 1, 1, 1]
    assert silent(usual[3:5], 100.0).tolist() == [1, 1]
    assert silent(usual[:1], 100.0).tolist() == [0]


def slow_half(near, i0, j0, step, low, high):
    """The best of all paths from a seed in one direction, and where it ends."""
    paths, best = {(0, 0): 0}, (0, 0, 0)
    for a in range(1, 40):
        for b in range(max(1, a - seeds.BAND), a + seeds.BAND + 1):
            i, j = i0 + step * a, j0 + step * b
            if not (low[0] <= i < high[0] and low[1] <= j < high[1]):
                continue
            ways = [paths[a - 1, b - 1] + near(i, j)] if (a - 1, b - 1) in paths else []
            for before in ((a - 1, b - 2), (a - 2, b - 1)):
                if before in paths:
                    ways.append(paths[before] + 3 * near(i, j) // 2 - WARPED)
            if ways and max(ways) >= best[0] - DROP:
                paths[a, b] = max(ways)
                if max(ways) > best[0]:
                    best = (max(ways), a, b)
    return best


@pytest.mark.parametrize("speed", ["same", "slower"])
def test_alignments_are_the_slow_ones(speed):
    word = random_signs(14)
    said = np.repeat(word, np.where(np.arange(14) % 3, 1, 2), axis=0) if speed == "slower" else word
    one = block(random_signs(9), np.concatenate([random_signs(6), word, random_signs(5)]))
    other = block(np.concatenate([random_signs(5), nearly(said), random_signs(7)]), quiet=[20])

    def near(i, j):
        if one.silent[i] or other.silent[j]:
            return SILENCE
        return 100 - differing(one.signs[i], other.signs[j])

    i0, j0 = 9 + 6 + 4, 5 + (5 if speed == "slower" else 4)
    score, ends = near(i0, j0), []
    for step in (-1, 1):
        best, a, b = slow_half(near, i0, j0, step, (9, 0), (len(one.signs), len(other.signs)))
        score += best
        ends.append((i0 + step * a, j0 + step * b))
    found = extend(SeedFrames(np.array([i0]), np.array([j0])), one, other)
    (first_begin, second_begin), (first_end, second_end) = ends
    expected = [first_begin, first_end + 1, second_begin, second_end + 1, score]
    assert [int(column[0]) for column in found] == expected
    assert score > 400


def planted(share):
    """Two blocks in which a word of 0.6 s is said, and its places."""
    word = random_signs(30)
    one, other = random_signs(900), random_signs(700)
    one[100:130], other[400:430] = word, nearly(word, share)
    return block(one[:600], one[600:]), block(other)


@pytest.mark.parametrize("share", [0.0, 0.2])
def test_what_two_blocks_share_is_found_to_the_frame_or_nearly(share):
    one, other = planted(share)
    found = pairs_in(Work(one, other, 300, 15))
    assert len(found.score) == 1
    places = [int(column[0]) for column in found[:4]]
    assert np.abs(np.array(places) - [100, 130, 400, 430]).max() <= 2


def test_one_block_finds_the_same_as_its_halves():
    one, other = planted(0.2)
    both = block(one.signs[:600], one.signs[600:], other.signs)
    (within,), (between,) = (
        zip(*(column.tolist() for column in pairs_in(work)), strict=True)
        for work in (Work(both, None, 300, 15), Work(one, other, 300, 15))
    )
    assert within == (*between[:2], between[2] + 900, between[3] + 900, between[4])


def test_reversed_speech_and_other_recordings_have_nothing():
    one, other = planted(0.2)
    assert not len(pairs_in(Work(one, other, 300, 15, is_chance=True)).score)
    again = backwards(backwards(one))
    assert all((a == b).all() for a, b in zip(one, again, strict=True))
    assert backwards(one).offsets.tolist() == [0, 300, 900]
    assert not len(find_seeds(block(random_signs(300)), block(random_signs(300))).first)


def test_a_seed_is_in_the_middle_of_what_is_alike():
    one, other = planted(0.0)
    seeds = find_seeds(one, other)
    assert ((seeds.second - seeds.first) == 300).all()
    assert ((seeds.first >= 100) & (seeds.first < 130)).all()
    assert len(seeds.first)


def test_nearly_the_same_alignments_are_one():
    one, other = planted(0.0)
    seeds = SeedFrames(np.array([105, 110, 120]), np.array([405, 410, 420]))
    found = distinct(extend(seeds, one, other))
    assert len(found.score) == 1


def test_blocks_hold_whole_recordings():
    frames = [Frames(row, 0, random_signs(n)) for row, n in enumerate((100, 50, 200, 10))]
    blocks = blocks_of(frames, 160)
    assert [one.offsets.tolist() for one in blocks] == [[0, 100, 150], [0, 200], [0, 10]]
    alike = [blocks_of(frames, n) for n in (10, 1000)]
    for column in (0, 1, 2):
        short, whole = (np.concatenate([one[column] for one in some]) for some in alike)
        assert (short == whole).all()


def test_a_class_is_a_star_and_no_chain():
    a, b, c, d = (Stretch(row, 0, 500) for row in range(4))
    pairs = [Pair(a, b, 900), Pair(b, c, 800), Pair(c, d, 700)]
    stars = classes_of(pairs)
    assert [star.stretches for star in stars] == [(b, a, c)]
    assert stars[0].scores == (900, 900, 800)


def test_nearly_the_same_stretch_is_one_and_parts_of_a_pair_are_told_once():
    a, b, c = Stretch(0, 0, 600), Stretch(1, 0, 600), Stretch(2, 0, 600)
    nearly_a = Stretch(0, 20, 600)
    assert len(classes_of([Pair(a, b, 900), Pair(nearly_a, c, 800)])) == 1
    stars = classes_of([Pair(a, b, 900), Pair(Stretch(0, 300, 600), Stretch(1, 300, 600), 300)])
    assert [star.stretches for star in stars] == [(a, b)]


def test_a_class_is_as_certain_as_a_pair_of_its_own():
    """Of a star, the likest stretch, or the centre, may be in an earlier class."""
    x, y, long = Stretch(3, 0, 900), Stretch(4, 0, 900), Stretch(1, 0, 900)
    centre, likest, other, third = (Stretch(row, 0, 600) for row in (0, 1, 2, 5))
    earlier = [Pair(x, long, 1000), Pair(x, y, 1000)]
    stars = classes_of([*earlier, Pair(centre, likest, 900), Pair(centre, other, 500)])
    assert {star.stretches: star.scores for star in stars} == {
        (x, long, y): (1000, 1000, 1000),
        (centre, other): (500, 500),
        (centre, likest): (900, 900),
    }
    stars = classes_of([*earlier, Pair(likest, other, 900), Pair(likest, third, 500)])
    assert {star.stretches: star.scores for star in stars}[other, third] == (500, 500)


def test_what_else_resembles_a_stretch_is_told_after_all_new_stretches():
    a, b, _, d, e = (Stretch(row, 0, 600) for row in range(5))
    part, of_c = Stretch(0, 300, 600), Stretch(2, 0, 400)
    stars = classes_of([Pair(a, b, 900), Pair(part, of_c, 500), Pair(d, e, 300)])
    assert [star.stretches for star in stars] == [(a, b), (d, e), (part, of_c)]


def test_two_places_of_a_word_that_each_resemble_another_place_more_are_told_together():
    one, other, near_one, near_other = (Stretch(row, 0, 600) for row in range(4))
    slightly_longer = Stretch(0, 0, 800), Stretch(1, 0, 800)
    pairs = [Pair(one, near_one, 900), Pair(other, near_other, 800), Pair(*slightly_longer, 700)]
    assert [{s.recording for s in star.stretches} for star in classes_of(pairs)] == [
        {0, 2}, {1, 3}, {0, 1},
    ]  # fmt: skip


def test_chance_counts_pairs_with_reversed_speech():
    chance = ChancePairs(np.array([500, 300, 200]), 0.5)
    assert chance.expected(np.array([600, 500, 250])).tolist() == [0.0, 0.5, 1.0]
    # by hand: 0.5 of 2 pairs, 1.0 of 4; a better pair is no likelier by chance
    assert chance.shares(np.array([700, 500, 250, 250])).tolist() == [0.0, 0.25, 0.25, 0.25]


def said(*words):
    return [Written(word, 1 / len(words)) for word in words]


@pytest.mark.parametrize(
    ("members", "share"),
    [
        ([said("rathaus"), said("rathaus")], 1.0),
        ([said("die", "rathaus"), said("die", "radhose")], 0.5),
        ([said("mannschaft"), said("mannschaften")], 1.0),
        ([said("arizona"), said("harrison", "hat")], 0.0),
        ([said("tumor"), said("tumor"), said("moment"), said("raymond")], 0.5),
        ([said("ja"), []], 0.0),
    ],
)
def test_words_explain_a_class_by_the_time_that_they_share(members, share):
    assert explained(members) == pytest.approx(share)
