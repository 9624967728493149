"""The compiled kernel that aligns a query. Imported on first use: numba is heavy.

Times are recording keys (recording << 32 | ms) as int64, so that places in different recordings
are never neighbours. Scores are log-likelihood ratios in nats.

A *window* is a run of slots. Its alternatives ("arcs") in order of time, each spelled out in
phones ("nodes"), form a graph: an arc follows another if it begins where that one ends, or
stands in the next slot, and is later; of two that begin together the one in the later slot is.
`find_hits` aligns a query's phones to every path of that graph at once.
"""

import numpy as np
import numpy.typing as npt

from std.execution.compiled import compiled
from std.store.columns import (
    MAX_TIME_MS,
    MAX_WORD_MS,
    Int64s,
    UInt8s,
    UInt16s,
    UInt32s,
)
from std.values import Float32s, Int32s

Int16s = npt.NDArray[np.int16]

TOUCHING_MS = 60  # words this close follow each other, whatever their slots
NEXT_SLOT_OVERLAP_MS = 100  # words of neighbouring slots may overlap by this much
NEXT_SLOT_GAP_MS = 500  # or leave this much silence (NIST STD 2006: one term, no longer gap)
LONGEST_WORD_MS = 4000  # how far back a word may have begun that ends here
SAME_PLACE_MS = 500
HITS_OF_WINDOW = 16
PATH_WORDS = 8  # words of a hit's path that are kept to show
INSERTIONS = 8  # phones inserted into a hit that are kept
BLOCK_ROWS = 64  # postings between two whose word is known
RECORDING = ~MAX_TIME_MS  # of a key
LATEST_MS = MAX_TIME_MS - MAX_WORD_MS  # a word that begins then still ends in its recording

# Columns of what is measured at a hit.
SCORE, BEFORE, AFTER, PATH, WEAKEST, ARCS, SAME, STANDING, SURE, LONGEST = range(10)
N_MEASURES = 10

MATCHED, INSERTED, DELETED, STARTED = range(4)


