"""Search a set's terms in much other speech, or in several copies of the set.

    python -m benchmarks.haystack DATA/german/calibrated_v100k/networks.jsonl de TEXT --hours 92
    python -m benchmarks.haystack DATA/german/calibrated_v100k/networks.jsonl de --copies 4

TEXT becomes speech as `benchmarks.simulated_speech` says, and is indexed together with the set;
occurrences of terms in it count as right ones. With ``--absent`` its lines with a term are left
out, so that all true places are in the set. The recogniser's posteriors are right by construction;
with ``--vocabulary 25000`` it knows so many words and makes the mistakes of the set's own
(`benchmarks.simulated_recognisers`). Copies are the set's recordings under other names; they are
searched once, and each has the answers of one.

Printed for all terms and by the term list's attribute OOV (known, compound, other), once with the
shipped weights and once tuned: each half of the set's recordings (every second name), and half of
the rest, is searched with what `std-tune` learned from the other half of the set. Columns are those
of `benchmarks.calibration`; the last has sum/right of the hits in ranges of probability.

``--write FOLDER`` writes the networks (JSON lines), ``known.txt`` and ``unknown.txt`` with 1,000
words of TEXT each, so that the commands can be timed:

    std-index FOLDER/networks.jsonl --store INDEX --language de
    std-search --store INDEX --terms FOLDER/unknown.txt --output hits.xml
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.calibration import Material, labels, material, rows, searched
from benchmarks.german import cross_validated, decided, indexed, tuned_on
from benchmarks.simulated_recognisers import RealMistakes, RightByConstruction
from benchmarks.simulated_speech import Said, simulated, utterances
from searcher.calibration.model import default_model
from searcher.results.search_result import SearchResult
from std.networks import dump
from std.values import ConfusionNetwork, Excerpt, Lexemes, Recording

BOUNDS = (0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9, 1.001)
FOLDS = 2
COPY = "~"  # between the name of a file and the number of its copy
BATCH, SEED, LEAST_LETTERS = 1000, 7, 5


def with_speech(
    one: Material, networks: Sequence[ConfusionNetwork], transcript: Sequence[Said]
) -> Material:
    """The set and further speech, in one index."""
    every = [*one.data.networks, *networks]
    added = {network.recording: network.end_ms for network in networks}
    excerpts = tuple(Excerpt(recording, 0.0, end / 1000) for recording, end in added.items())
    data = replace(
        one.data,
        networks=every,
        ecf=replace(one.data.ecf, excerpts=(*one.data.ecf.excerpts, *excerpts)),
        lexemes=_joined(one.data.lexemes, transcript),
    )
    return replace(one, segment=indexed(every, one.config), data=data)


def _joined(lexemes: Lexemes, transcript: Sequence[Said]) -> Lexemes:
    """The reference, and what was said in the haystack."""
    files = {file: i for i, file in enumerate(dict.fromkeys(one.file for one in transcript))}
    n, begin = len(transcript), len(lexemes.recordings)
    recording = np.array([begin + files[one.file] for one in transcript], np.int32)
    start_s = np.array([one.start_ms for one in transcript]) / 1000
    end_s = np.array([one.end_ms for one in transcript]) / 1000
    return Lexemes(
        (*lexemes.recordings, *(Recording(file, 1) for file in files)),
        (*lexemes.speakers, "haystack"),
        np.concatenate([lexemes.recording, recording]),
        np.concatenate([lexemes.speaker, np.full(n, len(lexemes.speakers), np.int32)]),
        np.concatenate([lexemes.start_s, start_s]),
        np.concatenate([lexemes.duration_s, end_s - start_s]),
        (*lexemes.words, *(one.word for one in transcript)),
        (*lexemes.subtypes, *["lex"] * n),
    )


def copied(one: Material, copies: int) -> Material:
    """The set so many times, under other names."""
    data, lexemes = one.data, one.data.lexemes

    def named(recording: Recording, copy: int) -> Recording:
        file, channel = recording
        return Recording(f"{file}{COPY}{copy}" if copy else file, channel)

    rows_of_copy = np.arange(copies).repeat(len(lexemes.words)).astype(np.int32)
    data = replace(
        data,
        networks=[
            replace(network, recording=named(network.recording, copy))
            for copy in range(copies)
            for network in data.networks
        ],
        ecf=replace(
            data.ecf,
            excerpts=tuple(
                replace(excerpt, recording=named(excerpt.recording, copy))
                for copy in range(copies)
                for excerpt in data.ecf.excerpts
            ),
        ),
        lexemes=Lexemes(
            tuple(named(x, copy) for copy in range(copies) for x in lexemes.recordings),
            lexemes.speakers,
            np.tile(lexemes.recording, copies) + rows_of_copy * np.int32(len(lexemes.recordings)),
            np.tile(lexemes.speaker, copies),
            np.tile(lexemes.start_s, copies),
            np.tile(lexemes.duration_s, copies),
            lexemes.words * copies,
            lexemes.subtypes * copies,
        ),
    )
    return replace(one, segment=indexed(data.networks, one.config), data=data)


def tuned(one: Material, archive: Material) -> SearchResult:
    """The terms in the archive, each fold with the model of the set's other folds."""
    files = sorted({network.recording.file for network in one.data.networks})
    fold_of = {file: i % FOLDS for i, file in enumerate(files)}
    others = sorted({network.recording.file for network in archive.data.networks} - set(files))
    for i, file in enumerate(others):
        fold_of[file] = fold_of.get(file.partition(COPY)[0], i % FOLDS)
    models = [
        tuned_on(
            [x for x in one.data.networks if fold_of[x.recording.file] != fold],
            one.data,
            one.config,
        )
        for fold in range(FOLDS)
    ]
    found = cross_validated(archive.data, archive.config, models, fold_of)
    return decided(found, archive.data, archive.config)


