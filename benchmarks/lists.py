"""Probabilities of a list's hits, each term judged by itself, or by the share of the list as well.

    python -m benchmarks.lists DATA [--held-out]

DATA has the networks of `benchmarks.calibration.SETS`. Each set is searched with weights learned
from the sets of other languages and judged under both values of ``[calibration] list``. Lists:

    list        the set's own
    watch       the same with some 1,000 terms that nobody says: half of them words that the
                recogniser wrote, half decoys (`searcher.phonetic.null_distribution`)
    recordings  the set's own in each recording as a separate archive, where few terms occur
    fives       the set's own, five terms at a time

Judged by itself, each term has the same hits in a list, a watch list and fives, and one by one.
Columns, of hits of the set's own terms: how many are of probability .1 and more, the sum of their
probabilities, how many are right, sum/right, ece and exact (`benchmarks.calibration`); loss: minus
the log likelihood of the labels of all candidates, nats per right one. Where decisions are made on
these probabilities (``[decision] terms = "any"``): hits accepted, false alarms among them, ATWV
(NIST 2006).

``--held-out`` prints another table, with the shipped weights: words of the transcript are taken out
of a set, the slots in which they were said and all their alternatives elsewhere, while their
siblings stay (words that share three quarters of the letters of both). So nobody says such a word,
and the sum of its probabilities should be near 0. *Unknown*: the index lacks it. *Known*: its
alternatives stay where it was not said. *Captions*: the transcript instead of the networks.
Columns: words; places whose likeliest word is a sibling; the sum of the probabilities of all hits,
over these places, hits from .5 up, the largest sum of a word; the same where each word is judged by
itself; with configs/plain.toml.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Literal, NamedTuple
from unittest import mock

import numpy as np
from rapidfuzz.distance import LCSseq
from rapidfuzz.process import cdist

from benchmarks.calibration import (
    LEAST,
    SETS,
    Material,
    calibration_error,
    error_of_exact,
    examples,
    learned_elsewhere,
    material,
)
from benchmarks.german import indexed
from searcher.calibration.model import Model
from searcher.found_terms import PreparedIndex, find_terms, prepare
from searcher.index.searched_speech import SearchedSpeech
from searcher.phonetic.null_distribution import LENGTHS, draw_decoy_words
from searcher.results.candidates import FoundTerms
from searcher.search import decide, judge, search
from searcher.tuning.labels import (
    TuningTranscript,
    correct_hits,
    find_occurrences,
    make_transcript,
)
from std.config import load_config
from std.nist.ecf import speech_s
from std.values import Bools, ConfusionNetwork, Float64s, Int64s, Recording, Term

WATCHED = 500  # of each kind of terms that nobody says
SETTINGS: tuple[Literal["independent", "whole"], ...] = ("independent", "whole")
BETA = 999.9
COLUMNS = (
    "hits", "sum", "right", "sum/right", "ece", "exact", "loss", "accepted", "false", "ATWV",
)  # fmt: skip

LIKELY = 0.5
PLAIN = Path(__file__).parent.parent / "configs/plain.toml"
LEAST_LETTERS, SIBLING = 5, 0.75  # of words held out; share of the letters that a sibling has
HELD_OUT, AT_ONCE = 200, 25  # words of a set, and of those that are taken out together
OF_HELD_OUT = (
    "words", "places", "sum", "a place", "from .5", "largest", "alone: sum", "a place", "from .5",
    "largest", "plain: sum", "from .5", "largest",
)  # fmt: skip
CAPTIONS = frozenset(SETS) - {"german/clean_v25k/networks.jsonl"}  # whose text it has twice

Parts = list[FoundTerms]  # of one list


class Hits(NamedTuple):
    """Candidates of a set's own terms."""

    term: Int64s  # (n,) in the set's list
    probability: Float64s  # (n,)
    is_right: Bools  # (n,)
    is_accepted: Bools  # (n,)


