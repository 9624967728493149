"""Search archives of known truth with their sound: does what is heard hold at any size?

    python -m benchmarks.spoken_archives say FOLDER --words de.tsv --text TEXT --hours 7.5
    std-recognise FOLDER/audio --output FOLDER/sound --sound-only --encoder tiny.en
    python -m benchmarks.spoken_archives search FOLDER --words de.tsv --text TEXT --hours 1 7.5
        --data NETWORKS

Ten voices of espeak-ng (the package espeakng-loader) say TEXT, an utterance a line, in noise; its
events tell the times of words. What a recogniser writes is simulated, with the mistakes of the set
``--data`` (default: examples/german), as in `benchmarks.archives`, which has the classes of terms
and the columns. Names are unknown words that are put into the text, each so many times; words that
are made up (`searcher.phonetic.null_distribution`) are one more class.

    said_words   TEXT -> words, of which some are never said, and some are names
    say          the words -> FOLDER/audio (`benchmarks.synthesised_speech`), FOLDER/times.npz
    part_of      the first recordings, as an archive of their own: all voices are in each
    search       an index of each size with its sound -> the table, with phones of the words,
                 with those of the sound, and with both

Two rows more for each list: all its terms that are said, with ATWV and MTWV (NIST 2006), and all
that are not. The search pronounces words by std's rules, so that it does not know how espeak-ng
says them; with ``--pronouncer espeak`` it does. ``--noise`` (dB below speech) sets how well phones
are heard: compare *frames right*, which is printed, with that of real sets.

Synthetic voices speak all words alike and clearly, and what the recogniser mistakes does not
depend on the sound: use it for what changes with the size of an archive, not for accuracy.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
from scipy.signal import resample_poly

from benchmarks.archives import measures, slots
from benchmarks.archives.__main__ import recogniser
from benchmarks.archives.measures import Found, Row
from benchmarks.archives.mishearings import heard, mishearings
from benchmarks.archives.parts import Parts, Said, occurrences, of_terms, said_in
from benchmarks.archives.real_slots import slots_of
from benchmarks.archives.speech import HOUR_MS, SimulatedSpeech, of_text, with_names
from benchmarks.archives.terms import Asked, asked
from benchmarks.archives.words import Counted, cast, of_file, of_speech
from benchmarks.simulated_speech import utterances
from benchmarks.synthesised_speech import RATE, VOICES, Synthesiser, babble, in_noise
from indexer import index_files
from searcher.decisions import THRESHOLD
from searcher.found_terms import prepare
from searcher.phonetic.null_distribution import draw_decoy_words
from std.audio.samples import sound_file
from std.config import Config
from std.matching.occurrences import Occurrences
from std.phonetics import g2p
from std.phonetics.lexicon import lexicon_in
from std.store import Segment, open_store
from std.values import Float64s

RECORDING_MS = 120_000  # a voice to each, in turn
WORDS_A_MINUTE, PITCH = (145, 205), (35, 65)  # of a recording
PAUSE_S = (0.15, 0.7)  # after an utterance
VARIATION_DB = 3.0  # of the noise, between recordings
TO_16_KHZ = (320, 441)
TIMES = (1, 10, 100, 1000)  # that names are said
NAMES_SAID = (40, 40, 12, 2)  # names of each
LETTERS_A_SECOND = 20  # and spaces, pauses left out
TEXT_H = 100.0  # of the text, whose words are counted
DECOYS = 40  # made-up words of each length
BETA = 999.9
MODES = ("words", "both", "sound")
MADE_UP = "made up"


def said_words(args: argparse.Namespace) -> tuple[SimulatedSpeech, list[str]]:
    """The words that are said, without times; and words that are made up."""
    every = utterances(args.text, TEXT_H)
    counted, usual = of_speech(every), of_file(args.words)
    own = set(counted.words)
    others = [word for word in usual.words if word not in own]
    both = Counted([*counted.words, *others], np.append(counted.counts, np.zeros(len(others))))
    words = cast(both, args.vocabulary, args.terms, sum(NAMES_SAID), args.seed)
    counts = dict(zip(counted.words, counted.counts.astype(int).tolist(), strict=True))
    made_up = [word for word in draw_decoy_words(counts, DECOYS) if word not in own]
    n = len(made_up)
    words = replace(
        words,
        words=[*words.words, *made_up],
        share=np.append(words.share, np.zeros(n)),
        known=np.append(words.known, np.zeros(n, bool)),
    )
    speech = of_text(words, every[: _lines(every, args.longest)], args.seed)
    return with_names(speech, np.repeat(TIMES, NAMES_SAID).tolist(), args.seed), made_up


def _lines(every: Sequence[Sequence[str]], hours: float) -> int:
    """Lines of so many hours, with some to spare."""
    letters = np.cumsum([sum(len(word) + 1 for word in line) for line in every])
    return int(np.searchsorted(letters, hours * 3600 * LETTERS_A_SECOND))


def say(args: argparse.Namespace, speech: SimulatedSpeech) -> None:
    """Write a WAV file for each recording, and the times of all words."""
    audio = args.folder / "audio"
    audio.mkdir(parents=True, exist_ok=True)
    speaker, rng = Synthesiser(), np.random.default_rng((args.seed, 8))
    texts = [speech.words.words[row] for row in speech.word.tolist()]
    first = np.flatnonzero(np.diff(speech.utterance, prepend=-1, append=-1))
    lines = [texts[begin:end] for begin, end in pairwise(first.tolist())]
    noise = babble(speaker, args.language, lines[-40 * len(VOICES) :], rng)
    spans, recording_of = [], []
    for number in range(round(max(args.hours) * HOUR_MS / RECORDING_MS)):
        rate, pitch = int(rng.integers(*WORDS_A_MINUTE)), int(rng.integers(*PITCH))
        speaker.voice(f"{args.language}+{VOICES[number % len(VOICES)]}", rate, pitch)
        parts, length = [], 0
        while length < RECORDING_MS * RATE / 1000:
            if len(recording_of) == len(lines):
                raise SystemExit(f"expected more text, got {number} recordings of it: --longest")
            sound, of_words = speaker.say(lines[len(recording_of)])
            spans.append(of_words + length)
            recording_of.append(number)
            parts += [sound, np.zeros(int(RATE * rng.uniform(*PAUSE_S)), np.float32)]
            length += len(parts[-2]) + len(parts[-1])
        clean = np.concatenate(parts)
        level = -(args.noise + VARIATION_DB * rng.standard_normal())
        path = audio / f"HOUR_{number:05d}.wav"
        sound = resample_poly(in_noise(clean, noise, level, rng), *TO_16_KHZ).astype(np.float32)
        path.write_bytes(sound_file(sound, "wav"))
    times = (np.concatenate(spans) * 1000 / RATE).astype(np.int64)
    np.savez(args.folder / "times.npz", spans_ms=times, recording_of=np.array(recording_of))


def part_of(speech: SimulatedSpeech, times: Any, hours: float) -> SimulatedSpeech:
    """The words of the first recordings, at their times."""
    recording_of = times["recording_of"]
    recording_of = recording_of[recording_of < round(hours * HOUR_MS / RECORDING_MS)]
    rows = slice(int(np.searchsorted(speech.utterance, len(recording_of))))
    start_ms, end_ms = times["spans_ms"][rows].T
    some = (speech.words, speech.word[rows], speech.utterance[rows])
    return SimulatedSpeech(*some, start_ms, end_ms, recording_of)


def terms_of(said: Said, made_up: Sequence[str], args: argparse.Namespace) -> list[Asked]:
    """The classes of `asked`, names to the nearest power of ten, and words that are made up."""
    found = []
    for one in asked(said, args.terms, args.seed, args.language):
        times = 10 ** round(np.log10(one.times)) if one.kind == "name" else one.times
        found.append(one._replace(name=f"name, said {times:,}") if one.kind == "name" else one)
    first = len(said.words.words) - len(made_up)
    rows = range(first, first + min(len(made_up), 3 * args.terms))
    return [*found, *(Asked(MADE_UP, MADE_UP, 0, (row,)) for row in rows)]


class Value(NamedTuple):
    """Term-weighted values of the terms that are said."""

    actual: float
    most: float


def value_of(found: Found, speech_s: float) -> Value:
    """ATWV and MTWV, NIST 2006."""
    there = found.said > 0
    weight = np.where(
        found.is_right,
        1 / np.maximum(found.said, 1)[found.term],
        -BETA / (speech_s - found.said)[found.term],
    )
    order = np.argsort(-found.score, kind="stable")
    order = order[there[found.term[order]]]
    gained = np.concatenate([[0.0], np.cumsum(weight[order])]) / max(1, int(there.sum()))
    ranked = found.score[order]
    last = np.append(np.diff(ranked) != 0, True) if len(ranked) else np.empty(0, bool)
    kept: Float64s = gained[np.append(True, last)]
    return Value(float(gained[int((ranked >= THRESHOLD).sum())]), float(kept.max()))


def together(found: Found, speech_s: float) -> Iterator[tuple[Row, Value | None]]:
    """Rows of all terms of a list that are said, and of all that are not."""
    is_said = found.said > 0
    names = ["said" if one else "never said" for one in is_said.tolist()]
    renamed = [
        one._replace(name=f"{one.kind}, {name}")
        for one, name in zip(found.asked, names, strict=True)
    ]
    for row in measures.rows(found._replace(asked=renamed)):
        yield row, value_of(found, speech_s) if row.said else None


HEADER = (
    "| hours | phones | terms | n | said | right | sum | sum/right | ECE | recall | false | "
    "largest | > 5 | ATWV | MTWV |"
)


def line(hours: float, phones: str, row: Row, value: Value | None) -> str:
    """A line of the table, as Markdown."""
    ratio, recall = ("" if one is None else f"{one:.2f}" for one in (row.over_right, row.recall))
    of_list = [f"{one:.3f}" for one in value] if value else ["", ""]
    cells = [
        f"{hours:g}", phones, row.name, row.terms, row.said, row.right, f"{row.total:.1f}", ratio,
        f"{row.error:.3f}", recall, f"{row.false:.3f}", f"{row.largest:.1f}", row.flooded, *of_list,
    ]  # fmt: skip
    return "| " + " | ".join(map(str, cells)) + " |"


class Archive(NamedTuple):
    """What is said in an archive, and its index with sound."""

    said: Said
    listed: Sequence[Asked]
    places: Occurrences  # of the terms
    segments: Sequence[Segment]


def archives(
    args: argparse.Namespace, speech: SimulatedSpeech, made_up: Sequence[str], folder: Path
) -> Iterator[tuple[float, Archive]]:
    """An archive of each size, indexed in a folder."""
    config = _config(args)
    found = mishearings(speech.words, lexicon_in(args.language, config.pronunciation, config.text))
    real = slots_of(args.data, args.language)
    with np.load(args.folder / "times.npz") as kept:
        times = dict(kept)
    for hours in args.hours:
        one = heard(part_of(speech, times, hours), found, args.seed)
        parts = Parts(speech.words, [lambda one=one: one])
        said = said_in(parts)
        recognise = recogniser(args.recogniser, said.words, real, args.seed)
        networks, store = folder / f"{hours:g}.jsonl", folder / f"{hours:g}"
        slots.dumped(slots.recognised(one, recognise, args.seed), networks)
        sounds = [args.folder / f"sound/{x.file}.sound" for x in one.speech.recordings]
        begin = time.process_time()
        report = index_files([networks, *sounds], store, language=args.language)
        spent = time.process_time() - begin
        print(f"{hours:g} h: {report.heard[0].line()}; {spent:.0f} s of CPU", file=sys.stderr)
        listed = terms_of(said, made_up, args)
        places = occurrences([term.phrase for term in listed], parts)
        with closing(open_store(str(store))) as opened:
            yield hours, Archive(said, listed, places, opened.segments())


def searched(one: Archive, config: Config, phones: str) -> Iterator[tuple[str, Found]]:
    """The hits of each list."""
    phonetic_search = replace(config.phonetic_search, phones=phones)
    index = prepare(one.segments, replace(config, phonetic_search=phonetic_search))
    kinds = [term.kind for term in one.listed]
    for kind in dict.fromkeys(kinds):
        rows = range(kinds.index(kind), kinds.index(kind) + kinds.count(kind))
        some = [one.listed[row] for row in rows]
        yield kind, measures.find(some, one.said, of_terms(one.places, rows), index)


def search(args: argparse.Namespace, speech: SimulatedSpeech, made_up: Sequence[str]) -> None:
    """Print the table."""
    config = _config(args)
    print(HEADER + "\n|" + "---|" * (HEADER.count("|") - 1))
    with tempfile.TemporaryDirectory() as folder:
        for hours, one in archives(args, speech, made_up, Path(folder)):
            for phones in args.phones:
                for kind, hits in searched(one, config, phones):
                    spent = 1000 * hits.cpu_s / len(hits.asked)
                    print(f"{kind}, {phones}: {spent:.0f} ms a term", file=sys.stderr)
                    for row in measures.rows(hits):
                        print(line(hours, phones, row, None))
                    for row, value in together(hits, 3600 * one.said.hours):
                        print(line(hours, phones, row, value), flush=True)


def _config(args: argparse.Namespace) -> Config:
    config = Config()
    return replace(config, pronunciation=replace(config.pronunciation, language=args.language))


def main() -> None:
    """Say the words, or search them."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("what", choices=("say", "search"))
    parse.add_argument("folder", type=Path)
    parse.add_argument("--words", type=Path, required=True, metavar="TSV")
    parse.add_argument("--text", type=Path, required=True)
    parse.add_argument("--data", type=Path, metavar="NETWORKS", help="of a set, for mistakes")
    parse.add_argument("--language", default="de")
    parse.add_argument("--longest", type=float, default=8.0, help="hours that the names are for")
    parse.add_argument("--hours", type=float, nargs="+", default=[1.0, 7.5])
    parse.add_argument("--noise", type=float, default=20.0, metavar="DB")
    parse.add_argument("--recogniser", default="mistaken", choices=("exact", "mistaken"))
    parse.add_argument("--pronouncer", default="rules", choices=("rules", "espeak"))
    parse.add_argument("--phones", nargs="+", choices=MODES, default=MODES)
    parse.add_argument("--vocabulary", type=int, default=25_000, help="words that are known")
    parse.add_argument("--terms", type=int, default=100, help="of a class, at most")
    parse.add_argument("--seed", type=int, default=1)
    args = parse.parse_args()
    speech, made_up = said_words(args)
    with ExitStack() as stack:
        if args.pronouncer == "rules":
            stack.enter_context(mock.patch.object(g2p, "_espeak", return_value=None))
        if args.what == "say":
            say(args, speech)
        else:
            search(args, speech, made_up)


if __name__ == "__main__":
    main()
