"""Compiled kernels that find seeds, see `searcher.phonetic.seeds`; imported at their first use.

    words_with       the words with three phones that may be three of a query's
    local_fits       the words that fit some part of a query
    occurrences_of   the places of some words
    likeliest_phones the phones of the likeliest words, in a row
    extension_scores the score of each occurrence, with the words around it
        _by_rest            occurrences with equally long rests of the query
        _add_phones_beside  the phones of the words around
        _gains              their contribution
    windows_around   the runs of slots around the best of them

Slots are known by their keys (recording << 32 | ms) as int64, so that slots of different
recordings are never neighbours. Scores are log-likelihood ratios in nats.
"""

import numpy as np

from searcher.phonetic.layout import (
    BESIDE_BITS,
    MAX_WORD_SPAN_MS,
    MOST_BESIDE,
    SILENT,
    LikeliestPhones,
)
from std.execution.compiled import compiled, compiled_within
from std.values import Bools, Float32s, Int32s, Int64s, UInt8s, UInt16s

SEED_LANES = 64  # occurrences aligned at a time
IMPOSSIBLE = np.float32(-1e9)  # log ratio of an impossible pair


@compiled
def words_with(
    likely: Float32s,
    least: np.float32,
    first: Int64s,
    second: Int64s,
    third: Int64s,
    gram_offsets: Int64s,
    gram_words: Int32s,
    n_words: int,
) -> Bools:
    """The words with three consecutive phones that three of the query's may be recognised as.

    Args:
        likely: (Q, P) log ratios; -inf where a phone cannot be.
        least: least sum of three log ratios.
        first, second, third: (g,) phones of each trigram.
        gram_offsets, gram_words: (g + 1,) and (m,) the words that have each.
    """
    has = np.zeros(n_words, np.bool_)
    for gram in range(len(first)):
        for k in range(len(likely) - 2):
            score = likely[k, first[gram]] + likely[k + 1, second[gram]]
            if score + likely[k + 2, third[gram]] >= least:
                for i in range(gram_offsets[gram], gram_offsets[gram + 1]):
                    has[gram_words[i]] = True
                break
    return has


@compiled
def local_fits(
    match: Float32s,
    deletion: Float32s,
    insertion: Float32s,
    words: Int64s,
    word_offsets: Int64s,
    word_phones: UInt8s,
) -> tuple[Float32s, Int32s]:
    """The best matching parts of the query and of each word.

    Args:
        match: (Q, P); deletion: (Q,); insertion: (P,) log ratios.
        words: (n,) word ids.

    Returns:
        (n,) scores, at least 0; (n, 3) first query phone of the part, one past its last, and one
        past the last phone of the word's part.
    """
    q = len(deletion)
    best = np.zeros(len(words), np.float32)
    where = np.zeros((len(words), 3), np.int32)
    row = np.zeros(q, np.float32)
    begun = np.zeros(q, np.int32)  # query phone where the alignment that ends here began
    for w in range(len(words)):
        row[:] = 0.0
        first = word_offsets[words[w]]
        for z in range(first, word_offsets[words[w] + 1]):
            phone = word_phones[z]
            diagonal = np.float32(0.0)
            diagonal_begun = 0
            for k in range(q):
                value = diagonal + match[k, phone]
                start = diagonal_begun if diagonal > 0 else k
                diagonal = row[k]
                diagonal_begun = begun[k]
                if row[k] + insertion[phone] > value:
                    value = row[k] + insertion[phone]
                    start = begun[k]
                if k > 0 and row[k - 1] + deletion[k] > value:
                    value = row[k - 1] + deletion[k]
                    start = begun[k - 1]
                row[k] = max(value, np.float32(0.0))
                begun[k] = start
                if row[k] > best[w]:
                    best[w] = row[k]
                    where[w, 0] = start
                    where[w, 1] = k + 1
                    where[w, 2] = z + 1 - first
    return best, where


@compiled
def occurrences_of(
    words: Int64s, posting_offsets: Int64s, posting_slot: Int32s
) -> tuple[Int64s, Int64s]:
    """(n,) which of the words and (n,) its slot, for all their alternatives."""
    n = 0
    for word in words:
        n += posting_offsets[word + 1] - posting_offsets[word]
    which, slots = np.empty(n, np.int64), np.empty(n, np.int64)
    n = 0
    for w in range(len(words)):
        for row in range(posting_offsets[words[w]], posting_offsets[words[w] + 1]):
            which[n], slots[n] = w, posting_slot[row]
            n += 1
    return which, slots


