"""Files for the recogniser: words to add, and stretches to recognise again.

write_oov_lexicon   out-of-vocabulary words with pronunciations
write_stretches     where such words may have been said, for std-recognise --listen-again
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from searcher.index.stores import by_language
from searcher.output.table import seconds
from searcher.phonetic.indexes import lexicon_of_index
from searcher.results.search_result import SearchResult
from std.config import Config
from std.csv_files import write_csv
from std.errors import ConfigError
from std.outputs import open_output
from std.phonetics.lexicon import dump
from std.store import Segment
from std.values import Recording

DOUBTED, CERTAIN = 0.02, 0.95  # probabilities of places that are recognised again


def write_oov_lexicon(
    path: Path, words: Sequence[str], segments: Sequence[Segment], config: Config
) -> list[str]:
    """Write words with their pronunciations in each language of an index.

    Args:
        path: the lexicon.
        words: ascending.
        segments: the segments of the index.
        config: how words are pronounced.

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
        found: what a search returns.

    Raises:
        InputError: it cannot be written.
    """
    unknown = np.array([bool(words) for words in found.oov_words], bool)
    table, p = found.candidates, found.probability
    asked = np.flatnonzero(unknown[table.term] & (p >= DOUBTED) & (p < CERTAIN))
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
        words[found.terms[term].text] = None
    with open_output(path) as sink:
        write_csv(
            sink,
            ("recording", "channel", "start_s", "end_s", "words"),
            (
                (
                    one.file,
                    one.channel,
                    seconds(start / 1000),
                    seconds(end / 1000),
                    "; ".join(words),
                )
                for one, (start, end), words in stretches
            ),
        )
    return len(stretches)