def table(title: str, one: Material, result: SearchResult) -> None:
    """Print the lines of one search."""
    kind_of = [
        {"none": "known"}.get(oov, oov)
        for oov in (term.attributes["OOV"] for term in one.data.terms.terms)
    ]
    right, kind_of_hit = labels(one, result), np.array(kind_of)[result.candidates.term]
    for row in rows(one, result, kind_of):
        here = (kind_of_hit == row.kind) | (row.kind == "all")
        p, y = result.probability[here], right[here]
        bins = " ".join(
            f"{low}: {p[some].sum():.1f}/{y[some].sum()}"
            for low, high in pairwise(BOUNDS)
            for some in [(p >= low) & (p < high)]
        )
        print(f"| {title} | {row.cells('ATWV', 'MTWV', 'MAP')} | {bins} |", flush=True)


def write(
    folder: Path,
    networks: Sequence[ConfusionNetwork],
    spoken: Sequence[Sequence[str]],
    known: frozenset[str],
) -> None:
    """The networks, and lists of words that the recogniser knows and does not know.

    Known words are drawn with a logarithmic rank, unknown ones alike.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "networks.jsonl").open("wb") as sink:
        dump(networks, sink)
    counts = Counter(word for line in spoken for word in line)
    rng = np.random.default_rng(SEED)
    others = sorted(word for word in counts if word not in known and len(word) >= LEAST_LETTERS)
    unknown = rng.permutation(others)[:BATCH].tolist()
    ranked = [word for word, _ in counts.most_common() if word in known]
    ranks = np.exp(rng.uniform(np.log(100), np.log(len(ranked)), 3 * BATCH)).astype(int)
    drawn = list(dict.fromkeys(ranked[rank] for rank in ranks.tolist()))[:BATCH]
    for name, words in (("known", drawn), ("unknown", unknown)):
        (folder / f"{name}.txt").write_text("\n".join(words) + "\n", encoding="utf-8")


def main() -> None:
    """Print the table."""
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("networks", type=Path)
    parse.add_argument("language")
    parse.add_argument("text", type=Path, nargs="?")
    parse.add_argument("--hours", type=float, default=92.0)
    parse.add_argument("--absent", action="store_true")
    parse.add_argument("--vocabulary", type=int, metavar="WORDS", help="make a real one's mistakes")
    parse.add_argument("--copies", type=int, default=1)
    parse.add_argument("--write", type=Path, metavar="FOLDER")
    args = parse.parse_args()
    one = material(args.networks.parent, args.networks.name, args.language)
    archive = copied(one, args.copies) if args.copies > 1 else one
    if args.text:
        phrases = {one.config.text.phrase(term.text) for term in one.data.terms.terms}
        spoken = utterances(args.text, args.hours, phrases if args.absent else ())
        recogniser = (
            RealMistakes.of(spoken, args.text, args.vocabulary, one)
            if args.vocabulary
            else RightByConstruction.of(spoken, one)
        )
        networks, transcript = simulated(spoken, recogniser)
        archive = with_speech(archive, networks, transcript)
        if args.write:
            write(args.write, archive.data.networks, spoken, recogniser.known)
    print(
        "| weights | terms | hits | sum | right | sum/right | ECE | exact | ATWV | MTWV | MAP | "
        "by probability: sum/right |\n|" + 12 * "---|"
    )
    table("shipped", archive, searched(archive, default_model()))
    table("tuned", archive, tuned(one, archive))


if __name__ == "__main__":
    main()
