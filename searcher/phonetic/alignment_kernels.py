"""The compiled kernel that aligns a query. Imported on first use: numba is heavy.

Times are recording keys (recording << 32 | ms) as int64, so spans in different recordings are never
neighbours. Scores are log-likelihood ratios in nats.

A *window* is a run of slots. Its alternatives ("arcs") in order of time, each spelled out in
phones ("nodes"), form a graph. An arc follows another if it is later, and either begins where the
other ends or is in the next slot. Of two arcs that begin together, the one in the later slot is
later.

    best_scores             the score of the best alignment in each window, without its path
    find_hits               aligns a query to every path of the graph of each window
        _room_for               memory for the alternatives of a window
        _arcs_of                the alternatives of a window in order of time
        _follows                whether one may follow another on a path
        _align                  best score of each query phone at each node (Viterbi)
        _one_best               the likeliest alternative of each slot
        _best_node, _close_nodes    the best alignment of each place, best first
        _trace_back             the path of a hit, its phones
        _measure_one_best       the likeliest words in the span of a hit
"""

from typing import NamedTuple

import numpy as np

from searcher.phonetic.layout import (
    BLOCK_ROWS,
    MAX_HITS_PER_WINDOW,
    MAX_INSERTIONS,
    MAX_PATH_WORDS,
    MAX_WORD_SPAN_MS,
    NEXT_SLOT_GAP_MS,
    NEXT_SLOT_OVERLAP_MS,
    ONE_BEST_CUT_PHONES,
    PATH_LOG_POSTERIOR,
    PHONES_BEFORE,
    SAME_PLACE_MS,
    SCORE,
    TOUCHING_MS,
    PhoneticColumns,
    PhoneticHits,
    Ratios,
)
from std.execution.compiled import compiled, compiled_within
from std.store.columns import MAX_TIME_MS, MAX_WORD_MS
from std.values import Bools, Float32s, Int32s, Int64s

RECORDING = ~MAX_TIME_MS  # of a key
LATEST_MS = MAX_TIME_MS - MAX_WORD_MS  # latest start of a word that ends in its recording

MATCHED, INSERTED, DELETED, STARTED = range(4)


class Arcs(NamedTuple):
    """The alternatives of a window in order of time."""

    starts: Int64s  # (A,) keys
    ends: Int64s  # (A,) keys
    slots: Int64s  # (A,)
    words: Int64s  # (A,) word ids
    posteriors: Float32s  # (A,)
    first_nodes: Int64s  # (A + 1,) node of each arc's first phone
    rows: Int64s  # (A,) of the postings


class Nodes(NamedTuple):
    """The phones of a window's arcs and, for each query phone, the best alignment ending there."""

    scores: Float32s  # (N, Q)
    back: Int32s  # (N, Q) previous node * 4 + how this one was reached
    origin: Int32s  # (N, Q) node where the alignment began
    arcs: Int32s  # (N,)
    phones: Int32s  # (N,)


