"""A search result -> files for evaluations, and files for the recogniser.

write_hits            the files of an evaluation
    hit_list          the score of a hit is rescaled so that 0.5 is the threshold
    probability_list  the same hits with their probabilities as scores
write_oov_lexicon     out-of-vocabulary words with pronunciations, to add to the recogniser
write_stretches       places where such words may have been said, for std-recognise --listen-again

Each list has a score for places without a hit, on the scale of its own numbers.
"""

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np

from searcher.index.stores import by_language
from searcher.output.table import seconds
from searcher.phonetic.indexes import lexicon_of_index
from searcher.results.search_result import SearchResult
from std.config import Config
from std.csv_files import write_csv
from std.errors import ConfigError, StdError
from std.nist import std_list
from std.nist.term_list import Dialect
from std.nist.xml import CONTROL_CHARACTERS, writable
from std.outputs import open_output
from std.phonetics.lexicon import dump
from std.store import Segment
from std.values import Recording, STDList, TermList, TermSearch


def write_hits(
    found: SearchResult,
    path: str | PathLike[str],
    *,
    terms: TermList,
    terms_filename: str = "",
    probabilities: str | PathLike[str] | None = None,
    system_id: str = "std",
    dialect: Dialect = "std2006",
    cpu_s: float | None = None,
    default_score: bool = True,
) -> None:
    """Write a hit list for `scoring.score_files`, in the encoding of the term list.

    Args:
        found: the result of `Index.search_terms`.
        path: the hit list; a name that ends in ``.gz`` is compressed, ``-`` is standard output.
        terms: the term list that was searched.
        terms_filename: its name, as the hit list repeats it.
        probabilities: a second list, of the same hits with their probabilities as scores.
        system_id: name of the system.
        dialect: ``std2006`` or ``kws2013``.
        cpu_s: CPU time of the search, which NIST asks for; None: the time that passed.
        default_score: whether a list of the dialect ``kws2013`` has a score for places without a
            hit, which NIST's schema lacks.

    Raises:
        InputError: a file cannot be written; an existing file stays unchanged.
        StdError: ``system_id`` has characters that XML cannot hold.
    """
    if CONTROL_CHARACTERS.search(system_id):
        raise StdError(f"system_id: expected text that XML can hold, got {system_id!r}")
    if not default_score:
        found = replace(found, default_score=None, missed_share=None)
    hits = hit_list(found, terms, terms_filename, system_id, cpu_s)
    encoding = "GB2312" if terms.encoding.lower().startswith("gb") else "UTF-8"
    with open_output(Path(path)) as sink:
        std_list.dump(hits, sink, dialect, encoding)
    if probabilities is not None:
        with open_output(Path(probabilities)) as sink:
            std_list.dump(probability_list(hits, found), sink, dialect, encoding)


def hit_list(
    found: SearchResult,
    terms: TermList,
    terms_filename: str,
    system_id: str,
    cpu_s: float | None = None,
) -> STDList:
    """The hit list of a search; the search time is shared equally among the terms."""
    each_s = (found.seconds if cpu_s is None else cpu_s) / max(1, len(found.terms))
    return STDList(
        detections=found.detections(),
        searches=tuple(TermSearch(each_s, len(one)) for one in found.oov_words),
        term_list_filename=writable(terms_filename),
        language=terms.language,
        system_id=system_id,
        default_score=found.default_score,
    )


def probability_list(hits: STDList, found: SearchResult) -> STDList:
    """The same hits and decisions, each with its probability as score.

    NIST's schemas (F4DE's ``KWSEval-stdlist.xsd``, ``KWSEval-kwslist.xsd``) allow a hit no
    attribute beside those it must have, so the second number of a hit needs a second list.
    """
    detections = replace(hits.detections, score=found.probability)
    return replace(hits, detections=detections, default_score=found.missed_share)


DOUBTED, SURELY_SAID = 0.02, 0.95  # probabilities of places that are recognised again


def write_oov_lexicon(
    path: Path, words: Sequence[str], segments: Sequence[Segment], config: Config
) -> list[str]:
    """Write words with their pronunciations in each language of an index.

    Args:
        words: ascending.

    Returns:
        A warning for each language without pronunciations.

    Raises:
        ConfigError: the index has one language, and its words cannot be pronounced.
    """
    groups = by_language(segments)
    warnings = []
    with open_output(path) as sink:
        for group in groups:
            try:
                lexicon = lexicon_of_index(group.segments, group.configured(config))
            except ConfigError as error:
                if len(groups) == 1:
                    raise
                warnings.append(f"{path} is without language {group.language!r}: {error}")
                continue
            if len(groups) > 1:
                sink.write(f";;; {group.language}\n".encode())
            dump(zip(words, lexicon.pronunciations(words), strict=True), sink)
    return warnings


def write_stretches(path: Path, found: SearchResult) -> int:
    """Write the places where terms with out-of-vocabulary words may be; return their number.

    Overlapping places become one, with the words of all. Nearly certain and unlikely places are
    left out.

    Args:
        path: the table: recording, channel, start_s, end_s, words.

    Raises:
        InputError: it cannot be written.
    """
    unknown = np.array([bool(words) for words in found.oov_words], bool)
    table, p = found.candidates, found.probability
    asked = np.flatnonzero(unknown[table.term] & (p >= DOUBTED) & (p < SURELY_SAID))
    order = asked[np.lexsort((table.start_ms[asked], table.recording[asked]))]
    stretches: list[tuple[Recording, list[int], dict[str, None]]] = []
    columns = table.recording, table.term, table.start_ms, table.end_ms
    for number, term, start_ms, end_ms in zip(
        *(one[order].tolist() for one in columns), strict=True
    ):
        recording = found.recordings[number]
        if not stretches or stretches[-1][0] != recording or stretches[-1][1][1] < start_ms:
            stretches.append((recording, [start_ms, end_ms], {}))
        _, span, words = stretches[-1]
        span[1] = max(span[1], end_ms)
        words[" ".join(found.terms[term].text.replace(";", " ").split())] = None  # ; divides them
    with open_output(path) as sink:
        write_csv(
            sink,
            ("recording", "channel", "start_s", "end_s", "words"),
            (
                (*recording, seconds(start / 1000), seconds(end / 1000), "; ".join(words))
                for recording, (start, end), words in stretches
            ),
        )
    return len(stretches)
