"""The hits of a search as a table for a person, and as rows for programs.

print_table        hits with the words around them, on the terminal
hit_rows           CSV, JSON lines, lines with tabs, tables to paste
write_corrections  hits where the recogniser wrote something else, for `std-store correct --table`

A person may delete rows of the table of corrections, or write ``no`` into their column ``right``.
"""

from collections.abc import Sequence
from pathlib import Path

from searcher.results.hits import Hit
from std.characters import text_of
from std.csv_files import write_csv
from std.display.rows import MIN_COLUMN, PrintedColumn, Rows, print_columns
from std.numbers import clock, with_channel
from std.outputs import open_output
from std.terminal import bold, printable

HEADER = (
    *("term_id", "term", "file", "channel", "language", "start_s", "end_s", "probability"),
    *("score", "decision", "before", "found", "after", "found_as", "within_s", "speaker"),
    "within_word",
)
BRIEF = ("term", "file", "start", "end", "probability", "text")
DECIDED = ("score", "decision")  # further columns of hits with decisions
LEAST_WIDTHS = {"context": 18, "found as": 12}  # least width of texts, in letters


def hit_rows(hits: Sequence[Hit], *, decided: bool) -> Rows:
    """Hits as rows, in their order; times in seconds."""
    columns = sorted({name for hit in hits for name in hit.metadata} - {"speaker"})
    return Rows(
        header=(*HEADER, *columns),
        cells=[
            (
                *(hit.term_id, hit.term, hit.file, hit.channel, hit.language),
                *(seconds(hit.start_s), seconds(hit.start_s + hit.duration_s)),
                hit.probability,
                *((hit.score, hit.decision) if decided else ("", "")),
                *(*hit.context, hit.found_as, hit.within_s, hit.said_by),
                str(hit.within_word or ""),
                *(hit.metadata.get(name, "") for name in columns),
            )
            for hit in hits
        ],
        documents=(hit.document() for hit in hits),
        brief_header=(*BRIEF, *DECIDED) if decided else BRIEF,
        brief=[
            (
                hit.term,
                with_channel(hit.file, hit.channel),
                *(seconds(hit.start_s), seconds(hit.start_s + hit.duration_s)),
                *(f"{hit.probability:.3f}", text_of(filter(None, hit.context))),
                *((f"{hit.score:.3f}", hit.decision) if decided else ()),
            )
            for hit in hits
        ],
    )


def seconds(time_s: float) -> str:
    """A time with milliseconds.

    >>> seconds(22.0249999)
    '22.025'
    """
    return f"{time_s:.3f}"


def print_table(
    hits: Sequence[Hit],
    *,
    limit: int,
    decided: bool,
    languages: bool = False,
    columns: Sequence[str] = (),
) -> None:
    """Print the first hits, one per line, with the words around them.

    Args:
        decided: show each hit's rescaled score and whether it is accepted.
        languages: show which language each hit's recording is in.
        columns: metadata of the recordings to show.
    """
    language = ("language",) if languages else ()
    if any(hit.speaker for hit in hits[:limit]) and "speaker" not in columns:
        columns = ("speaker", *columns)
    decision = ("score", "decision") if decided else ()
    names = (
        *("term", "file", *map(printable, columns), *language, "time", "probability"),
        *(*decision, "context", "found as"),
    )
    numbers = ("time", "probability", "score")
    rows = []
    for hit in hits[:limit]:
        before, inside, after = map(printable, hit.context)
        rows.append(
            (
                printable(hit.term),
                with_channel(printable(hit.file), hit.channel),
                *(printable(_value(hit, name)) for name in columns),
                *((printable(hit.language or "?"),) if languages else ()),
                f"{clock(hit.start_s)} {hit.estimate}".strip(),
                f"{hit.probability:.3f}",
                *((f"{hit.score:.3f}", hit.decision) if decided else ()),
                " ".join(filter(None, (before, bold(inside), after))),
                printable(hit.found_as),
            )
        )
    print_columns(
        [
            PrintedColumn(
                name,
                is_right=name in numbers,
                is_whole=name in numbers or name == "file",  # a cut name cannot be looked up
                least=LEAST_WIDTHS.get(name, MIN_COLUMN),
            )
            for name in names
        ],
        rows,
    )
    if len(hits) > limit:
        print(f"... and {len(hits) - limit} more; --limit 0 shows all")  # noqa: T201  # the result


def _value(hit: Hit, column: str) -> str:
    """A hit's value in a column: its speaker, or a value of its recording's metadata."""
    return hit.said_by if column == "speaker" else hit.metadata.get(column, "")


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


def write_corrections(hits: Sequence[Hit], path: Path, least: float) -> int:
    """Write the table; return the number of rows.

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