@compiled
def best_scores(
    ratios: Ratios, windows: Int64s, columns: PhoneticColumns, path_weight: np.float32
) -> Float32s:
    """The score of a query's best alignment in each window: that of the best of `find_hits`.

    It takes a fraction of the time of `find_hits`, which keeps the paths.

    Args:
        windows: (w, 2) runs of slots, each in one recording.
        path_weight: weight of the log posteriors of the words on a path.

    Returns:
        (w,) scores, nats; -1e9 where there are no phones.
    """
    deletion, insertion = ratios.deletion, ratios.insertion
    n_query, last = len(deletion), len(deletion) - 1
    match = np.empty((len(insertion), n_query), np.float32)  # by phone: rows are read in a row
    for phone in range(len(insertion)):
        for k in range(n_query):
            match[phone, k] = ratios.match[k, phone]
    best_of_window = np.empty(len(windows), np.float32)
    row = np.empty(n_query, np.float32)  # of the node, for each query phone
    before = np.empty(n_query, np.float32)  # the best of the arcs that an arc follows
    room = _room_for(windows, columns)
    ends = np.empty((len(room.starts), n_query), np.float32)  # rows of the arcs' last nodes
    for w in range(len(windows)):
        arcs = _arcs_of(windows[w, 0], windows[w, 1], columns, room)
        first_nodes = arcs.first_nodes
        best = np.float32(-1e9)
        last_start, last_slot = np.int64(-1), np.int64(-1)
        for a in range(len(arcs.starts)):
            size = first_nodes[a + 1] - first_nodes[a]
            if size == 0:
                continue
            cost = np.float32(path_weight * np.log(arcs.posteriors[a]))
            start, slot = arcs.starts[a], arcs.slots[a]
            if start != last_start or slot != last_slot:  # else it follows the same arcs
                last_start, last_slot = start, slot
                for k in range(n_query):
                    before[k] = -1e9
                b = a - 1
                while b >= 0 and start - arcs.starts[b] <= MAX_WORD_SPAN_MS:
                    if first_nodes[b + 1] > first_nodes[b] and _follows(arcs, a, b):
                        for k in range(n_query):
                            before[k] = max(before[k], ends[b, k])
                    b -= 1
            for k in range(n_query):
                row[k] = before[k]
            first_phone = columns.word_phone_offsets[arcs.words[a]]
            enter = cost
            for i in range(first_phone, first_phone + size):
                phone = columns.word_phones[i]
                added = insertion[phone]
                diagonal = row[0]
                score = match[phone, 0] + cost
                if last > 0:
                    score = max(score, row[0] + added + enter)
                row[0] = score
                for k in range(1, last):
                    value = max(diagonal + match[phone, k] + enter, row[k] + added + enter)
                    if k == 1:
                        value = max(value, match[phone, 1] + cost + deletion[0])
                    score = max(value, score + deletion[k])
                    diagonal = row[k]
                    row[k] = score
                if last > 0:
                    value = diagonal + match[phone, last] + enter
                    if last == 1:
                        value = max(value, match[phone, 1] + cost + deletion[0])
                    score = max(value, score + deletion[last])
                    row[last] = score
                best = max(best, score)
                enter = np.float32(0.0)
            for k in range(n_query):
                ends[a, k] = row[k]
        best_of_window[w] = best
    return best_of_window


@compiled
def find_hits(
    ratios: Ratios,
    windows: Int64s,
    columns: PhoneticColumns,
    path_weight: np.float32,
    min_score: np.float32,
    hits: PhoneticHits,
) -> int:
    """Align a query to the paths of every window; best hits of each place first.

    Args:
        ratios: the ratios of the query's phones.
        windows: (w, 2) runs of slots, each in one recording.
        columns: the columns of the segment.
        path_weight: weight of the log posteriors of the words on a path.
        min_score: hits that score below are left out.
        hits: filled; has room for `MAX_HITS_PER_WINDOW` for each window.

    Returns:
        number of hits written.
    """
    last = len(ratios.deletion) - 1
    count = np.int64(0)  # one type from here on, so that each function is compiled once
    room = _room_for(windows, columns)
    for w in range(len(windows)):
        first_slot, end_slot = windows[w, 0], windows[w, 1]
        arcs = _arcs_of(first_slot, end_slot, columns, room)
        if len(arcs.starts) == 0:
            continue
        starts, ends, first_nodes = arcs.starts, arcs.ends, arcs.first_nodes
        nodes = _align(ratios, arcs, columns, path_weight)
        one_best = _one_best(arcs, first_slot, end_slot)
        is_open = np.empty(len(nodes.arcs), np.bool_)
        for i in range(len(is_open)):
            is_open[i] = nodes.scores[i, last] >= min_score
        for _ in range(MAX_HITS_PER_WINDOW):
            hit = _best_node(nodes.scores, is_open)
            if hit < 0:
                break
            first = np.int64(nodes.origin[hit, last])
            a, b = nodes.arcs[first], nodes.arcs[hit]
            start = _node_time(starts[a], ends[a], first_nodes[a], first_nodes[a + 1], first)
            end = _node_time(starts[b], ends[b], first_nodes[b], first_nodes[b + 1], hit + 1)
            _close_nodes(nodes, arcs, is_open, start + end)
            is_open[hit] = False
            takes_time = ends[a] > starts[a] or ends[b] > starts[b]
            if end < start or (end == start and takes_time):
                continue
            hits.recording[count] = start >> 32
            hits.start_ms[count], hits.end_ms[count] = start & MAX_TIME_MS, end & MAX_TIME_MS
            hits.first_slot[count] = min(arcs.slots[a], arcs.slots[b])
            hits.last_slot[count] = max(arcs.slots[a], arcs.slots[b])
            hits.measures[count, SCORE] = nodes.scores[hit, last]
            hits.measures[count, PHONES_BEFORE] = first - first_nodes[a]
            _trace_back(ratios, arcs, nodes, hit, hits, count)
            _measure_one_best(arcs, one_best, start, end, hits, count)
            count += 1
    return int(count)


