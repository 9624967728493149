"""Hits where the recogniser wrote something else: a table for `std-store correct --table`.

A person may delete rows of the table, or mark them with no in a column ``right``.
"""

from collections.abc import Sequence
from pathlib import Path

from searcher.output.table import seconds
from searcher.results.hits import Hit
from std.characters import text_of
from std.csv_files import write_csv
from std.outputs import open_output

LEAST_PROBABILITY = 0.9  # of a hit's probability
CORRECTION_HEADER = (
    *("recording", "channel", "start_s", "end_s", "before", "after", "probability", "context"),
    "right",
)
AS_WRITTEN = ("exact", "wildcard")


def misspelt(hits: Sequence[Hit], least: float = LEAST_PROBABILITY) -> list[Hit]:
    """The hits whose place has other words, by recording and time.

    Of overlapping hits the most probable counts; if it is already written correctly, no row is
    made.

    Args:
        hits: the hits of a list of names.
        least: the lower bound of their probability.
    """
    chosen: dict[tuple[str, int], list[Hit]] = {}
    for hit in sorted(hits, key=lambda one: -one.probability):
        others = chosen.setdefault((hit.file, hit.channel), [])
        end_s = hit.start_s + hit.duration_s
        is_free = all(
            end_s <= one.start_s or one.start_s + one.duration_s <= hit.start_s for one in others
        )
        if hit.probability >= least and is_free:
            others.append(hit)
    return [
        hit
        for _, some in sorted(chosen.items())
        for hit in sorted(some, key=lambda one: one.start_s)
        if _is_misspelt(hit)
    ]


def _is_misspelt(hit: Hit) -> bool:
    """Whether other words are written: neither the term nor a longer word that contains it.

    A longer word is an inflected form of the term, or another word (preserved, for reserved).
    """
    written, term = _words(hit.likeliest), _words(hit.term)
    as_found = hit.method in AS_WRITTEN and written == _words(hit.searched)
    letters, inside = "".join(written), "".join(term)
    is_longer = inside in letters and inside != letters
    return bool(written) and not as_found and written != term and not is_longer


def _words(text: str) -> list[str]:
    """Words in small letters, without the mark of doubt."""
    return text.replace("?", " ").lower().split()


def write_corrections(hits: Sequence[Hit], path: Path, least: float = LEAST_PROBABILITY) -> int:
    """Write the table; return the number of rows.

    Args:
        hits: the hits of a list of names.
        path: the path of the table, CSV.
        least: the lower bound of the probability of a row.

    Raises:
        InputError: the file cannot be written.
    """
    found = misspelt(hits, least)
    with open_output(path) as sink:
        write_csv(
            sink,
            CORRECTION_HEADER,
            [
                (
                    *(hit.file, hit.channel, seconds(hit.start_s)),
                    seconds(hit.start_s + hit.duration_s),
                    *(hit.likeliest.replace("?", ""), hit.term, f"{hit.probability:.4f}"),
                    *(text_of(filter(None, hit.context)), ""),
                )
                for hit in found
            ],
        )
    return len(found)
