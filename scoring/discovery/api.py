"""Files in, measures and files out.

phone and word alignments  --read_corpus-->   Corpus
class file, Corpus         --read_classes-->  Discovery
fold file, Corpus          --read_folds-->    Folds
talker file, Corpus        --read_talkers-->  talker of each recording, for `with_talkers`
names of recordings        --talkers_by_name--> the same
Corpus, Discovery          --evaluate-->      DiscoveryEvaluation
DiscoveryEvaluation        --write_report-->  scores.txt, .csv and .json, report.html

`evaluate` measures one class file in one of three profiles:

    zrc2017      equal to zerospeech-tde 2.0.3 wherever that gives a number (the leaderboard's)
    zrc2015      equal to bootphon tde 0.2.1, with its folds
    definition   the published text literally; the docstring of each function names open choices

Each profile is a module with one function ``score``. Every point where they differ is one function,
named in this table and shown in docs/discovery.md:

                    zrc2017                  zrc2015                   definition
    transcription   inclusive                two_sided                 literal
    pairs           pairs.listed             pairs.distinct, B1        pairs.distinct
    coverage        phones_covered           seconds_covered           shared_ticks
    boundary        snapped_edges            close_edges               indexed_edges
    token, type     by_symbols               within_30_ms              literal_sets
    grouping        by_flat_sets, merged     by_pair_counts            by_flat_sets
    matching        by_flat_sets             by_pair_counts            by_flat_sets

zerospeech-tde does not measure matching. In zrc2017, matching follows the published text, with that
tool's transcription; SIL and SPN are symbols like any other, and fragments that share any time make
no pair.

Scopes: ``within`` counts only pairs of one talker, ``cross`` only pairs of two. Measures without
pairs (coverage, token, type, boundary) then use only the fragments that are in such a pair. For
the recall of grouping and matching, the gold pairs are restricted in the same way.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path

import numpy as np

from scoring.discovery import definition, folds, formats, report, zrc2015, zrc2017
from scoring.discovery.case import Case
from scoring.discovery.corpus import Corpus, Discovery, make_corpus, make_discovery
from scoring.discovery.folds import require_known
from scoring.discovery.formats import Folds
from scoring.discovery.partners import TalkerScope
from scoring.discovery.scores import DiscoveryEvaluation, ProfileName, Scores
from std.distinct import Given, require_distinct
from std.errors import NONE, InputError
from std.files import read
from std.outputs import make_folder, open_output
from std.terminal import json_text

Progress = Callable[[int, int], None]
Recipe = Callable[[Case, Sequence[TalkerScope]], dict[TalkerScope, Scores]]
RECIPES: dict[ProfileName, Recipe] = {
    "zrc2017": zrc2017.score,
    "zrc2015": zrc2015.score,
    "definition": definition.score,
}
TALKER_SCOPES: tuple[TalkerScope, ...] = ("all", "within", "cross")


def read_corpus(phones_path: str | PathLike[str], words_path: str | PathLike[str]) -> Corpus:
    """Read the gold annotation; nothing is known of its talkers.

    Args:
        phones_path, words_path: lines of ``file onset offset symbol``, in seconds; plain or gzip.

    Raises:
        InputError: a file cannot be read, a label ends before it begins or lies inside another, or
            the files have no recording in common.
    """
    phones = read(formats.parse_alignment, Path(phones_path))
    words = read(formats.parse_alignment, Path(words_path))
    if not {*phones.spans.files} & {*words.spans.files}:
        raise InputError(Path(words_path), 0, "a recording of the phones", words.spans.files[0])
    return make_corpus(phones, words)


def read_classes(path: str | PathLike[str], corpus: Corpus) -> Discovery:
    """Read the classes that a system discovered in a corpus.

    Args:
        path: ``Class ID`` lines, each with its members: ``file onset offset``, in seconds.
        corpus: the gold annotation.

    Raises:
        InputError: a line is malformed, or a member is in a recording that has no phones.
    """
    return make_discovery(read(formats.parse_classes, Path(path)), corpus, Path(path))


def read_folds(path: str | PathLike[str], corpus: Corpus) -> Folds:
    """Read the parts of a corpus that are scored one by one.

    Args:
        path: lines of ``file onset offset``, in seconds; a blank line ends a fold.
        corpus: the gold annotation.

    Raises:
        InputError: a line is malformed, or names a recording that the corpus lacks.
    """
    parts = read(formats.parse_folds, Path(path))
    require_known(parts, corpus, Path(path))
    return parts


def read_talkers(path: str | PathLike[str], corpus: Corpus) -> dict[str, str]:
    """Read the talker of each recording.

    Args:
        path: lines of ``file talker``.
        corpus: every recording of its phones needs a talker.

    Raises:
        InputError: a line is malformed, or a recording has no talker, or two.
    """
    talkers = read(formats.parse_talkers, Path(path))
    for file in _files_of_phones(corpus):
        if file not in talkers:
            raise InputError(Path(path), 0, f"a talker for recording {file}", NONE)
    return talkers


def talkers_by_name(corpus: Corpus, pattern: str) -> dict[str, str]:
    """The talker of each recording, from its name.

    Args:
        corpus: the gold annotation.
        pattern: a regular expression; its first group, if any, else the whole match, is the talker.

    Raises:
        ValueError: the pattern is not a regular expression, or finds no talker in some name.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"expected a regular expression, got {error}") from error
    talkers = {}
    for file in _files_of_phones(corpus):
        match = compiled.search(file)
        if not match:
            raise ValueError(f"expected a match in every name, got none in {file}")
        talkers[file] = match[1 if compiled.groups else 0] or ""
        if not talkers[file]:
            raise ValueError(f"expected a talker in every name, got none in {file}")
    return talkers


