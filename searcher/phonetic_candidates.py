"""The sound channel of a search: terms and sound indexes in, calibrated candidates out.

Terms with a word that the index does not know are searched by their sound alone. With a tuned
model the others are as well: where a known word was not recognised, its sound still competes,
and the posteriors of the places where it was are calibrated on the same scale.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np

from searcher.calibration.features import UNTUNED, heard_features, known_features, with_written
from searcher.calibration.model import Model
from searcher.candidates import Candidates, concatenate, in_order
from searcher.lexical.deduplicate import overlap
from searcher.phonetic.alignment import SAME_PLACE_MS, Hits, hear
from searcher.phonetic.index import SoundIndex, open_sound
from searcher.phonetic.ratios import listening, perfect_score
from searcher.variant import Variant
from std.config import Config
from std.execution.workers import IN_PROCESS, Executor
from std.languages.detection import of_segment
from std.phonetics.confusion import Confusion, empty
from std.phonetics.lexicon import Lexicon, lexicon_for, lexicon_of
from std.phonetics.phones import Pronunciation
from std.store import Segment, vocabulary_counts
from std.store.columns import Int64s
from std.values import Bools, Float64s, Recording

FEWEST_PHONES = 3  # shorter sounds are everywhere
MOST_PHONES = 200
MOST_PRONUNCIATIONS = 4  # of a term
NOT_HEARD = -5.0  # score of a written place where the sound was not heard
LEAST_PROBABILITY = 1e-3  # candidates below are not worth a line

Inside = Callable[[Int64s, Int64s, Int64s], Bools]  # recording, start_ms, end_ms -> (n,)


@dataclass(frozen=True, eq=False)
class Ears:
    """What sound search needs beside the terms."""

    indexes: tuple[SoundIndex, ...]  # one per segment that was indexed with sounds
    recordings: tuple[Int64s, ...]  # of each index: its recordings' rows in the search's table
    lexicon: Lexicon
    model: Model | None


class Heard(NamedTuple):
    """The places of one term, best first; their recordings count in the search's table."""

    hits: Hits
    phones: Pronunciation
    perfect: float  # score of the phones themselves, recognised one for one

    def features(self) -> dict[str, Float64s]:
        """What `searcher.calibration.features` weighs."""
        return heard_features(len(self.phones), self.perfect, self.hits)


def pronounced(terms: Sequence[Sequence[str]], lexicon: Lexicon) -> list[list[Pronunciation]]:
    """How each term may sound: its words' pronunciations in a row, the likeliest first.

    Empty where a word has no sound or the whole is too short or too long to be searched for.
    """
    every = [word for words in terms for word in words]
    of_word = dict(zip(every, lexicon.pronunciations(every), strict=True))
    found = []
    for words in terms:
        sounds: list[Pronunciation] = []
        for one in product(*(of_word[word] for word in words)):
            phones = tuple(phone for word in one for phone in word)
            if FEWEST_PHONES <= len(phones) <= MOST_PHONES:
                sounds.append(phones)
            if len(sounds) == MOST_PRONUNCIATIONS:
                break
        found.append(sounds)
    return found


def listen(
    sounds: Sequence[Sequence[Pronunciation]],
    ears: Ears,
    inside: Inside,
    workers: Executor = IN_PROCESS,
) -> list[Heard | None]:
    """Where each term may have been said by its sound; None for terms without one."""
    counts = ears.model.confusion if ears.model else empty([])
    queries = list(dict.fromkeys(one for ways in sounds for one in ways))
    confusion = listening(counts, ears.indexes, queries)
    hits = hear(queries, ears.indexes, confusion, workers)
    return [_heard(ways, hits, ears, confusion, inside) if ways else None for ways in sounds]


