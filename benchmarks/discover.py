"""Measure std-discover: NED and coverage, and the words that the recogniser never writes.

    python -m benchmarks.discover DATA/german/clean_v25k/networks.jsonl \
        DATA/german/clean_v25k/ref.rttm SOUND german [--gold FOLDER]
    python -m benchmarks.discover --simulate SOUND --hours 10 100

SOUND has NAME.sound of the recordings (``std-recognise --sound-only``). Gold phones are the
pronouncer's, aligned within the words of the RTTM by a phone layer learned from these words
(`indexer.phone_layer`); ``--gold`` keeps gold.phn and gold.wrd. Printed for each least score, by
std-discovery's code (profile zrc2017): NED and coverage of the classes; and, of the words of six
letters and more that are said twice and more and are in no network, how many have a class with two
of their occurrences in it, at least half of each.

With ``--simulate`` the recordings of SOUND are repeated, each time with other signs turned, so
that what is said once is not said again in another copy; CPU seconds of one item of work, two
blocks of five hours, tell what an archive costs.
"""

import argparse
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from indexer import index_files
from indexer.phone_layer.index_phones import _training, _training_sources
from indexer.phone_layer.layer import fits_of
from indexer.phone_layer.learning import (
    ANYTHING,
    SILENCE,
    TrainingRecording,
    learn,
    occupancies,
)
from indexer.phone_layer.sources import Source, sources_of
from scoring.discovery import evaluate_discovery, read_classes, read_corpus
from searcher import DiscoveredClass, open_index, write_classes
from searcher.discovery.found import Work, pairs_in
from searcher.discovery.sources import Frames, blocks_of
from std.sound.files import read_sound
from std.store import open_store

LEAST_SCORES = {"sound": (200, 300, 400, 500, 700), "phones": (600, 800, 1000, 1200, 1400)}
LETTERS = 6
BLOCK_H = 5


class Word(NamedTuple):
    """A word of the reference."""

    file: str
    begin_s: float
    end_s: float
    word: str


def words_of(rttm: Path) -> list[Word]:
    """The words of a reference."""
    lines = [line.split() for line in rttm.read_text().splitlines()]
    return [
        Word(line[1], float(line[3]), float(line[3]) + float(line[4]), line[5])
        for line in lines
        if line[0] == "LEXEME"
    ]


def write_gold(words: Sequence[Word], sound: Path, language: str, folder: Path) -> None:
    """Align the phones of the words, and write gold.phn and gold.wrd."""
    ctm = folder / "reference.ctm"
    ctm.write_text(
        "".join(f"{w.file} 1 {w.begin_s} {w.end_s - w.begin_s:.3f} {w.word} 1.0\n" for w in words)
    )
    with tempfile.TemporaryDirectory() as store:
        index_files(ctm, store, language=language, sound=sound)
        (sources,) = sources_of(open_store(store).segments())
        chosen = _training_sources(sources)
        phones = tuple(sorted({phone for one in chosen for phone in one.phones}))
        training = _training(chosen, phones)
        learned = learn(training, phones, sources.encoder)
        print(f"gold: {len(words):,} words, {learned.right:.2f} of held-out frames right")
        phn, wrd = [], []
        for source, recording in zip(chosen, training, strict=True):
            fits = fits_of(learned.whole.log_posteriors(source.reader), learned.whole.shares)
            of_phones, of_words = aligned_lines(source, recording, fits, phones)
            phn += of_phones
            wrd += of_words
    (folder / "gold.phn").write_text("".join(f"{line}\n" for line in phn))
    (folder / "gold.wrd").write_text("".join(f"{line}\n" for line in wrd))


def aligned_lines(
    source: Source, recording: TrainingRecording, fits: np.ndarray, phones: Sequence[str]
) -> tuple[list[str], list[str]]:
    """The lines of a recording's phones, and those of its words, named by their numbers."""
    states = recording.targets.states
    own = np.where(states > SILENCE, np.arange(len(states)) + 1, states)  # each phone is a class
    wide = np.concatenate([fits[:, :1], fits[:, np.where(states == ANYTHING, 0, states)]], axis=1)
    probably = occupancies(wide, replace(recording.targets, states=own))
    path = np.where(probably.any(axis=1), probably.argmax(axis=1), ANYTHING)
    # The likeliest phone of a frame may be one before that of an earlier frame.
    path = np.where(path > SILENCE, np.maximum.accumulate(path), path)
    edges = np.concatenate([[0], np.flatnonzero(np.diff(path)) + 1, [len(path)]])
    word_of = np.cumsum(states == SILENCE)
    times: dict[int, tuple[float, float]] = {}
    lines = []
    for first, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        a, b = (source.sound.start_ms / 1000 + 0.02 * frame for frame in (first, end))
        state = int(path[first])
        name = "SIL" if state == SILENCE else phones[states[state - 1] - 1] if state > 0 else "SPN"
        lines.append(f"{source.recording.file} {a:.3f} {b:.3f} {name}")
        if state > SILENCE:
            word = int(word_of[state - 1])
            times[word] = (times.get(word, (a, b))[0], b)
    words = [f"{source.recording.file} {a:.3f} {b:.3f} w{n}" for n, (a, b) in times.items()]
    return lines, words