def silent(one: Material, index: PreparedIndex) -> list[Term]:
    """Terms that nobody says: words that the recogniser wrote, and decoys."""
    said = {one.config.text.word(word) for word in one.data.lexemes.words}
    written = sorted(word for word, n in index.counts.items() if n and word not in said)
    chosen = np.random.default_rng(1).permutation(written)[:WATCHED].tolist()
    decoys = draw_decoy_words(index.counts, WATCHED // len(LENGTHS))
    return [Term(word, word) for word in (*chosen, *(one for one in decoys if one not in said))]


def found(one: Material, index: PreparedIndex) -> Iterator[tuple[str, list[Parts]]]:
    """The lists of each kind, as found."""
    own, seconds = one.data.terms.terms, speech_s(index.copies.searched(one.excerpts))
    all_speech = SearchedSpeech(one.excerpts, seconds)
    everything = find_terms(own, index, all_speech)
    yield "list", [[everything]]
    yield "watch", [[everything, find_terms(silent(one, index), index, all_speech)]]
    by_recording = [
        SearchedSpeech([part for part in one.excerpts if part.recording == recording], seconds)
        for recording in sorted({part.recording for part in one.excerpts})
    ]
    yield "recordings", [[find_terms(own, index, speech)] for speech in by_recording]
    order = np.random.default_rng(1).permutation(len(own)).tolist()
    fives = [[own[i] for i in order[first : first + 5]] for first in range(0, len(own), 5)]
    yield "fives", [[find_terms(five, index, all_speech)] for five in fives]


def judged(
    parts: Parts, one: Material, index: PreparedIndex, transcript: TuningTranscript
) -> list[Hits]:
    """The hits of a list."""
    row_of = {term.term_id: row for row, term in enumerate(one.data.terms.terms)}
    every = []
    for of_part in judge(parts, index):
        result = decide(of_part, index.config, "adhoc")
        candidates = result.candidates
        right = correct_hits(
            candidates.term,
            candidates.recording,
            candidates.start_ms,
            candidates.end_ms,
            result.probability,
            find_occurrences(transcript, result.words),
        )
        rows = np.array([row_of.get(term.term_id, -1) for term in result.terms])[candidates.term]
        own = rows >= 0
        every.append(Hits(rows[own], result.probability[own], right[own], result.yes[own]))
    return every


def atwv(hits: Hits, n_true: Int64s, seconds: float) -> float:
    """Of the terms that occur, NIST 2006."""
    is_found, is_false = hits.is_accepted & hits.is_right, hits.is_accepted & ~hits.is_right
    n_found = np.bincount(hits.term[is_found], minlength=len(n_true))
    n_false = np.bincount(hits.term[is_false], minlength=len(n_true))
    lost = 1 - n_found / np.maximum(n_true, 1) + BETA * n_false / (seconds - n_true)
    return float(1 - lost[n_true > 0].mean())


def cells(hits: Hits, value: float) -> str:
    """The columns."""
    shown = hits.probability >= LEAST
    p, y = hits.probability[shown], hits.is_right[shown]
    of_label = np.where(hits.is_right, hits.probability, 1 - hits.probability)
    loss = -np.log(np.maximum(of_label, 1e-6)).sum() / max(1, hits.is_right.sum())
    false = np.count_nonzero(hits.is_accepted & ~hits.is_right)
    return (
        f"{len(p)} | {p.sum():.1f} | {y.sum()} | {p.sum() / max(1, y.sum()):.2f} | "
        f"{calibration_error(p, y):.3f} | {error_of_exact(p):.3f} | {loss:.3f} | "
        f"{hits.is_accepted.sum()} | {false} | {value:.3f}"
    )


def table(one: Material, model: Model) -> None:
    """Print the lines of one set."""
    with mock.patch("searcher.evidence.calibrate.default_model", return_value=model):
        index = prepare([one.segment], one.config)
        kinds = list(found(one, index))
    transcript = make_transcript(one.data.lexemes, index.table.recordings, one.config.text)
    phrases = [one.config.text.phrase(term.text) for term in one.data.terms.terms]
    n_true = np.bincount(find_occurrences(transcript, phrases).term, minlength=len(phrases))
    seconds = speech_s(index.copies.searched(one.excerpts))
    for kind, lists in kinds:
        for setting in SETTINGS:
            calibration = replace(one.config.calibration, list=setting)
            at = replace(index, config=replace(one.config, calibration=calibration))
            every = [hits for parts in lists for hits in judged(parts, one, at, transcript)]
            hits = Hits(*map(np.concatenate, zip(*every, strict=True)))
            value = atwv(hits, n_true, seconds)
            print(
                f"| {one.name.rpartition('/')[0]} | {kind} | {setting} | {cells(hits, value)} |",
                flush=True,
            )


@dataclass(frozen=True)
class Silence:
    """Where words were said that are taken out of a set."""

    said: dict[Recording, tuple[Int64s, Int64s]]  # begins and ends, ms, ascending
    words: frozenset[str]  # whose alternatives are taken out, too
    word: Callable[[str], str]  # as the index has it

    @classmethod
    def of(cls, one: Material, words: Collection[str], *, with_alternatives: bool) -> "Silence":
        """Of words of the transcript."""
        lexemes, spans = one.data.lexemes, dict[Recording, list[tuple[int, int]]]()
        ends_s = lexemes.start_s + lexemes.duration_s
        for word, row, start_s, end_s in zip(
            lexemes.words, lexemes.recording.tolist(), lexemes.start_s, ends_s, strict=True
        ):
            if one.config.text.word(word) in words:
                of_recording = spans.setdefault(lexemes.recordings[row], [])
                of_recording.append((int(1000 * start_s), int(1000 * end_s)))
        said = {at: np.array(sorted(some)).T for at, some in spans.items()}
        left = frozenset(words if with_alternatives else ())
        return cls(
            {at: (some[0], some[1]) for at, some in said.items()}, left, one.config.text.word
        )

    def without(self, network: ConfusionNetwork) -> ConfusionNetwork:
        """A network without the slots whose middle lies where one of the words was said."""
        middle = network.slot_spans_ms.sum(axis=1) // 2
        begin, end = self.said.get(network.recording, (np.empty(0, int), np.empty(0, int)))
        last = np.searchsorted(begin, middle, side="right") - 1
        is_said = last >= 0
        is_said[is_said] = middle[is_said] < end[last[is_said]]
        slot = np.repeat(np.arange(len(network)), np.diff(network.offsets))
        is_left = np.array([self.word(word) in self.words for word in network.words], bool)
        kept = ~is_said[slot] & ~is_left
        lost = np.bincount(slot[is_left], network.posteriors[is_left], len(network))
        sizes = np.bincount(slot[kept], minlength=len(network))[~is_said]
        errors = network.slot_errors_ms
        return replace(
            network,
            slot_spans_ms=network.slot_spans_ms[~is_said],
            epsilons=np.minimum(network.epsilons + lost, 1)[~is_said].astype(np.float32),
            offsets=np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32),
            words=tuple(w for w, here in zip(network.words, kept.tolist(), strict=True) if here),
            posteriors=network.posteriors[kept],
            spans_ms=network.spans_ms[kept],
            slot_errors_ms=None if errors is None else errors[~is_said],
        )


