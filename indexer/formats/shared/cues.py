"""Cues -> utterances: shared by the readers of captions and transcripts.

A cue is a stretch of text with a start and an end. Its words share its time
(`indexer.networks.slot_times`), unless each has times. Each cue is an utterance; words with times
form utterances that end at pauses of half a second.

Columns are made for many cues at once, and each distinct token is interpreted once, so captions of
thousands of hours are read in seconds.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, count, groupby, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from indexer.formats.shared.clock import note_restarts
from indexer.formats.shared.reader import ReaderOptions
from indexer.formats.shared.recordings import NO_SPAN, Span, language_in_name
from indexer.networks.chunks import BACK_S, parts_of
from indexer.networks.columns import rated, utterances_of
from indexer.networks.hypotheses import (
    HypothesisWord,
    bare,
    by_pauses,
    single,
    speaker_of,
    spoken,
    untimed,
)
from indexer.networks.nonwords import Nonwords
from indexer.networks.raw import SECONDS_PER_LETTER, RawUtterances
from indexer.networks.utterances import Utterances
from std.characters import has_characters
from std.errors import NONE, InputError
from std.ranges import MAX_TIME_S, MAX_WORD_S
from std.repairs import BAD_ROW, CLOCK_GOES_BACK, UNKNOWN, Repairs, span_s
from std.values import Float64s, Int64s, Recording

CUES_AT_ONCE = 1 << 16
SINGLE = 0.8  # of texts that are words
LEAST_WORDS = 5  # captions of a word each that are words of a recogniser
LONGEST_WORD_S = 1.0  # on average: a second holds five letters of Chinese, or more
LONGEST_WORD_LETTERS = 60
CUES_EXAMINED = 50  # captions that show that they are no words
_MAY_BE_REMARK = re.compile("[\\[({<*%+\uff3b\u3010\uff08\u2669-\u266c\U0001f3b5\U0001f3b6]")


class Cue(NamedTuple):
    """A stretch of text with its times; ``words`` if each of them has times.

    A cue whose end is NaN lasts until the next, or as long as its letters take.
    """

    line: int  # where it begins in the file
    start_s: float
    end_s: float
    text: str
    words: Sequence[HypothesisWord] = ()
    recording: Recording | None = None  # None: the file's
    language: str = ""
    speaker: str = ""
    error_s: float = 0.0  # how far its words may be off, if its own times are estimates


def timed_cues(
    words: Iterable[tuple[int, HypothesisWord]], *, in_parts: bool = False
) -> Iterator[Cue]:
    """Yield cues of timed words, each given with its line, cut at pauses.

    Args:
        words: in the file's order; words without times stay after the one before them.
        in_parts: whether parts that count from 0 again stay one after the other.
    """
    rows = list(words)
    starts_s = _known_starts(rows)
    parts = parts_of(starts_s) if in_parts else np.zeros(len(rows), int)
    order = np.lexsort((starts_s, parts))
    rows = [rows[at] for at in order.tolist()]
    done, before_s = 0, 0.0
    utterances = [*by_pauses([word for _, word in rows])]
    followers_s = [*(some[0].start_s for some in utterances[1:]), UNKNOWN]
    for some, following_s in zip(utterances, followers_s, strict=False):
        start_s, end_s = _reach(some, before_s, following_s)
        text = " ".join(word.token for word in some)
        yield Cue(rows[done][0], start_s, end_s, text, some, speaker=speaker_of(some))
        done, before_s = done + len(some), end_s


def _known_starts(rows: Sequence[tuple[int, HypothesisWord]]) -> Float64s:
    """The start of each word, or else of the one before it that has one (of the first that has)."""
    starts_s = np.array([word.start_s for _, word in rows])
    known = starts_s == starts_s
    if known.all():
        return starts_s
    last = np.where(known, np.arange(len(rows)), np.argmax(known))
    return starts_s[np.maximum.accumulate(last)]


def _reach(some: Sequence[HypothesisWord], before_s: float, following_s: float) -> Span:
    """The start and the end of an utterance; words without times at its ends last by their letters.

    Args:
        before_s: the end of the utterance before it.
        following_s: the start of the next; NaN: there is none.
    """
    timed = [at for at, word in enumerate(some) if word.start_s == word.start_s]
    if not timed:
        return NO_SPAN
    first, last = timed[0], timed[-1]
    start_s, end_s = some[first].start_s, max(some[at].end_s for at in timed)
    if first:
        start_s = min(start_s, max(before_s, start_s - _said_in_s(some[:first])))
    if last + 1 < len(some):
        latest_s = end_s + _said_in_s(some[last + 1 :])
        end_s = max(end_s, min(latest_s, following_s) if following_s > end_s else latest_s)
    return Span(start_s, end_s)


def _said_in_s(words: Iterable[HypothesisWord]) -> float:
    return SECONDS_PER_LETTER * sum(len(word.token) for word in words)


def all_single(texts: Iterable[str]) -> bool:
    """Whether texts are words: nearly all of them have no blank between letters.

    >>> all_single(["purple", " carrots ?"]), all_single(["purple carrots", "grow"])
    (True, False)
    """
    single = [*map(_is_single, texts)]
    return sum(single) >= SINGLE * len(single)


def _is_single(text: str) -> bool:
    parts = text.split(None, 1)
    return len(parts) < 2 or not any(map(str.isalnum, parts[1]))


def utterances_of_cues(
    cues: Iterable[Cue], path: Path | str, recording: Recording, options: ReaderOptions
) -> Iterator[Utterances]:
    """Yield the utterances of cues, in their order; cues without a word are skipped.

    Args:
        recording: the recording of the cues that name none.

    Raises:
        InputError: there is no cue, or a time is impossible and repairs are not allowed.
    """
    waiting, number, found = iter(cues), 0, False
    language = language_in_name(path)
    while block := list(islice(waiting, CUES_AT_ONCE)):
        found = True
        block = _of_single_words(block) if _are_single_words(block) else block
        _note_restarts(block, options)
        columns = _columns(
            _mended(block, path, options.repairs), recording, number, options.nonwords, language
        )
        number += len(columns.utterances)
        yield utterances_of(rated(columns), path, nonwords=options.nonwords)
    if not found:
        raise InputError(path, 0, "cues: text with its times", NONE)


def _are_single_words(cues: Sequence[Cue]) -> bool:
    """Whether each caption is a single word that may be said in its time."""
    if len(cues) < LEAST_WORDS or not all_single(cue.text for cue in cues[:CUES_EXAMINED]):
        return False  # as mostly
    if any(cue.words or not cue.end_s >= cue.start_s for cue in cues):
        return False
    texts = [cue.text for cue in cues]
    if max(map(len, texts)) > LONGEST_WORD_LETTERS:
        return False
    mean_s = sum(cue.end_s - cue.start_s for cue in cues) / len(cues)
    return mean_s <= LONGEST_WORD_S and all_single(texts) and not has_characters("".join(texts))


def _of_single_words(cues: Sequence[Cue]) -> list[Cue]:
    """Join captions of a word each to utterances, up to a pause or another speaker."""
    joined: list[Cue] = []
    for key, run in groupby(cues, lambda cue: (*cue[5:8], _is_single(cue.text), cue.error_s > 0)):
        where, language, speaker, is_word, _ = key
        if not is_word:
            joined += run
            continue
        some = [cue for cue in run if cue.text.strip()]
        words = [
            (cue.line, HypothesisWord(cue.text.strip(), 1.0, cue.start_s, cue.end_s, speaker))
            for cue in some
        ]
        error_s = max((cue.error_s for cue in some), default=0.0)
        joined += [
            one._replace(recording=where, language=language, speaker=speaker, error_s=error_s)
            for one in timed_cues(words)
        ]
    return joined


def _note_restarts(cues: Sequence[Cue], options: ReaderOptions) -> None:
    """Note places where the clock of a speaker goes back, unless the reader has noted some."""
    starts_s = np.array([cue.start_s for cue in cues])
    if not (np.diff(starts_s) < -BACK_S).any() or len(options.tiers.read) > 1:
        return  # as nearly always; tiers stand one after the other
    if CLOCK_GOES_BACK in options.repairs.found:
        return
    rows_of: defaultdict[tuple[Recording | None, str], list[int]] = defaultdict(list)
    for row, cue in enumerate(cues):
        rows_of[cue.recording, cue.speaker].append(row)
    for rows in rows_of.values():
        note_restarts(starts_s[rows], [cues[row].line for row in rows], options.repairs)


_bare = lru_cache(maxsize=1 << 17)(bare)  # files share most of their words


def _columns(
    cues: Sequence[Cue], recording: Recording, number: int, nonwords: Nonwords, language: str
) -> RawUtterances:
    """Make columns with a slot for each word, without alternatives."""
    tokens = _tokens(["" if cue.words else cue.text for cue in cues], nonwords)
    timed = {row: single(spoken(cue.words, nonwords)) for row, cue in enumerate(cues) if cue.words}
    for row, words in timed.items():
        tokens[row] = [word.token for word in words]
    written = np.fromiter(map(len, tokens), np.int64, len(tokens))
    vocabulary, rows = _words(list(chain.from_iterable(tokens)))
    cue_of = np.repeat(np.arange(len(cues)), written)
    spans_s, posteriors = np.full((len(rows), 2), np.nan), np.ones(len(rows))
    if timed:
        has_times = np.isin(cue_of, list(timed))
        own = [word[1:4] for words in timed.values() for word in words]
        numbers = np.array(own, np.float64).reshape(-1, 3)
        posteriors[has_times], spans_s[has_times] = numbers[:, 0], numbers[:, 1:]

    said = rows >= 0
    rows, cue_of, spans_s, posteriors = rows[said], cue_of[said], spans_s[said], posteriors[said]
    counts = np.bincount(cue_of, minlength=len(cues))
    kept = np.flatnonzero(counts).tolist()
    recordings = [cues[i].recording or recording for i in kept]
    n = len(rows)
    return RawUtterances(
        recordings=recordings,
        utterances=[
            f"{one.file}-{count}" for count, one in enumerate(recordings, start=number + 1)
        ],
        lines=np.array([cues[i].line for i in kept], dtype=np.int64),
        utterance_spans_s=_written_spans([cues[i] for i in kept]),
        bounds=np.concatenate([[0], np.cumsum(counts[kept])]).astype(np.int64),
        slot_spans_s=np.full((n, 2), np.nan),
        epsilons=1 - posteriors,
        offsets=np.arange(n + 1),
        vocabulary=vocabulary,
        tokens=rows,
        posteriors=posteriors,
        spans_s=spans_s,
        languages=[cues[i].language or language for i in kept],
        speakers=[cues[i].speaker for i in kept],
        slot_errors_s=np.array([cue.error_s for cue in cues])[cue_of],
    )


def _words(tokens: list[str]) -> tuple[list[str], Int64s]:
    """Return the different words, and (m,) the row of each token's; -1 for mere punctuation."""
    ids: defaultdict[str, int] = defaultdict(count().__next__)  # in the order they come
    which = np.fromiter(map(ids.__getitem__, tokens), np.int64, len(tokens))
    meanings = list(ids)
    plain = np.fromiter(map(str.isalnum, meanings), np.bool_, len(meanings))
    for row in np.flatnonzero(~plain).tolist():
        meanings[row] = _bare(meanings[row])
    row_of: defaultdict[str, int] = defaultdict(count().__next__, {"": -1})
    rows = np.fromiter(map(row_of.__getitem__, meanings), np.int64, len(meanings))
    return list(row_of)[1:], rows[which]