@compiled
def find_hits(
    match: Float32s,
    deletion: Float32s,
    insertion: Float32s,
    windows: Int64s,
    slot_arc_offsets: Int32s,
    arc_rows: Int32s,
    block_words: Int32s,
    posting_offsets: Int64s,
    posting_start_ms: UInt32s,
    posting_ms: UInt16s,
    posting_posterior: Float32s,
    posting_slot: Int32s,
    slot_key: Int64s,
    word_offsets: Int64s,
    word_phones: UInt8s,
    path_weight: np.float32,
    floor: np.float32,
    spans: Int64s,
    measures: Float32s,
    paths: Int32s,
    observed: Int16s,
    inserted: Int16s,
) -> int:
    """Align a query to the paths of every window; best hits of each place first.

    Args:
        match: (Q, P); deletion: (Q,); insertion: (P,) log ratios of the query's phones.
        windows: (w, 2) runs of slots, each in one recording.
        path_weight: weight of the log posteriors of the words on a path.
        floor: hits scoring below are left out.
        spans: (N, 4) int64 start, end, first and last slot, measures: (N, N_MEASURES), paths:
            (N, PATH_WORDS) int32: filled; N is at least `HITS_OF_WINDOW` for each window.
        observed: (N, Q) the phone aligned with each of the query's, -1 = deleted: filled.
        inserted: (N, INSERTIONS) the phones aligned with none, -1 = no more: filled.

    Returns:
        number of hits written.
    """
    n_query = len(deletion)
    count = 0
    for w in range(len(windows)):
        begin, end = slot_arc_offsets[windows[w, 0]], slot_arc_offsets[windows[w, 1]]
        n_arcs = end - begin
        if n_arcs == 0:
            continue
        # Alternatives in order of time: where each begins, ends, and what it weighs.
        starts = np.empty(n_arcs, np.int64)
        for a in range(n_arcs):
            row = arc_rows[begin + a]
            start_ms = min(np.int64(posting_start_ms[row]), LATEST_MS)  # of an index anybody made
            starts[a] = (slot_key[posting_slot[row]] & RECORDING) | start_ms
        order = np.argsort(starts, kind="mergesort")
        starts = starts[order]
        ends = np.empty(n_arcs, np.int64)
        slots = np.empty(n_arcs, np.int64)
        words = np.empty(n_arcs, np.int64)
        posteriors = np.empty(n_arcs, np.float32)
        firsts = np.empty(n_arcs + 1, np.int64)  # node of each arc's first phone
        firsts[0] = 0
        for a in range(n_arcs):
            row = arc_rows[begin + order[a]]
            ends[a] = starts[a] + posting_ms[row]
            slots[a] = posting_slot[row]
            words[a] = _word_of(row, posting_offsets, block_words)
            given = posting_posterior[row]  # likewise
            posteriors[a] = min(given, np.float32(1)) if given > 1e-4 else np.float32(1e-4)
            firsts[a + 1] = firsts[a] + word_offsets[words[a] + 1] - word_offsets[words[a]]
        n_nodes = firsts[n_arcs]
        scores = np.empty((n_nodes, n_query), np.float32)
        back = np.empty((n_nodes, n_query), np.int32)  # node * 4 + how it was reached
        origin = np.empty((n_nodes, n_query), np.int32)  # node where the alignment began
        arc_of = np.empty(n_nodes, np.int32)
        phone_of = np.empty(n_nodes, np.int32)
        in_score = np.empty(n_query, np.float32)
        in_node = np.empty(n_query, np.int32)
        for a in range(n_arcs):
            if firsts[a + 1] == firsts[a]:
                continue
            cost = np.float32(path_weight * np.log(posteriors[a]))
            in_score[:] = -1e9
            in_node[:] = -1
            b = a - 1
            while b >= 0 and starts[a] - starts[b] <= LONGEST_WORD_MS:
                gap = starts[a] - ends[b]
                later = starts[b] < starts[a] or slots[b] < slots[a]
                follows = later and (
                    -TOUCHING_MS <= gap <= TOUCHING_MS
                    or (
                        slots[b] == slots[a] - 1
                        and -NEXT_SLOT_OVERLAP_MS <= gap <= NEXT_SLOT_GAP_MS
                    )
                )
                if follows and firsts[b + 1] > firsts[b]:
                    node = firsts[b + 1] - 1
                    for k in range(n_query):
                        if scores[node, k] > in_score[k]:
                            in_score[k] = scores[node, k]
                            in_node[k] = node
                b -= 1
            for i in range(firsts[a], firsts[a + 1]):
                inside = i > firsts[a]
                phone = word_phones[word_offsets[words[a]] + i - firsts[a]]
                arc_of[i] = a
                phone_of[i] = phone
                enter = np.float32(0.0) if inside else cost
                for k in range(n_query):
                    same = match[k, phone]
                    best = np.float32(-1e9)
                    how = STARTED
                    source = i
                    first = i
                    if k == 0:
                        best = same + cost
                    elif k == 1:
                        best = same + cost + deletion[0]
                    if k > 0:
                        before = scores[i - 1, k - 1] if inside else in_score[k - 1]
                        value = before + same + enter
                        if value > best:
                            best = value
                            how = MATCHED
                            source = i - 1 if inside else in_node[k - 1]
                    if k < n_query - 1:
                        before = scores[i - 1, k] if inside else in_score[k]
                        value = before + insertion[phone] + enter
                        if value > best:
                            best = value
                            how = INSERTED
                            source = i - 1 if inside else in_node[k]
                    if k > 0:
                        value = scores[i, k - 1] + deletion[k]
                        if value > best:
                            best = value
                            how = DELETED
                            source = i
                    if how == DELETED:
                        first = origin[i, k - 1]
                    elif how == MATCHED:
                        first = origin[source, k - 1]
                    elif how == INSERTED:
                        first = origin[source, k]
                    scores[i, k] = best
                    back[i, k] = source * 4 + how
                    origin[i, k] = first
        # Which alternatives stand there: the likeliest of each slot.
        n_slots = windows[w, 1] - windows[w, 0]
        top = np.full(n_slots, -1, np.int64)
        for a in range(n_arcs):
            s = slots[a] - windows[w, 0]
            if 0 <= s < n_slots and (top[s] < 0 or posteriors[a] > posteriors[top[s]]):
                top[s] = a
        # The best alignment of each place, best first.
        last = n_query - 1
        open_node = scores[:, last] >= floor
        for _ in range(HITS_OF_WINDOW):
            hit = -1
            for i in range(n_nodes):
                if open_node[i] and (hit < 0 or scores[i, last] > scores[hit, last]):
                    hit = i
            if hit < 0:
                break
            first = origin[hit, last]
            a, b = arc_of[first], arc_of[hit]
            length_a, length_b = firsts[a + 1] - firsts[a], firsts[b + 1] - firsts[b]
            from_ms = starts[a] + (ends[a] - starts[a]) * (first - firsts[a]) // length_a
            to_ms = starts[b] + (ends[b] - starts[b]) * (hit + 1 - firsts[b]) // length_b
            for i in range(n_nodes):
                if open_node[i]:
                    c = arc_of[origin[i, last]]
                    d = arc_of[i]
                    left = starts[c] + (ends[c] - starts[c]) * (origin[i, last] - firsts[c]) // (
                        firsts[c + 1] - firsts[c]
                    )
                    right = starts[d] + (ends[d] - starts[d]) * (i + 1 - firsts[d]) // (
                        firsts[d + 1] - firsts[d]
                    )
                    if abs(left + right - from_ms - to_ms) < 2 * SAME_PLACE_MS:
                        open_node[i] = False
            open_node[hit] = False
            takes_time = ends[a] > starts[a] or ends[b] > starts[b]
            if to_ms < from_ms or (to_ms == from_ms and takes_time):
                continue
            # Walk the path back.
            path_log = np.float32(0.0)
            weakest = np.float32(0.0)
            on_path = 0
            same_phones = 0
            previous_arc = -1
            n_inserted = 0
            paths[count, :] = -1
            observed[count, :] = -1
            inserted[count, :] = -1
            i, k = hit, last
            while True:
                if arc_of[i] != previous_arc:
                    previous_arc = arc_of[i]
                    log_posterior = np.log(posteriors[previous_arc])
                    path_log += log_posterior
                    weakest = min(weakest, log_posterior)
                    if on_path < PATH_WORDS:
                        paths[count, on_path] = words[previous_arc]
                    on_path += 1
                how = back[i, k] & 3
                source = back[i, k] >> 2
                if how in (MATCHED, STARTED) and match[k, phone_of[i]] >= match[k].max():
                    same_phones += 1
                if how in (MATCHED, STARTED):
                    observed[count, k] = phone_of[i]
                elif how == INSERTED and n_inserted < INSERTIONS:
                    inserted[count, n_inserted] = phone_of[i]
                    n_inserted += 1
                if how == STARTED:
                    break
                if how != INSERTED:
                    k -= 1
                i = source
            shown = min(on_path, PATH_WORDS)
            for s in range(shown // 2):
                paths[count, s], paths[count, shown - 1 - s] = (
                    paths[count, shown - 1 - s],
                    paths[count, s],
                )
            # What stands there instead.
            standing = np.float32(0.0)
            covered = np.float32(1.0)
            sure = np.float32(0.0)
            longest = np.float32(0.0)
            for s in range(n_slots):
                c = top[s]
                if c < 0:
                    continue
                shared = min(to_ms, ends[c]) - max(from_ms, starts[c])
                if shared <= 20:
                    continue
                part = shared / max(10, ends[c] - starts[c])
                phones = firsts[c + 1] - firsts[c]
                standing += np.float32(part * posteriors[c] * phones)
                covered += shared
                sure += np.float32(shared * posteriors[c])
                if posteriors[c] > 0.5 and part < 0.85:
                    longest = max(longest, np.float32(phones * posteriors[c]))
            spans[count, 0], spans[count, 1] = from_ms, to_ms
            spans[count, 2], spans[count, 3] = min(slots[a], slots[b]), max(slots[a], slots[b])
            measures[count, SCORE] = scores[hit, last]
            measures[count, BEFORE] = first - firsts[a]
            measures[count, AFTER] = firsts[b + 1] - 1 - hit
            measures[count, PATH] = path_log
            measures[count, WEAKEST] = weakest
            measures[count, ARCS] = on_path
            measures[count, SAME] = np.float32(same_phones) / n_query
            measures[count, STANDING] = standing
            measures[count, SURE] = sure / covered
            measures[count, LONGEST] = longest
            count += 1
    return count


@compiled
def _word_of(row: int, posting_offsets: Int64s, block_words: Int32s) -> int:
    """The word that a posting belongs to, between those of its block's ends."""
    low, high = block_words[row // BLOCK_ROWS], block_words[row // BLOCK_ROWS + 1]
    while low < high:
        middle = (low + high + 1) // 2
        if posting_offsets[middle] <= row:
            low = middle
        else:
            high = middle - 1
    return int(low)
