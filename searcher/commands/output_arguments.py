"""std-search's options for the values of hits and for their files."""

import argparse
from pathlib import Path

from std.command import file_argument, folder_argument, number, text_argument
from std.config import range_of
from std.ranges import Range
from std.timelines import FRAME_RATES


def add_list_options(group: "argparse._ArgumentGroup") -> None:
    """The options of the files of a list, and of alerts."""
    add = group.add_argument
    add(
        "--alerts",
        type=file_argument,
        metavar="FILE",
        help="find the hits of this list of terms that neither this command nor std-serve has "
        "reported before; FILE.hits.jsonl has the reported ones",
    )
    add(
        "--since",
        type=since_argument,
        metavar="LAST",
        help="with --alerts: since the last search (the only choice)",
    )
    add(
        "--term-column",
        type=text_argument,
        metavar="NAME",
        help="column of --terms or --alerts that has the terms, if its heading does not show it",
    )
    add(
        "--probabilities",
        type=file_argument,
        metavar="XML",
        help="a second list of the same hits, whose score is the probability (std-score reads it)",
    )
    add(
        "--dialect",
        choices=["std2006", "kws2013"],
        default="std2006",
        help="NIST's format of the hit lists (std2006)",
    )
    add(
        "--no-default-score",
        action="store_true",
        help="leave out the score of places without a hit (kws2013): NIST's own scorer refuses "
        "an attribute that its schema lacks",
    )
    add("--system-id", type=text_argument, default="std", help="name of the system in the hit list")


def add_hit_options(group: "argparse._ArgumentGroup") -> None:
    """The options of further values of hits."""
    add = group.add_argument
    add(
        "--unit",
        choices=["place", "recording", "turn"],
        default="place",
        help="what is found: places of the words (place), or the recordings or turns of speakers "
        "in which a query holds",
    )
    add(
        "--decide",
        action="store_true",
        help="accept or reject each hit of a TERM (YES, NO); hits of a list always have decisions",
    )
    add(
        "--beta",
        type=number(range_of("decision.beta")),
        help="cost of a false alarm against a miss, for decisions (999.9); with a TERM it implies "
        "--decide",
    )
    add(
        "--columns",
        type=text_argument,
        default="date,speaker,title",
        metavar="NAMES",
        help="metadata in the table, if the recordings have them (date,speaker,title)",
    )
    add(
        "--explain", type=file_argument, metavar="JSONL", help="file for an explanation of each hit"
    )
    add(
        "--oov-lexicon",
        type=file_argument,
        metavar="FILE",
        help="file for unknown words of the terms, with pronunciations, to add to the recogniser",
    )
    add(
        "--listen-again",
        type=file_argument,
        metavar="CSV",
        help="file for the places where unknown words may have been said (probability .02 to .95), "
        "for std-recognise --listen-again",
    )


def add_word_options(group: "argparse._ArgumentGroup") -> None:
    """The options of a TERM's related forms, and of hits inside other words."""
    group.add_argument(
        "--inflections",
        action="store_true",
        help="also list the hits of related forms of a TERM (haus: hauses, häuser), after its own "
        "hits; otherwise they are only counted",
    )
    group.add_argument(
        "--within-words",
        type=kinds_argument,
        metavar="KINDS",
        help="which hits inside other words to keep: form (jünglings, of jüngling), part "
        "(internacionales, of nacional), apart (hier door, of hierdoor), or none; an evaluation by "
        "words counts form and part as false alarms (form,part,apart)",
    )


def add_media_options(group: "argparse._ArgumentGroup") -> None:
    """The options of clips, subtitles and edits."""
    add = group.add_argument
    add("--clips", type=folder_argument, metavar="FOLDER", help="write each hit's sound to a file")
    add(
        "--audio",
        type=folder_argument,
        metavar="FOLDER",
        help="folder of audio files (default: the files that the metadata name)",
    )
    add("--clip-format", choices=["ogg", "wav"], default="ogg", help="format of clips (ogg)")
    around = "seconds before and after a hit (0.5)"
    add("--clip-around", type=AROUND_S, default=0.5, metavar="S", help=around)
    add(
        "--srt",
        type=file_argument,
        metavar="FOLDER|FILE.srt",
        help="write the hits as subtitles: a folder with a file for each recording, or one file "
        "for the hits of one recording",
    )
    add(
        "--corrections",
        type=file_argument,
        metavar="CSV",
        help="file for the places where a term was said and the recogniser wrote other words, with "
        "probability .9 (or --min-probability) and more, for std-store correct --table",
    )
    add(
        "--timeline",
        type=timeline_argument,
        metavar="FILE.edl|FILE.fcpxml",
        help="write the hits one after another, for editing programs: CMX 3600, or Final Cut's XML",
    )
    add(
        "--markers",
        type=folder_argument,
        metavar="FOLDER",
        help="write the hits as markers, a file for each recording",
    )
    add(
        "--markers-for",
        choices=["premiere", "resolve", "avid"],
        default="premiere",
        help="which program reads the markers: CSV, EDL or text (premiere)",
    )
    add(
        "--frame-rate",
        choices=[*FRAME_RATES],
        default="25",
        help="frames per second of timeline and markers (25)",
    )
    add(
        "--first-timecode",
        default="00:00:00:00",
        metavar="HH:MM:SS:FF",
        help="start of the timeline, or of each recording with markers (00:00:00:00)",
    )


AROUND_S = number(Range(0, 60))


def timeline_argument(text: str) -> Path:
    """A file of edits.

    Raises:
        argparse.ArgumentTypeError: its extension is not that of a format.
    """
    path = file_argument(text)
    if path.suffix.lower() not in (".edl", ".fcpxml"):
        raise argparse.ArgumentTypeError(
            f"expected a name that ends in .edl or .fcpxml, got {text!r}"
        )
    return path


def kinds_argument(text: str) -> frozenset[str]:
    """Kinds of words that contain hits.

    Raises:
        argparse.ArgumentTypeError: there is no such kind.
    """
    kinds = frozenset(one.strip() for one in text.split(",")) - {"none"}
    if unknown := kinds - {"form", "part", "apart"}:
        raise argparse.ArgumentTypeError(
            f"expected none, or some of form,part,apart, got {min(unknown)!r}"
        )
    return kinds


def since_argument(text: str) -> str:
    """The word LAST.

    Raises:
        argparse.ArgumentTypeError: it is another word.
    """
    if text.upper() != "LAST":
        raise argparse.ArgumentTypeError(f"expected LAST, got {text!r}")
    return "LAST"
