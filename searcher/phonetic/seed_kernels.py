"""Compiled kernels that look for seeds, see `searcher.phonetic.seeds`. Imported on first use.

    local_fits       the words that fit some part of a query
    extension_scores the score of each occurrence, with the words around it
    windows_around   the runs of slots around the best of them

Slots are known by their keys (recording << 32 | ms) as int64, so that slots of different
recordings are never neighbours. Scores are log-likelihood ratios in nats.
"""

import numpy as np

from searcher.phonetic.layout import MAX_WORD_SPAN_MS
from std.execution.compiled import compiled
from std.store.columns import Int64s, UInt8s
from std.values import Float32s, Int32s


@compiled
def local_fits(
    match: Float32s,
    deletion: Float32s,
    insertion: Float32s,
    words: Int64s,
    word_offsets: Int64s,
    word_phones: UInt8s,
) -> tuple[Float32s, Int32s]:
    """The part of the query and the part of each word that fit each other best.

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
def extension_scores(
    match: Float32s,
    deletion: Float32s,
    insertion: Float32s,
    seed_words: Int64s,
    seed_scores: Float32s,
    seed_spans: Int32s,
    seed_of: Int64s,
    slots: Int64s,
    slot_key: Int64s,
    slot_word: Int32s,
    word_offsets: Int64s,
    word_phones: UInt8s,
) -> Float32s:
    """The extension score of each occurrence of a seed: the seed's score and what the likeliest
    words around it add for the rest of the query.

    Args:
        match: (Q, P); deletion: (Q,); insertion: (P,) log ratios.
        seed_words, seed_scores, seed_spans: the seeds, as `local_fits` gives them.
        seed_of, slots: (n,) seed and slot of each occurrence.

    Returns:
        (n,) scores.
    """
    q = len(deletion)
    row = np.empty(q + 1, np.float32)
    out = np.empty(len(slots), np.float32)
    for i in range(len(slots)):
        seed = seed_of[i]
        total = seed_scores[seed]
        for forwards in (False, True):
            rest = q - seed_spans[seed, 1] if forwards else seed_spans[seed, 0]
            if rest == 0:
                continue
            row[0] = 0.0
            for k in range(rest):
                row[k + 1] = -1e9
            gain = np.float32(0.0)
            slot = slots[i]
            word = seed_words[seed]
            step = 1 if forwards else -1
            # Behind the seed its own word may go on; before it, that is left to the alignment.
            z = seed_spans[seed, 2] if forwards else -1
            phones_left = rest + 3
            while phones_left > 0:
                size = word_offsets[word + 1] - word_offsets[word]
                if z < 0 or z >= size:
                    slot += step
                    if slot < 0 or slot >= len(slot_key):
                        break
                    if abs(slot_key[slot] - slot_key[slots[i]]) > MAX_WORD_SPAN_MS:
                        break
                    word = slot_word[slot]
                    if word < 0 or word_offsets[word + 1] == word_offsets[word]:
                        word = seed_words[seed]
                        z = -1
                        phones_left -= 1
                        continue
                    z = 0 if forwards else word_offsets[word + 1] - word_offsets[word] - 1
                phone = word_phones[word_offsets[word] + z]
                z += step
                phones_left -= 1
                diagonal = row[0]
                row[0] += insertion[phone]
                for k in range(rest):
                    at = seed_spans[seed, 1] + k if forwards else seed_spans[seed, 0] - 1 - k
                    value = max(diagonal + match[at, phone], row[k + 1] + insertion[phone])
                    diagonal = row[k + 1]
                    row[k + 1] = max(value, row[k] + deletion[at])
                    gain = max(gain, row[k + 1])
            total += gain
        out[i] = total
    return out


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