def _files_of_phones(corpus: Corpus) -> list[str]:
    return [corpus.files[i] for i in np.unique(corpus.phones.file).tolist()]


def write_report(
    evaluation: DiscoveryEvaluation,
    folder: str | PathLike[str],
    *,
    title: str,
    read_files: Mapping[str, Given] | None = None,
) -> None:
    """Write scores.txt, scores.csv, scores.json and report.html, each whole or not at all.

    Args:
        evaluation: the evaluation of one class file.
        folder: it is created if it does not exist.
        title: name of the scored system in the HTML report.
        read_files: the input files, by option; none is overwritten.

    Raises:
        StdError: a file of the report is one of ``read_files``, or cannot be written.
    """
    contents = {
        "scores.txt": report.text(evaluation),
        "scores.csv": report.table(evaluation),
        "scores.json": json_text(report.document(evaluation)) + "\n",
        "report.html": report.html_report(evaluation, title),
    }
    folder = Path(folder)
    make_folder(folder)
    require_distinct(read_files or {}, {"--output": [folder / name for name in contents]})
    for name, content in contents.items():
        with open_output(folder / name) as stream:
            stream.write(content.encode())


def evaluate(
    corpus: Corpus,
    discovery: Discovery,
    profile: ProfileName = "zrc2017",
    parts: Folds | None = None,
    progress: Progress | None = None,
) -> DiscoveryEvaluation:
    """Score a discovery, on the whole corpus, by talker if talkers are known, and on each fold.

    Args:
        corpus, discovery: the gold annotation and a system's classes.
        profile: one of the three profiles.
        parts: folds to score one by one.
        progress: called with (steps done, steps in all).
    """
    score = RECIPES[profile]
    scopes = TALKER_SCOPES if len(corpus.talkers) > 1 else TALKER_SCOPES[:1]
    levels = zrc2015.repeated(corpus.phones) if profile == "zrc2015" else None
    scores = score(Case.whole(corpus, discovery, levels), scopes)
    if parts is None:
        return DiscoveryEvaluation(profile, scores)
    fold_scores: list[Scores] = []
    for fold in folds.intervals(parts, corpus):
        if progress:
            progress(len(fold_scores) + 1, parts.count + 1)
        case = Case.part(corpus, discovery, levels, fold)
        fold_scores.append(score(case, scopes[:1])["all"])
    return DiscoveryEvaluation(
        profile, scores, tuple(fold_scores), folds.spread(fold_scores, profile)
    )