def _heard(
    ways: Sequence[Pronunciation],
    found: Mapping[Pronunciation, Hits],
    ears: Ears,
    confusion: Confusion,
    inside: Inside,
) -> Heard:
    """The way of saying a term whose best hit fits best."""
    best = None
    for phones in ways:
        perfect = perfect_score(phones, confusion)
        hits = found[phones]
        recording = hits.recording.copy()
        for i, table in enumerate(ears.recordings):
            mine = hits.segment == i
            recording[mine] = table[hits.recording[mine]]
        hits = hits._replace(recording=recording)
        hits = hits.rows(np.flatnonzero(inside(recording, hits.start_ms, hits.end_ms)))
        heard = Heard(hits, phones, perfect)
        if best is None or _top(heard) > _top(best):
            best = heard
    assert best is not None
    return best


def _top(heard: Heard) -> float:
    return float(heard.hits.measures[:, 0].max(initial=0.0)) / max(heard.perfect, 1e-9)


def open_ears(
    segments: Sequence[Segment],
    place_of: Mapping[Recording, int],
    config: Config,
    model: Model | None,
) -> tuple[Ears | None, tuple[str, ...]]:
    """What sound search needs of the segments of one language that were indexed with sounds.

    Returns:
        None if no segment was, without the model if it is about other sounds; and the languages of
        the segments that were not, or were pronounced by somebody else than most of the
        alternatives (by another converter, before this one was there).

    Raises:
        ConfigError: the index's converter is not installed.
        StoreError: sound columns are damaged.
    """
    live = [segment for segment in segments if len(segment.deleted) < len(segment.recordings)]
    opened = [(open_sound(segment), segment) for segment in live]
    pronouncers: Counter[str] = Counter()
    for index, _ in opened:
        if index:
            pronouncers[index.pronouncer] += index.arcs
    if not pronouncers:
        return None, tuple(of_segment(segment) for _, segment in opened)
    pronouncer = min(pronouncers, key=lambda one: (-pronouncers[one], one))
    usable = [
        (index, segment) for index, segment in opened if index and index.pronouncer == pronouncer
    ]
    ears = Ears(
        tuple(index for index, _ in usable),
        tuple(
            np.array([place_of[one.recording] for one in segment.recordings], dtype=np.int64)
            for _, segment in usable
        ),
        lexicon_of(pronouncer, config.pronunciation, config.text),
        model if model and model.pronouncer == pronouncer else None,
    )
    silent = [seg for index, seg in opened if index is None or index.pronouncer != pronouncer]
    return ears, tuple(of_segment(segment) for segment in silent)


def lexicon_of_index(segments: Sequence[Segment], config: Config) -> Lexicon:
    """The lexicon that pronounces as the index was, or as its words suggest if it has no sounds.

    Raises:
        ConfigError: the converter is not installed, or the language is not recognisable.
    """
    for segment in segments:
        if (pronouncer := segment.extra("phone_maker")) is not None:
            return lexicon_of(bytes(pronouncer).decode(), config.pronunciation, config.text)
    return lexicon_for(config.pronunciation, config.text, lambda: vocabulary_counts(segments))


def with_sound(
    terms: Sequence[Sequence[str]],
    unknown: Bools,
    wanted: Bools,
    written: Candidates,
    variants: Sequence[Variant],
    ears: Ears,
    inside: Inside,
    workers: Executor = IN_PROCESS,
) -> tuple[Candidates, tuple[Variant, ...]]:
    """Put what was heard beside what was written, as probabilities.

    Args:
        terms: the words of each.
        unknown: (terms,) whether the index lacks one of its words.
        wanted: (terms,) which are searched by sound; known ones need a model that knows them.
        written: merged candidates, ordered by term.
        variants: that they point into.
        ears: sound indexes, pronunciations and, if there is one, the tuned model.
        inside: which places lie inside the speech that is searched.
        workers: who listens to the segments.

    Returns:
        candidates ordered by term, recording and time, and the variants they point into.
    """
    known = ears.model.known if ears.model else None
    weights = ears.model.unknown if ears.model else UNTUNED
    asked = [words if wanted[i] else () for i, words in enumerate(terms)]
    heard = listen(pronounced(asked, ears.lexicon), ears, inside, workers)
    table = list(variants)
    bounds = np.searchsorted(written.term, np.arange(len(terms) + 1)).tolist()
    parts = []
    for i, one in enumerate(heard):
        rows = written.rows(slice(bounds[i], bounds[i + 1]))
        if one is None:
            parts.append(rows)
        else:
            beside = side_by_side(rows, one)
            if unknown[i] or known is None:
                chance = weights.probability(beside.unknown_features(), len(beside.score))
            else:
                chance = known.probability(beside.known_features(len(terms[i])), len(beside.score))
            parts.append(_settled(i, rows, one, beside, chance, ears, table))
    return in_order(concatenate(parts)), tuple(table)


