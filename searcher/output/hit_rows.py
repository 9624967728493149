"""Hits as rows for programs: CSV, JSON lines, lines with tabs, tables to paste."""

from collections.abc import Sequence

from searcher.results.hits import Hit
from std.characters import text_of
from std.display.rows import Rows

HEADER = (
    *("term_id", "term", "file", "channel", "language", "start_s", "end_s", "probability"),
    *("score", "decision", "before", "found", "after", "found_as", "within_s", "speaker"),
    "within_word",
)
BRIEF = ("term", "file", "start", "end", "probability", "text")
DECIDED = ("score", "decision")  # after these, where hits are accepted or rejected


def hit_rows(hits: Sequence[Hit], *, decided: bool) -> Rows:
    """Hits as rows, in their order; times in seconds.

    Args:
        hits: of a search.
        decided: whether they are accepted or rejected.
    """
    columns = sorted({name for hit in hits for name in hit.metadata} - {"speaker"})
    return Rows(
        header=(*HEADER, *columns),
        cells=[
            (
                *(hit.term_id, hit.term, hit.file, hit.channel, hit.language),
                *(seconds(hit.start_s), seconds(hit.start_s + hit.duration_s)),
                f"{hit.probability:.4f}",
                *((f"{hit.score:.4f}", hit.decision) if decided else ("", "")),
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
                hit.file if hit.channel == 1 else f"{hit.file} ({hit.channel})",
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