@compiled
def likeliest_phones(
    slot_key: Int64s, slot_word: Int32s, word_offsets: Int64s, word_phones: UInt8s
) -> tuple[UInt8s, Int64s]:
    """The columns of `LikeliestPhones`.

    Of a word that is longer than extensions reach from both sides, the middle is left out.
    """
    n, begin_bits = len(slot_key), 2 * BESIDE_BITS
    places = np.zeros(n + 1, np.int64)
    for slot in range(n):
        word, size = slot_word[slot], np.int64(0)
        if word >= 0:
            size = word_offsets[word + 1] - word_offsets[word]
        places[slot + 1] = places[slot] + (min(max(size, 1), 2 * MOST_BESIDE) << begin_bits)
    phones = np.full(places[n] >> begin_bits, np.uint8(SILENT))
    first = last = np.int64(0)  # the farthest slots near one
    for slot in range(n):
        begin, end = places[slot] >> begin_bits, places[slot + 1] >> begin_bits
        word = slot_word[slot]
        if word >= 0:
            first_row, end_row = word_offsets[word], word_offsets[word + 1]
            size = min(end_row - first_row, end - begin)
            for z in range(min(size, MOST_BESIDE)):
                phones[begin + z] = word_phones[first_row + z]
            for z in range(MOST_BESIDE, size):
                phones[begin + z] = word_phones[end_row - size + z]
        while slot_key[slot] - slot_key[first] > MAX_WORD_SPAN_MS:
            first += 1
        last = max(last, np.int64(slot))
        while last + 1 < n and slot_key[last + 1] - slot_key[slot] <= MAX_WORD_SPAN_MS:
            last += 1
        before = min(begin - (places[first] >> begin_bits), MOST_BESIDE)
        behind = min((places[last + 1] >> begin_bits) - end, MOST_BESIDE)
        places[slot] |= before << BESIDE_BITS | behind
    return phones, places


@compiled
def extension_scores(
    match: Float32s,
    deletion: Float32s,
    insertion: Float32s,
    seed_words: Int64s,
    seed_scores: Float32s,
    seed_spans: Int32s,
    seed_of: Int64s,
    slots: Int64s,
    likeliest: LikeliestPhones,
    word_offsets: Int64s,
    word_phones: UInt8s,
) -> Float32s:
    """The extension score of each occurrence of a seed.

    It is the score of the seed plus the contribution of the likeliest words around it to the rest
    of the query.

    Occurrences with rests of equal length are aligned `SEED_LANES` at a time, so the loop over
    lanes becomes vector instructions.

    Args:
        match: (Q, P); deletion: (Q,); insertion: (P,) log ratios.
        seed_words, seed_scores, seed_spans: the seeds, as `local_fits` gives them.
        seed_of, slots: (n,) seed and slot of each occurrence.

    Returns:
        (n,) scores.
    """
    q, no_phone = len(deletion), len(insertion)
    scores = np.empty(len(slots), np.float32)
    for i in range(len(slots)):
        scores[i] = seed_scores[seed_of[i]]
    costs = np.empty(no_phone + 1, np.float32)  # of insertions; the last stands for no more phones
    costs[:no_phone] = insertion
    costs[no_phone] = IMPOSSIBLE
    phones = np.empty((q + 4, SEED_LANES), np.uint16)  # of the lanes, and a row that is not read
    places = np.empty(SEED_LANES, np.int64)
    left = np.empty(SEED_LANES, np.int64)  # phones that a lane still needs
    filled = np.empty(SEED_LANES, np.int64)  # that it has
    gains = np.empty(SEED_LANES, np.float32)
    for forwards in (False, True):
        ratios = np.empty((q, no_phone + 1), np.float32)  # of the query in this direction
        omitted = np.empty(q, np.float32)
        for k in range(q):
            at = k if forwards else q - 1 - k
            omitted[k] = deletion[at]
            for phone in range(no_phone):
                ratios[k, phone] = match[at, phone]
            ratios[k, no_phone] = IMPOSSIBLE
        order, bounds = _by_rest(seed_of, seed_spans, q, forwards)
        for rest in range(1, q + 1):
            for first in range(bounds[rest], bounds[rest + 1], SEED_LANES):
                lanes = min(SEED_LANES, bounds[rest + 1] - first)
                rows = order[first : first + lanes]
                phones[:] = no_phone
                for lane in range(lanes):
                    seed, places[lane] = seed_of[rows[lane]], slots[rows[lane]]
                    # After the seed its own word may continue; before it, the alignment includes
                    # the word.
                    word, left[lane], filled[lane] = seed_words[seed], rest + 3, 0
                    if forwards:
                        begin = word_offsets[word] + seed_spans[seed, 2]
                        size = min(word_offsets[word + 1] - begin, left[lane])
                        for z in range(size):
                            phones[z, lane] = word_phones[begin + z]
                        left[lane] -= size
                        filled[lane] = size
                _add_phones_beside(
                    places[:lanes], forwards, likeliest, left, filled, phones, np.uint16(no_phone)
                )
                _gains(phones, rest, ratios, omitted, costs, gains)
                for lane in range(lanes):
                    scores[rows[lane]] += gains[lane]
    return scores


@compiled_within
def _by_rest(seed_of: Int64s, seed_spans: Int32s, q: int, forwards: bool) -> tuple[Int64s, Int64s]:
    """Occurrences by the number of query phones before or behind their seed.

    Returns:
        (n,) rows of the occurrences; (q + 2,) where in them those with each number begin.
    """
    bounds = np.zeros(q + 2, np.int64)
    for i in range(len(seed_of)):
        seed = seed_of[i]
        bounds[(q - seed_spans[seed, 1] if forwards else seed_spans[seed, 0]) + 1] += 1
    for rest in range(q + 1):
        bounds[rest + 1] += bounds[rest]
    order, room = np.empty(len(seed_of), np.int64), bounds.copy()
    for i in range(len(seed_of)):
        seed = seed_of[i]
        rest = q - seed_spans[seed, 1] if forwards else seed_spans[seed, 0]
        order[room[rest]] = i
        room[rest] += 1
    return order, bounds