@compiled_within
def _room_for(windows: Int64s, columns: PhoneticColumns) -> Arcs:
    """Memory for the alternatives of any window; allocating it for each took half of the time."""
    n = np.int64(0)
    for w in range(len(windows)):
        begin, end = windows[w, 0], windows[w, 1]
        n = max(n, columns.slot_arc_offsets[end] - columns.slot_arc_offsets[begin])
    times = np.empty(n, np.int64), np.empty(n, np.int64)
    where = np.empty(n, np.int64), np.empty(n, np.int64)
    posteriors = np.empty(n, np.float32)
    return Arcs(*times, *where, posteriors, np.empty(n + 1, np.int64), np.empty(n, np.int64))


@compiled_within
def _arcs_of(first_slot: int, end_slot: int, columns: PhoneticColumns, room: Arcs) -> Arcs:
    """The alternatives of a run of slots: start, end, and posterior of each.

    Those that begin together are in the order of their slots. They are sorted by insertion, because
    they are almost sorted already and numba takes a second to compile `np.argsort`. Each column is
    read in a separate loop, so that cache misses overlap.

    Args:
        room: what is filled, until the next call.
    """
    starts, slots, rows = room.starts, room.slots, room.rows
    first_nodes = room.first_nodes
    first_arc = np.int64(columns.slot_arc_offsets[first_slot])
    n = columns.slot_arc_offsets[end_slot] - first_arc
    for a in range(n):
        rows[a] = columns.arc_rows[first_arc + a]
    for a in range(n):
        # The index may be damaged, so starts and posteriors are kept within these ranges.
        start_ms = np.int64(columns.posting_start_ms[rows[a]])
        starts[a] = start_ms if start_ms < LATEST_MS else LATEST_MS
    for slot in range(first_slot, end_slot):
        recording = columns.slot_key[slot] & RECORDING
        begin = columns.slot_arc_offsets[slot] - first_arc
        for a in range(begin, columns.slot_arc_offsets[slot + 1] - first_arc):
            start, row = recording | starts[a], rows[a]
            at = a
            while at > 0 and starts[at - 1] > start:
                starts[at], slots[at], rows[at] = starts[at - 1], slots[at - 1], rows[at - 1]
                at -= 1
            starts[at], slots[at], rows[at] = start, slot, row
    for a in range(n):
        room.ends[a] = starts[a] + columns.posting_duration_ms[rows[a]]
    for a in range(n):
        posterior = columns.posting_posterior[rows[a]]
        room.posteriors[a] = min(posterior, np.float32(1)) if posterior > 1e-4 else np.float32(1e-4)
    first_nodes[0] = 0
    for a in range(n):
        word = _word_of(rows[a], columns.posting_offsets, columns.block_words)
        room.words[a] = word
        size = columns.word_phone_offsets[word + 1] - columns.word_phone_offsets[word]
        first_nodes[a + 1] = first_nodes[a] + size
    return Arcs(
        starts[:n], room.ends[:n], slots[:n], room.words[:n], room.posteriors[:n],
        first_nodes[: n + 1], rows[:n],
    )  # fmt: skip