def captioned(one: Material) -> Material:
    """The set as captions: its transcript in the utterances of the recogniser, no posteriors."""
    table = [network.recording for network in one.data.networks]
    lexemes = make_transcript(one.data.lexemes, list(dict.fromkeys(table)), one.config.text)
    rows = {recording: row for row, recording in enumerate(lexemes.recordings)}
    middle = (lexemes.start_ms + lexemes.end_ms) // 2
    networks = []
    for network in one.data.networks:
        here = lexemes.recording == rows[network.recording]
        here &= (middle >= network.start_ms) & (middle < network.end_ms)
        at = np.flatnonzero(here)
        spans = np.stack([lexemes.start_ms[at], lexemes.end_ms[at]], axis=1).astype(np.int32)
        networks.append(
            replace(
                network,
                slot_spans_ms=spans,
                epsilons=np.zeros(len(at), np.float32),
                offsets=np.arange(len(at) + 1, dtype=np.int32),
                words=tuple(lexemes.words[row] for row in at.tolist()),
                posteriors=np.ones(len(at), np.float32),
                spans_ms=spans,
                times_estimated=True,
                slot_errors_ms=None,
            )
        )
    return replace(one, data=replace(one.data, networks=networks))


def likeliest(networks: Sequence[ConfusionNetwork]) -> Counter[str]:
    """How often each word is the likeliest of a slot."""
    best = ((slot.epsilon, slot.alternatives) for network in networks for slot in network)
    firsts = (max(some, key=lambda one: one.posterior) for _, some in best if some)
    return Counter(one.word for one in firsts)