def _settled(
    term: int,
    written: Candidates,
    heard: Heard,
    beside: "SideBySide",
    chance: Float64s,
    ears: Ears,
    table: list[Variant],
) -> Candidates:
    """The candidates of one term: written places, then those only heard."""
    n = len(written.term)
    alone = Heard(heard.hits.rows(beside.alone), heard.phones, heard.perfect)
    worth = chance[:n] >= LEAST_PROBABILITY
    return concatenate(
        [
            written._replace(score=chance[:n]).rows(worth),
            _as_candidates(term, alone, chance[n:], ears, table),
        ]
    )


class SideBySide(NamedTuple):
    """Written places first, then those only heard."""

    posterior: Float64s  # (n,) 0 where only heard
    score: Float64s  # (n,) of the sound; NOT_HEARD where none was
    features: dict[str, Float64s]  # each (n,)
    alone: Int64s  # rows of the hits that are only heard

    def unknown_features(self) -> dict[str, Float64s]:
        """Evidence for a term with unknown words."""
        return with_written(self.posterior, self.score, self.features)

    def known_features(self, words: int) -> dict[str, Float64s]:
        """Evidence for a term whose words the index knows."""
        return known_features(self.posterior, self.score, self.features, words)


def side_by_side(written: Candidates, heard: Heard) -> SideBySide:
    """Pair each written place with the best hit there; hits near no written place stand alone."""
    hits, features = heard.hits, heard.features()
    middle = hits.start_ms + hits.end_ms
    partner = np.full(len(written.term), -1)
    near_any = np.zeros(len(middle), dtype=bool)
    for i in range(len(written.term)):
        near = (
            (hits.recording == written.recording[i])
            & (np.abs(middle - written.start_ms[i] - written.end_ms[i]) < 2 * SAME_PLACE_MS)
            & overlap(hits.start_ms, hits.end_ms, written.start_ms[i], written.end_ms[i])
        )  # fmt: skip
        near_any |= near
        free = near & ~np.isin(np.arange(len(middle)), partner)
        if free.any():
            partner[i] = np.flatnonzero(free)[0]
    alone = np.flatnonzero(~near_any)
    rows = np.concatenate([partner, alone])
    has = rows >= 0
    columns = {}
    for name, column in features.items():
        columns[name] = np.zeros(len(rows))
        columns[name][has] = column[rows[has]]
    return SideBySide(
        np.concatenate([written.score, np.zeros(len(alone))]),
        np.where(has, columns["score"], NOT_HEARD),
        columns,
        alone,
    )


def _as_candidates(
    term: int, heard: Heard, chance: Float64s, ears: Ears, table: list[Variant]
) -> Candidates:
    """Hits as candidates, each with a variant that says what stands there."""
    worth = np.flatnonzero(chance >= LEAST_PROBABILITY)
    hits, first = heard.hits.rows(worth), len(table)
    for segment, path, measures in zip(
        hits.segment.tolist(), hits.paths.tolist(), hits.measures.tolist(), strict=True
    ):
        words = tuple(ears.indexes[segment].words[word] for word in path if word >= 0)
        similarity = min(1.0, measures[0] / max(heard.perfect, 1e-9))
        how = f"{' '.join(heard.phones)} heard in {' '.join(words)!r}"
        table.append(Variant(words, similarity, "sound", how))
    numbers = np.arange(first, first + len(worth))
    return Candidates(
        term=np.full(len(worth), term),
        variant=numbers,
        recording=hits.recording,
        start_ms=hits.start_ms,
        end_ms=hits.end_ms,
        score=chance[worth],
        family=numbers,
        first_slot=hits.first_slot,
        last_slot=hits.last_slot,
    )