@compiled_within
def _word_of(row: int, posting_offsets: Int64s, block_words: Int32s) -> int:
    """The word of a posting, between the words at the ends of its block."""
    low, high = block_words[row // BLOCK_ROWS], block_words[row // BLOCK_ROWS + 1]
    while low < high:
        middle = (low + high + 1) // 2
        if posting_offsets[middle] <= row:
            low = middle
        else:
            high = middle - 1
    return int(low)


@compiled_within
def _follows(arcs: Arcs, a: int, b: int) -> bool:
    """Whether an arc may follow an earlier one on a path."""
    gap = arcs.starts[a] - arcs.ends[b]
    if not (arcs.starts[b] < arcs.starts[a] or arcs.slots[b] < arcs.slots[a]):
        return False
    if arcs.slots[b] == arcs.slots[a] - 1 and -NEXT_SLOT_OVERLAP_MS <= gap <= NEXT_SLOT_GAP_MS:
        return True
    return bool(-TOUCHING_MS <= gap <= TOUCHING_MS)


@compiled_within
def _align(ratios: Ratios, arcs: Arcs, columns: PhoneticColumns, path_weight: np.float32) -> Nodes:
    """The best alignment of each prefix of the query that ends at each node."""
    match, deletion, insertion = ratios.match, ratios.deletion, ratios.insertion
    starts, first_nodes = arcs.starts, arcs.first_nodes
    n_nodes, n_query = first_nodes[-1], len(deletion)
    scores = np.empty((n_nodes, n_query), np.float32)
    back = np.empty((n_nodes, n_query), np.int32)
    origin = np.empty((n_nodes, n_query), np.int32)
    nodes = Nodes(scores, back, origin, np.empty(n_nodes, np.int32), np.empty(n_nodes, np.int32))
    in_score = np.empty(n_query, np.float32)  # the best of the arcs that an arc follows
    in_node = np.empty(n_query, np.int32)
    last_start, last_slot = np.int64(-1), np.int64(-1)
    for a in range(len(starts)):
        first_node, end_node = first_nodes[a], first_nodes[a + 1]
        if end_node == first_node:
            continue
        cost = np.float32(path_weight * np.log(arcs.posteriors[a]))
        start, slot = starts[a], arcs.slots[a]
        if start != last_start or slot != last_slot:  # else it follows the same arcs
            last_start, last_slot = start, slot
            for k in range(n_query):
                in_score[k] = -1e9
                in_node[k] = -1
            b = a - 1
            while b >= 0 and start - starts[b] <= MAX_WORD_SPAN_MS:
                if first_nodes[b + 1] > first_nodes[b] and _follows(arcs, a, b):
                    node = first_nodes[b + 1] - 1
                    for k in range(n_query):
                        if scores[node, k] > in_score[k]:
                            in_score[k] = scores[node, k]
                            in_node[k] = node
                b -= 1
        first_phone = columns.word_phone_offsets[arcs.words[a]]
        for i in range(first_node, end_node):
            inside = i > first_node
            phone = columns.word_phones[first_phone + i - first_node]
            nodes.arcs[i] = a
            nodes.phones[i] = phone
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
    return nodes


@compiled_within
def _one_best(arcs: Arcs, first_slot: int, end_slot: int) -> Int64s:
    """(slots,) the likeliest arc of each slot of a window; -1 where there is none."""
    n_slots = end_slot - first_slot
    one_best = np.empty(n_slots, np.int64)
    for s in range(n_slots):
        one_best[s] = -1
    for a in range(len(arcs.starts)):
        s = arcs.slots[a] - first_slot
        if 0 <= s < n_slots and (
            one_best[s] < 0 or arcs.posteriors[a] > arcs.posteriors[one_best[s]]
        ):
            one_best[s] = a
    return one_best


@compiled_within
def _best_node(scores: Float32s, is_open: Bools) -> int:
    """The open node with the best complete alignment, the first of equal ones; -1 without any."""
    last = scores.shape[1] - 1
    hit = -1
    for i in range(len(is_open)):
        if is_open[i] and (hit < 0 or scores[i, last] > scores[hit, last]):
            hit = i
    return hit


@compiled_within
def _node_time(start: int, end: int, first_node: int, end_node: int, node: int | np.int64) -> int:
    """The start key of a node of an arc; phones of a word have equal durations."""
    return int(start + (end - start) * (node - first_node) // (end_node - first_node))


@compiled_within
def _close_nodes(nodes: Nodes, arcs: Arcs, is_open: Bools, sum_of_ends: int) -> None:
    """Close every node whose alignment is at the place of a hit, by the distance of middles.

    Args:
        sum_of_ends: start plus end key of the hit, twice its middle.
    """
    starts, ends, first_nodes = arcs.starts, arcs.ends, arcs.first_nodes
    arc_of, origin, last = nodes.arcs, nodes.origin, nodes.scores.shape[1] - 1
    for i in range(len(is_open)):
        if is_open[i]:
            first = np.int64(origin[i, last])
            a, b = arc_of[first], arc_of[i]
            start = _node_time(starts[a], ends[a], first_nodes[a], first_nodes[a + 1], first)
            end = _node_time(starts[b], ends[b], first_nodes[b], first_nodes[b + 1], i + 1)
            if abs(start + end - sum_of_ends) < 2 * SAME_PLACE_MS:
                is_open[i] = False


@compiled_within
def _trace_back(
    ratios: Ratios, arcs: Arcs, nodes: Nodes, hit: int, hits: PhoneticHits, row: int | np.int64
) -> None:
    """Follow a hit's path back: its words, their posteriors, the phones observed."""
    paths, observed, inserted = hits.paths, hits.observed, hits.inserted
    path_log = np.float32(0.0)
    on_path = 0
    previous_arc = -1
    n_inserted = 0
    for s in range(MAX_PATH_WORDS):
        paths[row, s] = -1
    for s in range(len(ratios.deletion)):
        observed[row, s] = -1
    for s in range(MAX_INSERTIONS):
        inserted[row, s] = -1
    i, k = hit, len(ratios.deletion) - 1
    while True:
        if nodes.arcs[i] != previous_arc:
            previous_arc = nodes.arcs[i]
            path_log += np.log(arcs.posteriors[previous_arc])
            if on_path < MAX_PATH_WORDS:
                paths[row, on_path] = arcs.words[previous_arc]
            on_path += 1
        how = nodes.back[i, k] & 3
        source = nodes.back[i, k] >> 2
        if how in (MATCHED, STARTED):
            observed[row, k] = nodes.phones[i]
        elif how == INSERTED and n_inserted < MAX_INSERTIONS:
            inserted[row, n_inserted] = nodes.phones[i]
            n_inserted += 1
        if how == STARTED:
            break
        if how != INSERTED:
            k -= 1
        i = source
    shown = min(on_path, MAX_PATH_WORDS)
    for s in range(shown // 2):
        paths[row, s], paths[row, shown - 1 - s] = paths[row, shown - 1 - s], paths[row, s]
    hits.measures[row, PATH_LOG_POSTERIOR] = path_log


@compiled_within
def _measure_one_best(
    arcs: Arcs, one_best: Int64s, start: int, end: int, hits: PhoneticHits, row: int | np.int64
) -> None:
    """Measure the likeliest words in the span of a hit."""
    cut_phones = np.float32(0.0)
    for s in range(len(one_best)):
        c = one_best[s]
        if c < 0:
            continue
        shared_ms = min(end, arcs.ends[c]) - max(start, arcs.starts[c])
        if shared_ms <= 20:
            continue
        part = shared_ms / max(10, arcs.ends[c] - arcs.starts[c])
        phones = arcs.first_nodes[c + 1] - arcs.first_nodes[c]
        posterior = arcs.posteriors[c]
        if posterior > 0.5 and part < 0.85:
            cut_phones = max(cut_phones, np.float32(phones * posterior))
    hits.measures[row, ONE_BEST_CUT_PHONES] = cut_phones