def _tokens(texts: Sequence[str], nonwords: Nonwords) -> list[list[str]]:
    """Split captions at blanks, without remarks such as [Music]."""
    if _MAY_BE_REMARK.search("\n".join(texts)) is None:
        return list(map(str.split, texts))
    return [
        [word.token for word in untimed(text, nonwords=nonwords)]
        if _MAY_BE_REMARK.search(text)
        else text.split()
        for text in texts
    ]


def _written_spans(cues: Sequence[Cue]) -> Float64s:
    starts_s, ends_s = ([cue[column] for cue in cues] for column in (1, 2))
    return np.array([starts_s, ends_s], dtype=np.float64).T


def _mended(cues: list[Cue], path: Path | str, repairs: Repairs) -> list[Cue]:
    """Repair impossible times; a cue without a start cannot be placed and gets no words.

    Raises:
        InputError: no cue can be placed.
    """
    spans = _written_spans(cues)
    lost: list[Cue] = []
    good = (spans[:, 0] >= 0) & (spans[:, 1] >= spans[:, 0]) & (spans[:, 1] <= MAX_TIME_S)
    for row in np.flatnonzero(~good).tolist():
        cue = cues[row]
        start_s, end_s = span_s(*cue[1:3], MAX_TIME_S, (path, cue.line), repairs)
        if start_s != start_s:
            if cue.text or cue.words:
                lost.append(cue)
                got = "{:.3f} to {:.3f}".format(*cue[1:3])
                problem = InputError(path, cue.line, f"times up to {MAX_TIME_S} s", got)
                repairs.note(BAD_ROW, problem)
            start_s, end_s, cue = 0.0, 0.0, cue._replace(text="", words=())
        cues[row] = cue._replace(start_s=start_s, end_s=end_s)
    if lost and not any(cue.text or cue.words for cue in cues):
        got = "{:.3f} to {:.3f}".format(*lost[0][1:3])
        raise InputError(path, lost[0].line, f"times up to {MAX_TIME_S} s", got)
    for row, cue in enumerate(cues):
        if cue.words and not all(map(_is_plain, cue.words)):
            words = [_mended_word(word, cue.line, path, repairs) for word in cue.words]
            cues[row] = cue._replace(words=words)
    return cues


def _is_plain(word: HypothesisWord) -> bool:
    return 0 <= word.start_s <= word.end_s <= min(word.start_s + MAX_WORD_S, MAX_TIME_S)


def _mended_word(
    word: HypothesisWord, line: int, path: Path | str, repairs: Repairs
) -> HypothesisWord:
    span = span_s(word.start_s, word.end_s, MAX_WORD_S, (path, line), repairs)
    end_s = span.end_s if span.end_s == span.end_s else span.start_s
    return word._replace(start_s=span.start_s, end_s=end_s)