def siblings(words: Sequence[str], others: Sequence[str]) -> list[list[str]]:
    """Of each word, the others that share so many of the letters of both."""
    similarity = cdist(
        words, others, scorer=LCSseq.normalized_similarity, score_cutoff=0.5, dtype=np.float32
    )
    return [
        [others[i] for i in np.flatnonzero(row >= 0.5).tolist() if is_sibling(word, others[i])]
        for word, row in zip(words, similarity, strict=True)
    ]


def is_sibling(word: str, other: str) -> bool:
    """Whether another word shares so many letters of both, in order."""
    shared = 2 * LCSseq.similarity(word, other)
    return word != other and shared >= SIBLING * (len(word) + len(other))


def folds(one: Material) -> list[list[str]]:
    """Words of the transcript that have siblings, some at a time; none has a sibling among them."""
    text = one.config.text
    written = [*likeliest(one.data.networks)]
    said = sorted({text.word(word) for word in one.data.lexemes.words})
    long = [word for word in said if len(word) >= LEAST_LETTERS and word.isalpha()]
    near = dict(zip(long, siblings(long, sorted(map(text.word, written))), strict=True))
    chosen = np.random.default_rng(1).permutation([word for word in long if near[word]])
    made: list[list[str]] = []
    for word in chosen[:HELD_OUT].tolist():
        fitting = (fold for fold in made if len(fold) < AT_ONCE and not set(near[word]) & {*fold})
        fold = next(fitting, None)
        if fold is None:
            made.append([word])
        else:
            fold.append(word)
    return made


def of_held_out(title: str, one: Material, kind: str) -> None:
    """Print the line of a set."""
    configs = [
        one.config,
        replace(one.config, calibration=replace(one.config.calibration, list="independent")),
        replace(load_config(PLAIN), pronunciation=one.config.pronunciation),
    ]
    words, places, found = 0, 0, [Counter[str]() for _ in configs]
    likely = [0] * len(configs)
    for fold in folds(one):
        out = Silence.of(one, fold, with_alternatives=kind != "known")
        networks = [network for network in map(out.without, one.data.networks) if len(network)]
        of_words = likeliest(networks)
        index = prepare([indexed(networks, one.config)], one.config)
        some = [w for w in fold if bool(index.counts.get(w)) == (kind == "known")]
        near = siblings(some, [*of_words]) if some else []
        some = [word for word, others in zip(some, near, strict=True) if others]
        words += len(some)
        places += sum(of_words[other] for other in chain(*near))
        speech = SearchedSpeech(one.excerpts, speech_s(index.copies.searched(one.excerpts)))
        terms = [Term(word, word) for word in some]
        for number, config in enumerate(configs):
            of_config = index if config is one.config else prepare(index.segments, config)
            result = search(terms, of_config, speech)
            for row, p in zip(result.candidates.term.tolist(), result.probability, strict=True):
                found[number][some[row]] += p
                likely[number] += p >= LIKELY
    cells = []
    for number, of_words in enumerate(found):
        total = sum(of_words.values())
        per_place = [f"{total / max(1, places):.4f}"] if number < len(configs) - 1 else []
        largest = max(of_words.values(), default=0.0)
        cells += [f"{total:.1f}", *per_place, f"{likely[number]}", f"{largest:.1f}"]
    name = title.rpartition("/")[0]
    print(f"| {name} | {kind} | {words} | {places} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("data", type=Path)
    parse.add_argument("--held-out", action="store_true")
    args = parse.parse_args()
    sets = [material(args.data, name, language) for name, language in SETS.items()]
    if args.held_out:
        print(f"| set | words are | {' | '.join(OF_HELD_OUT)} |")
        print("|" + (2 + len(OF_HELD_OUT)) * "---|", flush=True)
        for one in sets:
            of_held_out(one.name, one, "unknown")
            of_held_out(one.name, one, "known")
            if one.name in CAPTIONS:
                of_held_out(one.name, captioned(one), "captions")
        return
    of_others = learned_elsewhere(sets, [examples(one) for one in sets])
    print(f"| set | list | judged | {' | '.join(COLUMNS)} |")
    print("|" + (3 + len(COLUMNS)) * "---|")
    for one in sets:
        table(one, of_others[one.language])


if __name__ == "__main__":
    main()