def never_written(words: Sequence[Word], written: set[str]) -> dict[str, list[Word]]:
    """The words that are said twice and more, and in no network, with their places."""
    places = defaultdict(list)
    for word in words:
        if len(word.word) >= LETTERS and word.word not in written:
            places[word.word].append(word)
    return {word: found for word, found in places.items() if len(found) > 1}


def is_found(places: Sequence[Word], classes: Sequence[DiscoveredClass]) -> bool:
    """Whether a class has two of the places of a word, at least half of each."""
    for one in classes:
        held = {
            place
            for place in places
            for part in one.fragments
            if part.recording.file == place.file
            and 2 * (min(part.end_s, place.end_s) - max(part.start_s, place.begin_s))
            >= place.end_s - place.begin_s
        }
        if len(held) > 1:
            return True
    return False


def measure(args: argparse.Namespace, folder: Path) -> None:
    """Index, discover, score."""
    words = words_of(args.rttm)
    write_gold(words, args.sound, args.language, folder)
    corpus = read_corpus(folder / "gold.phn", folder / "gold.wrd")
    index_files(args.networks, folder / "index", language=args.language, sound=args.sound)
    with open_index(folder / "index") as index:
        written = {word for segment in index.segments for word in segment.words()}
        places = never_written(words, written)
        for by, scores in LEAST_SCORES.items():
            for least in scores:
                begin = time.process_time()
                found = index.discover(by=by, least_score=least, most_chance=0.5)
                cpu_s = time.process_time() - begin
                write_classes(found.classes, folder / "found.class")
                discovery = read_classes(folder / "found.class", corpus)
                scored = evaluate_discovery(corpus, discovery, "zrc2017").scores["all"]
                right = sum(is_found(some, found.classes) for some in places.values())
                print(
                    f"{by}, least score {least}: {len(found.classes)} classes, NED "
                    f"{scored.ned:.3f}, coverage {scored.coverage:.3f}, by chance "
                    f"{found.by_chance:.3f}, never written {right} of {len(places)}, "
                    f"{cpu_s:.1f} s of CPU time",
                    flush=True,
                )


def simulate(sound: Path, hours: Sequence[float]) -> None:
    """CPU time of one item of work, and so of archives."""
    recordings = [read_sound(path) for path in sorted(sound.glob("**/*.sound"))]
    draw = np.random.default_rng(1)
    frames: list[Frames] = []
    while sum(len(one.signs) for one in frames) < 2 * BLOCK_H * 3600 * 50:
        turned = draw.integers(0, 2**64, 4, dtype=np.uint64)
        for one in recordings:
            stored = np.ascontiguousarray(one.stored).view("<u8")
            frames.append(Frames(len(frames), 0, stored ^ turned))
    first, second, *_ = blocks_of(frames, BLOCK_H * 3600 * 50)
    pairs_in(Work(first._replace(), None, 100, 15))  # compiles
    costs = []
    for other in (None, second):
        begin = time.process_time()
        found = pairs_in(Work(first, other, 100, 15))
        costs.append(time.process_time() - begin)
        print(f"{BLOCK_H} h with {'itself' if other is None else 'others'}: {costs[-1]:.1f} s of "
              f"CPU time, {len(found.score):,} pairs")  # fmt: skip
    for total in hours:
        n = max(1, round(total / BLOCK_H))
        print(
            f"{total:g} h: {(n * costs[0] + n * (n - 1) / 2 * costs[1]) / 3600:.2f} h of CPU time"
        )


def main() -> None:
    """Read the command line."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("networks", type=Path, nargs="?")
    parse.add_argument("rttm", type=Path, nargs="?")
    parse.add_argument("sound", type=Path, nargs="?")
    parse.add_argument("language", nargs="?")
    parse.add_argument("--gold", type=Path)
    parse.add_argument("--simulate", type=Path)
    parse.add_argument("--hours", type=float, nargs="+", default=[10, 100])
    args = parse.parse_args()
    if args.simulate:
        simulate(args.simulate, args.hours)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = args.gold or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        measure(args, folder)


if __name__ == "__main__":
    main()