@compiled_within
def _add_phones_beside(
    slots: Int64s,
    forwards: bool,
    likeliest: LikeliestPhones,
    left: Int64s,
    filled: Int64s,
    phones: UInt16s,
    no_phone: np.uint16,
) -> None:
    """The phones of the likeliest words beside each seed.

    All lanes take a phone before any takes the next, without branches: a processor cannot foresee
    where words end.

    Args:
        slots: (lanes,) of the seeds.
        left: (LANES,) phones that each lane still takes; a slot without phones counts as one.
        filled: (LANES,) phones that each lane has; both are changed.
        phones: (n, LANES) filled; has a row more than a lane takes phones.
        no_phone: fills what stays empty.
    """
    step = 1 if forwards else -1
    begins = np.empty(SEED_LANES, np.int64)
    most = np.int64(0)
    for lane in range(len(slots)):
        here, behind = likeliest.places[slots[lane]], likeliest.places[slots[lane] + 1]
        begins[lane] = (behind if forwards else here) >> 2 * BESIDE_BITS
        begins[lane] += 0 if forwards else -1
        reach = (here if forwards else here >> BESIDE_BITS) & MOST_BESIDE
        left[lane] = min(left[lane], reach)
        most = max(most, left[lane])
    for z in range(most):
        for lane in range(len(slots)):
            is_left = z < left[lane]
            phone = likeliest.phones[begins[lane] + step * z if is_left else 0]
            is_phone = is_left & (phone != SILENT)
            phones[filled[lane], lane] = phone if is_phone else no_phone
            filled[lane] += is_phone


@compiled_within
def _gains(
    phones: UInt16s,
    rest: int,
    ratios: Float32s,
    omitted: Float32s,
    costs: Float32s,
    gains: Float32s,
) -> None:
    """The contribution of each lane's phones for the rest of the query.

    Args:
        phones: (n, LANES) of each lane, away from the seed.
        rest: query phones left.
        ratios: (Q, P + 1) of the query's phones, away from the seed, ending with the query's end,
            and each phone; `IMPOSSIBLE` for the last, which is no phone.
        omitted: (Q,) deletions, in the same order.
        costs: (P + 1,) of insertions.
        gains: (LANES,) filled.
    """
    begin = len(omitted) - rest
    row = np.empty((rest + 1, SEED_LANES), np.float32)
    same = np.empty((rest, SEED_LANES), np.float32)
    diagonal = np.empty(SEED_LANES, np.float32)
    inserted = np.empty(SEED_LANES, np.float32)
    row[:] = IMPOSSIBLE
    row[0] = 0.0
    gains[:] = 0.0
    for s in range(rest + 3):
        for lane in range(SEED_LANES):
            inserted[lane] = costs[phones[s, lane]]
        for k in range(rest):
            for lane in range(SEED_LANES):
                same[k, lane] = ratios[begin + k, phones[s, lane]]
        for lane in range(SEED_LANES):
            diagonal[lane] = row[0, lane]
            row[0, lane] += inserted[lane]
        for k in range(rest):
            for lane in range(SEED_LANES):
                before = row[k + 1, lane]
                value = max(diagonal[lane] + same[k, lane], before + inserted[lane])
                value = max(value, row[k, lane] + omitted[begin + k])
                diagonal[lane] = before
                row[k + 1, lane] = value
                gains[lane] = max(gains[lane], value)


@compiled
def windows_around(
    slots: Int64s, before_ms: Int64s, after_ms: Int64s, slot_key: Int64s, longest: int
) -> Int64s:
    """Runs of slots within reach of the given ones (ascending); in a recording, runs that overlap
    or touch are joined.

    Args:
        slots: (n,) ascending; before_ms, after_ms: (n,) how far each reaches.

    Returns:
        (w, 2) first slot, one past the last; no longer than ``longest`` slots unless one
        slot's reach is.
    """
    out = np.empty((len(slots), 2), np.int64)
    n = 0
    for i in range(len(slots)):
        slot = slots[i]
        first = slot
        while first > 0 and slot_key[slot] - slot_key[first - 1] <= before_ms[i]:
            first -= 1
        last = slot + 1
        while last < len(slot_key) and slot_key[last] - slot_key[slot] <= after_ms[i]:
            last += 1
        same_recording = n and slot_key[out[n - 1, 0]] >> 32 == slot_key[slot] >> 32
        if same_recording and first <= out[n - 1, 1] and last - out[n - 1, 0] <= longest:
            out[n - 1, 0] = min(first, out[n - 1, 0])
            out[n - 1, 1] = max(last, out[n - 1, 1])
        else:
            out[n, 0], out[n, 1] = first, last
            n += 1
    return out[:n]
