"""The rows of std-index and std-store: recordings, facts about an index, previews of inputs."""

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from std.display.rows import Rows, print_table
from std.numbers import with_channel

if TYPE_CHECKING:
    from indexer import IndexDescription, ListedRecording, Preview

RECORDINGS_NAMED = 3  # recordings of an input that are named in the table


def recording_rows(listed: "Sequence[ListedRecording]") -> Rows:
    """Recordings as rows; people see fewer columns."""
    from std.audio.facts import FACTS  # which needs numpy

    names = sorted({name for entry in listed for name in entry.about.metadata} - {"language"})
    speakers = ("speakers",) if any(entry.speakers for entry in listed) else ()
    names = [name for name in names if name != "speakers"]
    heard = ("phones_heard",) if any(entry.heard is not None for entry in listed) else ()
    shown = [name for name in names if name not in FACTS]
    folder = common_folder(path for entry in listed for path in entry.about.inputs)
    header = ("recording", "channel", "speech_s", "language", "words", "utterances")
    return Rows(
        header=(*header, "times_estimated", "speakers", *heard, *names, "inputs"),
        cells=[
            (
                *entry.about.recording,
                entry.about.speech_ms / 1000,
                language_of(entry),
                entry.words,
                entry.about.utterances,
                "yes" if entry.about.times_estimated else "no",
                ", ".join(entry.speakers),
                *("" if entry.heard is None else entry.heard for _ in heard),
                *(entry.about.metadata.get(name, "") for name in names),
                ", ".join(entry.about.inputs),
            )
            for entry in listed
        ],
        documents=(entry.document() for entry in listed),
        brief_header=(
            "recording",
            "speech",
            "language",
            "words",
            *speakers,
            *heard,
            *shown,
            "source",
        ),
        brief=[
            (
                with_channel(*entry.about.recording),
                clock(entry.about.speech_ms),
                language_of(entry) or "?",
                entry.words,
                *(len(entry.speakers) for _ in speakers),
                *("" if entry.heard is None else f"{entry.heard:.0%}" for _ in heard),
                *(entry.about.metadata.get(name, "") for name in shown),
                ", ".join(path.removeprefix(f"{folder}/") for path in entry.about.inputs),
            )
            for entry in listed
        ],
    )


def language_of(entry: "ListedRecording") -> str:
    """The language in the index, else that of the metadata."""
    return entry.about.language or entry.about.metadata.get("language", "")


def common_folder(paths: Iterable[str]) -> str:
    """The folder that holds all of some absolute paths; empty if there is none.

    >>> common_folder(["/in/a/x.mesh", "/in/b/y.mesh", "-"]), common_folder(["/in/x"])
    ('/in', '/in')
    """
    folders = {os.path.dirname(path) for path in paths if os.path.isabs(path)}  # noqa: PTH117, PTH120  # texts
    return os.path.commonpath(folders) if folders else ""


def print_recordings(listed: "Sequence[ListedRecording]") -> None:
    """Print a table of recordings with all their metadata."""
    right = ("speech", "words")  # with the name: a cut name cannot be looked up
    print_table(recording_rows(listed), right=right, whole=("recording", *right))


def clock(time_ms: int) -> str:
    """Hours, minutes and seconds.

    >>> clock(3_725_400)
    '1:02:05'
    """
    minutes, seconds = divmod(round(time_ms / 1000), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def description_rows(described: "IndexDescription") -> Rows:
    """Facts about an index, a row each."""
    from indexer import languages_line

    segments = [f"{url} ({n})" for url, n in described.segments.items()]
    facts: dict[str, object] = {
        "stores (segments)": ", ".join(segments),
        "recordings": described.recordings,
        "utterances": described.utterances,
        "speech": clock(round(described.speech_s * 1000)),
        "different words": described.words,
        "postings": described.postings,
        "languages": languages_line(described.languages).partition(" ")[2],
        "speakers": ", ".join(described.speakers),
        "metadata": ", ".join(described.metadata),
        "text": ", ".join(f"{name} = {rule}" for name, rule in described.text.items()),
    }
    documents = ({"fact": fact, "value": value} for fact, value in facts.items())
    return Rows(("fact", "value"), [*facts.items()], documents)


def details_rows(listed: "Sequence[ListedRecording]") -> Rows:
    """All facts about recordings, a row each."""
    cells: list[tuple[object, ...]] = []
    for entry in listed:
        about = entry.about
        facts = {
            "speech": clock(about.speech_ms),
            "language": language_of(entry),
            "words": entry.words,
            "utterances": about.utterances,
            "times estimated": "yes" if about.times_estimated else "no",
            "speakers": ", ".join(entry.speakers),
            "inputs": ", ".join(about.inputs),
            **about.metadata,
        }
        name = with_channel(*about.recording)
        cells += [(name, fact, value) for fact, value in facts.items()]
    return Rows(("recording", "fact", "value"), cells, (entry.document() for entry in listed))


def preview_rows(previews: "Sequence[Preview]", *, verbose: bool) -> Rows:
    """Input files as rows: all for programs, only those that are read for people.

    Args:
        verbose: include skipped files.
    """
    brief = []
    for preview in previews:
        if preview.problem or (preview.skipped and not verbose):
            continue
        names = recording_names(preview)
        more = f" and {len(names) - RECORDINGS_NAMED} more" if len(names) > RECORDINGS_NAMED else ""
        about = (
            f"skipped: {preview.skipped}"
            if preview.skipped
            else f"{', '.join(names[:RECORDINGS_NAMED])}{more}"
        )
        numbers = ("", "") if preview.skipped else (preview.utterances, preview.postings)
        brief.append((str(preview.path), preview.format, *numbers, about))
    header = ("file", "format", "utterances", "postings", "recordings")
    return Rows(
        header=(*header, "skipped", "problem"),
        cells=[
            (
                *(str(preview.path), preview.format, preview.utterances, preview.postings),
                *(", ".join(recording_names(preview)), preview.skipped, preview.problem),
            )
            for preview in previews
        ],
        documents=(preview.document() for preview in previews),
        brief_header=header,
        brief=brief,
    )


def recording_names(preview: "Preview") -> list[str]:
    """The files of an input's recordings, each once."""
    return list(dict.fromkeys(recording.file for recording in preview.recordings))


def print_previews(previews: "Sequence[Preview]", *, verbose: bool) -> None:
    """Print a table of input files: format, utterances and names; those skipped if verbose."""
    rows = preview_rows(previews, verbose=verbose)
    if rows.brief:
        print_table(rows, right=("utterances", "postings"))
